"""The knobs of the catalogue in a configuration as LDIF: dse.ldif, or what slapcat -n0 prints."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache

from ldap_workbench.logs.ldif import Entry
from ldap_workbench.resources import resource

_NO_BACKEND = {"config", "monitor", "{-1}frontend", "{0}config"}


def settings_in(dump: Sequence[Entry]) -> dict[str, str]:
    """Knob name -> value of what the entries say, the first back end's where there are several."""
    found: dict[str, str] = {}
    knobs = _knobs(_product(dump))
    for entry in dump:
        dn = entry.dn.lower().replace(", ", ",")
        for name, attribute, place in knobs:
            match = place.fullmatch(dn)
            if match is None or _NO_BACKEND.intersection(match.groups()):
                continue
            value = entry.text(attribute)
            if value is not None:
                found.setdefault(name, value)
    return found


def _product(dump: Sequence[Entry]) -> str:
    """Which catalogue: only OpenLDAP calls its databases olcDatabase."""
    olc = any(entry.dn.lower().startswith("olcdatabase=") for entry in dump)
    return "openldap" if olc or any("olcglobal" in _classes(entry) for entry in dump) else "389ds"


def _classes(entry: Entry) -> set[str]:
    values = entry.attributes.get("objectclass", ())
    return {value.decode("utf-8", "replace").lower() for value in values}


@cache
def _knobs(product: str) -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    """(knob, attribute, DNs it may be at) of every knob in an entry."""
    text = resource(f"knobs/{product}.toml").read_text(encoding="utf-8")
    catalogue = tomllib.loads(text)
    entries: Mapping[str, str] = catalogue["entries"]
    return tuple(
        (knob["name"], knob.get("attribute", knob["name"]), _place(entries[knob["entry"]]))
        for knob in catalogue["knob"]
        if knob.get("entry")
    )


def _place(dn: str) -> re.Pattern[str]:
    """The DNs that an entry of a catalogue stands for; {backend} is one name in it."""
    return re.compile(re.escape(dn.lower()).replace(re.escape("{backend}"), "([^,]+)"))
