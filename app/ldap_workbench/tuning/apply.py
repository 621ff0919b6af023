"""Applying a treatment: journal, write, read back; all of a group or nothing."""

from __future__ import annotations

from dataclasses import dataclass

from ldap_workbench.model.change import Change, ChangeState, ProofResult
from ldap_workbench.model.errors import (
    ChangeError,
    CommandError,
    ConflictError,
    ConnectError,
    DirectoryError,
    WorkbenchError,
)
from ldap_workbench.model.knob import Effect, Treatment
from ldap_workbench.model.progress import Cancel, OnProgress, Progress
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.place import Places, words
from ldap_workbench.tuning.plan import PlannedChange
from ldap_workbench.tuning.undo import revert_changes

UNKNOWN_ATTRIBUTE = "unknown config attribute"
"""What 389 DS says along with success when it stores an attribute that does nothing."""


@dataclass(frozen=True)
class AppliedGroup:
    """One application of a treatment: its id in the journal, and what became of each setting."""

    group: str
    treatment: Treatment
    changes: list[Change]
    proofs: list[ProofResult]
    """One per change."""

    @property
    def needs_restart(self) -> bool:
        return any(change.needs_restart for change in self.changes)

    def sentences(self) -> list[str]:
        """What was asked, what the server made of it, and what it said, for a person."""
        return [tell(change) for change in self.changes]


def tell(change: Change) -> str:
    """'nsslapd-threadnumber: was 16, asked -1, got 16. The server said: ...'"""
    text = f"{change.knob}: was {words(change.before)}, asked {words(change.asked)}"
    if change.state is not ChangeState.INTENDED:
        text += f", got {words(change.got)}"
    return f"{text}." + (f" The server said: {change.message}" if change.message else "")


class Applier:
    """Writes the planned changes of one group, and takes all back when one of them fails."""

    def __init__(self, journal: Journal, places: Places, group: str, profile: str, session: str):
        self._journal = journal
        self._places = places
        self._group = group
        self._profile = profile
        self._session = session
        self._intended: list[int] = []

    def apply(
        self, planned: list[PlannedChange], progress: OnProgress, cancel: Cancel
    ) -> list[Change]:
        """The changes made, one per setting that was not as asked already.

        Raises ChangeError or CancelledError after what was written before has been reverted; when
        that fails too, the error says so and the journal keeps the changes open.
        """
        done: list[Change] = []
        try:
            for index, each in enumerate(planned):
                cancel.check()
                if each.writes:
                    progress(Progress(f"Setting {each.setting}", index / len(planned)))
                    done.append(self._one(each))
        except WorkbenchError as error:
            self._take_back(error, done)
            raise
        return done

    def _one(self, planned: PlannedChange) -> Change:
        _refuse_offline(planned)
        change = self._journal.intend(
            group=self._group,
            server=planned.spot.server,
            profile=self._profile,
            knob=planned.knob.name,
            dn=planned.spot.dn,
            attribute=planned.spot.attribute,
            before=planned.before,
            asked=planned.asked,
            needs_restart=planned.needs_restart,
            session=self._session,
        )
        self._intended.append(change.id)
        message = self._write(planned, change)
        got = self._places.read(planned.spot)
        change = self._journal.update(
            change,
            state=ChangeState.APPLIED,
            got=got,
            message=message,
            needs_restart=planned.needs_restart or _speaks_of_restart(message),
        )
        return self._believable(planned, change)

    def _write(self, planned: PlannedChange, change: Change) -> str:
        try:
            return self._places.write(planned.spot, planned.asked, planned.before)
        except ConflictError as error:
            self._journal.update(change, state=ChangeState.REFUSED, message=error.what)
            raise
        except (DirectoryError, CommandError) as error:
            raise self._refused(planned, change, error) from error
        except ConnectError as error:
            raise ChangeError(
                f"The link broke while {planned.setting} was written: {error.what}",
                safe="Whether it reached the server is not known; the journal has it as open.",
                remedy="Connect again and revert: only what is ours is put back.",
            ) from error

    def _refused(
        self, planned: PlannedChange, change: Change, error: DirectoryError | CommandError
    ) -> ChangeError:
        """The server may refuse with an error and still have changed the value: look."""
        said = error.message if isinstance(error, DirectoryError) else error.stderr
        now = self._places.read(planned.spot)
        state = ChangeState.REFUSED if now == planned.before else ChangeState.APPLIED
        self._journal.update(change, state=state, got=now, message=said or error.what)
        return ChangeError(
            f"{planned.setting} was refused. {error.what}",
            safe=f"{planned.knob.name} is {words(planned.before)} as before.",
            remedy=planned.knob.trap,
        )

    def _believable(self, planned: PlannedChange, change: Change) -> Change:
        """Success alone proves nothing: unknown attributes and odd values are accepted, too."""
        if UNKNOWN_ATTRIBUTE in change.message.lower():
            raise ChangeError(
                f"The server accepted {planned.setting} but does not know the attribute and "
                f"ignores it. It said: {change.message}",
                safe="The attribute was taken out again; nothing is changed.",
                remedy="Look for the name this version of the server knows.",
            )
        if change.got == planned.before:
            self._journal.update(change, state=ChangeState.REFUSED)
            raise ChangeError(
                f"The server answered success, but {planned.knob.name} still reads "
                f"{words(change.got)} instead of {planned.setting.value}.",
                safe="Nothing is changed.",
                remedy=planned.knob.trap or "Choose another value.",
            )
        return change

    def _take_back(self, error: WorkbenchError, done: list[Change]) -> None:
        """Revert what was written; a write of which nobody knows what became stays open."""
        made = [self._journal.get(id_) for id_ in self._intended]
        known = [each for each in made if each.state is not ChangeState.INTENDED]
        try:
            revert_changes(self._journal, self._places, known)
        except WorkbenchError as second:
            error.safe = (
                f"What was written before could not be taken back: {second.what} "
                "It stays open in the journal."
            )
            error.remedy = "Revert it as soon as the server answers again."
            return
        if done:
            names = ", ".join(each.knob for each in done)
            error.safe = f"{error.safe} {names} was put back as before.".strip()


def _refuse_offline(planned: PlannedChange) -> None:
    if planned.knob.effect is Effect.OFFLINE:
        raise ChangeError(
            f"{planned.setting} cannot be set while the server runs.",
            safe="Nothing was changed.",
            remedy=planned.operator,
        )


def _speaks_of_restart(message: str) -> bool:
    return "restart" in message.lower()
