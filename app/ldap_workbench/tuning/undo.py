"""Reverting changes exactly, also to 'absent', and never over somebody else's value."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from ldap_workbench.model.change import Change, ChangeState
from ldap_workbench.model.errors import (
    ChangeError,
    CommandError,
    ConflictError,
    DirectoryError,
)
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.place import Places, Spot, Values, words


def revert_changes(
    journal: Journal, places: Places, changes: Sequence[Change], *, force: bool = False
) -> list[Change]:
    """Put back what was before, the last change first; returns them in that order.

    All are looked at before the first is written, so that a ConflictError leaves all as they are;
    `force` overwrites. A value that is back already is only noted. Raises ChangeError when the
    server does not take the old value; the journal keeps such a change open. A journal that cannot
    be written does not stop the putting back: it is told afterwards.
    """
    ours_to_undo = (each for each in changes if each.state.open or each.state is ChangeState.KEPT)
    backwards = sorted(ours_to_undo, key=lambda change: -change.id)
    if not force:
        for change in backwards:
            _check(change, places.read(spot_of(change)))
    reverter = _Reverter(journal, places, force=force)
    reverted = [reverter.revert(change) for change in backwards]
    if reverter.unnoted:
        raise ChangeError(
            reverter.unnoted.what,
            safe="The server is as it was before; only the journal does not know it yet.",
            remedy="Make room on the disk, then revert again: that closes the entries.",
        )
    return reverted


def recover_changes(
    journal: Journal, places: Places, changes: Sequence[Change], *, force: bool = False
) -> list[Change]:
    """Revert each of the changes a crash left open, as far as it goes.

    Unlike `revert_changes` a conflict does not stop the others: it is raised after them.
    """
    conflicts: list[ConflictError] = []
    recovered: list[Change] = []
    for change in sorted(changes, key=lambda change: -change.id):
        try:
            recovered += revert_changes(journal, places, [change], force=force)
        except ConflictError as conflict:
            conflicts.append(conflict)
    if conflicts:
        for other in conflicts[1:]:
            conflicts[0].add_note(str(other))
        raise conflicts[0]
    return recovered


def spot_of(change: Change) -> Spot:
    """Where a change was made."""
    return Spot(change.server, change.dn, change.attribute)


def ours(change: Change) -> Values:
    """The value our write left: what was read back, before that what was asked."""
    return change.asked if change.got is None else change.got


def _check(change: Change, now: Values) -> None:
    if now not in (change.before, ours(change)):
        where, before = str(spot_of(change)), words(change.before)
        raise ConflictError(where, before, words(ours(change)), words(now))


class _Reverter:
    """Puts values back; `unnoted` is the first failure of the journal meanwhile."""

    def __init__(self, journal: Journal, places: Places, *, force: bool) -> None:
        self.unnoted: ChangeError | None = None
        self._journal = journal
        self._places = places
        self._force = force

    def revert(self, change: Change) -> Change:
        spot = spot_of(change)
        now = self._places.read(spot)
        if now == change.before:
            reached = "never reached the server" if change.got is None else "was back already"
            return self._note(change, state=ChangeState.REVERTED, message=_noted(change, reached))
        if not self._force:
            _check(change, now)
        self._note(change, state=ChangeState.REVERTING)
        try:
            self._places.write(spot, change.before, now)
        except (DirectoryError, CommandError) as error:
            raise ChangeError(
                f"{spot} could not be put back to {words(change.before)}: {error.what}",
                safe="The journal keeps the change open.",
                remedy="See why the server refuses it, then revert again.",
            ) from error
        return self._confirm(change, self._places.read(spot))

    def _confirm(self, change: Change, now: Values) -> Change:
        if now != change.before:
            raise ChangeError(
                f"{change.knob} was put back to {words(change.before)}, but reads {words(now)}.",
                safe="The journal keeps the change open.",
                remedy="Set it by hand, then revert again to close the entry.",
            )
        return self._note(change, state=ChangeState.REVERTED)

    def _note(self, change: Change, **fields: Any) -> Change:
        try:
            return self._journal.update(change, **fields)
        except ChangeError as error:
            self.unnoted = self.unnoted or error
            return dataclasses.replace(change, **fields)


def _noted(change: Change, what: str) -> str:
    return f"{change.message} ({what})" if change.message else what
