"""Applying a treatment: journal, write, read back; all of a group or nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

from ldap_workbench.model.change import Change, ChangeState, Origin, ProofResult
from ldap_workbench.model.errors import (
    ChangeError,
    CommandError,
    ConflictError,
    ConnectError,
    DirectoryError,
    WorkbenchError,
)
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import NOTHING, Message, sentences, verbatim
from ldap_workbench.model.progress import Cancel, OnProgress, Progress
from ldap_workbench.tuning.indexes import must_build
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.offline import REVERT_IT, LeftEditedError, OfflineEditor, copy_of
from ldap_workbench.tuning.place import KnobLocation, Places, Values, describe_values
from ldap_workbench.tuning.plan import PlannedChange
from ldap_workbench.tuning.stopped_host import FileChange
from ldap_workbench.tuning.undo import NotNotedError, location_of, revert_changes

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


class Applier:
    """Writes the planned changes of one group, and takes all back when one of them fails."""

    def __init__(
        self,
        journal: Journal,
        places: Places,
        group: str,
        profile: str,
        session: str,
        offline: OfflineEditor | None = None,
    ) -> None:
        self._journal = journal
        self._places = places
        self._group = group
        self._profile = profile
        self._session = session
        self._offline = offline
        self._made: list[Change] = []
        """What is in force as far as we know, even where the journal could not be written."""
        self._noted: list[Change] = []
        """In the journal and not written yet."""
        self._unanswered: Change | None = None
        """Written, or not: the server has not answered yet, or the link broke before it did."""

    @property
    def written(self) -> list[Change]:
        """What may be in force."""
        return [*self._made, *([self._unanswered] if self._unanswered else [])]

    def write(self, planned: list[PlannedChange], progress: OnProgress, cancel: Cancel) -> None:
        """Write each change that is not in force already; pass what it raises to `take_back`."""
        wanted = [change for change in planned if change.writes]
        stopped = [change for change in wanted if change.offline]
        check_automated(wanted, self._offline)
        live = [change for change in wanted if not change.offline]
        for change in live:
            self._noted.append(self._intend(change))
        for index, change in enumerate(live):
            cancel.check()
            text = Message("Setting {setting}", setting=str(change.setting))
            progress(Progress(text, index / len(wanted)))
            self._one(change, self._noted.pop(0), cancel)
        if stopped and self._offline:
            cancel.check()
            self._while_stopped(stopped, self._offline)

    def take_back(self) -> list[Change]:
        """Revert what was written, also what may have been: the link broke before the answer came.

        May be called again after a ConnectError, over another link.
        """
        if self._unanswered:
            self._made.append(self._look_at(self._unanswered))
            self._unanswered = None
        reverted = revert_changes(self._journal, self._places, self._made, offline=self._offline)
        try:
            for change in self._noted:
                never = Message("never reached the server")
                self._journal.update(change, state=ChangeState.REVERTED, message=never)
        except ChangeError as error:
            raise NotNotedError(error.what, reverted) from error
        return reverted

    def _look_at(self, change: Change) -> Change:
        """What a write without an answer left.

        The server may have made something else of the value; nobody else was to set it meanwhile.
        """
        now = self._places.read(location_of(change))
        if now == change.before:  # still only intended: there is no index to build again
            return change
        return dataclasses.replace(change, state=ChangeState.APPLIED, got=now)

    def _one(self, planned: PlannedChange, change: Change, cancel: Cancel) -> None:
        message = self._write(planned, change)
        got = self._made_of(change)
        if must_build(planned.location, planned.before, got):
            self._journal.update(change, got=got)  # the build may take hours
        built = self._places.build(planned.location, planned.before, got, cancel)
        self._journal.update(
            change,
            state=ChangeState.APPLIED,
            got=got,
            message=sentences(verbatim(message), built),
            needs_restart=planned.needs_restart or "restart" in message.lower(),
        )
        self._believe(planned, change, got, message)

    def _while_stopped(self, planned: list[PlannedChange], editor: OfflineEditor) -> None:
        """All offline settings of the group in one stop of the server."""
        edits = editor.prepare([plan.location for plan in planned])
        changes = [self._intend(plan) for plan in planned]
        for change, edit in zip(changes, edits, strict=True):
            self._journal.note_edit(change, edit)
        wanted = [
            FileChange(plan.location, (edit.before,), plan.asked)
            for plan, edit in zip(planned, edits, strict=True)
        ]
        try:
            built = editor.write(self._group, edits, wanted)
        except WorkbenchError as error:
            for plan, change, edit in zip(planned, changes, edits, strict=True):
                self._not_edited(plan, change, partial(editor.is_edited, edit), error)
            raise
        read = [self._made_of(change) for change in changes]
        for plan, got in zip(planned, read, strict=True):
            if got == plan.before:
                self._not_taken(plan, changes, partial(editor.restore, self._group, edits, wanted))
        for change, edit, got in zip(changes, edits, read, strict=True):
            message = Message(
                "Edited while the server was stopped; {backup} is the file before.",
                backup=copy_of(edit, self._group),
            )
            said = sentences(message, built)
            self._journal.update(change, state=ChangeState.APPLIED, got=got, message=said)

    def _not_taken(
        self, plan: PlannedChange, changes: list[Change], restore: Callable[[], None]
    ) -> NoReturn:
        """Put back files that the server was started with and does not heed; raises ChangeError."""
        error = ChangeError(
            Message(
                "The server was started with {setting}, but {knob} still reads {before}.",
                setting=str(plan.setting),
                knob=plan.knob.name,
                before=describe_values(plan.before),
            ),
            safe=Message("The stored configuration was put back."),
            remedy=_another_value(plan),
        )
        numbers = {change.id for change in changes}
        self._made = [made for made in self._made if made.id not in numbers]
        try:
            restore()
        except WorkbenchError as second:  # they stay open: a revert looks into the files
            raise LeftEditedError(
                sentences(error.what, second.what),
                safe=Message("The files may still have it; the journal keeps the change open."),
                remedy=sentences(second.remedy, REVERT_IT),
            ) from second
        for change in changes:
            self._journal.update(change, state=ChangeState.REFUSED)
        raise error

    def _not_edited(
        self,
        planned: PlannedChange,
        change: Change,
        is_edited: Callable[[KnobLocation], bool],
        error: WorkbenchError,
    ) -> None:
        """Close a change that is not in its file; it stays open where that cannot be seen."""
        if isinstance(error, LeftEditedError):
            return
        try:
            now, edited = self._places.read(planned.location), is_edited(planned.location)
        except WorkbenchError:
            error.remedy = sentences(error.remedy, REVERT_IT)
            return
        if now == planned.before and not edited:
            self._journal.update(change, state=ChangeState.REFUSED, message=error.what)

    def _intend(self, planned: PlannedChange) -> Change:
        return self._journal.intend(
            group=self._group,
            server=planned.location.server,
            profile=self._profile,
            knob=planned.knob.name,
            dn=planned.location.dn,
            attribute=planned.location.attribute,
            before=planned.before,
            asked=planned.asked,
            needs_restart=planned.needs_restart and not planned.offline,
            session=self._session,
            origin=planned.origin,
            stored=planned.stored,
        )

    def _made_of(self, change: Change) -> Values:
        """Read back what a write left, and remember it before the journal is written."""
        self._made.append(dataclasses.replace(change, state=ChangeState.APPLIED))
        self._unanswered = None
        got = self._places.read(location_of(change))
        self._made[-1] = dataclasses.replace(self._made[-1], got=got)
        return got

    def _write(self, planned: PlannedChange, change: Change) -> str:
        self._unanswered = change
        try:
            said = self._places.write(planned.location, planned.asked, planned.before)
        except ConflictError as error:
            self._unanswered = None
            self._journal.update(change, state=ChangeState.REFUSED, message=error.what)
            raise
        except (DirectoryError, CommandError) as error:
            raise self._refused(planned, change, error) from error
        except ConnectError as error:
            raise ConnectError(
                Message(
                    "The link broke while {setting} was written: {reason}",
                    setting=str(planned.setting),
                    reason=error.what,
                ),
                safe=NOTHING,  # what became of it is said by who takes it back
                remedy=Message("Check the server and the network, then try again."),
            ) from error
        return said

    def _refused(
        self, planned: PlannedChange, change: Change, error: DirectoryError | CommandError
    ) -> ChangeError:
        """The server may refuse with an error and still have changed the value: look."""
        answer = error.message if isinstance(error, DirectoryError) else error.stderr
        now = self._made_of(change)
        state = ChangeState.APPLIED
        if now == planned.before:
            self._made.pop()
            state = ChangeState.REFUSED
        self._journal.update(change, state=state, got=now, message=verbatim(answer) or error.what)
        return ChangeError(
            Message(
                "{setting} was refused. {reason}", setting=str(planned.setting), reason=error.what
            ),
            safe=Message(
                "{knob} is {before}, as before.",
                knob=planned.knob.name,
                before=describe_values(planned.before),
            )
            if now == planned.before
            else NOTHING,  # what became of it is said by who takes it back
            remedy=_another_value(planned),
        )

    def _believe(self, planned: PlannedChange, change: Change, got: Values, message: str) -> None:
        """Success alone proves nothing: unknown attributes and odd values are accepted, too."""
        if UNKNOWN_ATTRIBUTE in message.lower():
            raise ChangeError(
                Message(
                    "The server accepted {setting}, but does not know the attribute and "
                    "ignores it. It said: {message}",
                    setting=str(planned.setting),
                    message=message,
                ),
                safe=Message("The attribute was removed again."),
                remedy=Message("Look up the name that this version of the server uses."),
            )
        if got == planned.before:
            stays_as_it_was = planned.origin is not Origin.AUTOMATIC
            if stays_as_it_was:
                self._made.pop()
                self._journal.update(change, state=ChangeState.REFUSED)
            raise ChangeError(
                Message(
                    "The server answered success, but {knob} still reads {got} instead of "
                    "{setting}.",
                    knob=planned.knob.name,
                    got=describe_values(got),
                    setting=planned.setting.value,
                ),
                safe=Message("Nothing was changed.") if stays_as_it_was else NOTHING,
                remedy=_another_value(planned),
            )


def _another_value(planned: PlannedChange) -> Message:
    """What to know of the knob, else the plain advice."""
    return planned.knob.trap or Message("Choose another value.")


def check_automated(planned: list[PlannedChange], editor: OfflineEditor | None) -> None:
    """Raises ChangeError for what is not automated, and without the operator's word."""
    for change in planned:
        by_hand = bool(change.knob.steps) or change.cannot_be_absent_again
        if not change.offline and not by_hand:
            continue
        if by_hand:
            raise ChangeError(
                Message("The workbench does not set {setting}.", setting=str(change.setting)),
                safe=Message("Nothing was changed."),
                remedy=change.operator,
            )
        if editor is None:
            consent = Message("In a command that consent is --offline; the window asks for it.")
            raise ChangeError(
                Message(
                    "{setting} cannot be set while the server runs.", setting=str(change.setting)
                ),
                safe=Message("Nothing was changed."),
                remedy=sentences(change.operator, consent),
            )
        if change.knob.name.endswith("directory") and change.asked:
            editor.check_folder(change.knob.name, change.asked[0])
