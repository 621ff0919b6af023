"""A past window comes out of a large rotated set over a real sshd at a small part of its bytes."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from ldap_workbench.capture import fetch
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.window import SourceState
from ldap_workbench.servers import connect
from ldap_workbench.session import Session, SessionWriter

S = 10**9
FILES = 8
MINUTES = 10
RATE = 200
BYTES = 200_000_000


def minute_of():
    """A minute of lines with the minute left open: {minute} in bytes, RATE operations a second."""
    lines = []
    pad = b"(description=" + b"x" * (BYTES // (FILES * MINUTES * 60 * RATE) - 290) + b")"
    for number in range(60 * RATE):
        second, part = divmod(number, RATE)
        at = b"%02d.%09d" % (second, part * S // RATE)
        done = b"%02d.%09d" % (second, part * S // RATE + 1_000_000)
        words = b"conn=%d op=%d" % (number % 40 + 1, number)
        lines.append(
            b"[21/Nov/2025:MI:NU:" + at + b" +0000] " + words + b' SRCH base="dc=x" scope=2 '
            b"filter=" + pad + b' attrs=ALL\n[21/Nov/2025:MI:NU:' + done + b" +0000] " + words +
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


@pytest.mark.parametrize("minute", [45, 25])
def test_a_minute_costs_a_few_bytes_of_a_rotated_set(lab, rotated, tmp_path, minute):
    path, begin = rotated
    start = int((begin + timedelta(minutes=minute, seconds=30)).timestamp()) * S
    target = connect(replace(lab.profile, access_log=str(path)), Secrets())
    try:
        with SessionWriter.create(tmp_path / "s.ldapwb", target.facts) as writer:
            began = time.monotonic()
            window = fetch(target, writer, start, start + 60 * S)
            took = time.monotonic() - began
    finally:
        target.close()
    with Session.open(tmp_path / "s.ldapwb") as session:
        (source,) = session.sources(window.id)
        operations = session.operations(window)
    details = source.details
    assert source.state is SourceState.COMPLETE, source.why
    assert len(operations) == 60 * RATE
    assert source.lines.unknown == 0
    assert details["files"] == FILES
    assert details["bytes_of_the_set"] > 0.85 * BYTES
    assert details["bytes_on_the_wire"] < 0.05 * details["bytes_of_the_set"]
    assert took < 15
    print(
        f"{details['bytes_on_the_wire']:,} of {details['bytes_of_the_set']:,} bytes, {took:.1f} s"
    )
