"""Replicas of a canary: as they were found, and as they are while it runs."""

from __future__ import annotations

from ldap_workbench.campaign.canary import Seat
from ldap_workbench.campaign.canary_begin import Surveyed
from ldap_workbench.figures.formats import NOT_KNOWN, amount
from ldap_workbench.figures.overview.session_summary import describe_server
from ldap_workbench.figures.table import Column, always
from ldap_workbench.figures.timeline.replicas import ReplicaNow
from ldap_workbench.figures.verdict.canary_view import arrows_of
from ldap_workbench.gui.parts.models.states import STATE_WORDS
from ldap_workbench.model.message import Message, verbatim

FOUND = (
    Column[Surveyed](Message("Replica"), lambda r: r.profile, strong=always),
    Column[Surveyed](Message("Server"), lambda r: describe_server(r.facts)),
    Column[Surveyed](Message("Replicates"), arrows_of),
)


def _change(row: ReplicaNow) -> Message:
    return Message("yes: the canary") if row.treated else Message("no: a control")


def _seconds(value: float | None) -> Message:
    return NOT_KNOWN if value is None else amount(value, ".1f", " s")


def _is_canary(row: ReplicaNow) -> bool:
    return row.treated


NOW = (
    Column[ReplicaNow](Message("No."), lambda r: str(r.number)),
    Column[ReplicaNow](Message("Replica"), lambda r: r.name, strong=_is_canary),
    Column[ReplicaNow](Message("Has the change"), _change, strong=_is_canary),
    Column[ReplicaNow](Message("State"), lambda r: STATE_WORDS[r.state][0]),
    Column[ReplicaNow](Message("Lag"), lambda r: _seconds(r.lag_s), number=True),
    Column[ReplicaNow](Message("CSN distance"), lambda r: _seconds(r.distance_s), number=True),
)
SEATS = (
    Column[Seat](Message("Replica"), lambda s: s.profile, strong=always),
    Column[Seat](Message("Server"), lambda s: s.server),
    Column[Seat](Message("Session"), lambda s: verbatim(s.session)),
)
