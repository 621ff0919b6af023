"""Loads with a known truth: clients that all wait, load that varies, pools, mixtures."""

from __future__ import annotations

from dataclasses import replace

from ldap_workbench.model.verdict import Judgement
from tests.bench.acceptance.operations import Server, Stream, Truth
from tests.bench.acceptance.truths import CLAIMS, CROWD, SLOW, Check, mostly, never

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
    name="all clients wait, some very long, and gain ×0.6: slo",
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
    never(SAME, *CLAIMS),
    never(SAME_NOISY, *CLAIMS),
    never(VARIES, *CLAIMS),
    never(DEAR_SLOWER, Judgement.BETTER),
    never(DEAR_SLOWER_SLO, Judgement.BETTER),
    never(MIXTURE, Judgement.BETTER),
    Check(SAME_NOISY, (Judgement.NOT_COMPARABLE,), 5.0),
    never(VARIES, Judgement.NOT_COMPARABLE),
    mostly(GAIN, Judgement.BETTER),
    mostly(GAIN_THINKING, Judgement.BETTER),
    mostly(GAIN_SLO, Judgement.BETTER),
    mostly(LOSS, Judgement.WORSE),
    mostly(MORE_LOAD, Judgement.NOT_COMPARABLE, 90.0),
    mostly(MORE_THROUGH_A_POOL, Judgement.NOT_COMPARABLE, 90.0),
)
