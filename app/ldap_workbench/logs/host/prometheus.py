"""Answers of Prometheus (/api/v1/query_range or query, JSON) -> samples.

Series are 'prometheus:NAME{label="value"}', labels in order. What PromQL makes (`rate(...)`) has no
name: the name of the file stands for it. Values are as Prometheus gives them, in the unit of the
query; times are UTC. Format: https://prometheus.io/docs/prometheus/latest/querying/api/
"""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

from ldap_workbench.logs.reading.reports import Readings, Tally
from ldap_workbench.logs.reading.stamps import LATEST_NS
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.visible import one_line
from ldap_workbench.model.window import Sample

PREFIX = "prometheus:"
MOST_SERIES = 2000
MOST_SAMPLES = 2_000_000
_NAME_LENGTH = 400
_NO_NUMBER = "value that is no number"
_TOO_MANY = "more samples than are kept"


def read_prometheus(data: bytes, unnamed: str) -> Readings:
    """Every sample of an answer; `unnamed` is what a series without a name is called.

    Counts values, not lines. Raises LogError where it is no answer with samples.
    """
    result = _result(data)
    tally = Tally()
    samples: list[Sample] = []
    times: set[int] = set()
    for place, series in enumerate(result):
        values = _values(series)
        if place >= MOST_SERIES or len(samples) + len(values) > MOST_SAMPLES:
            tally.set_aside(_TOO_MANY, len(values))
            continue
        name = _name(series.get("metric"), unnamed)
        for pair in values:
            sample = _sample(name, pair, tally)
            if sample is not None:
                samples.append(sample)
                times.add(sample.time_ns)
    return Readings(samples, len(times), {}, tally.counts)


def _result(data: bytes) -> list[dict[str, Any]]:
    try:
        # Times have decimals of a second; binary ones would move them by some 100 ns.
        answer = json.loads(data.decode("utf-8-sig", "replace"), parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise LogError(
            Message("The answer of Prometheus is incomplete: its JSON is cut off or damaged."),
            remedy=Message("Ask Prometheus again and import what it answers."),
        ) from error
    answer = answer if isinstance(answer, dict) else {}
    if answer.get("status") == "error":
        raise LogError(
            Message(
                "Prometheus answered with an error: {error}.",
                error=verbatim(one_line(str(answer.get("error", "")))[:_NAME_LENGTH]),
            ),
            remedy=Message("Correct the query and import the new answer."),
        )
    content = answer.get("data", answer)
    result = content.get("result") if isinstance(content, dict) else None
    if not isinstance(result, list):
        raise LogError(
            Message("It holds no result of a query."),
            remedy=Message("Save what /api/v1/query_range answers."),
        )
    return [series for series in result if isinstance(series, dict)]


def _values(series: dict[str, Any]) -> list[Any]:
    """Of a range, else the single one of a moment."""
    values = series.get("values", [series.get("value")])
    return values if isinstance(values, list) else []


def _name(metric: Any, unnamed: str) -> str:
    labels = {str(k): str(v) for k, v in metric.items()} if isinstance(metric, dict) else {}
    name = labels.pop("__name__", unnamed)
    of_what = ",".join(f'{label}="{labels[label]}"' for label in sorted(labels))
    text = f"{name}{{{of_what}}}" if of_what else name
    return PREFIX + one_line(text)[:_NAME_LENGTH]


def _sample(name: str, pair: Any, tally: Tally) -> Sample | None:
    try:
        at, text = pair
        time_ns = int(Decimal(at) * NS_PER_S) if 0 < at < LATEST_NS // NS_PER_S else None
        value = float(text)
    except (TypeError, ValueError, ArithmeticError):
        tally.unknown()
        return None
    if time_ns is None:
        tally.unknown()
        return None
    if not math.isfinite(value):
        tally.set_aside(_NO_NUMBER)
        return None
    tally.understood()
    return Sample(time_ns, name, value)
