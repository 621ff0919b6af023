"""What is new, gone or changed in a window stands out against what it varies by itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.figures.verdict.changed_groups import GroupChange, changed_groups
from tests.unit.advice.material import Log, window

MINUTES = 30
Traffic = dict[tuple[str, str], tuple[float, float]]
"""Of a client and a filter: operations a minute, and etime in seconds."""

USUAL: Traffic = {
    ("10.0.0.1", "(uid=?)"): (40, 0.002),
    ("10.0.0.2", "(mail=?)"): (20, 0.003),
    ("10.0.0.3", "(member=?)"): (10, 0.010),
    ("10.0.0.4", "(cn=?)"): (30, 0.002),
}


def side(traffic: Traffic, seed: int, *, busy: float = 1.0, first: int = 0, err: int = 0):
    """A window of random traffic; its load drifts by a fifth from the first minute to the last."""
    random = np.random.default_rng(seed)
    log = Log()
    for minute in range(MINUTES):
        drift = busy * (0.9 + 0.2 * minute / MINUTES) * random.uniform(0.8, 1.2)
        for (client, text), (rate, etime) in traffic.items():
            if minute < first and (client, text) not in USUAL:
                continue
            for _ in range(random.poisson(rate * drift)):
                start = 60 * (minute + random.random())
                took = etime * random.lognormal(0, 0.5)
                log.add("SRCH", start + took, took, filter=text, client=client, err=err)
    return [(window(MINUTES * 60), log.done())]


def changed(before, after) -> dict[str, GroupChange]:
    sides = [*before, *after]
    windows = [replace(seen, id=at) for at, (seen, _) in enumerate(sides)]
    a, b = windows[: len(before)], windows[len(before) :]
    seen = changed_groups(a, b, lambda asked: sides[asked.id][1])
    return {change.name: change for change in seen}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("busy", [1.0, 0.5, 3.0])
def test_another_day_of_the_same_has_no_change(seed: int, busy: float) -> None:
    assert changed(side(USUAL, seed), side(USUAL, seed + 100, busy=busy)) == {}


def test_what_is_new_and_what_is_gone_are_named() -> None:
    new = ("10.0.0.9", "(telephonenumber=?)")
    less = {key: value for key, value in USUAL.items() if key[0] != "10.0.0.4"}
    seen = changed(side(USUAL, 1), side(less | {new: (15, 0.05)}, 2, first=12))
    assert {name: change.change for name, change in seen.items()} == {
        "10.0.0.9": "new",
        "SRCH (telephonenumber=?)": "new",
        "10.0.0.4": "gone",
        "SRCH (cn=?)": "gone",
    }
    assert seen["10.0.0.9"].waiting[0] == 0
    assert seen["10.0.0.9"].waiting[1] > 0.5


def test_one_client_that_asks_more_is_told_from_a_busier_day() -> None:
    more = USUAL | {("10.0.0.3", "(member=?)"): (60, 0.010)}
    seen = changed(side(USUAL, 3), side(more, 4, busy=2.0))
    assert set(seen) == {"10.0.0.3", "SRCH (member=?)"}
    assert seen["10.0.0.3"].change == "more"
    assert seen["10.0.0.3"].times == pytest.approx(6, rel=0.15), "beyond twice the load of all"
    back = changed(side(more, 4, busy=2.0), side(USUAL, 3))
    assert back["10.0.0.3"].change == "less"


def test_a_kind_that_waits_longer_has_changed_in_its_waiting() -> None:
    slower = USUAL | {("10.0.0.2", "(mail=?)"): (20, 0.03)}
    seen = changed(side(USUAL, 5), side(slower, 6))
    assert seen["SRCH (mail=?)"].of_waiting
    assert seen["SRCH (mail=?)"].times == pytest.approx(10, rel=0.2)
    assert set(seen) == {"10.0.0.2", "SRCH (mail=?)"}


def test_an_error_is_a_change_however_rare() -> None:
    failing = side({("10.0.0.1", "(uid=?)"): (3, 0.002)}, 7, err=51)[0][1]
    assert len(failing) >= 20
    seen = changed([*side(USUAL, 8), *side(USUAL, 9)], [*side(USUAL, 10), (window(1800), failing)])
    assert seen["51"].change == "new"
    assert seen["51"].key == "result"


def test_one_burst_is_no_change() -> None:
    before = side(USUAL, 11)
    log = Log()
    for n in range(500):
        log.add("SRCH", 700 + n / 100, 0.01, filter="(sn=?)", client="10.0.0.8")
    assert changed(before, [*side(USUAL, 12), (window(1800), log.done())]) == {}


def test_nothing_is_said_of_an_empty_side() -> None:
    assert changed(side(USUAL, 1), [(window(60), Log().done())]) == {}
    assert changed([], side(USUAL, 1)) == {}
