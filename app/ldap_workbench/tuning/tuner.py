"""The tuner of one target: read, plan, apply, prove, keep, revert, recover."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from ldap_workbench.connect.directory import Directory
from ldap_workbench.model.change import Change, ChangeState, ProofResult, after_reverts, left_stored
from ldap_workbench.model.errors import (
    AnotherServerError,
    ChangeError,
    ConnectError,
    KnobError,
    WorkbenchError,
)
from ldap_workbench.model.knob import KnobReading, Setting, Treatment
from ldap_workbench.model.message import NOTHING, Message, sentences
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress, undeterred
from ldap_workbench.model.server_identity import ServerIdentity
from ldap_workbench.servers.product import product_of
from ldap_workbench.servers.same_server import check_same_server, identity_in
from ldap_workbench.tuning.apply import AppliedGroup, Applier, check_automated
from ldap_workbench.tuning.catalogue import Catalogue, load_catalogue, place_of
from ldap_workbench.tuning.journal import Journal, server_name
from ldap_workbench.tuning.link import PATIENCE_S, is_broken_link, over_any_link
from ldap_workbench.tuning.locks import ServerLock
from ldap_workbench.tuning.offline import OfflineEditor
from ldap_workbench.tuning.place import KnobLocation, Places, describe_values
from ldap_workbench.tuning.plan import PlannedChange, plan_changes
from ldap_workbench.tuning.proof import evidence_of, prove, started
from ldap_workbench.tuning.reading import read_knob, read_knobs
from ldap_workbench.tuning.restart import ANSWER_TIMEOUT_S
from ldap_workbench.tuning.revive import is_gone, may_keep_it_down, undo_on_host, until_it_answers
from ldap_workbench.tuning.stored import origin_before_ours
from ldap_workbench.tuning.tunable import Tunable
from ldap_workbench.tuning.undo import (
    NotNotedError,
    location_of,
    recover_changes,
    revert_changes,
)


class Tuner:
    """Changes a target and puts it back. Used from the target's thread.

    From the first write until its changes are reverted or kept the tuner holds the server's lock,
    or for as long as `held`; `close` gives it up with the changes still open, and so does the end
    of the process.
    """

    def __init__(
        self, target: Tunable, journal: Journal, catalogue: Catalogue | None = None
    ) -> None:
        self.journal = journal
        self.catalogue = (catalogue or load_catalogue(product_of(target.facts))).of(target.facts)
        self._target = target
        self._places = Places(target, self.catalogue.by_way_of)
        self._locks: dict[str, ServerLock] = {}
        self._holders = 0
        self._given_up = False
        """Whether this server has been waited for in vain: nobody waits for it twice."""
        self._undone_on_host = False
        """Whether files were put back over the host, which is done once while nothing answers."""
        self._written: list[Change] = []
        """Ours that may be in force, for where the journal cannot even be read any more."""
        self.patience_s = PATIENCE_S
        """How long a server that does not answer is waited for when a change is taken back."""
        self.restart_wait_s = ANSWER_TIMEOUT_S
        """How long a server that was stopped for an edit is waited for when it is started."""
        self.may_stop = False
        """The operator's word that the server may be stopped to edit its configuration."""

    @property
    def directory(self) -> Directory:
        """The link to the target, as it is now."""
        return self._target.directory

    @property
    def server(self) -> str:
        """The name of the target's directory server in the journal."""
        return server_name(self._target.directory.url)

    @property
    def identity(self) -> str:
        """Which instance it is, by whatever URL it was reached; '' where that is not known."""
        return self._target.facts.identity

    def check_is(self, server: str, identity: str) -> bool:
        """Whether this is the server of that identity; of that URL only where none is known.

        Raises AnotherServerError where that URL led to another server when the identity was noted.
        """
        if self.server == server:
            check_same_server(server, ServerIdentity(identity), self._now)
        return self.identity == identity and (bool(identity) or self.server == server)

    @property
    def _now(self) -> ServerIdentity:
        return identity_in(self._target.facts, self.server)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep every other workbench of this user from changing the server meanwhile.

        Raises ChangeError where one is at work on it.
        """
        self._take({self.server})
        self._holders += 1
        try:
            yield
        finally:
            self._holders -= 1
            with suppress(ChangeError):  # a journal that cannot be read: the lock goes with us
                self._release_when_closed()

    def open_changes(self) -> list[Change]:
        """The changes of this server that may be in force, by whatever URL they were made."""
        return self.journal.open_changes(self.server, self.identity)

    def read(self, knob: str, place: str = "") -> KnobReading:
        """What a knob says now; `place` may be left out where there is one only.

        Raises KnobError for a knob the catalogue does not have and a place the server does not.
        """
        known = self.catalogue.knob(knob)
        place = place_of(known, place, self._target.facts)
        return read_knob(self._target, self._places, known, place)

    def locate(self, setting: Setting) -> KnobLocation:
        """Where a setting lies on this server. Raises KnobError as `read` does."""
        return self._places.locate(self.catalogue.knob(setting.knob), setting.place)

    def readings(self) -> list[KnobReading]:
        """What every knob of the catalogue says now, or why it does not."""
        return read_knobs(self._target, self._places, self.catalogue)

    def plan(self, treatment: Treatment) -> list[PlannedChange]:
        """What `apply` would do now: before, asked, whether a restart is needed. Writes nothing."""
        earlier = self.journal.changes(self.server, identity=self.identity)
        return plan_changes(self._target, self._places, self.catalogue, treatment, earlier)

    def check_automated(
        self, planned: Sequence[PlannedChange], *, may_stop: bool | None = None
    ) -> None:
        """Raise ChangeError where `apply` would refuse one of these before it writes any.

        It only looks, also at the files on the host of a server that has to be stopped. `may_stop`:
        as if the operator had said that it may be; by default what was said.
        """
        wanted = [change for change in planned if change.writes]
        allowed = self.may_stop if may_stop is None else may_stop
        editor = self._make_editor(no_progress) if allowed else None
        check_automated(wanted, editor)
        if editor and (stopped := [change.location for change in wanted if change.offline]):
            editor.prepare(stopped)

    def apply(
        self,
        treatment: Treatment,
        *,
        session: str = "",
        progress: OnProgress = no_progress,
        cancel: Cancel | None = None,
    ) -> AppliedGroup:
        """Apply a treatment: all of its settings or none.

        Each is durable in the journal before it is written, compared and set, read back, and proved
        where it works at once. What is not set while the server runs is set in its files, with
        the server stopped meanwhile: only where `may_stop` says so. Raises ChangeError
        (refused, ignored by the server, earlier change open, another workbench at work),
        ConflictError, KnobError, AnotherServerError; then nothing is left changed.
        """
        self._places.check_server()
        planned = self.plan(treatment)
        if not any(change.writes for change in planned):
            raise KnobError(
                Message("The server already has {treatment}.", treatment=str(treatment)),
                safe=Message("Nothing was changed."),
                remedy=Message("Choose a value that differs from the present one."),
            )
        servers = {change.location.server for change in planned} | {self.server}
        self._take(servers)
        try:
            self._refuse_while_open(servers)
            return self._apply(planned, treatment, session, progress, cancel)
        finally:
            self._release_when_closed()

    def _apply(
        self,
        planned: list[PlannedChange],
        treatment: Treatment,
        session: str,
        progress: OnProgress,
        cancel: Cancel | None,
    ) -> AppliedGroup:
        planned = self._with_origin_before_ours(planned)
        begun = started(self._target.directory, self.catalogue.product)
        group = self.journal.begin(self.server, treatment, begun, self._now)
        name = self._target.profile.name
        editor = self._editor(progress)
        applier = Applier(self.journal, self._places, group, name, session, editor)
        self._places.progress = progress
        try:
            applier.write(planned, progress, Cancel() if cancel is None else cancel)
            proofs = self.prove(group)
        except BaseException as error:
            # Also a fault of ours and Ctrl-C: half a treatment stays on no server.
            self._places.progress = to_its_end = undeterred(progress)
            self._take_back(applier, error, to_its_end)
            raise
        finally:
            self._places.progress = no_progress
        self._written = self.journal.group(group)
        progress(Progress(Message("Set {treatment}", treatment=str(treatment)), 1.0))
        return AppliedGroup(group, treatment, self._written, proofs)

    def _with_origin_before_ours(self, planned: list[PlannedChange]) -> list[PlannedChange]:
        changes = self.journal.changes(self.server, identity=self.identity)
        return [
            replace(
                plan,
                origin=origin_before_ours(plan.origin, plan.location, plan.before, changes),
            )
            for plan in planned
        ]

    def _take_back(self, applier: Applier, error: BaseException, progress: OnProgress) -> None:
        """Put back what was written, over a new link where the old one broke, and say so."""
        try:
            taken = self._patiently(applier.take_back, progress)
        except WorkbenchError as second:
            self._written = applier.written
            said = _not_taken_back(second, self.patience_s)
        else:
            names = ", ".join(change.knob for change in reversed(taken))
            claim = Message("Put back as before: {names}.", names=names)
            otherwise = Message("Put back: {names}.", names=names)
            said = after_reverts(left_stored(taken), claim, otherwise) if taken else NOTHING
        if not isinstance(error, WorkbenchError):
            error.add_note(str(said))
            return
        error.safe = sentences(error.safe, said)

    def prove(self, group: str) -> list[ProofResult]:
        """Whether each change of a group is in force now, noted in the journal, too."""
        application = self.journal.application(group)
        directory = self._target.directory
        restarted = started(directory, self.catalogue.product) != application.starttime
        places = {
            _key(self.locate(setting)): setting.place for setting in application.treatment.settings
        }
        results = []
        for change in self.journal.group(group):
            location = location_of(change)
            result = prove(
                self.catalogue.knob(change.knob),
                change,
                self._places.read(location),
                places.get(_key(location), ""),
                restarted=restarted,
                evidence=evidence_of(self._target),
            )
            self.journal.update(change, proof=result.sentence)
            results.append(result)
        return results

    def keep(self, group: str) -> list[Change]:
        """Close the changes of a group for good without touching the server.

        Raises ChangeError where a change is not known to be in place, and while another workbench
        is at work on the server: the change may be that of its run.
        """
        open_ones = [change for change in self.journal.group(group) if change.state.open]
        self._take({change.server for change in open_ones})
        try:
            return self._keep(open_ones)
        finally:
            self._release_when_closed()

    def _keep(self, open_ones: list[Change]) -> list[Change]:
        for change in open_ones:
            if change.state is not ChangeState.APPLIED:
                raise ChangeError(
                    Message(
                        "{knob} is {state}: whether it is in force is unknown.",
                        knob=change.knob,
                        state=change.state.value,
                    ),
                    remedy=Message("Revert it, then apply it again."),
                )
        return [self.journal.update(change, state=ChangeState.KEPT) for change in open_ones]

    def revert(
        self, group: str, *, force: bool = False, progress: OnProgress = no_progress
    ) -> list[Change]:
        """Put back what a group changed, last first, exactly, also to absent.

        Values that somebody else has set since raise ConflictError before anything is written,
        unless `force`. Changes with `needs_restart` work as before only after a restart. Kept
        changes are reverted too, as long as they still read what we set.
        """
        changes = self.journal.group(group)
        self._take({change.server for change in changes})
        self._places.progress = progress
        try:
            return revert_changes(
                self.journal, self._places, changes, force=force, offline=self._editor()
            )
        finally:
            self._places.progress = no_progress
            self._release_when_closed()

    def recover(self, server: str | None = None, *, force: bool = False) -> list[Change]:
        """Revert what a crash left open on the target; [] when there is nothing.

        A change that never reached the server is only closed. Raises ConflictError after all others
        are reverted, AnotherServerError where the URL led to another server when a change was made,
        and ChangeError while another workbench is at work on the server.
        """
        changes = self.journal.open_changes(server) if server else self.open_changes()
        if not changes:
            self.check_moved()
            return []
        self._take({change.server for change in changes})
        try:
            recovered = recover_changes(
                self.journal, self._places, changes, force=force, offline=self._editor()
            )
            self.check_moved()
            return recovered
        finally:
            self._release_when_closed()

    def is_known_by_url_alone(self, change: Change) -> bool:
        """Whether nothing but the URL says that this server is the one that was changed."""
        undone = change.state.open or change.state is ChangeState.KEPT
        return undone and not (self.identity and self.journal.identity_of(change).known)

    def accept_new_certificate(self) -> None:
        """The operator's word that another certificate is a renewed one of the same server."""
        self._places.new_certificate = True

    def check_moved(self) -> None:
        """Raises AnotherServerError where a change made by this URL is open on another server."""
        elsewhere = self.journal.open_elsewhere(self.server, self.identity)
        if elsewhere:
            noted = self.journal.identity_of(elsewhere[0])
            try:
                check_same_server(self.server, noted, self._now)
            except AnotherServerError as error:
                error.safe = _open_there(noted, elsewhere)
                raise

    def put_back(self, progress: OnProgress = no_progress) -> list[Change]:
        """Revert all that may be in force, by the journal alone and over any link.

        A server that does not answer is waited for, `patience_s` at most and once; then
        ConnectError is raised and what is open stays open. Raises NotNotedError when all is put
        back and only the journal could not be written, ConflictError and ChangeError as `recover`.
        """
        self._places.progress = progress
        try:
            return self._patiently(self._put_back, progress)
        finally:
            self._places.progress = no_progress
            with suppress(ChangeError):  # a journal that cannot be read: the lock goes with us
                self._release_when_closed()

    def _reconnect(self) -> None:
        """As the target does; a server that is down for a change in its files is started first.

        Of one that was not stopped by us that is done where its process is gone.
        """
        try:
            self._target.reconnect()
        except ConnectError as error:
            if not is_broken_link(error):  # a password or a certificate that is refused: it runs
                raise
            changes = may_keep_it_down(self.journal, self._open_or_written())
            stopped_by_us = self.may_stop and any(map(self.journal.edit, changes))
            if self._undone_on_host or not changes:
                raise
            self._target.reconnect_shell()
            shell, profile = self._target.shell, self._target.profile
            if shell is None or not (stopped_by_us or is_gone(shell, self._target.facts)):
                raise
            undo_on_host(shell, self.journal, changes, profile.restart_command)
            self._undone_on_host = True
            until_it_answers(self._target.reconnect, self.restart_wait_s)

    def _open_or_written(self) -> list[Change]:
        try:
            return self.open_changes()
        except ChangeError:  # a journal that cannot be read: what was written by us
            return self._written

    def _patiently(self, work: Callable[[], list[Change]], progress: OnProgress) -> list[Change]:
        self._undone_on_host = False
        try:
            done = over_any_link(
                self._target,
                work,
                patience_s=0.0 if self._given_up else self.patience_s,
                progress=progress,
                reconnect=self._reconnect,
            )
        except WorkbenchError as error:
            self._given_up = is_broken_link(error)
            raise
        self._given_up = False
        return done

    def _put_back(self) -> list[Change]:
        changes = self._open_or_written()
        return recover_changes(self.journal, self._places, changes, offline=self._editor())

    def close(self) -> None:
        """Give up the locks; open changes stay open."""
        for lock in self._locks.values():
            lock.release()
        self._locks.clear()

    def _editor(self, progress: OnProgress = no_progress) -> OfflineEditor | None:
        return self._make_editor(progress) if self.may_stop else None

    def _make_editor(self, progress: OnProgress) -> OfflineEditor:
        return OfflineEditor(
            self._target, progress, wait_s=self.restart_wait_s, patience_s=self.patience_s
        )

    def _take(self, servers: set[str]) -> None:
        taken: list[str] = []
        for server in sorted(servers - self._locks.keys()):
            lock = self.journal.lock(server, self.identity if server == self.server else "")
            try:
                lock.acquire()
            except ChangeError:
                for name in taken:
                    self._locks.pop(name).release()
                raise
            self._locks[server] = lock
            taken.append(server)

    def _release_when_closed(self) -> None:
        for server in list(self._locks):
            in_use = self._holders and server == self.server
            if not in_use and not self._open_on(server):
                self._locks.pop(server).release()

    def _open_on(self, server: str) -> list[Change]:
        """A host is known by its name alone, whichever of its instances was tuned."""
        return self.journal.open_changes(server, self.identity if server == self.server else "")

    def _refuse_while_open(self, servers: set[str]) -> None:
        for server in sorted(servers):
            for change in self._open_on(server):
                raise ChangeError(
                    Message(
                        "An earlier change of {knob} on {server} is still open: it was {before}, "
                        "we set {asked}.",
                        knob=change.knob,
                        server=change.server_name,
                        before=describe_values(change.before),
                        asked=describe_values(change.asked),
                    ),
                    safe=Message("Nothing was changed."),
                    remedy=Message("Revert or keep it first: one change is tested at a time."),
                )


def _key(location: KnobLocation) -> str:
    """What tells the places of a treatment apart, also where one entry comes and goes."""
    return location.dn.lower() or location.attribute


def _open_there(noted: ServerIdentity, changes: list[Change]) -> Message:
    return Message(
        "Nothing was written for {knobs:list}: open in the journal, and in force on {noted}.",
        knobs=tuple(sorted({change.knob for change in changes})),
        noted=noted.label,
    )


def _not_taken_back(why: WorkbenchError, patience_s: float) -> Message:
    if isinstance(why, NotNotedError):
        claim = Message(
            "It was put back as before; the journal could not be written: {why}", why=why.what
        )
        otherwise = Message("The journal could not be written: {why}", why=why.what)
        return after_reverts(left_stored(why.changes), claim, otherwise)
    if is_broken_link(why):
        return Message(
            "Whether it is in force is not known: the server did not answer for {limit:.0f} s. It "
            "stays open in the journal: revert it when the server answers.",
            limit=patience_s,
        )
    return Message(
        "It could not be put back: {why} It stays open in the journal: revert it.", why=why.what
    )
