"""An experiment that ends early: the server is put back first, then what became of it is said."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field

from ldap_workbench.model.change import Change, after_reverts, left_stored
from ldap_workbench.model.errors import (
    AnotherServerError,
    CancelledError,
    ChangeError,
    WorkbenchError,
)
from ldap_workbench.model.experiment import Plan
from ldap_workbench.model.message import NOTHING, Message, sentences, verbatim
from ldap_workbench.model.progress import OnProgress, Progress
from ldap_workbench.tuning.link import is_broken_link
from ldap_workbench.tuning.tuner import Tuner
from ldap_workbench.tuning.undo import NotNotedError

IN_SESSION = Message("What was measured so far is in the session.")
NOT_IN_SESSION = Message(
    "The session could not be written to its end; what was written before stays readable."
)


def insisted(plan: Plan) -> Message:
    """The answer to who asks to stop a second time: it is not interrupted."""
    return Message(
        "The server is put back first. That takes some seconds; {limit:.0f} s at most where the "
        "server does not answer.",
        limit=plan.patience_s,
    )


def open_change(profile: str) -> ChangeError:
    """Why nothing new is begun on a server."""
    return ChangeError(
        Message("An earlier change is still open on {profile}.", profile=profile),
        safe=Message("Nothing was changed."),
        remedy=Message("Run: {command}", command=f"ldap-workbench revert {profile} --all"),
    )


def recover(tuner: Tuner, profile: str, sessions: Container[str], progress: OnProgress) -> None:
    """Revert what a crash left open of these sessions.

    Raises ChangeError for a change of anybody else: that is not ours to judge.
    """
    changes = tuner.open_changes()
    if any(change.session not in sessions for change in changes):
        raise open_change(profile)
    if changes:
        progress(Progress(Message("Reverting what an unexpected exit left in force")))
        tuner.put_back(progress)


@dataclass(frozen=True)
class Aftermath:
    """What became of the server, what to do about it, and what was put back just now."""

    server: Message
    remedy: Message = NOTHING
    as_before: bool = True
    changes: list[Change] = field(default_factory=list)
    left: tuple[Message, ...] = ()
    """What is stored now and was not, a sentence each."""

    def explain(self, error: BaseException, session: Message) -> BaseException:
        """What to raise: `error` with what is true of the server, then of the session.

        'Cancelled' alone would say that all is well: where it is not, it is another error.
        """
        if isinstance(error, CancelledError) and not self.as_before:
            other = ChangeError(
                error.what,
                safe=sentences(self.server, session),
                remedy=self.remedy,
            )
            other.__cause__ = error
            return other
        if isinstance(error, WorkbenchError):
            error.safe = sentences(self.server, session)
            error.remedy = sentences(self.remedy, error.remedy)
        else:
            error.add_note(f"{self.server} {session} {self.remedy}".strip())
        return error


def put_back(
    tuner: Tuner,
    plan: Plan,
    profile: str,
    *,
    progress: OnProgress,
    restart: Callable[[], None] | None = None,
    left: Sequence[Message] = (),
) -> Aftermath:
    """Put the server back by the journal alone; touches no session and raises no Exception.

    `restart` is called afterwards where the server was started with the treatment. `left` is what
    earlier reverts of the experiment left stored.
    """
    unnoted = False
    try:
        changes = tuner.put_back(progress)
    except NotNotedError as error:
        changes, unnoted = error.changes, True
    except Exception as error:  # noqa: BLE001 - whatever it is, it is said what it means
        return _not_put_back(plan, profile, error)
    stays = tuple(dict.fromkeys((*left, *left_stored(changes))))
    if restart and (still := _restarted(plan, restart)):
        return Aftermath(still, Message("Restart the server."), False, changes, stays)
    if unnoted:
        unaware = Message("The journal could not be written and still lists the change as open.")
        claim = Message(
            "The server is as it was before; the journal could not be written and still lists "
            "the change as open."
        )
        return Aftermath(
            after_reverts(stays, claim, unaware),
            Message(
                "Make room on the disk, then run: ldap-workbench revert {profile} --all. It only "
                "closes the entries.",
                profile=profile,
            ),
            changes=changes,
            left=stays,
        )
    return Aftermath(after_reverts(stays), changes=changes, left=stays)


def kept_in_force(plan: Plan) -> Aftermath:
    """The error came when the operator had decided already: the journal has it as kept."""
    what = Message("{treatment} was kept and is in force.", treatment=str(plan.treatment))
    return Aftermath(what, as_before=False)


def _not_put_back(plan: Plan, profile: str, error: Exception) -> Aftermath:
    again = f"ldap-workbench revert {profile} --all"
    if is_broken_link(error):
        return Aftermath(
            Message(
                "Whether {treatment} is still in force is not known: the server did not answer "
                "for {limit:.0f} s. The journal keeps the change open.",
                treatment=str(plan.treatment),
                limit=plan.patience_s,
            ),
            Message("When the server answers again, run: {command}", command=again),
            as_before=False,
        )
    remedy = Message("Run: {command}", command=again)
    if isinstance(error, AnotherServerError):
        remedy = error.remedy  # by this name the revert would be refused again
    return Aftermath(
        Message(
            "{treatment} may still be in force, for it could not be put back: {why} "
            "The journal keeps the change open.",
            treatment=str(plan.treatment),
            why=_reason(error),
        ),
        remedy,
        as_before=False,
    )


def _restarted(plan: Plan, restart: Callable[[], None]) -> Message:
    """Nothing, or what is true of a server that still works with what it was started with."""
    try:
        restart()
    except Exception as error:  # noqa: BLE001 - as above
        return Message(
            "{treatment} was put back in the configuration, but stays in force until the server "
            "is restarted: {why}",
            treatment=str(plan.treatment),
            why=_reason(error),
        )
    return NOTHING


def _reason(error: Exception) -> Message:
    return error.what if isinstance(error, WorkbenchError) else verbatim(repr(error))
