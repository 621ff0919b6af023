"""Capturing one window: start every source, wait, end them, make sure the log is complete."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ldap_workbench.capture.accesslog import LOOK, AccessLogCapture, follow_raw, told_by_lines
from ldap_workbench.capture.cost import host_share, with_cost
from ldap_workbench.capture.disk import sample_iostat
from ldap_workbench.capture.follow import LogFollower
from ldap_workbench.capture.host_files import printed_zone
from ldap_workbench.capture.host_link import HostLink
from ldap_workbench.capture.link import AnyLink, Link
from ldap_workbench.capture.monitor import sample_monitor
from ldap_workbench.capture.notes import RestOfLog, note_of
from ldap_workbench.capture.plan import CapturePlan, LiveBatch
from ldap_workbench.capture.source import RunningSource, SourceMissingError, why_of
from ldap_workbench.connect.directory import Directory
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.logs.scanner import Scanner
from ldap_workbench.logs.warm import warm_up
from ldap_workbench.logs.years import may_show_no_year, year_of
from ldap_workbench.model.errors import ConnectError, WorkbenchError
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Sample, Source, SourceKind, SourceState, Window
from ldap_workbench.servers.product import product_of
from ldap_workbench.session import SessionWriter

if TYPE_CHECKING:  # it knows every kind of link, and an import of files needs none
    from ldap_workbench.servers.target import Target

OnLive = Callable[[LiveBatch], None]

_BEAT_S = 0.5
"""How often it is looked whether somebody wants the window to end, and progress is told."""
_LAST_S = 60.0
"""So long a source may take to end once the window is over, beside what it waits for a link."""
_ANSWER_S = 12
"""An LDAP server that takes longer to answer is asked again over another link."""
_LEAST_POLL_S = 0.2
"""Of the wall: a server whose clock is fast is looked at more often, within reason."""


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
    session cannot be written and ConnectError when the server cannot be reached at the start.
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
        self._on_live = on_live or (lambda _: None)
        self._live_lock = threading.Lock()
        self._links: list[AnyLink] = []
        self._watched: dict[SourceKind, AnyLink] = {}
        self._notes: dict[SourceKind, str] = {}
        self._poll_s = max(_LEAST_POLL_S, plan.poll_s / target.facts.clock_rate)
        self._nonce = f"cn=ldap-workbench-{secrets.token_hex(8)}"
        self._running: list[RunningSource] = []
        self._not_started: list[Source] = []
        self._told_ended: set[SourceKind] = set()
        self._access: AccessLogCapture | None = None
        self._id = writer.next_id("capture_window")
        self._began = 0.0
        self._start_ns = 0

    def run(self) -> Window:
        plan = self._plan
        try:
            if SourceKind.ACCESS_LOG in plan.sources:
                warm_up(self._progress)  # now: its operations come while the window runs
            self._progress(Progress("Starting the sources"))
            self._start_access_log()
            self._ask(self._nonce)
            self._start_error_log()
            self._start_monitor()
            self._start_iostat()
            self._began, self._start_ns = time.monotonic(), self._target.now_ns()
            start_ns = self._start_ns
            window = Window(self._id, plan.name, start_ns, start_ns, plan.arm, plan.pair)
            self._writer.put_window(window)
            self._wait()
            window = replace(window, end_ns=self._target.now_ns(), cancelled=bool(self._cancel))
            self._writer.put_window(window)
            self._finish(window.end_ns)
        finally:
            sources = self._end()
        for source in sources:
            self._writer.put_source(source)
        self._writer.flush()
        return window

    def _wait(self) -> None:
        """Until the window is over, in server time."""
        wall = self._plan.seconds / self._target.facts.clock_rate
        while (passed := self._passed()) < wall:
            if self._over or self._cancel:
                return
            self._progress(self._measuring(passed / wall))
            self._tell_ended()
            self._tell_notes()
            self._writer.check()
            self._cancel.wait(min(_BEAT_S, wall - passed))

    def _passed(self) -> float:
        """Seconds of the wall since the start. A laptop that sleeps stops one of its clocks."""
        by_date = (self._target.now_ns() - self._start_ns) / NS_PER_S
        return max(time.monotonic() - self._began, by_date / self._target.facts.clock_rate)

    def _measuring(self, share: float) -> Progress:
        left = f"Measuring, {self._plan.seconds * (1 - share):.0f} s left"
        said = [f"{kind.value}: {note}" for kind, note in self._notes.items() if note]
        return Progress(left, share, {"notes": said})

    def _finish(self, end_ns: int) -> None:
        """End the samplers, then wait until the log holds everything up to a sentinel."""
        for running in self._running:
            if running.source.kind != SourceKind.ACCESS_LOG:
                running.stop.set()
        if self._access is None or self._cancel:
            return
        if self._linger():
            return
        sentinel = f"{self._nonce}-end"
        self._access.expect(sentinel.encode(), end_ns)
        try:
            self._ask(sentinel)
        except WorkbenchError:
            return  # the server is gone: the log is read once more and called partial
        self._await_log(self._access)

    def _linger(self) -> bool:
        """Let operations that began in the window come to their results; True when cancelled.

        Before the sentinel, for with a buffered log what follows its line comes 30 s later. Always
        as long: a request that waits in the server's queue has no line yet, so a log without open
        requests does not tell that all have ended. And our idea of the server's time may be ahead.
        """
        self._progress(Progress("Waiting for operations that began in the window"))
        ahead_s = (self._target.facts.clock_error_ns or 0) / NS_PER_S
        return self._cancel.wait(self._plan.linger_s / self._target.facts.clock_rate + ahead_s)

    def _ask(self, base: str) -> None:
        """A search that finds nothing, once more over another link where the first has broken."""
        try:
            self._target.directory.search(base)
        except ConnectError:
            self._target.reconnect()
            self._target.directory.search(base)

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
            self._tell_notes()
            self._writer.check()
            access.sentinel_seen.wait(min(_BEAT_S, limit - passed))

    def _access_alive(self) -> bool:
        return any(r.alive for r in self._running if r.source.kind == SourceKind.ACCESS_LOG)

    def _end(self) -> list[Source]:
        """End every source, however the window ended; what they have become."""
        for running in self._running:
            running.stop.set()
        try:
            for running in self._running:
                self._await_end(running)
            self._tell_ended()
            costs = {} if self._cancel else self._costs()
        finally:
            for link in self._links:
                link.close()
        sources = [running.result() for running in self._running] + self._not_started
        return [with_cost(source, costs.get(source.kind)) for source in sources]

    def _costs(self) -> dict[SourceKind, float | None]:
        """What each login has cost the host, asked over the login itself."""
        links = self._watched.items()
        return {kind: host_share(link) for kind, link in links if isinstance(link, HostLink)}

    def _await_end(self, running: RunningSource) -> None:
        """A link that is cut is waited for, unless cancelled."""
        left = self._plan.patience_s + _LAST_S
        while not running.wait(_BEAT_S) and left > 0:
            left = min(left - _BEAT_S, _LAST_S if self._cancel else left)
            self._progress(Progress(f"Reading the last of the {running.source.kind}"))

    def _announced(self) -> Directory:
        """Another link, with a search that finds nothing, so that the log tells that it is ours."""
        directory = self._target.another_directory(_ANSWER_S)
        directory.search(self._nonce)
        return directory

    def _source(self, kind: SourceKind, name: str) -> Source:
        number = self._writer.next_id("source")
        return Source(number, self._id, kind, name, SourceState.MISSING)

    def _launch(self, source: Source, prepare: Callable[[], Callable[[Cancel], Source]]) -> None:
        """Start a source, or record why it cannot be had."""
        if source.kind not in self._plan.sources:
            return
        try:
            work = prepare()
        except WorkbenchError as error:
            state = (
                SourceState.MISSING if isinstance(error, SourceMissingError) else SourceState.FAILED
            )
            self._not_started.append(replace(source, state=state, why=why_of(error)))
            self._tell(
                LiveBatch(self._target.now_ns(), source=source.kind, state=state, why=why_of(error))
            )
            return
        self._writer.put_source(source)
        self._tell(LiveBatch(self._target.now_ns(), source=source.kind))
        self._running.append(RunningSource(source, work))

    def _tell_ended(self) -> None:
        """Tell of sources that work no longer: in a window, one that broke."""
        for running in self._running:
            if running.alive or running.source.kind in self._told_ended:
                continue
            source = running.source
            self._told_ended.add(source.kind)
            now = self._target.now_ns()
            self._tell(LiveBatch(now, source=source.kind, state=source.state, why=str(source.why)))

    def _tell_notes(self) -> None:
        """Tell of links that are cut or slower than the log, and that they are no longer."""
        for kind, link in self._watched.items():
            follower = self._access.follower if self._access else None
            note = note_of(link, follower if kind is SourceKind.ACCESS_LOG else None)
            if note != self._notes.get(kind, ""):
                self._notes[kind] = note
                self._tell(LiveBatch(self._target.now_ns(), source=kind, note=note))

    def _tell(self, batch: LiveBatch) -> None:
        with self._live_lock:
            self._on_live(batch)

    def _host(self, kind: SourceKind) -> HostLink:
        """A link to the host, open."""

        def connect() -> RemoteShell:
            shell = self._target.another_shell()
            if shell is None:
                why = "The profile has no SSH host, so the host cannot be asked."
                raise SourceMissingError(why)
            return shell

        link = HostLink(connect, self._cancel, self._plan.patience_s)
        self._links.append(link)
        link.open()
        self._watched[kind] = link
        return link

    def _start_access_log(self) -> None:
        path = self._target.profile.access_log or self._target.facts.access_log or ""
        source = self._source(SourceKind.ACCESS_LOG, path)

        def prepare() -> Callable[[Cancel], Source]:
            follower = self._follower(source, "access_log", "nsslapd-accesslog", self._poll_s)
            before = follower.last(LOOK)
            found = told_by_lines(before, self._target.facts)
            follower.read_as(found.dialect)
            scanner = Scanner(found.dialect, own_nonces=[self._nonce.encode()])
            if may_show_no_year(found.dialect):
                scanner.begin_file(*self._year_and_zone(follower.link))
            self._access = AccessLogCapture(
                follower, scanner, found, self._writer, source, self._live_operations, before
            )
            return self._access.run

        self._launch(source, prepare)

    def _year_and_zone(self, link: HostLink) -> tuple[int, int]:
        """What syslog does not print: the year now and the host's zone, ns east of UTC."""
        printed = link.run(["date", "+%z"], sudo=False).stdout
        zone_ns = printed_zone(printed.decode("ascii", "replace"))
        return year_of(self._target.now_ns(), zone_ns), zone_ns

    def _start_error_log(self) -> None:
        if product_of(self._target.facts) == "openldap":
            return  # errors are in its one log
        path = self._target.facts.error_log or ""
        source = self._source(SourceKind.ERROR_LOG, path)

        def prepare() -> Callable[[Cancel], Source]:
            poll_s = 5 * self._poll_s
            follower = self._follower(source, "error_log", "nsslapd-errorlog", poll_s)
            return lambda stop: follow_raw(follower, self._writer, source, stop, self._live_errors)

        self._launch(source, prepare)

    def _follower(self, source: Source, fact: str, attribute: str, poll_s: float) -> LogFollower:
        if not source.name:
            why = f"The server does not tell where its log is ({attribute})."
            raise SourceMissingError(self._target.facts.unknown.get(fact, why))
        follower = LogFollower(self._host(source.kind), source.name, poll_s)
        follower.start()
        return follower

    def _start_monitor(self) -> None:
        from ldap_workbench.servers.monitor import monitor_entries

        source = self._source(SourceKind.MONITOR, "cn=monitor")

        def prepare() -> Callable[[Cancel], Source]:
            link = Link(self._announced, self._cancel, self._plan.patience_s)
            self._links.append(link)
            link.open()
            self._watched[SourceKind.MONITOR] = link
            entries = monitor_entries(self._target.facts)
            return lambda stop: sample_monitor(
                link,
                entries,
                source,
                self._target.now_ns,
                lambda samples: self._take_samples(source, samples),
                stop,
                poll_s=self._poll_s,
                rate=self._target.facts.clock_rate,
            )

        self._launch(source, prepare)

    def _start_iostat(self) -> None:
        source = self._source(SourceKind.IOSTAT, "iostat")

        def prepare() -> Callable[[Cancel], Source]:
            link = self._host(SourceKind.IOSTAT)
            return lambda stop: sample_iostat(
                link,
                source,
                self._target.now_ns,
                lambda samples: self._take_samples(source, samples),
                stop,
            )

        self._launch(source, prepare)

    def _take_samples(self, source: Source, samples: list[Sample]) -> None:
        self._writer.add_samples(source.id, samples)
        if samples:
            taken = tuple(samples)
            self._tell(LiveBatch(samples[-1].time_ns, samples=taken, source=source.kind))

    def _live_operations(self, count: int, worst_ns: int, size: int) -> None:
        self._tell(
            LiveBatch(
                self._target.now_ns(),
                operations=count,
                worst_ns=worst_ns,
                bytes_read=size,
                source=SourceKind.ACCESS_LOG,
            )
        )

    def _live_errors(self, size: int) -> None:
        now = self._target.now_ns()
        self._tell(LiveBatch(now, bytes_read=size, source=SourceKind.ERROR_LOG))
