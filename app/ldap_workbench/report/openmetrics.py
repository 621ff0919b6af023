"""The tails of a session as OpenMetrics text."""

from __future__ import annotations

from collections.abc import Iterator

from ldap_workbench.inference.counts.tails import tails
from ldap_workbench.model.tail import Tail
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.visible import one_line
from ldap_workbench.model.window import Window
from ldap_workbench.session.reader import Session

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
