"""The chain of the published master: deletions, delay, internal updates, checkpoint, stall."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.advice.families.chain import CHECKPOINT, DELAY, DELETIONS, STALL, UPDATES
from ldap_workbench.model.finding import Finding, Link
from ldap_workbench.model.units import NS_PER_S
from tests.unit.cases.made import Made
from tests.unit.cases.published import Told, case, tell, tell_files

S = NS_PER_S
ALL = (DELETIONS, DELAY, UPDATES, CHECKPOINT, STALL)


def links(finding: Finding) -> dict[str, Link]:
    return {each.link: each for each in finding.evidence if isinstance(each, Link)}


def seen(told: Told) -> set[str]:
    found = links(told.findings["deletion_chain"])
    assert tuple(found) == ALL, "told in the order of cause and effect"
    return {name for name, link in found.items() if link.source}


@pytest.mark.parametrize("name", ["s0f-primary-all", "s0p-primary-full"])
def test_the_published_chain(tmp_path: Path, name: str) -> None:
    told = tell(case(name), tmp_path)
    chain = told.findings["deletion_chain"]
    assert chain.severity == 3
    assert chain.numbers["removals"] == 11
    assert chain.numbers["delay_s"] == 180
    assert chain.numbers["interval_s"] == 60
    assert 186 * S <= chain.numbers["lag_min_ns"] <= 188 * S
    assert seen(told) == {DELETIONS, DELAY, CHECKPOINT, STALL}
    assert "not logged, not ruled out" in str(links(chain)[UPDATES].text).lower()
    assert told.findings["checkpoint"].numbers["flush_s"] == 149
    assert told.findings["stall"].numbers["longest_victims"] == 7
    assert told.advised[0] == "checkpoint-shorter"
    assert "default" not in str(told.advice[0].why), "the interval is set"
    assert "| Checkpoint | stacks |" in told.report


def test_a_deadlock_beside_it_is_named(tmp_path: Path) -> None:
    told = tell(case("s0f-primary-all"), tmp_path)
    assert "(-30996 is Berkeley DB's DB_LOCK_DEADLOCK)" in str(told.findings["deadlock"].sentence)


VARIANTS = {
    "as published": Made(),
    "another delay": Made(delay_s=120, lag_s=131, interval_s=30),
    "a long delay": Made(delay_s=300, lag_s=342, seconds=1500),
    "late by half a minute": Made(lag_s=209),
    "a little early": Made(lag_s=168),
    "a short stall": Made(stall_s=31, flush_s=28, every_s=7),
    "west of Greenwich": Made(zone_h=-7),
    "few deletions": Made(deletions=4, burst_s=6),
    "many": Made(deletions=400, burst_s=100, lag_s=200),
    "without results of the deletions": Made(results=False),
    "without a background": Made(background=False, seconds=900),
    "results alone": Made(requests=False),
    "an interval that is not set": Made(interval_s=None),
}


@pytest.mark.parametrize("made", VARIANTS.values(), ids=VARIANTS)
def test_the_chain_in_other_numbers(tmp_path: Path, made: Made) -> None:
    told = tell_files(made.files(), tmp_path)
    wanted = {DELETIONS, DELAY, CHECKPOINT, STALL}
    assert seen(told) == wanted
    chain = told.findings["deletion_chain"]
    assert chain.severity == 3
    assert chain.numbers["removals"] == made.deletions
    assert chain.numbers["delay_s"] == made.delay_s
    assert chain.numbers["interval_s"] == made.interval_s
    assert abs(chain.numbers["lag_min_ns"] - made.lag_s * S) <= 2 * S
    assert abs(links(chain)[STALL].start_ns - made.ns(made.stall)) <= 2 * S
    assert links(chain)[CHECKPOINT].start_ns == made.ns(made.stall + 3)
    deleted, waited = links(chain)[DELETIONS], links(chain)[STALL]
    assert (deleted.which.count if deleted.which else 0) == (made.deletions if made.results else 0)
    assert waited.which is not None
    assert waited.which.count == len(waited.operations)
    stall = told.findings["stall"].evidence[0]
    assert stall.which is not None
    assert stall.which.count == told.findings["stall"].numbers["longest_victims"]
    assert told.findings["checkpoint"].numbers["flush_s"] == made.flush_s


def test_lines_and_files_in_any_order_tell_the_same(tmp_path: Path) -> None:
    made = Made()
    lines = made.access(shuffled=True).splitlines(keepends=True)
    middle = len(lines) // 3
    files = {
        "logs/access": "".join(lines[middle:]),
        "logs/access.20090714-031100": "".join(lines[:middle]),
        "config/dse.ldif": made.settings(),
        **{f"stacks/{name}": text for name, text in reversed(made.stacks().items())},
    }
    told = tell_files(files, tmp_path)
    assert seen(told) == {DELETIONS, DELAY, CHECKPOINT, STALL}
    assert len(told.imported.windows) == 1, "one server, whatever folders it lies in"


def test_lines_that_are_cut_off_take_nothing_from_it(tmp_path: Path) -> None:
    made = Made(results=False)
    text = made.access().replace(',o=shop"\n', "\n").replace(" notes=F", "")
    told = tell_files(made.files() | {"access": text}, tmp_path)
    assert seen(told) == {DELETIONS, DELAY, CHECKPOINT, STALL}


def test_internal_updates_that_are_logged_are_a_link(tmp_path: Path) -> None:
    told = tell_files(Made(updates=40).files(), tmp_path)
    assert seen(told) == set(ALL)
    assert told.findings["deletion_chain"].numbers["updates"] == 40


def test_without_stacks_it_is_likely_at_most(tmp_path: Path) -> None:
    made = Made()
    told = tell_files({"access": made.access(), "dse.ldif": made.settings()}, tmp_path)
    chain = told.findings["deletion_chain"]
    assert chain.severity == 2
    assert seen(told) == {DELETIONS, DELAY, STALL}
    assert "Not seen: Internal updates, Checkpoint." in str(chain.sentence)
    assert {"checkpoint-shorter", "db-cache-minimal"} <= set(told.advised)


ALMOST = {
    "no delay is known": lambda: {
        "dse.ldif": "dn: cn=config\nobjectClass: top\nnsslapd-sizelimit: 5\n"
    },
    "the plug-in is off": lambda: {
        "dse.ldif": Made().settings().replace("pluginEnabled: on", "pluginEnabled: off")
    },
    "nothing was deleted": lambda: {"access": Made(deletions=0).access()},
    "two deletions": lambda: {"access": Made(deletions=2).access()},
    "long before": Made(lag_s=700, seconds=1800).files,
    "just before": Made(lag_s=20, burst_s=5).files,
    "deletions all the time": lambda: {
        "access": Made(deletions=300, burst_s=900, lag_s=-700).access()
    },
}
"""The one file that differs from those of the chain, or all files of another log."""


@pytest.mark.parametrize("other", ALMOST.values(), ids=ALMOST)
def test_what_is_almost_the_chain_is_not_told_as_one(
    tmp_path: Path, other: Callable[[], dict[str, str]]
) -> None:
    changed = other()
    files = changed if len(changed) > 1 else Made().files() | changed
    told = tell_files(files, tmp_path)
    assert "deletion_chain" not in told.findings
    assert "checkpoint" in told.findings


@pytest.mark.parametrize("zone_h", [0, 5])
def test_a_quiet_server_that_deletes_has_no_chain_and_no_stall(tmp_path: Path, zone_h: int) -> None:
    quiet = Made(zone_h=zone_h, victims=0, stall_s=0)
    moved = {name: quiet.dump("poll") for name in quiet.stacks()}
    told = tell_files(quiet.files() | moved, tmp_path)
    assert told.findings == {}


def test_the_chain_is_told_once_where_two_stalls_have_one(tmp_path: Path) -> None:
    made = Made()
    later = replace(made, deletions=0, lag_s=made.lag_s + 400, background=False)
    told = tell_files(made.files() | {"access": made.access() + later.access()}, tmp_path)
    assert told.findings["stall"].numbers["episodes"] == 2
    assert abs(links(told.findings["deletion_chain"])[STALL].start_ns - made.ns(made.stall)) < 2 * S
