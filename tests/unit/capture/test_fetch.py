"""A past window is found in rotated and packed logs, whole, at a small part of their bytes."""

import gzip
import subprocess
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from types import SimpleNamespace

import pytest

from ldap_workbench.capture.past import fetching
from ldap_workbench.capture.past.fetching import fetch
from ldap_workbench.capture.past.host_files import HostFiles
from ldap_workbench.connect.local import LocalShell
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.errors import ConnectError, LogError, UsageError
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.remarks import remarks
from ldap_workbench.model.window import SourceState
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter

S = 10**9
BEGIN = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
BEGIN_NS = int(BEGIN.timestamp()) * S
PER_SECOND = 40


@cache
def to_the_second(second):
    return f"{BEGIN + timedelta(seconds=second):%d/%b/%Y:%H:%M:%S}"


def stamp(ns):
    return f"[{to_the_second(ns // S)}.{ns % S:09d} +0000]"


def search(number, ns, etime_ns=1_000_000):
    """A request, its result, and the times of both lines."""
    words = f"conn={number % 7 + 1} op={number}"
    filter_ = "(uid=" + "x" * (number % 90) + ")"
    return [
        (ns, f'{stamp(ns)} {words} SRCH base="dc=x" scope=2 filter="{filter_}" attrs=ALL\n'),
        (
            ns + etime_ns,
            f"{stamp(ns + etime_ns)} {words} RESULT err=0 tag=101 nentries=1 "
            f"wtime=0.000000001 optime=0.000000002 etime={etime_ns // S}.{etime_ns % S:09d}\n",
        ),
    ]


packed = cache(partial(gzip.compress, compresslevel=1))


@cache
def lines(start_s, end_s, extra=()):
    step = S // PER_SECOND
    numbers = range(start_s * PER_SECOND, end_s * PER_SECOND)
    found = [line for n in numbers for line in search(n, n * step)] + list(extra)
    return "".join(text for _, text in sorted(found)).encode()


@pytest.fixture
def log(tmp_path):
    """20 minutes in four files, one of them packed, beside files that are none of the log's."""
    folder = tmp_path / "it's logs"
    folder.mkdir()
    parts = {
        "access.20261121-020000": lines(0, 300),
        "access.20261121-020500.gz": packed(lines(300, 600)),
        "access.20261121-021000": lines(600, 900),
        "access": lines(900, 1200),
        "access.rotationinfo": b"LOGINFO: ...\n",
        "access.bak": lines(0, 10),
        "access.20261121-021500": b"",
    }
    for name, data in parts.items():
        (folder / name).write_bytes(data)
    return folder / "access"


class BrokenShell(LocalShell):
    """Its link breaks as often as the test asks, after so many bytes of a stream."""

    def __init__(self, breaks, after):
        super().__init__()
        self.breaks = breaks
        self.after = after

    def stream(self, argv, on_bytes, *, cancel, sudo=False):
        if not self.breaks:
            return super().stream(argv, on_bytes, cancel=cancel, sudo=sudo)
        self.breaks.pop()
        done = subprocess.run(argv, capture_output=True, check=False)
        on_bytes(done.stdout[: self.after])
        raise ConnectError("The link broke.")


class Fetched(SimpleNamespace):
    def starts(self):
        return sorted(((self.operations.start_ns - BEGIN_NS) // (S // PER_SECOND)).tolist())


@pytest.fixture
def bring(log, tmp_path):
    count = iter(range(100))

    def bring(start_s, end_s, *, shell=LocalShell, now_s=5000, progress=None, **words):
        target = SimpleNamespace(
            profile=SimpleNamespace(access_log=str(log)),
            facts=SimpleNamespace(access_log=None),
            another_shell=shell,
            now_ns=lambda: BEGIN_NS + now_s * S,
        )
        path = tmp_path / f"{next(count)}.ldapwb"
        start, end = BEGIN_NS + round(start_s * S), BEGIN_NS + round(end_s * S)
        with SessionWriter.create(path) as writer:
            window = fetch(
                target, writer, start, end, progress=progress or (lambda _: None), **words
            )
        with Session.open(path) as session:
            (source,) = session.sources(window.id)
            operations = session.operations(window)
            raw = session.raw(source.id, 0, 1 << 40)
        return Fetched(window=window, source=source, operations=operations, raw=raw)

    return bring


AMIDST = [(100, 130), (650, 660), (895, 905)]
"""Windows within one file, or over two of them that are not packed; others below are such, too."""


def whole(start_s, end_s):
    return list(range(start_s * PER_SECOND, end_s * PER_SECOND))


@pytest.mark.parametrize(
    ("start_s", "end_s"),
    [
        (0, 3),
        (290, 310),
        (400, 420),
        (590, 610),
        (1190, 1200),
        *(pytest.param(*each, marks=pytest.mark.full) for each in AMIDST),
    ],
)
def test_every_operation_of_the_window_is_there(bring, start_s, end_s):
    found = bring(start_s, end_s)
    assert found.starts() == whole(start_s, end_s)
    assert found.source.state is SourceState.COMPLETE, found.source.why
    assert found.source.lines.unknown == 0
    assert found.raw.startswith(b"[21/Nov/2026:")
    assert found.raw.endswith(b"\n")
    assert found.source.details["files"] == 4


def test_a_window_over_several_files_is_one_stream(bring):
    found = bring(250, 950)
    assert found.starts() == whole(250, 950)
    assert found.source.details["orphan_results"] <= 1


def test_a_short_window_costs_a_small_part_of_the_bytes(bring):
    details = bring(100, 105).source.details
    assert details["bytes_of_the_set"] > 10_000_000
    assert details["bytes_on_the_wire"] < 0.05 * details["bytes_of_the_set"]


def test_what_the_log_was_read_as_is_said_and_may_be_overruled(bring):
    said = list(map(str, remarks(bring(100, 105).source)))
    assert said[0].startswith("Read as 389 Directory Server access log: ")
    assert said[0].endswith(" lines match it.")
    found = bring(100, 105, dialect="sun")
    assert found.source.dialect == "sun"
    first, *rest = map(str, remarks(found.source))
    assert first == "Read as Sun Directory Server / DSEE access log: you said so."
    assert "Its content looks like: 389 Directory Server access log." in rest
    for wrong in ("klingon", "iostat-linux"):
        with pytest.raises(UsageError, match="is not a dialect of logs"):
            bring(100, 105, dialect=wrong)


def test_results_that_come_late_are_read_up_to_a_minute_behind(bring, log):
    slow = search(999_999, 650 * S + 1, 40 * S)
    log.with_name("access.20261121-021000").write_bytes(lines(600, 900, tuple(slow)))
    found = bring(645, 655)
    assert int(found.operations.etime_ns.max()) == 40 * S
    assert found.source.state is SourceState.COMPLETE, found.source.why


def test_results_are_looked_for_in_the_next_file_and_missing_ones_said(bring, log):
    late = search(888_888, 890 * S + 1, 30 * S)
    never = search(777_777, 891 * S + 1)[:1]
    log.with_name("access.20261121-021000").write_bytes(lines(600, 900, (late[0], *never)))
    log.write_bytes(lines(900, 1200, (late[1],)))
    found = bring(885, 895)
    assert int(found.operations.etime_ns.max()) == 30 * S
    assert found.source.state is SourceState.PARTIAL
    assert "1 operation had no result up to 60 s" in str(found.source.why)


def test_what_is_not_there_is_said(bring, log):
    assert "may not have written" in str(bring(1190, 1200, now_s=1210).source.why)
    log.with_name("access.20261121-020000").unlink()
    found = bring(280, 310)
    assert "The oldest file left begins at 2026-11-21 02:05:00" in str(found.source.why)
    assert found.starts() == whole(300, 310)
    with pytest.raises(LogError, match="after the window"):
        bring(10, 20)


@pytest.mark.parametrize(("start_s", "end_s", "now_s"), [(20, 10, 5000), (10, 20, 15)])
def test_a_window_that_is_none_is_refused(bring, start_s, end_s, now_s):
    with pytest.raises(UsageError):
        bring(start_s, end_s, now_s=now_s)


@pytest.mark.parametrize("slow", [True, False])
def test_it_goes_on_at_the_byte_reached_after_a_dropped_link(bring, monkeypatch, slow):
    monkeypatch.setattr(fetching, "SLOW_LINK", 1e15 if slow else 0)
    breaks = [1, 1, 1]
    found = bring(100, 700, shell=lambda: BrokenShell(breaks, 300_000))
    assert found.starts() == whole(100, 700)
    assert found.source.state is SourceState.COMPLETE, found.source.why
    assert found.source.details["reconnects"] == 3
    assert bool(found.source.details["packed_with"]) is slow


def test_a_link_that_stays_broken_keeps_what_came(bring, monkeypatch):
    monkeypatch.setattr(fetching, "_PATIENCE_S", 1.0)
    shells = []

    def shell():
        shells.append(1)
        return BrokenShell([1], 300_000 if len(shells) == 1 else 0)

    found = bring(100, 290, shell=shell)
    assert found.source.state is SourceState.PARTIAL
    assert "The link broke" in str(found.source.why)
    assert 0 < len(found.operations) < 19_000


@pytest.mark.parametrize("packer", ["zstd", "gzip"])
def test_a_slow_link_gets_packed_text(bring, monkeypatch, packer):
    monkeypatch.setattr(fetching, "SLOW_LINK", 1e15)
    monkeypatch.setattr(fetching, "_MEASURE", 200_000)
    monkeypatch.setattr(HostFiles, "packer", lambda _: packer)
    found = bring(20, 280)
    assert found.starts() == whole(20, 280)
    details = found.source.details
    assert details["packed_with"] == packer
    assert details["bytes_on_the_wire"] < details["bytes"] / 2


def test_a_file_renamed_between_two_reads_is_found_by_its_inode(bring, log):
    moved = []

    class Rotating(LocalShell):
        def run(self, argv, **words):
            done: CommandResult = super().run(argv, **words)
            if not moved:
                moved.append(log.rename(f"{log}.20261121-022000"))
                log.write_bytes(lines(1200, 1201))
            return done

    found = bring(1000, 1010, shell=Rotating)
    assert moved
    assert found.starts() == whole(1000, 1010)


def test_cancel_keeps_what_came(bring):
    cancel = Cancel()

    def stop(report):
        if str(report.text).startswith("Fetching") and report.fraction > 0.3:
            cancel.set()

    found = bring(0, 290, cancel=cancel, progress=stop)
    assert found.window.cancelled
    assert found.source.state is SourceState.PARTIAL
    assert str(found.source.why) == "It was cancelled: what follows in the log is missing."
    assert 0 < len(found.operations) < 29_000


def test_a_line_longer_than_a_probe_does_not_stop_the_search(bring, log):
    long = (650 * S, f'{stamp(650 * S)} conn=1 op=5 ADD dn="{"y" * 60_000}"\n')
    log.with_name("access.20261121-021000").write_bytes(lines(600, 900, (long,) * 40))
    assert bring(700, 710).starts() == whole(700, 710)
    assert bring(640, 649).starts() == whole(640, 649)
