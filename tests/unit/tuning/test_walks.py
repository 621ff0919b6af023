"""A knob is called verified only on versions where a live test set, proved and put it back."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ldap_workbench.model.knob import Knob
from ldap_workbench.tuning.catalogue import load_catalogue
from tests.live.lab import record, servers
from tests.live.lab.walks import (
    BIND_DN,
    ELSEWHERE,
    HOST,
    LIVE,
    LMDB,
    OFFLINE,
    OPENDJ_INDEXES,
    OPENDJ_JAVA,
    OPENDJ_LIVE,
    OPENDJ_RESTART,
    OPENLDAP,
    OPENLDAP_OFFLINE,
    REPLICATION,
    RESTART,
)

WALKED = [
    *ELSEWHERE,
    *LIVE,
    *RESTART,
    *OFFLINE,
    *LMDB,
    *REPLICATION,
    *BIND_DN,
    *OPENLDAP,
    *OPENLDAP_OFFLINE,
    *OPENDJ_LIVE,
    *OPENDJ_RESTART,
    *OPENDJ_JAVA,
    *OPENDJ_INDEXES,
]


@pytest.mark.parametrize("product", ["389ds", "openldap"])
def test_verified_is_what_the_record_of_the_live_tests_has(product: str) -> None:
    """Written by `python -m tests.live.lab.record` after a run of `tests/run --servers`."""
    shown = record.read()
    own = [knob for knob in load_catalogue(product).knobs if not knob.on_host]
    differing = {
        knob.name: (knob.verified, versions)
        for knob in own
        if list(knob.verified) != (versions := record.versions(shown, product, knob))
    }
    assert differing == {}


def test_every_verified_knob_of_opendj_is_walked() -> None:
    verified = {(k.name, k.dn) for k in load_catalogue("opendj").knobs if k.verified and k.dn}
    assert verified <= {(knob.name, knob.dn) for knob in WALKED}


def test_the_record_has_only_knobs_that_are_walked_or_done_by_their_checklist() -> None:
    by_hand = [knob for knob in load_catalogue("389ds").knobs if knob.steps]
    keys = {record.key_of(knob) for knob in (*WALKED, *by_hand)}
    shown = {key for tests in record.read().values() for key in record.knobs_of(tests)}
    assert shown <= keys


@pytest.mark.parametrize(
    "walk",
    [LIVE, RESTART, OFFLINE, LMDB, REPLICATION, HOST, OPENLDAP, OPENDJ_LIVE, OPENDJ_RESTART],
    ids=lambda walk: walk[0].name,
)
def test_every_walk_has_knobs_that_are_set_by_the_workbench(walk: list[Knob]) -> None:
    assert walk
    assert all(not knob.steps for knob in walk)


def test_the_page_of_servers_is_current() -> None:
    assert record.PAGE.read_text() == record.page(record.read())


def report(test: str, when: str, outcome: str, **told: Any) -> pytest.TestReport:
    """One phase of a test, as pytest reports it."""
    phase = SimpleNamespace(
        nodeid=test,
        when=when,
        skipped=outcome == "skipped",
        passed=outcome == "passed",
        failed=outcome == "failed",
        user_properties=list(told.items()),
    )
    return cast("pytest.TestReport", phase)


def test_a_test_that_left_a_change_behind_shows_no_knob() -> None:
    told = {"server": "389 DS 9.9", "shows": "revert exact", "knob": ("a in cn=config", "proved")}
    run = record.Run()
    for when in ("setup", "call", "teardown"):
        run.add(report("good", when, "passed", **told))
        run.add(report("bad", when, "failed" if when == "teardown" else "passed", **told))
        run.add(report("bad too", when, "failed" if when == "call" else "passed", **told))
        run.add(report("other", when, "skipped", **told))
    tests = run.record["389 DS 9.9"]
    assert {name: test["passed"] for name, test in tests.items()} == {
        "good": True, "bad": False, "bad too": False,
    }  # fmt: skip
    assert record.knobs_of({"good": tests["good"]}) == {"a in cn=config": "proved"}
    assert record.knobs_of({name: tests[name] for name in ("bad", "bad too")}) == {}


def shown(*, passed: bool, **knobs: str) -> dict[str, Any]:
    return {"passed": passed, "on": "2026-01-02", "shows": ["capture"], "knobs": knobs}


@pytest.mark.parametrize(
    ("whole", "left"), [(True, {"f::a", "g::t"}), (False, {"f::a", "f::gone", "g::t"})]
)
def test_a_whole_run_takes_the_place_of_the_files_it_ran(
    tmp_path: Path, whole: bool, left: set[str]
) -> None:
    path = tmp_path / "record.json"
    before = {name: shown(passed=False) for name in ("f::a", "f::gone", "g::t")}
    record.save({"old": {"f::t": shown(passed=True)}, "new": before}, path)
    record.save({"new": {"f::a": shown(passed=True)}}, path, whole=whole)
    assert {name: set(tests) for name, tests in record.read(path).items()} == {
        "old": {"f::t"}, "new": left,
    }  # fmt: skip
    assert record.read(path)["new"]["f::a"]["passed"]


def test_what_ran_again_counts_as_it_ended_then(tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    for outcome in ("failed", "passed"):
        run = record.Run()
        run.add(report("live/f.py::again", "call", outcome, server="389 DS 9.9"))
        if outcome == "failed":
            run.add(report("live/f.py::broken", "setup", "failed"))
        run.note(path)
    noted = record.noted_in(path)
    assert noted.passed == {"live/f.py::again": True, "live/f.py::broken": False}
    assert noted.record["389 DS 9.9"]["f.py::again"]["passed"]


def test_a_row_is_as_old_as_its_oldest_test() -> None:
    tests = {"a": shown(passed=True), "b": shown(passed=True) | {"on": "2025-12-31"}}
    assert "| OpenDJ 4.6.5 | 2025-12-31 |" in record.page({"OpenDJ 4.6.5": tests})


@pytest.mark.parametrize(
    ("status", "passed", "again", "said"),
    [
        (0, {"a": True}, 0, "passed"),
        (0, {"a": True}, 1, "passed, 1 at the second attempt"),
        (0, {}, 0, "nothing ran: all was skipped"),
        (1, {"a": False}, 1, "FAILED"),
        (2, {"a": True}, 0, "out of time"),
        (3, {"a": True}, 0, "pytest ended with 3"),
    ],
)
def test_how_a_server_came_off(status: int, passed: dict[str, bool], again: int, said: str) -> None:
    assert servers.described(status, record.Noted(passed), again) == said


def test_the_page_has_a_row_for_what_ran_only() -> None:
    tests = {name: shown(passed=name != "d", **{name: "stored"}) for name in "abcd"}
    page = record.page({"389 DS 3.1.2 (LMDB)": tests, "389 DS 1.4.4.11": {"a": shown(passed=True)}})
    rows = [line for line in page.splitlines() if line.startswith("| 389")]
    assert [row.split(" | ")[0] for row in rows] == ["| 389 DS 1.4.4.11", "| 389 DS 3.1.2 (LMDB)"]
    assert "3 of 4" in rows[1]
    assert rows[1].endswith("| 4 | 0 |")


@pytest.mark.parametrize("name", servers.every_server())
def test_the_tests_for_a_server_are_files_of_live_tests(name: str) -> None:
    paths = [servers.path_of(test).partition("::")[0] for test in servers.files_of(name)]
    assert paths
    assert all(Path(path).is_file() for path in paths)


def test_one_test_of_a_file_keeps_its_name() -> None:
    path = servers.path_of("test_tuning.py::test_every_live_knob")
    assert path.endswith("tests/live/tuning/test_tuning.py::test_every_live_knob")
