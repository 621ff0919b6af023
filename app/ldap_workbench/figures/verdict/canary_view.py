"""A canary in words: when it was and how it ended, whose turn it is, who else replicates."""

from __future__ import annotations

from collections.abc import Sequence

from ldap_workbench.campaign.canary import Canary, Outcome, Seat, Survey, Surveyed
from ldap_workbench.campaign.canary_judge import HARM
from ldap_workbench.figures.overview.session_summary import describe_server
from ldap_workbench.figures.table import Column, always, quantity
from ldap_workbench.model.message import NOTHING, Message, verbatim
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.units import format_time
from ldap_workbench.servers.replication import Agreement, address_of

OUTCOMES = {
    Outcome.RUNNING: Message("not finished: can be resumed"),
    Outcome.KEPT: Message("kept on all replicas"),
    Outcome.REVERTED: Message("reverted"),
    Outcome.ABORTED: Message("aborted"),
}


def title_of(canary: Canary) -> Message:
    """When it began, what was tried, how it ended: a line of a list of canaries."""
    return Message(
        "{began} · {treatment} · {told}",
        began=format_time(canary.began_ns)[:16],
        treatment=str(canary.plan.treatment),
        told=OUTCOMES[canary.outcome],
    )


def turn_of(canary: Canary) -> Message:
    """Which window is measured, and who is the canary in it."""
    done, windows = len(canary.windows), canary.plan.windows
    if done >= len(windows) or canary.verdict:
        return Message("All windows are measured")
    block, replica = windows[done]
    return Message(
        "Window {n} of {of}, block {block} of {blocks}: {replica} is the canary",
        n=done + 1,
        of=len(windows),
        block=block + 1,
        blocks=canary.plan.blocks,
        replica=canary.seats[replica].profile,
    )


def harm_of(canary: Canary) -> Message:
    """Where the harm rule stands."""
    if canary.harm_p is None:
        return Message(
            "Harm rule: tested after every block; it ends the canary at p ≤ {limit:g}.", limit=HARM
        )
    return Message(
        "Harm rule: p = {p:.2g} after the last block; it ends the canary at p ≤ {limit:g}.",
        p=canary.harm_p,
        limit=HARM,
    )


def arrows_of(replica: Surveyed) -> Message:
    """Whom it sends changes to, and from whom it fetches them."""
    arrows = tuple(map(_arrow, replica.agreements))
    return (
        Message("{arrows:list}", arrows=arrows) if arrows else Message("no agreement is readable")
    )


def _arrow(agreement: Agreement) -> Message:
    if not agreement.enabled:
        return Message("{address} (disabled)", address=agreement.address)
    if agreement.outgoing:
        return Message("to {address}", address=agreement.address)
    return Message("from {address}", address=agreement.address)


def others_of(survey: Survey, profiles: Sequence[Profile]) -> Message:
    """Which other servers of the topology are not in the canary; nothing where all are."""
    ours = {address_of(replica.server) for replica in survey.replicas}
    named = {address_of(profile.server_url): profile.name for profile in profiles}
    addresses = dict.fromkeys(
        arrow.address for replica in survey.replicas for arrow in replica.agreements
    )
    others = tuple(
        Message("{address} (profile {name})", address=address, name=named[address])
        if address in named
        else Message("{address} (no profile)", address=address)
        for address in addresses
        if address not in ours
    )
    if not others:
        return NOTHING
    return Message("They also replicate with: {others:list}.", others=others)


def _other_server(agreement: Agreement) -> str:
    return f"{'to' if agreement.outgoing else 'from'} {agreement.address}"


SURVEYED = (
    Column[Surveyed](Message("Replica"), lambda r: r.profile, strong=always),
    Column[Surveyed](Message("Server"), lambda r: describe_server(r.facts)),
    Column[Surveyed](Message("Replicates"), arrows_of),
)
SEATS = (
    Column[Seat](Message("Replica"), lambda s: s.profile, strong=always),
    Column[Seat](Message("Server"), lambda s: s.server),
    Column[Seat](Message("Session"), lambda s: verbatim(s.session)),
)
ReplicaAgreement = tuple[str, Agreement]
"""The name of a replica, and one of its agreements."""
AGREEMENTS = (
    Column[ReplicaAgreement](Message("Replica"), lambda a: a[0]),
    Column[ReplicaAgreement](Message("Agreement"), lambda a: a[1].name),
    Column[ReplicaAgreement](Message("Other server"), lambda a: _other_server(a[1])),
    Column[ReplicaAgreement](Message("Suffix"), lambda a: a[1].suffix),
    Column[ReplicaAgreement](
        Message("Status"), lambda a: a[1].status if a[1].enabled else "disabled"
    ),
)
Turn = tuple[int, int, str]
"""A window of a canary: its number and its block, both from 1, and the replica that was changed."""
TURNS: tuple[Column[Turn], ...] = (
    quantity(Message("Window"), lambda t: t[0]),
    quantity(Message("Block"), lambda t: t[1]),
    Column[Turn](Message("Canary"), lambda t: t[2]),
)


def turns_of(canary: Canary) -> list[Turn]:
    """Whose turn it was in each window measured so far."""
    done = canary.plan.windows[: len(canary.windows)]
    return [
        (number, block + 1, canary.seats[replica].profile)
        for number, (block, replica) in enumerate(done, start=1)
    ]
