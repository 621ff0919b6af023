"""Knobs as a table, as a session kept them, and what its advice would set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from ldap_workbench.figures.formats import ABSENT, DASH, amount
from ldap_workbench.figures.names import EFFECTS, RISKS
from ldap_workbench.figures.table import Column
from ldap_workbench.model.errors import KnobError
from ldap_workbench.model.finding import Advice
from ldap_workbench.model.knob import Group, Knob, KnobReading, Risk, ValueKind
from ldap_workbench.model.message import NOTHING, Message, verbatim
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.units import exact_size
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


def advised_for(reading: KnobReading, advice: AdvisedValues) -> Advised | None:
    """What the advice would set a knob to; None where it has that already or is not named."""
    wanted = advice.get((reading.knob.name, reading.place))
    return wanted if wanted and wanted.value != reading.value else None


def columns(advice: AdvisedValues) -> tuple[Column[KnobReading], ...]:
    """A row for each knob and place, with what the advice for the open session would set."""

    def text(reading: KnobReading) -> Message | str:
        wanted = advised_for(reading, advice)
        return worded_value(reading.knob, wanted.value) if wanted else DASH

    def why(reading: KnobReading) -> Message:
        wanted = advised_for(reading, advice)
        return wanted.why if wanted else NOTHING

    column = Column(
        Message("Advised"),
        text,
        number=True,
        tip=why,
        about=Message("The value advised for the open session"),
    )
    return (*_COLUMNS[:2], column, *_COLUMNS[2:])


def knob_value(knob: Knob, value: str | None) -> Message:
    """A value with its unit, sizes in binary units; None is absent."""
    if value is None:
        return ABSENT
    if knob.kind is ValueKind.SIZE and value.isdigit():
        return amount(int(value), "size")
    if not knob.unit or not value:
        return verbatim(value)
    return Message("{value} {unit}", value=value, unit=Message(knob.unit))


def worded_value(knob: Knob, value: str | None) -> Message:
    """A value as a person reads it: -1 is 'unlimited' or 'automatic' where it means that."""
    if knob.special and value == knob.special.value:
        return knob.special.text
    return knob_value(knob, value)


def listed(readings: Iterable[KnobReading], advice: AdvisedValues) -> list[KnobReading]:
    """Advised knobs first, then group by group; within a group as the catalogue has them."""
    return sorted(
        readings, key=lambda reading: (not advised_for(reading, advice), _place_of_group(reading))
    )


_GROUPS = {
    Group.THREADS: Message("threads"),
    Group.CACHES: Message("caches"),
    Group.INDEXES: Message("indexes"),
    Group.DATABASE: Message("database"),
    Group.LOGS: Message("logs"),
    Group.LIMITS: Message("limits"),
    Group.REPLICATION: Message("replication"),
    Group.OTHERS: Message("others"),
    Group.HOST: Message("host"),
}


def _place_of_group(reading: KnobReading) -> int:
    return list(Group).index(reading.knob.group)


def typed_value(knob: Knob, value: str) -> str:
    """A value as it is typed, exactly: sizes in the largest unit that needs no fraction."""
    if knob.kind is ValueKind.SIZE and value.isdigit():
        return exact_size(int(value))
    return value


def differs(reading: KnobReading) -> bool:
    """Whether a knob is set to something other than its default, where both are known.

    What the server may have chosen itself is no deviation.
    """
    default, value = reading.knob.default, reading.value
    if default is None or value is None or reading.knob.chosen_by_server(value):
        return False
    return value != default


def _about(reading: KnobReading) -> Message:
    return reading.knob.about


def _now(reading: KnobReading) -> Message | str:
    if reading.unknown:
        return DASH
    now, special = worded_value(reading.knob, reading.value), reading.knob.special
    automatic = special is not None and special.automatic and special.value == reading.value
    if automatic and reading.effective is not None:
        return Message("{now} ({value})", now=now, value=_effective(reading))
    return now


def _name(reading: KnobReading) -> str:
    return reading.knob.name + (f" @ {reading.place}" if reading.place else "")


def _effective(reading: KnobReading) -> Message | str:
    return DASH if reading.effective is None else worded_value(reading.knob, reading.effective)


def _default(reading: KnobReading) -> Message | str:
    knob = reading.knob
    return DASH if knob.default is None else worded_value(knob, knob.default)


_RISK_ORDER = (Risk.LOW, Risk.MEDIUM, Risk.HIGH)
_COLUMNS: tuple[Column[KnobReading], ...] = (
    Column(Message("Setting"), _name, tip=_about, strong=differs),
    Column(
        Message("Now"),
        _now,
        tip=lambda r: r.unknown or verbatim(r.value or ""),
        strong=differs,
        number=True,
    ),
    Column(
        Message("Group"),
        lambda r: _GROUPS[r.knob.group],
        sort=_place_of_group,
    ),
    Column(Message("Default"), _default, number=True),
    Column(
        Message("In force"), _effective, number=True, about=Message("What other evidence shows")
    ),
    Column(Message("Takes effect"), lambda r: EFFECTS[r.knob.effect]),
    Column(
        Message("Risk"),
        lambda r: RISKS[r.knob.risk],
        sort=lambda r: _RISK_ORDER.index(r.knob.risk),
        tip=lambda r: r.knob.trap,
    ),
    Column(Message("Description"), lambda r: r.knob.title, tip=_about),
    Column(Message("Where"), lambda r: r.knob.dn or r.knob.path, tip=lambda r: r.knob.source),
)
