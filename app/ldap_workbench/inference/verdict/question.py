"""What is asked of the windows, and the answer where nothing can be said.

What is said of windows that were lost, or in which the server did not answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ldap_workbench.inference.counts.measured import Measured, coarse_s
from ldap_workbench.inference.counts.metrics import METRICS
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.design.selection import Selection
from ldap_workbench.inference.significance.exceedance import shift_of
from ldap_workbench.inference.significance.sequential import ALPHA
from ldap_workbench.inference.verdict import details
from ldap_workbench.inference.verdict.wording import judged
from ldap_workbench.model.kind import OperationKind
from ldap_workbench.model.message import NOTHING, Message, count_of
from ldap_workbench.model.operations import ALL
from ldap_workbench.model.verdict import Judgement, MetricVerdict, Verdict, VerdictDetails

AUTO, CLOSED = "auto", "closed"
"""What is known of the loop of clients: nothing; they wait, so that the load is an outcome."""

Judged = dict[str, MetricVerdict]

_SUGGESTED: dict[str, str] = {
    Judgement.BETTER: Judgement.SUGGESTS_BETTER.value,
    Judgement.WORSE: Judgement.SUGGESTS_WORSE.value,
    Judgement.IMMATERIAL: Judgement.INCONCLUSIVE.value,
    Judgement.EQUIVALENT: Judgement.INCONCLUSIVE.value,
}


@dataclass(frozen=True)
class Question:
    """What is asked of the windows; all of it is decided before they are measured."""

    metric: str
    kind: str
    """Operation type the verdict rests on, "" for all client operations."""
    seed: int
    slo_s: float
    resolution_ns: int
    loop: str
    looks: tuple[int, ...]
    design: str
    level: float = ALPHA
    """Of the primary metric's test, over all looks."""
    afterwards: bool = False
    """Whether it was asked once the windows were known, so that the answer only suggests."""
    lost: tuple[str, ...] = ()
    """The arm of each window that was lost and measured again."""
    hung: tuple[str, ...] = ()
    """The arm of each window in which the server did not answer its monitor for 10 s or longer."""
    lasting: Message = NOTHING
    """What of the treatment's effect outlives its revert; windows of A may have it, too."""
    waited_s: float = 0.0
    """Between each change and its window, with what was trimmed."""
    must_last: bool = False
    """Whether *better* also has to be more than what a switch may leave behind for a while."""
    of_sessions: bool = False
    """Whether the windows are of several sessions an arm; `pair` is the number of each one's."""
    failures: bool = False
    """Whether the windows may differ in what fails: it is judged, or left out of what is judged."""
    waiting: bool = False
    """Whether the connections look as if all clients waited for their answers."""

    @property
    def coarse_s(self) -> float:
        """See `measured.coarse_s`."""
        return coarse_s(self.resolution_ns, self.slo_s)

    def with_coarse_times(self, windows: Sequence[WindowCounts]) -> list[WindowCounts]:
        """The windows, etimes that are too short for the log's clock counted as its limit."""
        return [window.at_least(self.coarse_s) for window in windows]


def refusal(
    asked: Question,
    selection: Selection,
    word: Judgement,
    why: Message,
    warnings: tuple[Message, ...] = (),
) -> Verdict:
    """A verdict that judges no metric, and why."""
    refused = {name: MetricVerdict(name, word.value) for name in METRICS}
    return Verdict(
        primary=replace(refused[asked.metric], type=asked.kind or ALL),
        metrics=refused,
        comparable=word is not Judgement.NOT_COMPARABLE,
        why=why,
        design=asked.design,
        sentence=judged(word, why),
        dropped=selection.dropped,
        warnings=warnings,
    )


def as_asked(metrics: Judged, asked: Question) -> Judged:
    """The verdicts; what was asked afterwards of one metric of many establishes nothing."""
    if not asked.afterwards:
        return metrics
    return {
        name: replace(metric, verdict=_SUGGESTED.get(metric.verdict, metric.verdict))
        for name, metric in metrics.items()
    }


def no_such_type(asked: Question, selection: Selection) -> Verdict:
    """The verdict where a window lacks the operations asked for."""
    if kind := OperationKind.parse(asked.kind):
        why = Message("Not every window has {operations}.", operations=kind.name)
    else:
        why = Message("Not every window has {type} operations.", type=asked.kind)
    return refusal(asked, selection, Judgement.INSUFFICIENT, why)


def common_details(
    asked: Question, windows: Sequence[WindowCounts], whole: Measured
) -> VerdictDetails:
    """What pairs and unpaired windows have in common."""
    return VerdictDetails(
        seed=asked.seed,
        slo_ns=round(asked.slo_s * 1e9),
        lost=asked.lost,
        hung=asked.hung,
        windows=details.window_values(windows, whole),
        ledger=details.ledger(windows, whole),
        long_stalls=details.long_stalls(windows, whole, asked.hung),
        shift=shift_of(windows, whole.histograms),
    )


LOST = Message(
    "windows that are not lost: counting each lost window of B as the worst seen, and each of "
    "A as the best, the difference may be chance"
)


HUNG = Message("windows in which the server answers: what waited while it hung is not in its log")


def without_hang(arm: str) -> Message:
    """What it takes to claim a difference that speaks for an arm whose server hung more often."""
    return Message(
        "windows in which the server answers: what waited while it hung is not in its log, and "
        "counting each such window of {arm} as the worst seen, the difference may be chance",
        arm=arm,
    )


def excess(arms: Sequence[str], arm: str) -> int:
    """How many more of these are of this arm than of the other."""
    other = "B" if arm == "A" else "A"
    return max(0, arms.count(arm) - arms.count(other))


def missing_windows(asked: Question) -> tuple[Message, ...]:
    """How many windows of which arm were lost, and in how many the server hung."""
    lines = []
    if asked.lost:
        lines.append(
            count_of(
                "{n} window was lost and its pair measured again: {a} of A, {b} of B.",
                "{n} windows were lost and their pairs measured again: {a} of A, {b} of B.",
                n=len(asked.lost),
                a=asked.lost.count("A"),
                b=asked.lost.count("B"),
            )
        )
    if asked.hung:
        lines.append(
            count_of(
                "In {n} window the server did not answer cn=monitor for 10 s or longer: {a} of A, "
                "{b} of B. Its log shows little or nothing of what waited meanwhile.",
                "In {n} windows the server did not answer cn=monitor for 10 s or longer: {a} of A, "
                "{b} of B. Its log shows little or nothing of what waited meanwhile.",
                n=len(asked.hung),
                a=asked.hung.count("A"),
                b=asked.hung.count("B"),
            )
        )
    if excess((*asked.lost, *asked.hung), "B"):
        lines.append(
            Message(
                "More windows of B than of A were lost or hung, which the change may have caused: "
                "keep-if-better reverts it."
            )
        )
    return tuple(lines)
