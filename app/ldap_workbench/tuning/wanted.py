"""What a setting writes, and where: a value, one of many, an index, or a list of two entries."""

from __future__ import annotations

import difflib
import re
from dataclasses import replace

from ldap_workbench.model.change import WHOLE_ENTRY
from ldap_workbench.model.configuration import normal_dn
from ldap_workbench.model.errors import KnobError
from ldap_workbench.model.knob import Knob, Setting, ValueKind
from ldap_workbench.model.message import Message
from ldap_workbench.model.passwords import without_passwords
from ldap_workbench.tuning.host_values import SWITCHES, switch_in, switched
from ldap_workbench.tuning.indexes import (
    LINES,
    change_entry,
    change_openldap,
    is_obsolete,
    is_system,
    schema_names,
    suffix_of,
)
from ldap_workbench.tuning.java_args import with_option
from ldap_workbench.tuning.place import KnobLocation, Places, Values, describe_values
from ldap_workbench.tuning.unit_file import is_drop_in
from ldap_workbench.tuning.values import ABSENT
from ldap_workbench.tuning.vlv import SortedList, file_name, index_below, names_in_use

_LDBM, _RENAMES = (
    "cn=config,cn=ldbm database,cn=plugins,cn=config",
    "nsslapd-subtree-rename-switch",
)
_NUMBER = re.compile(r"^\{\d+\}")
Wanted = tuple[KnobLocation, Values, Values]
"""A place, what it reads now, and what it is to read."""


def wanted(places: Places, knob: Knob, setting: Setting, location: KnobLocation) -> list[Wanted]:
    """Each write of a setting, in its order. Raises KnobError for what must not be written."""
    if knob.kind is ValueKind.SORTED_LIST:
        return _sorted_list(places, knob, setting, location)
    if knob.kind is ValueKind.INDEX:
        return [_index(places, knob, setting, location)]
    return [_value(places, knob, setting, location)]


def _value(places: Places, knob: Knob, setting: Setting, location: KnobLocation) -> Wanted:
    before = places.read(location)
    if knob.java_options:
        return location, before, (_java_args(places, knob, setting, location),)
    if is_drop_in(location.attribute) and before and not before[0].isdigit():
        raise _refused(
            Message("{spot} is not as the workbench writes it.", spot=location.label),
            Message("It has: {values}.", values=describe_values(before)),
        )
    if knob.path in SWITCHES and before is not None:
        return location, before, (_switched(knob, setting.value, before),)
    if setting.operator != "=":
        return location, before, _one_of_many(knob, setting, before)
    return location, before, (setting.value,)


def _java_args(places: Places, knob: Knob, setting: Setting, location: KnobLocation) -> str:
    """The line with the option set. The journal keeps all of the line, so no password is in it."""
    args = places.java_args(location)
    if without_passwords(args) != args:
        raise _refused(
            Message("There is a password in {spot}.", spot=location.label),
            Message("Set the option by hand there: the journal would keep the whole line."),
        )
    return with_option(knob, args, setting.value)


def _one_of_many(knob: Knob, setting: Setting, before: Values) -> Values:
    """The values with one more or one less; slapd numbers those whose order counts: {0}first."""
    texts = [_NUMBER.sub("", value) if knob.ordered else value for value in before or ()]
    if setting.operator == "-=" and setting.value not in texts:
        raise _refused(
            Message("{knob} has no value '{value}'.", knob=knob.name, value=setting.value),
            Message("It has: {values}.", values=describe_values(before)),
        )
    if setting.operator == "-=":
        texts.remove(setting.value)
    elif setting.value not in texts:
        texts.append(setting.value)
    numbered_texts = [f"{{{place}}}{text}" for place, text in enumerate(texts)]
    return tuple(numbered_texts if knob.ordered else texts) or None


def _switched(knob: Knob, switch: str, before: tuple[str, ...]) -> str:
    """The words of a kernel file with one of them the other way."""
    if switch_in(before[0], switch) is None:
        raise _refused(
            Message("This kernel has no '{switch}' in {path}.", switch=switch, path=knob.path),
            Message("It has: {values}.", values=describe_values(before)),
        )
    return switched(before[0], switch)


def _index(places: Places, knob: Knob, setting: Setting, location: KnobLocation) -> Wanted:
    """An index may be an entry of its own."""
    types = [] if setting.value == ABSENT else setting.value.split(",")
    if location.attribute == LINES:
        lines = places.read(location)
        asked_lines = change_openldap(lines, knob.of_attribute, types)
        if types and lines != asked_lines and knob.of_attribute.lower() != "default":
            _check_attribute(places, knob)
        return location, lines, asked_lines
    location = replace(location, attribute=WHOLE_ENTRY)
    entry = places.read(location)
    if types and entry is None:
        _check_attribute(places, knob)
    asked = change_entry(location.dn, entry, types)
    if is_obsolete(location.dn):
        _check_replaced(places, knob, asked)
    elif entry != asked and is_system(location.dn, entry):
        raise _refused(
            Message("{knob} is an index that the server itself needs.", knob=knob.name),
            Message("Choose an index of your own: `knobs` lists them."),
        )
    return location, entry, asked


def _check_attribute(places: Places, knob: Knob) -> None:
    """Raises KnobError for an attribute the schema lacks: 389 DS would build an index of nothing.

    A server whose schema cannot be read is asked for none.
    """
    name = knob.of_attribute.partition(";")[0]
    names = {known.lower(): known for known in schema_names(places.target.directory)}
    if not names or name.lower() in names:
        return
    near = difflib.get_close_matches(name.lower(), names, n=3, cutoff=0.7)
    raise _refused(
        Message("The schema of this server has no attribute '{name}'.", name=name),
        Message("Did you mean {names:or}?", names=tuple(names[key] for key in near))
        if near
        else Message("Name an attribute as the schema has it."),
    )


def _check_replaced(places: Places, knob: Knob, asked: Values) -> None:
    """Raises KnobError where the index of entrydn would be added, or is needed."""
    ldbm = places.target.directory.search(_LDBM, attributes=(_RENAMES,))
    needed = bool(ldbm) and ldbm[0].first(_RENAMES) == "off"
    if asked is not None or needed:
        raise _refused(
            Message("{knob} can only be removed, and not while {name} is off.", knob=knob.name,
                    name=_RENAMES),
            Message("Choose an index of your own: `knobs` lists them."),
        )  # fmt: skip


def _sorted_list(
    places: Places, knob: Knob, setting: Setting, location: KnobLocation
) -> list[Wanted]:
    """The entry of the search and that of its order below it; to remove them, the other way."""
    search = replace(location, attribute=WHOLE_ENTRY)
    order = replace(search, dn=index_below(search.dn))
    before = places.read(search), places.read(order)
    asked = SortedList.parse(setting.value)
    if asked is None:  # absent: values.plain has checked it
        _check_alone(places, knob, search, order)
        return [(order, before[1], None), (search, before[0], None)]
    lines = asked.search_lines(knob.of_attribute), asked.index_lines(knob.of_attribute)
    if any(there not in (None, ours) for there, ours in zip(before, lines, strict=True)):
        raise _refused(
            Message("{dn} is there, and holds something else.", dn=search.dn),
            Message("Choose another name for the list."),
        )
    if before[1] is None:
        _check_new(places, knob, asked, order)
    return [(search, before[0], lines[0]), (order, before[1], lines[1])]


def _check_alone(places: Places, knob: Knob, search: KnobLocation, order: KnobLocation) -> None:
    below = places.target.directory.search(search.dn, scope="one", attributes=("cn",))
    others = [entry.dn for entry in below if entry.dn.lower() != order.dn.lower()]
    if others:
        raise _refused(
            Message(
                "{knob} has other entries below it: {dns:list}.", knob=knob.name, dns=tuple(others)
            ),
            Message("Remove a list that somebody else has made by hand."),
        )


def _check_new(places: Places, knob: Knob, asked: SortedList, order: KnobLocation) -> None:
    """Raises KnobError where the list could serve nobody, or would share a file with another."""
    directory = places.target.directory
    suffix = suffix_of(places.target, order.dn)
    if not normal_dn(asked.base).endswith(normal_dn(suffix)):
        raise _refused(
            Message("{base} is not in the back end of {suffix}.", base=asked.base, suffix=suffix),
            Message("Name the back end that has it: {knob}@BACKEND.", knob=knob.name),
        )
    if not directory.search(asked.base, attributes=("1.1",)):
        raise _refused(
            Message(
                "There is no entry {base}, or this bind user may not read it.", base=asked.base
            ),
            Message("Name the base as the search has it."),
        )
    backend = order.dn.split(",", 2)[2]
    for other in names_in_use(directory, backend):
        if file_name(other) == file_name(knob.of_attribute):
            raise _refused(
                Message("The list {other} has the same file in the database.", other=other),
                Message("Choose a name that differs by more than its signs."),
            )


def _refused(what: Message, remedy: Message) -> KnobError:
    return KnobError(what, safe=Message("Nothing was changed."), remedy=remedy)
