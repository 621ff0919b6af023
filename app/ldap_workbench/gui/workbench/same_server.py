"""Whether a campaign or canary goes on on the server it was begun on, where only a person knows."""

from __future__ import annotations

from ldap_workbench.campaign.begin import check_url
from ldap_workbench.gui.workbench.prompts import SAME_SERVER, PromptBroker
from ldap_workbench.model.message import Message
from ldap_workbench.tuning.tuner import Tuner


def agree_to_url(tuner: Tuner, prompts: PromptBroker) -> None:
    """Called in a worker: ask, as the command does. Raises UsageError where the answer is no."""
    remedy = Message("If it is still that server, answer yes.")
    check_url(tuner, lambda question: bool(prompts.ask(SAME_SERVER, question)), remedy)
