"""A past window comes out of a large rotated set over a real sshd at a small part of its bytes.

The set has 200 MB; LDAP_WORKBENCH_FETCH_BYTES says another size, 2000000000 for that of
docs/benchmarks.md.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from ldap_workbench.capture.past import fetching
from ldap_workbench.capture.past.fetching import fetch
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.window import SourceState
from ldap_workbench.servers.target import connect
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter

S = 10**9
FILES = 8
MINUTES = 10
BYTES = int(os.environ.get("LDAP_WORKBENCH_FETCH_BYTES", 200_000_000))
RATE = BYTES // (FILES * MINUTES * 60 * 208)
"""Operations a second; one has 220 bytes or so."""


def minute_of():
    """A minute of lines with the minute left open: {minute} in bytes, RATE operations a second."""
    lines = []
    for number in range(60 * RATE):
        second, part = divmod(number, RATE)
        at = b"%02d.%09d" % (second, part * S // RATE)
        done = b"%02d.%09d" % (second, part * S // RATE + 1_000_000)
        words = b"conn=%d op=%d" % (number % 40 + 1, number)
        lines.append(
            b"[21/Nov/2025:MI:NU:" + at + b" +0000] " + words + b' SRCH base="dc=x" scope=2 '
            b'filter="(uid=xxxxxx)" attrs=ALL\n[21/Nov/2025:MI:NU:' + done + b" +0000] " + words +
            b" RESULT err=0 tag=101 nentries=1 wtime=0.000000001 optime=0.000999999 "
            b"etime=0.001000000\n"
        )  # fmt: skip
    return b"".join(lines)


@pytest.fixture
def rotated(lab):
    """80 minutes in 8 files, the third of them packed, beside the lab's own log."""
    folder = lab.folder / "old"
    folder.mkdir()
    template = minute_of()
    begin = datetime(2025, 11, 21, 10, 0, tzinfo=UTC)
    for file in range(FILES):
        first = begin + timedelta(minutes=file * MINUTES)
        name = "access" if file == FILES - 1 else f"access.{first:%Y%m%d-%H%M%S}"
        with (folder / name).open("wb") as out:
            for minute in range(MINUTES):
                now = first + timedelta(minutes=minute)
                out.write(template.replace(b":MI:NU:", f":{now:%H:%M}:".encode()))
        if file == 2:
            subprocess.run(["gzip", "-1", folder / name], check=True)
    for path in (folder, *folder.iterdir()):
        os.chmod(path, 0o700 if path is folder else 0o600)  # as 389 DS leaves its logs
    yield folder / "access", begin
    shutil.rmtree(folder)


@pytest.fixture
def fetched(lab, rotated, tmp_path):
    """Fetches so many seconds from a minute on: the source, how many operations, and how long."""
    path, begin = rotated

    def fetched(minute, seconds, progress=lambda _: None):
        start = int((begin + timedelta(minutes=minute, seconds=30)).timestamp()) * S
        target = connect(replace(lab.profile, access_log=str(path)), Secrets())
        try:
            with SessionWriter.create(tmp_path / "s.ldapwb", target.facts) as writer:
                began = time.monotonic()
                end = start + seconds * S
                window = fetch(target, writer, start, end, progress=progress)
                took = time.monotonic() - began
        finally:
            target.close()
        with Session.open(tmp_path / "s.ldapwb") as session:
            (source,) = session.sources(window.id)
            return source, len(session.operations(window)), took

    return fetched


@pytest.mark.clock("the text has to be there within 15 s")
@pytest.mark.parametrize("minute", [45, pytest.param(25, marks=pytest.mark.full)])
def test_a_minute_costs_a_few_bytes_of_a_rotated_set(fetched, minute):
    source, operations, took = fetched(minute, 60)
    details = source.details
    assert source.state is SourceState.COMPLETE, source.why
    assert operations == 60 * RATE
    assert source.lines.unknown == 0
    assert details["files"] == FILES
    assert details["bytes_of_the_set"] > 0.85 * BYTES
    share = details["bytes_on_the_wire"] / details["bytes_of_the_set"]
    assert share < 0.05
    assert took < 15 * max(1, BYTES / 200e6)
    print(
        f"{details['bytes_on_the_wire']:,} of {details['bytes_of_the_set']:,} bytes "
        f"({100 * share:.2f} %), {took:.1f} s"
    )


def test_a_slow_link_gets_packed_text(fetched, monkeypatch):
    monkeypatch.setattr(fetching, "SLOW_LINK", 1e15)
    source, operations, _ = fetched(42, 600)
    assert operations == 600 * RATE
    assert source.details["packed_with"] in ("zstd", "gzip")
    assert source.details["bytes_on_the_wire"] < source.details["bytes"] / 2


@pytest.mark.clock("the link has to drop while the text is on its way")
def test_a_link_that_drops_is_opened_again_and_no_line_is_lost(lab, fetched):
    dropped = []

    def drop(report):
        if str(report.text).startswith("Fetching") and report.fraction > 0.2 and not dropped:
            dropped.append(report.fraction)
            lab.sshd.drop_newest_link()

    source, operations, _ = fetched(42, 600, drop)
    assert dropped
    assert dropped[0] < 0.9, "it was dropped in the middle"
    assert source.details["reconnects"] == 1
    assert source.state is SourceState.COMPLETE, source.why
    assert operations == 600 * RATE
