"""Numbers and states of a report in words; the wording is data in resources/report/words.toml."""

from __future__ import annotations

import functools
import tomllib
from typing import Any

from ldap_workbench.model.change import reverted
from ldap_workbench.model.experiment import Experiment, State
from ldap_workbench.model.verdict import Judgement, Mood
from ldap_workbench.resources import resource

_TONES = {Mood.GOOD: "better", Mood.BAD: "worse"}
"""In the style sheet of the report; all others are open."""


@functools.cache
def tables() -> dict[str, Any]:
    """The tables of words.toml."""
    return tomllib.loads(resource("report/words.toml").read_text("utf-8"))


def judgement(verdict: str) -> str:
    """A judgement as the reader sees it, as the beginning of a sentence."""
    known = Judgement.known(verdict)
    return str(known.opening) if known else verdict


def tone(verdict: str) -> str:
    """better, worse or open: how a judgement looks. Never better for what is not."""
    known = Judgement.known(verdict)
    return _TONES.get(known.mood, "open") if known else "open"


def design(experiment: Experiment) -> str:
    """The design of an experiment in a sentence."""
    plan = experiment.plan
    sentence = tables()["designs"].get(plan.design.kind, str(plan.design))
    return str(sentence).format(k=plan.design.k, pairs=pairs(plan.design.k), seed=plan.seed)


def state(experiment: Experiment) -> str:
    """How an experiment ended, in a sentence."""
    if experiment.state is State.REVERTED:
        return str(reverted(experiment.left_stored))
    table = tables()["states"]
    ended = experiment.state in (State.KEPT, State.ABORTED)
    sentence = table[experiment.state.value] if ended else table["other"]
    return str(sentence).format(why=experiment.why, state=experiment.state.value)


def pairs(n: int) -> str:
    """1 pair, 6 pairs."""
    return f"{n} pair" if n == 1 else f"{n} pairs"
