"""An import tells what it has read so far, and cancelled it keeps that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.capture.importing.preview import QUANTILES, Preview, PreviewCounts
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.reading.files import PIECE
from ldap_workbench.model.operations import ALL, Operations
from ldap_workbench.model.progress import Cancel, Progress
from ldap_workbench.model.window import SourceState
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter

PAIR = (
    "[21/Nov/2026:02:{m:02d}:{s:02d}.000000000 +0000] conn={n} op=1 SRCH "
    'base="dc=a" scope=2 filter="(a=b)"\n'
    "[21/Nov/2026:02:{m:02d}:{s:02d}.000000000 +0000] conn={n} op=1 RESULT err=0 tag=101 "
    "nentries=1 etime={e:.9f}\n"
)


def log(count: int) -> bytes:
    rng = np.random.default_rng(389)
    etimes = rng.lognormal(-7, 1.5, count)
    return "".join(
        PAIR.format(m=n * 59 // count, s=n % 60, n=n, e=etimes[n]) for n in range(count)
    ).encode()


def operations(text: bytes) -> Operations:
    return Scanner("389").feed(text)


def test_quantiles_are_within_two_percent_of_the_exact_ones() -> None:
    found = operations(log(20_000))
    counts = PreviewCounts()
    for at in range(0, len(found), 3000):
        mask = np.zeros(len(found), np.bool_)
        mask[at : at + 3000] = True
        counts.add(found.take(mask))
    preview = counts.preview(10)
    tail = preview.tails[0]
    assert (tail.type, tail.n) == (ALL, 20_000)
    assert tail.max_ns == found.etime_ns.max()
    ordered = np.sort(found.etime_ns)
    for share, told in zip(QUANTILES.values(), tail.quantiles_ns, strict=True):
        exact = ordered[-int(-share * len(ordered) // 1) - 1]
        assert abs(told - exact) <= 0.016 * exact
    assert [each.type for each in preview.tails] == [ALL, "SRCH"]
    assert preview.peaks_ns.max() == tail.max_ns
    assert len(preview.times_ns) == 7


def test_peaks_and_longest_are_of_their_own_kind_and_nobody_elses() -> None:
    found = operations(log(6))
    internal = np.array([False, False, False, True, False, False])
    own = np.array([False, False, False, False, True, False])
    found = replace(
        found,
        etime_ns=np.array([5, 9, 7, 90, 900, 3], np.int64),
        kind=np.array([0, 0, 1, 1, 0, 2], np.uint8),
        internal=internal,
        own=own,
    )
    counts = PreviewCounts()
    counts.add(found)
    counts.add(found.take(np.zeros(6, np.bool_)))
    preview = counts.preview(10)
    longest = {tail.type: (tail.n, tail.max_ns, tail.sum_ns) for tail in preview.tails}
    assert longest == {
        ALL: (4, 9, 24),
        "SRCH": (2, 9, 14),
        "BIND": (1, 7, 7),
        "MOD": (1, 3, 3),
        "INTERNAL": (1, 90, 90),
    }
    assert preview.peaks_ns.tolist() == [9]
    assert preview.operations == 5


def test_a_long_timeline_is_thinned() -> None:
    found = operations(log(10))
    counts = PreviewCounts()
    for _ in range(5000):
        counts.add(found)
    preview = counts.preview(10)
    assert 100 < len(preview.times_ns) <= 400
    assert preview.operations == 50_000


def test_progress_tells_what_has_been_read(tmp_path: Path) -> None:
    (tmp_path / "access").write_bytes(log(1000))
    told: list[Progress] = []
    with SessionWriter.create(tmp_path / "s.ldapwb") as writer:
        import_logs([tmp_path / "access"], writer, progress=told.append)
    previews = [each.details["preview"] for each in told if "preview" in each.details]
    assert previews
    assert isinstance(previews[0], Preview)
    assert previews[0].operations == 1000
    (text,) = [str(each.text) for each in told if "preview" in each.details]
    assert text.startswith("Reading access, 1,000 operations, p99 ")
    assert text.endswith("/s")


def test_cancelled_it_keeps_what_it_has_read(tmp_path: Path) -> None:
    text = log(60_000)
    assert len(text) > PIECE * 1.2
    (tmp_path / "access").write_bytes(text)
    (tmp_path / "errors").write_text("[21/Nov/2026:02:20:00 +0000] - INFO - main - starting up\n")
    cancel = Cancel()

    def stop(progress: Progress) -> None:
        if "preview" in progress.details:
            cancel.set()

    with SessionWriter.create(tmp_path / "s.ldapwb") as writer:
        done = import_logs([tmp_path], writer, progress=stop, cancel=cancel)
    assert done.cancelled
    (source,) = done.sources
    assert source.state is SourceState.PARTIAL
    assert "cancelled" in str(source.why)
    with Session.open(tmp_path / "s.ldapwb") as session:
        (window,) = session.windows()
        assert window.cancelled
        assert 0 < len(session.operations(window)) < 60_000


@pytest.mark.parametrize("etime", [0, 1, 999, 10**18])
def test_every_etime_has_a_bucket(etime: int) -> None:
    found = operations(PAIR.format(m=1, s=1, n=1, e=etime / 1e9).encode())
    counts = PreviewCounts()
    counts.add(found)
    (tail, _) = counts.preview(1).tails
    assert tail.n == 1
    assert tail.max_ns == found.etime_ns[0]
    assert set(tail.quantiles_ns) == {min(tail.quantiles_ns)}
