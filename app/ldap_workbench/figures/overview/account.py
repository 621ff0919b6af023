"""Where the time went: the account of windows as sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ldap_workbench.advice.account.account import SLOW_NS, Account, Explained, GroupTime
from ldap_workbench.advice.families.find import Review, reviews
from ldap_workbench.figures.formats import etime, percent
from ldap_workbench.figures.table import Column, quantity
from ldap_workbench.model.message import NOTHING, Message, count_of, sentences, verbatim
from ldap_workbench.model.stored import as_stored
from ldap_workbench.model.window import SourceKind, SourceState, Window
from ldap_workbench.session.conditions import exactly
from ldap_workbench.session.reader import Session

_MOST = 8
"""Groups that the table of who made whom wait has."""
_WORTH = 0.1
"""Of the queue, for which the queue is run again without a group."""
_BARS = 6
"""Groups with a bar of their own."""
_BAR_KEYS = ("client", "bind_dn", "kind")
_TOO_ALIKE = 0.5
"""Of the waiting in bars without a name, from where another grouping is tried."""
_UNEXPLAINED = Message("Unexplained")
_MISSING = {
    SourceKind.ACCESS_LOG: Message("access log (operations)"),
    SourceKind.MONITOR: Message("cn=monitor (caches, threads)"),
    SourceKind.IOSTAT: Message("iostat (disk)"),
    SourceKind.VMSTAT: Message("vmstat (processors, memory)"),
    SourceKind.ERROR_LOG: Message("error log (warnings of the server)"),
    SourceKind.STACKS: Message("stack dumps (what threads wait for)"),
}
"""What is not judged without a source."""


@dataclass(frozen=True)
class Piece:
    """Waiting of one group for one kind of operation, `ns`, of which one finding says why.

    `cause` is '' where none does, `kind` '' for kinds that have no piece of their own.
    """

    cause: str
    title: Message
    kind: str
    ns: int


@dataclass(frozen=True)
class Bar:
    """A group's waiting by cause and kind; `name` '' for those without a bar of their own."""

    name: str
    pieces: tuple[Piece, ...]
    key: str = "client"
    """What it is a group of, one of account.KEYS."""

    @property
    def ns(self) -> int:
        """All of its waiting."""
        return sum(piece.ns for piece in self.pieces)


@dataclass(frozen=True)
class TimeSummary:
    """Where the time of one window went, in numbers; times in ns."""

    window: Window
    operations: int
    slow: int
    waited_ns: int
    used_ns: int
    queue_ns: int
    explained: tuple[Explained, ...]
    unanswered: int
    unanswered_ns: int
    unexplained_ns: int
    unexplained_slow_ns: int
    unsplit_ns: int
    sessions: int
    bars: tuple[tuple[Bar, ...], ...]
    """By client, by bind DN and by kind of operation."""
    p99_ns: int
    longest_ns: int
    resolution_ns: int
    """The finest step its etimes can show."""
    missing: tuple[SourceKind, ...]

    @property
    def explained_share(self) -> float:
        """The part of the waiting that findings explain, 0 to 1."""
        return 1.0 - self.unexplained_ns / max(self.waited_ns, 1)

    def sentences(self) -> Iterator[Message]:
        """The account in words: what was waited, what explains it, what was not judged."""
        if not self.operations:
            yield Message(
                "No operation of a client is in this window: there is no time to account for."
            )
            return
        yield Message(
            "Users waited {waited:duration} for {operations}: {together:.2g} at a time on average, "
            "{queue:duration} of it in the queue for a worker thread. Workers worked "
            "{used:duration}.",
            waited=self.waited_ns,
            operations=count_of("{n} operation", "{n} operations", n=self.operations),
            together=self.waited_ns / max(self.window.end_ns - self.window.start_ns, 1),
            queue=self.queue_ns,
            used=self.used_ns,
        )
        if self.unanswered:
            yield count_of(
                "{n} operation got no answer; users waited {time:duration} for it.",
                "{n} operations got no answer; users waited {time:duration} for them.",
                n=self.unanswered,
                time=self.unanswered_ns,
            )
        yield self.judged()
        if self.unsplit_ns:
            yield Message(
                "Of {time:duration} the log doesn't say which part was waiting for a worker "
                "thread, so nobody is charged with it.",
                time=self.unsplit_ns,
            )
        if self.sessions:
            yield count_of(
                "{n} operation of replication or of a persistent search is left out: such "
                "sessions stay open on purpose.",
                "{n} operations of replication or of persistent searches are left out: such "
                "sessions stay open on purpose.",
                n=self.sessions,
            )
        if missing := not_judged(self):
            yield missing

    def judged(self) -> Message:
        """How slow it was, by which measure, and how much of that findings explain."""
        if self.resolution_ns > SLOW_NS and not self.slow:
            return Message(
                "The log has etimes in steps of {step:duration}: it can't say whether operations "
                "took {limit:duration} or more.",
                step=self.resolution_ns,
                limit=SLOW_NS,
            )
        if not self.slow:
            return Message(
                "No operation took {limit:duration} or more: the slowest took {longest:duration}, "
                "99 % took {p99:duration} or less. By that measure the window is fine.",
                limit=SLOW_NS,
                longest=self.longest_ns,
                p99=self.p99_ns,
            )
        return Message(
            "{slow} took {limit:duration} or more. The findings explain {share:percent} of the "
            "waiting; {rest:duration} is unexplained, {slow_rest:duration} of it in such slow "
            "operations.",
            slow=count_of("{n} operation", "{n} operations", n=self.slow),
            limit=SLOW_NS,
            share=self.explained_share,
            rest=self.unexplained_ns,
            slow_rest=self.unexplained_slow_ns,
        )


@dataclass(frozen=True)
class WindowAccount:
    """The summary of a window, its groups, and who made whom wait; times in ns."""

    summary: TimeSummary
    groups: tuple[GroupTime, ...]
    names: tuple[str, ...]
    made_wait: tuple[tuple[int, ...], ...]
    stalls_ns: int
    unattributed_ns: int
    without_ns: int | None
    """The time in the queue without the group others waited for longest; None: not known."""

    @property
    def holder(self) -> GroupTime:
        """The group that others waited for longest."""
        return max(self.groups, key=_charged)

    def as_json(self) -> dict[str, Any]:
        """For --json."""
        document: dict[str, Any] = as_stored(self)
        summary: dict[str, Any] = document.pop("summary")
        summary |= {"window": self.summary.window.name}
        summary |= {"explained_share": self.summary.explained_share}
        return {"schema": 1} | summary | document


def accounts_of(session: Session, windows: Sequence[Window], key: str) -> list[WindowAccount]:
    """The accounts of some windows, with groups by one of account.KEYS."""

    def numbers(window: Window, seen: Review) -> WindowAccount:
        return window_account(session, window, seen.account, key)

    return list(reviews(session, windows, numbers))


def window_account(session: Session, window: Window, account: Account, key: str) -> WindowAccount:
    """The numbers of an account that tables and sentences show."""
    names, made_wait = account.made_wait(key, _MOST)
    groups = account.by(key)
    return WindowAccount(
        summary=time_summary(session, window, account),
        groups=tuple(groups),
        names=tuple(names),
        made_wait=tuple(map(tuple, made_wait)),
        stalls_ns=account.blame.stalls_ns,
        unattributed_ns=account.blame.unattributed_ns,
        without_ns=_without(account, key, max(groups, key=_charged)) if groups else None,
    )


def _charged(group: GroupTime) -> int:
    return group.charged_ns


def _without(account: Account, key: str, group: GroupTime) -> int | None:
    """The queue without a group; None where it cost others little, or where it is not known."""
    if group.charged_ns < _WORTH * account.phases.queue_ns.sum() or not group.charged_ns:
        return None
    return account.queue_without(key, group.name)


def time_summary(session: Session, window: Window, account: Account) -> TimeSummary:
    """Where the time of a window went, without who made whom wait."""
    waited = account.phases.waited_ns[account.phases.counted]
    sources = [s for s in session.sources(window.id) if s.state is not SourceState.MISSING]
    seen = {source.kind for source in sources}
    if any(source.dialect == "openldap" for source in sources):
        seen.add(SourceKind.ERROR_LOG)  # slapd has one log
    steps = [source.resolution_ns for source in sources if source.kind == SourceKind.ACCESS_LOG]
    causes = [*account.causes, *filter(None, [account.unanswered_cause])]
    titles = {finding.id: finding.title for finding in causes} | {"": _UNEXPLAINED}
    return TimeSummary(
        window=window,
        operations=len(waited),
        slow=int((waited >= SLOW_NS).sum()) + len(account.unanswered),
        waited_ns=account.waited_ns,
        used_ns=account.used_ns,
        queue_ns=int(account.phases.queue_ns.sum()),
        explained=tuple(row for row in account.explained() if row.waited_ns),
        unanswered=len(account.unanswered),
        unanswered_ns=account.unanswered_ns,
        unexplained_ns=account.unexplained_ns,
        unexplained_slow_ns=int(account.unexplained[account.slow].sum()),
        unsplit_ns=account.unsplit_ns,
        sessions=int(account.phases.sessions.sum()),
        bars=tuple(
            tuple(
                _bar(
                    key,
                    name,
                    [Piece(cause, titles[cause], kind, ns) for (cause, kind), ns in bar.items()],
                )
                for name, bar in account.bars(key, _BARS)
            )
            for key in _BAR_KEYS
        ),
        p99_ns=int(np.quantile(waited, 0.99, method="inverted_cdf")) if len(waited) else 0,
        longest_ns=int(waited.max(initial=0)),
        resolution_ns=max(steps, default=1),
        missing=tuple(kind for kind in _MISSING if kind not in seen),
    )


def together(summaries: Sequence[TimeSummary]) -> tuple[Bar, ...]:
    """The bars of several windows as one picture, the longest first; the rest last.

    By the first grouping that tells who waited: connections older than the log have no address, and
    all of a pool or behind a proxy have the same one.
    """
    groupings = [
        _merged([bar for summary in summaries for bar in summary.bars[place]])
        for place in range(len(_BAR_KEYS))
    ]
    return next(filter(_distinguishes, groupings), groupings[0])


def _merged(parts: Sequence[Bar]) -> tuple[Bar, ...]:
    pieces: dict[str, list[Piece]] = {}
    for bar in parts:
        pieces.setdefault(bar.name, []).extend(bar.pieces)
    key = parts[0].key if parts else ""
    bars = [_bar(key, name, of_group) for name, of_group in pieces.items()]
    bars.sort(key=lambda bar: (bar.name == "", -bar.ns))
    if len(bars) <= _BARS + 1:
        return tuple(bars)
    rest = [piece for bar in bars[_BARS:] for piece in bar.pieces]
    return (*bars[:_BARS], _bar(key, "", rest))


def _distinguishes(bars: Sequence[Bar]) -> bool:
    """Whether most of the waiting has a name, and more than one has some."""
    rest = sum(bar.ns for bar in bars if not bar.name)
    named = sum(bool(bar.name) for bar in bars)
    return named > 1 and rest < _TOO_ALIKE * sum(bar.ns for bar in bars)


def judged_together(summaries: Sequence[TimeSummary]) -> Message:
    """By which measure the windows are fine or not, and what was not judged."""
    with_operations = [summary for summary in summaries if summary.operations]
    if not with_operations:
        return Message(
            "No operation of a client is in this session: only what was captured is judged."
        )
    worst = max(with_operations, key=lambda summary: (summary.slow, summary.longest_ns))
    return sentences(worst.judged(), not_judged(worst))


def not_judged(summary: TimeSummary) -> Message:
    """The sources that a window lacks; NOTHING where it has all."""
    if not summary.missing:
        return NOTHING
    sources = tuple(_MISSING[kind] for kind in summary.missing)
    return Message("Not captured, so not judged: {sources:list}.", sources=sources)


def name_of(bar: Bar) -> Message:
    """What a bar is called."""
    return verbatim(bar.name) if bar.name else Message("(others and unknown)")


def grouping_of(bars: Sequence[Bar]) -> Message:
    """What the bars are groups of."""
    names = {
        "client": Message("Client"),
        "bind_dn": Message("Bind DN"),
        "kind": Message("Kind"),
    }
    return names[bars[0].key if bars else "client"]


def reading_of(bars: Sequence[Bar]) -> Message:
    """The picture in a sentence."""
    if not bars:
        return Message("no operation of a client.")
    whole = sum(bar.ns for bar in bars)
    unexplained = sum(piece.ns for bar in bars for piece in bar.pieces if not piece.cause)
    return Message(
        "Users waited {waited:duration}; {share:percent} of it is unexplained. {group} waited "
        "most: {most:duration}.",
        waited=whole,
        share=unexplained / max(whole, 1),
        group=name_of(bars[0]),
        most=bars[0].ns,
    )


def kind_of(piece: Piece) -> Message:
    """What the kind of operations of a piece is called."""
    return verbatim(piece.kind) if piece.kind else Message("(other kinds)")


def operations_of(bar: Bar, piece: Piece | None) -> str:
    """The words that find the operations of a group with a bar, or of one kind among them."""
    if bar.key == "kind":
        return _kind_words(bar.name)
    words = [exactly("dn" if bar.key == "bind_dn" else bar.key, bar.name)]
    if piece is not None and piece.kind:
        words.append(_kind_words(piece.kind))
    return " ".join(words)


def _kind_words(kind: str) -> str:
    operation, _, text = kind.partition(" ")
    return " ".join([exactly("type", operation), *([exactly("filter", text)] if text else [])])


def _bar(key: str, name: str, pieces: Sequence[Piece]) -> Bar:
    """One piece for each cause and kind; the cause with most first, what is unexplained last."""
    whole: dict[tuple[str, str], Piece] = {}
    of_cause: dict[str, int] = {}
    for piece in pieces:
        cell = (piece.cause, piece.kind)
        whole[cell] = replace(piece, ns=piece.ns + (whole[cell].ns if cell in whole else 0))
        of_cause[piece.cause] = of_cause.get(piece.cause, 0) + piece.ns

    def order(piece: Piece) -> tuple[bool, int, str, bool, int]:
        return (
            piece.cause == "",
            -of_cause[piece.cause],
            piece.cause,
            piece.kind == "",
            -piece.ns,
        )

    return Bar(name, tuple(sorted(whole.values(), key=order)), key)


def explained_columns(waited_ns: int) -> tuple[Column[Explained], ...]:
    """What each finding explains, of all that was waited."""
    return (
        quantity(
            Message("Waiting"),
            lambda row: row.alone_ns,
            etime,
            about=Message("Explained by this finding and by none before it"),
            key="waiting",
        ),
        quantity(
            Message("Share"), lambda row: row.alone_ns / max(waited_ns, 1), percent, key="share"
        ),
        quantity(
            Message("With overlap"),
            lambda row: row.waited_ns,
            etime,
            about=Message("What it would explain if no other finding did; never added up"),
            key="with overlap",
        ),
        quantity(Message("Operations"), lambda row: row.operations, key="operations"),
        Column(Message("Finding"), lambda row: row.title, key="finding"),
    )


GROUP_COLUMNS: tuple[Column[GroupTime], ...] = (
    Column(Message("Group"), lambda row: row.name or Message("(not known)"), key="group"),
    quantity(Message("Operations"), lambda row: row.operations, key="operations"),
    quantity(
        Message("Waited"),
        lambda row: row.waited_ns,
        etime,
        about=Message("What the users of these operations waited"),
        key="waited",
    ),
    quantity(
        Message("Worker time"),
        lambda row: row.used_ns,
        etime,
        about=Message(
            "Time of worker threads, net of the time in which the operations were blocked"
        ),
        key="used",
    ),
    quantity(
        Message("Others waited"),
        lambda row: row.charged_ns,
        etime,
        about=Message(
            "What operations waited in the queue while these held the workers, split evenly over "
            "those at work"
        ),
        key="others waited",
    ),
    quantity(
        Message("Unexplained"),
        lambda row: row.unexplained_ns,
        etime,
        about=Message("Waiting no finding explains"),
        key="unexplained",
    ),
)


def without_holder(account: WindowAccount) -> Iterator[Message]:
    """What others would have waited without the group that they waited for longest."""
    if account.without_ns is None:
        return
    group = account.holder
    yield Message(
        "{queue:duration} was waited in the queue. Run again without the {operations} of {group}, "
        "the logged requests wait {without:duration}, had they come at the same times.",
        queue=account.summary.queue_ns,
        operations=count_of("{n} operation", "{n} operations", n=group.operations),
        group=group.name or Message("(not known)"),
        without=account.without_ns,
    )


def not_charged(account: WindowAccount) -> Iterator[Message]:
    """Waiting that no operation of the log is charged with."""
    if account.stalls_ns:
        yield Message(
            "{time:duration} was waited in stalls, and behind operations in them, whose cause is "
            "not known.",
            time=account.stalls_ns,
        )
    if account.unattributed_ns:
        yield Message(
            "{time:duration} was waited in the queue while no operation of the log was at work.",
            time=account.unattributed_ns,
        )


def made_wait_rows(account: WindowAccount) -> list[tuple[str, str, int]]:
    """(who waited, behind whom, ns) of all pairs in which somebody waited, the longest first."""
    pairs = [
        (waiter, holder, waited)
        for waiter, row in zip(account.names, account.made_wait, strict=True)
        for holder, waited in zip(account.names, row, strict=True)
        if waited
    ]
    return sorted(pairs, key=lambda pair: -pair[2])
