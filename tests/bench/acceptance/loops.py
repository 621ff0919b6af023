"""Loads with a known truth: clients that all wait, load that varies, pools, mixtures.

`python -m tests.bench.acceptance.loops` prints rows for the table of truths in docs/verdict.md.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from tests.bench.acceptance.operations import Server, Stream, Truth
from tests.bench.acceptance.truths import CROWD, SLOW, Check, main

WAITERS = Stream(clients=8, etime_s=0.02, think_s=0.002)
"""Each thinks for a tenth of the time it waits, then asks again."""
THINKERS = Stream(clients=30, etime_s=0.02, think_s=0.1)
"""Each thinks five times as long as it waits."""
LONG_TAILED = replace(WAITERS, sigma=1.2)
"""One operation in eleven is over the target."""
DEAR = Stream(clients=6, etime_s=0.2, sigma=0.2)
"""Beside WAITERS, 8 % of all operations, nearly all over the target."""
BUSY_POOL = replace(CROWD, connections=3)
"""Requests that come whatever the server does; its connections look as if their clients waited."""
MANY_SLOW = Stream(clients=25, etime_s=0.15, sigma=0.2)
"""Clients that wait, beside the crowd 30 % of all operations."""

GAIN = Truth(
    "all clients wait and gain ×0.6: p50",
    Server((WAITERS,)),
    Server((WAITERS,), factor=0.6),
    primary="p50",
)
GAIN_THINKING = replace(
    GAIN,
    name="all clients wait, some think long, and gain ×0.6: p50",
    a=Server((WAITERS, THINKERS)),
    b=Server((WAITERS, THINKERS), factor=0.6),
)
GAIN_SLO = replace(
    GAIN,
    name="all clients wait and gain ×0.6: slo",
    a=Server((LONG_TAILED,)),
    b=Server((LONG_TAILED,), factor=0.6),
    primary="slo",
)
LOSS = replace(GAIN, name="all clients wait, ×1.5 slower: p50", b=Server((WAITERS,), factor=1.5))
SAME = replace(GAIN, name="all clients wait, nothing changed: p50", b=GAIN.a)
SAME_NOISY = replace(
    SAME, name="all clients wait, nothing changed, windows apart by 15 %: p50", noise=0.15
)
DEAR_SLOWER = Truth(
    "all clients wait, the dear searches of some ×3 slower: p95",
    Server((WAITERS, DEAR)),
    Server((WAITERS, DEAR.slower(3.0))),
    primary="p95",
)
DEAR_SLOWER_SLO = replace(
    DEAR_SLOWER, name="all clients wait, the dear searches of some ×3 slower: slo", primary="slo"
)
VARIES = Truth(
    "load varies by 20 % between windows, nothing changed: p50",
    Server((CROWD, SLOW)),
    Server((CROWD, SLOW)),
    primary="p50",
    load_sd=0.2,
    crowding=0.5,
)
MORE_LOAD = replace(
    VARIES,
    name="clients that do not wait ask ×1.25 as much in B: p50",
    b=Server((CROWD, SLOW), load=1.25),
    load_sd=0.0,
)
MORE_THROUGH_A_POOL = replace(
    MORE_LOAD,
    name="the same over three busy connections: p50",
    a=Server((BUSY_POOL,)),
    b=Server((BUSY_POOL,), load=1.25),
)
MIXTURE = Truth(
    "clients that wait, 30 % of operations, ×3 slower beside others: slo",
    Server((CROWD, MANY_SLOW)),
    Server((CROWD, MANY_SLOW.slower(3.0))),
)

CHECKS = (
    Check(GAIN, ("better",), 80.0, at_least=True),
    Check(GAIN_THINKING, ("better",), 80.0, at_least=True),
    Check(GAIN_SLO, ("better",), 80.0, at_least=True),
    Check(LOSS, ("worse",), 80.0, at_least=True),
    Check(SAME, ("better", "worse"), 7.5),
    Check(SAME_NOISY, ("better", "worse"), 7.5),
    Check(SAME_NOISY, ("not comparable",), 5.0),
    Check(DEAR_SLOWER, ("better",), 7.5),
    Check(DEAR_SLOWER_SLO, ("better",), 7.5),
    Check(VARIES, ("better", "worse"), 7.5),
    Check(VARIES, ("not comparable",), 7.5),
    Check(MORE_LOAD, ("not comparable",), 90.0, at_least=True),
    Check(MORE_THROUGH_A_POOL, ("not comparable",), 90.0, at_least=True),
    Check(MIXTURE, ("better",), 7.5),
)

if __name__ == "__main__":
    sys.exit(main("loops", CHECKS))
