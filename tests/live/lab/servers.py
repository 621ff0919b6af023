"""Run the live tests on servers of several versions, and write what they showed.

    tests/run --servers all | NAME...        NAME is one of SUITES of host.py, local or opendj

Each server takes some minutes and is given as many as LIMITS_MIN says, or --limit; then the test
that is under way is its last one. Tests that failed run once more where they are marked `clock`. A
table at the end tells how each server came off. What is recorded stays in record.json beside this
file, from which docs/servers.md, docs/knobs.md and the versions in the catalogue are written.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ldap_workbench.model.errors import UsageError
from tests.live.lab import record
from tests.live.lab.host import LOCAL, SUITES, root_of, suite_here
from tests.live.lab.matrix import OPENDJ

_LIVE = Path(__file__).parents[1]
_SHORT = ("test_versions", "test_experiment_walk", "test_findings_walk")
_HERE_ONLY = ("test_other_hosts",)
_WITH_LMDB = (
    *_SHORT,
    "test_lmdb",
    "test_replication_knobs",
    "test_bind_dn_limits",
    "test_offline_edits.py::test_every_offline_knob",
    "test_tuning.py::test_every_live_knob",
    "test_tuning.py::test_every_knob_that_waits_for_a_restart",
    "test_tuning.py::test_what_waits_for_a_restart_works_after_one",
    "test_audit_and_paging",
    "test_checklists",
    "test_indexes.py::test_an_index_is_built_used_and_removed_again",
    "test_indexes.py::test_a_key_of_an_index_is_skipped_and_read_again",
)
"""Every knob, and nothing that only asks for those of Berkeley DB."""
_LONG = {
    "389ds": (*_SHORT, "test_connect_check", "test_servers", "test_capture", "test_findings",
              "test_tuning", "test_replication_knobs", "test_bind_dn_limits", "test_lmdb",
              "test_offline_edits", "test_experiment", "test_indexes", "test_sorted_lists",
              "test_audit_and_paging", "test_checklists"),
    "openldap": (*_SHORT, "test_openldap", "test_openldap_tuning", "test_indexes",
                 "test_checklists"),
    OPENDJ: ("test_experiment_walk", "test_findings_walk", "test_opendj"),
    LOCAL: (),
}  # fmt: skip
LIMITS_MIN = {"389ds": 45, "openldap": 20, OPENDJ: 20, LOCAL: 60}
"""By the product. A machine busy with other work may need more: --limit."""
_TO_STOP_S = 420
"""How long a test that is under way may take (300 s by pyproject.toml), and its servers to stop."""
_FINISHED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)


@dataclass(frozen=True)
class Outcome:
    """How the tests of one server went."""

    server: str
    said: str
    noted: record.Noted = field(default_factory=record.Noted)
    seconds: float = 0

    @property
    def failed(self) -> list[str]:
        """The tests that did not pass, also not when they ran by themselves."""
        return [test for test, passed in self.noted.passed.items() if not passed]

    @property
    def row(self) -> str:
        """A line of the table at the end."""
        ran, failed = len(self.noted.passed), len(self.failed)
        return (
            f"{self.server:18}{self.said:34}{ran - failed:4} passed{failed:4} failed"
            f"{self.seconds / 60:6.1f} min"
        )


def every_server() -> list[str]:
    """All of the matrix; the releases that are this machine's by what is installed here.

    These come last: CI has them every day.
    """
    others = (name for name, suite in SUITES.items() if suite != suite_here())
    return [OPENDJ, *sorted(others, reverse=True), LOCAL]


def files_of(name: str) -> tuple[str, ...]:
    """The tests for a server: all; on a variant of one the short walk, or that of its knobs."""
    if name == LOCAL:
        return tuple(dict.fromkeys((*_LONG["389ds"], *_LONG["openldap"], *_HERE_ONLY)))
    if name.endswith("-lmdb"):
        return _WITH_LMDB
    return _SHORT if name.count("-") > 1 else _LONG[name.partition("-")[0]]


def path_of(test: str) -> str:
    """The path pytest takes for a file of live tests, or for one test of it: FILE.py::TEST."""
    file, separator, function = test.partition(".py")
    (path,) = _LIVE.rglob(f"{file}.py")
    return f"{path}{function if separator else ''}"


def test(name: str, limit_min: float) -> Outcome:
    """Test one server within a time; what its tests showed is recorded however they end."""
    began = time.monotonic()
    print(f"\n== {name}, {limit_min:g} min at most", flush=True)
    try:
        if name in SUITES:
            root_of(SUITES[name])
    except UsageError as error:
        return Outcome(name, f"cannot be had: {error}")
    with tempfile.TemporaryDirectory() as folder:
        notes, until = Path(folder, "notes.json"), began + 60 * limit_min
        files = [path_of(test) for test in files_of(name)]
        status = _pytest(name, files, notes, until)
        failed = Outcome(name, "", record.noted_in(notes)).failed
        if status == pytest.ExitCode.TESTS_FAILED and failed:
            print("Once more, what failed and depends on a clock:", flush=True)
            again = _pytest(name, [*failed, "-m", "clock"], notes, until)
            status = _status_of_both(again, record.noted_in(notes))
        noted = record.noted_in(notes)
    record.save(noted.record, record.RECORD, whole=status in _FINISHED)
    said = described(status, noted, len(failed))
    return Outcome(name, said, noted, time.monotonic() - began)


def _pytest(name: str, tests: list[str], notes: Path, until: float) -> int:
    """The status pytest ends with: out of time, it stops its servers after the test it is at."""
    left = max(0.0, until - time.monotonic())
    environment = {
        "LDAP_WORKBENCH_LAB": name,
        record.WANTED: str(notes),
        record.UNTIL: str(time.time() + left),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-k", "not practice", *tests]
    running = subprocess.Popen(command, env=os.environ | environment, cwd=_LIVE.parents[1])
    try:
        return running.wait(left + _TO_STOP_S)
    except subprocess.TimeoutExpired:
        return pytest.ExitCode.INTERRUPTED
    except KeyboardInterrupt:  # pytest had it, too
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.wait(_TO_STOP_S)
        raise
    finally:
        running.kill()
        running.wait()


def _status_of_both(again: int, noted: record.Noted) -> int:
    """Of a run and its second attempt, which leaves out what does not depend on a clock."""
    if again in (*_FINISHED, pytest.ExitCode.NO_TESTS_COLLECTED):
        whole = all(noted.passed.values())
        return pytest.ExitCode.OK if whole else pytest.ExitCode.TESTS_FAILED
    return again


def described(status: int, noted: record.Noted, again: int) -> str:
    """How it went, in the word of the table: `again` tests had to run a second time."""
    if status == pytest.ExitCode.INTERRUPTED:
        return "out of time"
    if status == pytest.ExitCode.TESTS_FAILED:
        return "FAILED"
    if status != pytest.ExitCode.OK:
        return f"pytest ended with {status}"
    if not noted.passed:
        return "nothing ran: all was skipped"
    return f"passed, {again} at the second attempt" if again else "passed"


def main() -> int:
    """Test the servers that are named; 0 where all tests passed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "servers", nargs="+", choices=["all", LOCAL, OPENDJ, *SUITES], metavar="NAME"
    )
    parser.add_argument("--limit", type=float, metavar="MINUTES", help="for each server")
    asked = parser.parse_args()
    outcomes: list[Outcome] = []
    try:
        for name in every_server() if "all" in asked.servers else asked.servers:
            limit = asked.limit or LIMITS_MIN[name.partition("-")[0]]
            outcomes.append(test(name, limit))
    finally:
        record.main()
        print("", *(each.row for each in outcomes), sep="\n")
        print(*(f"FAILED {each.server}: {t}" for each in outcomes for t in each.failed), sep="\n")
    return 0 if all(each.said.startswith("passed") for each in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
