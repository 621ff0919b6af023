"""A session for dashboards: OpenMetrics text of its windows, annotations for Grafana."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from ldap_workbench.model.tail import Tail
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.visible import one_line
from ldap_workbench.model.window import Window
from ldap_workbench.session import Session
from ldap_workbench.statistics import tails

_QUANTILES = {"p50": "0.5", "p90": "0.9", "p95": "0.95", "p99": "0.99", "p999": "0.999"}
_NS_PER_MS = 1_000_000


def openmetrics(session: Session) -> str:
    """Tails of every window by operation type, at the end of the window.

    To take into Prometheus: `promtool tsdb create-blocks-from openmetrics FILE`.
    """
    found = [(w, t) for w in session.windows() for t in tails(session.latencies(w), window=w.name)]
    lines = [
        "# TYPE ldap_etime_seconds summary",
        "# UNIT ldap_etime_seconds seconds",
        "# HELP ldap_etime_seconds Etime of LDAP operations in a measurement window.",
        *(line for window, tail in found for line in _summary(window, tail)),
        "# EOF",
    ]
    return "\n".join(lines) + "\n"


def _summary(window: Window, tail: Tail) -> Iterator[str]:
    labels = _labels(window, tail.type)
    at = f"{window.end_ns / NS_PER_S:.3f}"
    for field, quantile in _QUANTILES.items():
        value = getattr(tail, f"{field}_ns")
        if value is not None:
            yield (f'ldap_etime_seconds{{{labels},quantile="{quantile}"}} {_seconds(value)} {at}')
    yield f"ldap_etime_seconds_count{{{labels}}} {tail.n} {at}"
    yield f"ldap_etime_seconds_sum{{{labels}}} {_seconds(tail.sum_ns)} {at}"


def _labels(window: Window, kind: str) -> str:
    return ",".join(
        f'{name}="{_escaped(value)}"'
        for name, value in (
            ("window", f"{window.id}:{window.name}"),
            ("arm", window.arm),
            ("type", kind),
        )
    )


def _escaped(value: str) -> str:
    """As OpenMetrics wants a label's value; a name may come from a stranger's file."""
    return one_line(value).replace("\\", "\\\\").replace('"', '\\"')


def _seconds(ns: int) -> str:
    return f"{ns // NS_PER_S}.{ns % NS_PER_S:09d}"


def grafana_annotations(session: Session) -> str:
    """Windows as regions and marks as moments, as Grafana's annotations API takes them, in ms."""
    regions = [
        {
            "time": window.start_ns // _NS_PER_MS,
            "timeEnd": window.end_ns // _NS_PER_MS,
            "tags": _tags("window", window.arm),
            "text": one_line(window.name),
        }
        for window in session.windows()
    ]
    moments = [
        {
            "time": mark.time_ns // _NS_PER_MS,
            "tags": _tags(mark.kind, ""),
            "text": one_line(str(mark.text)),
        }
        for mark in session.marks()
    ]
    return json.dumps([*regions, *moments], indent=2, ensure_ascii=True) + "\n"


def _tags(kind: str, arm: str) -> list[str]:
    found: Iterable[str] = ("ldap-workbench", one_line(kind), f"arm {arm}" if arm else "")
    return [each for each in found if each]
