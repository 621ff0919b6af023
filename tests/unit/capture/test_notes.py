"""What was assumed or found in files beside an access log is said beside their numbers."""

import pytest

from ldap_workbench.capture.host_link import HostLink
from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.capture.live.accesslog import follow_raw
from ldap_workbench.capture.live.follow import LogFollower
from ldap_workbench.connect.local import LocalShell
from ldap_workbench.logs.reading.reports import Clock
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.remarks import remarks
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState
from ldap_workbench.session.writer import SessionWriter

START = 1795227500 * NS_PER_S


@pytest.fixture
def said(tmp_path):
    """The remarks about the only source that a text makes."""

    def said(text, **options):
        path = tmp_path / "file"
        path.write_text(text)
        session = tmp_path / f"{len(list(tmp_path.iterdir()))}.ldapwb"
        with SessionWriter.create(session) as writer:
            (source,) = import_logs([path], writer, **options).sources
        return " ".join(map(str, remarks(source)))

    return said


SOLARIS = """                  extended device statistics
device       r/i    w/i   kr/i   kw/i wait actv  svc_t  %w  %b
md10      60.0 120.0 0.0 0.0  0.0  0.0   30.0   1   2
"""


def test_an_interval_that_was_assumed(said):
    clock = Clock(start_ns=START, interval_ns=10 * NS_PER_S)
    assert "how long 2 of them lasted: assumed to be 10 s" in said(SOLARIS * 3, clock=clock)


ERRORS = """[21/Nov/2026:02:20:00.1 +0000] - WARN - bdb_start - Detected Disorderly Shutdown last \
time Directory Server was running, recovering database.
[21/Nov/2026:02:20:00.2 +0000] - NOTICE - bdb_start_autotune - found 16k physical memory
[21/Nov/2026:02:20:00.2 +0000] - NOTICE - bdb_start_autotune - cache autosizing: db cache: 5k
[21/Nov/2026:02:20:01.0 +0000] - INFO - main - 389-Directory/2.3.1 B2023.1.2 starting up
[21/Nov/2026:02:20:05.0 +0000] - ERR - bdb_checkpoint_threadmain - Serious Error---Failed to \
checkpoint database, err=28
[21/Nov/2026:02:20:09.0 +0000] - INFO - main - slapd stopped.
[21/Nov/2026:02:21:01.0 +0000] - 389-Directory/1.2.11 B2023.1.2 starting up
[21/Nov/2026:02:21:02.0 +0000] - ERR - log_result - Internal unindexed search
"""


def test_what_an_error_log_tells_is_counted_by_kind(said):
    assert (
        "It reports 1 recovery after a crash, 2 starts of the server, 1 orderly stop, "
        "2 lines about automatic cache sizes, 1 line about checkpoints." in said(ERRORS)
    )
    assert "It reports" not in said(ERRORS.splitlines()[-1] + "\n")


def test_a_captured_error_log_is_counted_alike(tmp_path):
    log = tmp_path / "errors"
    log.write_text("before\n")
    follower = LogFollower(HostLink(LocalShell, Cancel(), 0.0), str(log))
    follower.start()
    log.write_text("before\n" + ERRORS)
    stop = Cancel()
    stop.set()  # it looks once more then
    source = Source(1, 1, SourceKind.ERROR_LOG, "errors", SourceState.MISSING)
    with SessionWriter.create(tmp_path / "s.ldapwb") as writer:
        done = follow_raw(follower, writer, source, stop)
    assert done.details["notices"]["start"] == 2
    assert "2 starts of the server" in " ".join(map(str, remarks(done)))
    assert done.lines.understood == 8


DUMP = """2026-11-21T02:20:{:02d}Z
Thread 2 (Thread 0x7f (LWP 11) "ns-slapd"):
#0  0x00007f6d14081332 in {} () from /lib64/libc.so.6
Thread 3 (Thread 0x7f (LWP 12) "ns-slapd"):
#0  0x00007f6d14081332 in {} () from /lib64/libc.so.6
"""


def test_where_threads_stayed_longest_is_said(said):
    calls = [("fsync", "read"), ("fsync", "read"), ("fsync", "write"), ("a", "write"), ("a", "b")]
    calls += [("c", "b"), ("d", "b"), ("d", "e")]
    text = said("".join(DUMP.format(3 * i, *both) for i, both in enumerate(calls)))
    assert "Thread 11 was in fsync over 3 dumps, 6.0 s." in text
    assert "Thread 12 was in b over 3 dumps, 6.0 s." in text
    assert text.count("was in") == 3
    untimed = "\n".join(
        line for i, both in enumerate(calls) for line in DUMP.format(i, *both).splitlines()[1:]
    )
    assert "Thread 11 was in fsync over 3 dumps." in said(untimed + "\n")
