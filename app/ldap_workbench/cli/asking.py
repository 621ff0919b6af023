"""The two questions of a command that changes a server: whether to start, and what to keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from ldap_workbench.cli.compare import print_verdict
from ldap_workbench.cli.console import ANSWER, confirm, note
from ldap_workbench.cli.signals import Stop
from ldap_workbench.model.errors import CancelledError, UsageError
from ldap_workbench.model.experiment import Then
from ldap_workbench.model.message import Message
from ldap_workbench.model.verdict import Verdict

if TYPE_CHECKING:
    from ldap_workbench.tuning.tuner import Tuner


def agree_to_start(refused: Message) -> None:
    """Ask. Raises UsageError, `refused`, where the answer is no, as it is without a terminal."""
    if not confirm("Start?"):
        raise UsageError(refused, safe=Message("Nothing was changed."), remedy=ANSWER)


def agree_to_url(tuner: Tuner, *, yes: bool) -> None:
    """Ask where nothing but the URL says that work begun earlier goes on on the same server.

    Raises UsageError where the answer is no, as it is without a terminal.
    """
    from ldap_workbench.campaign.state import check_url

    remedy = Message("If it is still that server, answer yes or add --yes.")
    check_url(tuner, lambda question: yes or confirm(str(question)), remedy)


def keep_or_revert(
    verdict: Verdict, question: str, stop: Stop, lines: Sequence[Message] = ()
) -> Then:
    """Print the verdict, what else there is to know in `lines`, and ask.

    Raises CancelledError where a signal is the answer, or none.
    """
    print_verdict(verdict)
    note(*lines)
    with stop.while_asking():
        try:
            return Then.KEEP if confirm(question) else Then.REVERT
        except typer.Abort as error:  # the end of the terminal
            raise CancelledError(
                Message("The question was not answered."),
                remedy=Message(
                    "Choose beforehand what happens: --then keep, revert or keep-if-better."
                ),
            ) from error
