"""Scenarios: a workload, a host, the settings it starts with, and the lesson to learn from it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.resources import resource

GIB = 1024**3


@dataclass(frozen=True)
class Workload:
    """What clients ask: open-loop Poisson arrivals of a mix over a directory of Zipf popularity."""

    rate: float = 400.0
    """Operations a second at load 1."""
    mix: Mapping[str, float] = field(
        default_factory=lambda: {
            "SRCH": 0.80,
            "BIND": 0.04,
            "MOD": 0.12,
            "ADD": 0.01,
            "DEL": 0.01,
            "CMP": 0.02,
        }
    )
    users: int = 20_000
    clients: int = 48
    """Long-lived connections; every BIND opens and closes one of its own."""
    popularity: float = 0.30
    """Exponent b of the hit ratio (resident/all)**b: small where a few entries get most hits."""
    drift: float = 0.06
    """Amplitude of each slow wave of the load."""
    visits: float = 0.0
    """Times a second that one application comes: it binds as its own account and searches."""
    pooled: bool = False
    """Whether that application keeps its connections; else each visit has one of its own."""
    by_number: float = 0.0
    """Share of the searches that look for an employeeNumber."""
    groups: float = 0.0
    """Share of the MODs that change the members of a group."""


@dataclass(frozen=True)
class Host:
    """The machine: cores, memory, and the device below the database."""

    cores: int = 4
    ram_bytes: int = 8 * GIB
    seek_s: float = 0.0004
    bandwidth: float = 200e6
    """Bytes a second of a read."""
    page_cache: float = 1.0
    """Share of database reads the kernel's page cache answers."""
    flush_s: float = 0.0015
    """Median of one flush of the transaction log."""
    page_write_s: float = 20e-6
    """Time a checkpoint blocks for each dirty page."""
    scan_s: float = 0.02
    """Time a checkpoint blocks for each GiB of database cache."""
    background_s: float = 4.0
    """Time a checkpoint goes on behind the scenes for each GiB of database cache."""
    background_slowdown: float = 0.15
    """By how much that slows every operation meanwhile."""
    member_update_s: float = 0.010
    """Removing one deleted entry from the groups that name it."""
    memberof_s: float = 0.0
    """Following one change of a group to everybody in it and in the groups within."""


@dataclass(frozen=True)
class Remedy:
    """What ends the cause where no treatment does: the work of the client's owner."""

    workload: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Scenario:
    """One lesson. `settings` are attributes that differ from the defaults.

    Among them are read_ahead_kb, plugins and index.NAME, which are none (knobs.py).

    `expected` maps metrics of the verdict (p50, p99.9, slo, stall_len ...) to the judgement the
    truth demands; `ratios` the true long-run ratios B/A, found by long simulation.
    """

    name: str
    title: Message
    about: Message
    """The complaint, as users and colleagues bring it; never the cause."""
    hints: tuple[Message, ...]
    """What leads to the cause and its remedy, to be read one by one; the last is the answer."""
    treatment: Treatment
    primary: str
    window_s: float
    expected: Mapping[str, str]
    ratios: Mapping[str, float]
    settings: Mapping[str, str]
    workload: Workload
    host: Host
    trim: str = "0"
    """What the lesson leaves out at the start of every window, as --trim says it."""
    case: str = ""
    """A real case of the same kind: its page in docs/cases."""
    finding: str = ""
    """Id of the finding that names the cause."""
    remedy: Remedy = Remedy()
    slo_ms: float = 100.0
    """The latency target of the lesson."""
    queue: tuple[Treatment, ...] = ()
    """What a campaign is to try, where one treatment is not all of the lesson."""

    @property
    def profile_name(self) -> str:
        """What the profile of its practice directory is called."""
        return f"practice-{self.name}"

    def mended(self) -> Scenario:
        """The same after the remedy: its `ratios` do not hold any more."""
        return replace(self, workload=replace(self.workload, **self.remedy.workload))

    def with_settings(self, settings: Mapping[str, str]) -> Scenario:
        """The same with other values of some attributes: its `ratios` may not hold any more."""
        asked = {name.lower(): value for name, value in settings.items()}
        return replace(self, settings={**self.settings, **asked})


@cache
def scenario_names() -> tuple[str, ...]:
    """Every scenario of resources/practice, in the order lessons are offered."""
    return tuple(sorted(path.stem for path in resource("practice").glob("*.toml")))


def load_scenario(name: str, *, mended: bool = False) -> Scenario:
    """Read resources/practice/NAME.toml, as it is after its remedy if asked.

    Raises UsageError for a name that is not there, and for a remedy where a treatment is one.
    """
    if name not in scenario_names():
        raise UsageError(
            Message("There is no practice scenario '{name}'.", name=name),
            remedy=Message("Choose one of {names:list}.", names=scenario_names()),
        )
    scenario = _stored(name)
    if mended and scenario.remedy == Remedy():
        raise UsageError(
            Message("The lesson '{name}' has no remedy beside its treatment.", name=name),
            remedy=Message("Start it without --mended, and try the treatment in an experiment."),
        )
    return scenario.mended() if mended else scenario


@cache
def _stored(name: str) -> Scenario:
    """As it is in its file, read once: every window shows all of them, and twice."""
    text = tomllib.loads(resource(f"practice/{name}.toml").read_text(encoding="utf-8"))
    return _scenario(name, text)


def _scenario(name: str, text: Mapping[str, Any]) -> Scenario:
    title, about = map(Message, (text["title"], text["about"]))
    return Scenario(
        name=name,
        title=title,
        about=about,
        hints=tuple(Message(hint) for hint in text["hints"]),
        treatment=_treatment(text["treatment"]),
        primary=text["primary"],
        window_s=float(text["window_s"]),
        expected=text["expected"],
        ratios=text.get("ratios", {}),
        settings={name.lower(): value for name, value in text.get("settings", {}).items()},
        workload=Workload(**text.get("workload", {})),
        host=Host(**text.get("host", {})),
        trim=text.get("trim", "0"),
        case=text.get("case", ""),
        finding=text.get("finding", ""),
        remedy=Remedy(**text.get("remedy", {})),
        slo_ms=float(text.get("slo_ms", 100)),
        queue=tuple(map(_treatment, text.get("queue", ()))),
    )


def _treatment(settings: Sequence[Mapping[str, str]]) -> Treatment:
    return Treatment(tuple(Setting(**setting) for setting in settings))
