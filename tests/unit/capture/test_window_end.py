"""What began in a window is in it, however its end and the log's lines fall."""

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, partial
from types import SimpleNamespace

import pytest

from ldap_workbench.capture.link import Either
from ldap_workbench.capture.live import window as window_module
from ldap_workbench.capture.live.accesslog import AccessLogCapture
from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.window import capture
from ldap_workbench.capture.past.host_scripts import MOVED
from ldap_workbench.connect.local import LocalShell
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.model.errors import ChangedHostKeyError, ConnectError, SessionError
from ldap_workbench.model.message import Message, from_json
from ldap_workbench.model.operations import client_operations
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import STRANGER, Source, SourceKind, SourceState
from ldap_workbench.servers.target import ServerClock, same_clock
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.unit.capture.log_host import Kept

MS = 1_000_000
EVERY, QUEUED, TAKES = 10 * MS, 150 * MS, 200 * MS
ERROR = 150 * MS
"""So far the laptop's idea of the server's time is ahead of it."""


@cache
def to_the_second(second):
    return datetime.fromtimestamp(second, UTC).strftime("%d/%b/%Y:%H:%M:%S")


def line(time_ns, text):
    stamp = to_the_second(time_ns // NS_PER_S)
    return time_ns, f"[{stamp}.{time_ns % NS_PER_S:09d} +0000] {text}\n"


def request(time_ns, conn, op, base="dc=x"):
    return line(time_ns, f'conn={conn} op={op} SRCH base="{base}" scope=2 filter="(a=b)" attrs=ALL')


def result(time_ns, conn, op, etime_ns):
    etime = f"{etime_ns // NS_PER_S}.{etime_ns % NS_PER_S:09d}"
    return line(time_ns, f"conn={conn} op={op} RESULT err=0 tag=101 nentries=1 etime={etime}")


class BusyServer:
    """Its searches wait in a queue before their first line; every tenth takes an hour.

    Lines get into its log when it is searched, all that are due by then: as a buffer is written.
    """

    def __init__(self, log, clock):
        self._log, self._clock = log, clock
        self.began_ns = self._written_ns = self.now_ns()
        self.asked = []
        log.write_text("".join(text for _, text in (request(self.began_ns, 4, 1),) * 3))

    def now_ns(self):
        return self._clock.now_ns() - ERROR

    def search(self, base):
        if base == "cn=config":
            return []  # asked before anything is followed
        now = self.now_ns()
        self.asked.append((base, now))
        due = [each for each in self._lines(now) if self._written_ns <= each[0] < now]
        own = [request(now, 9, len(self.asked), base), result(now, 9, len(self.asked), 1000)]
        self._written_ns = now
        with self._log.open("a") as file:
            file.write("".join(map(self.written, sorted(due) + own)))
            if base.endswith("-end"):
                file.write(request(now, 5, 1)[1][:40])  # a write that is under way
        return []

    def written(self, timed):
        """A line as it stands in the log, of (time, line)."""
        return timed[1]

    def started(self, until_ns):
        """(operation, time) of all that began before."""
        return list(enumerate(range(self.began_ns, until_ns, EVERY)))

    def takes_an_hour(self, op):
        return op % 10 == 0

    def _lines(self, until_ns):
        for op, start_ns in self.started(until_ns):
            yield request(start_ns + QUEUED, 5, op)
            if not self.takes_an_hour(op):
                yield result(start_ns + TAKES, 5, op, TAKES)


def target_of(log, *, rate=1.0):
    same = same_clock(rate)
    clock = ServerClock(same.our_ns, same.server_ns, ERROR, rate)
    facts = TargetFacts(
        "p", "389-Directory", "2.3.1", "h", access_log=str(log), clock_error_ns=ERROR,
        clock_rate=rate,
    )  # fmt: skip
    target = SimpleNamespace(
        profile=SimpleNamespace(access_log=str(log), log_command=None),
        facts=facts,
        clock=clock,
        now_ns=clock.now_ns,
        directory=BusyServer(log, clock),
        another_shell=LocalShell,
    )
    target.set_clock = partial(setattr, target, "clock")
    return target


PLAN = CapturePlan(0.3, frozenset({SourceKind.ACCESS_LOG}), poll_s=0.2)


@pytest.fixture
def target(tmp_path):
    return target_of(tmp_path / "access")


def captured(target, path, plan=PLAN, **options):
    with SessionWriter.create(path, target.facts) as writer:
        window = capture(target, writer, plan, **options)
    with Session.open(path) as session:
        [source] = session.sources(window.id)
        return window, source, session.operations(window)


def test_operations_that_end_after_the_window_are_in_it(target, tmp_path):
    window, source, operations = captured(target, tmp_path / "s.ldapwb")
    server = target.directory
    started = server.started(window.end_ns)
    expected = [
        op
        for op, start_ns in started
        if start_ns >= window.start_ns and not server.takes_an_hour(op)
    ]
    assert source.state is SourceState.COMPLETE, source.why
    assert len(expected) > 20
    assert sorted(operations.op[client_operations(operations)].tolist()) == expected


def test_open_operations_are_those_that_began_before_the_end(target, tmp_path):
    window, source, _ = captured(target, tmp_path / "s.ldapwb")
    server = target.directory
    told = [op for op, _ in server.started(window.end_ns - QUEUED) if server.takes_an_hour(op)]
    assert source.details["open_operations"] == len(told) > 2


def test_the_sentinel_waits_out_the_error_of_the_clock(target, tmp_path):
    """The window's end is a guess at the server's time, which may not have come to it yet."""
    window, _, _ = captured(target, tmp_path / "s.ldapwb")
    base, asked_ns = target.directory.asked[-1]
    assert base.endswith("-end")
    assert asked_ns >= window.end_ns + PLAN.linger_s * NS_PER_S


class Waits(Cancel):
    """Notes for how long it was waited."""

    def __init__(self):
        super().__init__()
        self.seconds = []

    def wait(self, seconds):
        self.seconds.append(seconds)
        return super().wait(seconds)


def test_a_quick_clock_is_waited_for_in_its_own_time(tmp_path):
    """A minute of a practice directory is a second of the wall; the error is of the wall."""
    target = target_of(tmp_path / "access", rate=60.0)
    plan, cancel = replace(PLAN, seconds=30, linger_s=60.0), Waits()
    window, _, _ = captured(target, tmp_path / "s.ldapwb", plan, cancel=cancel)
    assert target.directory.asked[-1][1] >= window.end_ns + 60 * NS_PER_S
    assert pytest.approx(1.0 + ERROR / NS_PER_S) in cancel.seconds


def test_a_line_being_written_when_reading_ends_is_not_an_unknown_one(target, tmp_path):
    _, source, _ = captured(target, tmp_path / "s.ldapwb")
    assert source.lines.unknown == source.lines.set_aside == 0
    assert source.state is SourceState.COMPLETE


def test_cancel_does_not_wait_for_operations_to_end(target, tmp_path):
    cancel = Cancel()

    def tell(report):
        if str(report.text).startswith("Waiting for operations"):
            cancel.set()

    plan = replace(PLAN, linger_s=3600.0)
    _, source, _ = captured(target, tmp_path / "s.ldapwb", plan, progress=tell, cancel=cancel)
    assert source.state is SourceState.PARTIAL
    assert str(source.why) == "cancelled"
    assert not any(base.endswith("-end") for base, _ in target.directory.asked)


def test_the_line_that_is_waited_for_is_waited_for_whole():
    """A link may break within it: what comes over the next one is the rest of the line."""
    source = Source(1, 1, SourceKind.ACCESS_LOG, "access", SourceState.MISSING)
    follower = SimpleNamespace(rotations=0)
    kept = Kept()
    capture = AccessLogCapture(
        follower, Scanner("389"), detect(b"", "access"), kept, source, lambda *_: None
    )
    _, line = request(NS_PER_S, 9, 1, "cn=the-end")
    capture.expect(b"cn=the-end", NS_PER_S)
    cut = line.index("-end") + len("-end")
    seen = []
    for piece in (line[: cut - 2], line[cut - 2 : cut], line[cut:-1], line[-1:]):
        capture._take(piece.encode())
        seen.append(bool(capture.sentinel_seen))
    assert seen == [False, False, False, True]
    assert kept.text == line.encode()


def test_a_window_that_could_not_be_written_to_its_end_says_so(target, tmp_path):
    """As a full disk leaves it: what is in the file then is all there will be."""
    path = tmp_path / "s.ldapwb"
    full = SessionError(Message("The disk is full."))

    def fail():
        raise full

    writer = SessionWriter.create(path, target.facts)

    def measuring(report):
        if str(report.text).startswith("Measuring"):
            writer.check = fail

    with writer, pytest.raises(SessionError, match="disk is full"):
        capture(target, writer, replace(PLAN, seconds=60), progress=measuring)
    with Session.open(path) as session:
        [window] = session.windows()
        [source] = session.sources(window.id)
    assert window.cancelled
    assert "was cut off" in str(window.remark)
    assert source.state is SourceState.PARTIAL
    assert "a full disk" in str(source.why)


class Renewed(LocalShell):
    """Its link breaks in mid-window."""

    def stream(self, argv, on_bytes, *, cancel, sudo=False):
        raise ConnectError(Message("The link broke."))


def test_a_host_that_comes_back_with_another_key_is_named(target, tmp_path):
    logins = iter([Renewed()])

    def login():
        for shell in logins:
            return shell
        raise ChangedHostKeyError(Message("It shows another SSH host key."))

    target.another_shell = login
    _, source, _ = captured(target, tmp_path / "s.ldapwb")
    assert source.state is SourceState.PARTIAL
    assert str(from_json(source.details[STRANGER])) == "It shows another SSH host key."


class Stuck(LocalShell):
    """Once the window's end is asked for, its log has moved, and a listing does not end.

    Its login may be closed under that, as paramiko's.
    """

    def __init__(self, asked):
        super().__init__()
        self._asked, self._closed = asked, threading.Event()

    def run(self, argv, **options):
        if any(base.endswith("-end") for base, _ in self._asked):
            assert self._closed.wait(50)
            raise ConnectError(Message("The SSH connection is closed."))
        return super().run(argv, **options)

    def stream(self, argv, on_bytes, *, cancel, sudo=False):
        # What is written once the end is asked for may be read before the look that ends this.
        ended = Asked(self._asked)
        over = Either(cancel, ended)
        result = super().stream(
            argv, lambda data: None if ended else on_bytes(data), cancel=over, sudo=sudo
        )
        return CommandResult(MOVED, b"", b"") if over and not cancel else result

    def close(self):
        self._closed.set()


class Asked(Cancel):
    def __init__(self, asked):
        super().__init__()
        self._asked = asked

    def __bool__(self):
        return any(base.endswith("-end") for base, _ in self._asked)


def test_a_capture_that_is_cancelled_in_a_listing_keeps_what_has_come(
    target, tmp_path, monkeypatch
):
    monkeypatch.setattr(window_module, "_GRACE_S", 0.5)
    asked, cancel = target.directory.asked, Cancel()
    target.another_shell = lambda: Stuck(asked)

    def progress(_):
        if Asked(asked):
            cancel.set()

    began = time.monotonic()
    _, source, _ = captured(target, tmp_path / "s.ldapwb", progress=progress, cancel=cancel)
    assert time.monotonic() - began < 30, "the listing would have gone on"
    assert (source.state, str(source.why)) == (SourceState.PARTIAL, "cancelled")
    assert source.samples > 0
    assert source.lines.understood >= source.samples
