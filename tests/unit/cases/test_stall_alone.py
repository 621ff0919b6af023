"""Stalls that are all a log holds: the eight published lines, and others like them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldap_workbench.advice.evidence.stalls import Stall
from ldap_workbench.advice.evidence.view import view_window
from ldap_workbench.session.reader import Session
from tests.unit.cases.made import Made
from tests.unit.cases.published import Told, case, tell, tell_files

S = 10**9


def stalls(told: Told) -> list[Stall]:
    with Session.open(told.path) as session:
        return [e for window in session.windows() for e in view_window(session, window).stalls]


def test_seven_of_the_eight_published_searches_are_one_stall(tmp_path: Path) -> None:
    told = tell(case("s0b-primary-eight"), tmp_path)
    (stall,) = stalls(told)
    begin = 1_206_548_763 * S  # 17:26:03 +0100
    assert begin <= stall.start_ns < begin + S
    assert (len(stall.rows), stall.ends_within_ns) == (7, 5 * S)
    found = told.findings["stall"]
    assert found.numbers["usual_known"] is False
    assert "import more of it to find out" in str(found.sentence)
    assert "The log lacks 7 request lines of the longest stall." in str(found.sentence)
    assert str(found.sentence).replace("-", "\\-")[:40] in told.report


@pytest.mark.parametrize(
    "made",
    [
        Made(background=False, deletions=0),
        Made(background=False, deletions=0, requests=False, victims=3, spread_s=2.0),
        Made(background=False, deletions=0, stall_s=95, victims=20, spread_s=30.0),
        Made(background=False, deletions=0, zone_h=9, stall_s=3000, seconds=4000),
    ],
)
def test_operations_of_minutes_that_end_together_are_a_stall(tmp_path: Path, made: Made) -> None:
    told = tell_files({"access": made.access()}, tmp_path)
    (stall,) = stalls(told)
    assert len(stall.rows) == made.victims
    assert abs(stall.start_ns - made.ns(made.stall)) <= 2 * S
    assert not told.findings["stall"].numbers["usual_known"]


def test_lines_that_are_cut_off_do_not_hide_it(tmp_path: Path) -> None:
    made = Made(background=False, deletions=0, requests=False, victims=9)
    lines = made.access().splitlines()
    lines[2] = lines[2][:-30]
    lines[4] = lines[4][: lines[4].index("etime=")]
    told = tell_files({"access": "\n".join(lines)}, tmp_path)
    (stall,) = stalls(told)
    assert len(stall.rows) >= 7


@pytest.mark.parametrize(
    "made",
    [
        Made(background=False, deletions=0, victims=2),
        Made(background=False, deletions=0, victims=4, spread_s=60.0),
        Made(background=False, deletions=0, victims=4, stall_s=40),
        Made(background=False, deletions=0, victims=8, spread_s=1500.0, stall_s=61),
    ],
    ids=["two", "four far apart", "four of seconds", "one after the other"],
)
def test_what_only_looks_like_it_is_none(tmp_path: Path, made: Made) -> None:
    assert stalls(tell_files({"access": made.access()}, tmp_path)) == []


def test_reports_that_always_take_minutes_do_not_stall(tmp_path: Path) -> None:
    """Three at a time, all night, each three minutes: slow is what they are."""
    night = [Made(background=False, deletions=0, victims=3, stall_s=180, spread_s=4.0, lag_s=lag)
             for lag in range(0, 7200, 400)]  # fmt: skip
    told = tell_files({"access": "".join(each.access() for each in night)}, tmp_path)
    assert stalls(told) == []


def test_quick_operations_alone_say_nothing(tmp_path: Path) -> None:
    told = tell_files({"access": Made(victims=0, stall_s=0).access()}, tmp_path)
    assert stalls(told) == []
    assert told.findings == {}
