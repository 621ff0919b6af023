"""A clock that is set within a window is never passed over: the window is partial."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from ldap_workbench.capture.live.log_clock import ClockStep, LogClock
from ldap_workbench.connect.local import LocalShell
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.model.operations import client_operations
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import SourceState
from ldap_workbench.servers.target import ServerClock
from tests.unit.capture.test_window_end import (
    ERROR,
    MS,
    PLAN,
    BusyServer,
    captured,
    line,
    target_of,
)

S = NS_PER_S
NOON = int(datetime(2026, 11, 21, 12, tzinfo=UTC).timestamp()) * S
NONCE, END = "cn=ldap-workbench-0a", "cn=ldap-workbench-0a-end"


class SteppingServer(BusyServer):
    """The clock of its log is set by `step_ns` soon after the window's first search."""

    def __init__(self, log, clock, step_ns, wait_ns):
        super().__init__(log, clock)
        self.step_ns, self.wait_ns = step_ns, wait_ns

    def written(self, timed):
        time_ns, text = timed
        if time_ns < self.set_at_ns:
            return text
        return line(time_ns + self.step_ns, text.partition("] ")[2].removesuffix("\n"))[1]

    @property
    def set_at_ns(self):
        return 0 if self.wait_ns is None else self.asked[0][1] + self.wait_ns


def stepping(tmp_path, step_ns, wait_ns=100 * MS):
    target = target_of(tmp_path / "access")
    clock = ServerClock(target.clock.our_ns, target.clock.server_ns, ERROR)
    target.directory = SteppingServer(tmp_path / "access", clock, step_ns, wait_ns)
    target.directory.began_ns -= S  # so that results are logged from the first search on
    return target


@pytest.mark.parametrize("step_s", [-30, 30])
def test_a_clock_that_is_set_in_mid_window_makes_it_partial_with_the_moment(tmp_path, step_s):
    target = stepping(tmp_path, step_s * S)
    window, source, operations = captured(target, tmp_path / "s.ldapwb")
    server = target.directory
    began = [op for op, at in server.started(window.end_ns) if at >= window.start_ns]
    counted = operations.op[client_operations(operations)].tolist()
    assert len(counted) < 0.9 * len(began), "what was logged after the step is not in the window"
    assert source.state is SourceState.PARTIAL
    step = source.details["clock_step"]
    assert step["step_ns"] == pytest.approx(step_s * S, abs=2 * S)
    assert abs(step["after_ns"] - server.set_at_ns) < S / 10
    direction = "back" if step_s < 0 else "forward"
    assert f"clock was set {direction} by" in str(source.why)


def test_a_window_in_which_the_clock_is_set_by_less_than_a_second_is_partial(tmp_path):
    target = stepping(tmp_path, -700 * MS)
    asked, now_ns = threading.local(), target.now_ns

    def noted():
        asked.ns = now_ns()
        return asked.ns

    target.now_ns = noted
    target.directory.now_ns = lambda: asked.ns  # at once, however busy this machine is
    _, source, _ = captured(target, tmp_path / "s.ldapwb")
    assert source.state is SourceState.PARTIAL
    assert source.details["clock_step"]["step_ns"] == -700 * MS
    assert "within the window the log's clock fell 700 ms behind" in str(source.why)


@pytest.mark.parametrize(("step_s", "word"), [(-40, "behind"), (40, "ahead of")])
def test_a_clock_that_never_agreed_is_named(tmp_path, step_s, word):
    target = stepping(tmp_path, step_s * S, None)
    _, source, _ = captured(target, tmp_path / "s.ldapwb")
    assert source.state is SourceState.PARTIAL
    assert source.details["clock_step"]["always"]
    assert f" {word} the clock by which this window was placed" in str(source.why)


def test_the_window_after_a_step_of_the_hosts_clock_is_placed_by_the_new_time(tmp_path):
    """`date` on the host tells it at the end of each window."""
    target = target_of(tmp_path / "access")
    target.another_shell = lambda: Ahead(40 * S)
    captured(target, tmp_path / "s.ldapwb", replace(PLAN, linger_s=0.0))
    ahead = target.clock.server_ns - target.clock.our_ns
    assert ahead == pytest.approx(40 * S, abs=S)


class Ahead(LocalShell):
    """Its clock is ahead of ours."""

    def __init__(self, by_ns):
        super().__init__()
        self._by_ns = by_ns

    def run(self, argv, **options):
        result = super().run(argv, **options)
        if argv[0] != "date":
            return result
        return CommandResult(0, b"%d\n" % (int(result.stdout) + self._by_ns), b"")


# --- the times of a log by themselves ------------------------------------------------------------


class Log:
    """A search of a client each half second, and ours when they are asked."""

    def __init__(self, dialect="389", write=None, age_ns=None):
        self.now_ns = NOON
        self.clock = LogClock(lambda: self.now_ns, age_ns=age_ns)
        self._write = write or (lambda time_ns, words: line(time_ns, words)[1])
        self.scanner = Scanner(dialect, own_nonces=[NONCE.encode()])
        self._op = 0

    def run(self, seconds, ahead_ns=0):
        for _ in range(2 * seconds):
            self.write(self.now_ns + ahead_ns)
            self.now_ns += S // 2

    def ask(self, base, ahead_ns=0, etime="0.000001"):
        self.clock.asking(base)
        self.write(self.now_ns + ahead_ns, 9, base, etime)
        self.now_ns += 1000
        self.clock.answered(base)

    def write(self, time_ns, conn=5, base="dc=x", etime="0.000001"):
        self._op += 1
        words = f"conn={conn} op={self._op}"
        text = self._write(
            time_ns, f'{words} SRCH base="{base}" scope=2 deref=0 filter="(a=b)" attrs=ALL'
        )
        text += self._write(time_ns, f"{words} RESULT err=0 tag=101 nentries=1 etime={etime}")
        self.clock.add(self.scanner.feed(text.encode()))

    @property
    def step(self):
        return self.clock.step(self.scanner.open_requests())


def whole_window(*parts, end_ahead_ns=0, **options):
    """The step that is seen when the parts are (seconds, ahead_ns)."""
    log = Log(**options)
    log.ask(NONCE)
    for seconds, ahead_ns in parts:
        log.run(seconds, ahead_ns)
    log.ask(END, end_ahead_ns)
    return log.step


def just_read():
    return 0


@pytest.mark.parametrize("step_ns", [-300 * MS, 300 * MS, -S, S])
def test_a_small_step_shows_where_the_server_dates_its_lines_itself(step_ns):
    step = whole_window((10, 0), (10, step_ns), end_ahead_ns=step_ns, age_ns=just_read)
    assert step is not None
    assert step.step_ns == pytest.approx(step_ns, abs=MS)
    assert step.after_ns is None, "it is as long as many pauses"
    assert not step.always


@pytest.mark.parametrize("step_ns", [-200 * MS, 200 * MS])
def test_a_smaller_one_is_not_told_apart(step_ns):
    parts = (10, 0), (10, step_ns)
    assert whole_window(*parts, end_ahead_ns=step_ns, age_ns=just_read) is None


def test_a_pause_that_389_ds_counts_as_etime_in_turbo_mode_is_no_step():
    log = Log(age_ns=just_read)
    log.ask(NONCE)
    log.run(10)
    log.ask(END, etime="0.900000")
    assert log.step is None


def test_a_result_that_is_dated_once_it_is_sent_is_no_step():
    log = Log(age_ns=just_read)
    log.ask(NONCE)
    log.run(10)
    log.ask(END, ahead_ns=400 * MS, etime="0.500000")
    assert log.step is None


def test_a_small_step_is_not_told_apart_in_a_log_that_others_date():
    assert whole_window((10, 0), (10, S), end_ahead_ns=S) is None


def test_clocks_that_were_read_long_ago_may_have_come_apart():
    hours = [4 * 3600 * S]
    parts = (10, 0), (10, S)
    assert whole_window(*parts, end_ahead_ns=S, age_ns=hours.pop) is None


def test_a_small_step_is_not_told_apart_in_a_log_of_whole_seconds():
    def seconds(time_ns, words):
        return line(time_ns // S * S, words)[1].replace(".000000000 ", " ")

    parts = (10, 0), (10, S)
    assert whole_window(*parts, end_ahead_ns=S, age_ns=just_read, write=seconds) is None


def test_a_clock_that_is_set_back_and_forward_again_is_seen_in_the_order_of_lines():
    step = whole_window((20, 0), (10, -30 * S), (20, 0))
    assert step == ClockStep(-30 * S + S // 2, NOON + 19 * S + S // 2 + 1000)


def test_a_clock_that_was_ahead_for_a_while_is_seen_in_the_order_of_lines():
    step = whole_window((20, 0), (10, 30 * S), (20, 0))
    assert step is not None
    assert step.step_ns == -30 * S + S // 2


def test_times_that_are_still_to_come_are_seen():
    """The clock was ahead until a moment before the end."""
    step = whole_window((20, 0), (10, 30 * S), (1, 0))
    assert step is not None
    assert step.after_ns == NOON + 19 * S + S // 2 + 1000


def test_a_window_whose_times_go_on_has_no_step():
    assert whole_window((60, 0)) is None


def test_threads_that_wait_with_their_lines_are_no_step():
    log = Log()
    log.ask(NONCE)
    log.run(20)
    waited = [log.now_ns + at * S // 10 for at in range(40)]
    log.now_ns += 4 * S
    log.run(1)
    for time_ns in waited:
        log.write(time_ns)
    log.run(10)
    log.ask(END)
    assert log.step is None


def test_an_answer_that_took_long_is_no_step():
    log = Log()
    log.clock.asking(NONCE)
    log.now_ns += 50 * S
    log.write(log.now_ns - 25 * S, 9, NONCE)
    log.clock.answered(NONCE)
    log.run(10)
    log.ask(END)
    assert log.step is None


def test_a_line_that_is_read_before_its_answer_has_come_is_no_step():
    log = Log()
    log.ask(NONCE)
    log.run(10)
    log.clock.asking(END)
    log.write(log.now_ns, 9, END)
    assert log.step is None


def test_a_search_without_a_result_yet_tells_the_time_as_well():
    log = Log()
    log.ask(NONCE)
    log.run(10)
    log.clock.asking(END)
    words = f'conn=9 op=99 SRCH base="{END}" scope=2 filter="(a=b)" attrs=ALL'
    log.scanner.feed(line(log.now_ns - 30 * S, words)[1].encode())
    log.clock.answered(END)
    step = log.step
    assert step is not None
    assert step.step_ns == -30 * S


def syslog(time_ns, words):
    """As a host in Berlin writes it on the night in which summer ends: at 03:00 it is 02:00."""
    at = datetime.fromtimestamp(time_ns // S, UTC)
    summer = at < datetime(2026, 10, 25, 1, tzinfo=UTC)
    local = at + timedelta(hours=2 if summer else 1)
    words = words.replace("RESULT err=0 tag=101", "SEARCH RESULT tag=101 err=0")
    return f"{local:%b %e %H:%M:%S} h slapd[7]: {words}\n"


def test_the_end_of_summer_time_in_a_log_of_local_time_is_no_step():
    log = Log("openldap", syslog)
    log.now_ns = int(datetime(2026, 10, 25, 0, 59, 40, tzinfo=UTC).timestamp()) * S
    log.scanner.begin_file(2026, 2 * 3600 * S)
    log.ask(NONCE)
    log.run(60)
    log.ask(END)
    assert log.step is None
    assert log.scanner.clock_changes == 1
    assert log.scanner.last_time_ns == log.now_ns // S * S


def test_local_time_in_another_zone_than_the_hosts_is_said():
    log = Log("openldap", syslog)
    log.now_ns = int(datetime(2026, 10, 24, 12, tzinfo=UTC).timestamp()) * S
    log.scanner.begin_file(2026, 0)
    log.ask(NONCE)
    log.run(10)
    log.ask(END)
    step = log.step
    assert step is not None
    assert step.always
    assert step.step_ns == pytest.approx(2 * 3600 * S, abs=S)
