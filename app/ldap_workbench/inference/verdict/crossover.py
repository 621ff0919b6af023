"""The verdict over a canary that crosses over between replicas, beside its controls."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.measured import (
    Measured,
    busy_types,
    measure_all,
    measure_type,
    slow_part,
)
from ldap_workbench.inference.counts.metrics import METRICS, known_metric
from ldap_workbench.inference.counts.warmup import WarmUp, warm_up
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.design.load import FINE, MATCHED, Load
from ldap_workbench.inference.design.selection import Selection
from ldap_workbench.inference.significance.crossover import (
    Crossover,
    Orders,
    least_blocks,
    max_t,
)
from ldap_workbench.inference.significance.paired import ALPHA, NARROW, Columns, material, word_of
from ldap_workbench.inference.significance.pooled import (
    Pooled,
    bounded_exp,
    pooled_metrics,
    with_pooled,
)
from ldap_workbench.inference.significance.power import detectable, known_from_rows
from ldap_workbench.inference.verdict import details
from ldap_workbench.inference.verdict.notices import unseen
from ldap_workbench.inference.verdict.question import (
    CLOSED,
    HUNG,
    Judged,
    Question,
    common_details,
    missing_windows,
    no_such_type,
)
from ldap_workbench.inference.verdict.settling import (
    course_of_canary,
    settling_of,
    unless_moving,
)
from ldap_workbench.inference.verdict.steps import (
    Measurement,
    completed,
    pass_gates,
    refused_unmeasured,
)
from ldap_workbench.inference.verdict.wording import length_of, sentence
from ldap_workbench.model.kind import PrimaryMetric
from ldap_workbench.model.message import NOTHING, Message, count_of
from ldap_workbench.model.verdict import Judgement, MetricVerdict, Verdict, WindowValues

Float = NDArray[np.float64]
Blocks = Sequence[Sequence[Sequence[WindowCounts]]]
"""[block][window][replica]: windows that were measured side by side."""


LEAST_FREEDOM = 5
"""Side by side windows less one, times replicas less one: what tells the noise at all."""


@dataclass(frozen=True)
class Terms:
    """What is decided of a canary before its windows are measured; the words of `analyse`."""

    primary: str = "slo"
    seed: int = 0
    slo_ns: int = 100_000_000
    loop: str = "auto"
    resolution_ns: int = 1
    level: float = ALPHA
    trim: float | str = 0.0
    """Seconds to cut from every window, or "auto", after which `waited_s` had passed already."""
    restarted: bool = False
    waited_s: float = 0.0


AS_USUAL = Terms()


@dataclass(frozen=True, eq=False)
class _Canary:
    """Whole blocks of a canary: `windows` flat, in the order [block, window, replica]."""

    asked: Question
    windows: list[WindowCounts]
    slow: list[WindowCounts]
    orders: NDArray[np.int64]
    selection: Selection

    @property
    def shape(self) -> tuple[int, int, int]:
        blocks, replicas = self.orders.shape
        return blocks, replicas, replicas

    @cached_property
    def load(self) -> float:
        """Operations of the canary over those of its controls."""
        return math.exp(self.crossover(np.log([w.n for w in self.windows])).estimate)

    def crossover(self, log_values: Float) -> Crossover:
        """Of a metric's values [window]; a block without one of them is left out."""
        values = log_values.reshape(self.shape)
        has = np.isfinite(values).all((1, 2))
        return Crossover(values[has], self.orders[has], self.asked.seed)


def analyse_crossover(blocks: Blocks, orders: Orders, terms: Terms = AS_USUAL) -> Verdict:
    """The verdict over blocks of windows, B the canary and A its concurrent controls.

    `orders` [block][window] is the index of the canary, as it was drawn. A block in which a window
    is flawed is left out, whole. A ratio is canary by controls in the same windows. Same input and
    seed, same Verdict.
    Raises UsageError for a primary metric that does not exist.
    """
    cut = _cut(blocks, terms)
    canary = _canary(blocks, orders, terms, cut.seconds)
    asked, selection = canary.asked, canary.selection
    if refused := refused_unmeasured(asked, selection, warming_up=cut.binds):
        return refused
    measured = Measurement(canary.windows, canary.slow, _measure(canary, ""))
    load = _load(canary)
    gated, refused = pass_gates(asked, selection, measured, load)
    if refused:
        return refused
    verdict = _judge(canary, measured.whole)
    watched = unseen(measured.windows, measured.whole, asked.hung)
    warnings = (*gated.warnings, load.warning, watched, *missing_windows(asked))
    verdict = completed(verdict, asked, measured, measured.loops, warnings, load_ratio=load.ratio)
    return replace(verdict, details=replace(verdict.details, trimmed_s=cut.seconds))


def harm_p(blocks: Blocks, orders: Orders, terms: Terms = AS_USUAL) -> float:
    """The share of assignments under which the canary looks as much worse by the primary metric.

    1 where the blocks allow no test yet.
    """
    canary = _canary(blocks, orders, terms, _cut(blocks, terms).seconds)
    asked = canary.asked
    if canary.selection.why:
        return 1.0
    if asked.kind and asked.kind not in busy_types(canary.windows):
        return 1.0
    measured = _measure(canary, asked.kind)
    crossover = canary.crossover(measured.values[asked.metric])
    lacks = _columns(measured, {}).lacks(asked.metric)
    harmful = not lacks and len(crossover.values) and material(asked.metric, crossover.estimate)
    return crossover.p_worse() if harmful else 1.0


def side_by_side_noise(
    rows: Sequence[Sequence[WindowCounts]], primary: str, slo_ns: int = 100_000_000
) -> float | None:
    """Standard deviation of ln of a metric in one window of one replica, beside what all share.

    `rows` [time][replica] are windows side by side without a change. None where they are too few,
    or do not measure the metric.
    """
    asked, slo_s = PrimaryMetric.parse(primary), slo_ns / 1e9
    windows = [replace(window, arm="A") for row in rows for window in row]
    freedom = (len(rows) - 1) * (len(rows[0]) - 1) if rows else 0
    if freedom < LEAST_FREEDOM or (not asked.of_all and asked.type not in busy_types(windows)):
        return None
    slow = slow_part(windows, slo_s)
    measured = (
        measure_all(windows, slow, slo_s, 1)
        if asked.of_all
        else measure_type(asked.type, windows, slow, slo_s, 1)
    )
    values = measured.values[asked.metric].reshape(len(rows), -1)
    if not np.isfinite(values).all():
        return None
    left = values - values.mean(1, keepdims=True)
    left -= left.mean(0)
    return math.sqrt(float((left**2).sum()) / freedom)


def _cut(blocks: Blocks, terms: Terms) -> WarmUp:
    """What is cut from every window, found without knowing which replica was the canary."""
    if terms.trim != "auto":
        return WarmUp(float(terms.trim), binds=False)
    windows = [window for block in blocks for row in block for window in row]
    return warm_up(windows, restarted=terms.restarted)


def _canary(blocks: Blocks, orders: Orders, terms: Terms, cut_s: float) -> _Canary:
    rests_on = known_metric(terms.primary)
    replicas = len(orders[0])
    blocks = [_trimmed(block, cut_s) for block in blocks]
    whole, dropped = [], []
    for number, block in enumerate(blocks):
        if why := _flaw(block):
            dropped.append(Message("Block {n} was skipped: {why}.", n=number + 1, why=why))
        else:
            whole.append(number)
    windows = [
        replace(window, arm="B" if replica == canary else "A", pair=number)
        for number in whole
        for row, canary in zip(blocks[number], orders[number], strict=True)
        for replica, window in enumerate(row)
    ]
    asked = Question(
        rests_on.metric,
        "" if rests_on.of_all else rests_on.type,
        terms.seed,
        terms.slo_ns / 1e9,
        terms.resolution_ns,
        terms.loop,
        (),
        f"crossover:{replicas}x{len(orders)}",
        terms.level,
        hung=tuple(window.arm for window in windows if window.hung),
        waited_s=terms.waited_s + cut_s,
    )
    why = _too_few(len(whole), replicas, terms.level)
    selection = Selection(windows, False, tuple(whole), tuple(dropped), why)
    drawn = np.array([orders[number] for number in whole], np.int64).reshape(-1, replicas)
    slow = slow_part(windows, asked.slo_s) if windows else []
    return _Canary(asked, windows, slow, drawn, selection)


def _trimmed(
    block: Sequence[Sequence[WindowCounts]], cut_s: float
) -> Sequence[Sequence[WindowCounts]]:
    return [[window.without_first(cut_s) for window in row] for row in block]


def _flaw(block: Sequence[Sequence[WindowCounts]]) -> Message:
    for row in block:
        for window in row:
            if window.flaws:
                return window.flaws[0]
            if not window.n:
                return Message("a window holds no operations")
    return NOTHING


def _too_few(blocks: int, replicas: int, level: float) -> Message:
    least = least_blocks(replicas, level)
    if blocks >= least:
        return NOTHING
    return count_of(
        "{n} whole block is too few for a verdict; with {replicas} replicas it takes {least}.",
        "{n} whole blocks are too few for a verdict; with {replicas} replicas it takes {least}.",
        n=blocks,
        replicas=replicas,
        least=least,
    )


def _load(canary: _Canary) -> Load:
    """Of the canary beside its controls; an outcome where their clients wait for the answers."""
    ratio = canary.load
    if canary.asked.loop == CLOSED:
        return Load(canary.windows, ratio, outcome=True)
    apart = max(ratio, 1 / ratio)
    message = Message("The canary had {ratio:ratio} the load of its controls.", ratio=ratio)
    if apart > MATCHED:
        return Load(canary.windows, ratio, why=message)
    if apart > FINE:
        return Load(canary.windows, ratio, warning=message)
    return Load(canary.windows, ratio)


def _measure(canary: _Canary, kind: str) -> Measured:
    asked = canary.asked
    if not kind:
        return measure_all(canary.windows, canary.slow, asked.slo_s, asked.resolution_ns)
    return measure_type(kind, canary.windows, canary.slow, asked.slo_s, asked.resolution_ns)


def _judge(canary: _Canary, whole: Measured) -> Verdict:
    asked, windows = canary.asked, canary.windows
    types = {name: _measure(canary, name) for name in busy_types(windows)}
    if asked.kind and asked.kind not in types:
        return no_such_type(asked, canary.selection)
    tested = types.get(asked.kind, whole)
    enough = not _columns(tested, {}).lacks(asked.metric)
    seen = course_of_canary(asked, windows, canary.crossover, measured=enough)
    seconds = windows[0].seconds
    metrics = _judged(canary, whole, "", primary=not asked.kind)
    metrics = unless_moving(metrics, seen, asked, seconds)
    by_type = {
        name: unless_moving(
            _judged(canary, measured, name, primary=name == asked.kind), seen, asked, seconds
        )
        for name, measured in types.items()
    }
    first = (by_type[asked.kind] if asked.kind else metrics)[asked.metric]
    effects = {name: canary.crossover(values).effects for name, values in tested.values.items()}
    columns = _columns(tested, effects)
    hours_of_a_block = canary.shape[1] * seconds / 3600
    basis = common_details(asked, windows, whole)
    return Verdict(
        primary=first,
        metrics=metrics,
        comparable=True,
        why=NOTHING,
        design=asked.design,
        sentence=sentence(first, metrics, _design(canary, seconds)),
        types=by_type,
        dropped=canary.selection.dropped,
        details=replace(
            basis,
            windows=_by_block(canary, whole),
            planning=details.planning(columns, hours_of_a_block),
            settling=settling_of(seen, asked, seconds),
            alpha=asked.level,
        ),
    )


def _design(canary: _Canary, seconds: float) -> Message:
    blocks, replicas, _ = canary.shape
    return count_of(
        "Canary on {replicas} replicas beside concurrent controls, {n} randomised block of "
        "{replicas} × {length}",
        "Canary on {replicas} replicas beside concurrent controls, {n} randomised blocks of "
        "{replicas} × {length}",
        n=blocks,
        replicas=replicas,
        length=length_of(seconds),
    )


def _columns(measured: Measured, effects: Mapping[str, Float]) -> Columns:
    return Columns(effects, measured.n, measured.stall_count, measured.over, measured.unresolved)


def _judged(canary: _Canary, measured: Measured, kind: str, *, primary: bool) -> Judged:
    """Every metric of all operations or of one type; the secondary ones share one max-T family."""
    columns = _columns(measured, {})
    crossovers = {name: canary.crossover(measured.values[name]) for name in METRICS}
    least = least_blocks(canary.shape[1], canary.asked.level)
    can = [
        name
        for name in METRICS
        if not columns.lacks(name) and len(crossovers[name].values) >= least
    ]
    second = [
        name
        for name in can
        if len(crossovers[name].values) == len(canary.orders)
        and not (primary and name == canary.asked.metric)
    ]
    family = max_t([crossovers[name] for name in second])
    adjusted = {name: float(p) for name, p in zip(second, family, strict=True)}
    pooled = _pooled(canary, measured)
    judged = {}
    for name in METRICS:
        alpha = canary.asked.level if primary and name == canary.asked.metric else ALPHA
        verdict = MetricVerdict(name, Judgement.INSUFFICIENT.value, takes=columns.lacks(name))
        if name in can:
            verdict = _worded(crossovers[name], name, alpha, adjusted.get(name))
        verdict = replace(
            verdict, type=kind or verdict.type, exploratory=bool(kind) and not primary
        )
        judged[name] = with_pooled(_unless_hung(verdict, canary), pooled)
    return unless_evened_out(judged, canary.load)


def _unless_hung(verdict: MetricVerdict, canary: _Canary) -> MetricVerdict:
    """The verdict, unless it speaks for the arm that hung in a larger share of its windows."""
    hung, controls = canary.asked.hung, canary.shape[1] - 1
    excess = hung.count("B") * controls - hung.count("A")
    arm = {Judgement.BETTER: "B", Judgement.WORSE: "A"}.get(Judgement(verdict.verdict))
    if arm is None or (excess <= 0 if arm == "B" else excess >= 0):
        return verdict
    return replace(verdict, verdict=Judgement.INCONCLUSIVE.value, takes=HUNG)


def _worded(test: Crossover, metric: str, alpha: float, adjusted: float | None) -> MetricVerdict:
    limits, p = test.interval(alpha), test.p()
    verdict = MetricVerdict(
        metric,
        "",
        ratio=bounded_exp(test.estimate),
        low=bounded_exp(limits[0]) if limits else None,
        high=bounded_exp(limits[1]) if limits else None,
        p=p,
        p_adjusted=p if adjusted is None else max(p, adjusted),
        n_pairs=len(test.values),
    )
    proven = verdict.p_adjusted <= alpha
    word = word_of(metric, test.estimate, test.interval(NARROW), proven=proven)
    if word is Judgement.INCONCLUSIVE:
        return replace(verdict, verdict=word.value, takes=_takes(test, alpha))
    return replace(verdict, verdict=word.value)


def _takes(test: Crossover, alpha: float) -> Message:
    blocks, windows, replicas = test.values.shape
    known = known_from_rows(blocks * windows, replicas)
    least, most = (
        detectable(test.noise / share, (replicas, blocks), alpha) for share in reversed(known)
    )
    return Message(
        "{blocks} blocks detect in 8 of 10 canaries a rise to between {more:ratio} and "
        "{most:ratio}, or a fall to between {least:ratio} and {less:ratio}",
        blocks=blocks,
        more=least,
        most=most,
        least=1 / most,
        less=1 / least,
    )


def _pooled(canary: _Canary, measured: Measured) -> Mapping[str, Pooled]:
    """Over the whole run: in a block every replica is in both arms, in the same windows."""
    histograms, stalls = [], []
    for block in range(len(canary.orders)):
        for arm in "AB":
            mine = _of(canary, block, arm)
            histograms.append(measured.histograms[mine].sum(0))
            stalls.append([stall for i in mine for stall in measured.stalls[i]])
    edges = canary.windows[0].edges_s
    return pooled_metrics(np.array(histograms), stalls, edges, canary.asked.slo_s)


def _of(canary: _Canary, block: int, arm: str) -> list[int]:
    size = canary.shape[1] * canary.shape[2]
    span = range(block * size, (block + 1) * size)
    return [i for i in span if canary.windows[i].arm == arm]


def _by_block(canary: _Canary, measured: Measured) -> tuple[WindowValues, ...]:
    """Controls and canary of each block, geometric means: their ratio is what the test sees."""
    values = []
    for block, number in enumerate(canary.selection.pairs):
        for arm in "AB":
            mine = _of(canary, block, arm)
            logs = {name: float(measured.values[name][mine].mean()) for name in METRICS}
            windows = [canary.windows[i] for i in mine]
            values.append(details.mean_values(windows, number, logs))
    return tuple(values)


_NO_DIFFERENCE = (Judgement.EQUIVALENT, Judgement.IMMATERIAL)


def unless_evened_out(metrics: Judged, load: float) -> Judged:
    """The verdicts; none says *no difference* where the canary had another load than its controls.

    `load` is that of the canary over that of its controls.
    """
    if max(load, 1 / load) <= FINE:
        return metrics
    takes = Message(
        "a balancer that sends the canary as much as its controls: it had {ratio:ratio} of their "
        "load, which may even out the difference",
        ratio=load,
    )
    return {
        name: replace(verdict, verdict=Judgement.INCONCLUSIVE.value, takes=takes)
        if verdict.verdict in _NO_DIFFERENCE
        else verdict
        for name, verdict in metrics.items()
    }
