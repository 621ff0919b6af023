"""Run the live tests on servers of several versions, and write what they showed.

    tests/run --servers all | NAME...        NAME is one of SUITES of lab_host.py, local or opendj

Each server takes some minutes. What is recorded stays in tests/live/record.json, from which
docs/servers.md, docs/knobs.md and the versions in the catalogue are written.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from tests.live import record
from tests.live.lab_host import LOCAL, SUITES, suite_here
from tests.live.matrix import OPENDJ

_HERE = Path(__file__).parent
_SHORT = ("test_versions", "test_experiment_walk", "test_findings_walk")
_HERE_ONLY = ("test_other_hosts",)
_WITH_LMDB = (
    *_SHORT,
    "test_lmdb",
    "test_replication_knobs",
    "test_offline_edits.py::test_every_offline_knob",
    "test_tuning.py::test_every_live_knob",
    "test_tuning.py::test_every_knob_that_waits_for_a_restart",
    "test_tuning.py::test_what_waits_for_a_restart_works_after_one",
)
"""Every knob, and nothing that only asks for those of Berkeley DB."""
_LONG = {
    "389ds": (*_SHORT, "test_connect_check", "test_servers", "test_capture", "test_findings",
              "test_tuning", "test_replication_knobs", "test_lmdb", "test_offline_edits",
              "test_experiment"),
    "openldap": (*_SHORT, "test_openldap", "test_openldap_tuning"),
    OPENDJ: ("test_experiment_walk", "test_findings_walk", "test_opendj"),
    LOCAL: (),
}  # fmt: skip


def every_server() -> list[str]:
    """All of the matrix; the releases that are this machine's by what is installed here."""
    others = (name for name, suite in SUITES.items() if suite != suite_here())
    return [LOCAL, OPENDJ, *others]


def files_of(name: str) -> tuple[str, ...]:
    """The tests for a server: all; on a variant of one the short walk, or that of its knobs."""
    if name == LOCAL:
        return tuple(dict.fromkeys((*_LONG["389ds"], *_LONG["openldap"], *_HERE_ONLY)))
    if name.endswith("-lmdb"):
        return _WITH_LMDB
    return _SHORT if name.count("-") > 1 else _LONG[name.partition("-")[0]]


def test(name: str) -> bool:
    """Whether all tests for one server passed; what they showed is recorded either way."""
    environment = {"LDAP_WORKBENCH_LAB": name, record.WANTED: str(record.RECORD)}
    files = [str(_HERE / (each if ".py" in each else f"{each}.py")) for each in files_of(name)]
    print(f"== {name}", flush=True)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-k", "not practice", *files]
    return subprocess.run(command, env=os.environ | environment, check=False).returncode == 0


def main() -> int:
    """Test the servers that are named; 0 where all tests passed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "servers", nargs="+", choices=["all", LOCAL, OPENDJ, *SUITES], metavar="NAME"
    )
    asked = parser.parse_args().servers
    passed = [test(name) for name in (every_server() if "all" in asked else asked)]
    record.main()
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
