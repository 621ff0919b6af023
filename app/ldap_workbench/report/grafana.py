"""A session in Grafana: a dashboard of what `openmetrics` wrote, its windows as annotations.

The tails of a session as OpenMetrics text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from ldap_workbench.inference.counts.tails import tails
from ldap_workbench.model.tail import Tail
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.visible import one_line
from ldap_workbench.model.window import Window
from ldap_workbench.session.reader import Session

_NS_PER_MS = 1_000_000
_OURS = "ldap-workbench"
_PROMETHEUS = {"type": "prometheus", "uid": "${datasource}"}
_GRAFANA = {"type": "grafana", "uid": "-- Grafana --"}
_MARGIN_NS = 60 * NS_PER_S
_TYPE = 'type=~"$type"'
# A window has one sample, at its end. Prometheus shows one for five minutes: points, not lines.
_POINTS = {"drawStyle": "points", "pointSize": 8, "showPoints": "always"}
_PANELS = (
    ("Etime at the quantile", f'ldap_etime_seconds{{{_TYPE},quantile="$quantile"}}', "s"),
    ("Mean etime", f"ldap_etime_seconds_sum{{{_TYPE}}} / ldap_etime_seconds_count{{{_TYPE}}}", "s"),
    ("Operations in the window", f"ldap_etime_seconds_count{{{_TYPE}}}", "short"),
)
"""Title, query, unit; one below the other."""


def grafana_dashboard(session: Session) -> str:
    """A dashboard over the time of the session, as Grafana imports it.

    Its data are those of `openmetrics` in a Prometheus, which it asks for; annotations are those
    of `grafana_annotations` in Grafana itself. Nothing in it is a text of the session.
    """
    windows = session.windows()
    start_ns = min((window.start_ns for window in windows), default=0) - _MARGIN_NS
    end_ns = max((window.end_ns for window in windows), default=0) + 6 * _MARGIN_NS
    dashboard = {
        "title": "LDAP Tuning Workbench: etime by window",
        "tags": [_OURS],
        "schemaVersion": 39,
        "editable": True,
        "timezone": "browser",
        "time": {"from": _iso(start_ns), "to": _iso(end_ns)},
        "annotations": {"list": [_annotations()]},
        "templating": {"list": _variables()},
        "panels": [_panel(place, *panel) for place, panel in enumerate(_PANELS)],
    }
    return json.dumps(dashboard, indent=2, ensure_ascii=True) + "\n"


def _iso(time_ns: int) -> str:
    return f"{datetime.fromtimestamp(max(0, time_ns) // NS_PER_S, UTC):%Y-%m-%dT%H:%M:%SZ}"


def _annotations() -> dict[str, Any]:
    return {
        "name": "Windows and marks",
        "enable": True,
        "iconColor": "blue",
        "datasource": _GRAFANA,
        "target": {"type": "tags", "tags": [_OURS], "matchAny": False, "limit": 1000},
    }


def _variables() -> list[dict[str, Any]]:
    return [
        {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus"},
        {
            "name": "type",
            "label": "Type of operation",
            "type": "query",
            "datasource": _PROMETHEUS,
            "query": "label_values(ldap_etime_seconds, type)",
            "refresh": 2,
            "multi": True,
            "includeAll": True,
        },
        {
            "name": "quantile",
            "label": "Quantile",
            "type": "custom",
            "query": ",".join(QUANTILES.values()),
            "current": {"text": "0.99", "value": "0.99"},
        },
    ]


def _panel(place: int, title: str, query: str, unit: str) -> dict[str, Any]:
    return {
        "id": place + 1,
        "title": title,
        "type": "timeseries",
        "datasource": _PROMETHEUS,
        "gridPos": {"x": 0, "y": 9 * place, "w": 24, "h": 9},
        "fieldConfig": {"defaults": {"unit": unit, "custom": _POINTS}, "overrides": []},
        "targets": [
            {
                "refId": "A",
                "datasource": _PROMETHEUS,
                "expr": query,
                "legendFormat": "{{arm}} {{type}}",
            }
        ],
    }


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
    tags: Iterable[str] = ("ldap-workbench", one_line(kind), f"arm {arm}" if arm else "")
    return [tag for tag in tags if tag]


QUANTILES = {"p50": "0.5", "p90": "0.9", "p95": "0.95", "p99": "0.99", "p999": "0.999"}


def openmetrics(session: Session) -> str:
    """Tails of every window by operation type, at the end of the window.

    To take into Prometheus: `promtool tsdb create-blocks-from openmetrics FILE`.
    """
    summaries = [
        (w, t) for w in session.windows() for t in tails(session.latencies(w), window=w.name)
    ]
    lines = [
        "# TYPE ldap_etime_seconds summary",
        "# UNIT ldap_etime_seconds seconds",
        "# HELP ldap_etime_seconds Etime of LDAP operations in a measurement window.",
        *(line for window, tail in summaries for line in _summary(window, tail)),
        "# EOF",
    ]
    return "\n".join(lines) + "\n"


def _summary(window: Window, tail: Tail) -> Iterator[str]:
    labels = _labels(window, tail.type)
    at = f"{window.end_ns / NS_PER_S:.3f}"
    for field, quantile in QUANTILES.items():
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
