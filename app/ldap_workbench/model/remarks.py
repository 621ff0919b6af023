"""What must be said beside the numbers of a source, so that nobody takes them for more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ldap_workbench.model.units import NS_PER_S, format_duration
from ldap_workbench.model.window import Source, SourceKind, Window


def remarks(source: Source) -> list[str]:
    """Sentences: what it was read as and why, then what is amiss."""
    said = [sentence] if (sentence := _read_as(source.details)) else []
    said += _log_remarks(source.details) if source.kind is SourceKind.ACCESS_LOG else []
    said += source.details.get("notes", [])
    if source.kind is SourceKind.ACCESS_LOG and source.samples:
        said += _latency_remarks(source)
    said += _held_remarks(source.details)
    said += _link_remarks(source.details)
    if source.lines.reasons:
        why = ", ".join(f"{reason} {count:,}" for reason, count in source.lines.reasons.items())
        said.append(f"Set aside: {why}.")
    if source.why:
        said.append(source.why)
    return said


def _read_as(details: dict[str, Any]) -> str:
    """What somebody, or its text, says the source is; empty where it could be nothing else."""
    title, reason = str(details.get("title") or ""), str(details.get("reason") or "")
    return f"Read as {title}: {reason[:1].lower()}{reason[1:]}" if title and reason else ""


HOST_SHARE = "host_processor_share"
"""Of the details of a source: seconds of one processor of the host a second."""
_HELD = 3
"""Calls that threads stayed in are told up to so many, the longest."""
_SECONDS = "3 stands for anything between 2 and 4 s, 0 for anything below 1 s"
_STEPS = {NS_PER_S: "a second", 10**6: "a millisecond", 10**3: "a microsecond", 1: "a nanosecond"}


def _latency_remarks(source: Source) -> list[str]:
    """How finely the latencies are known, where that may be coarser than it looks."""
    coarse = source.resolution_ns >= NS_PER_S
    if count := int(source.details.get("latencies_between_lines") or 0):
        known = _STEPS.get(source.resolution_ns, format_duration(source.resolution_ns))
        one = "1 latency is not printed: it is" if count == 1 else ""
        whole = "No latency is printed: each is" if count >= source.samples else ""
        several = f"{count:,} latencies are not printed: each is"
        return [
            f"{whole or one or several} the time from the line of the request to that of the "
            f"result, in steps of {known}{f' ({_SECONDS})' if coarse else ''}."
        ]
    if coarse:
        return [f"Latencies are printed in whole seconds of the clock: {_SECONDS}."]
    if source.resolution_ns > 10**3:
        return ["Latencies are printed in milliseconds: each number is a range of that width."]
    return []


def _held_remarks(details: dict[str, Any]) -> list[str]:
    """Where threads stayed longest from one dump of stacks to the next."""
    return [
        f"Thread {held['thread']} was in {held['call']} over {held['dumps']} dumps"
        + (f", {held['seconds']:.1f} s." if held.get("seconds") is not None else ".")
        for held in details.get("held", [])[:_HELD]
    ]


def _link_remarks(details: dict[str, Any]) -> list[str]:
    """How often the link was cut, and what the source cost the host."""
    said = []
    cuts, seconds = int(details.get("cuts") or 0), float(details.get("cut_s") or 0)
    if cuts == 1:
        said.append(f"Its link was cut once, for {seconds:.1f} s in all.")
    elif cuts:
        said.append(f"Its link was cut {cuts:,} times, for {seconds:.1f} s in all.")
    if (share := details.get(HOST_SHARE)) is not None:
        said.append(f"Reading it cost the host {100 * float(share):.2f} % of one processor.")
    return said


def capture_cost(window: Window, sources: Sequence[Source]) -> str:
    """What a live capture cost host and server, in a sentence; '' where nothing was measured."""
    shares = {s.kind.value: s.details[HOST_SHARE] for s in sources if HOST_SHARE in s.details}
    if not shares:
        return ""
    each = ", ".join(f"{name} {100 * share:.2f} %" for name, share in shares.items())
    said = f"The capture cost the host {100 * sum(shares.values()):.2f} % of one processor ({each})"
    work_ns = sum(int(source.details.get("own_work_ns") or 0) for source in sources)
    if work_ns and window.seconds > 0:
        said += (
            f", and its own searches the server {work_ns / window.seconds / 1e7:.2f} % of a thread"
        )
    return f"{said}."


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
