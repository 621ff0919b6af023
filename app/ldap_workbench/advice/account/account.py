"""The account of a window: its waiting by cause, and by who asked for what."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.account.blame import (
    Blame,
    Block,
    Mask,
    Phases,
    blame_of,
    phases_of,
    queue_without,
    used_of,
)
from ldap_workbench.advice.evidence.rows import numbered
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import TYPES, Int64, Operations, text_at
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.resources import resource
from ldap_workbench.session.unanswered import Waiting

Rows = NDArray[np.intp]

KEYS = ("client", "bind_dn", "kind", "base", "result", "connection", "second")
"""By what an account groups: address, DN, type with filter, base or entry, result code ..."""
_THREADS = "nsslapd-threadnumber"
_NEVER_ANSWERED = "unanswered"
_UNEXPLAINED = -1
_SHOWN = 0.01
"""Of the waiting: a group with less is not seen in a picture."""
_KINDS = 12
"""Kinds of operations that a picture tells apart."""
SLOW_NS = 100_000_000
"""From here on a person notices the wait for one operation."""


@dataclass(frozen=True)
class Explained:
    """What one finding explains: `waited_ns`, of which it claims `alone_ns` before all others."""

    id: str
    title: Message
    operations: int
    waited_ns: int
    alone_ns: int


@dataclass(frozen=True)
class GroupTime:
    """The time of one group, ns.

    `used_ns` is worker time, `waited_ns` what its users waited, `charged_ns` what others waited
    while its operations held workers, and `unexplained_ns` the part of its waiting without a cause.
    """

    name: str
    operations: int
    used_ns: int
    waited_ns: int
    charged_ns: int
    unexplained_ns: int


@dataclass(frozen=True, eq=False)
class Account:
    """Where the time of a window went; arrays are [n], in the order of its operations.

    `queue_cause` and `work_cause` are places in `causes`, the findings that claim time, and -1.
    """

    operations: Operations
    phases: Phases
    blocks: tuple[Block, ...]
    causes: tuple[Finding, ...]
    claimed: tuple[tuple[int, int], ...]
    """Of each of `causes`: the operations it claims, and what it would explain by itself, ns."""
    queue_cause: NDArray[np.int16]
    work_cause: NDArray[np.int16]
    unanswered: tuple[tuple[Waiting, int], ...] = ()
    """Operations without an answer, and how long they waited, to the window's end at most, ns."""
    unanswered_cause: Finding | None = None
    """The finding that explains them."""
    threads: int | None = None
    """Worker threads of the server, where they are known."""
    step_ns: int = 1
    """The finest step that the log's etimes can show."""

    @cached_property
    def blame(self) -> Blame:
        """Who made whom wait, in all."""
        return blame_of(self.operations, self.phases, self.blocks)

    @cached_property
    def used(self) -> Int64:
        """The work of each operation, net of the time it was blocked, ns."""
        return used_of(self.operations, self.phases, self.blocks)

    @property
    def waited_ns(self) -> int:
        """What all users waited together, for answers that never came too."""
        return int(self.phases.waited_ns.sum()) + self.unanswered_ns

    @property
    def unanswered_ns(self) -> int:
        """What was waited for answers that never came."""
        return sum(waited for _, waited in self.unanswered)

    @property
    def unexplained_ns(self) -> int:
        """All waiting that no finding claims."""
        return int(self.unexplained.sum()) + (0 if self.unanswered_cause else self.unanswered_ns)

    @property
    def used_ns(self) -> int:
        """What all workers worked, net of the time they were blocked."""
        return int(self.used.sum())

    @cached_property
    def unexplained(self) -> Int64:
        """The waiting of each operation that no finding claims, ns."""
        queue = np.where(self.queue_cause == _UNEXPLAINED, self.phases.queue_ns, 0)
        work = np.where(self.work_cause == _UNEXPLAINED, self.phases.work_ns, 0)
        unexplained: Int64 = queue + work
        return unexplained

    @cached_property
    def slow(self) -> Mask:
        """Operations whose unexplained waiting a person notices.

        What began just before the next step of a coarse log and ended behind it has one step,
        however short it was: only the mean of its kind says whether it took so long.
        """
        slow: Mask = self.unexplained >= SLOW_NS
        one_step = slow & (self.operations.etime_ns <= self.step_ns)
        if one_step.any():
            codes, _ = groups_of(self.operations, "kind")
            means = np.bincount(codes, self.operations.etime_ns) / np.bincount(codes)
            slow &= ~one_step | (means >= SLOW_NS)[codes]
        return slow

    @property
    def explained_share(self) -> float:
        """The part of the waiting that findings explain, 0 to 1."""
        return 1.0 - self.unexplained_ns / max(self.waited_ns, 1)

    @property
    def unsplit_ns(self) -> int:
        """Waiting of operations of which the log does not say how long they were in the queue."""
        return int(self.phases.waited_ns[~self.phases.split].sum())

    def explained(self) -> list[Explained]:
        """What each finding explains, the most first; overlap is counted once."""
        rows = []
        for place, (finding, claimed) in enumerate(zip(self.causes, self.claimed, strict=True)):
            alone = self.phases.queue_ns[self.queue_cause == place].sum()
            alone += self.phases.work_ns[self.work_cause == place].sum()
            rows.append(Explained(finding.id, finding.title, *claimed, int(alone)))
        if (cause := self.unanswered_cause) is not None:
            waited = self.unanswered_ns
            rows.append(Explained(cause.id, cause.title, len(self.unanswered), waited, waited))
        return sorted(rows, key=lambda row: -row.alone_ns)

    def bars(self, key: str, most: int) -> list[tuple[str, dict[tuple[str, str], int]]]:
        """The waiting of each group by (cause, kind), ns.

        A cause is the id of a finding, '' for what no finding explains. Of groups and kinds those
        with the most waiting are named; what is left, and what has no name, is '', the last.
        """
        names, place = self._most(key, most)
        kinds, of_kind = self._most("kind", _KINDS)
        deep = len(kinds) + 1
        wide = (len(self.causes) + 1) * deep  # the last cause is what is unexplained
        sums = np.zeros((len(names) + 1) * wide)
        for cause, time in (
            (self.queue_cause, self.phases.queue_ns),
            (self.work_cause, self.phases.work_ns),
        ):
            explained = np.where(cause < 0, len(self.causes), cause)
            cells = place * wide + explained * deep + of_kind
            sums += np.bincount(cells, time.astype(np.float64), len(sums))
        ids = [*(finding.id for finding in self.causes), ""]
        cells_of_bar = [(cause, kind) for cause in ids for kind in (*kinds, "")]
        bars = [
            {cell: round(ns) for cell, ns in zip(cells_of_bar, row, strict=True) if ns}
            for row in sums.reshape(-1, wide).tolist()
        ]
        why = self.unanswered_cause.id if self.unanswered_cause else ""
        for operation, waited in self.unanswered:
            name, kind = waiting_group(operation, key), waiting_group(operation, "kind")
            bar = bars[names.index(name) if name in names else len(names)]
            cell = (why, kind if kind in kinds else "")
            bar[cell] = bar.get(cell, 0) + waited
        return [(name, bar) for name, bar in zip([*names, ""], bars, strict=True) if bar]

    def _most(self, key: str, most: int) -> tuple[list[str], NDArray[np.intp]]:
        """The groups with the most waiting, and the place of each operation among them, [n].

        What belongs to none of them has the place behind the last.
        """
        codes, first = groups_of(self.operations, key)
        every = [group_name(self.operations, key, int(row)) for row in first]
        counted = np.bincount(codes[self.phases.counted], minlength=len(first))
        sums = np.bincount(codes, self.phases.waited_ns.astype(np.float64), len(first))
        waited = {name: int(ns) for name, ns, n in zip(every, sums, counted, strict=True) if n}
        for operation, waited_ns in self.unanswered:
            name = waiting_group(operation, key)
            waited[name] = waited.get(name, 0) + waited_ns
        least = _SHOWN * self.waited_ns
        longest = sorted(waited, key=lambda name: -waited[name])[:most]
        names = [name for name in longest if name and waited[name] >= least]
        place = {name: at for at, name in enumerate(names)}
        places = [place.get(name, len(names)) for name in every]
        return names, np.array(places, np.intp)[codes]

    def by(self, key: str, most: int | None = None) -> list[GroupTime]:
        """The groups of one of KEYS, by what they waited and made others wait."""
        counted = self.phases.counted
        codes, first = groups_of(self.operations, key)
        size = len(first)

        def total(values: Int64) -> Int64:
            sums: Int64 = np.bincount(codes, values.astype(np.float64), size).astype(np.int64)
            return sums

        number = np.bincount(codes[counted], minlength=size)
        used, waited = total(self.used), total(self.phases.waited_ns)
        charged, unexplained = total(self.blame.charged_ns), total(self.unexplained)
        groups = {
            name: GroupTime(name, *numbers)
            for name, *numbers in zip(
                (group_name(self.operations, key, int(row)) for row in first),
                number.tolist(),
                used.tolist(),
                waited.tolist(),
                charged.tolist(),
                unexplained.tolist(),
                strict=True,
            )
            if numbers[0]
        }
        for operation, waited_ns in self.unanswered:
            name = waiting_group(operation, key)
            group = groups.get(name, GroupTime(name, 0, 0, 0, 0, 0))
            groups[name] = replace(
                group,
                operations=group.operations + 1,
                waited_ns=group.waited_ns + waited_ns,
                unexplained_ns=group.unexplained_ns + (0 if self.unanswered_cause else waited_ns),
            )
        return sorted(groups.values(), key=lambda group: -(group.waited_ns + group.charged_ns))[
            :most
        ]

    def queue_without(self, key: str, name: str) -> int | None:
        """What others would have waited in the queue without a group, ns; None: not known."""
        codes, first = groups_of(self.operations, key)
        named = [group_name(self.operations, key, int(row)) == name for row in first]
        left_out = np.array(named, np.bool_)[codes]
        return queue_without(self.operations, self.phases, self.threads, left_out)

    def made_wait(self, key: str, most: int = 8) -> tuple[list[str], list[list[int]]]:
        """Who made whom wait: names of groups, and ns that each (row) waited for each (column)."""
        top = self.by(key, most)
        names = [group.name for group in top]
        place = {name: at for at, name in enumerate(names)}
        codes, first = groups_of(self.operations, key)
        here = [place.get(group_name(self.operations, key, int(row)), len(names)) for row in first]
        of_row = np.array(here, np.intp)[codes]
        waits = []
        for at in range(len(names)):
            charged = blame_of(self.operations, self.phases, self.blocks, of_row == at).charged_ns
            sums = np.bincount(of_row, charged.astype(np.float64), len(names) + 1)
            waits.append([round(ns) for ns in sums[: len(names)]])
        return names, waits


def account_of(view: WindowView, findings: Iterable[Finding]) -> Account:
    """Account for the time of a window, with what its findings claim."""
    threads = view.number(_THREADS)
    threads_known = int(threads) if threads is not None and threads > 0 else None
    phases = phases_of(view.operations, threads_known, view.request_of)
    blocks = tuple(
        Block(stall.start_ns, stall.end_ns, stall.rows, blocker)
        for stall, blocker in zip(view.stalls, view.blockers, strict=True)
    )
    causes = {
        phase: np.full(len(view.operations), _UNEXPLAINED, np.int16) for phase in ("queue", "work")
    }
    times = {"queue": phases.queue_ns, "work": phases.work_ns}
    findings = list(findings)
    claims, claimed = _claims_of(findings), []
    for place, (finding, rows) in enumerate(claims):
        waited = np.zeros(len(rows), np.int64)
        for phase in _phases(finding.id):
            waited += times[phase][rows]
            causes[phase][rows[causes[phase][rows] == _UNEXPLAINED]] = place
        claimed.append((int(np.count_nonzero(waited)), int(waited.sum())))
    return Account(
        view.operations,
        phases,
        blocks,
        tuple(finding for finding, _ in claims),
        tuple(claimed),
        causes["queue"],
        causes["work"],
        tuple((op, op.waited_ns(view.window.end_ns)) for op in view.never_answered),
        next((finding for finding in findings if finding.id == _NEVER_ANSWERED), None),
        threads_known,
        view.resolution_ns,
    )


def _claims_of(findings: Iterable[Finding]) -> list[tuple[Finding, NDArray[np.intp]]]:
    """The findings that claim operations, with these, the most specific first."""
    order = {finding: at for at, (finding, _) in enumerate(_claims())}
    claims = [(finding, rows_of(finding)) for finding in findings if finding.id in order]
    claims = [(finding, rows) for finding, rows in claims if len(rows)]
    return sorted(claims, key=lambda claim: order[claim[0].id])


def rows_of(finding: Finding) -> NDArray[np.intp]:
    """All operations in the evidence of a finding, once each."""
    pieces = [piece.rows for piece in finding.evidence if piece.rows is not None]
    return np.unique(np.concatenate(pieces)) if pieces else np.empty(0, np.intp)


def explains_work(finding: str) -> bool:
    """Whether findings of this id explain what operations take at work by themselves."""
    return dict(_claims()).get(finding) == "work"


def _phases(finding: str) -> tuple[str, ...]:
    claims = dict(_claims())[finding]
    return ("queue", "work") if claims == "all" else (claims,)


@cache
def _claims() -> tuple[tuple[str, str], ...]:
    """Ids of findings that explain time, the most specific first, and which phases."""
    document = tomllib.loads(resource("advice/claims.toml").read_text("utf-8"))
    return tuple((claim["finding"], claim["phases"]) for claim in document["claims"])


def group_keys(operations: Operations, key: str, rows: Rows | None = None) -> Int64:
    """A number for the group of each operation by one of KEYS, [n]; of all or of some rows."""
    some = slice(None) if rows is None else rows
    if key == "kind":
        wide = int(operations.fingerprint.max(initial=-1)) + 2
        return operations.kind[some].astype(np.int64) * wide + operations.fingerprint[some] + 1
    if key == "connection":
        return (operations.boot[some].astype(np.int64) << 42) + operations.conn[some]
    if key == "second":
        return operations.start_ns[some] // NS_PER_S
    column = operations.err if key == "result" else getattr(operations, key)
    keys: Int64 = column[some].astype(np.int64)
    return keys


def groups_of(operations: Operations, key: str) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The group of each operation as a number from 0 on, [n], and an operation of each group."""
    first, codes = numbered(group_keys(operations, key))
    return codes, first


def group_name(operations: Operations, key: str, row: int) -> str:
    """The group of an operation as the log names it; '' where it does not."""
    if key == "kind":
        text = text_at(operations.fingerprints, int(operations.fingerprint[row]))
        return f"{TYPES[int(operations.kind[row])]} {text}".rstrip()
    if key == "connection":
        return f"conn={operations.conn[row]}"
    if key in ("result", "second"):
        return str(group_keys(operations, key, np.array([row]))[0])
    tables: dict[str, Sequence[str]] = {
        "client": operations.clients,
        "bind_dn": operations.bind_dns,
        "base": operations.bases,
    }
    return text_at(tables[key], int(getattr(operations, key)[row]))


def waiting_group(operation: Waiting, key: str) -> str:
    """The group of an operation without an answer, as `group_name` calls those with one."""
    names = {
        "client": operation.client,
        "bind_dn": operation.bind_dn,
        "kind": f"{operation.type} {operation.filter}".rstrip(),
        "base": operation.base,
        "connection": f"conn={operation.conn}",
        "second": str(operation.time_ns // NS_PER_S),
    }
    return names.get(key, "")
