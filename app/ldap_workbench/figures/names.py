"""What arms and metrics are called, wherever they are shown."""

from __future__ import annotations

from ldap_workbench.model.operations import ALL

ARMS = {"A": "A, as it was", "B": "B, with the change"}
METRICS = {
    "p50": "p50 etime",
    "p95": "p95 etime",
    "p99": "p99 etime",
    "p99.9": "p99.9 etime",
    "slo": "share over the latency target",
    "stall_len": "stall length",
    "stall_time": "time stalled",
    "stall_n": "number of stalls",
}
METRIC_UNITS = {"slo": "share", "stall_n": "count"} | dict.fromkeys(
    ("p50", "p95", "p99", "p99.9", "stall_len", "stall_time"), "ns"
)


def arm_name(arm: str) -> str:
    """'A, as it was'; '' for a window of no arm."""
    return ARMS.get(arm, arm)


def metric_name(metric: str, kind: str = ALL) -> str:
    """A metric in words, with the operation type where it is of one: 'BIND p99 etime'."""
    name = METRICS.get(metric, metric)
    return name if kind == ALL else f"{kind} {name}"
