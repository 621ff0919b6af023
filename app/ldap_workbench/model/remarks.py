"""What must be said beside the numbers of a source, so that nobody takes them for more.

Why lines of a source were skipped, as a person reads it. Readers count lines by reason, and a
session keeps the reason as it is named here; a part of a reason stands behind ': '.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ldap_workbench.model.message import NOTHING, Message, count_of, from_json, verbatim
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, Window


def remarks(source: Source) -> list[Message]:
    """What it was read as and why, then what is amiss."""
    messages = [_read_as(source.details)]
    if source.kind is SourceKind.ACCESS_LOG:
        messages += _log_remarks(source.details)
    messages += [from_json(note) for note in source.details.get("notes", [])]
    if source.kind is SourceKind.ACCESS_LOG and source.samples:
        messages.append(_latency_remark(source))
    messages += [_describe_stay(stay) for stay in source.details.get("held", [])[:_HELD]]
    messages += _link_remarks(source.details)
    if source.lines.reasons:
        skipped = tuple(
            Message("{reason} {n}", reason=skipped_as(reason), n=n)
            for reason, n in source.lines.reasons.items()
        )
        messages.append(Message("Skipped: {reasons}.", reasons=skipped))
    messages.append(source.why)
    return [message for message in messages if message]


def _read_as(details: dict[str, Any]) -> Message:
    """What an operator, or its text, says the source is; nothing where it could be nothing else."""
    title, reason = from_json(details.get("title")), details.get("reason")
    if isinstance(reason, str):  # of a session written before messages
        reason = f"{reason[:1].lower()}{reason[1:]}"
    why = from_json(reason)
    return Message("Read as {title}: {why}", title=title, why=why) if title and why else NOTHING


HOST_SHARE = "host_processor_share"
"""Of the details of a source: seconds of one processor of the host a second."""
_HELD = 3
"""The longest calls that threads stayed in: so many are named."""
_WHOLE_SECONDS = Message("3 stands for anything between 2 and 4 s, 0 for anything below 1 s")


def _latency_remark(source: Source) -> Message:
    """How finely the latencies are known, where that may be coarser than it looks."""
    coarse = source.resolution_ns >= NS_PER_S
    if n := int(source.details.get("latencies_between_lines") or 0):
        step = Message("{step:duration}", step=source.resolution_ns)
        if coarse:
            step = Message("{step:duration} ({meaning})", step=NS_PER_S, meaning=_WHOLE_SECONDS)
        if n >= source.samples > 1:
            return Message(
                "No latency is printed: each is the time from the line of the request to that of "
                "the result, in steps of {step}.",
                step=step,
            )
        return count_of(
            "{n} latency is not printed: it is the time from the line of the request to that of "
            "the result, in steps of {step}.",
            "{n} latencies are not printed: each is the time from the line of the request to that "
            "of the result, in steps of {step}.",
            n=n,
            step=step,
        )
    if coarse:
        return Message(
            "Latencies are printed in whole seconds of the clock: {meaning}.",
            meaning=_WHOLE_SECONDS,
        )
    if source.resolution_ns > 10**3:
        return Message("Latencies are printed in milliseconds: each is a range of that width.")
    return NOTHING


def _describe_stay(stay: dict[str, Any]) -> Message:
    """Say that a thread stayed in one call from one dump of stacks to the next."""
    thread, call, dumps = stay["thread"], stay["call"], stay["dumps"]
    if stay.get("seconds") is None:
        return Message(
            "Thread {thread} was in {call} over {dumps} dumps.",
            thread=str(thread),
            call=call,
            dumps=dumps,
        )
    return Message(
        "Thread {thread} was in {call} over {dumps} dumps, {seconds:.1f} s.",
        thread=str(thread),
        call=call,
        dumps=dumps,
        seconds=stay["seconds"],
    )


def _link_remarks(details: dict[str, Any]) -> list[Message]:
    """How often the link was cut, and what the source cost the host."""
    messages = []
    if cuts := int(details.get("cuts") or 0):
        messages.append(
            count_of(
                "Its link was cut once, for {seconds:.1f} s in all.",
                "Its link was cut {n} times, for {seconds:.1f} s in all.",
                n=cuts,
                seconds=float(details.get("cut_s") or 0),
            )
        )
    if (share := details.get(HOST_SHARE)) is not None:
        percent = 100 * float(share)
        messages.append(
            Message("Reading it cost the host {percent:.2f} % of one processor.", percent=percent)
        )
    return messages


def capture_cost(window: Window, sources: Sequence[Source]) -> Message:
    """What a live capture cost host and server; NOTHING where nothing was measured."""
    shares = {
        s.kind.value: float(s.details[HOST_SHARE]) for s in sources if HOST_SHARE in s.details
    }
    if not shares:
        return NOTHING
    costs = tuple(
        Message("{source} {percent:.2f} %", source=SourceKind(kind).label, percent=100 * share)
        for kind, share in shares.items()
    )
    total = 100 * sum(shares.values())
    work_ns = sum(int(source.details.get("own_work_ns") or 0) for source in sources)
    if not work_ns or window.seconds <= 0:
        return Message(
            "The capture cost the host {percent:.2f} % of one processor ({each}).",
            percent=total,
            each=costs,
        )
    return Message(
        "The capture cost the host {percent:.2f} % of one processor ({each}), and its own searches "
        "the server {own:.2f} % of a thread.",
        percent=total,
        each=costs,
        own=work_ns / window.seconds / 1e7,
    )


def _log_remarks(details: dict[str, Any]) -> list[Message]:
    open_operations = _count(details, "open_operations")
    orphans = _count(details, "orphan_results")
    restarts = _count(details, "restarts")
    back = _count(details, "clock_steps_back")
    messages = [
        count_of("{n} request has no result.", "{n} requests have no result.", n=open_operations),
        count_of("{n} result has no request.", "{n} results have no request.", n=orphans),
        count_of(
            "{n} start of the server is in the log.",
            "{n} starts of the server are in the log.",
            n=restarts,
        ),
        count_of("The clock went back once.", "The clock went back {n} times.", n=back),
    ]
    messages = [message for message in messages if message.parameters["n"]]
    if (least := details.get("censored_below_ns")) is not None:
        messages.append(
            Message(
                "Only slow operations seem to be in this log (none under {least:duration}): its "
                "percentiles say nothing about all operations.",
                least=int(least),
            )
        )
    return messages


def _count(details: dict[str, Any], name: str) -> int:
    return int(details.get(name) or 0)


OTHER_HOST = Message("line of another host")
WRAPPER = Message("line of the wrapper")
REPEATED = Message("line that the previous file already holds")
NO_REQUEST = Message("kind of a result without a request")
_NAMED = (
    *(OTHER_HOST, WRAPPER, REPEATED, NO_REQUEST),
    Message("header"),
    Message("blank line"),
    Message("error log line"),
    Message("cut line"),
    Message("NUL bytes"),
    Message("overlong line"),
    Message("result without etime"),
    Message("garbage etime"),
    Message("garbage wtime"),
    Message("garbage optime"),
    Message("request seen twice"),
    Message("two records joined"),
    Message("line without a time"),
    Message("message of the server"),
    Message("repeated by syslog"),
    Message("request forgotten, as too many have no result"),
    Message("connection forgotten, as too many never close"),
    Message("report since boot"),
    Message("report cut off"),
    Message("report that cannot be placed in time"),
    Message("pause without a time of day"),
    Message("text between histograms"),
    Message("group of disks"),
    Message("notice of a device"),
    Message("counted already"),
    Message("comment"),
    Message("value behind a URL"),
    Message("remark of the debugger"),
    Message("key that is not a DN"),
    Message("list that the access log shows better"),
    Message("average of all rows"),
    Message("server start"),
    Message("row without a date"),
    Message("package of something else"),
    Message("file of something else"),
    Message("more samples than are kept"),
    Message("value that is no number"),
    Message("statistics that are not used"),
)
_WORDS = {str(message): message for message in _NAMED}


def skipped_as(reason: str) -> Message:
    """A reason as a message; one of another version as it is."""
    first, colon, second = reason.partition(": ")
    if not colon:
        return _WORDS.get(reason) or verbatim(reason)
    return Message("{reason}: {why}", reason=skipped_as(first), why=skipped_as(second))
