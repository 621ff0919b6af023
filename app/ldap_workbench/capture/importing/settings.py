"""The knobs of the catalogue in a configuration as LDIF: dse.ldif, or what slapcat -n0 prints.

Older servers keep them in other entries and under other names: those of resources/knobs/*-former
are read as today's, after the places of today.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any

from ldap_workbench.logs.server.ldif import Entry
from ldap_workbench.resources import resource

_NO_BACKEND = {"config", "monitor", "{-1}frontend", "{0}config"}
_FORMER = {"389ds": "knobs/389ds-former.toml"}
"""Products whose older servers had other places."""
PROPERTY = re.compile(r"([a-z][a-z0-9]*(?:-[a-z0-9]+)+)\s+:\s+(\S.*)")
_WITH_UNIT = re.compile(r"(\d+)([KMGsmhd])(?!\S)")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "s": 1, "m": 60, "h": 3600, "d": 86400}
BETWEEN = "; "
"""Stands between the values of what has several."""


@dataclass(frozen=True)
class Place:
    """Where a setting may stand: an attribute of entries with such a DN.

    `first` is not None for attributes with a number behind their name, from that number on.
    """

    setting: str
    attribute: str
    dn: re.Pattern[str]
    several: bool = False
    first: int | None = None


def settings_in(dump: Sequence[Entry]) -> dict[str, str]:
    """Setting -> value of what the entries say, the first back end's where there are several.

    Values of one attribute stand one after the other, as four lines of olcDbIndex.
    Settings are names of knobs, and what resources/knobs/*-former keeps besides.
    """
    entries = [(entry, entry.dn.lower().replace(", ", ",")) for entry in dump]
    settings: dict[str, str] = {}
    for place in places(_product(dump)):
        if place.setting in settings:
            continue
        in_entries = [_values(place, entry) for entry, dn in entries if _is_at(place, dn)]
        in_entries = [values for values in in_entries if values]
        if in_entries:
            values = list(chain(*in_entries)) if place.several else in_entries[0]
            settings[place.setting] = BETWEEN.join(dict.fromkeys(values))
    return settings


def properties_in(text: str) -> dict[str, str]:
    """Setting -> value of what dsconf of Sun DS 6 and 7 prints, values in plain units."""
    names: Mapping[str, str] = _read(_FORMER["389ds"])["properties"]
    properties: dict[str, list[str]] = {}
    for line in text.splitlines():
        match = PROPERTY.match(line)
        if match is not None and match[1] in names and match[2].strip() != "undefined":
            properties.setdefault(names[match[1]], []).append(_plain(match[2].strip()))
    return {setting: BETWEEN.join(dict.fromkeys(values)) for setting, values in properties.items()}


def _plain(value: str) -> str:
    """512M in bytes, 2m in seconds; words and numbers as they are."""
    match = _WITH_UNIT.match(value)
    return str(int(match[1]) * _UNITS[match[2]]) if match else value


def _is_at(place: Place, dn: str) -> bool:
    match = place.dn.fullmatch(dn)
    return match is not None and not _NO_BACKEND.intersection(match.groups())


def _values(place: Place, entry: Entry) -> list[str]:
    if place.first is None:
        values = entry.attributes.get(place.attribute.lower(), ())
        return [value.decode("utf-8", "replace") for value in values]
    numbered = {
        int(name[len(place.attribute) :]): values
        for name, values in entry.attributes.items()
        if re.fullmatch(re.escape(place.attribute.lower()) + r"\d{1,4}", name)
    }
    wanted = [numbered[n] for n in sorted(numbered) if n >= place.first]
    return [value.decode("utf-8", "replace") for values in wanted for value in values]


def _product(dump: Sequence[Entry]) -> str:
    """Which catalogue: classes and names of entries are each product's own."""
    if any("ds-cfg-root-config" in _classes(entry) for entry in dump):
        return "opendj"
    olc = any(entry.dn.lower().startswith("olc") for entry in dump)
    return "openldap" if olc or any("olcglobal" in _classes(entry) for entry in dump) else "389ds"


def _classes(entry: Entry) -> set[str]:
    values = entry.attributes.get("objectclass", ())
    return {value.decode("utf-8", "replace").lower() for value in values}


@cache
def places(product: str) -> tuple[Place, ...]:
    """Every place of every setting in an entry: today's first, then those of older servers."""
    catalogue = _read(f"knobs/{product}.toml")
    entries: Mapping[str, str] = catalogue["entries"]
    knobs = [knob for knob in catalogue["knob"] if knob.get("entry")]
    now = [
        Place(k["name"], k.get("attribute", k["name"]), _pattern(entries[k["entry"]]))
        for k in knobs
    ]
    former = _read(_FORMER[product]) if product in _FORMER else {}
    return (*now, *_former(knobs, entries, former), *_other_settings(entries, former))


def _former(
    knobs: Sequence[Mapping[str, Any]], entries: Mapping[str, str], former: Mapping[str, Any]
) -> Iterator[Place]:
    """Other entries, other attributes, and both, of knobs."""
    for knob in knobs:
        name, entry = knob["name"], knob["entry"]
        attributes = [knob.get("attribute", name), *former.get("attributes", {}).get(name, ())]
        for dn in (entries[entry], *former.get("entries", {}).get(entry, ())):
            yield from (Place(name, attribute, _pattern(dn)) for attribute in attributes)


def _other_settings(entries: Mapping[str, str], former: Mapping[str, Any]) -> Iterator[Place]:
    for setting, where in former.get("kept", {}).items():
        dn = _pattern(entries[where["entry"]])
        *plain, last = where["attributes"]
        for attribute in plain:
            yield Place(setting, attribute, dn, several=True)
        yield Place(setting, last, dn, several=True, first=where.get("from"))


def _read(path: str) -> dict[str, Any]:
    return tomllib.loads(resource(path).read_text(encoding="utf-8"))


def _pattern(dn: str) -> re.Pattern[str]:
    """The DNs that an entry of a catalogue stands for; {backend} is one name in it."""
    return re.compile(re.escape(dn.lower()).replace(re.escape("{backend}"), "([^,]+)"))
