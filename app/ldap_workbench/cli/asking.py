"""The two questions of a command that changes a server: whether to start, and what to keep."""

from __future__ import annotations

import typer

from ldap_workbench.cli.compare import print_verdict
from ldap_workbench.cli.console import confirm
from ldap_workbench.cli.signals import Stop
from ldap_workbench.model.errors import CancelledError, UsageError
from ldap_workbench.model.experiment import Then
from ldap_workbench.model.message import Message
from ldap_workbench.model.verdict import Verdict

ANSWER = Message("Answer yes, or add --yes to run without questions.")


def agree_to_start(refused: Message) -> None:
    """Ask. Raises UsageError, `refused`, where the answer is no, as it is without a terminal."""
    if not confirm("Start?"):
        raise UsageError(refused, safe=Message("Nothing was changed."), remedy=ANSWER)


def keep_or_revert(verdict: Verdict, question: str, stop: Stop) -> Then:
    """Print the verdict and ask. Raises CancelledError where a signal is the answer, or none."""
    print_verdict(verdict)
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
