"""How values read in a table."""

from __future__ import annotations

from ldap_workbench.gui.models.table import DASH
from ldap_workbench.model.units import NS_PER_S, format_duration


def duration(ns: int | None, resolution_ns: int = 1) -> str:
    """Like format_duration; below what the log can show, the range it may be in."""
    if ns is None:
        return DASH
    if resolution_ns <= 1 or ns >= 100 * resolution_ns:
        return format_duration(ns)
    unit, size = ("s", NS_PER_S) if resolution_ns >= NS_PER_S else ("ms", 1_000_000)
    return f"{ns // size} to {(ns + resolution_ns) // size} {unit}"


def count(number: int) -> str:
    """Thousands set apart."""
    return f"{number:,}".replace(",", "\u202f")


def values(of: tuple[str, ...] | None) -> str:
    """Attribute values; None is absent."""
    return "absent" if of is None else ", ".join(of)
