"""What the live tests showed of each server: recorded as they run, and told in docs/servers.md.

    python -m tests.live.lab.record        write docs and the catalogue's `verified` from the record

A test says what it is about with `@pytest.mark.shows("capture")` and names the knobs it set, read
back, proved and put back with `record_property("knob", ...)`. Only what ran on a server is in the
record, under the version that the server itself tells.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ldap_workbench.model.knob import Knob
from ldap_workbench.tuning.catalogue import load_catalogue
from ldap_workbench.tuning.versions import parsed

_HERE = Path(__file__).parent
_ROOT = Path(__file__).parents[3]
RECORD = _HERE / "record.json"
PAGE = _ROOT / "docs" / "servers.md"
WANTED = "LDAP_WORKBENCH_RECORD"
"""Variable with the file a run notes what it showed in; without it nothing is noted."""
UNTIL = "LDAP_WORKBENCH_UNTIL"
"""Variable with the time, in seconds since 1970, from which on no further test is begun."""
COLUMNS = ("connect", "capture", "findings", "experiment", "missing index", "restarts",
           "offline edits", "revert exact", "kill -9")  # fmt: skip
"""What a test may show; a column of the page each."""

_CELLS = (*COLUMNS, "knobs tried", "proved by a counter")

Record = dict[str, dict[str, dict[str, Any]]]
"""Server -> test -> "passed", the columns it "shows", "knobs": "NAME in ENTRY" -> proved or
stored; the day it ran "on"; what it "cannot", column -> why; and, where it was no host like the
others, the "host"."""


@dataclass
class Noted:
    """What one or more runs of pytest showed of one server of the matrix."""

    passed: dict[str, bool] = field(default_factory=dict)
    """Every test that was not skipped, by its id."""
    record: Record = field(default_factory=dict)


def key_of(knob: Knob) -> str:
    """A knob in the record, by the name and the entry that the catalogue has for it."""
    name = knob.also[0] if knob.also else knob.name
    return f"{name} in {knob.dn}"


class Run:
    """The tests of one run. A test has passed when its end has, too: there fixtures look whether
    all is as it was."""

    def __init__(self) -> None:
        self._passed: dict[str, bool] = {}
        self._told: dict[str, list[tuple[str, Any]]] = {}

    def add(self, report: pytest.TestReport) -> None:
        """Note one phase of a test."""
        if report.skipped:
            self._passed.pop(report.nodeid, None)
        elif report.when == "call" or report.failed or report.nodeid in self._passed:
            self._passed[report.nodeid] = report.passed and self._passed.get(report.nodeid, True)
            self._told[report.nodeid] = report.user_properties

    @property
    def record(self) -> Record:
        """What they showed of the servers they ran on."""
        found: Record = {}
        today = datetime.now(UTC).date().isoformat()
        for test, passed in self._passed.items():
            told: dict[str, list[Any]] = {}
            for name, value in self._told[test]:
                told.setdefault(name, []).append(value)
            shown = {
                "passed": passed,
                "on": today,
                "shows": told.get("shows", []),
                "knobs": dict(told.get("knob", [])) if passed else {},
            }
            if "cannot" in told:
                shown["cannot"] = dict(told["cannot"])
            if "host" in told:
                shown["host"] = told["host"][0]
            for server in told.get("server", ()):
                found.setdefault(str(server), {})[test.rpartition("/")[2]] = shown
        return found

    def note(self, path: Path) -> None:
        """Add to what former runs noted in the file: a test that ran again counts by this one."""
        noted = noted_in(path)
        record = {
            server: noted.record.get(server, {}) | tests for server, tests in self.record.items()
        }
        whole = {"passed": noted.passed | self._passed, "record": noted.record | record}
        path.write_text(json.dumps(whole))


def noted_in(path: Path) -> Noted:
    """What runs noted in a file, nothing where it is empty or not there."""
    text = path.read_text() if path.exists() else ""
    return Noted(**json.loads(text)) if text else Noted()


def save(record: Record, path: Path, *, whole: bool = True) -> None:
    """Write what a run showed of its servers over what former ones did; other servers stay.

    A whole run takes the place of all that the files it ran had shown of a server, so nothing stays
    of tests that are gone or skipped now; one that was interrupted, of the tests it came to.
    """
    kept = read(path)
    for server, tests in record.items():
        ran = set(map(_file_of, tests)) if whole else set()
        old = kept.get(server, {})
        kept[server] = {test: old[test] for test in old if _file_of(test) not in ran} | tests
    rows = [f" {json.dumps(name)}: {{\n{_lines(kept[name])}\n }}" for name in sorted(kept)]
    path.write_text("{\n" + ",\n".join(rows) + "\n}\n")


def _file_of(test: str) -> str:
    return test.partition("::")[0]


def _lines(tests: Mapping[str, Any]) -> str:
    """One line a test: what changed from run to run is seen in a diff."""
    return ",\n".join(f"  {json.dumps(name)}: {json.dumps(tests[name])}" for name in sorted(tests))


def read(path: Path = RECORD) -> Record:
    """The record of former runs, {} where there is none."""
    return json.loads(path.read_text()) if path.exists() else {}


def knobs_of(tests: Mapping[str, Any]) -> dict[str, str]:
    """What was tried on a server: "NAME in ENTRY" -> proved or stored."""
    return {knob: shown for test in tests.values() for knob, shown in test["knobs"].items()}


def page(record: Record) -> str:
    """docs/servers.md."""
    head = ["server", "on", *_CELLS]
    lines = [_HEAD, _row(head), _row(["---", "---", *["---:"] * len(_CELLS)])]
    lines += [_row(_cells(name, record[name])) for name in sorted(record, key=_order)]
    return "\n".join([*lines, "", *_hosts(record)]) + "\n"


def _hosts(record: Record) -> list[str]:
    """Which hosts differ from those of the first table, and whether the test there passed."""
    rows = [
        _row([server, test["host"], "complete" if test["passed"] else "failed"])
        for server in sorted(record, key=_order)
        for test in record[server].values()
        if "host" in test
    ]
    return [_HOSTS, _row(["server", "its host", "a window of its log"]), _row(["---"] * 3), *rows]


def versions(record: Record, product: str, knob: Knob) -> list[str]:
    """The versions of a product on which a knob was walked, oldest first."""
    found = {
        version_of(server)
        for server, tests in record.items()
        if server.startswith(_NAMES[product]) and key_of(knob) in knobs_of(tests)
    }
    return sorted(found, key=parsed)


def version_of(server: str) -> str:
    """2.6.10 of 'OpenLDAP 2.6.10', 3.1.2 of '389 DS 3.1.2 (LMDB)'."""
    found = re.match(r"(?:389 DS|OpenLDAP|OpenDJ|UnboundID in-memory) (\S+)", server)
    return found[1] if found else ""


_NAMES = {"389ds": "389 DS ", "openldap": "OpenLDAP ", "opendj": "OpenDJ "}
_HEAD = """\
# Servers it was tried on

Written by `tests/run --servers`: each row is a real server that the live tests ran against, by the
version it tells itself, and the day of the oldest test it is made of. A cell is the number of tests
that passed; `3 of 4` would mean that one failed, and an empty cell that none was run there. A knob
is counted as tried where a test set it, read it back and put it back exactly, and as proved where a
counter of the server showed the new value in force besides. [knobs.md](knobs.md) names the versions
of each.

Findings are shown by two windows: in one a client opens a connection for each of its searches, by
an attribute without an index, and both causes must be found; in the other neither may be. Where a
server has nothing for a column, the cell says what it lacks.

An experiment is run with a knob that works at once and with one that waits for a restart (slapd
has none of these): a counter of the server shows the value in force, and the configuration is
afterwards what it was; also where the workbench was killed in the treated window, its change
taken back and the experiment resumed.

A missing index was captured under load, tried from its advice in six randomised pairs, kept as
better and reverted; in another run it was tried and reverted (`test_index_walk.py`). The clients
are the load command of the experiment, for they wait for their answers: with the index they ask
more, which is no other workload then. Configuration, answered and stored, is as before, and so is
the list of databases in the files of a back end, but that slapd drops no index from data.mdb: its
plan had said so. slapd 2.4 notes whole seconds itself, which is too coarse for a median (*not
enough data*): there its lines had the times to the microsecond that rsyslog gives them. OpenDJ had
1,000 people and an index entry limit of 100. Where the cell is empty it is not shown so whole; an
index is built, proved and reverted by other tests.

What a server has stored (dse.ldif, slapd.d, config.ldif) is compared before and after each knob as
well. Left out are what a server writes by itself, cache sizes of its own choice among it, and what
a version does not delete. On November 28 every knob was walked so on 389 DS 3.3.1 (LMDB) and on
OpenDJ 4.6.5, and nothing was left stored.

`seconds` is a server that notes whole seconds in its access log.

Seen on the way, and told by the knobs concerned:

- 389 DS 3.1.2 takes the format JSON for its access log and then writes nothing into it: the
  functions that write such lines are stubs in it (slapd_log_access_search of its libslapd only
  returns 0), and those of 3.1.3 are the first that write. So the format is not offered on 3.1.2,
  and JSON is no part of its row; with the format `default` it writes again. Where it is set
  already, `profile test` and a window say why the log is empty and what to set.
- 389 DS 3.1.2 ended twice where tests changed the size at which it rotates its access log, and
  its buffering, under load (upstream issue 6489), so rotation is no part of its row. An instance
  that dscreate made rotated nine times under load, unbuffered, and went on.
- 389 DS 3.3.1, of Debian sid, has no Berkeley DB any more, and sizes its caches from memory with
  LMDB, too: entry cn=mdb. wbusy of an answer does not count the worker that gives it.
- slapd 2.5.13 and 2.6.10 end when olcTCPBuffer is changed while they run, or olcSpSessionlogSource
  is (2.6.10 when it is put back), and 2.4.57 when olcSpSessionlog is.
"""
_HOSTS = """\
## Hosts that differ

Captured under load from hosts unlike those above, the log read by the profile's log command where
no file has it; complete means that the window held every operation that a plain reading of the log
found.
"""


def _order(server: str) -> tuple[str, tuple[int, ...], str]:
    return server.partition(" ")[0], parsed(version_of(server)), server


def _cells(server: str, tests: Mapping[str, Any]) -> list[str]:
    knobs = knobs_of(tests)
    proved = sum(1 for shown in knobs.values() if shown == "proved")
    counts = [str(len(knobs)), str(proved)] if knobs else ["", ""]
    cells = [*(_counted(tests, column) for column in COLUMNS), *counts]
    cannot: dict[str, str] = {}
    for test in tests.values():
        cannot |= test.get("cannot", {})
    oldest = min(test["on"] for test in tests.values())
    return [
        server,
        oldest,
        *(cell or cannot.get(n, "") for n, cell in zip(_CELLS, cells, strict=True)),
    ]


def _counted(tests: Mapping[str, Any], column: str) -> str:
    shown = [test["passed"] for test in tests.values() if column in test["shows"]]
    if not shown:
        return ""
    return str(len(shown)) if all(shown) else f"{sum(shown)} of {len(shown)}"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def write_verified(record: Record, product: str) -> None:
    """Set `verified` of each knob of a catalogue to the versions it was walked on."""
    path = _ROOT / "resources" / "knobs" / f"{product}.toml"
    own = [knob for knob in load_catalogue(product).knobs if not knob.on_host]
    head, *blocks = re.split(r"(?m)^(?=\[\[knob\]\]$)", path.read_text())
    assert len(own) == len(blocks)
    written = [
        _with_verified(b, versions(record, product, k)) for k, b in zip(own, blocks, strict=True)
    ]
    path.write_text(head + "".join(written))


def _with_verified(block: str, found: list[str]) -> str:
    bare = re.sub(r"(?m)^verified = .*\n", "", block)
    if not found:
        return bare
    line = f"verified = [{', '.join(json.dumps(each) for each in found)}]\n"
    last = list(re.finditer(r"(?m)^\w[\w-]* = .*\n", bare))[-1]
    return bare[: last.end()] + line + bare[last.end() :]


def main() -> None:
    """Write what follows from the record."""
    record = read()
    for product in _NAMES:
        write_verified(record, product)
    PAGE.write_text(page(record))
    subprocess.run([sys.executable, str(_ROOT / "packaging/knobs_page.py")], check=True)


def wanted() -> Path | None:
    """The file that this run adds to."""
    return Path(os.environ[WANTED]) if os.environ.get(WANTED) else None


if __name__ == "__main__":
    main()
