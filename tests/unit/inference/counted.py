"""Windows of counts with a known truth: lognormal etimes, stalls that hold what arrives in them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ldap_workbench.inference.verdict.analyse import analyse
from tests.window_counts import windows_from_counts

EDGES = 0.1 * 1.02 ** np.arange(-465, 500)
TYPES = ("SRCH", "BIND")


@dataclass
class Counted:
    """What `windows_from_counts` takes."""

    arm: str
    pair: int
    dt: float
    H: np.ndarray
    t0: float = 0.0
    errors: dict[int, int] = field(default_factory=dict)
    flaws: tuple[str, ...] = ()


@dataclass(frozen=True)
class Server:
    """How a server answers in a window."""

    factor: float = 1.0
    """Median etime is 1 ms times this."""
    rate: float = 1000.0
    share: float = 0.8
    """Searches; the rest are binds."""
    stall_every_s: float = 0.0
    stall_s: float = 0.0
    noise: float = 0.03
    """Standard deviation of ln etime between windows."""


def bucket(etimes):
    return np.clip(np.searchsorted(EDGES, etimes) - 1, 0, len(EDGES) - 2)


def window(random, arm, pair, server, seconds=30):
    """Completions per second; in a stall all that arrive wait for its end."""
    n = random.poisson(server.rate * seconds)
    start = random.random(n) * seconds
    shift = np.log(1e-3 * server.factor) + server.noise * random.standard_normal()
    etime = np.exp(random.normal(shift, 0.8, n))
    if server.stall_every_s:
        into = (start + random.random() * server.stall_every_s) % server.stall_every_s
        etime += np.maximum(server.stall_s - into, 0.0)
    kind = (random.random(n) >= server.share).astype(int)
    second = np.minimum(start + etime, seconds - 1e-9).astype(int)
    counts = np.zeros((len(TYPES), seconds, len(EDGES) - 1), int)
    np.add.at(counts, (kind, second, bucket(etime)), 1)
    return Counted(arm, pair, 1.0, counts)


def put_stall(found, second, length, n):
    found.H[0, second, bucket(np.array([length]))[0]] += n


def stalled(arm, stalls):
    made = window(np.random.default_rng(1), arm, 0, Server(), 60)
    for number in range(stalls):
        put_stall(made, 10 + 6 * number, 0.5, 40)
    return made


def spread(**counts_of):
    """Two windows alike, with so many operations of so many ms each."""
    made = [Counted(arm, 0, 1.0, np.zeros((2, 10, len(EDGES) - 1), int)) for arm in "AB"]
    for window in made:
        for milliseconds, n in counts_of.items():
            put_stall(window, 0, float(milliseconds.removeprefix("ms")) / 1000, n)
    return made


def experiment(seed=1, pairs=8, a=None, b=None, seconds=30):
    """Randomised pairs of windows; `a` and `b` are the servers."""
    random = np.random.default_rng(seed)
    servers = {"A": a or Server(), "B": b or a or Server()}
    found, time = [], 0.0
    for pair in range(pairs):
        for arm in "AB" if random.random() < 0.5 else "BA":
            found.append(window(random, arm, pair, servers[arm], seconds))
            found[-1].t0 = time
            time += seconds
    return found


def counts(found):
    return windows_from_counts(found, EDGES, TYPES)


def judge(windows, edges=EDGES, types=TYPES, **asked):
    """What the product says."""
    return analyse(windows_from_counts(windows, edges, types), **asked)


def hanging(windows, arms):
    """The windows, the first ones of these arms as of a server that hung."""
    waiting = list(arms)
    counts = []
    for window in windows:
        hung = window.arm in waiting
        if hung:
            waiting.remove(window.arm)
        counts.append(replace(window, hung=hung))
    return counts
