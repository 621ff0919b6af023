"""A log that lost lines is partial, and results without a request are no kind of search."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ldap_workbench.cli.app import app

NOTICE = "rsyslogd: imuxsock[pid 700]: {} messages lost due to rate-limiting"


def line(at_ms: int, text: str) -> str:
    clock = f"{at_ms // 60_000:02d}:{at_ms // 1000 % 60:02d}.{at_ms % 1000:03d}000"
    return f"2026-11-21T03:{clock}+00:00 ldap1 {text}\n"


def slapd(at_ms: int, text: str) -> str:
    return line(at_ms, f"slapd[700]: {text}")


def searches(count: int = 400) -> list[str]:
    """Twenty connections, which all search at once and have all results together."""
    lines = []
    for op in range(count // 20):
        for conn in range(20):
            what = 'SRCH base="dc=x" scope=2 deref=0 filter="(uid=a)"'
            lines.append(slapd(100 * op + conn, f"conn={1000 + conn} op={op} {what}"))
        for conn in range(20):
            what = "SEARCH RESULT tag=101 err=0 qtime=0.000010 etime=0.050000 nentries=1 text="
            lines.append(slapd(100 * op + 50 + conn, f"conn={1000 + conn} op={op} {what}"))
    return lines


def limited(lines: list[str]) -> list[str]:
    """Of each second the first 256 of 400 lines, as a rate limit leaves them: 36 % are gone."""
    kept = []
    for start in range(0, len(lines), 400):
        kept += [*lines[start : start + 256], line(start + 999, f"{NOTICE.format(144)} (256)")]
    return kept


def call(*words: str) -> str:
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def session(tmp_path: Path) -> Path:
    lines = searches(4000)
    # In each second the limit begins and ends between requests and their results.
    shifted = lines[:25] + limited(lines[25:])
    (tmp_path / "syslog").write_text("".join(shifted))
    call("import", str(tmp_path / "syslog"), "-o", str(tmp_path / "s.ldapwb"))
    return tmp_path / "s.ldapwb"


def test_a_source_that_lost_lines_is_partial_with_their_count(session: Path) -> None:
    [window] = json.loads(call("windows", str(session), "--json"))
    [source] = window["sources"]
    dropped = 144 * 20
    assert source["state"] == "partial"
    assert f"it dropped {dropped:,} lines" in " ".join(call("windows", str(session)).split())
    details = source["details"]
    assert details["lost_lines"] == dropped
    assert details["lost_requests"] > 0
    assert details["lost_operations"] > 1000


def test_results_without_a_request_are_counted_and_no_kind_of_search(session: Path) -> None:
    [row, *_] = json.loads(call("tails", str(session), "--json"))
    count = row["log"]["orphan_results"]
    assert count > 100
    assert row["log"]["lines"]["reasons"]["kind of a result without a request"] == count
    assert f"kind of a result without a request {count}" in call("windows", str(session))
    kinds = json.loads(call("groups", str(session), "--by", "filter", "--json"))
    assert [kind["name"] for kind in kinds] == ["(uid=?)"]
    findings = call("findings", str(session), "--json")
    assert "filter not known" not in findings
    assert "incomplete" in [each["id"] for each in json.loads(findings)["findings"]]
