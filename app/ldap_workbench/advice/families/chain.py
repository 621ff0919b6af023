"""The chain: a burst of deletions, the configured delay, internal updates, a checkpoint, a stall.

Referential integrity with a delay collects deletions and removes their names from all groups in
one go: thousands of internal changes. The checkpoint after it has all their pages to write, and
with a large database cache whoever reads waits for minutes. Each link is seen elsewhere: requests
and stalls in the access log, the delay in the configuration, the flush in stacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.companions import FlushRun, StackDump, flush_runs
from ldap_workbench.advice.evidence.period import MAY_BE_CHANCE, tail
from ldap_workbench.advice.evidence.rows import EVIDENCE_ROWS, filter_of
from ldap_workbench.advice.evidence.stalls import Stall
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, search_words
from ldap_workbench.advice.families import checkpoint, referint
from ldap_workbench.model.finding import Finding, Link
from ldap_workbench.model.message import NOTHING, Message, count_of, sentences, verbatim
from ldap_workbench.model.operations import TYPES, Int64
from ldap_workbench.model.units import NS_PER_S

DELETIONS, DELAY, UPDATES = Message("Deletions"), Message("Delay"), Message("Internal updates")
CHECKPOINT, STALL = Message("Checkpoint"), Message("Stall")
_ACCESS, _CONFIG = Message("access log"), Message("configuration")
_STACKS, _MONITOR = Message("stacks"), verbatim("cn=monitor")
_INTERNAL_LEVEL = Message(" (nsslapd-accesslog-level 260, and nsslapd-plugin-logging on)")
_REMOVALS = ("DEL", "MODRDN")


@dataclass(frozen=True, eq=False)
class Burst:
    """Deletions and renames that come together; `rows` are those that have a result."""

    start_ns: int
    end_ns: int
    count: int
    rows: tuple[int, ...]
    unanswered: int


@dataclass(frozen=True, eq=False)
class ChainEvidence:
    """What there is for each link; what is None or empty is not seen, which is not absent.

    `start_ns` is when the harm began: the stall, or without one the flush.
    """

    burst: Burst
    delay_s: float
    start_ns: int
    updates: tuple[int, ...]
    update_dumps: tuple[int | None, ...]
    flush: FlushRun | None
    log_reset_ns: int | None
    stall: Stall | None

    @property
    def established(self) -> bool:
        """Whether more than times speaks for it: the updates or the flush themselves are seen."""
        return bool(self.updates or self.update_dumps or self.flush or self.log_reset_ns)

    @property
    def due_ns(self) -> int:
        """When the delay of the last deletion is over."""
        return self.burst.end_ns + round(self.delay_s * NS_PER_S)


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    if view.facts and view.facts.db_library == "mdb":
        return []  # LMDB has no checkpoints
    delay = view.number(referint.DELAY)
    if not delay or delay <= 0 or view.setting("referint-enabled") == "off":
        return []
    chains = [chain for start in _harms(view) if (chain := evidence_of(view, delay, start))]
    if not chains:
        return []
    worst = max(chains, key=lambda one: (one.established, one.stall.length_ns if one.stall else 0))
    return [_finding(view, worst)]


def _harms(view: WindowView) -> Iterator[tuple[int, Stall | None]]:
    """Stalls that matter, and long flushes where nothing is seen to wait for them."""
    limit = limits("deletion_chain")
    stalls = [e for e in view.stalls if e.length_ns >= limit["stall_s"] * NS_PER_S]
    yield from ((stall.start_ns, stall) for stall in stalls)
    for run in checkpoint.long_runs(flush_runs(view.stacks)):
        if run.start_ns is not None and not any(
            run.overlaps(stall.first_ns, stall.end_ns) for stall in stalls
        ):
            yield run.start_ns, None


def evidence_of(
    view: WindowView, delay_s: float, harm: tuple[int, Stall | None]
) -> ChainEvidence | None:
    """The chain that leads to a stall or flush; None where no burst of deletions does."""
    start_ns, stall = harm
    burst = _burst_before(view, delay_s, start_ns)
    if burst is None:
        return None
    until = stall.end_ns if stall else start_ns
    runs = [r for r in flush_runs(view.stacks) if r.overlaps(start_ns, until)]
    return ChainEvidence(
        burst=burst,
        delay_s=delay_s,
        start_ns=start_ns,
        updates=_updates(view, burst, delay_s, until),
        update_dumps=_update_dumps(view, burst.end_ns, until),
        flush=runs[0] if runs else None,
        log_reset_ns=_log_reset(view, start_ns),
        stall=stall,
    )


def _burst_before(view: WindowView, delay_s: float, start_ns: int) -> Burst | None:
    """Deletions whose delay ended shortly before, far more of them than at any other time."""
    limit = limits("deletion_chain")
    interval_s = view.number(checkpoint.KNOB) or checkpoint.DEFAULT_S
    longest = delay_s + limit["late_s"] + interval_s
    low = start_ns - round(longest * NS_PER_S)
    high = start_ns - round(limit["early_share"] * delay_s * NS_PER_S)
    times, rows = _removals(view)
    inside = (times >= low) & (times <= high)
    span = max(view.window.end_ns - view.window.start_ns, 1)
    share = (high - max(low, view.window.start_ns)) / span
    count = int(inside.sum())
    chance = tail(len(times), count, min(max(share, 0.0), 1.0))
    if count < limit["removals"] or chance > MAY_BE_CHANCE:
        return None
    return _whole_burst(times, rows, int(times[inside].min()), int(times[inside].max()))


def _whole_burst(times: Int64, rows: Int64, begin: int, end: int) -> Burst:
    """The burst that these moments are in, from where its deletions began to follow each other."""
    gap_ns = round(limits("deletion_chain")["gap_s"] * NS_PER_S)
    earlier = np.sort(times[times < begin])[::-1]
    for time in earlier:
        if begin - int(time) > gap_ns:
            break
        begin = int(time)
    inside = (times >= begin) & (times <= end)
    chosen = [int(row) for row in rows[inside] if row >= 0]
    count = int(inside.sum())
    return Burst(begin, end, count, tuple(chosen), count - len(chosen))


def _removals(view: WindowView) -> tuple[Int64, Int64]:
    """When deletions and renames were asked for, and their rows: -1 for those without a result."""
    operations = view.operations
    kinds = [TYPES.index(kind) for kind in _REMOVALS]
    rows = np.flatnonzero(np.isin(operations.kind, kinds) & ~operations.internal)
    asked = [change.time_ns for change in view.unanswered if change.type in _REMOVALS]
    times = np.concatenate((operations.start_ns[rows], np.array(asked, np.int64)))
    return times, np.concatenate((rows.astype(np.int64), np.full(len(asked), -1, np.int64)))


def _updates(view: WindowView, burst: Burst, delay_s: float, until_ns: int) -> tuple[int, ...]:
    """Rows of the MODs that come when the delay is over, where the log shows them."""
    limit = limits("deletion_chain")
    operations = view.operations
    due = burst.start_ns + round(limit["early_share"] * delay_s * NS_PER_S)
    rows = referint.background_mods(operations)
    starts = operations.start_ns[rows]
    inside = (starts >= due) & (starts <= until_ns)
    # Changes that clients make all the time are not those of the plug-in.
    span = max(view.window.end_ns - view.window.start_ns, 1)
    chance = tail(len(rows), int(inside.sum()), min(1.0, max(until_ns - due, 0) / span))
    if int(inside.sum()) < limit["updates"] or chance > MAY_BE_CHANCE:
        return ()
    return tuple(int(row) for row in rows[inside])


def _update_dumps(view: WindowView, after_ns: int, until_ns: int) -> tuple[int | None, ...]:
    """Dumps in which a thread is in the plug-in itself."""
    near = [
        dump for dump in view.stacks if dump.time_ns is None or after_ns <= dump.time_ns <= until_ns
    ]
    return tuple(dump.time_ns for dump in near if _is_updating(dump))


def _is_updating(dump: StackDump) -> bool:
    """Whether some frame of some thread is the plug-in's."""
    wanted = search_words("deletion_chain", "frames")
    frames = (frame for thread in dump.threads.values() for frame in thread)
    return any(word in frame for frame in frames for word in wanted)


def _log_reset(view: WindowView, start_ns: int) -> int | None:
    """When the transaction log was emptied within 3 s of the start of a stall; None if not."""
    resets = checkpoint.resets(series.get(view.samples, series.DATABASE, checkpoint.LOG_BYTES))
    near = [int(t) for t in resets if abs(int(t) - start_ns) <= 3 * NS_PER_S]
    return near[0] if near else None


def _finding(view: WindowView, chain: ChainEvidence) -> Finding:
    links = [
        _deletions(view, chain), _delay(chain), _update_link(view, chain),
        _checkpoint(view, chain), _stall(view, chain),
    ]  # fmt: skip
    burst, stall = chain.burst, chain.stall
    lags = (chain.start_ns - burst.end_ns, chain.start_ns - burst.start_ns)
    missing = [link.link for link in links if not link.seen]
    numbers = {
        "removals": burst.count,
        "delay_s": chain.delay_s,
        "lag_min_ns": lags[0],
        "lag_max_ns": lags[1],
        "updates": len(chain.updates),
        "stall_ns": stall.length_ns if stall else None,
        "interval_s": view.number(checkpoint.KNOB),
        "links": [
            {
                "link": str(link.link),
                "seen": link.seen,
                "source": str(link.source),
                "start_ns": link.start_ns,
                "end_ns": link.end_ns,
            }
            for link in links
        ],
    }
    return finding(
        "deletion_chain",
        numbers=numbers,
        evidence=links,
        severity=3 if chain.established else 2,
        deletions=count_of("{n} deletion", "{n} deletions", n=burst.count),
        began=burst.start_ns,
        lag=referint.describe_range(*lags),
        harm=_harm(chain),
        seen=len(links) - len(missing),
        missing=Message(" Not seen: {links}.", links=tuple(missing)) if missing else NOTHING,
    )


def _harm(chain: ChainEvidence) -> Message:
    if chain.stall is None:
        return Message("a long checkpoint")
    return Message("a stall of up to {length:duration}", length=chain.stall.length_ns)


def _deletions(view: WindowView, chain: ChainEvidence) -> Link:
    burst = chain.burst
    text = count_of(
        "{n} deletion in {length:duration}.",
        "{n} deletions in {length:duration}.",
        n=burst.count,
        length=burst.end_ns - burst.start_ns,
    )
    if burst.unanswered:
        no_result = Message("The log holds no result of {n} of them.", n=burst.unanswered)
        text = sentences(text, no_result)
    return Link(
        text, burst.start_ns, burst.end_ns, burst.rows[:EVIDENCE_ROWS],
        link=DELETIONS, source=_ACCESS,
        which=filter_of(view.operations, np.array(burst.rows, np.intp)),
    )  # fmt: skip


def _delay(chain: ChainEvidence) -> Link:
    text = Message(
        "Referential integrity is set to wait {delay:g} s: for the last deletion that ends at "
        "{due:time}.",
        delay=chain.delay_s,
        due=chain.due_ns,
    )
    return Link(text, chain.burst.end_ns, chain.due_ns, link=DELAY, source=_CONFIG)


def _update_link(view: WindowView, chain: ChainEvidence) -> Link:
    if chain.updates:
        rows = np.array(chain.updates)
        start = int(view.operations.start_ns[rows].min())
        end = int(view.operations.end_ns[rows].max())
        text = count_of(
            "{n} MOD, {lag} after the deletions.",
            "{n} MODs, the first {lag} after the deletions.",
            n=len(rows),
            lag=referint.describe_range(start - chain.burst.end_ns, start - chain.burst.start_ns),
        )
        shown = chain.updates[:EVIDENCE_ROWS]
        which = filter_of(view.operations, rows)
        return Link(text, start, end, shown, link=UPDATES, source=_ACCESS, which=which)
    if chain.update_dumps:
        text = count_of(
            "{n} stack dump with a thread in the plug-in.",
            "{n} stack dumps with a thread in the plug-in.",
            n=len(chain.update_dumps),
        )
        start_ns, end_ns = chain.update_dumps[0], chain.update_dumps[-1]
        return Link(text, start_ns, end_ns, link=UPDATES, source=_STACKS)
    text = Message(
        "Not logged, not ruled out: the access log holds internal operations only at a higher "
        "level{setting}. A consumer's log holds them as replicated MODs.",
        setting=_INTERNAL_LEVEL if view.product == "389ds" else NOTHING,
    )
    return Link(text, link=UPDATES)


def _checkpoint(view: WindowView, chain: ChainEvidence) -> Link:
    interval = view.number(checkpoint.KNOB)
    is_set = (
        Message("The interval is set to {seconds:g} s.", seconds=interval) if interval else NOTHING
    )
    if chain.flush is not None:
        run = chain.flush
        return Link(
            sentences(run.text, is_set), run.start_ns, run.end_ns, link=CHECKPOINT, source=_STACKS
        )
    if chain.log_reset_ns is not None:
        at = chain.log_reset_ns
        emptied = Message("The transaction log since the last checkpoint was emptied.")
        return Link(sentences(emptied, is_set), at, at, link=CHECKPOINT, source=_MONITOR)
    unseen = Message("Not seen: stack dumps during a stall would show it.")
    return Link(sentences(unseen, is_set), link=CHECKPOINT)


def _stall(view: WindowView, chain: ChainEvidence) -> Link:
    stall = chain.stall
    if stall is None:
        unseen = Message("Not seen: no operations in the log waited together meanwhile.")
        return Link(unseen, link=STALL)
    text = count_of(
        "{n} operation waited for up to {length:duration} and ended within {within:duration}.",
        "{n} operations waited for up to {length:duration} and ended within {within:duration}.",
        n=len(stall.rows),
        length=stall.length_ns,
        within=stall.ends_within_ns,
    )
    rows = tuple(int(row) for row in stall.rows[:EVIDENCE_ROWS])
    which = filter_of(view.operations, stall.rows)
    return Link(text, stall.start_ns, stall.end_ns, rows, link=STALL, source=_ACCESS, which=which)
