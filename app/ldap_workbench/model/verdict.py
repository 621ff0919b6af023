"""The verdict of an experiment: per metric, with its interval, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Self

from ldap_workbench.model.message import NOTHING, Message, Value, sentences, verbatim
from ldap_workbench.model.stored import RENAMED, STORED, as_stored

_OPENING = "{word:capital}"


class Mood(StrEnum):
    """How a judgement looks; window and report choose the colour."""

    GOOD = "good"
    BAD = "bad"
    OPEN = "open"
    """The question was not answered, or what there is of an answer is unwelcome."""
    PLAIN = "plain"


class Judgement(StrEnum):
    """What is said of one metric, B against A: the only table of these words.

    The value is the word in files and JSON, `word` the one that people read, `heading` the same as
    a line of its own. `exit_status` is that of a command with --exit-status: 0 for better alone,
    from 10 on other answers, from 20 on none.
    """

    _value_: str
    word: Message
    heading: Message
    mood: Mood
    exit_status: int

    # The defaults are for type checkers, to which Judgement("better") is a call of this.
    def __new__(
        cls,
        value: str,
        exit_status: int = 0,
        mood: Mood = Mood.PLAIN,
        word: Message = NOTHING,
        heading: Message = NOTHING,
    ) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.exit_status, member.mood, member.word = exit_status, mood, word
        member.heading = heading or member.opening
        return member

    BETTER = "better", 0, Mood.GOOD, Message("better"), Message("B is better")
    WORSE = "worse", 10, Mood.BAD, Message("worse"), Message("B is worse")
    SUGGESTS_BETTER = (
        *("suggests better", 11, Mood.PLAIN),
        *(Message("suggests better"), Message("Suggests that B is better")),
    )
    SUGGESTS_WORSE = (
        *("suggests worse", 12, Mood.OPEN),
        *(Message("suggests worse"), Message("Suggests that B is worse")),
    )
    IMMATERIAL = "too small to matter", 13, Mood.PLAIN, Message("too small to matter")
    EQUIVALENT = "no material change", 14, Mood.PLAIN, Message("no material change")
    INCONCLUSIVE = "inconclusive", 20, Mood.OPEN, Message("inconclusive")
    INSUFFICIENT = "not enough data", 21, Mood.OPEN, Message("not enough data")
    NOT_SETTLED = "not settled", 22, Mood.OPEN, Message("not settled")
    NOT_COMPARABLE = (
        *("not comparable", 23, Mood.OPEN),
        *(Message("not comparable"), Message("A and B are not comparable")),
    )

    @classmethod
    def known(cls, word: str) -> Judgement | None:
        """The judgement of a word; None for one that only a stranger's file has."""
        return next((member for member in cls if member == word), None)

    @classmethod
    def named(cls, word: str) -> Message:
        """A word as people read it; one that only a stranger's file has as it is."""
        known = cls.known(word)
        return known.word if known else verbatim(word)

    @property
    def opening(self) -> Message:
        """The word as a sentence begins with it."""
        return Message(_OPENING, word=self.word)


EARLIER_WORDS = {
    "immaterial": Judgement.IMMATERIAL.value,
    "insufficient": Judgement.INSUFFICIENT.value,
}
"""Words in files of earlier versions, and what they are now."""


@dataclass(frozen=True)
class MetricVerdict:
    """One metric B against A. Ratios are B/A (below 1 is better for every metric); nan-free.

    `ratio` is the typical-window ratio with its interval [low, high]; `pooled` the ratio over the
    whole run. Values that cannot be given are None.
    """

    metric: str
    verdict: str = field(metadata={RENAMED: EARLIER_WORDS})
    """A word of `Judgement`; a stranger's file may have another."""
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    p: float = 1.0
    p_adjusted: float = 1.0
    pooled: float | None = None
    pooled_low: float | None = None
    pooled_high: float | None = None
    n_pairs: int = 0
    type: str = "ALL"
    a: float | None = None
    """Pooled value of arm A in the metric's unit (ns, share, count)."""
    b: float | None = None
    n_a: int | None = None
    """Operations that `a` comes from; None in a file written before they were kept."""
    n_b: int | None = None
    takes: Message = NOTHING
    """With 'inconclusive' and the like: what it would take to know."""
    exploratory: bool = False
    """One of many looks at operation types: a hint where to look next, not a result."""


@dataclass(frozen=True)
class MetricValues:
    """One value a metric, ns, share or count; None where it cannot be given.

    Metrics of stalls are those of the verdict's ledger (`StallLedger`).
    """

    p50: float | None = None
    p95: float | None = None
    p99: float | None = None
    p999: float | None = field(default=None, metadata={STORED: "p99.9"})
    slo: float | None = None

    def value(self, metric: str) -> float | None:
        """Of a metric by its name, "p99.9" too; None for one that is not here."""
        quantile: float | None = getattr(self, metric.replace(".", ""), None)
        return quantile


@dataclass(frozen=True)
class WindowValues(MetricValues):
    """One window as the test saw it: the operations counted and every metric of all of them."""

    arm: str = ""
    pair: int = -1
    n: float = 0
    seconds: float = 0.0
    max_ns: int | None = None
    stall_len: float | None = None
    stall_time: float | None = None
    stall_n: float | None = None


@dataclass(frozen=True)
class LedgerStall:
    """One stall of the ledger; `start_s` counts from where its window begins after the cut."""

    arm: str
    pair: int
    start_s: float
    length_ns: float
    operations: int = 0


@dataclass(frozen=True)
class LedgerArm:
    """The stalls of one arm in all."""

    hours: float = 0.0
    count: int = 0
    per_hour: float = 0.0
    stalled_s_per_hour: float = 0.0
    longest_ns: float | None = None


@dataclass(frozen=True)
class StallLedger:
    """Stalls as counts show them: seconds in which many operations of `threshold_ns` and more end.

    The threshold is the same for both arms. `stalls` are the longest `listed` of all `of`.
    """

    threshold_ns: float
    arms: dict[str, LedgerArm] = field(default_factory=dict)
    stalls: tuple[LedgerStall, ...] = ()
    listed: int = 0
    of: int = 0


@dataclass(frozen=True)
class RareEvents:
    """Events per hour, B against A.

    p is of the conditional exact test; low and high limit the ratio of rates at 95 % (None where
    open); `at_most_b` bounds B's rate per hour; `hours_needed` is how long B must run without
    an event before its absence says something (None where arm A had none either).
    """

    n_a: int = 0
    n_b: int = 0
    hours_a: float = 0.0
    hours_b: float = 0.0
    p: float = 1.0
    low: float | None = None
    high: float | None = None
    at_most_b: float | None = None
    hours_needed: float | None = None
    sentence: Message = NOTHING


@dataclass(frozen=True)
class Shift:
    """B against A at every quantile p, in columns of one length, as far as the tail is known.

    Etime of both arms in ns, ratio B / A with its pointwise 95 % band, Kish's n_eff.
    """

    p: tuple[float, ...] = ()
    a_ns: tuple[float, ...] = ()
    b_ns: tuple[float, ...] = ()
    ratio: tuple[float, ...] = ()
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    n_eff: tuple[float, ...] = ()
    cut_at: float | None = None
    """The last p that is known."""


@dataclass(frozen=True)
class WaitingClients:
    """Clients of one arm that wait for each answer: the tail as logged, and without that waiting.

    `interval_ns` is the time from one request of a client to its next.
    """

    clients: int = 0
    interval_ns: float = 0.0
    as_logged: MetricValues = MetricValues()
    corrected: MetricValues = MetricValues()


@dataclass(frozen=True)
class Clients:
    """Whether clients wait for answers (a closed loop); `index` per arm is below 1 where they do.

    Each arm's tails are there only for a closed loop.
    """

    index: dict[str, float | None] = field(default_factory=dict)
    closed: bool = False
    a: WaitingClients | None = field(default=None, metadata={STORED: "A"})
    b: WaitingClients | None = field(default=None, metadata={STORED: "B"})


@dataclass(frozen=True)
class Sensitivity:
    """What the noise `s` (standard deviation of ln B - ln A) lets these pairs find.

    The ratio found in four of five experiments lies between `detectable_at_best` and `detectable`,
    as the noise is not known better; `pairs` and `hours` say what other ratios ("1.25") take.
    """

    s: float = 0.0
    detectable: float | None = None
    pairs: dict[str, int] = field(default_factory=dict)
    hours: dict[str, float] = field(default_factory=dict)
    detectable_at_best: float | None = None


@dataclass(frozen=True)
class SequentialEvidence:
    """The e-process after each pair, which may be looked at any time.

    `decided`: pairs after which it first reached 20; false alarms stay below 5 %.
    """

    values: tuple[float, ...] = ()
    decided: int | None = None


@dataclass(frozen=True)
class HalfEffects:
    """The effect of one metric, as a ratio B/A, in the first and second half of the windows.

    `p` is of the two being the same.
    """

    first: float = 1.0
    second: float = 1.0
    p: float = 1.0


@dataclass(frozen=True)
class Settling:
    """The effect, as a ratio B/A, in the first and second half of the windows.

    Of a typical etime and, in `primary`, of the primary metric; `p` is of the two being the same,
    adjusted for both. Where the effect was still on its way, also how long it takes, from the
    change, until 80 % of it is there, and what to wait and to discard the next time.
    """

    first: float = 1.0
    second: float = 1.0
    p: float = 1.0
    primary: HalfEffects | None = None
    reached_s: float | None = None
    reached_later: bool = False
    """Whether that is the least it takes: these windows are too short to know."""
    wait_s: float | None = None
    trim_s: float | None = None


@dataclass(frozen=True)
class VerdictDetails:
    """What a verdict rests on; what an older file does not have is None or empty."""

    seed: int = 0
    slo_ns: int | None = None
    alpha: float | None = None
    """Level of the primary metric's test."""
    trimmed_s: float = 0.0
    """Cut from the start of every window by the verdict, after what the plan cut."""
    load_ratio: float | None = None
    """Offered load B / A, and the share of seconds kept to make both alike."""
    load_kept: float | None = None
    windows: tuple[WindowValues, ...] = ()
    ledger: StallLedger | None = None
    long_stalls: RareEvents | None = None
    shift: Shift | None = None
    clients: Clients | None = None
    planning: dict[str, Sensitivity] = field(default_factory=dict)
    """Per metric."""
    anytime: SequentialEvidence | None = None
    carry_over_p: float | None = None
    settling: Settling | None = None
    lost: tuple[str, ...] = ()
    """The arm of each window that was lost and measured again."""
    hung: tuple[str, ...] = ()
    """The arm of each window in which the server did not answer its monitor for 10 s or longer."""
    hope: float | None = None
    """The largest improvement of the primary metric that is still likely: the lower limit of its
    80 % interval, a ratio B/A."""


RULES = 3
"""Of the verdict, counted up whenever windows may get another word than before; 0 are those of
versions that did not count."""
B_WAS = Message("B: {b}.").template
SENTENCE = Message("{judgement:capital}: {sentences:sentences}").template
"""Of every verdict's sentence."""
_SENTENCES = (SENTENCE, "{judgement}: {sentences:sentences}")
"""... and as earlier versions stored it."""


def _messages(value: Value) -> tuple[Message, ...]:
    """Those of a tuple; a file may hold something else."""
    parts = value if isinstance(value, tuple) else ()
    return tuple(part for part in parts if isinstance(part, Message))


@dataclass(frozen=True)
class Verdict:
    """A word of `Judgement` for each metric, with all it rests on."""

    primary: MetricVerdict
    metrics: dict[str, MetricVerdict]
    comparable: bool
    why: Message
    design: str
    sentence: Message
    types: dict[str, dict[str, MetricVerdict]] = field(default_factory=dict)
    """Per operation type, then per metric: exploratory."""
    dropped: tuple[Message, ...] = ()
    """Pairs left out and why."""
    warnings: tuple[Message, ...] = ()
    details: VerdictDetails = VerdictDetails()
    rules: int = 0
    """The rules that judged, see `RULES`."""

    def naming(self, b: Message) -> Verdict:
        """The verdict with a sentence that says what B was, unless it says so already."""
        judgement, parts = self._parts()
        if not b or not judgement or any(part.template == B_WAS for part in parts):
            return self
        extended = (*parts[:1], Message(B_WAS, b=b), *parts[1:])
        return replace(self, sentence=Message(SENTENCE, judgement=judgement, sentences=extended))

    @property
    def earns_keep(self) -> bool:
        """Whether keeping the change is the safe choice: better, and nothing measured is worse.

        What was only looked at (operation types, exploratory metrics) does not count. Windows lost
        in B more often than in A, or in which it hung, may be the change's doing, however good the
        others are.
        """
        missing = (*self.details.lost, *self.details.hung)
        if missing.count("B") > missing.count("A"):
            return False
        stalls = self.details.long_stalls
        if stalls is not None and stalls.low is not None and stalls.low > 1:
            return False
        judged = [self.primary, *(m for m in self.metrics.values() if not m.exploratory)]
        worse = any(metric.verdict == Judgement.WORSE for metric in judged)
        return self.primary.verdict == Judgement.BETTER and not worse

    @property
    def explanation(self) -> Message:
        """The sentence without the judgement it begins with, for where that is shown beside it."""
        judgement, parts = self._parts()
        return sentences(*parts) if judgement else self.sentence

    def _parts(self) -> tuple[Value, tuple[Message, ...]]:
        """The judgement and what is said of it; '' where the sentence is not known to name one."""
        if self.sentence.template in _SENTENCES:
            parameters = self.sentence.parameters
            return parameters.get("judgement", ""), _messages(parameters.get("sentences"))
        judgement, colon, rest = str(self.sentence).partition(": ")
        word = EARLIER_WORDS.get(judgement.lower(), judgement.lower())
        known = colon and word == self.primary.verdict
        return (verbatim(judgement), (verbatim(rest),)) if known else ("", ())

    def to_json(self) -> dict[str, Any]:
        """As sessions store it."""
        stored: dict[str, Any] = as_stored(self)
        return stored
