"""The account of a window: its waiting by cause, and by who asked for what."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.account.blame import Blame, Block, blame_of, used_of
from ldap_workbench.advice.account.phases import Mask, Phases, phases_of
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import TYPES, Int64, Operations, text_at
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.resources import resource

KEYS = ("client", "bind_dn", "kind", "base", "result", "connection", "second")
"""By what an account groups: address, DN, type with filter, base or entry, result code ..."""
_THREADS = "nsslapd-threadnumber"
_UNEXPLAINED = -1
_DENSE = 1_000
"""Numbers without an operation that a table of groups may have beside those with one."""
_SHOWN = 0.01
"""Of the waiting: a group with less is not seen in a picture."""
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
        """What all users waited together."""
        return int(self.phases.waited_ns.sum())

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
        """Operations whose unexplained waiting a person notices."""
        slow: Mask = self.unexplained >= SLOW_NS
        return slow

    @property
    def explained_share(self) -> float:
        """The part of the waiting that findings explain, 0 to 1."""
        return 1.0 - float(self.unexplained.sum()) / max(self.waited_ns, 1)

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
        return sorted(rows, key=lambda row: -row.alone_ns)

    def bars(self, key: str, most: int) -> list[tuple[str, dict[str, int]]]:
        """The waiting of each group by cause, ns: finding ids, '' for what no finding explains.

        The groups with the most waiting; what is left of them is the last, named ''.
        """
        codes, first = _groups(self.operations, key)
        waited = np.bincount(codes, self.phases.waited_ns.astype(np.float64), len(first))
        top = np.argsort(-waited, kind="stable")[:most]
        top = top[waited[top] >= max(_SHOWN * waited.sum(), 1)]
        place = np.full(len(first), len(top))
        place[top] = np.arange(len(top))
        wide = len(self.causes) + 1  # the last for what is unexplained, -1 among the causes
        size = (len(top) + 1) * wide
        sums = np.zeros(size)
        for cause, time in (
            (self.queue_cause, self.phases.queue_ns),
            (self.work_cause, self.phases.work_ns),
        ):
            places = place[codes] * wide + np.where(cause < 0, wide - 1, cause)
            sums += np.bincount(places, time.astype(np.float64), size)
        names = [group_name(self.operations, key, int(first[group])) for group in top]
        ids = [*(finding.id for finding in self.causes), ""]
        return [
            (name, {which: round(ns) for which, ns in zip(ids, row, strict=True) if ns})
            for name, row in zip([*names, ""], sums.reshape(-1, wide).tolist(), strict=True)
            if any(row)
        ]

    def by(self, key: str, most: int | None = None) -> list[GroupTime]:
        """The groups of one of KEYS, by what they waited and made others wait."""
        counted = self.phases.counted
        codes, first = _groups(self.operations, key)
        size = len(first)

        def total(values: Int64) -> Int64:
            sums: Int64 = np.bincount(codes, values.astype(np.float64), size).astype(np.int64)
            return sums

        number = np.bincount(codes[counted], minlength=size)
        used, waited = total(self.used), total(self.phases.waited_ns)
        charged, unexplained = total(self.blame.charged_ns), total(self.unexplained)
        order = np.argsort(-(waited + charged), kind="stable")
        order = order[number[order] > 0][:most]
        return [
            GroupTime(
                group_name(self.operations, key, int(first[at])),
                int(number[at]),
                int(used[at]),
                int(waited[at]),
                int(charged[at]),
                int(unexplained[at]),
            )
            for at in order
        ]

    def made_wait(self, key: str, most: int = 8) -> tuple[list[str], list[list[int]]]:
        """Who made whom wait: names of groups, and ns that each (row) waited for each (column)."""
        top = self.by(key, most)
        names = [group.name for group in top]
        place = {name: at for at, name in enumerate(names)}
        codes, first = _groups(self.operations, key)
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


def group_keys(operations: Operations, key: str) -> Int64:
    """A number for the group of each operation by one of KEYS, [n]."""
    if key == "kind":
        wide = int(operations.fingerprint.max(initial=-1)) + 2
        return operations.kind.astype(np.int64) * wide + operations.fingerprint + 1
    if key == "connection":
        return (operations.boot.astype(np.int64) << 42) + operations.conn
    if key == "second":
        return operations.start_ns // NS_PER_S
    column = operations.err if key == "result" else getattr(operations, key)
    keys: Int64 = column.astype(np.int64)
    return keys


def _groups(operations: Operations, key: str) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The group of each operation as a number from 0 on, [n], and an operation of each group."""
    keys = group_keys(operations, key)
    if not len(keys):
        return np.empty(0, np.intp), np.empty(0, np.intp)
    codes = keys - keys.min()
    if codes.max() >= len(codes) + _DENSE:
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        return inverse, first
    rows = np.arange(len(codes))
    first = np.zeros(int(codes.max()) + 1, np.intp)
    first[codes[::-1]] = rows[::-1]
    return codes, first


def group_name(operations: Operations, key: str, row: int) -> str:
    """The group of an operation as the log names it; '' where it does not."""
    if key == "kind":
        text = text_at(operations.fingerprints, int(operations.fingerprint[row]))
        return f"{TYPES[int(operations.kind[row])]} {text}".rstrip()
    if key == "connection":
        return f"conn={operations.conn[row]}"
    if key in ("result", "second"):
        return str(group_keys(operations, key)[row])
    tables: dict[str, Sequence[str]] = {
        "client": operations.clients,
        "bind_dn": operations.bind_dns,
        "base": operations.bases,
    }
    return text_at(tables[key], int(getattr(operations, key)[row]))
