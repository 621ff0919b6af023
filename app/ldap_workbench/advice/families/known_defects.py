"""Known defects of 389 DS that a window shows, never by the version alone, and their fixes."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ldap_workbench.advice.evidence.autotune import version_of
from ldap_workbench.advice.evidence.inside import client_writes, with_filter
from ldap_workbench.advice.evidence.tasks import tasks_in
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.waits import busy_workers, counted_from_answer
from ldap_workbench.advice.evidence.wording import finding
from ldap_workbench.advice.families.upkeep import waiting_frame
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, Value
from ldap_workbench.model.operations import ABSENT, TYPES, client_operations
from ldap_workbench.resources import resource

_MS = 1_000_000
_FEWEST = 20
_SRCH = TYPES.index("SRCH")
_ON_BRANCH = Message("fixed on its upstream branch, in no release as of August 2026")
_ON_MAIN = Message("fixed upstream on the main branch only, as of August 2026")


@dataclass(frozen=True)
class Defect:
    """One defect; see resources/advice/defects.toml."""

    issue: str
    title: str
    shows: tuple[str, ...]
    fixed: Mapping[str, str]

    def remedy(self, version: str) -> Message | None:
        """Where it is fixed, for a version that may have it.

        None where it has the fix, or where that is not known.
        """
        release = self.fixed.get(branch_of(version))
        if release is None:
            return None
        if release == "branch":
            return _ON_BRANCH
        if release == "main":
            return _ON_MAIN
        older = _numbers(version) < _numbers(release)
        return Message("fixed upstream in {release}", release=release) if older else None


def find(view: WindowView, findings: Sequence[Finding]) -> list[Finding]:
    """Known defects that the window, or the findings of the other families, show."""
    known: list[dict[str, Value]] = [
        {"issue": defect.issue, "title": Message(defect.title), "remedy": remedy}
        for defect in (defects() if view.version else ())
        if (remedy := defect.remedy(view.version)) is not None and shown(defect, view, findings)
    ]
    if not known:
        return []
    return [
        finding(
            "known_defect",
            numbers={"issues": [defect["issue"] for defect in known], "version": view.version},
            evidence=[
                Evidence(Message("Issue {issue}: {title}; {remedy}.", **defect)) for defect in known
            ],
            defects=tuple(
                Message("{title} (389 DS issue {issue}, {remedy})", **defect) for defect in known
            ),
        )
    ]


@cache
def defects() -> tuple[Defect, ...]:
    """The defects known, as resources/advice describes them."""
    rows = tomllib.loads(resource("advice/defects.toml").read_text("utf-8"))["defect"]
    return tuple(Defect(**row | {"shows": tuple(row["shows"])}) for row in rows)


def branch_of(version: str) -> str:
    """2.4 of 2.4.6; of 1.4 three numbers: 1.4.3 of 1.4.3.39."""
    numbers = version_of(version)
    return ".".join(map(str, numbers[: 3 if numbers[:1] == (1,) else 2]))


def _numbers(version: str) -> tuple[int, ...]:
    """1.4.3.39 has four; what a distribution adds behind them does not count."""
    head = version.replace("-", ".").split(".")[:4]
    return tuple(int(part) for part in head if part.isdecimal())


def shown(defect: Defect, view: WindowView, findings: Sequence[Finding]) -> bool:
    """Whether a window with these findings shows a defect: all that its `shows` names."""
    signs = {other.id for other in findings}
    for other in findings:
        signs |= {f"timer:{row['timer']}" for row in other.numbers.get("timers", ())}
        signs |= {f"task:{kind}" for kind in other.numbers.get("tasks", ())}
    for wanted in defect.shows:
        name, _, value = wanted.lstrip("!").partition("=")
        if name in _SHOWS:
            holds = _SHOWS[name](view)
        elif value:
            entries = view.configuration.entries
            holds = value in {view.setting(name), *(entry.first(name) for entry in entries)}
        else:
            holds = name in signs
        if holds == wanted.startswith("!"):
            return False
    return True


def import_waits_for_names(view: WindowView) -> bool:
    """Threads of an import that wait for older entries in its cache of names (LMDB)."""
    return waiting_frame(view.stacks)[1].startswith("rdncache_")


def range_errors(view: WindowView) -> bool:
    """Range searches that failed with operations error, while a change was at work."""
    operations = view.operations
    ranges = with_filter(operations, lambda text: ">=" in text or "<=" in text)
    failed = client_operations(operations) & ranges & (operations.kind == _SRCH)
    failed &= operations.err == 1
    writes = client_writes(operations)
    if failed.sum() < 3 or not writes.any():
        return False
    starts = np.sort(operations.start_ns[writes])
    ends = np.sort(operations.end_ns[writes])
    begun = np.searchsorted(starts, operations.end_ns[failed], "right")
    over = np.searchsorted(ends, operations.start_ns[failed], "left")
    return bool((begun > over).mean() >= 0.8)


def deferred_steps(view: WindowView) -> bool:
    """Changes that take just above a multiple of 100 ms, with deferred memberOf on."""
    memberof = view.configuration.plugins("libmemberof-plugin")
    on = any(entry.is_on("memberOfDeferredUpdate") for entry in memberof)
    etimes = view.operations.etime_ns[client_writes(view.operations)]
    slow = etimes[etimes >= 95 * _MS]
    beyond = slow % (100 * _MS)
    near = (beyond <= 8 * _MS) | (beyond >= 98 * _MS)
    return on and len(slow) >= _FEWEST and bool(near.mean() >= 0.6)


def slow_cleanallruv(view: WindowView) -> bool:
    """Changes that take seconds while a removed replica is cleaned up."""
    lines = [(line.time_ns, line.text) for line in view.errors]
    operations, writes = view.operations, client_writes(view.operations)
    for task in tasks_in(lines, view.window.end_ns):
        starts, ends = operations.start_ns[writes], operations.end_ns[writes]
        during = (starts < task.end_ns) & (ends > task.start_ns)
        slow = (ends - starts)[during] >= 1_000 * _MS
        if task.kind == "cleanallruv" and slow.sum() >= 3:
            return True
    return False


def waits_with_free_workers(view: WindowView) -> bool:
    """Operations of a millisecond that waited a second, at a time when few others were at work.

    Not what begins with the answer before: the pause of a client, in turbo mode.
    """
    operations, threads = view.operations, view.number("nsslapd-threadnumber")
    if not threads:
        return False
    waited = client_operations(operations) & (operations.wtime_ns != ABSENT)
    waited &= (operations.wtime_ns >= 1_000 * _MS) & (operations.optime_ns < _MS)
    # op=0 counts from the accept of the connection: the client's own pause is in it.
    waited &= operations.op > 0
    waited &= busy_workers(operations) < threads / 2
    if waited.sum() < _FEWEST:
        return False
    return bool((waited & ~counted_from_answer(operations)).sum() >= _FEWEST)


_SHOWS: Mapping[str, Callable[[WindowView], bool]] = {
    "range_errors": range_errors,
    "deferred_steps": deferred_steps,
    "slow_cleanallruv": slow_cleanallruv,
    "waits_with_free_workers": waits_with_free_workers,
    "import_waits_for_names": import_waits_for_names,
}
