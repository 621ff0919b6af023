"""Findings and cache hits of a fleet: kept beside the counts, compared like them."""

import itertools
import json
import os
from dataclasses import replace
from datetime import date
from shutil import copy

import numpy as np
import pytest
from typer.testing import CliRunner

from ldap_workbench.cli.fleet import commands
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.fleet import reviewing
from ldap_workbench.fleet.reviewing import days_to_review, review_hours, review_of
from ldap_workbench.fleet.reviews import (
    DayReview,
    Hits,
    Review,
    merged,
    read_reviews,
    title_of,
    write_reviews,
)
from ldap_workbench.fleet.store import read_fleet
from ldap_workbench.fleet.tables import first_ns, tails
from ldap_workbench.model.errors import SessionError
from ldap_workbench.model.progress import Cancel, no_progress
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.session.reader import Session
from tests.fleets import three_servers
from tests.sessions import build_capture_session

DAY = date(2026, 11, 21)
FIVE = first_ns(DAY, 5)
REVIEWS = (
    Review("ldap1", FIVE, "", {"slow_binds": 5.0}),
    Review("ldap1", FIVE, "noon.ldapwb", {"slow_binds": 9.0, "uptime": None},
           {"entry_cache": Hits(990, 1000), "db_cache": Hits(3, 4)}),
    Review("ldap1", FIVE + NS_PER_S, "later.ldapwb", {}, {"entry_cache": Hits(10, 1000)}),
    Review("ldap2", FIVE, "", {"unindexed": None}),
)  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    return three_servers(tmp_path)


def test_any_order_and_any_division_gives_the_same_reviews():
    whole = merged(REVIEWS)
    for order in itertools.permutations(REVIEWS):
        assert merged(order) == whole
        assert merged(order[:1], order[1:], order[:2]) == whole


def test_a_day_adds_hits_and_keeps_the_highest_cost():
    day = DayReview.of(REVIEWS[:3])
    assert dict(day.findings) == {"slow_binds": 9.0, "uptime": None}
    assert day.caches == {"entry_cache": Hits(1000, 2000), "db_cache": Hits(3, 4)}
    assert [str(title) for title in day.titles()] == [
        "Binds are slow", "The server had only just started",
    ]  # fmt: skip


def test_a_finding_has_the_id_of_today_whichever_version_made_it():
    of_before = Review("ldap1", FIVE, "", {"look_ups": 3.0, "n_plus_one": 1.0})
    assert dict(DayReview.of([of_before]).findings) == {"n_plus_one": 3.0}


def test_what_is_written_is_read(folder):
    write_reviews(folder, REVIEWS)
    assert read_fleet(folder).reviews == merged(REVIEWS)
    assert read_reviews(folder.parent) == ()


@pytest.mark.parametrize(
    "change",
    [
        {"caches": {"entry_cache": [3, 2]}},
        {"caches": {"entry_cache": [0, 0]}},
        {"caches": {"entry_cache": [-1, 2]}},
        {"caches": {"entry_cache": [1]}},
        {"findings": {"slow_binds": -1}},
        {"findings": {"slow_binds": float("nan")}},
        {"findings": ["slow_binds"]},
        {"start_ns": 10**30},
        {"start_ns": None},
    ],
)
def test_a_review_that_cannot_be_is_refused(folder, change):
    tree = {"server": "a", "start_ns": 0, "capture": "", "findings": {}, "caches": {}} | change
    (folder / "reviews.json").write_text(json.dumps({"schema": 1, "reviews": [tree]}))
    with pytest.raises(SessionError):
        read_fleet(folder)


def test_a_file_of_reviews_that_is_none_is_refused(folder):
    for text in ("[" * 100_000, "[]", '{"schema": 2, "reviews": []}'):
        (folder / "reviews.json").write_text(text)
        with pytest.raises(SessionError):
            read_fleet(folder)
    (folder / "reviews.json").unlink()
    os.mkfifo(folder / "reviews.json")
    with pytest.raises(SessionError):
        read_fleet(folder)


def test_a_strangers_id_brings_no_words_of_its_own():
    assert str(title_of("slow_binds")) == "Binds are slow"
    assert str(title_of("<b>{x}</b>")) == "Finding <b>{x}</b>"


def test_hits_are_those_of_the_windows(tmp_path):
    path = build_capture_session(tmp_path / "s.ldapwb", seconds=5, per_second=20)
    with Session.open(path) as session:
        (window,) = session.windows()
        review = review_of(session, "ldap1", path.name)
        hits, tries = (
            session.samples(window, name)[1]
            for counter in ("entrycachehits", "entrycachetries")
            for name in session.series_names(window)
            if name.lower().endswith(f":{counter}")
        )
    assert review.caches["entry_cache"] == Hits(int(hits[-1] - hits[0]), int(tries[-1] - tries[0]))
    assert review.start_ns == window.start_ns


def test_a_single_reading_counts_for_nothing():
    samples = {
        f"cn=monitor,cn=a,cn=x:{name}": (np.array([1]), np.array([value]))
        for name, value in (("entrycachehits", 90.0), ("entrycachetries", 100.0))
    }
    assert reviewing._caches(samples) == {}


def test_the_server_with_the_most_misses_comes_first(folder):
    shares = {"ldap1": 995, "ldap2": 620, "ldap3": 990}
    reviews = [
        Review(name, FIVE, "c", {}, {"entry_cache": Hits(hits, 1000)})
        for name, hits in shares.items()
    ]
    counts = {name: server.counts for name, server in read_fleet(folder).servers.items()}
    rows = tails(counts, reviews, measure="entry_cache")
    assert rows[0].server == "ldap2"
    assert rows[0].unlike == pytest.approx((38 + 1) / (1 + 1))
    assert rows[0].unlike_on == DAY
    assert rows[0].value(DAY, "entry_cache") == 0.62
    assert rows[0].value(date(2026, 11, 22), "entry_cache") is None
    found = tails(counts, REVIEWS, measure="findings")
    assert {row.server: row.value(DAY, "findings") for row in found} == {
        "ldap1": 2, "ldap2": 1, "ldap3": None,
    }  # fmt: skip


def reviewed(fleet, cancel=None, days=()):
    counts = {name: server.counts for name, server in fleet.servers.items()}
    wanted = days_to_review(tails(counts), days)
    cancel = cancel if cancel is not None else Cancel()
    return review_hours(fleet, wanted, None, Secrets(), no_progress, cancel)


def test_the_worst_hour_of_each_server_is_read_once(folder):
    fleet = read_fleet(folder)
    done = reviewed(fleet)
    assert {review.server: review.start_ns for review in done.reviews}["ldap3"] == FIVE
    assert sorted(review.server for review in done.reviews) == ["ldap1", "ldap2", "ldap3"]
    assert done.failures == ()
    assert reviewed(replace(fleet, reviews=done.reviews)).reviews == ()


def test_the_days_that_are_asked_for(folder):
    done = reviewed(read_fleet(folder), days=[date(2026, 11, 22)])
    assert [(each.server, each.day) for each in done.reviews] == [("ldap1", date(2026, 11, 22))]


def test_a_log_that_is_gone_is_named_and_the_others_are_read(folder):
    (folder.parent / "ldap2").unlink()
    done = reviewed(read_fleet(folder))
    assert [each.what for each in done.failures] == ["ldap2"]
    assert [review.server for review in done.reviews] == ["ldap1", "ldap3"]


def test_cancelled_it_keeps_what_it_has(folder, monkeypatch):
    cancel, original = Cancel(), reviewing.read_hour

    def second(*arguments):
        done = original(*arguments)
        cancel.set()
        return done

    monkeypatch.setattr(reviewing, "read_hour", second)
    done = reviewed(read_fleet(folder), cancel)
    assert done.cancelled
    assert len(done.reviews) == 1


def invoke(*words, status=0):
    done = CliRunner().invoke(commands, list(map(str, words)))
    assert done.exit_code == status, done.output
    return done.stdout


def test_the_command_finds_keeps_and_shows(folder, tmp_path):
    assert "3 sessions were read." in invoke("findings", folder)
    captures = tmp_path / "captures"
    captures.mkdir()
    path = build_capture_session(tmp_path / "s.ldapwb", seconds=5, per_second=20)
    copy(path, captures / "noon.ldapwb")
    assert "noon.ldapwb" in invoke("findings", folder, f"ldap1={captures}")
    assert len(read_fleet(folder).reviews) == 4
    shown = json.loads(invoke("tails", folder, "--measure", "entry_cache", "--json"))
    (reviews,) = [each["reviews"] for each in shown["servers"] if each["server"] == "ldap1"]
    assert any("entry_cache" in day["caches"] for day in reviews.values())
    assert " %" in invoke("tails", folder, "--measure", "entry_cache")


def test_the_command_names_what_it_cannot_read(folder, tmp_path):
    (tmp_path / "broken.ldapwb").write_bytes(b"no session")
    invoke("findings", folder, f"ldap1={tmp_path / 'broken.ldapwb'}", status=1)
    done = CliRunner().invoke(commands, ["findings", str(folder), f"nobody={tmp_path}"])
    assert "names no server" in str(done.exception)
    (tmp_path / "empty").mkdir()
    done = CliRunner().invoke(commands, ["findings", str(folder), f"ldap1={tmp_path / 'empty'}"])
    assert "holds no session" in str(done.exception)
