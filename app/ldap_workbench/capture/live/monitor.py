"""The cn=monitor family, sampled once a second; the entry that walks all connections, rarely."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ldap_workbench.capture.link import Either, Link
from ldap_workbench.capture.live.source import SampleGaps, why_of
from ldap_workbench.connect.directory import Directory, Entry
from ldap_workbench.model.errors import ConnectError, DirectoryError
from ldap_workbench.model.message import NOTHING, Message, sentences
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.window import Sample, Source, SourceState
from ldap_workbench.servers.replication import replication_numbers

if TYPE_CHECKING:
    from ldap_workbench.servers.monitor import MonitorEntry

_PASSING = (51, 52)
"""Busy, unavailable: what a server says that starts or stops."""
_NUMBERED = re.compile(r"dbfile(\w+)-(\d+)$")


def numbers(entry: Entry, time_ns: int) -> list[Sample]:
    """The numeric attributes of a monitor entry as samples 'dn:attribute', in lower case.

    389 DS numbers the files of a backend anew at each start (dbfilename-3), so counters of files
    are named by the file instead: 'dn:dbfilecachehit[userRoot/uid.db]'.
    """
    files = {
        match.group(2): values[0]
        for name, values in entry
        if (match := _NUMBERED.match(name.lower())) and match.group(1) == "name"
    }
    samples = []
    for name, values in entry:
        attribute = name.lower()
        if len(values) != 1 or not _is_number(values[0]):
            continue
        if (match := _NUMBERED.match(attribute)) and match.group(2) in files:
            attribute = f"dbfile{match.group(1)}[{files[match.group(2)]}]"
        samples.append(Sample(time_ns, f"{entry.dn.lower()}:{attribute}", float(values[0])))
    return samples


def sample_monitor(
    link: Link[Directory],
    entries: Sequence[MonitorEntry],
    source: Source,
    now_ns: Callable[[], int],
    on_samples: Callable[[list[Sample]], None],
    stop: Cancel,
    *,
    poll_s: float,
    rate: float = 1.0,
) -> Source:
    """Read the entries until stopped, on a fixed beat that a slow answer does not shift.

    An answer stands for the middle of its round trip. An entry the server does not have, or does
    not let us read, is left out and said in the details. After a cut it goes on over a new link;
    one that stays cut makes the source a failed one. Returns the finished source.
    """
    beats = polls = 0
    refused: dict[str, Message] = {}
    gaps = SampleGaps(link, poll_s * rate, now_ns(), counted=rate == 1.0)
    link.cancel = Either(link.cancel, stop)
    broken = NOTHING
    began = time.monotonic()
    try:
        while True:
            for entry in entries:
                every = max(1, round(entry.every / (poll_s * rate)))
                if polls % every or entry.dn in refused:
                    continue
                on_samples(_read(link, entry, now_ns, refused, gaps))
            polls += 1
            beats = max(beats + 1, int((time.monotonic() - began) / poll_s))
            if stop.wait(max(0.0, began + beats * poll_s - time.monotonic())):
                break
    except ConnectError as error:
        broken = why_of(error)
    gaps.ended(now_ns())
    state = SourceState.COMPLETE if len(refused) < len(entries) else SourceState.MISSING
    said = (Message("{dn}: {why}", dn=dn, why=why) for dn, why in refused.items())
    return gaps.with_gaps(
        replace(
            source,
            state=SourceState.FAILED if broken else state,
            samples=polls,
            why=sentences(broken, *said),
            details={
                "polls": polls,
                "missed_polls": max(0, beats - polls),
                "no_answer": [list(cut) for cut in gaps.cuts],
            },
        )
    )


def _read(
    link: Link[Directory],
    entry: MonitorEntry,
    now_ns: Callable[[], int],
    refused: dict[str, Message],
    gaps: SampleGaps,
) -> list[Sample]:
    before = 0

    def search() -> list[Entry]:
        nonlocal before
        directory = link.open()
        before = now_ns()
        return directory.search(
            entry.dn, scope=entry.scope, filter=entry.filter, attributes=entry.attributes
        )

    try:
        entries = link.again(search)
    except DirectoryError as error:
        if error.code in _PASSING:
            return []
        link.heard()
        refused[entry.dn] = error.what
        return []
    link.heard()
    middle = (before + now_ns()) // 2
    gaps.sampled(middle, before)
    if not entries:
        refused[entry.dn] = Message("It is not there, or not readable with this bind.")
        return []
    if entry.csns:
        return [
            Sample(middle, *csn)
            for answer in entries
            for csn in replication_numbers(entry.dn, answer)
        ]
    return [sample for answer in entries for sample in numbers(answer, middle)]


def _is_number(text: str) -> bool:
    # Long digit strings are stamps such as 20261121041546Z; those end in Z and fall out.
    return bool(re.fullmatch(r"-?\d+(\.\d+)?", text))
