"""The bars of a verdict are its own numbers, and its interval."""

from dataclasses import replace

import pytest

from ldap_workbench.figures.verdict.view import before_after
from ldap_workbench.session.reader import Session
from tests.sessions import build_experiment_session


@pytest.fixture(scope="module")
def verdict(tmp_path_factory):
    path = tmp_path_factory.mktemp("bars") / "e.ldapwb"
    build_experiment_session(path, seconds=5, per_second=60)
    with Session.open(path) as session:
        return session.experiments()[-1].verdict


def with_primary(verdict, **changes):
    return replace(verdict, primary=replace(verdict.primary, **changes))


def test_bars_are_the_values_and_the_interval_of_the_verdict(verdict):
    primary, bars = verdict.primary, before_after(verdict)
    assert (bars.a.value, bars.b.value) == (primary.a, primary.b)
    assert bars.b.low == primary.a * primary.pooled_low
    assert bars.b.high == primary.a * primary.pooled_high
    assert bars.b.low <= bars.b.value <= bars.b.high, "the bar ends inside its interval"
    assert bars.a.low is None, "B is measured against A"


def test_single_windows_stand_beside_the_bars(verdict):
    bars = before_after(verdict)
    arms = [w.arm for w in verdict.details.windows]
    assert len(bars.a.windows) == arms.count("A") > 1
    assert len(bars.b.windows) == arms.count("B") > 1
    assert bars.b.highest >= max(*bars.b.windows, bars.b.high)
    assert before_after(with_primary(verdict, type="BIND")).a.windows == ()


def test_without_an_interval_of_all_windows_that_of_a_typical_one_is_taken(verdict):
    bars = before_after(with_primary(verdict, pooled_low=None, low=0.25, high=0.5, a=8.0))
    assert (bars.b.low, bars.b.high) == (2.0, 4.0)


@pytest.mark.parametrize(
    "changes",
    [{"a": None}, {"b": float("nan")}, {"a": -1.0}, {"a": 0.0, "b": 0.0}, {"metric": "stall_n"}],
)
def test_what_cannot_be_drawn_is_no_picture(verdict, changes):
    assert before_after(with_primary(verdict, **changes)) is None


def test_an_interval_that_is_none_is_not_drawn(verdict):
    bars = before_after(with_primary(verdict, pooled_low=5.0, pooled_high=1.0, low=None))
    assert (bars.b.low, bars.b.high) == (None, None)
