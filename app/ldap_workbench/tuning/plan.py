"""What applying a treatment would do: read-only, for a person to agree to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypedDict

from ldap_workbench.model.change import WHOLE_ENTRY, Change, Origin
from ldap_workbench.model.errors import KnobError
from ldap_workbench.model.knob import Effect, Knob, Setting, Treatment, ValueKind
from ldap_workbench.model.message import NOTHING, Message, sentences
from ldap_workbench.servers.product import product_of
from ldap_workbench.tuning.catalogue import Catalogue
from ldap_workbench.tuning.index_budget import IndexRoom
from ldap_workbench.tuning.indexes import (
    LINES,
    OPENDJ,
    builds_again,
    change_entry,
    change_openldap,
    entries_at,
    is_index,
    is_system,
    lost,
    types_at,
)
from ldap_workbench.tuning.java_args import option_in, with_option
from ldap_workbench.tuning.kernel_file import SWITCHES, switch_in, switched
from ldap_workbench.tuning.place import KnobLocation, Places, Values, describe_values
from ldap_workbench.tuning.stored import (
    StoredNames,
    origin_of,
    read_stored,
    shows_what_is_not_stored,
)
from ldap_workbench.tuning.tunable import Tunable
from ldap_workbench.tuning.values import ABSENT, numbered, shown

_NUMBER = re.compile(r"^\{\d+\}")


@dataclass(frozen=True)
class PlannedChange:
    """One setting against what the server says now."""

    setting: Setting
    knob: Knob
    location: KnobLocation
    before: Values
    asked: Values
    needs_restart: bool
    operator: Message = NOTHING
    """What the operator must do because the workbench cannot."""
    note: Message = NOTHING
    """Why a setting is in the group that nobody asked for."""
    origin: Origin = Origin.STORED
    stored: Values = None
    """What is stored where it reads as another value."""
    not_read: Message = NOTHING
    """Why the stored configuration is not known."""
    budget: Message = NOTHING
    """Room and time that the build of an index needs."""

    @property
    def offline(self) -> bool:
        """It is not set while the server runs: its stored configuration is edited."""
        return self.knob.effect is Effect.OFFLINE

    @property
    def cannot_be_absent_again(self) -> bool:
        """Whether a revert could not bring back what is there now: nothing."""
        return bool(self.knob.not_absent) and self.before is None

    @property
    def writes(self) -> bool:
        """False where the value is already as asked."""
        return self.before != self.asked

    def describe(self) -> Message:
        """What is changed from what to what, when it works, and what the operator must do."""
        now, asked = self._shown(self.before), self._shown(self.asked)
        where = f"{self.knob.name}@{self.setting.place}" if self.setting.place else self.knob.name
        if not self.writes:
            return Message("{where} is {now} already: nothing is written.", where=where, now=now)
        restart = self.needs_restart and not self.offline
        return sentences(
            Message("{where}: {now} → {asked}.", where=where, now=now, asked=asked),
            self.note,
            self.build,
            self.budget,
            self.revert,
            Message("Takes effect after a restart.") if restart else NOTHING,
            self.operator,
        )

    @property
    def build(self) -> Message:
        """What the server has to build for it, or for the revert; NOTHING where nothing."""
        if builds_again(self.location):
            return sentences(self._first_build, Message("A revert builds it again."))
        if not is_index(self.location.dn, self.location.attribute):
            return NOTHING
        place = self.location.attribute
        again = lost(place, self.before, self.asked)
        return sentences(
            self._first_build if lost(place, self.asked, self.before) else NOTHING,
            Message("A revert builds it again.") if again else NOTHING,
        )

    @property
    def _first_build(self) -> Message:
        way = entries_at(self.location.dn)
        if way is OPENDJ:
            # RebuildTask disables the back end, and enables it when it has succeeded (tried on
            # 4.6.5): 3.5 s for 5,000 entries, in which every search ended with noSuchObject.
            return Message(
                "OpenDJ disables the back end while it builds the index: until it ends clients "
                "are told that its entries do not exist (err=32)."
            )
        load = Message("The server builds the index while it runs: that is load until it ends.")
        if way is None:
            return load
        return sentences(
            load, Message("Do not restart it meanwhile: it would take the index for built.")
        )

    def _shown(self, values: Values) -> tuple[Message, ...]:
        if self.knob.kind is ValueKind.INDEX:
            values = types_at(self.location.attribute, values, self.knob.of_attribute)
        values = option_in(self.knob, values)
        if self.knob.path in SWITCHES and values is not None:
            word = switch_in(values[0], self.setting.value)
            values = (word,) if word else None
        return tuple(shown(self.knob, value) for value in values or (None,))

    @property
    def revert(self) -> Message:
        """What a revert leaves that a person may not expect; NOTHING where it is as before."""
        now = describe_values(self.before)
        match self.origin:
            case Origin.AUTOMATIC:
                return Message("{now} is automatic: a revert removes the setting again.", now=now)
            case Origin.PINNED:
                return Message(
                    "{now} is automatic, and it will be restored as {now}, which is then stored: "
                    "this server does not remove the setting again.",
                    now=now,
                )
            case Origin.UNKNOWN:
                return Message(
                    "It will be restored as {now}, and is then stored, also if {now} is automatic "
                    "now: whether it is stored is not known. {why}",
                    now=now,
                    why=self.not_read,
                )
        return NOTHING


def plan_changes(
    target: Tunable,
    places: Places,
    catalogue: Catalogue,
    treatment: Treatment,
    earlier: Iterable[Change] = (),
) -> list[PlannedChange]:
    """Each setting of a treatment against the server as it is now, in the order of writing.

    `earlier` are the changes of this server: how long an index took to build is known from them.
    Raises KnobError when a place cannot be read, a kernel file does not offer the value, or the
    disk has no room for its indexes.
    """
    restart_list = _awaiting_restart(target)
    stored = read_stored(target) if shows_what_is_not_stored(target) else None
    planned: list[PlannedChange] = []
    room = IndexRoom(target, earlier)
    for setting in treatment.settings:
        knob = catalogue.knob(setting.knob)
        location = places.locate(knob, setting.place)
        needs_restart = _needs_restart(knob, setting, restart_list)
        _check_offered(places, knob, location, setting)
        location, before, asked = _wanted(places, knob, setting, location)
        _check_alone(planned, knob, location)
        _check_index(target, places, location, before, asked)
        planned.append(
            PlannedChange(
                setting,
                knob,
                location,
                before=before,
                asked=asked,
                needs_restart=needs_restart,
                operator=_operator(target, knob, location, setting, before, needs_restart),
                note=_note(catalogue, setting, treatment),
                budget=room.describe(location, before, asked),
                **_stored_before(knob, location, before, stored, catalogue.version),
            )
        )
    room.check()
    return planned


def _check_alone(planned: list[PlannedChange], knob: Knob, location: KnobLocation) -> None:
    """Raises KnobError for a second change of one line: the first would be taken for another's."""
    for other in planned:
        if knob.java_options and other.location == location:
            raise KnobError(
                Message(
                    "{knob} and {other} stand on one line.", knob=knob.name, other=other.knob.name
                ),
                safe=Message("Nothing was changed."),
                remedy=Message("Try one of them after the other."),
            )


def _wanted(
    places: Places, knob: Knob, setting: Setting, location: KnobLocation
) -> tuple[KnobLocation, Values, Values]:
    """What is written where: before and asked. An index may be an entry of its own."""
    if knob.kind is ValueKind.INDEX:
        types = [] if setting.value == ABSENT else setting.value.split(",")
        if location.attribute == LINES:
            lines = places.read(location)
            return location, lines, change_openldap(lines, knob.of_attribute, types)
        entry = places.read(replace(location, attribute=WHOLE_ENTRY))
        asked = change_entry(location.dn, entry, types)
        if entry != asked and is_system(location.dn, entry):
            raise KnobError(
                Message("{knob} is an index that the server itself needs.", knob=knob.name),
                safe=Message("Nothing was changed."),
                remedy=Message("Choose an index of your own: `knobs` lists them."),
            )
        return replace(location, attribute=WHOLE_ENTRY), entry, asked
    before = places.read(location)
    if knob.java_options:
        return location, before, (with_option(knob, places.java_args(location), setting.value),)
    if knob.path in SWITCHES and before is not None:
        if switch_in(before[0], setting.value) is None:
            raise KnobError(
                Message(
                    "This kernel has no '{switch}' in {path}.", switch=setting.value, path=knob.path
                ),
                safe=Message("Nothing was changed."),
                remedy=Message("It has: {values}.", values=describe_values(before)),
            )
        return location, before, (switched(before[0], setting.value),)
    if setting.operator != "=":
        return location, before, _one_of_many(knob, setting, before)
    return location, before, (setting.value,)


def _one_of_many(knob: Knob, setting: Setting, before: Values) -> Values:
    """The values with one more or one less; slapd numbers those whose order counts: {0}first."""
    texts = [_NUMBER.sub("", value) if knob.ordered else value for value in before or ()]
    if setting.operator == "-=" and setting.value not in texts:
        raise KnobError(
            Message("{knob} has no value '{value}'.", knob=knob.name, value=setting.value),
            safe=Message("Nothing was changed."),
            remedy=Message("It has: {values}.", values=describe_values(before)),
        )
    if setting.operator == "-=":
        texts.remove(setting.value)
    elif setting.value not in texts:
        texts.append(setting.value)
    numbered_texts = [f"{{{place}}}{text}" for place, text in enumerate(texts)]
    return tuple(numbered_texts if knob.ordered else texts) or None


def _check_index(
    target: Tunable, places: Places, location: KnobLocation, before: Values, asked: Values
) -> None:
    """Raises KnobError where an index cannot be watched, or one that clients use would be lost."""
    index = is_index(location.dn, location.attribute)
    if before == asked or not (index or builds_again(location)):
        return
    places.check_build(location)
    if not index:
        return
    gone = lost(location.attribute, before, asked)
    if gone and not target.profile.test_server:
        raise KnobError(
            Message("The index {index:list} would be removed.", index=tuple(gone)),
            safe=Message("Nothing was changed."),
            remedy=Message(
                "Searches of clients may need it: that is tried on a test server only. If this is "
                "one, add the profile again with --test-server."
            ),
        )


class _StoredBefore(TypedDict, total=False):
    origin: Origin
    stored: Values
    not_read: Message


def _stored_before(
    knob: Knob, location: KnobLocation, before: Values, names: StoredNames | None, version: str
) -> _StoredBefore:
    if names is None:
        return {}
    origin = origin_of(knob, location, before, names, version)
    if origin is Origin.STORED and location.dn and before is not None:
        return {"stored": names.otherwise(location, before)}
    return {"origin": origin, "not_read": names.why}


def _needs_restart(knob: Knob, setting: Setting, restart_list: set[str]) -> bool:
    """The server's own list is incomplete and partly wrong: it counts for unmeasured knobs only."""
    if knob.effect is Effect.OFFLINE:
        return True
    if knob.effect is Effect.RESTART:
        return setting.value not in knob.live_values
    return not knob.verified and knob.name.lower() in restart_list


def _awaiting_restart(target: Tunable) -> set[str]:
    """Attributes that 389 DS itself lists as taking effect after a restart, in lower case."""
    if product_of(target.facts) != "389ds":
        return set()
    entries = target.directory.search("cn=config", attributes=("nsslapd-requiresrestart",))
    listed = entries[0].values("nsslapd-requiresrestart") if entries else None
    return {text.rpartition(":")[2].lower() for text in listed or ()}


def _check_offered(places: Places, knob: Knob, location: KnobLocation, setting: Setting) -> None:
    offered = places.offered(location) if knob.on_host else ()
    if offered and setting.value not in offered:
        raise KnobError(
            Message(
                "The kernel does not offer '{setting}' for {knob} ({spot}).",
                setting=setting.value,
                knob=knob.name,
                spot=location.label,
            ),
            safe=Message("Nothing was changed."),
            remedy=Message("Choose one of {offered:list}.", offered=tuple(offered)),
        )


def _operator(
    target: Tunable,
    knob: Knob,
    location: KnobLocation,
    setting: Setting,
    before: Values,
    needs_restart: bool,
) -> Message:
    if knob.steps:
        return Message("This is not automated. {steps}", steps=numbered(knob.steps))
    if knob.not_absent and before is None:
        return Message(
            "This is not automated while {knob} is absent: {why}",
            knob=knob.name,
            why=knob.not_absent,
        )
    if knob.effect is Effect.OFFLINE:
        return Message(
            "This is not set while the server runs: stop it, set '{knob}: {value}' in the entry "
            "'{dn}' of its {file}, and start it. With your consent the workbench does so, and "
            "keeps a backup of the file.",
            knob=knob.name,
            value=setting.value,
            dn=location.dn,
            file="slapd.d" if product_of(target.facts) == "openldap" else "dse.ldif",
        )
    if needs_restart and not target.profile.restart_command:
        return Message("You must restart the server: the profile has no restart command.")
    return NOTHING


def _note(catalogue: Catalogue, setting: Setting, treatment: Treatment) -> Message:
    for other in treatment.settings:
        knob = catalogue.knob(other.knob)
        if knob.needs.get(setting.knob) == setting.value:
            return Message("Needed by {knob}, which the server refuses otherwise.", knob=knob.name)
    return NOTHING
