"""Stacks that are all there is: times from names, what grep printed, and dumps that are alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldap_workbench.capture.importing.logs import Imported
from ldap_workbench.logs.reading.reports import Clock
from ldap_workbench.logs.reading.stamps import name_time
from ldap_workbench.model.window import SourceKind
from tests.unit.cases.made import Made
from tests.unit.cases.published import Told, case, tell, tell_files

S = 10**9
HOUR = Clock(zone_offset_ns=3600 * S)
"""The zone of Made, as --zone says it where no log does."""


def times(imported: Imported) -> list[int | None]:
    (source,) = [s for s in imported.sources if s.kind is SourceKind.STACKS]
    return [dump["time_ns"] for dump in source.details["dumps"]]


def sentence(told: Told) -> str:
    return str(told.findings["checkpoint"].sentence)


def test_the_published_stacks_tell_one_checkpoint(tmp_path: Path) -> None:
    files = {p.name: p.read_text() for p in case("s0f-primary-all").glob("pstack*")}
    told = tell_files(files, tmp_path, HOUR)
    assert "recur" not in sentence(told)
    assert "Thread 2 is in memp_sync in 5 consecutive stack dumps." in sentence(told)
    assert "one checkpoint of at least 149 s" in sentence(told)
    assert told.findings["checkpoint"].evidence[0].start_ns == 1_206_548_766 * S


@pytest.mark.parametrize(
    "named",
    [
        "pstack.%y%m%d:%H%M%S",
        "%Y%m%d-%H%M%S.txt",
        "pstack_%Y-%m-%d_%H.%M.%S",
        "stacks.%Y%m%d%H%M%S",
    ],
)
def test_names_tell_when_dumps_that_are_alike_were_made(tmp_path: Path, named: str) -> None:
    made = Made()
    told = tell_files(made.stacks(named), tmp_path, HOUR)
    assert times(told.imported) == [made.ns(second) for second in made.dump_times()]
    assert "one checkpoint of at least 149 s" in sentence(told)


@pytest.mark.parametrize("named", ["pstack.%H%M%S", "pstack-%H:%M:%S", "pstack.%d%m%y:%H%M%S"])
def test_the_log_beside_them_gives_the_day(tmp_path: Path, named: str) -> None:
    made = Made()
    told = tell_files({"access": made.access()} | made.stacks(named), tmp_path)
    assert times(told.imported) == [made.ns(second) for second in made.dump_times()]


def test_numbers_in_names_are_no_times(tmp_path: Path) -> None:
    made = Made()
    files = {f"pstack.{4711 + n}": made.dump() for n in range(4)}
    told = tell_files({"access": made.access()} | files, tmp_path)
    assert times(told.imported) == [None] * 4
    assert "consecutive stack dumps" in sentence(told)
    assert "at least" not in sentence(told)
    (source,) = [s for s in told.imported.sources if s.kind is SourceKind.STACKS]
    assert any("--began" in str(note) for note in source.details["notes"])


@pytest.mark.parametrize("mark", [":", "-"], ids=["grep", "grep -B"])
@pytest.mark.parametrize("number", ["", "3:"], ids=["", "-n"])
def test_what_grep_found_in_many_dumps_is_a_series(tmp_path: Path, mark: str, number: str) -> None:
    made = Made(every_s=20, flush_s=80)
    number = number.replace(":", mark)
    lines = [
        f"{name}{mark}{number}{line}\n"
        for name, text in made.stacks().items()
        for line in text.splitlines()
        if "memp_sync" in line
    ]
    told = tell_files({"found.txt": "".join(lines)}, tmp_path, HOUR)
    assert times(told.imported) == [made.ns(second) for second in made.dump_times()]
    assert "A thread is in memp_sync in 5 consecutive stack dumps." in sentence(told)
    assert "one checkpoint of at least 80.0 s" in sentence(told)


def test_two_dumps_far_apart_may_have_met_two_checkpoints(tmp_path: Path) -> None:
    made = Made(every_s=130, flush_s=130)
    told = tell_files(made.stacks(), tmp_path, HOUR)
    assert "one checkpoint or two" in sentence(told)


@pytest.mark.parametrize("frame", ["poll", "checkpoint_threadmain"])
def test_a_checkpoint_thread_at_rest_says_nothing(tmp_path: Path, frame: str) -> None:
    made = Made()
    told = tell_files({name: made.dump(frame) for name in made.stacks()}, tmp_path, HOUR)
    assert "checkpoint" not in told.findings


def test_a_flush_of_seconds_says_nothing_by_itself(tmp_path: Path) -> None:
    told = tell_files(Made(every_s=4, flush_s=8).stacks(), tmp_path, HOUR)
    assert "checkpoint" not in told.findings


def test_six_digits_far_from_the_log_are_no_time_of_day() -> None:
    noon = 1_206_532_800 * S
    assert name_time("pstack.235959", 0, noon) is None
    assert name_time("pstack.113000", 0, noon) is not None
    assert name_time("pstack.113000") is None


def test_the_whole_case_is_told_from_grep_too(tmp_path: Path) -> None:
    told = tell(case("s0p-primary-full"), tmp_path)
    assert "deletion_chain" in told.findings
