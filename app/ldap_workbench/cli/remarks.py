"""What must be said beside the numbers of a source, for machines."""

from __future__ import annotations

from typing import Any

from ldap_workbench.model.remarks import remarks
from ldap_workbench.model.window import Source

__all__ = ["as_json", "remarks"]


def as_json(source: Source) -> dict[str, Any]:
    """The remarks, and the numbers they are of."""
    keys = (
        "open_operations",
        "orphan_results",
        "lost_lines",
        "lost_requests",
        "lost_operations",
        "lost_connections",
        "restarts",
        "clock_steps_back",
        "latencies_between_lines",
    )
    return {
        **{key: int(source.details.get(key) or 0) for key in keys},
        "censored_below_ns": source.details.get("censored_below_ns"),
        "resolution_ns": source.resolution_ns,
        "lines": {
            "understood": source.lines.understood,
            "set_aside": source.lines.set_aside,
            "unknown": source.lines.unknown,
            "reasons": source.lines.reasons,
        },
        "remarks": remarks(source),
    }
