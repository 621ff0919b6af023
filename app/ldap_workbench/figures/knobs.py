"""Knobs as a session kept them, and what its advice would set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ldap_workbench.advice import settings_now
from ldap_workbench.model.errors import KnobError
from ldap_workbench.model.finding import Advice
from ldap_workbench.model.knob import Knob, KnobReading
from ldap_workbench.model.message import Message
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.servers.product import product_of
from ldap_workbench.session import Session
from ldap_workbench.tuning import load_catalogue


@dataclass(frozen=True)
class Advised:
    """The value a piece of advice would set a knob to, and the advice's title."""

    value: str
    why: Message


AdvisedValues = dict[tuple[str, str], Advised]
"""By name of the knob and its place."""


def advised(advice: Iterable[Advice]) -> AdvisedValues:
    """What the advice would set; where two pieces differ the better one, which comes first."""
    found: AdvisedValues = {}
    for each in advice:
        for setting in each.treatment.settings:
            found.setdefault((setting.knob, setting.place), Advised(setting.value, each.title))
    return found


def kept_readings(session: Session) -> list[KnobReading]:
    """The knobs whose values a session kept with its windows; [] where it kept none.

    A knob of several back ends is known of the first only.
    """
    facts = session.facts
    kept = {name.lower(): value for name, value in settings_now(session).items()}
    if not kept:
        return []
    # An imported configuration comes without facts: its own names tell whose it is.
    olc = facts is None and any(name.startswith("olc") for name in kept)
    try:
        catalogue = load_catalogue("openldap" if olc else product_of(facts))
    except KnobError:
        return []  # servers of this product can be measured, not changed
    knobs = catalogue.knobs if facts is None else catalogue.of(facts).knobs
    found = {knob.name.lower(): knob for knob in reversed(knobs)}
    return [
        KnobReading(knob, _first_place(knob, facts), kept[name])
        for knob in knobs
        if (name := knob.name.lower()) in kept and found[name] is knob
    ]


def same_server(one: TargetFacts | None, other: TargetFacts | None) -> bool:
    """Whether both are known to be of one server, whatever its profile is called."""
    if one is None or other is None:
        return False
    return (one.host, one.instance, one.product) == (other.host, other.instance, other.product)


def _first_place(knob: Knob, facts: TargetFacts | None) -> str:
    if facts is None:
        return ""
    if "{backend}" in knob.dn:
        return facts.backends[0].name if facts.backends else ""
    return (facts.device or "") if "{device}" in knob.path else ""
