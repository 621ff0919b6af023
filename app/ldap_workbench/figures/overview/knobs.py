"""Knobs as a session kept them, and what its advice would set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from ldap_workbench.model.errors import KnobError
from ldap_workbench.model.finding import Advice
from ldap_workbench.model.knob import Knob, KnobReading
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.servers.product import product_of
from ldap_workbench.tuning.catalogue import load_catalogue

if TYPE_CHECKING:
    from ldap_workbench.session.reader import Session


@dataclass(frozen=True)
class Advised:
    """The value a piece of advice would set a knob to, and the advice's title."""

    value: str
    why: Message


AdvisedValues = dict[tuple[str, str], Advised]
"""By name of the knob and its place."""


def advised(advice: Iterable[Advice]) -> AdvisedValues:
    """What the advice would set; where two pieces differ the better one, which comes first."""
    values: AdvisedValues = {}
    for piece in advice:
        for setting in piece.treatment.settings:
            values.setdefault((setting.knob, setting.place), Advised(setting.value, piece.title))
    return values


def kept_readings(session: Session) -> list[KnobReading]:
    """The knobs whose values a session kept with its windows; [] where it kept none.

    A knob of several back ends is known of the first only.
    """
    from ldap_workbench.advice.evidence.view import settings_now

    facts = session.facts
    values = {name.lower(): value for name, value in settings_now(session).items()}
    if not values:
        return []
    # An imported configuration comes without facts: its own names tell whose it is.
    olc = facts is None and any(name.startswith("olc") for name in values)
    try:
        catalogue = load_catalogue("openldap" if olc else product_of(facts))
    except KnobError:
        return []  # servers of this product can be measured, not changed
    knobs = catalogue.knobs if facts is None else catalogue.of(facts).knobs
    first_of = {knob.name.lower(): knob for knob in reversed(knobs)}
    return [
        KnobReading(knob, _first_place(knob, facts), values[name])
        for knob in knobs
        if (name := knob.name.lower()) in values and first_of[name] is knob
    ]


class Match(Enum):
    """Whether two facts are of one server."""

    SAME = "same"
    OTHER = "other"
    UNKNOWN = "unknown"


def match_servers(one: TargetFacts | None, other: TargetFacts | None) -> Match:
    """By what the instances say of themselves, else by host, instance and product."""
    if one is None or other is None:
        return Match.UNKNOWN
    if one.identity and other.identity:
        same = one.identity == other.identity
    else:
        same = (one.host, one.instance, one.product) == (other.host, other.instance, other.product)
    return Match.SAME if same else Match.OTHER


def version_remark(facts: TargetFacts) -> Message:
    """What a person has to know of a server whose version nobody tried; NOTHING where one did."""
    try:
        return load_catalogue(product_of(facts)).of(facts).remark
    except KnobError:
        return NOTHING


def same_server(one: TargetFacts | None, other: TargetFacts | None) -> bool:
    """Whether both are known to be of one server, whatever its profile is called."""
    return match_servers(one, other) is Match.SAME


def _first_place(knob: Knob, facts: TargetFacts | None) -> str:
    if facts is None:
        return ""
    if knob.of_backend:
        return facts.backends[0].name if facts.backends else ""
    return (facts.device or "") if "{device}" in knob.path else ""
