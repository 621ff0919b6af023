"""Reverting changes exactly, also to 'absent', and never over somebody else's value."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ldap_workbench.model.change import (
    WHOLE_ENTRY,
    Change,
    ChangeState,
    Origin,
    after_reverts,
    left_stored,
)
from ldap_workbench.model.errors import (
    ChangeError,
    CommandError,
    ConflictError,
    ConnectError,
    DirectoryError,
)
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.servers.same_server import BUSY_OR_STARTING
from ldap_workbench.tuning.java_args import is_java_args
from ldap_workbench.tuning.journal import Journal, OfflineEdit
from ldap_workbench.tuning.log_files import LOG_FOLDER
from ldap_workbench.tuning.offline import OfflineEditor
from ldap_workbench.tuning.place import (
    KnobLocation,
    Places,
    Values,
    describe_java,
    describe_values,
)
from ldap_workbench.tuning.slapd_index import built_for
from ldap_workbench.tuning.stopped_host import FileChange
from ldap_workbench.tuning.stored import StoredNames, read_stored
from ldap_workbench.tuning.unit_file import is_drop_in

_UNNOTED = Message("The journal does not know yet that all was put back.")
_ONLY_UNNOTED = Message("The server is as it was before; only the journal does not know it yet.")


class NotNotedError(ChangeError):
    """All was put back, but the journal could not be written and still lists the changes as open.

    `changes` are those that were put back.
    """

    def __init__(self, why: Message, changes: list[Change]) -> None:
        super().__init__(
            why,
            safe=after_reverts(left_stored(changes), _ONLY_UNNOTED, _UNNOTED),
            remedy=Message("Make room on the disk, then revert again: that closes the entries."),
        )
        self.changes = changes


def revert_changes(
    journal: Journal,
    places: Places,
    changes: Sequence[Change],
    *,
    force: bool = False,
    offline: OfflineEditor | None = None,
) -> list[Change]:
    """Put back what was before, the last change first; returns them in that order.

    All are looked at before the first is written, so that a ConflictError leaves all as they are;
    `force` overwrites. A value that is back already is only noted. On another server than the
    journal names nothing is read, written or noted, forced or not: AnotherServerError. Raises
    ChangeError when the server does not take the old value; the journal keeps such a change open. A
    journal that cannot be written does not stop the putting back: NotNotedError tells afterwards.
    Changes made while the server was stopped need `offline`, the operator's word that it may be.
    """
    ours_to_undo = (
        change for change in changes if change.state.open or change.state is ChangeState.KEPT
    )
    backwards = sorted(ours_to_undo, key=lambda change: -change.id)
    for change in backwards:
        _check_server(change, journal, places)
        if not force:
            _check(change, places)
    reverter = _Reverter(journal, places, force=force)
    reverter.put_back_offline(backwards, offline)
    reverted = [reverter.revert(change) for change in backwards]
    reverter.forget_copies(backwards, offline)
    if reverter.unnoted:
        raise NotNotedError(reverter.unnoted.what, reverted)
    return reverted


def recover_changes(
    journal: Journal,
    places: Places,
    changes: Sequence[Change],
    *,
    force: bool = False,
    offline: OfflineEditor | None = None,
) -> list[Change]:
    """Revert each of the changes a crash left open, as far as it goes.

    Unlike `revert_changes` a conflict does not stop the others: it is raised after them. So is a
    journal that cannot be written.
    """
    conflicts: list[ConflictError] = []
    recovered: list[Change] = []
    unnoted = NOTHING
    for change in sorted(changes, key=lambda change: -change.id):
        try:
            recovered += revert_changes(journal, places, [change], force=force, offline=offline)
        except ConflictError as conflict:
            conflicts.append(conflict)
        except NotNotedError as error:
            recovered += error.changes
            unnoted = error.what
    if conflicts:
        for other in conflicts[1:]:
            conflicts[0].add_note(str(other))
        raise conflicts[0]
    if unnoted:
        raise NotNotedError(unnoted, recovered)
    return recovered


def location_of(change: Change) -> KnobLocation:
    """Where a change was made."""
    return KnobLocation(change.server, change.dn, change.attribute)


def is_at(change: Change, location: KnobLocation) -> bool:
    """Whether a change was made at a place, or of the whole entry there."""
    return (change.server, change.dn) == (location.server, location.dn) and change.attribute in (
        location.attribute,
        WHOLE_ENTRY,
    )


def ours(change: Change) -> Values:
    """The value our write left: what was read back, before that what was asked."""
    return change.asked if change.got is None else change.got


def file_change(change: Change, edit: OfflineEdit, *, force: bool = False) -> FileChange:
    """What puts a change back in its file, whatever is there now where that is forced."""
    expected = (edit.before, ours(change))
    return FileChange(location_of(change), expected, edit.before, force=force)


def _check_server(change: Change, journal: Journal, places: Places) -> None:
    """Raises AnotherServerError where the entry is of another server than the one that answers."""
    try:
        noted = journal.identity_of(change)
    except ChangeError:  # it cannot be read: then only what was written to this target is reverted
        places.check_server()
    else:
        places.check_server(noted)


def _check(change: Change, places: Places) -> None:
    now = places.read(location_of(change))
    if change.origin is Origin.AUTOMATIC:
        _check_automatic(change, places, now)
        return
    expected = [change.before, ours(change)]
    if change.attribute == WHOLE_ENTRY:
        expected.append(None)  # one that is replaced is absent in between
    if change.before is None:
        expected.append(places.before_absent(location_of(change)))  # a revert that was interrupted
    if now not in expected:
        where, described = location_of(change).label, _words_of(change)
        raise ConflictError(where, *map(described, (change.before, ours(change), now)))


def _words_of(change: Change) -> Callable[[Values], Message]:
    return describe_java if is_java_args(change.dn, change.attribute) else describe_values


def _check_automatic(change: Change, places: Places, now: Values) -> None:
    """The server may make another value of nothing than it did: what counts is what is stored."""
    if now == ours(change) and now != change.before:
        return
    stored = _names(places).has(location_of(change))
    reached = change.got not in (None, now) and change.state is not ChangeState.REVERTING
    somebody_elses = bool(stored) and now == change.before and reached
    if somebody_elses or (now != change.before and stored is not False):
        where, before = location_of(change).label, Message("absent")
        raise ConflictError(where, before, describe_values(ours(change)), describe_values(now))


def _names(places: Places) -> StoredNames:
    """The stored configuration; a host that cannot be reached now holds up no revert."""
    try:
        return read_stored(places.target)
    except ConnectError as error:
        return StoredNames(why=error.what)


@dataclass(frozen=True)
class _PutBack:
    """How a value was put back, where it is not simply as before."""

    said: Message = NOTHING
    computed: Values = ()
    """What the server makes of nothing stored; () where only the value before will do."""
    pinned: bool = False
    """Whether the server refused to delete what was not stored, so that it is stored now."""


class _Reverter:
    """Puts values back; `unnoted` is the first failure of the journal meanwhile."""

    def __init__(self, journal: Journal, places: Places, *, force: bool) -> None:
        self.unnoted: ChangeError | None = None
        self._journal = journal
        self._places = places
        self._force = force

    def put_back_offline(self, changes: Sequence[Change], editor: OfflineEditor | None) -> None:
        """Put back in its files what is still in force, one stop of the server for each group."""
        groups: dict[str, list[tuple[Change, OfflineEdit]]] = {}
        for change in changes:
            edit = self._journal.edit(change)
            if edit and self._is_in_force(change, edit):
                groups.setdefault(change.group, []).append((change, edit))
        for made in groups.values():
            if editor is None:
                raise ChangeError(
                    Message(
                        "{knob} was set while the server was stopped: it must be stopped to undo "
                        "that.",
                        knob=made[0][0].knob,
                    ),
                    safe=Message("Nothing was changed; the journal keeps it open."),
                    remedy=Message(
                        "Allow it to be stopped: ldap-workbench revert PROFILE --all --offline."
                    ),
                )
            self._put_back_while_stopped(made, editor)

    def _is_in_force(self, change: Change, edit: OfflineEdit) -> bool:
        """A server may not heed what its file says: so both are read, it and the file."""
        location = location_of(change)
        if self._places.read(location) != change.before or _half_built(change):
            return True
        return OfflineEditor(self._places.target).is_edited(edit, location, change.before)

    def _put_back_while_stopped(
        self, made: Sequence[tuple[Change, OfflineEdit]], editor: OfflineEditor
    ) -> None:
        for change, _ in made:
            self._note(change, state=ChangeState.REVERTING)
        group, edits = made[0][0].group, [edit for _, edit in made]
        wanted = [file_change(change, edit, force=self._force) for change, edit in made]
        editor.write(group, edits, wanted, undone=True)

    def forget_copies(self, changes: Sequence[Change], editor: OfflineEditor | None) -> None:
        """Remove the copies beside edited files once all is back: they hold hashes of passwords."""
        groups: dict[str, list[OfflineEdit]] = {}
        folders: dict[str, list[str]] = defaultdict(list)
        for change in changes:
            if edit := self._journal.edit(change):
                groups.setdefault(change.group, []).append(edit)
                asked = change.asked if change.attribute == LOG_FOLDER else None
                folders[change.group] += asked or ()
        for group, edits in groups.items():
            if editor is not None:
                editor.forget(group, edits, folders[group])

    def revert(self, change: Change) -> Change:
        location = location_of(change)
        now = self._places.read(location)
        if self._is_back(change, now):
            reached = Message("was already back")
            if change.state is not ChangeState.INTENDED:  # we may have ended before the build did
                self._places.build(location, ours(change), change.before)
            self._finish(change)
            if change.got is None:
                reached = Message("never reached the server")
            _check_server(change, self._journal, self._places)  # the link may be a new one
            return self._note(change, state=ChangeState.REVERTED, message=_noted(change, reached))
        if not self._force:
            _check(change, self._places)
        self._note(change, state=ChangeState.REVERTING)
        try:
            done = self._put_back(change, now)
        except (DirectoryError, CommandError) as error:
            raise ChangeError(
                Message(
                    "{spot} could not be put back to {before}: {reason}",
                    spot=location.label,
                    before=describe_values(change.before),
                    reason=error.what,
                ),
                safe=Message("The journal keeps the change open."),
                remedy=Message(
                    "Find out why the server refuses it (its log says), then revert again."
                ),
            ) from error
        if done.pinned:
            change = self._note_pinned(change)
        return self._confirm(change, self._places.read(location), done)

    def _finish(self, change: Change) -> None:
        """What an undo, or the apply of a drop-in's folder, may not have come to.

        Of an apply that wrote no file an empty folder may be left: that holds up no revert.
        """
        intended = change.state is ChangeState.INTENDED
        if intended and not is_drop_in(change.attribute):
            return
        try:
            self._places.finish(location_of(change), change.before)
        except CommandError:
            if not intended:
                raise

    def _is_back(self, change: Change, now: Values) -> bool:
        """Whether it is as before already: what was not stored must not be stored, either."""
        if change.origin is not Origin.AUTOMATIC:
            return now == change.before
        if now == ours(change) != change.before:
            return False
        stored = _names(self._places).has(location_of(change))
        return now == change.before if stored is None else not stored

    def _put_back(self, change: Change, now: Values) -> _PutBack:
        location, before = location_of(change), describe_values(change.before)
        automatic = change.origin is Origin.AUTOMATIC
        try:
            self._places.write(location, change.stored_before, now)
        except DirectoryError as error:
            if not automatic or error.code in BUSY_OR_STARTING:
                raise
            self._places.write(location, change.before, self._places.read(location))
            said = Message(
                "{before} is stored now, it was automatic: {reason}",
                before=before,
                reason=error.what,
            )
            return _PutBack(said, pinned=True)
        if built := self._places.build(location, now, change.before):
            return _PutBack(built)
        if automatic:
            return self._removed(change)
        if change.origin is Origin.PINNED:
            return _PutBack(Message("{before} is stored now, it was automatic", before=before))
        if change.origin is Origin.UNKNOWN:
            return _PutBack(
                Message("{before} is stored now; whether it was is not known", before=before)
            )
        return _PutBack()

    def _removed(self, change: Change) -> _PutBack:
        """Raises ChangeError where the stored configuration still has what was removed."""
        names = _names(self._places)
        stored = names.has(location_of(change))
        if stored:
            raise ChangeError(
                Message("{knob} was removed, but is still stored.", knob=change.knob),
                safe=Message("The journal keeps the change open."),
                remedy=Message("Remove it by hand, then revert again to close the entry."),
            )
        now = self._places.read(location_of(change))
        if stored is None:
            said = Message("removed; dse.ldif could not be looked at: {why}", why=names.why)
            return _PutBack(said, computed=now if now != ours(change) else change.before)
        return _PutBack(Message("removed: nothing is stored, as before"), computed=now)

    def _confirm(self, change: Change, now: Values, done: _PutBack) -> Change:
        if now not in (change.before, done.computed):
            raise ChangeError(
                Message(
                    "{knob} was put back to {before}, but reads {now}.",
                    knob=change.knob,
                    before=describe_values(change.before),
                    now=describe_values(now),
                ),
                safe=Message("The journal keeps the change open."),
                remedy=Message("Set it by hand, then revert again to close the entry."),
            )
        _check_server(change, self._journal, self._places)
        if done.said:
            return self._note(change, state=ChangeState.REVERTED, message=_noted(change, done.said))
        return self._note(change, state=ChangeState.REVERTED)

    def _note(self, change: Change, **fields: Any) -> Change:
        try:
            return self._journal.update(change, **fields)
        except ChangeError as error:
            self.unnoted = self.unnoted or error
            return dataclasses.replace(change, **fields)

    def _note_pinned(self, change: Change) -> Change:
        try:
            return self._journal.note_pinned(change)
        except ChangeError as error:
            self.unnoted = self.unnoted or error
            return dataclasses.replace(change, origin=Origin.PINNED)


def _half_built(change: Change) -> bool:
    """Whether indexes may be that an interrupted revert was to build."""
    reverting = change.state is ChangeState.REVERTING
    return reverting and bool(built_for(change))


def _noted(change: Change, what: Message) -> Message:
    if not change.message:
        return what
    return Message("{message} ({what})", message=change.message, what=what)
