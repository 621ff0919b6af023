"""An experiment that ends early: the server is put back first, then what became of it is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ldap_workbench.model.change import Change
from ldap_workbench.model.errors import CancelledError, ChangeError, WorkbenchError
from ldap_workbench.model.experiment import Plan
from ldap_workbench.model.message import sentences
from ldap_workbench.model.progress import OnProgress
from ldap_workbench.tuning import NotNotedError, Tuner, is_broken_link

AS_BEFORE = "The server is as it was before."
IN_SESSION = "What was measured so far is in the session."
NOT_IN_SESSION = (
    "The session could not be written to its end; what was written before stays readable."
)


def insisted(plan: Plan) -> str:
    """The answer to who asks to stop a second time: it is not interrupted."""
    return (
        "The server is put back first; that takes some seconds, and where the server does not "
        f"answer {plan.patience_s:.0f} s at most."
    )


@dataclass(frozen=True)
class Aftermath:
    """What became of the server, what to do about it, and what was put back just now."""

    server: str
    remedy: str = ""
    as_before: bool = True
    changes: list[Change] = field(default_factory=list)

    def tell(self, error: BaseException, session: str) -> BaseException:
        """What to raise: `error` with what is true of the server, then of the session.

        'Cancelled' alone would say that all is well: where it is not, it is another error.
        """
        if isinstance(error, CancelledError) and not self.as_before:
            told = ChangeError(error.what, safe=f"{self.server} {session}", remedy=self.remedy)
            told.__cause__ = error
            return told
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
) -> Aftermath:
    """Put the server back by the journal alone; touches no session and raises no Exception.

    `restart` is called afterwards where the server was started with the treatment.
    """
    unnoted = False
    try:
        changes = tuner.put_back(progress)
    except NotNotedError as error:
        changes, unnoted = error.changes, True
    except Exception as error:  # noqa: BLE001 - whatever it is, it is said what it means
        return _not_put_back(plan, profile, error)
    if restart and (still := _restarted(plan, restart)):
        return Aftermath(still, "Restart the server.", as_before=False, changes=changes)
    if unnoted:
        return Aftermath(
            "The server is as it was before; the journal could not be told and goes on listing "
            "the change as open.",
            f"Make room on the disk, then run: ldap-workbench revert {profile} --all. It only "
            "closes the entries.",
            changes=changes,
        )
    return Aftermath(AS_BEFORE, changes=changes)


def kept(plan: Plan) -> Aftermath:
    """The error came when the operator had decided already: the journal has it as kept."""
    return Aftermath(f"{plan.treatment} was kept and is in force.", as_before=False)


def _not_put_back(plan: Plan, profile: str, error: Exception) -> Aftermath:
    again = f"ldap-workbench revert {profile} --all"
    if is_broken_link(error):
        return Aftermath(
            f"Whether {plan.treatment} is still in force is not known: the server did not answer "
            f"for {plan.patience_s:.0f} s. The journal keeps the change open.",
            f"Run, when the server answers again: {again}",
            as_before=False,
        )
    why = error.what if isinstance(error, WorkbenchError) else repr(error)
    return Aftermath(
        f"{plan.treatment} may still be in force, for it could not be put back: {why} "
        "The journal keeps the change open.",
        f"Run: {again}",
        as_before=False,
    )


def _restarted(plan: Plan, restart: Callable[[], None]) -> str:
    """'', or what is true of a server that still works with what it was started with."""
    try:
        restart()
    except Exception as error:  # noqa: BLE001 - as above
        why = error.what if isinstance(error, WorkbenchError) else repr(error)
        return (
            f"{plan.treatment} was put back in the configuration, but the server works with it "
            f"until it is restarted: {why}"
        )
    return ""
