"""The tails view: from the operations of two sets of windows to curves, shapes and rows.

Called in the thread of the session. Etimes are kept per window, so that looking at another type or
set of windows does not read the file again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.experiment.judge import judge_sessions, verdict_of_today
from ldap_workbench.figures.names import ARMS
from ldap_workbench.figures.table import Numbers
from ldap_workbench.figures.tails.client_view import client_numbers, client_views
from ldap_workbench.figures.tails.curve import (
    BETWEEN,
    COUNTING,
    Distribution,
    TailCurve,
    TailsPicture,
    curve_of,
    distribution_of,
)
from ldap_workbench.figures.tails.icicle import Stacks, session_stacks
from ldap_workbench.figures.tails.probes import ProbePicture, probe_pictures
from ldap_workbench.figures.verdict.changed_groups import GroupChange, changed_groups
from ldap_workbench.figures.verdict.host_changes import HostChange, host_changes
from ldap_workbench.inference.counts.distributions import between_band, counting_band
from ldap_workbench.inference.counts.tails import ascending_etimes, tails_of
from ldap_workbench.model.experiment import Experiment
from ldap_workbench.model.message import NOTHING, Message, count_of, verbatim
from ldap_workbench.model.operations import ALL, INTERNAL, TYPES, Latencies, Operations
from ldap_workbench.model.tail import Tail
from ldap_workbench.model.target import distinct_names
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.model.window import Span, Window
from ldap_workbench.session.reader import Session

_NONE = np.empty(0, np.int64)
_SORTERS = 2
_KEPT = 24
"""Windows whose etimes are kept; a window of a million operations takes 8 MB."""


@dataclass(frozen=True, eq=False)
class TailsView:
    """All the tails screen shows for two sets of windows and one operation type."""

    picture: TailsPicture
    shapes: tuple[Distribution, ...]
    rows: tuple[Tail, ...]
    types: tuple[str, ...]
    probes: tuple[ProbePicture, ...] = ()
    """Imported histograms of all these windows."""
    stacks: Stacks | None = None
    """Stacks of threads of A, against those of B where both have some."""
    client: Numbers | None = None
    """What a client measured in these windows, beside the server; None without its log."""
    host: tuple[HostChange, ...] = ()
    """What companions of the logs show in B against A."""
    groups: tuple[GroupChange, ...] = ()
    """What is new, gone or changed in B against A."""


@dataclass(frozen=True, eq=False)
class _Etimes:
    of_type: dict[str, NDArray[np.int64]]
    """Ascending, of every type that occurs."""
    rows: tuple[Tail, ...]
    resolution_ns: int


@dataclass(frozen=True, eq=False)
class Judged:
    """A verdict, the windows it is about with their arms, and how much of each was cut."""

    verdict: Verdict
    windows: tuple[Window, ...]
    trim_s: float = 0.0


class TailsReader:
    """Reads windows of one session; with `other`, those of B are windows of another one."""

    def __init__(self, session: Session, other: Session | None = None) -> None:
        self._sessions = {"A": session, "B": other if other is not None else session}
        self._apart = other is not None
        self._recent: OrderedDict[tuple[Session, int, Span | None], _Etimes] = OrderedDict()

    def picture(
        self, a: Sequence[Window], b: Sequence[Window], kind: str, slo_ns: int
    ) -> TailsPicture:
        """The curves of windows `a` against `b` (may be empty) alone, which reads far less."""
        return self._curves(_arms(a, b), kind, slo_ns, None)[0]

    def view(
        self,
        a: Sequence[Window],
        b: Sequence[Window],
        kind: str,
        slo_ns: int,
        selection: Span | None = None,
    ) -> TailsView:
        """All there is to show for windows `a` against `b` (may be empty) and an operation type.

        With a time `selection` (ns) only operations at work between its two moments.
        """
        arms = _arms(a, b)
        picture, shapes, rows = self._curves(arms, kind, slo_ns, selection)
        return TailsView(
            picture,
            tuple(shapes),
            tuple(rows),
            _types(rows),
            self._probes(arms),
            session_stacks(self._sessions["A"], a, b, self._sessions["B"]),
            self._client(arms),
            tuple(host_changes(self._sessions["A"], a, b, self._sessions["B"])) if b else (),
            tuple(self._changed_groups(a, b)),
        )

    def _curves(
        self,
        arms: Sequence[tuple[str, Sequence[Window]]],
        kind: str,
        slo_ns: int,
        selection: Span | None,
    ) -> tuple[TailsPicture, list[Distribution], list[Tail]]:
        """The picture, how etimes are distributed by arm, and the tails of every window."""
        curves, thin, shapes, rows = [], [], [], []
        with ThreadPoolExecutor(_SORTERS, thread_name_prefix="tails-sorter") as sorters:
            read = [self._etimes(arm, windows, selection, sorters) for arm, windows in arms]
            everies = [_of_kind(windows, kind) for windows in read]
            merged = list(sorters.map(_merged, everies))
        for (arm, windows), of_windows, every, pooled in zip(
            arms, read, everies, merged, strict=True
        ):
            label = self._label(arm, windows, alone=len(arms) == 1)
            step = max((window.resolution_ns for window in of_windows), default=1)
            curve = curve_of(label, arm, pooled, resolution_ns=step)
            curves.append(_with_band(curve, pooled, every))
            if len(every) > 1:
                thin += [
                    curve_of(verbatim(window.name), arm, etimes, resolution_ns=step)
                    for window, etimes in zip(windows, every, strict=True)
                ]
            shapes.append(distribution_of(label, arm, pooled, resolution_ns=step))
            rows += [self._named(arm, tail) for window in of_windows for tail in window.rows]
        shown = "" if kind == ALL else kind
        return TailsPicture(tuple(curves), tuple(thin), slo_ns, shown), shapes, rows

    def _changed_groups(self, a: Sequence[Window], b: Sequence[Window]) -> list[GroupChange]:
        def operations_of(window: Window) -> Operations:
            arm = "A" if any(window is of_a for of_a in a) else "B"
            return self._sessions[arm].operations(window)

        return changed_groups(a, b, operations_of)

    def _probes(self, arms: Sequence[tuple[str, Sequence[Window]]]) -> tuple[ProbePicture, ...]:
        """Histograms of both sides; of one session as one, so that runs lie over each other."""
        if not self._apart:
            every = {window.id: window for _, windows in arms for window in windows}
            return tuple(probe_pictures(self._sessions["A"], list(every.values())))
        return tuple(
            picture
            for arm, windows in arms
            for picture in probe_pictures(self._sessions[arm], windows)
        )

    def _client(self, arms: Sequence[tuple[str, Sequence[Window]]]) -> Numbers | None:
        views = [view for arm, chosen in arms for view in client_views(self._sessions[arm], chosen)]
        return client_numbers(views)

    def as_planned(self, experiment: Experiment) -> Judged:
        """The verdict of an experiment of the session, which has one."""
        session = self._sessions["A"]
        verdict = verdict_of_today(session, experiment)
        assert verdict is not None
        return Judged(verdict, tuple(session.windows()), experiment.plan.trim_s)

    def judge(self, a: Sequence[Window], b: Sequence[Window], slo_ns: int) -> Judged:
        """A verdict over windows the operator chose; without a coin they can only suggest.

        Raises ExperimentError where they cannot be compared.
        """
        arms = [("A", a), ("B", b)]
        parts = [
            (self._sessions[arm], [replace(w, arm=arm, pair=i) for i, w in enumerate(chosen)])
            for arm, chosen in arms
        ]
        verdict = judge_sessions(parts, slo_ns=slo_ns, design="ab")
        if differs := self._differs():
            verdict = replace(verdict, warnings=(*verdict.warnings, differs))
        return Judged(verdict, tuple(window for _, windows in parts for window in windows))

    def _differs(self) -> Message:
        """What else than the windows is not the same, in a sentence."""
        a, b = (self._sessions[arm].facts for arm in "AB")
        if not self._apart:
            return NOTHING
        if a is None or b is None:
            return Message("Which servers A and B were measured on is not known for both.")
        if a.host != b.host:
            of_a, of_b = distinct_names(a, b)
            return Message(
                "A was measured on {a}, B on {b}: the servers differ, too.", a=of_a, b=of_b
            )
        if a.version != b.version:
            return Message("The server was {a} in A and {b} in B.", a=a.version, b=b.version)
        return NOTHING

    def _label(self, arm: str, windows: Sequence[Window], *, alone: bool) -> Message:
        if not self._apart:
            return _label(arm, windows, alone=alone)
        file = self._sessions[arm].path.stem
        return Message("{arm}: {windows} of {file}", arm=arm, windows=_names(windows), file=file)

    def _named(self, arm: str, tail: Tail) -> Tail:
        return replace(tail, window=f"{arm}: {tail.window}") if self._apart else tail

    def _etimes(
        self,
        arm: str,
        windows: Sequence[Window],
        selection: Span | None,
        sorters: ThreadPoolExecutor,
    ) -> list[_Etimes]:
        """Of each window; one is sorted while the next is read."""
        session = self._sessions[arm]
        coming = {
            window.id: sorters.submit(_sorted, *_read(session, window, selection))
            for window in windows
            if (session, window.id, selection) not in self._recent
        }
        of_windows = []
        for window in windows:
            key = session, window.id, selection
            work = coming.get(window.id)
            of_windows.append(work.result() if work else self._recent[key])
            self._recent[key] = of_windows[-1]
            self._recent.move_to_end(key)
        while len(self._recent) > _KEPT:
            self._recent.popitem(last=False)
        return of_windows


def _arms(a: Sequence[Window], b: Sequence[Window]) -> list[tuple[str, Sequence[Window]]]:
    return [("A", a), ("B", b)] if b else [("A", a)]


def _read(session: Session, window: Window, selection: Span | None) -> tuple[Latencies, str, int]:
    """The latencies of a window, its name, and the step they are printed with (ns)."""
    operations = session.latencies(window)
    if selection is not None:
        operations = _at_work(operations, selection)
    source = session.operation_source(window)
    steps = [s.resolution_ns for s in session.sources(window.id) if s.id == source]
    return operations, window.name, max(steps, default=1)


def _sorted(operations: Latencies, window: str, resolution_ns: int) -> _Etimes:
    etimes = ascending_etimes(operations)
    rows = tails_of(etimes, window=window, resolution_ns=resolution_ns)
    return _Etimes(etimes, tuple(rows), resolution_ns)


def _at_work(operations: Latencies, selection: Span) -> Latencies:
    """Those that had begun and not ended at some moment of it."""
    begun = operations.end_ns - operations.etime_ns < selection[1]
    rows = begun & (operations.end_ns > selection[0])
    return Latencies(**{f.name: getattr(operations, f.name)[rows] for f in fields(Latencies)})


def _merged(every: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Ascending arrays as one."""
    if len(every) == 1:
        return every[0]
    return np.sort(np.concatenate([_NONE, *every]), kind="stable")  # which merges runs


def _of_kind(windows: Sequence[_Etimes], kind: str) -> list[NDArray[np.int64]]:
    return [window.of_type.get(kind, _NONE) for window in windows]


def _types(rows: Sequence[Tail]) -> tuple[str, ...]:
    """Types that occur, all client operations first."""
    occurring = {tail.type for tail in rows if tail.n}
    return tuple(name for name in (ALL, *TYPES, INTERNAL) if name in occurring)


def _label(arm: str, windows: Sequence[Window], *, alone: bool) -> Message:
    if all(window.arm == arm for window in windows):
        return ARMS[arm]
    if not alone:
        return verbatim(f"{arm}: {_names(windows)}")
    if len(windows) == 1:
        return verbatim(windows[0].name)
    return count_of("{n} window", "{n} windows", n=len(windows))


def _names(windows: Sequence[Window]) -> str:
    names = ", ".join(window.name for window in windows[:3])
    return f"{names}{' …' if len(windows) > 3 else ''}"


def _with_band(
    curve: TailCurve, pooled: NDArray[np.int64], windows: Sequence[NDArray[np.int64]]
) -> TailCurve:
    """The pooled curve with its band: from how windows differ, or of one from counting alone."""
    p, used = curve.percentile / 100.0, sum(len(window) > 0 for window in windows)
    if not used:
        return curve
    if used == 1:
        low, high = counting_band(pooled, p)
    else:
        low, high = between_band(pooled, windows, p)
    return replace(curve, low_ns=low, high_ns=high, band=COUNTING if used == 1 else BETWEEN)
