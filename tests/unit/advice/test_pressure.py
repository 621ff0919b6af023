"""The server is held back by the limit of its group, or by what one thread does alone."""

from __future__ import annotations

from dataclasses import replace

from ldap_workbench.advice.families import pressure
from tests.unit.advice.material import FACTS, at, only, view

FOUR = replace(FACTS, cores=4)


def found(**samples):
    named = {name.replace("__", ":"): at(values) for name, values in samples.items()}
    return pressure.find(view(samples=named, facts=FOUR, seconds=60))


def test_a_limit_that_holds_the_server_back() -> None:
    samples = {"cgroup__cpu__throttled": [0] * 30 + [6] * 30, "cgroup__cpu__limit": [1.5] * 60}
    seen = only(found(**samples), "cpu_throttled")
    assert seen.numbers["throttled_percent"] == 3.0
    assert "3 % of the window" in str(seen.sentence)
    assert "1.5 processors" in str(seen.sentence)
    assert found(cgroup__cpu__throttled=[0] * 59 + [6]) == []


def test_one_thread_at_its_limit_beside_idle_processors() -> None:
    busy = {"thread__listener__top": [99] * 60, "thread__worker__top": [40] * 60}
    seen = only(found(**busy, iostat__cpu__idle=[70] * 60), "single_thread")
    assert seen.numbers["thread"] == "listener"
    assert "'listener'" in str(seen.sentence)
    assert found(**busy, iostat__cpu__idle=[5] * 60) == []
    assert found(**busy) == [], "nobody knows whether the others idle"


def test_a_thread_that_was_busy_for_a_moment_is_none() -> None:
    samples = {"thread__compact__top": [99] * 20 + [0] * 40, "iostat__cpu__idle": [70] * 60}
    assert found(**samples) == []
