"""Where a campaign stands, durable: a file of this user's own, written before anything is done.

It is in the state folder, not beside the sessions: what a campaign runs, changes and decides when
it goes on is never taken from a file that somebody else may have made.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ldap_workbench.campaign.plan import CampaignPlan, Candidate
from ldap_workbench.campaign.stored import States
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.server_identity import known_as
from ldap_workbench.model.verdict import Judgement, MetricVerdict

_DECIDED = (Judgement.BETTER, Judgement.WORSE, Judgement.IMMATERIAL)


class Fate(StrEnum):
    """What became of a treatment."""

    WAITING = "waiting"
    RUNNING = "running"
    KEPT = "kept"
    REVERTED = "reverted"
    ABORTED = "aborted"
    """Its experiment ended early, by a safety limit for one; the server was put back."""
    CHOSEN = "chosen"
    """The best level of a ladder. It was reverted like all others; the confirmation applies it."""
    DROPPED = "dropped"
    """It was never measured."""


class Stage(StrEnum):
    """Where a campaign is."""

    TRYING = "trying"
    CLEARING = "clearing"
    """What stayed is reverted, so that the confirmation starts from the original."""
    CONFIRMING = "confirming"
    DONE = "done"
    STOPPED = "stopped"
    """By a person: all that stayed was reverted, nothing was confirmed."""


@dataclass(frozen=True)
class Entry:
    """One treatment of the queue, or the confirmation: its fate and the session that shows it."""

    treatment: str
    fate: Fate = Fate.WAITING
    why: Message = NOTHING
    level: float = 0.0
    """At which its primary metric was tested; 0 before."""
    session: str = ""
    verdict: MetricVerdict | None = None
    groups: tuple[str, ...] = ()
    """Of the journal, where it was kept."""
    change: int = 0
    """Of the journal: by it `revert` takes back what was kept."""
    took_s: float = 0.0
    restarts: int = 0
    round: int = 0
    """Of a ladder, from 0."""
    wait_s: float = 0.0
    """After each change, as its verdict asks for where the effect had not settled."""

    @property
    def open(self) -> bool:
        return self.fate in (Fate.WAITING, Fate.RUNNING)

    @property
    def spent(self) -> bool:
        """Whether its share of the level is gone: it was measured, and decided nothing."""
        return self.fate in (Fate.REVERTED, Fate.ABORTED) and not self.decided

    @property
    def decided(self) -> bool:
        return self.verdict is not None and self.verdict.verdict in _DECIDED


@dataclass(frozen=True)
class Campaign:
    """A plan, the server it is for, and where it stands."""

    plan: CampaignPlan
    server: str
    identity: str
    profile: str
    output: str
    """The session of the confirmation; those of the treatments are beside it."""
    began_ns: int
    entries: tuple[Entry, ...]
    stage: Stage = Stage.TRYING
    confirmation: Entry | None = None
    left_stored: tuple[Message, ...] = ()
    """What its reverts left stored that was not, by the journal, a sentence each."""
    in_force: tuple[Message, ...] = ()
    """What the settings it changed said when it had ended, and when that was read."""

    @property
    def server_name(self) -> str:
        """What the operator calls the server."""
        return known_as(self.profile, self.server)

    @property
    def ended(self) -> bool:
        return self.stage in (Stage.DONE, Stage.STOPPED)

    @property
    def confirmed(self) -> bool:
        """Whether the server has been left with what stayed."""
        return self.confirmation is not None and self.confirmation.fate is Fate.KEPT

    @property
    def to_confirm(self) -> tuple[int, ...]:
        """Indices of the entries to confirm, in the order they came: what stayed, or was chosen."""
        fates = (Fate.KEPT, Fate.CHOSEN)
        return tuple(i for i, entry in enumerate(self.entries) if entry.fate in fates)

    def candidate(self, entry: Entry) -> Candidate:
        """What an entry tries; no treatment is in the queue twice."""
        return next(
            candidate
            for candidate in self.plan.candidates
            if str(candidate.treatment) == entry.treatment
        )

    @property
    def spent_s(self) -> float:
        every = (*self.entries, *([self.confirmation] if self.confirmation else []))
        return sum(entry.took_s for entry in every)

    @property
    def restarts(self) -> int:
        return sum(entry.restarts for entry in self.entries)

    @property
    def sessions(self) -> frozenset[str]:
        """All its session files, finished or not."""
        every = (*self.entries, *([self.confirmation] if self.confirmation else []))
        return frozenset(entry.session for entry in every if entry.session)

    def session_of(self, index: int) -> Path:
        """Where the experiment of a treatment goes."""
        path = Path(self.output)
        return path.with_name(f"{path.stem}-{index + 1:02}{path.suffix}")


CAMPAIGNS = States(Campaign, "campaigns")
"""Where they are stored."""
