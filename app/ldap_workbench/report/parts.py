"""What a report is made of: numbers and nouns, no layout."""

from __future__ import annotations

from dataclasses import dataclass

from ldap_workbench.figures.operations.view import OperationRow
from ldap_workbench.figures.overview.account import TimeSummary
from ldap_workbench.figures.table import Numbers
from ldap_workbench.figures.tails.curve import Distribution, TailCurve
from ldap_workbench.figures.tails.icicle import Stacks
from ldap_workbench.figures.tails.probes import ProbePicture
from ldap_workbench.figures.timeline.strips import Strip
from ldap_workbench.figures.verdict.host_changes import HostChange
from ldap_workbench.figures.verdict.pairs import PairsPart
from ldap_workbench.figures.verdict.stored import Ledger, ShiftCurve
from ldap_workbench.model.change import Change
from ldap_workbench.model.experiment import Experiment
from ldap_workbench.model.finding import Advice, Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.tail import Tail
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.model.window import Mark, Source, Window


@dataclass(frozen=True, eq=False)
class WindowPart:
    """A window with how complete its sources are, and its own tails."""

    window: Window
    sources: tuple[Source, ...]
    tails: tuple[Tail, ...]
    curve: TailCurve
    resolution_ns: int


@dataclass(frozen=True, eq=False)
class ArmPart:
    """All windows of one arm together; arm "" is all of a capture."""

    arm: str
    windows: int
    tails: tuple[Tail, ...]
    curve: TailCurve
    shape: Distribution


@dataclass(frozen=True)
class SettingPart:
    """One setting of the treatment: from what to what, and what the catalogue says of the knob."""

    knob: str
    place: str
    before: str
    asked: str
    title: str = ""
    effect: str = ""
    risk: str = ""
    about: str = ""
    trap: str = ""
    source: str = ""


@dataclass(frozen=True, eq=False)
class ExperimentPart:
    """One experiment: its change, design, verdict, and the LDIF to repeat and to undo it."""

    experiment: Experiment
    settings: tuple[SettingPart, ...]
    design: str
    order: str
    state: str
    verdict: Verdict | None
    pairs: tuple[PairsPart, ...]
    changes: tuple[Change, ...]
    ldif_apply: str
    ldif_undo: str
    shift: ShiftCurve | None = None
    ledger: Ledger | None = None
    notes: tuple[str, ...] = ()
    """What else to know of how the verdict came about."""
    recorded: tuple[Message, ...] = ()
    """What was recorded last of each setting of the change, and when."""


@dataclass(frozen=True)
class HostPart:
    """What companions of the logs show in some windows, A, against others, B, by their names."""

    a: str
    b: str
    changes: tuple[HostChange, ...]


@dataclass(frozen=True, eq=False)
class GroupPart:
    """Windows that belong together: those of one experiment, or all that were only captured."""

    title: str
    windows: tuple[WindowPart, ...]
    arms: tuple[ArmPart, ...]
    slowest: tuple[OperationRow, ...]
    strips: tuple[Strip, ...]
    slo_ns: int | None = None
    type_curves: tuple[TailCurve, ...] = ()
    """Each arm's curve of the operation type the verdict rests on, where it rests on one."""
    primary_type: str = ""
    experiment: ExperimentPart | None = None
    host: tuple[HostPart, ...] = ()
    probes: tuple[ProbePicture, ...] = ()
    """Imported histograms, the runs of one probe together."""
    client: Numbers | None = None
    """What a client measured, beside the server."""
    stacks: Stacks | None = None
    """Stacks of threads, of arm A against those of B where both have some."""

    @property
    def start_ns(self) -> int:
        return min(part.window.start_ns for part in self.windows)

    @property
    def end_ns(self) -> int:
        return max(part.window.end_ns for part in self.windows)


@dataclass(frozen=True)
class Fact:
    """One thing known of the server, or why it is not."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True, eq=False)
class ReportModel:
    """A session told from start to end; every text in it is still as it came: escape it."""

    title: Message
    subtitle: Message
    simulated: bool
    facts: tuple[Fact, ...]
    target: TargetFacts | None
    groups: tuple[GroupPart, ...]
    changes: tuple[Change, ...]
    marks: tuple[Mark, ...]
    versions: tuple[Fact, ...]
    warnings: tuple[Message, ...] = ()
    findings: tuple[Finding, ...] = ()
    """Over all windows, likely causes first."""
    advice: tuple[Advice, ...] = ()
    times: tuple[TimeSummary, ...] = ()
    """Where the time of each window went."""
