"""How values read in a table."""

from __future__ import annotations

from ldap_workbench.gui.models.table import DASH
from ldap_workbench.gui.style.language import reader
from ldap_workbench.gui.words import said
from ldap_workbench.model.units import format_latency


def duration(ns: int | None, resolution_ns: int = 1) -> str:
    """Like format_duration; below what the log can show, the range it may be in."""
    if ns is None:
        return DASH
    return format_latency(ns, resolution_ns)


def count(number: int) -> str:
    """A whole number with the thousands of the window's language."""
    return reader().format(number)


def values(of: tuple[str, ...] | None) -> str:
    """Attribute values; None is absent."""
    return said("absent") if of is None else ", ".join(of)
