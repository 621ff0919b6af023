"""Capturing one window: start every source, wait, end them, make sure the log is complete."""

from __future__ import annotations

import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ldap_workbench.capture.host_link import HostLink
from ldap_workbench.capture.live.accesslog import AccessLogCapture
from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.source import CUT_OFF, LiveFeed, OnLive, RunningSource, why_of
from ldap_workbench.capture.live.starting import Sources
from ldap_workbench.connect.answers import ONE_ENTRY
from ldap_workbench.connect.directory import OWN_BASE
from ldap_workbench.model.errors import CommandError, ConnectError, NoAnswerError, WorkbenchError
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import NO_ANSWER, STRANGER, Mark, Source, SourceKind, Window
from ldap_workbench.servers.target import measure_clock
from ldap_workbench.session.writer import SessionWriter

if TYPE_CHECKING:  # it knows every kind of link, and an import of files needs none
    from ldap_workbench.servers.target import Target
from collections import deque

from ldap_workbench.capture.link import AnyLink
from ldap_workbench.capture.live.follow import LogFollower
from ldap_workbench.capture.live.log_command import CommandFollower
from ldap_workbench.model.message import NOTHING
from ldap_workbench.model.remarks import HOST_SHARE

_TICK_S = 0.5
"""Interval at which progress is reported and stop or cancel is noticed, in seconds."""
_LAST_S = 60.0
"""So long a source may take to end once the window is over, beside what it waits for a link."""
_GRACE_S = 5.0
"""A cancelled source that is in the middle of a command on the host loses its login after this."""

_KEEP_S = 5.0
"""Interval at which the window so far is written, in seconds: what a full disk leaves."""
_ROUNDS = 2
"""Readings of the host's clock at the end of a window; over a slow line each takes seconds."""


def capture(
    target: Target,
    writer: SessionWriter,
    plan: CapturePlan,
    *,
    progress: OnProgress = no_progress,
    end: Cancel | None = None,
    cancel: Cancel | None = None,
    on_live: OnLive | None = None,
) -> Window:
    """Capture one window into the session and return it.

    Set `end` to end the window early: sampling stops within a second, and the capture still waits
    for the server to flush its access log and for a slow link to bring it. Set `cancel` to end at
    once and keep what has come; the window is then marked `cancelled`. A link that is cut is opened
    anew for as long as the plan's patience lasts, and the log is read on where it was left; samples
    are missing then. A source that fails is recorded with its reason. Raises SessionError when the
    session cannot be written, ConnectError when the server cannot be reached at the start, unless
    it takes connections and the plan is content with its host.
    """
    cancel = cancel if cancel is not None else Cancel()
    end = end if end is not None else Cancel()
    return _Capture(target, writer, plan, progress, end, cancel, on_live).run()


class _Capture:
    def __init__(
        self,
        target: Target,
        writer: SessionWriter,
        plan: CapturePlan,
        progress: OnProgress,
        end: Cancel,
        cancel: Cancel,
        on_live: OnLive | None,
    ) -> None:
        self._target = target
        self._writer = writer
        self._plan = plan
        self._progress = progress
        self._over = end
        self._cancel = cancel
        self._feed = LiveFeed(on_live, target.now_ns)
        self._nonce = f"{OWN_BASE}{secrets.token_hex(8)}"
        self._id = writer.next_id("capture_window")
        self._sources = Sources(target, writer, plan, self._feed, cancel, self._id, self._nonce)
        self._began = 0.0
        self._start_ns = 0
        self._window = Window(self._id, plan.name, 0, 0, plan.arm, plan.pair)

    def run(self) -> Window:
        try:
            self._progress(Progress(Message("Starting the sources")))
            self._sources.start()
            self._began, self._start_ns = time.monotonic(), self._target.now_ns()
            self._sources.begun.set()
            self._window = replace(self._window, start_ns=self._start_ns, end_ns=self._start_ns)
            self._keep_cut_off()
            self._wait()
            window = replace(
                self._window, end_ns=self._target.now_ns(), cancelled=bool(self._cancel)
            )
            self._window = window
            self._writer.put_window(window)
            self._finish(window.end_ns)
        finally:
            sources = self._end()
        for source in map(self._with_silence, sources):
            self._writer.put_source(source)
            self._mark_outages(source)
        self._writer.flush()
        return window

    def _with_silence(self, source: Source) -> Source:
        """The monitor with what is known of a server that took a connection and never answered.

        One that had not before the window was not asked in it; another may have answered until the
        window's end.
        """
        if source.kind is not SourceKind.MONITOR or not self._sources.stuck:
            return source
        since_ns = self._window.end_ns if source.samples else self._start_ns
        silent = source.outages or [(since_ns, self._target.now_ns())]
        details = {
            "no_answer": [list(outage) for outage in silent],
            "no_worker_s": round(ONE_ENTRY.silence_s),
        }
        return replace(source, details=source.details | details)

    def _mark_outages(self, source: Source) -> None:
        for start_ns, end_ns in source.outages:
            text = Message("no answer from {start:time} to {end:time}", start=start_ns, end=end_ns)
            self._writer.add_mark(Mark(start_ns, NO_ANSWER, text, self._id))

    def _wait(self) -> None:
        """Until the window is over, in server time."""
        wall = self._plan.seconds / self._target.facts.clock_rate
        kept_at = 0.0
        while (passed := self._passed()) < wall:
            if passed - kept_at >= _KEEP_S:
                kept_at = passed
                self._keep_cut_off()
            if self._over or self._cancel:
                return
            self._progress(self._measuring(passed / wall))
            self._report_ended()
            self._report_notes()
            self._writer.check()
            self._cancel.wait(min(_TICK_S, wall - passed, self._until_silent()))

    def _until_silent(self) -> float:
        """Seconds until a server that hangs has not answered for too long: told of at once."""
        link = self._sources.links.get(SourceKind.MONITOR)
        left = SILENT_S - link.silent_s if link else _TICK_S
        return left if left > 0 else _TICK_S

    def _keep_cut_off(self) -> None:
        """The window as it is should nothing more be written: on a full disk, after a kill."""
        end_ns = self._target.now_ns()
        left = replace(self._window, end_ns=end_ns, cancelled=True, remark=CUT_OFF)
        self._writer.put_window(left)

    def _passed(self) -> float:
        """Seconds of the wall since the start. A laptop that sleeps stops one of its clocks."""
        by_date = (self._target.now_ns() - self._start_ns) / NS_PER_S
        return max(time.monotonic() - self._began, by_date / self._target.facts.clock_rate)

    def _measuring(self, share: float) -> Progress:
        seconds = self._plan.seconds * (1 - share)
        left = Message("Measuring, {seconds:.0f} s left", seconds=seconds)
        return Progress(left, share, {"notes": self._feed.notes})

    def _finish(self, end_ns: int) -> None:
        """End the samplers, then wait until the log holds everything up to a sentinel."""
        access = self._sources.access
        for running in self._sources.running:
            if running.source.kind != SourceKind.ACCESS_LOG:
                running.stop.set()
        if access is None or self._cancel or self._linger():
            return
        sentinel = f"{self._nonce}-end"
        if self._sources.stuck:
            access.lost_server()
            return
        access.expect(sentinel.encode(), end_ns)
        try:
            self._sources.announce(sentinel)
        except WorkbenchError as error:
            if isinstance(error, NoAnswerError):  # not even over a link that it has just taken
                self._sources.stuck = error
            access.lost_server()  # the log is read once more and called partial
            return
        self._await_log(access)

    def _linger(self) -> bool:
        """Let operations that began in the window come to their results; True when cancelled.

        Before the sentinel, for with a buffered log what follows its line comes 30 s later. Always
        as long: a request that waits in the server's queue has no line yet, so a log without open
        requests does not tell that all have ended. And our idea of the server's time may be ahead.
        """
        self._progress(Progress(Message("Waiting for operations that began in the window")))
        ahead_s = (self._target.facts.clock_error_ns or 0) / NS_PER_S
        return self._cancel.wait(self._plan.linger_s / self._target.facts.clock_rate + ahead_s)

    def _await_log(self, access: AccessLogCapture) -> None:
        """The server has `flush_wait_s` to write its log; a slow link brings it in its time."""
        limit, passed, before = self._plan.flush_wait_s, 0.0, time.monotonic()
        rest = RestOfLog(access, self._target.now_ns())
        while passed < limit and not self._cancel:
            if access.sentinel_seen or not self._access_alive():
                return
            now = time.monotonic()
            passed, before = passed + (now - before) * access.follower.pace.at_end, now
            self._progress(rest.progress(passed, limit))
            self._report_notes()
            self._writer.check()
            access.sentinel_seen.wait(min(_TICK_S, limit - passed))

    def _access_alive(self) -> bool:
        alive = (running for running in self._sources.running if running.alive)
        return any(running.source.kind == SourceKind.ACCESS_LOG for running in alive)

    def _end(self) -> list[Source]:
        """End every source, however the window ended; what they have become."""
        running = self._sources.running
        for source in running:
            source.stop.set()
        try:
            for source in running:
                self._await_end(source)
            self._report_ended()
            costs = {} if self._cancel else self._costs()
            if not self._cancel:
                self._read_clock_again()
        finally:
            self._sources.close()
        sources = [source.result() for source in running] + self._sources.not_started
        sources = [with_cost(source, costs.get(source.kind)) for source in sources]
        return [self._with_stranger(source) for source in sources]

    def _with_stranger(self, source: Source) -> Source:
        """The source with the refusal of a host whose key has changed: an experiment ends by it."""
        link = self._sources.links.get(source.kind)
        if link is None or link.stranger is None:
            return source
        return replace(source, details={**source.details, STRANGER: why_of(link.stranger)})

    def _costs(self) -> dict[SourceKind, float | None]:
        """What each login has cost the host, asked over the login itself."""
        links = {k: link for k, link in self._sources.links.items() if isinstance(link, HostLink)}
        with ThreadPoolExecutor(len(links) or 1, "capture-cost") as pool:
            return dict(zip(links, pool.map(host_share, links.values()), strict=True))

    def _read_clock_again(self) -> None:
        """Place the windows that follow by the host's clock as it is now, if it was set or drifts.

        Where the host cannot be asked now, the log of each window is compared with its clock
        nevertheless (log_clock.py).
        """
        target = self._target
        if target.facts.clock_error_ns is None:
            return  # it never told its time
        links = (link for link in self._sources.links.values() if isinstance(link, HostLink))
        link = next((link for link in links if not link.cut), None)
        if link is None:
            return
        with suppress(ConnectError, CommandError):
            rate = target.facts.clock_rate
            clock = measure_clock(link.run_once, rate=rate, rounds=_ROUNDS)
            if not target.clock.agrees_with(clock):
                target.set_clock(clock)

    def _await_end(self, running: RunningSource) -> None:
        """A link that is cut is waited for, unless cancelled."""
        left = self._plan.patience_s + _LAST_S
        while not running.wait(_TICK_S) and left > 0:
            left = min(left - _TICK_S, _LAST_S if self._cancel else left)
            if self._cancel and left < _LAST_S - _GRACE_S:
                self._sources.cut_off(running.source.kind)
            text = Message("Reading the last of the {source}", source=running.source.kind.label)
            self._progress(Progress(text))

    def _report_ended(self) -> None:
        for running in self._sources.running:
            self._feed.see_ended(running)

    def _report_notes(self) -> None:
        """Tell of links that are cut or slower than the log, and that they are no longer."""
        access = self._sources.access
        for kind, link in self._sources.links.items():
            follower = access.follower if access and kind is SourceKind.ACCESS_LOG else None
            note = note_of(link, follower)
            if kind is SourceKind.MONITOR:
                note = note or silence_of(link)
            self._feed.see_note(kind, note)


# sshd makes a session of processes for each connection and one more for each command: the first
# process above ours that is of another session is the connection's, and the leader of that session
# its top. Everything below the top is ours: sshd, sudo, the scripts, iostat; what has ended counts
# in what waited for it. Prints ticks, and ticks a second; nothing where the top is no sshd.
_COST = r"""
cat /proc/[0-9]*/stat 2>/dev/null | awk -v me=$$ -v hz="$(getconf CLK_TCK)" '
  { pid = $1; name = $0; sub(/^[0-9]+ \(/, "", name); sub(/^.*\) /, "")
    called[pid] = name; parent[pid] = $2; session[pid] = $4; ticks[pid] = $12 + $13 + $14 + $15 }
  END {
    for (p = me; p in parent && session[p] == session[me]; ) p = parent[p]
    top = session[p]
    if (called[top] !~ /^sshd/) exit
    for (pid in parent) {
      for (p = pid; p in parent && p != top; ) p = parent[p]
      if (p == top) sum += ticks[pid]
    }
    print sum, hz
  }'
"""


def host_share(link: HostLink) -> float | None:
    """Seconds of one processor a second that this login took; None where it cannot be told.

    Of the link that is open now: what came before a cut is taken to have cost as much.
    """
    try:
        printed = link.run_once(["sh", "-c", _COST]).stdout.split()
    except WorkbenchError:
        return None
    if len(printed) != 2 or not link.age_s:
        return None
    return int(printed[0]) / int(printed[1]) / link.age_s


def with_cost(source: Source, share: float | None) -> Source:
    """The source with what it cost in its details."""
    return (
        source if share is None else replace(source, details={**source.details, HOST_SHARE: share})
    )


SILENT_S = 3.0
"""An answer that takes longer is told of. A busy server's may well take two seconds, and with the
second before the question that is three."""
_SPAN_S = 10.0
_MINUTE_S = 60.0


def note_of(link: AnyLink, follower: LogFollower | CommandFollower | None) -> Message:
    """What the operator should know of a source at work; NOTHING where all is well."""
    if link.cut:
        return Message("the link has been cut for {seconds:.0f} s", seconds=link.cut_now_s)
    slow = follower.slow if follower else None
    if slow is None:
        return NOTHING
    carries, grows = map(round, slow)
    return Message(
        "the link carries {rate:size}/s, the log grows {growth:size}/s", rate=carries, growth=grows
    )


def silence_of(link: AnyLink) -> Message:
    """That a server has not answered for a while, though its connection stands; else NOTHING."""
    if link.silent_s < SILENT_S:
        return NOTHING
    return Message("no answer for {seconds:.0f} s", seconds=link.silent_s)


class RestOfLog:
    """How much of the log is still to come when the window is over, by the times in its lines."""

    def __init__(self, access: AccessLogCapture, end_ns: int) -> None:
        self._access = access
        self._end_ns = end_ns
        self._seen: deque[tuple[float, int]] = deque()

    def progress(self, waited_s: float, limit_s: float) -> Progress:
        """What is waited for: the link, or the server, which writes its log when it likes."""
        if self._access.follower.link.cut:
            return Progress(Message("The link is cut; the rest of the log is read when it is back"))
        if self._access.follower.pace.at_end:
            left_s = limit_s - waited_s
            text = Message(
                "Waiting for the access log to be written, at most {seconds:.0f} s more",
                seconds=left_s,
            )
            return Progress(text, waited_s / limit_s)
        rest_s = self._left_s()
        return Progress(_rest(rest_s) if rest_s else Message("Fetching the rest"))

    def _left_s(self) -> float | None:
        """Seconds until the lines of the window's end come; None where that cannot be told."""
        now, last_ns = time.monotonic(), self._access.last_ns
        if last_ns is None:
            return None
        self._seen.append((now, last_ns))
        while now - self._seen[0][0] > _SPAN_S:
            self._seen.popleft()
        then, first_ns = self._seen[0]
        if last_ns <= first_ns:
            return None
        return (now - then) * max(0, self._end_ns - last_ns) / (last_ns - first_ns)


def _rest(seconds: float) -> Message:
    """About 3 min, 40 s."""
    if seconds >= _MINUTE_S:
        return Message("Fetching the rest, {minutes:.0f} min", minutes=seconds / _MINUTE_S)
    return Message("Fetching the rest, {seconds:.0f} s", seconds=seconds)
