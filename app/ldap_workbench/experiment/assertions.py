"""What must hold of a verdict for a nightly test to pass: "p99 <= 1.05".

An assertion is about the ratio B/A of a metric. It holds where the whole interval is on its side,
is violated where the whole interval is on the other, and is undecided in between: that is no pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from xml.etree import ElementTree

from ldap_workbench.inference.counts.metrics import METRICS
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.kind import PrimaryMetric
from ldap_workbench.model.message import Message
from ldap_workbench.model.verdict import Judgement, Verdict

_FORM = re.compile(r"\s*((?:\w+\[.+\]:)?[A-Za-z0-9_.:]+)\s*(<=|>=)\s*(\d+(?:\.\d+)?)\s*")


class Outcome(StrEnum):
    """What the windows say of an assertion."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Assertion:
    """`metric` as a plan names it, "BIND:p50" and "SRCH[(mail=?)]:p50" too.

    `limit` is of its ratio B/A.
    """

    metric: str
    at_most: bool
    limit: float

    def __str__(self) -> str:
        return f"{self.metric} {'<=' if self.at_most else '>='} {self.limit:g}"


@dataclass(frozen=True)
class Checked:
    """An assertion, whether it holds, and what was found."""

    assertion: Assertion
    outcome: Outcome
    finding: Message


def parse_assertion(text: str) -> Assertion:
    """'p99 <= 1.05'. Raises UsageError."""
    form = _FORM.fullmatch(text)
    if not form or PrimaryMetric.parse(form[1]).metric not in METRICS:
        raise UsageError(
            Message("'{text}' asserts nothing that can be checked.", text=text),
            safe=Message("Nothing was changed."),
            remedy=Message("Write a metric and a limit of its ratio B/A: 'p99 <= 1.05'."),
        )
    return Assertion(form[1], form[2] == "<=", float(form[3]))


def check(assertions: Iterable[Assertion], verdict: Verdict) -> list[Checked]:
    """Each against a verdict; in one that is not comparable or not settled none is decided."""
    return [_checked(assertion, verdict) for assertion in assertions]


def _checked(assertion: Assertion, verdict: Verdict) -> Checked:
    asked = PrimaryMetric.parse(assertion.metric)
    family = verdict.metrics if asked.of_all else verdict.types.get(asked.type, {})
    metric = family.get(asked.metric)
    if not verdict.comparable or metric is None or metric.low is None or metric.high is None:
        why = verdict.why or Message("There is no interval for {metric}.", metric=assertion.metric)
        return Checked(assertion, Outcome.UNDECIDED, why)
    if metric.verdict == Judgement.NOT_SETTLED:
        why = Message("Not settled: it takes {takes}.", takes=metric.takes)
        return Checked(assertion, Outcome.UNDECIDED, why)
    interval = Message(
        "{metric} is {low:ratio} to {high:ratio}.",
        metric=assertion.metric,
        low=metric.low,
        high=metric.high,
    )
    low_ok = metric.low <= assertion.limit if assertion.at_most else metric.low >= assertion.limit
    high_ok = (
        metric.high <= assertion.limit if assertion.at_most else metric.high >= assertion.limit
    )
    if low_ok and high_ok:
        return Checked(assertion, Outcome.HOLDS, interval)
    outcome = Outcome.UNDECIDED if low_ok or high_ok else Outcome.VIOLATED
    return Checked(assertion, outcome, interval)


def to_junit(name: str, checked: Iterable[Checked]) -> str:
    """JUnit XML: what is violated is a failure, what is undecided was skipped."""
    cases = list(checked)
    suite = ElementTree.Element(
        "testsuite",
        name=name,
        tests=str(len(cases)),
        failures=str(sum(case.outcome is Outcome.VIOLATED for case in cases)),
        skipped=str(sum(case.outcome is Outcome.UNDECIDED for case in cases)),
    )
    for case in cases:
        element = ElementTree.SubElement(
            suite, "testcase", classname="ldap_workbench", name=str(case.assertion)
        )
        if case.outcome is not Outcome.HOLDS:
            kind = "failure" if case.outcome is Outcome.VIOLATED else "skipped"
            ElementTree.SubElement(element, kind, message=str(case.finding))
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
