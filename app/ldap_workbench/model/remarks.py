"""What must be said beside the numbers of a source, so that nobody takes them for more."""

from __future__ import annotations

from typing import Any

from ldap_workbench.model.units import format_duration
from ldap_workbench.model.window import Source, SourceKind


def remarks(source: Source) -> list[str]:
    """Sentences, empty where nothing is amiss."""
    said = [*_log_remarks(source.details)] if source.kind is SourceKind.ACCESS_LOG else []
    said += source.details.get("notes", [])
    if source.kind is SourceKind.ACCESS_LOG and source.resolution_ns > 1000 and source.samples:
        step = {10**9: "whole seconds", 10**6: "milliseconds"}
        shown = step.get(source.resolution_ns, format_duration(source.resolution_ns))
        said.append(f"Latencies are printed in {shown}: each number is a range of that width.")
    if source.lines.reasons:
        why = ", ".join(f"{reason} {count:,}" for reason, count in source.lines.reasons.items())
        said.append(f"Set aside: {why}.")
    if source.why:
        said.append(source.why)
    return said


def _log_remarks(details: dict[str, Any]) -> list[str]:
    wording = {
        "open_operations": ("request has no result", "requests have no result"),
        "orphan_results": ("result has no request", "results have no request"),
        "restarts": ("start of the server is in the log", "starts of the server are in the log"),
        "clock_steps_back": ("time the clock went back", "times the clock went back"),
    }
    said = []
    for key, (one, several) in wording.items():
        if count := int(details.get(key) or 0):
            said.append(f"{count:,} {one if count == 1 else several}.")
    if (least := details.get("censored_below_ns")) is not None:
        said.append(
            f"Only slow operations seem to be in this log (none under {format_duration(least)}): "
            "its percentiles say nothing about all operations."
        )
    return said
