"""Where a campaign stands, durable: a file of this user's own, written before anything is done.

It is in the state folder, not beside the sessions: what a campaign runs, changes and decides when
it goes on is never taken from a file that somebody else may have made.

Campaigns and canaries of this user on disk: one file a state, known by its session file. A campaign
that begins, or one of this user's that goes on.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from ldap_workbench.campaign.plan import CampaignPlan, Candidate
from ldap_workbench.connect.folders import state_folder, unwritable, write_atomically
from ldap_workbench.model.errors import UsageError, WorkbenchError
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.server_identity import known_as
from ldap_workbench.model.verdict import Judgement, MetricVerdict
from ldap_workbench.servers.target import Target
from ldap_workbench.session.codec import from_json, to_json
from ldap_workbench.tuning.tuner import Tuner


class _State(Protocol):
    @property
    def output(self) -> Any:
        """The session file, by which it is known."""

    @property
    def began_ns(self) -> int: ...


S = TypeVar("S", bound=_State)


@dataclass(frozen=True)
class States(Generic[S]):
    """All states of one kind, below the folder of states."""

    kind: type[S]
    folder: str

    def path(self, output: Path) -> Path:
        """The state of the one whose session file is `output`."""
        name = hashlib.sha256(str(output.resolve()).encode("utf-8", "surrogateescape")).hexdigest()
        return state_folder() / self.folder / f"{name[:16]}.json"

    def of(self, output: Path) -> S | None:
        """The one of a session file; None where this user has none. Raises SessionError."""
        path = self.path(output)
        return from_json(self.kind, path.read_text("utf-8")) if path.exists() else None

    def all(self) -> tuple[list[S], int]:
        """All of this user, the latest first, and how many files could not be read."""
        states: list[S] = []
        unread = 0
        for path in (state_folder() / self.folder).glob("*.json"):
            try:
                states.append(from_json(self.kind, path.read_text("utf-8")))
            except (WorkbenchError, OSError, UnicodeDecodeError):
                unread += 1
        return sorted(states, key=lambda state: -state.began_ns), unread

    def write(self, state: S) -> None:
        """Make a state durable. Raises ChangeError where the disk is full."""
        path = self.path(Path(state.output))
        try:
            write_atomically(path, to_json(state))
        except OSError as error:
            raise unwritable(path, error) from error


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


def new_campaign(plan: CampaignPlan, target: Target, tuner: Tuner, output: Path) -> Campaign:
    """Nothing of it has begun yet. Raises UsageError where the file belongs to another."""
    refuse_existing(output)
    return Campaign(
        plan,
        tuner.server,
        tuner.identity,
        target.profile.name,
        str(output.resolve()),
        time.time_ns(),
        tuple(Entry(str(candidate.treatment)) for candidate in plan.candidates),
    )


def refuse_existing(output: Path) -> None:
    """Raise UsageError where a campaign has this file already."""
    state = CAMPAIGNS.of(output)
    if output.exists() or (state and not state.ended):
        raise UsageError(
            Message("{path} belongs to a campaign already.", path=str(output)),
            safe=Message("Nothing was changed."),
            remedy=Message("Go on with it by --resume, or name a new file."),
        )


def resumable(output: Path, tuner: Tuner) -> Campaign:
    """The campaign of this file, to go on with on this server.

    Raises UsageError, and AnotherServerError where its name leads to another server by now.
    """
    state = CAMPAIGNS.of(output)
    if state is None or state.ended:
        raise UsageError(
            Message("You have no campaign to resume for {path}.", path=str(output)),
            safe=Message("Nothing was changed."),
            remedy=Message("Leave out --resume and name a new file."),
        )
    if not tuner.check_is(state.server, state.identity):
        raise UsageError(
            Message(
                "The campaign of {path} is on another server: {server}.",
                path=str(output),
                server=state.server,
            ),
            safe=Message("Nothing was changed."),
            remedy=Message("Name the profile of that server."),
        )
    return state


def check_url(tuner: Tuner, agreed: Callable[[Message], bool], remedy: Message) -> None:
    """Ask where nothing but the URL says that work begun earlier goes on on the same server.

    Raises UsageError with `remedy` where the question is not agreed to.
    """
    question = Message("Is {server} still the server it was begun on?", server=tuner.server)
    if tuner.identity or agreed(question):
        return
    raise UsageError(
        Message("Only the URL says which server was changed; its identity is not known."),
        safe=Message("Nothing was changed."),
        remedy=remedy,
    )
