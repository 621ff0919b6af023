"""All families over one window and over a session, ordered by cost and grouped by cause."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TypeVar

from ldap_workbench.advice import families
from ldap_workbench.advice.account.account import Account, account_of, explains_work, rows_of
from ldap_workbench.advice.account.shared import known_client, profile
from ldap_workbench.advice.evidence.clients import sum_of_known
from ldap_workbench.advice.evidence.view import Baseline, WindowView, baseline_of, view_window
from ldap_workbench.advice.evidence.wording import can_be_of, on_server
from ldap_workbench.advice.families import known_defects, referint
from ldap_workbench.advice.families.unexplained import unexplained_findings
from ldap_workbench.model.finding import LOW, Evidence, Finding, FindingGroup
from ldap_workbench.model.knob import KnobReading
from ldap_workbench.model.message import Message, sentences
from ldap_workbench.model.operation_filter import OperationFilter
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import SourceKind, Window
from ldap_workbench.resources import resource
from ldap_workbench.session.reader import Session

Family = Callable[[WindowView], list[Finding]]


def _families() -> Iterator[Family]:
    """`find` and `find_...` of each module of this folder, in the order of their names."""
    for name in sorted(module.name for module in iter_modules(families.__path__)):
        # It looks at the findings of all others.
        if name != "known_defects":
            family = import_module(f"{families.__name__}.{name}")
            yield from (
                part
                for which, part in vars(family).items()
                if which.startswith("find") and part.__module__ == family.__name__
            )


FAMILIES: tuple[Family, ...] = tuple(_families())
T = TypeVar("T")
_ATTRIBUTED = ("unexplained", "timer")
"""What is said of whom beside the findings that explain work by themselves."""
_EVIDENCE = 60
_WORTH_KNOWING, _LIKELY_CAUSE = 1, 3
_NO_CAUSE, _MOST = 0.01, 0.5
"""Shares of the time below which a finding is no cause, and from which on it is the likely one."""


def findings(
    session: Session,
    window: Window | None = None,
    *,
    readings: Sequence[KnobReading] | None = None,
    reviewed: Callable[[Window, Review], None] | None = None,
) -> list[Finding]:
    """Findings of one window, or of all windows of a session with like findings joined.

    The most expensive come first (grouping.by_cost). `readings` of the server's knobs sharpen some
    findings; without them the defaults of 389 DS are assumed and said. `reviewed` gets each
    window with its account. Evidence names rows of
    `session.operations(window)`; a window may be a range within the captured one of its id.
    """
    if window is not None:
        seen = review_of(session, window, readings)
        if reviewed is not None:
            reviewed(window, seen)
        return [_without_rows(finding) for finding in seen.findings]
    windows = session.windows()

    def in_log(captured: Window, seen: Review) -> tuple[Window, list[Finding]]:
        if reviewed is not None:
            reviewed(captured, seen)
        log = session.operation_source(captured)
        several = any(
            captured.start_ns < other.end_ns and other.start_ns < captured.end_ns
            for other in windows
            if other.id != captured.id
        )
        return captured, [_in_log(finding, log, several=several) for finding in seen.findings]

    every = list(reviews(session, windows, in_log, readings))
    return [_named(finding) for finding in joined([*every, *_both_servers(session, windows)])]


def reviews(
    session: Session,
    windows: Sequence[Window],
    use: Callable[[Window, Review], T],
    readings: Sequence[KnobReading] | None = None,
) -> Iterator[T]:
    """What is made of each window, its findings and its account.

    One after the other, and nothing of one is left when the next is read: both are large.
    """
    baselines: dict[int, Baseline] = {}
    for window in windows:
        yield use(window, review(_view(session, window, readings, baselines)))


def review_of(
    session: Session, window: Window, readings: Sequence[KnobReading] | None = None
) -> Review:
    """The findings and the account of one window, which may be a range within the captured one."""
    return review(_view(session, window, readings, {}))


def _in_log(seen: Finding, log: int | None, *, several: bool) -> Finding:
    """With the log its operations are in: rows need it, and words where another has its time."""
    return _with_filters(
        seen,
        lambda which, _: replace(which, source=log) if several or which.rows is not None else which,
    )


def _named(seen: Finding) -> Finding:
    """With words for those of its operations that have rows alone."""
    return _with_filters(
        seen,
        lambda which, n: which if which.rows is None else replace(which, finding=f"{seen.id}/{n}"),
    )


def _without_rows(seen: Finding) -> Finding:
    """Of one window alone: no words find rows, as these number the findings of all windows."""
    return _with_filters(seen, lambda which, _: which if which.rows is None else None)


def _with_filters(
    seen: Finding, change: Callable[[OperationFilter, int], OperationFilter | None]
) -> Finding:
    """With other filters; `change` gets each with the number of its evidence, from 1."""
    evidence = tuple(
        piece if piece.which is None else replace(piece, which=change(piece.which, number))
        for number, piece in enumerate(seen.evidence, start=1)
    )
    return replace(seen, evidence=evidence)


def _view(
    session: Session,
    window: Window,
    readings: Sequence[KnobReading] | None,
    baselines: dict[int, Baseline],
) -> WindowView:
    """The view of a window; the operations of its baseline are read once."""
    before = baseline_of(session, window)
    if before is None:
        return view_window(session, window, readings)
    if before.id not in baselines:
        baselines.clear()
        baselines[before.id] = Baseline(before, session.operations(before))
    return view_window(session, window, readings, baselines[before.id])


def _both_servers(session: Session, windows: list[Window]) -> list[tuple[Window, list[Finding]]]:
    """Windows of two servers over the same time, compared by their MODs for each deletion."""
    result = []
    for at, one in enumerate(windows):
        for other in windows[at + 1 :]:
            shared = min(one.end_ns, other.end_ns) - max(one.start_ns, other.start_ns)
            if 2 * shared >= min(one.end_ns - one.start_ns, other.end_ns - other.start_ns) > 0:
                logs = session.operations(one), session.operations(other)
                result.append((one, referint.consumer_finding(*logs, (one.name, other.name))))
    return result


@dataclass(frozen=True, eq=False)
class Review:
    """The findings of one window, most expensive first, and the account of its time."""

    findings: list[Finding]
    account: Account


def findings_in(view: WindowView) -> list[Finding]:
    """The findings of every family in one window, most expensive first."""
    return review(view).findings


def review(view: WindowView) -> Review:
    """Look for the findings of every family in one window, and account for its time with them."""
    over_ns = round(view.seconds * NS_PER_S)
    result = [finding for family in FAMILIES for finding in family(view)]
    result += known_defects.find(view, result)
    result = [finding for finding in result if can_be_of(finding.id, view.product)]
    account = account_of(view, result)
    result += unexplained_findings(account, view, result)
    result = [_attributed(finding, view, account) for finding in result]
    ready = [_weighed(_ready(finding, view, over_ns), account) for finding in result]
    return Review(by_cost(ready), account)


def _attributed(seen: Finding, view: WindowView, account: Account) -> Finding:
    """With who asks for most of its work and on what, and what to change in a known program."""
    rows = rows_of(seen)
    if not len(rows) or not (explains_work(seen.id) or seen.id in _ATTRIBUTED):
        return seen
    said, time = str(seen.sentence), account.phases.work_ns
    who = profile(view.operations, rows, time, said, view.request_of)
    program = known_client(view.operations, rows, view.request_of)
    if program is None:
        return replace(seen, sentence=sentences(seen.sentence, *who))
    like = Message("The requests look like those of {program}.", program=Message(program.title))
    return replace(
        seen,
        sentence=sentences(seen.sentence, *who, like),
        owner_steps=(*map(Message, program.steps), *seen.owner_steps),
    )


def _doubted(seen: Finding, view: WindowView) -> Finding:
    """With low confidence where it rests on the only report of a tool, which may be since boot."""
    tools = {piece.series.partition(":")[0] for piece in seen.evidence}
    for kind in (SourceKind.IOSTAT, SourceKind.VMSTAT):
        sources = [source for source in view.sources if source.kind is kind]
        doubtful = bool(sources) and all(s.details.get("may_be_since_boot") for s in sources)
        if doubtful and kind.value in tools:
            note = Evidence(
                Message(
                    "{tool}: one report, which may cover all the time since boot.", tool=kind.value
                )
            )
            return replace(seen, confidence=LOW, evidence=(*seen.evidence, note))
    return seen


def _ready(finding: Finding, view: WindowView, over_ns: int) -> Finding:
    """As it is handed on: of its server, no more trusted than its sources, and without its rows."""
    evidence = tuple(replace(piece, rows=None) for piece in finding.evidence)
    finding = _doubted(on_server(replace(finding, evidence=evidence), view.server), view)
    return replace(finding, over_ns=over_ns)


def _weighed(seen: Finding, account: Account) -> Finding:
    """With the severity that its share of the time gives it, at the ends: a hundredth is no cause.

    Between them, and where its cost is not known, the kind decides; what is only worth knowing
    stays so.
    """
    shares = [
        part / whole
        for part, whole in ((seen.worker_ns, account.used_ns), (seen.user_ns, account.waited_ns))
        if part is not None and whole > 0
    ]
    if not shares or seen.severity == _WORTH_KNOWING:
        return seen
    if max(shares) < _NO_CAUSE:
        return replace(seen, severity=_WORTH_KNOWING)
    return replace(seen, severity=_LIKELY_CAUSE) if max(shares) >= _MOST else seen


def joined(every: Iterable[tuple[Window, list[Finding]]]) -> list[Finding]:
    """One finding per id: the most severe stands, with evidence, cost and names of all windows."""
    groups: dict[str, list[tuple[Window, Finding]]] = {}
    for window, of_window in every:
        for finding in of_window:
            groups.setdefault(finding.id, []).append((window, finding))
    result = []
    for group in groups.values():
        same = [finding for _, finding in group]
        worst = min(by_cost(same), key=lambda f: -f.severity)
        windows = list(dict.fromkeys(window.id for window, _ in group))
        result.append(
            replace(
                worst,
                evidence=tuple(e for finding in same for e in finding.evidence)[:_EVIDENCE],
                numbers=worst.numbers | {"windows": windows},
                worker_ns=sum_of_known(finding.worker_ns for finding in same),
                user_ns=sum_of_known(finding.user_ns for finding in same),
                over_ns=sum(finding.over_ns for finding in same),
            )
        )
    return by_cost(result)


_WORTH_A_LOOK, _LIKELY = 2, 3


@dataclass(frozen=True)
class _GroupRule:
    """Ids from the cause to its effects; `same` names what they must have in common, '' nothing."""

    findings: tuple[str, ...]
    same: str = ""
    cause: str = ""
    """The finding without which the others are no group."""


def by_cost(findings: Sequence[Finding]) -> list[Finding]:
    """The most expensive first.

    Before them come likely causes without a cost: a server that refuses work has no operations to
    count. After them comes the rest without one, and last what is no more than worth knowing.
    """
    return sorted(findings, key=_rank)


def group_findings(findings: Sequence[Finding]) -> list[FindingGroup]:
    """Every finding in one group, ordered as by_cost orders the most expensive of each."""
    left = list(findings)
    groups = []
    for rule in _group_rules():
        while len(members := _members(rule, left)) > 1:
            groups.append(FindingGroup(members[0], tuple(by_cost(members[1:]))))
            left = [finding for finding in left if finding not in members]
    groups += [FindingGroup(finding) for finding in left]
    return sorted(groups, key=lambda group: _rank(by_cost(group.findings)[0]))


def _rank(finding: Finding) -> tuple[int, float, int, bool]:
    """At the same cost, as in a log of whole seconds, first what somebody waits for."""
    cost, minor = finding.cost_s_per_h, finding.severity < _WORTH_A_LOOK
    if cost is not None:
        place = 3 if minor else 1
    elif minor:
        place = 4
    else:
        place = 0 if finding.severity == _LIKELY else 2
    return place, -(cost or 0.0), -finding.severity, finding.user_ns is None


def _members(rule: _GroupRule, findings: Sequence[Finding]) -> list[Finding]:
    """Those of a rule that were made, the cause first; one alone where nothing goes with it."""
    named = [finding for finding in findings if finding.id in rule.findings]
    named.sort(key=lambda finding: rule.findings.index(finding.id))
    if rule.cause and rule.cause not in {finding.id for finding in named}:
        return []
    if not rule.same:
        return named
    for number, first in enumerate(named):
        shared = _values(first, rule.same)
        others = [other for other in named[number + 1 :] if shared & _values(other, rule.same)]
        if others:
            return [first, *others]
    return named[:1]


def _values(finding: Finding, name: str) -> set[str]:
    """What a number of a finding, or the list of several, says."""
    several = finding.numbers.get(f"{name}s") or [finding.numbers.get(name)]
    return {str(value) for value in several if value is not None}


@cache
def _group_rules() -> tuple[_GroupRule, ...]:
    text = resource("advice/groups.toml").read_text("utf-8")
    return tuple(
        _GroupRule(tuple(row["findings"]), row.get("same", ""), row.get("cause", ""))
        for row in tomllib.loads(text)["group"]
    )
