"""The sources of a window: their links are opened, all at once, and each is made ready.

Over a slow line a login takes many round trips, so none waits for another. Only the searches for
the window's nonce, by which our own connections are known in the access log, come after its start.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ldap_workbench.capture.host_link import HostLink, log_missing, shell_of
from ldap_workbench.capture.link import AnyLink, Link
from ldap_workbench.capture.live.accesslog import (
    LOOK,
    AccessLogCapture,
    detect_current_format,
    follow_raw,
)
from ldap_workbench.capture.live.follow import LogFollower
from ldap_workbench.capture.live.host_state import sample_host_state, sample_iostat
from ldap_workbench.capture.live.log_clock import LogClock
from ldap_workbench.capture.live.log_command import CommandFollower
from ldap_workbench.capture.live.monitor import sample_monitor
from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.source import (
    CUT_OFF,
    LiveFeed,
    RunningSource,
    SourceMissingError,
    why_of,
)
from ldap_workbench.capture.past.host_files import printed_zone
from ldap_workbench.connect.directory import OWN_BASE, Directory, Entry
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.reading.date_order import may_show_no_year, year_of
from ldap_workbench.model.errors import (
    ConnectError,
    DirectoryError,
    NoAnswerError,
    WorkbenchError,
)
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.window import Sample, Source, SourceKind, SourceState
from ldap_workbench.servers import ds389
from ldap_workbench.servers.product import product_of
from ldap_workbench.servers.target import UnansweringDirectory
from ldap_workbench.session.writer import SessionWriter

if TYPE_CHECKING:  # it knows every kind of link, and an import of files needs none
    from ldap_workbench.servers.target import Target

Work = Callable[[Cancel], Source]
T = TypeVar("T")

_TICK_S = 0.1
"""How often a source that waits for the window looks whether there will be none."""
_LEAST_POLL_S = 0.2
"""Of the wall: a server whose clock is fast is looked at more often, within reason."""


class Sources:
    """What a window samples: `running`, `not_started` with their reasons, and their `links`.

    `stuck` is why only the host is asked: the server takes connections and does not answer.
    """

    def __init__(
        self,
        target: Target,
        writer: SessionWriter,
        plan: CapturePlan,
        feed: LiveFeed,
        cancel: Cancel,
        window: int,
        nonce: str,
    ) -> None:
        self._target = target
        self._writer = writer
        self._plan = plan
        self._feed = feed
        self._cancel = cancel
        self._nonce = nonce
        self.begun = Cancel()
        """Set with the window's first moment: what is read every 10 s is read at once in it."""
        self._poll_s = max(_LEAST_POLL_S, plan.poll_s / target.facts.clock_rate)
        self.links: dict[SourceKind, AnyLink] = {}
        self.running: list[RunningSource] = []
        self.not_started: list[Source] = []
        self.access: AccessLogCapture | None = None
        facts = target.facts
        self._log_clock = LogClock(
            target.now_ns,
            facts.clock_error_ns or 0,
            facts.clock_rate,
            (lambda: target.clock.age_ns) if self._dates_itself() else None,
        )
        self._silent: WorkbenchError | None = None
        self.stuck: NoAnswerError | None = None
        if isinstance(target.directory, UnansweringDirectory):
            self.stuck = target.directory.why
        self._sources = {
            kind: Source(writer.next_id("source"), window, kind, name, SourceState.MISSING)
            for kind, name in self._names().items()
            if kind in plan.sources
        }

    def start(self) -> None:
        """Start all that can be had.

        Raises ConnectError where the server does not answer, unless its host is enough.
        """
        prepare = {
            SourceKind.ACCESS_LOG: self._access_log,
            SourceKind.ERROR_LOG: self._error_log,
            SourceKind.IOSTAT: self._iostat,
            SourceKind.HOST: self._host_state,
        }
        self._silent = self._unless_stuck(self._silent_log)
        with ThreadPoolExecutor(len(prepare), "capture-start") as pool:
            ready = {
                kind: pool.submit(work, self._sources[kind])
                for kind, work in prepare.items()
                if kind in self._sources
            }
            self._launch(SourceKind.ACCESS_LOG, ready)
            self._unless_stuck(partial(self.announce, self._nonce))
            self._launch(SourceKind.ERROR_LOG, ready)
            if SourceKind.MONITOR in self._sources:
                monitor = pool.submit(self._monitor, self._sources[SourceKind.MONITOR])
                self._launch(SourceKind.MONITOR, {SourceKind.MONITOR: monitor})
            self._launch(SourceKind.IOSTAT, ready)
            self._launch(SourceKind.HOST, ready)

    def _unless_stuck(self, ask: Callable[[], T]) -> T | None:
        """The server's answer; None where it is stuck, and then only its host is asked."""
        if self.stuck:
            return None
        try:
            return ask()
        except NoAnswerError as error:
            if not self._plan.host_alone or self._target.shell is None:
                raise
            self.stuck = error
            return None

    def ask(self, base: str) -> list[Entry]:
        """Search, once more over another link where the first has broken."""
        try:
            return self._target.directory.search(base)
        except ConnectError:
            self._target.reconnect()
            return self._target.directory.search(base)

    def announce(self, base: str) -> None:
        """Search for what is nowhere, so that the access log tells when it was asked."""
        self._log_clock.asking(base)
        try:
            self.ask(base)
        finally:
            self._log_clock.answered(base)

    def close(self) -> None:
        for link in self.links.values():
            link.close()

    def cut_off(self, kind: SourceKind) -> None:
        """Close the login under a command that does not end; what has come over it is kept."""
        link = self.links.get(kind)
        if isinstance(link, HostLink):
            link.close()

    def _dates_itself(self) -> bool:
        """Whether the lines of the log have the time of the server's own clock, which was read.

        slapd leaves that to syslog, and a command may begin to print after the first search.
        """
        facts = self._target.facts
        compared = facts.clock_error_ns is not None and not facts.simulated
        return compared and product_of(facts) == "389ds" and not self._target.profile.log_command

    # --- starting ------------------------------------------------------------------------------

    def _names(self) -> dict[SourceKind, str]:
        facts, profile = self._target.facts, self._target.profile
        names = {
            SourceKind.ACCESS_LOG: profile.log_command
            or profile.access_log
            or facts.access_log
            or "",
            SourceKind.ERROR_LOG: facts.error_log or "",
            SourceKind.MONITOR: "cn=monitor",
            SourceKind.IOSTAT: "iostat",
            SourceKind.HOST: "/proc",
        }
        if facts.simulated:
            del names[SourceKind.HOST]  # the simulated host has no kernel
        if product_of(facts) == "openldap":
            del names[SourceKind.ERROR_LOG]  # errors are in its one log
        return names

    def _launch(self, kind: SourceKind, ready: dict[SourceKind, Future[Work]]) -> None:
        """Start a source once it is ready, or record why it cannot be had."""
        if kind not in ready:
            return
        source = self._sources[kind]
        try:
            work = ready[kind].result()
        except WorkbenchError as error:
            missing = isinstance(error, SourceMissingError)
            state = SourceState.MISSING if missing else SourceState.FAILED
            source = replace(source, state=state, why=why_of(error))
            self.not_started.append(source)
            self._feed.ended(source)
            return
        self._writer.put_source(replace(source, state=SourceState.PARTIAL, why=CUT_OFF))
        self._feed.started(source)
        self.running.append(RunningSource(source, work))

    def _linked(self, kind: SourceKind, link: AnyLink) -> None:
        self.links[kind] = link
        link.open()

    def _host(self, kind: SourceKind) -> HostLink:
        """A link to the host, open."""
        link = HostLink(lambda: shell_of(self._target), self._cancel, self._plan.patience_s)
        self._linked(kind, link)
        return link

    def _follower(self, source: Source, fact: str, attribute: str, poll_s: float) -> LogFollower:
        if not source.name:
            raise log_missing(self._target, fact, attribute)
        follower = LogFollower(self._host(source.kind), source.name, poll_s)
        follower.start()
        return follower

    def _log_follower(self, source: Source) -> LogFollower | CommandFollower:
        """By the operator's own command where the profile has one, else the file."""
        command = self._target.profile.log_command
        if not command:
            return self._follower(source, "access_log", "nsslapd-accesslog", self._poll_s)
        return CommandFollower(self._host(source.kind), command)

    # --- each of them --------------------------------------------------------------------------

    def _silent_log(self) -> WorkbenchError | None:
        """Why the server writes nothing into its log now: that may change between two windows."""
        profile, facts = self._target.profile, self._target.facts
        asked = SourceKind.ACCESS_LOG in self._sources and product_of(facts) == "389ds"
        if not asked or profile.log_command:
            return None
        try:
            entries = self.ask(ds389.CONFIG)
        except DirectoryError:
            return None  # this bind may not see it
        return ds389.silent_log(entries[0] if entries else None, facts.version)

    def _access_log(self, source: Source) -> Work:
        if self._silent:
            raise SourceMissingError(self._silent.what, remedy=self._silent.remedy)
        follower = self._log_follower(source)
        before = follower.last(LOOK)
        detection = detect_current_format(before, self._target.facts)
        follower.read_as(detection.dialect)
        scanner = Scanner(detection.dialect, own_nonces=[OWN_BASE.encode()])
        if may_show_no_year(detection.dialect):
            scanner.begin_file(*self._year_and_zone(follower.link))
        if isinstance(follower, CommandFollower):
            follower.start()  # from here on the link is its own thread's
        self.access = AccessLogCapture(
            follower,
            scanner,
            detection,
            self._writer,
            source,
            self._feed.operations,
            before,
            self._log_clock,
        )
        return self.access.run

    def _year_and_zone(self, link: HostLink) -> tuple[int, int]:
        """What syslog does not print: the year now and the host's zone, ns east of UTC."""
        printed = link.run(["date", "+%z"], sudo=False).stdout
        zone_ns = printed_zone(printed.decode("ascii", "replace"))
        return year_of(self._target.now_ns(), zone_ns), zone_ns

    def _error_log(self, source: Source) -> Work:
        follower = self._follower(source, "error_log", "nsslapd-errorlog", 5 * self._poll_s)
        return lambda stop: follow_raw(follower, self._writer, source, stop, self._feed.errors)

    def _monitor(self, source: Source) -> Work:
        from ldap_workbench.servers.monitor import monitor_entries, resolved
        from ldap_workbench.servers.replication import replication_entries

        if self.stuck:
            raise self.stuck
        entries = monitor_entries(self._target.facts)
        if not entries:
            why = Message("Which counters this server has is not known.")
            raise SourceMissingError(
                self._target.facts.unknown.get("cn=monitor", why),
                remedy=Message("Measure with its access log and the host's counters."),
            )
        link = Link(self._announced, self._cancel, self._plan.patience_s)
        self._linked(source.kind, link)
        entries = resolved(entries, link.open())
        if not self._target.facts.simulated:
            entries += replication_entries(link.open(), self._target.facts)

        def work(stop: Cancel) -> Source:
            while not stop and not self.begun.wait(_TICK_S):
                pass
            return sample_monitor(
                link,
                entries,
                source,
                self._target.now_ns,
                lambda samples: self._take_samples(source, samples),
                stop,
                poll_s=self._poll_s,
                rate=self._target.facts.clock_rate,
            )

        return work

    def _announced(self) -> Directory:
        """Another link, with a search that finds nothing, so that the log tells that it is ours."""
        directory = self._target.another_directory()
        directory.search(self._nonce)
        return directory

    def _iostat(self, source: Source) -> Work:
        link = self._host(source.kind)

        return lambda stop: sample_iostat(
            link,
            source,
            self._target.now_ns,
            lambda samples: self._take_samples(source, samples),
            stop,
        )

    def _host_state(self, source: Source) -> Work:
        link = self._host(source.kind)
        return lambda stop: sample_host_state(
            link,
            source,
            self._target.facts,
            self._target.now_ns,
            lambda samples: self._take_samples(source, samples),
            stop,
        )

    def _take_samples(self, source: Source, samples: list[Sample]) -> None:
        self._writer.add_samples(source.id, samples)
        self._feed.samples(source.kind, samples)
