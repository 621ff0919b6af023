"""What a client that waits cannot hide: the time waited per operation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.metrics import QUANTILE, SLO
from ldap_workbench.inference.counts.quantiles import first_above, log_quantiles

Float = NDArray[np.float64]


def service_metrics(histograms: Float, edges_s: Float, slo_s: float) -> dict[str, Float]:
    """ln of the seconds waited per operation [window], beside each share and percentile.

    Beside p50 and p95 it is the mean etime: of clients that all wait, it falls exactly where they
    get more done. Beside a metric of the tail it is the part of the mean in operations that take
    longer than the target, or than the percentile over all windows: clients that are served more
    slowly have a smaller share of the operations, and of the time per operation none the smaller.
    `histograms` are [window, bucket], op mix made equal. Half an operation more than there were, so
    that none has a logarithm, too.
    """
    middle = np.sqrt(edges_s[:-1] * edges_s[1:])
    p99, p999 = log_quantiles(histograms.sum(0), edges_s, (QUANTILE["p99"], QUANTILE["p99.9"]))
    limits = {"p50": 0.0, "p95": 0.0, "p99": float(np.exp(p99)), "p99.9": float(np.exp(p999))}
    operations = np.maximum(histograms.sum(1), 1.0)
    service = {}
    for name, limit in (limits | {SLO: slo_s}).items():
        if not np.isfinite(limit):
            continue
        first = first_above(edges_s, limit) if limit else 0
        waited = histograms[:, first:] @ middle[first:] + 0.5 * (limit or edges_s[0])
        service[name] = np.log(waited / operations)
    return service
