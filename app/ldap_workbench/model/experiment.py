"""The plan of an experiment and the states it goes through."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ldap_workbench.model import plan_fields
from ldap_workbench.model.kind import PrimaryMetric
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import Verdict


class Then(StrEnum):
    """What happens after the verdict."""

    ASK = "ask"
    KEEP = "keep"
    REVERT = "revert"
    KEEP_IF_BETTER = "keep-if-better"


class State(StrEnum):
    """Where an experiment is, stored before it acts."""

    PLANNED = "planned"
    CHECKING = "checking"
    APPLYING = "applying"
    REVERTING = "reverting"
    RESTARTING = "restarting"
    SETTLING = "settling"
    MEASURING = "measuring"
    JUDGING = "judging"
    DECIDING = "deciding"
    KEPT = "kept"
    REVERTED = "reverted"
    ABORTED = "aborted"

    @property
    def ended(self) -> bool:
        return self in (State.KEPT, State.REVERTED, State.ABORTED)


@dataclass(frozen=True)
class Design:
    """`kind` pairs (coin-flip order), abba or ab; `k` pairs (abba: blocks of two pairs each).

    ab is one switch: k windows of A, then as many of B.
    """

    kind: str = "pairs"
    k: int = plan_fields.PAIRS.default

    def __str__(self) -> str:
        return "ab" if (self.kind, self.k) == ("ab", 1) else f"{self.kind}:{self.k}"


@dataclass(frozen=True)
class Step:
    """One planned window: its arm and pair."""

    arm: str
    pair: int


REPLAY = "replay:"
"""How a load begins that is no command but a captured window: replay:FILE."""


@dataclass(frozen=True)
class Plan:
    """What is decided before the start; `steps` is the order the coin gave, stored first."""

    treatment: Treatment
    design: Design
    steps: tuple[Step, ...]
    window_s: float
    seed: int
    primary: str = "slo"
    """Metric the verdict rests on: p50, p95, p99, p99.9, slo, stall_len, stall_time, stall_n."""
    slo_ns: int = round(plan_fields.SLO.default * plan_fields.NS_PER_MS)
    settle_s: float = plan_fields.SETTLE.default
    trim_s: float = plan_fields.TRIM.default
    """Cut from the start of every window, alike in both arms."""
    load: str = ""
    """Command run during every window; empty: the server's own clients."""
    load_on_host: bool = False
    then: Then = Then.ASK
    restart: bool = False
    """The treatment needs a restart, so both arms are restarted before every window."""
    guards: dict[str, float] = field(default_factory=dict)
    """Limits that abort and revert: error_share (0..1), p99_ns, lag_s."""
    trim_auto: bool = False
    """Cut what the warm-up rule finds, instead of trim_s; alike in both arms as well."""
    looks: tuple[int, ...] = ()
    """Numbers of pairs after which to look; a decision ends the experiment. Each costs its share
    of the level."""
    repeats: int = plan_fields.REPEATS.default
    """How many pairs may be measured again, in all: the link broke in them, or somebody else
    changed the server."""
    patience_s: float = plan_fields.PATIENCE.default
    """How long a server that does not answer is waited for."""
    restart_wait_s: float = plan_fields.RESTART_WAIT.default
    """How long a server is waited for after the profile's restart command; what an operator
    restarts by hand is waited for without a limit."""
    cold: bool = False
    """The page cache of the server's host is dropped before every window, of both arms alike."""
    level: float = 0.05
    """The p-value at which the primary metric decides, shared by all interim analyses. An
    experiment of a campaign has its share of the campaign's 5 %."""
    futility: bool = False
    """An interim analysis also ends an experiment that can no longer find a change worth having."""
    must_last: bool = False
    """*Better* also has to be more than what a switch may leave behind for as long as a window. So
    it is in campaigns, where the next experiments rest on what one keeps."""
    earlier: tuple[Message, ...] = ()
    """What earlier pairs showed that made these wanted, a sentence each. The verdict says so and
    does not count them."""

    @property
    def primary_metric(self) -> PrimaryMetric:
        return PrimaryMetric.parse(self.primary)

    @property
    def replays(self) -> bool:
        """Its load is a captured window sent again."""
        return self.load.startswith(REPLAY)

    @property
    def in_pairs(self) -> bool:
        """Whether its windows are measured by twos, one of each arm; else A is ended before B."""
        return self.design.kind != "ab" or len(self.steps) == 2

    def first_of(self, index: int) -> int:
        """The step from which on it is measured again where that of `index` is lost."""
        return index - index % 2 if self.in_pairs else index

    @property
    def changes_nothing(self) -> bool:
        """A noise floor: both arms are the server as it is, so whatever differs is noise."""
        return not self.treatment.settings


@dataclass(frozen=True)
class Experiment:
    """A plan, its windows and its verdict, as the session stores them."""

    id: int
    plan: Plan
    state: State
    step: int
    """Index of the step being worked on."""
    windows: tuple[int, ...] = ()
    """Window ids, one per finished step."""
    verdict: Verdict | None = None
    why: Message = NOTHING
    change_groups: tuple[str, ...] = ()
    void: tuple[Message, ...] = ()
    """Why pairs were measured again, a sentence each."""
    lost: tuple[str, ...] = ()
    """The arm of each window that was lost, and with it its pair, unless the arm cannot be why."""
    remarks: tuple[Message, ...] = ()
    """What else the verdict must say, a sentence each."""
    left_stored: tuple[Message, ...] = ()
    """What a revert of its changes leaves stored that was not, by the journal, a sentence each."""
