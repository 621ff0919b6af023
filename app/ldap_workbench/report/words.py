"""Numbers and states of a report in words; the wording is data in resources/report/words.toml."""

from __future__ import annotations

import functools
import math
import tomllib
from typing import Any

from ldap_workbench.model.experiment import Experiment, State
from ldap_workbench.model.units import format_duration, format_latency, format_ratio
from ldap_workbench.resources import resource

DASH = "–"


@functools.cache
def words() -> dict[str, Any]:
    """The tables of words.toml."""
    return tomllib.loads(resource("report/words.toml").read_text("utf-8"))


def metric_name(metric: str, kind: str = "ALL") -> str:
    """A metric in words, with the operation type where it is of one."""
    name = str(words()["metrics"].get(metric, metric))
    return name if kind == "ALL" else f"{kind}: {name}"


def metric_value(metric: str, value: float | None) -> str:
    """A value of an arm in the metric's unit: 1.25 ms, 0.34 %, 12."""
    value = number(value)
    unit = words()["units"].get(metric, "count")
    if value is None:
        return DASH
    if unit == "ns":
        return format_duration(round(value))
    return share(value) if unit == "share" else f"{value:,.3g} stalls"


def judgement(verdict: str) -> str:
    """A judgement as the reader sees it."""
    return str(words()["judgements"].get(verdict, verdict))


def tone(verdict: str) -> str:
    """better, worse or open: how a judgement looks. Never better for what is not."""
    return str(words()["tones"].get(verdict, "open"))


def arm(name: str) -> str:
    """'A, as it was'."""
    return str(words()["arms"].get(name, name))


def etime(ns: int | None, resolution_ns: int = 1) -> str:
    """A latency, or the range it may lie in where the log shows only coarse steps: 0 to 1 s."""
    return DASH if ns is None else format_latency(ns, resolution_ns)


def share(value: float) -> str:
    """0.0034 as 0.34 %."""
    return f"{value * 100:.3g} %"


def ratio(value: float | None) -> str:
    """×0.26, or a dash."""
    value = number(value)
    return DASH if value is None else format_ratio(value)


def ratio_interval(low: float | None, high: float | None) -> str:
    """×0.2 to ×0.4, or a dash."""
    if number(low) is None or number(high) is None:
        return DASH
    return f"{ratio(low)} to {ratio(high)}"


def count(value: int) -> str:
    """Thousands set apart."""
    return f"{value:,}"


def pairs(n: int) -> str:
    """1 pair, 6 pairs."""
    return f"{n} pair" if n == 1 else f"{n} pairs"


def seconds(value: float) -> str:
    """A span in the unit a person would choose: 20 s, 5 min, 2 h 30 min."""
    if value < 120:
        return f"{value:g} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 120:
        return f"{minutes} min" + (f" {rest} s" if rest else "")
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h" + (f" {minutes} min" if minutes else "")


def number(value: object) -> float | None:
    """A finite number, or None: a session file may come from a stranger."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    return None


def design(experiment: Experiment) -> str:
    """The design of an experiment in a sentence."""
    plan = experiment.plan
    sentence = words()["designs"].get(plan.design.kind, str(plan.design))
    return str(sentence).format(k=plan.design.k, pairs=pairs(plan.design.k), seed=plan.seed)


def state(experiment: Experiment) -> str:
    """How an experiment ended, in a sentence."""
    table = words()["states"]
    ended = experiment.state in (State.KEPT, State.REVERTED, State.ABORTED)
    sentence = table[experiment.state.value] if ended else table["other"]
    return str(sentence).format(why=experiment.why, state=experiment.state.value)
