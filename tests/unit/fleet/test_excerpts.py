"""One hour of a server from its host: those lines and no others, within bounds, as a session."""

from __future__ import annotations

import gzip
import json
import lzma
import threading
from pathlib import Path

import pytest
import tomli_w
import zstandard
from typer.testing import CliRunner

from ldap_workbench.cli.fleet import commands
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.fleet import excerpts, remote
from ldap_workbench.fleet.answers import Talker, local_worker
from ldap_workbench.fleet.excerpts import Hour, Received, pieces
from ldap_workbench.fleet.hosts import read_hosts
from ldap_workbench.fleet.remote import fetch_hour
from ldap_workbench.logs.reading.archives import Opened
from ldap_workbench.model.errors import CancelledError, LogError, UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel, no_progress
from ldap_workbench.session.reader import Session
from tests.fleets import LOG

HOUR_NS = 3600 * 10**9
MIDNIGHT = 20_778 * 24 * HOUR_NS
"""21 November 2026, UTC."""
HOURS = {n: LOG.replace(b"[21/Nov/2026:02", b"[21/Nov/2026:%02d" % n) for n in range(2, 7)}
PACKERS = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


def hour_of(n: int, server: str = "ldap1") -> Hour:
    return Hour(server, MIDNIGHT + n * HOUR_NS, MIDNIGHT + (n + 1) * HOUR_NS)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs"


def received(tmp_path: Path, logs: Path, hour: Hour, name: str = "ldap1") -> bytes:
    folder = tmp_path / "received"
    folder.mkdir()
    into = Received(folder, no_progress)
    taken = [into.take(body) for body in pieces(name, hour, Opened([logs]))]
    assert taken == [True] * (len(taken) - 1) + [False]
    return b"".join(path.read_bytes() for path in into.paths)


@pytest.mark.parametrize("ending", PACKERS)
def test_only_the_lines_of_the_hour_leave(tmp_path, logs, monkeypatch, ending):
    monkeypatch.setattr(excerpts, "BLOCK", 4000)
    first, second = (b"".join(HOURS[n] for n in hours) for hours in ((2, 3), (4, 5, 6)))
    (logs / f"access.20261121-020000{ending}").write_bytes(PACKERS[ending](first))
    (logs / "access").write_bytes(second)

    text = received(tmp_path, logs, hour_of(5))

    # The block in which the hour begins, and a minute for late results behind it.
    assert 0 < text.index(HOURS[5]) <= 4000
    assert b"2026:06:00" in text
    assert b"2026:06:02" not in text


def test_an_hour_that_lies_in_two_files(tmp_path, logs):
    cut = HOURS[4].index(b"\n", len(HOURS[4]) // 2) + 1
    (logs / "access.1").write_bytes(HOURS[3] + HOURS[4][:cut])
    (logs / "access").write_bytes(HOURS[4][cut:])
    assert HOURS[4] in received(tmp_path, logs, hour_of(4))


def test_the_log_of_one_of_several_instances(tmp_path, logs):
    for n, name in ((3, "slapd-a"), (4, "slapd-b")):
        (logs / name).mkdir()
        (logs / name / "access").write_bytes(HOURS[n] + HOURS[5])
    text = received(tmp_path, logs, hour_of(5, "ldap1 (slapd-b)"))
    assert b"2026:04" in text
    assert b"2026:03" not in text


def test_an_hour_that_is_no_longer_there_is_said(tmp_path, logs):
    (logs / "access").write_bytes(HOURS[5])
    with pytest.raises(LogError, match="holds nothing of this hour"):
        received(tmp_path, logs, hour_of(2))


def piece(text: bytes, **about: object) -> bytes:
    head = {"file": 0, "share": 0.5} | about
    return json.dumps(head).encode() + b"\n" + zstandard.ZstdCompressor().compress(text)


UNSIZED = zstandard.ZstdCompressor(write_content_size=False)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]\n",
        b"[" * 100_000 + b"\n",
        b"{}\n",
        piece(b"x", file=-1),
        piece(b"x", file=1000),
        piece(b"x", file="../x"),
        piece(b"x", share="none"),
        piece(b""),
        piece(b"x")[:-4],
        piece(bytes((64 << 20) + 1)),
        b'{"file": 0, "share": 0}\n' + UNSIZED.compress(b"x"),
    ],
)
def test_what_no_host_of_ours_sends_is_refused(tmp_path, body):
    with pytest.raises(LogError, match="damaged"):
        Received(tmp_path, no_progress).take(body)
    assert list(tmp_path.iterdir()) == []


def test_an_hour_has_an_end(tmp_path, monkeypatch):
    monkeypatch.setattr(excerpts, "LARGEST", 10)
    into = Received(tmp_path, no_progress)
    into.take(piece(b"123456789\n"))
    with pytest.raises(LogError, match="more than 10 B"):
        into.take(piece(b"x"))


@pytest.fixture
def hosts(tmp_path, logs, monkeypatch) -> Path:
    """A host whose worker runs on this machine."""
    (logs / "access").write_bytes(HOURS[4] + HOURS[5])
    monkeypatch.setattr(remote, "start", lambda *_: local_worker())
    path = tmp_path / "hosts.toml"
    path.write_text(tomli_w.dumps({"hosts": {"ldap1": {"user": "x", "logs": [str(logs)]}}}))
    return path


def test_the_command_makes_a_session_of_the_hour(tmp_path, logs, hosts):
    fleet = str(tmp_path / "fleet")
    words = ["import", f"ldap1={logs}", "-o", fleet, "--workers", "1", "--counts-only"]
    assert CliRunner().invoke(commands, words).exit_code == 0
    made = []
    for more in ([], ["--hosts", str(hosts), "--yes"]):
        path = tmp_path / f"{len(more)}.ldapwb"
        words = ["session", fleet, "ldap1", "--hour", "2026-11-21T05", "-o", str(path), *more]
        done = CliRunner().invoke(commands, words)
        assert done.exit_code == 0, done.output
        with Session.open(path) as session:
            [window] = session.windows()
            assert (window.start_ns, window.end_ns) == (hour_of(5).start_ns, hour_of(5).end_ns)
            found = session.operations(window)
            made.append((found.end_ns.tolist(), found.etime_ns.tolist(), found.conn.tolist()))
    assert made[0] == made[1]
    assert len(made[0][0]) > 100

    for server, hour, why in (
        ("ldap9", "2026-11-21T05", "has no server"),
        ("ldap1", "5", "not an hour"),
    ):
        words = ["session", fleet, server, "--hour", hour, "-o", str(tmp_path / "x.ldapwb")]
        refused = CliRunner().invoke(commands, words)
        assert isinstance(refused.exception, UsageError)
        assert why in str(refused.exception)


def test_a_host_that_fails_is_named_and_nothing_is_left(tmp_path, hosts):
    folder = tmp_path / "received"
    folder.mkdir()
    with pytest.raises(LogError, match="holds nothing of this hour"):
        fetch_hour(read_hosts(hosts), hour_of(2), folder, Secrets())
    with pytest.raises(UsageError, match="not in the file of hosts"):
        fetch_hour(read_hosts(hosts), hour_of(2, "ldap2"), folder, Secrets())


def test_cancel_ends_what_a_host_sends(tmp_path, hosts, monkeypatch):
    cancel, began = Cancel(), threading.Event()

    class Endless:
        """Sends one piece after the other."""

        def __init__(self) -> None:
            self.ended = threading.Event()

        def answers(self, _: bytes):
            while not self.ended.wait(0.01):
                began.set()
                yield piece(b"[21/Nov/2026 ...\n")
            raise LogError(Message("The worker ended."))

        def close(self) -> None:
            self.ended.set()

    worker = Endless()
    monkeypatch.setattr(remote, "start", lambda *_: worker)
    thread = threading.Thread(target=lambda: began.wait() and cancel.set())
    thread.start()
    folder = tmp_path / "received"
    folder.mkdir()
    with pytest.raises(CancelledError):
        fetch_hour(read_hosts(hosts), hour_of(5), folder, Secrets(), cancel=cancel)
    thread.join()
    assert worker.ended.is_set()


def test_pieces_come_one_by_one_over_the_wire(hosts):
    worker = local_worker()
    assert isinstance(worker, Talker)
    [host] = read_hosts(hosts)
    bodies = worker.answers(remote.excerpt_request("ldap1", hour_of(5), host.logs))
    assert b'"file"' in next(bodies)
    assert b'"end"' in next(bodies)
    worker.close()
