"""The pool of workers as 389 DS 3.3 tells it: by each answer, and by its own file.

LDAP_WORKBENCH_LAB=389ds-3.3-lmdb tests/run tests/live/capture/test_worker_pool.py
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from ldap_workbench.advice.families.find import findings
from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.window import capture
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.experiment.settings import remember_settings
from ldap_workbench.model.window import SourceKind
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.ds389 import Lab
from tests.live.lab.host import chosen
from tests.live.lab.steps import configured, load

pytestmark = [
    pytest.mark.clock("the finding has to show up in seconds of real load"),
    pytest.mark.full,
    pytest.mark.skipif(
        not chosen("389ds").startswith("389ds-3.3"), reason="for 389 DS 3.3 and later"
    ),
]
WORKERS = 4
CONFIG = f"""\
nsslapd-accesslog-logbuffering: off
nsslapd-threadnumber: {WORKERS}
ds-fine-grain-operation-timing: wtime wqtime writetime optime etime
nsslapd-statlog-level: 3
"""
CLIENTS = 12
USERS = 200
"""A search without an index takes some milliseconds: workers are what they wait for."""


@pytest.fixture(scope="module", params=["default", "json"])
def pool_lab(request) -> Iterator[Lab]:
    with Lab(config=f"{CONFIG}nsslapd-accesslog-log-format: {request.param}\n").start(USERS) as lab:
        yield lab


@pytest.fixture
def pool_target(pool_lab, monkeypatch) -> Iterator[Target]:
    for name, value in pool_lab.environment.items():
        monkeypatch.setenv(name, value)
    target = connect(pool_lab.profile, Secrets())
    yield target
    target.close()


def window_of(target, path, *loads, seconds=12):
    """The findings of a window under these loads, by their ids."""
    with (
        SessionWriter.create(path, target.facts) as writer,
        closing(Journal(path.with_suffix(".journal"))) as journal,
        closing(Tuner(target, journal)) as tuner,
        ExitStack() as running,
    ):
        for lab, kind, threads in loads:
            running.enter_context(load(lab, kind, seconds + 20, threads))
        remember_settings(writer, tuner, capture(target, writer, CapturePlan(seconds)))
    with Session.open(path) as session:
        return {each.id: each for each in findings(session)}


def columns_of(path):
    with Session.open(path) as session:
        (window,) = session.windows()
        (log,) = (s for s in session.sources(window.id) if s.kind is SourceKind.ACCESS_LOG)
        return log.lines, session.operations(window)


def test_answers_tell_that_the_pool_is_full(pool_lab, pool_target, tmp_path):
    path = tmp_path / "s.ldapwb"
    found = window_of(pool_target, path, (pool_lab, "unindexed", CLIENTS))
    lines, operations = columns_of(path)
    assert lines.unknown == 0
    assert operations.wbusy.max() == WORKERS - 1, "the worker of an answer does not count itself"
    assert operations.wqdepth.max() >= 1
    assert operations.wqtime_ns.max() > 0
    assert "answers in the access log" in str(found["pool_full"].sentence)
    assert found["pool_full"].numbers["threads"] == WORKERS


def test_a_pool_at_rest(pool_lab, pool_target, tmp_path):
    found = window_of(pool_target, tmp_path / "s.ldapwb", (pool_lab, "unindexed", 1))
    assert "pool_full" not in found


def test_the_file_tells_it_where_answers_do_not(pool_lab, pool_target, tmp_path):
    """cn=monitor waits for a worker like everybody else; the file does not."""
    group = pool_lab.host.run("stat", "-c", "%G", pool_target.facts.thread_pool_file).stdout.strip()
    unread = why_of_host(pool_target, tmp_path / "1.ldapwb")
    assert "add it to the server's group" in unread
    added = pool_lab.host.run("usermod", "-a", "-G", group, pool_lab.profile.ssh.user)
    assert added.returncode == 0, added.stderr
    pool_target.reconnect()
    with configured(pool_target, nsslapd_statlog_level="0"):
        found = window_of(pool_target, tmp_path / "2.ldapwb", (pool_lab, "unindexed", CLIENTS))
    assert "readings of the thread-pool file" in str(found["pool_full"].sentence)
    assert found["pool_full"].numbers["threads"] == WORKERS
    assert "add it" not in why_of_host(pool_target, tmp_path / "3.ldapwb")


def why_of_host(target, path):
    """What a short window says that the host does not show."""
    window_of(target, path, seconds=2)
    with Session.open(path) as session:
        (window,) = session.windows()
        return str(next(s.why for s in session.sources(window.id) if s.kind is SourceKind.HOST))
