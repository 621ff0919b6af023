"""Caches, read-ahead and checkpoints found in live captures: lessons, and a real server.

A scheduler above a slow disk is not among them: 64 threads of synchronous writes kept a solid-state
disk of a virtual machine 73 % busy, each done in 0.25 ms, and what is said begins at 80 % or 10 ms.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from ldap_workbench.advice.families.find import findings
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.window import capture
from ldap_workbench.experiment.settings import remember_settings
from ldap_workbench.model.finding import Finding
from ldap_workbench.servers.target import Target
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.ds389 import Lab
from tests.live.lab.lessons import lesson
from tests.live.lab.steps import steady_load

pytestmark = pytest.mark.clock("the finding has to show up in seconds of load")
SPEED = 20.0
ENTRY_CACHE = 1 << 20
"""Bytes: some 200 of the lab's 2000 people."""


def captured(target: Target, path: Path, seconds: float) -> tuple[dict[str, Finding], list[str]]:
    """What a window of so many seconds of the server's shows, and what is advised for it."""
    with (
        closing(Journal()) as journal,
        closing(Tuner(target, journal)) as tuner,
        SessionWriter.create(path, target.facts) as writer,
    ):
        remember_settings(writer, tuner, capture(target, writer, CapturePlan(seconds)))
    with Session.open(path) as session:
        found = findings(session)
        advice = advise(found, session.facts)
    return {each.id: each for each in found}, [str(each.treatment) for each in advice]


def test_reads_far_larger_than_a_page(tmp_path: Path) -> None:
    with lesson("read-ahead", SPEED, tmp_path / "home") as taken:
        found, treatments = captured(taken.target, tmp_path / "s.ldapwb", 60)
    numbers = found["large_reads"].numbers
    assert numbers["kb_per_read"] > 2 * numbers["page_kb"]
    assert any("read_ahead_kb" in each for each in treatments)


@pytest.mark.full  # the server of the walk has none of its causes in every run
def test_a_healthy_lesson_has_none_of_these(tmp_path: Path) -> None:
    with lesson("healthy", SPEED, tmp_path / "home") as taken:
        found, _ = captured(taken.target, tmp_path / "s.ldapwb", 60)
    assert not {"large_reads", "scheduler", "entry_cache", "checkpoint"} & found.keys()


@pytest.mark.full  # that of a real server is in every run
def test_a_tiny_entry_cache(tmp_path: Path) -> None:
    with lesson("tiny-caches", SPEED, tmp_path / "home") as taken:
        found, treatments = captured(taken.target, tmp_path / "s.ldapwb", 60)
    assert found["entry_cache"].numbers["max_bytes"] == 4 << 20
    assert any("nsslapd-cachememsize" in each for each in treatments)


def test_stalls_that_checkpoints_make(tmp_path: Path) -> None:
    """Of five minutes of a lesson: the disk of the lab is too quick, see test_advice.py."""
    with lesson("checkpoint-storms", 2 * SPEED, tmp_path / "home") as taken:
        found, treatments = captured(taken.target, tmp_path / "s.ldapwb", 300)
    checkpoint = found["checkpoint"]
    assert checkpoint.severity == 3, checkpoint.sentence
    assert checkpoint.numbers["interval_s"] == 60
    assert 60 <= checkpoint.numbers["period_s"] <= 65
    assert checkpoint.numbers["matched"] >= 3
    assert "nsslapd-db-checkpoint-interval=15" in treatments


def test_a_tiny_entry_cache_of_a_real_server(lab: Lab, target: Target, tmp_path: Path) -> None:
    before = lab.ldif_of_config()
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        wanted = tuner.catalogue.treatment([f"cachememsize={ENTRY_CACHE}"], target.facts)
        applied = tuner.apply(wanted)
        with steady_load(lab, "search", 60, rate=400):
            found, treatments = captured(target, tmp_path / "s.ldapwb", 6)
        tuner.revert(applied.group)
    numbers = found["entry_cache"].numbers
    assert numbers["max_bytes"] == ENTRY_CACHE
    assert numbers["hit_ratio"] < 0.8
    assert numbers["entries_held"] < numbers["entries"]
    assert any("nsslapd-cachememsize" in each for each in treatments)
    assert lab.ldif_of_config() == before
