"""What all knobs say now, each entry of the server asked once, and the host once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress

from ldap_workbench.connect.directory import Entry
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.knob import Knob, KnobReading, ValueKind
from ldap_workbench.model.message import Message
from ldap_workbench.model.passwords import without_passwords
from ldap_workbench.servers.ds389 import CONFIG
from ldap_workbench.servers.product import in_place
from ldap_workbench.tuning.catalogue import Catalogue
from ldap_workbench.tuning.entries import is_back_end
from ldap_workbench.tuning.host_values import KernelTexts
from ldap_workbench.tuning.indexes import indexed_attributes, is_index, types_at
from ldap_workbench.tuning.java_args import option_in
from ldap_workbench.tuning.place import KnobLocation, Places
from ldap_workbench.tuning.proof import effective
from ldap_workbench.tuning.tunable import Tunable
from ldap_workbench.tuning.unit_file import PROCESS, process_limit
from ldap_workbench.tuning.vlv import lists_of, read_list

_TOGETHER = 3
"""From so many entries below another on they are read in one search."""


def read_knob(target: Tunable, places: Places, knob: Knob, place: str) -> KnobReading:
    """What one knob says now; why not in `unknown`."""
    return Readings(target, places).of([(knob, place)])[0]


def read_knobs(target: Tunable, places: Places, catalogue: Catalogue) -> list[KnobReading]:
    """What every knob says now, knobs of a backend once per backend. Some dozen searches in all.

    Knobs of what is not set up here (replication, an overlay) are left out.
    """
    readings = Readings(target, places).of(list(_everywhere(catalogue, target)))
    return [reading for reading in readings if not (reading.knob.optional and reading.unknown)]


def _everywhere(catalogue: Catalogue, target: Tunable) -> Iterator[tuple[Knob, str]]:
    for knob in catalogue.knobs:
        if knob.kind is ValueKind.INDEX:
            for backend in target.facts.backends:
                names = indexed_attributes(target.directory, in_place(knob.dn, backend.name))
                yield from ((knob.about_attribute(name), backend.name) for name in names)
        elif knob.kind is ValueKind.SORTED_LIST:
            for backend in target.facts.backends:
                above = in_place(knob.dn.partition(",")[2], backend.name)
                names = lists_of(target.directory, above)
                yield from ((knob.about_attribute(name), backend.name) for name in names)
        elif knob.of_backend:
            yield from ((knob, backend.name) for backend in target.facts.backends)
        elif "{device}" in knob.path:
            yield knob, target.facts.device or ""
        else:
            yield knob, ""


class Readings:
    """Readings of several knobs at one moment."""

    def __init__(self, target: Tunable, places: Places) -> None:
        self._target = target
        self._places = places
        self._wanted: dict[str, set[str]] = defaultdict(set)
        self._entries: dict[str, Entry | WorkbenchError | None] = {}
        self._texts: KernelTexts = {}

    def of(self, knobs: list[tuple[Knob, str]]) -> list[KnobReading]:
        locations = [self._locate(knob, place) for knob, place in knobs]
        for location, (knob, place) in zip(locations, knobs, strict=True):
            if isinstance(location, KnobLocation) and location.dn:
                self._wanted[location.dn].add(location.attribute)
                self._wanted[in_place(knob.proof.dn, place)].add(knob.proof.attribute)
                if knob.proof.plus:
                    self._wanted[CONFIG].add(knob.proof.plus)
        known = [location for location in locations if isinstance(location, KnobLocation)]
        self._read_together(known)
        self._texts = self._places.kernel_texts(known)
        pairs = zip(knobs, locations, strict=True)
        return [self._reading(knob, place, location) for (knob, place), location in pairs]

    def _read_together(self, locations: list[KnobLocation]) -> None:
        """Entries below one another in one search: a back end has an entry for each of its indexes.

        What it does not return is looked for by its own name.
        """
        below = defaultdict[str, set[str]](set)
        for location in locations:
            if is_index(location.dn, location.attribute):
                below[location.dn.partition(",")[2]].add(location.dn)
        for parent, dns in below.items():
            if len(dns) < _TOGETHER:
                continue
            attributes = sorted(set().union(*(self._wanted[dn] for dn in dns)))
            with suppress(WorkbenchError):  # then each says for itself why it cannot be read
                entries = self._target.directory.search(parent, scope="one", attributes=attributes)
                read = {entry.dn.lower(): entry for entry in entries}
                self._entries |= {dn: read[dn.lower()] for dn in dns if dn.lower() in read}

    def _locate(self, knob: Knob, place: str) -> KnobLocation | WorkbenchError:
        try:
            return self._places.locate(knob, place)
        except WorkbenchError as error:
            return error

    def _reading(
        self, knob: Knob, place: str, location: KnobLocation | WorkbenchError
    ) -> KnobReading:
        try:
            if isinstance(location, WorkbenchError):
                raise location
            value = self._value(knob, location)
            if knob.proof.kind == "sysfs":
                return KnobReading(knob, place, value, effective=value)
            return KnobReading(knob, place, value, effective(knob, place, self._evidence))
        except WorkbenchError as error:
            return KnobReading(knob, place, None, unknown=error.what)

    def _value(self, knob: Knob, location: KnobLocation) -> str | None:
        if not location.dn or knob.java_options:
            values = option_in(knob, self._places.read(location, self._texts))
        elif knob.kind is ValueKind.SORTED_LIST:
            return read_list(self._target.directory, location.dn)
        else:
            entry = self._entry(location.dn)
            if knob.kind is ValueKind.INDEX:
                there = entry.values(location.attribute) if entry else None
                types = types_at(location.attribute, there, knob.of_attribute)
                return ",".join(types) if types else None
            if entry is None and is_back_end(location.dn):
                return None
            if entry is None:
                raise WorkbenchError(
                    Message(
                        "The server has no entry {dn}, or this bind user may not read it.",
                        dn=location.dn,
                    ),
                    remedy=Message("Bind as a user who may read cn=config."),
                )
            values = entry.values(location.attribute)
        return without_passwords(", ".join(values)) if values else None

    def _evidence(self, dn: str, attribute: str) -> tuple[str, ...] | None:
        if dn == PROCESS:
            return process_limit(self._target, attribute)
        entry = self._entry(dn)
        return entry.values(attribute) if entry else None

    def _entry(self, dn: str) -> Entry | None:
        if dn not in self._entries:
            self._entries[dn] = self._search(dn)
        entry = self._entries[dn]
        if isinstance(entry, WorkbenchError):
            raise entry
        return entry

    def _search(self, dn: str) -> Entry | WorkbenchError | None:
        try:
            entries = self._target.directory.search(dn, attributes=sorted(self._wanted[dn]))
        except WorkbenchError as error:
            return error
        return entries[0] if entries else None
