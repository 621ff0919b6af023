"""A campaign that begins, or one of this user's that goes on."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from ldap_workbench.campaign.plan import CampaignPlan
from ldap_workbench.campaign.state import CAMPAIGNS, Campaign, Entry
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.servers.target import Target
from ldap_workbench.tuning.tuner import Tuner


def new_campaign(plan: CampaignPlan, target: Target, tuner: Tuner, output: Path) -> Campaign:
    """Nothing of it has begun yet. Raises UsageError where the file belongs to another."""
    refuse_existing(output)
    return Campaign(
        plan,
        tuner.server,
        tuner.identity,
        target.profile.name,
        str(output.resolve()),
        time.time_ns(),
        tuple(Entry(str(candidate.treatment)) for candidate in plan.candidates),
    )


def refuse_existing(output: Path) -> None:
    """Raise UsageError where a campaign has this file already."""
    state = CAMPAIGNS.of(output)
    if output.exists() or (state and not state.ended):
        raise UsageError(
            Message("{path} belongs to a campaign already.", path=str(output)),
            safe=Message("Nothing was changed."),
            remedy=Message("Go on with it by --resume, or name a new file."),
        )


def resumable(output: Path, tuner: Tuner) -> Campaign:
    """The campaign of this file, to go on with on this server.

    Raises UsageError, and AnotherServerError where its name leads to another server by now.
    """
    state = CAMPAIGNS.of(output)
    if state is None or state.ended:
        raise UsageError(
            Message("You have no campaign to resume for {path}.", path=str(output)),
            safe=Message("Nothing was changed."),
            remedy=Message("Leave out --resume and name a new file."),
        )
    if not tuner.check_is(state.server, state.identity):
        raise UsageError(
            Message(
                "The campaign of {path} is on another server: {server}.",
                path=str(output),
                server=state.server,
            ),
            safe=Message("Nothing was changed."),
            remedy=Message("Name the profile of that server."),
        )
    return state


def check_url(tuner: Tuner, agreed: Callable[[Message], bool], remedy: Message) -> None:
    """Ask where nothing but the URL says that work begun earlier goes on on the same server.

    Raises UsageError with `remedy` where the question is not agreed to.
    """
    question = Message("Is {server} still the server it was begun on?", server=tuner.server)
    if tuner.identity or agreed(question):
        return
    raise UsageError(
        Message("Only the URL says which server was changed; its identity is not known."),
        safe=Message("Nothing was changed."),
        remedy=remedy,
    )
