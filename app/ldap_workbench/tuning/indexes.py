"""The indexes of a server: one name for those of all products, and the build that one needs.

An index is written in the configuration and then built by the server: 389 DS builds it in a task
that is started through cn=tasks, slapd by itself in the background. Until it is built it serves
nobody, so a change of an index is made when its build has ended, and while one runs none is undone.
"""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Protocol

from ldap_workbench.connect.directory import Directory, Entry
from ldap_workbench.model.change import WHOLE_ENTRY
from ldap_workbench.model.errors import ChangeError, KnobError
from ldap_workbench.model.message import NOTHING, Message, verbatim
from ldap_workbench.model.progress import Cancel, OnProgress, Progress
from ldap_workbench.tuning.tunable import Tunable

Values = tuple[str, ...] | None

TYPES = "nsIndexType"
_LINES = "olcDbIndex"
_OF_389 = re.compile(
    r"cn=(?P<attribute>[^,]+),cn=index,cn=(?P<backend>[^,]+),cn=ldbm database,cn=plugins,cn=config",
    re.IGNORECASE,
)
_TASKS = "cn=index,cn=tasks,cn=config"
_TASK_LASTS_S = "120"
"""How long 389 DS keeps the entry of a task that has ended, s: nobody may delete it."""
_TASK_LIST = "cn=Tasklist,cn=Threads,cn=Monitor"
_BUILDING = "online_index("
"""How slapd calls its task: mdb_online_index(dc=example,dc=com)."""
_FIRST_LOOK_S, _LONGEST_PAUSE_S = 0.1, 2.0


class Place(Protocol):
    """An attribute of an entry, or the entry itself."""

    @property
    def dn(self) -> str: ...

    @property
    def attribute(self) -> str: ...


def is_index(dn: str, attribute: str) -> bool:
    """Whether a place of the configuration says how attributes are indexed."""
    if attribute.lower() == _LINES.lower():
        return True
    return attribute in (WHOLE_ENTRY, TYPES) and _OF_389.fullmatch(dn) is not None


def back_end_of(place: Place) -> str:
    """The entry of the database, or above all its indexes, that the place of an index is in."""
    dn = place.dn if place.attribute.lower() == _LINES.lower() else place.dn.partition(",")[2]
    return dn.lower()


def suffix_of(target: Tunable, dn: str) -> str:
    """The suffix of the back end of an index, or of a database; '' where it is not known."""
    match = _OF_389.fullmatch(dn)
    backend = match["backend"] if match else dn.partition(",")[0].partition("=")[2]
    suffixes = [known.suffix for known in target.facts.backends if known.name == backend]
    return suffixes[0] if suffixes else ""


def types_at(attribute: str, values: Values, indexed: str) -> tuple[str, ...] | None:
    """The types of index that an attribute of people's entries has, None where it has none.

    `values` are those of nsIndexType, of olcDbIndex or of the whole entry of an index.
    """
    if attribute == WHOLE_ENTRY:
        values = _type_values(values or ())
    elif attribute.lower() == _LINES.lower():
        line = _line_of(values, indexed)
        return None if line is None else _split(names_and_types(line)[1]) or ("default",)
    return None if not values else _split(",".join(values))


def describe_index(knob: str, attribute: str, values: Values) -> Message:
    """The values of a place for a sentence: of index.mail its types, else all that is there."""
    indexed = knob.partition(".")[2]
    if indexed or attribute == WHOLE_ENTRY:
        values = types_at(attribute, values, indexed)
    return verbatim(", ".join(values)) if values else Message("absent")


def names_and_types(line: str) -> tuple[tuple[str, ...], str]:
    """A value of olcDbIndex: 'cn,uid eq,sub' -> (('cn', 'uid'), 'eq,sub')."""
    names, _, types = re.sub(r"^\{\d+\}", "", line).strip().partition(" ")
    return tuple(filter(None, names.split(","))), types.strip()


def lost(attribute: str, before: Values, after: Values) -> list[str]:
    """The indexes that are there before and not after, as 'mail eq'."""
    return sorted(_every(attribute, before) - _every(attribute, after))


def must_build(place: Place, before: Values, after: Values) -> bool:
    """Whether there is something to build that was not there before."""
    return is_index(place.dn, place.attribute) and bool(lost(place.attribute, after, before))


def change_389(entry: Values, attribute: str, types: Sequence[str]) -> Values:
    """The lines of the entry of an index with these types; no types remove it.

    `entry` are the lines that are there, None where there is no such entry.
    """
    if not types:
        return None
    if entry is None:
        lines = (f"cn: {attribute}", "nsSystemIndex: false", "objectClass: top",
                 "objectClass: nsIndex", *(f"{TYPES}: {name}" for name in types))  # fmt: skip
        return in_order(lines)
    merged = _merged(_type_values(entry), types)
    return in_order((*_others(entry), *(f"{TYPES}: {name}" for name in merged)))


def types_that_stay(before: Values, after: Values) -> Values:
    """The values of nsIndexType where nothing else of an entry changes and none is new; else None.

    A new type must not be added to an entry: until its build has begun 389 DS takes it for built,
    and finds nothing by it. An entry that was added serves nobody until then (tried on 2.3.1).
    """
    if not before or not after or _others(before) != _others(after):
        return None
    there, stay = _type_values(before), _type_values(after)
    return stay if set(stay) < set(there) else None


def change_openldap(lines: Values, attribute: str, types: Sequence[str]) -> Values:
    """The values of olcDbIndex with these types for an attribute, and all others as they are."""
    there = _line_of(lines, attribute)
    if there is None:
        return (*(lines or ()), f"{attribute} {','.join(types)}") if types else lines
    names, words = names_and_types(there)
    if sorted(_split(words)) == sorted(types):
        return lines
    others = [name for name in names if name.lower() != attribute.lower()]
    new = [f"{','.join(others)} {words}".strip()] if others else []
    new += [f"{attribute} {','.join(types)}"] if types else []
    return (*(line for line in lines or () if line != there), *new) or None


def is_system(entry: Values) -> bool:
    """Whether the server needs the index of these lines for itself."""
    return any(line.lower() == "nssystemindex: true" for line in entry or ())


def lines_of(entry: Entry) -> tuple[str, ...]:
    """An entry as lines, in an order that does not depend on the server."""
    return in_order(f"{name}: {value}" for name, values in entry for value in values)


def in_order(lines: Sequence[str] | Iterator[str]) -> tuple[str, ...]:
    """Lines by the names of their attributes; the values of one stay in their order."""
    return tuple(sorted(lines, key=lambda line: line.partition(":")[0].lower()))


def attributes_of(lines: Sequence[str]) -> dict[str, list[str]]:
    """The attributes of an entry that `lines_of` has written down."""
    attributes: dict[str, list[str]] = {}
    for line in lines:
        name, _, value = line.partition(": ")
        attributes.setdefault(name, []).append(value)
    return attributes


def reindex(dn: str, name: str) -> tuple[str, dict[str, str | list[str]]]:
    """The task by which 389 DS builds the index of an entry: its DN and attributes."""
    match = _OF_389.fullmatch(dn)
    if match is None:
        raise ValueError(dn)
    task: dict[str, str | list[str]] = {
        "objectClass": ["top", "extensibleObject"],
        "cn": name,
        "nsInstance": match["backend"],
        "nsIndexAttribute": match["attribute"],
        "ttl": _TASK_LASTS_S,
    }
    return f"cn={name},{_TASKS}", task


def indexed_attributes(directory: Directory, dn: str) -> list[str]:
    """The attributes that have an index in a back end.

    `dn` is that of the entry of an index with {attribute}, or of a database of slapd.
    """
    if "{attribute}" in dn:
        above = dn.partition(",")[2]
        entries = directory.search(above, scope="one", attributes=("cn", TYPES))
        return sorted(entry.first("cn") or "" for entry in entries if entry.values(TYPES))
    lines = [entry.values(_LINES) or () for entry in directory.search(dn, attributes=(_LINES,))]
    names = (name for of_one in lines for line in of_one for name in names_and_types(line)[0])
    return [name for name in names if name.lower() != "default"]


class Builds:
    """The builds of a server's indexes: started, waited for. Used from the target's thread."""

    def __init__(self, target: Tunable) -> None:
        self._target = target

    def check_visible(self, attribute: str) -> None:
        """Raises KnobError where nobody could see when slapd has built an index."""
        if attribute.lower() == _LINES.lower() and self._slapd_tasks() is None:
            raise KnobError(
                Message("When slapd has built an index is seen in {dn} alone.", dn=_TASK_LIST),
                safe=Message("Nothing was changed."),
                remedy=Message("Load back-monitor, and let this bind user read cn=Monitor."),
            )

    def wait(self, place: Place, progress: OnProgress, cancel: Cancel) -> None:
        """Wait until no build of the index at a place runs."""
        if place.attribute.lower() == _LINES.lower():
            suffix = suffix_of(self._target, place.dn)
            self._until(lambda: not self._slapd_builds(suffix), NOTHING, progress, cancel)
        elif match := _OF_389.fullmatch(place.dn):
            for dn in self._running(match["backend"], match["attribute"]):
                self._until(partial(self._has_ended, dn), NOTHING, progress, cancel)

    def build(self, place: Place, progress: OnProgress, cancel: Cancel) -> Message:
        """Build the index at a place; says how its end was seen. Raises ChangeError."""
        begun = time.monotonic()
        if place.attribute.lower() == _LINES.lower():
            self.wait(place, progress, cancel)
            return Message(
                "Index built in {seconds:.1f} s: its task is no longer in {dn}.",
                seconds=time.monotonic() - begun,
                dn=_TASK_LIST,
            )
        dn, task = reindex(place.dn, f"ldap-workbench-{uuid.uuid4().hex[:12]}")
        attribute = str(task["nsIndexAttribute"])
        self._target.directory.add(dn, task)
        text = Message("Building the index of {attribute}", attribute=attribute)
        ended, share = partial(self._has_ended, dn), partial(self._share, dn)
        self._until(ended, text, progress, cancel, share)
        code, said = self._result(dn)
        if code != "0":
            raise ChangeError(
                Message(
                    "The server did not build the index of {attribute}: its task ended with "
                    "'{code}'. It said: {said}",
                    attribute=attribute,
                    code=code or "",
                    said=said,
                ),
                safe=NOTHING,  # what became of it is said by who takes it back
                remedy=Message("Read the server's error log for the cause."),
            )
        return Message(
            "Index built in {seconds:.1f} s: the server's task ended with exit code 0.",
            seconds=time.monotonic() - begun,
        )

    def _until(
        self,
        ended: Callable[[], bool],
        text: Message,
        progress: OnProgress,
        cancel: Cancel,
        share: Callable[[], float | None] = lambda: None,
    ) -> None:
        pause = _FIRST_LOOK_S
        while not ended():
            cancel.check()
            progress(Progress(text or Message("Waiting for the build of an index"), share()))
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)
        cancel.check()

    def _has_ended(self, dn: str) -> bool:
        return self._result(dn)[0] is not None

    def _result(self, dn: str) -> tuple[str | None, str]:
        """The exit code of a task of 389 DS, None while it runs, and the last it said.

        '' where there is no such task: a restart ends them and takes their entries.
        """
        entries = self._target.directory.search(dn, attributes=("nsTaskExitCode", "nsTaskStatus"))
        if not entries:
            return "", ""
        return entries[0].first("nsTaskExitCode"), entries[0].first("nsTaskStatus") or ""

    def _share(self, dn: str) -> float | None:
        names = ("nsTaskCurrentItem", "nsTaskTotalItems")
        entries = self._target.directory.search(dn, attributes=names)
        done, total = (int(entries[0].first(name) or 0) if entries else 0 for name in names)
        return min(done / total, 1.0) if done and total else None

    def _running(self, backend: str, attribute: str) -> list[str]:
        names = ("nsInstance", "nsIndexAttribute", "nsTaskExitCode")
        entries = self._target.directory.search(_TASKS, scope="one", attributes=names)
        return [
            entry.dn
            for entry in entries
            if entry.values("nsTaskExitCode") is None
            and (entry.first("nsInstance") or "").lower() == backend.lower()
            and attribute.lower()
            in {name.partition(":")[0].lower() for name in entry.values("nsIndexAttribute") or ()}
        ]

    def _slapd_tasks(self) -> tuple[str, ...] | None:
        entries = self._target.directory.search(_TASK_LIST, attributes=("monitoredInfo",))
        return (entries[0].values("monitoredInfo") or ()) if entries else None

    def _slapd_builds(self, suffix: str) -> bool:
        tasks = self._slapd_tasks() or ()
        return any(f"{_BUILDING}{suffix}".lower() in task.lower() for task in tasks)


def _every(attribute: str, values: Values) -> set[str]:
    """Each index that the values of a place make: 'mail eq'."""
    if attribute.lower() != _LINES.lower():
        return set(types_at(attribute, values, "") or ())
    pairs = (names_and_types(line) for line in values or ())
    return {
        f"{name} {kind}".lower()
        for names, types in pairs
        for name in names
        for kind in _split(types) or ("default",)
    }


def _is_type(line: str) -> bool:
    return line.lower().startswith(f"{TYPES.lower()}: ")


def _type_values(entry: Sequence[str]) -> tuple[str, ...]:
    return tuple(line[len(TYPES) + 2 :] for line in entry if _is_type(line))


def _others(entry: Sequence[str]) -> tuple[str, ...]:
    return tuple(line for line in entry if not _is_type(line))


def _line_of(lines: Values, attribute: str) -> str | None:
    for line in lines or ():
        if attribute.lower() in (name.lower() for name in names_and_types(line)[0]):
            return line
    return None


def _split(types: str) -> tuple[str, ...]:
    return tuple(filter(None, re.split(r"[,\s]+", types.strip())))


def _merged(before: tuple[str, ...], types: Sequence[str]) -> tuple[str, ...]:
    """Types in the order they have, new ones at the end; as it is where it has them all."""
    there = _split(",".join(before))
    if {name.lower() for name in there} == {name.lower() for name in types}:
        return before
    stay = [value for value in before if value.lower() in types]
    return (*stay, *(name for name in types if name not in {value.lower() for value in stay}))
