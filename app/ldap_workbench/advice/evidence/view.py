"""All that was seen in one window, and the only reader of a session in this room."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from ldap_workbench.advice.evidence.autotune import version_of
from ldap_workbench.advice.evidence.clients import SHORT, Asked, Steps, steps_of, streams_of
from ldap_workbench.advice.evidence.companions import (
    Histogram,
    StackDump,
    audit_of,
    given_up_in,
    histograms_of,
    stacks_of,
    unanswered_of,
    waiting_of,
)
from ldap_workbench.advice.evidence.series import Samples, Series
from ldap_workbench.advice.evidence.stalls import Blockers, Stall, find_stalls
from ldap_workbench.advice.evidence.waits import never_answered
from ldap_workbench.logs.server.audit389 import AuditRecord
from ldap_workbench.logs.server.errors389 import read_error_log
from ldap_workbench.model.configuration import Configuration, stored_configuration
from ldap_workbench.model.experiment import State
from ldap_workbench.model.finding import Deployment, Evidence
from ldap_workbench.model.knob import KnobReading
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import Operations
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.window import Source, SourceKind, Window
from ldap_workbench.servers.product import product_of_window, products, systems_of
from ldap_workbench.session.lines import first_line
from ldap_workbench.session.reader import Session
from ldap_workbench.session.unanswered import Unanswered, Waiting

_SYSTEMS = {
    "linux": (
        "iostat-linux",
        "iostat-json",
        "vmstat-linux",
        "scheduler-linux",
        "sched-features",
        "sysctl",
        "sar",
        "sadf-d",
        "sadf-j",
    ),
    "solaris": ("iostat-solaris", "vmstat-solaris"),
}
"""Dialects by which a system is known."""
_BDB = re.compile(
    r"^nsslapd-(?:db-(?!durable)|dbcache)|:nsslapd-db-|\b_*memp_|\b__(?:db|txn|log|lock|memp)_|"
    r"checkpoint_threadmain"
)
"""Names that only a server over Berkeley DB has: of settings, counters and functions."""
_FIRST_WITH_LMDB = (2, 1)
"""389 DS before it has Berkeley DB alone."""
_BLOCK, _LINE, _BLOCKS = 256 << 10, 8 << 10, 8
"""Bytes of log read at once, and beyond them for a line that begins in it; blocks kept."""
_ERROR_LOG_LIMIT = 64 << 20
"""Bytes of error log read for one window."""
_TOGETHER = 1_000_000
"""Samples of a window that are read with one question: 24 MB."""


@dataclass(frozen=True)
class ErrorLine:
    """One line of the error log."""

    time_ns: int
    text: str


@dataclass(frozen=True, eq=False)
class Baseline:
    """Another window to compare with."""

    window: Window
    operations: Operations


@dataclass(frozen=True, eq=False)
class WindowView:
    """What the families of findings look at; everything but the window may be missing.

    `settings` maps knob names to values as text; `line_of` and `request_of` give the raw result
    and request line of a row of `operations`, `line_at` that at a place of the log, None where no
    text was kept.
    """

    window: Window
    operations: Operations = field(default_factory=Operations.empty)
    samples: Samples = field(default_factory=dict)
    facts: TargetFacts | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    sources: tuple[Source, ...] = ()
    baseline: Baseline | None = None
    errors: tuple[ErrorLine, ...] = ()
    stacks: tuple[StackDump, ...] = ()
    histograms: tuple[Histogram, ...] = ()
    audit: tuple[AuditRecord, ...] = ()
    unanswered: tuple[Unanswered, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    given_up: tuple[Waiting, ...] = ()
    configuration: Configuration = field(default_factory=Configuration)
    vmstat_apart: Samples = field(default_factory=dict)
    """The only vmstat of the session where it is not of this window: its rows may have no time."""
    monitor_apart: Samples = field(default_factory=dict)
    """The only cn=monitor of the session likewise: what fills up is as full in this window."""
    line_of: Callable[[int], str] | None = None
    request_of: Callable[[int], str] | None = None
    line_at: Callable[[int], str] | None = None

    def evidence(self, text: Message, series: str = "") -> Evidence:
        """Evidence over the whole window; `series` names the samples to look at."""
        return Evidence(text, self.window.start_ns, self.window.end_ns, series=series)

    @cached_property
    def stalls(self) -> list[Stall]:
        return find_stalls(self.operations, self.resolution_ns)

    @cached_property
    def blockers(self) -> tuple[int | None, ...]:
        """Of each of `stalls`, the row of the operation that held up its victims, where one did."""
        blockers = Blockers(self.operations, self.stalls, self.resolution_ns)
        return tuple(blockers.of(place) for place in range(len(self.stalls)))

    @cached_property
    def never_answered(self) -> list[Waiting]:
        """Operations of clients that waited too long and have no result, oldest first."""
        return never_answered(self)

    @cached_property
    def asked(self) -> Asked:
        """Its operations by who asked."""
        return Asked(self.operations)

    @cached_property
    def steps(self) -> Steps:
        """Requests of clients one after the other, on a connection or of clients of short ones."""
        return steps_of(self.asked, streams_of(self.asked))

    @property
    def connection_steps(self) -> Steps:
        """The same, connection by connection."""
        number, connections = self.asked.connections.number, self.asked.connections
        are_long = not len(number) or connections.operations.min() > SHORT
        return self.steps if are_long else steps_of(self.asked, number)

    @cached_property
    def resolution_ns(self) -> int:
        """The finest step the etimes of this window can show."""
        logs = [s.resolution_ns for s in self.sources if s.kind == SourceKind.ACCESS_LOG]
        return max(logs, default=1)

    @property
    def seconds(self) -> float:
        return max(self.window.seconds, 1e-9)

    @cached_property
    def product(self) -> str:
        """The product of the server, as in resources/servers/products.toml; "" where unknown."""
        return product_of_window(
            self.facts, self.sources, self.configuration, self.settings, self.samples
        )

    @cached_property
    def server(self) -> Deployment:
        """What advice for this window depends on."""
        return Deployment(self.product, self._db_library, self._systems)

    @property
    def _systems(self) -> tuple[str, ...]:
        """By what tools of the host print, else by the kernel, else what the product runs on."""
        dialects = {word for source in self.sources for word in source.dialect.split()}
        dialects |= self.settings.keys()  # a setting of the kernel has the name of its file
        names = tuple(name for name, signs in _SYSTEMS.items() if dialects & set(signs))
        return names or systems_of(self.facts, self.product)

    @property
    def _db_library(self) -> str:
        """By the server, its configuration, its counters and its stacks, else by its version."""
        if self.facts is not None and self.facts.db_library:
            return self.facts.db_library
        for entry in self.configuration.entries:
            if library := entry.first("nsslapd-backend-implement").lower():
                return library
        for match, _ in self.configuration.matching(r"olcdatabase=\{\d+\}(mdb|hdb|bdb),.*"):
            return match[1].lower().replace("hdb", "bdb")
        if self.product and (library := products()[self.product].library):
            return library
        version = version_of(self.version)
        if any(_BDB.search(sign) for sign in self._signs_of_library()):
            return "bdb"
        return "bdb" if version and version < _FIRST_WITH_LMDB else ""

    def _signs_of_library(self) -> Iterator[str]:
        """Names of settings and counters, and functions on stacks."""
        yield from self.settings
        yield from self.samples
        for dump in self.stacks:
            for frames in dump.threads.values():
                yield from frames

    @property
    def counted_per_second(self) -> bool:
        """Whether what counters grew by has a duration: readings without a time have none."""
        return not any(
            s.kind == SourceKind.MONITOR and s.details.get("undated") for s in self.sources
        )

    @cached_property
    def version(self) -> str:
        """The version of 389 DS; "" where nothing shows it, and of other products.

        By the server, its logs, its configuration or the packages of its host.
        """
        if self.product not in ("389ds", ""):
            return ""
        root = self.configuration.at("cn=config")
        match = re.search(r"/(\d[\w.]*)", root.first("nsslapd-versionstring")) if root else None
        versions = [self.facts.version if self.facts else "", match[1] if match else ""]
        versions += [str(source.details.get("version", "")) for source in self.sources]
        for source in self.sources:
            packages = source.details.get("packages", {})
            versions += [
                packages.get(name, "") for name in ("389-ds-base", "redhat-ds-base", "389-ds")
            ]
        return next(filter(None, versions), "")

    def setting(self, knob: str) -> str | None:
        return self.settings.get(knob)

    def number(self, knob: str) -> float | None:
        """A setting as a number; None where it is unknown or not one."""
        try:
            return float(self.settings[knob])
        except (KeyError, ValueError):
            return None


class SessionSamples(Mapping[str, Series]):
    """The series of a window, read together when the first is looked at; many one by one.

    A window may be narrower than the captured one of its id: a range selected in it.
    """

    def __init__(self, session: Session, window: Window) -> None:
        self._session, self._window = session, window
        self._names = session.series_names(window)
        self._inside: dict[str, Series] = {}

    @cached_property
    def _together(self) -> dict[str, Series]:
        """All of them, or none where they would take too much room."""
        few = self._session.sample_count(self._window) <= _TOGETHER
        return self._session.every_sample(self._window, self._names) if few else {}

    def __getitem__(self, name: str) -> Series:
        if name not in self._inside:
            if name not in self._names:
                raise KeyError(name)
            read = self._together.get(name) or self._session.samples(self._window, name)
            times, values = read
            inside = (times >= self._window.start_ns) & (times <= self._window.end_ns)
            self._inside[name] = times[inside], values[inside]
        return self._inside[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class LogLines:
    """Lines of a log by their offset. Blocks are kept, as those that are asked for lie together."""

    def __init__(self, session: Session, source: int) -> None:
        self._session, self._source = session, source
        self._block = lru_cache(_BLOCKS)(self._read)

    def at(self, offset: int) -> str:
        """The line, or JSON object, that starts there; "" where the log does not hold it."""
        if offset < 0:
            return ""
        block, start = divmod(offset, _BLOCK)
        text = self._block(block)[start : start + _LINE]
        if len(text) == _LINE and (text.startswith(b"{") or b"\n" not in text):
            return self._session.raw_line(self._source, offset)
        return first_line(text)

    def _read(self, block: int) -> bytes:
        return self._session.raw(self._source, block * _BLOCK, _BLOCK + _LINE)


def settings_of(readings: Sequence[KnobReading] | None) -> dict[str, str]:
    """Knob readings as a plain map; an absent attribute has its default."""
    settings: dict[str, str] = {}
    for reading in readings or ():
        value = reading.value if reading.value is not None else reading.knob.default
        if value is not None:
            settings.setdefault(reading.knob.name, value)
    return settings


def view_window(
    session: Session,
    window: Window,
    readings: Sequence[KnobReading] | None = None,
    baseline: Baseline | None = None,
) -> WindowView:
    """What a session holds of a window; `readings` of knobs stand in where it holds none."""
    sources = tuple(session.sources(window.id))
    log = session.operation_source(window)
    operations = session.operations(window)
    lines = LogLines(session, log) if log is not None else None

    def line_of(row: int) -> str:
        return lines.at(int(operations.result_at[row])) if lines else ""

    def request_of(row: int) -> str:
        return lines.at(int(operations.request_at[row])) if lines else ""

    return WindowView(
        window=window,
        operations=operations,
        samples=SessionSamples(session, window),
        facts=session.facts,
        settings=settings_of(readings) | recorded_settings(session, window, sources),
        sources=sources,
        baseline=baseline,
        errors=tuple(error_lines(session, window, sources)),
        stacks=tuple(stacks_of(window, sources)),
        histograms=tuple(histograms_of(sources)),
        audit=tuple(audit_of(session, window, sources)),
        unanswered=tuple(unanswered_of(window, sources)),
        waiting=tuple(waiting_of(window, sources)),
        given_up=tuple(given_up_in(window, sources)),
        configuration=configuration_of(session, sources),
        vmstat_apart=_apart(session, window, SourceKind.VMSTAT),
        monitor_apart=_apart(session, window, SourceKind.MONITOR),
        line_of=line_of if log is not None else None,
        request_of=request_of if log is not None else None,
        line_at=lines.at if lines else None,
    )


def recorded_settings(
    session: Session, window: Window, sources: tuple[Source, ...]
) -> dict[str, str]:
    """Settings the session knows for a window: those stored with it, and its treatment in arm B."""
    settings = _stored(sources) or _agreed(session.sources())
    for experiment in session.experiments():
        if window.arm == "B" and window.id in experiment.windows:
            settings |= {s.knob: s.value for s in experiment.plan.treatment.settings}
    return settings


def _agreed(sources: Sequence[Source]) -> dict[str, str]:
    """Settings of other windows, where none of them says otherwise.

    One server's configuration was imported beside a window of its own.
    """
    stated: dict[str, set[str]] = {}
    for source in sources:
        for knob, value in _stored((source,)).items():
            stated.setdefault(knob, set()).add(value)
    return {knob: next(iter(values)) for knob, values in stated.items() if len(values) == 1}


def _apart(session: Session, window: Window, kind: SourceKind) -> Samples:
    """The readings of the only other window, where one of a kind was imported beside this one."""
    windows = {other.id: other for other in session.windows()}
    apart = [s.window for s in session.sources() if s.kind == kind]
    if len(windows) != 2 or len(apart) != 1 or apart[0] == window.id:
        return {}
    return SessionSamples(session, windows[apart[0]])


def configuration_of(session: Session, sources: Sequence[Source]) -> Configuration:
    """The configuration stored with a window; else that of the session, where there is one only."""
    own = [s.details["configuration"] for s in sources if s.details.get("configuration")]
    if own:
        return stored_configuration(own[0])
    every = [s.details["configuration"] for s in session.sources() if "configuration" in s.details]
    alike = bool(every) and all(configuration == every[0] for configuration in every)
    return stored_configuration(every[0]) if alike else Configuration()


def settings_now(session: Session) -> dict[str, str]:
    """Settings of the server as the session last saw it, by knob; {} where it never did.

    Those stored with its last window outside arm B, as what a treatment set is taken back, and the
    treatments that were kept since.
    """
    windows = {window.id: window for window in session.windows()}
    read = [
        (window.end_ns, stored)
        for source in session.sources()
        if (window := windows.get(source.window)) and window.arm != "B"
        if (stored := _stored((source,)))
    ]
    since, settings = max(read, key=lambda item: item[0], default=(0, {}))
    ends = {window.id: window.end_ns for window in windows.values()}
    for experiment in session.experiments():
        last = max((ends.get(number, 0) for number in experiment.windows), default=0)
        if experiment.state is State.KEPT and last >= since:
            settings |= {s.knob: s.value for s in experiment.plan.treatment.settings}
    return settings


def _stored(sources: tuple[Source, ...]) -> dict[str, str]:
    """Settings that were read with a window or imported beside its log."""
    settings: dict[str, str] = {}
    for source in sources:
        stored = source.details.get("settings", {})
        settings |= {str(knob): str(value) for knob, value in stored.items()}
    return settings


def baseline_of(session: Session, window: Window) -> Window | None:
    """The first complete window before this one, of arm A where there are arms."""
    earlier = [w for w in session.windows() if w.start_ns < window.start_ns and not w.cancelled]
    return next((w for w in earlier if w.arm in ("", "A")), None)


def error_lines(
    session: Session, window: Window, sources: tuple[Source, ...]
) -> Iterator[ErrorLine]:
    """Lines of the error log that were written within a window."""
    for source in sources:
        if source.kind == SourceKind.ERROR_LOG:
            text = session.raw(source.id, 0, _ERROR_LOG_LIMIT)
            for record in read_error_log(text):
                if window.start_ns <= record.time_ns < window.end_ns:
                    parts = (record.severity, record.subsystem, record.text)
                    yield ErrorLine(record.time_ns, " - ".join(filter(None, parts)))
