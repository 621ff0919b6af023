"""ldap-workbench account: the time of a session in words, tables and JSON."""

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from ldap_workbench.cli.app import app
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.window import Source, SourceKind, SourceState
from ldap_workbench.session.writer import SessionWriter
from tests.unit.advice.account.test_without import in_line, logged_with, requests
from tests.unit.advice.material import FACTS, Log, window
from tests.unit.advice.test_find import put

run = CliRunner().invoke


def saved(path, log, **source):
    with SessionWriter.create(path, FACTS) as writer:
        put(writer, window(60), log, 1, **source)
    return path


@pytest.fixture
def session(tmp_path):
    """Two clients of one worker: the searches of the first hold up those of the second."""
    log = Log().background(60)
    for row in range(20):
        log.add("SRCH", 3 * row, 2.0, filter="(cn=?)", client="10.0.0.1", wtime_ns=0)
        log.add("BIND", 3 * row + 1, 1.01, client="10.0.0.2", wtime_ns=1_000_000_000)
    return saved(tmp_path / "s.ldapwb", log)


def test_the_account_says_who_waited_behind_whom(session):
    result = run(app, ["account", str(session)])
    assert result.exit_code == 0, result.output
    assert "40 operations took 100 ms or more" in result.output
    assert "Not captured, so not judged: cn=monitor" in result.output
    rows = [line.split() for line in result.output.splitlines()]
    (behind,) = [row for row in rows if row[2:] == ["10.0.0.2", "10.0.0.1"]]
    assert 19 < float(behind[0]) <= 20  # the background has its part of the 20 s


def test_it_says_what_others_would_have_waited_without_the_first(tmp_path, session):
    path = saved(tmp_path / "queue.ldapwb", logged_with(in_line(requests())))
    said = run(app, ["account", str(path)]).output
    assert "Run again without the 4 operations of 10.0.0.9, the logged requests wait" in said
    # Others were answered while the worker was held: not one queue.
    assert "Run again" not in run(app, ["account", str(session)]).output


def test_slapd_has_no_error_log_that_could_be_captured(tmp_path):
    said = {}
    for dialect in ("389", "openldap"):
        path = saved(tmp_path / f"{dialect}.ldapwb", Log().background(60), dialect=dialect)
        said[dialect] = run(app, ["account", str(path)]).output
    assert "error log (warnings of the server)" in said["389"]
    assert "stack dumps" in said["openldap"]
    assert "error log" not in said["openldap"]


def test_a_source_that_could_not_start_is_not_judged(tmp_path):
    path = tmp_path / "s.ldapwb"
    with SessionWriter.create(path, FACTS) as writer:
        put(writer, window(60), Log().background(60), 1)
        writer.put_source(Source(2, 1, SourceKind.MONITOR, "cn=monitor", SourceState.PARTIAL))
        writer.put_source(Source(3, 1, SourceKind.IOSTAT, "iostat", SourceState.MISSING))
    output = run(app, ["account", str(path)]).output
    assert "Not captured, so not judged: iostat (disk)" in output


def test_json_adds_up(session):
    (document,) = json.loads(run(app, ["account", str(session), "--by", "kind", "--json"]).stdout)
    explained = sum(row["alone_ns"] for row in document["explained"])
    assert explained + document["unexplained_ns"] == document["waited_ns"]
    assert sum(group["waited_ns"] for group in document["groups"]) == document["waited_ns"]
    assert {group["name"] for group in document["groups"]} >= {"SRCH (cn=?)", "BIND"}


def test_an_unknown_key_is_refused(session):
    result = run(app, ["account", str(session), "--by", "colour"])
    assert isinstance(result.exception, UsageError)
    assert "can't be grouped by colour" in str(result.exception)


def test_a_healthy_window_says_by_which_measure_it_is_fine(tmp_path):
    healthy = saved(tmp_path / "h.ldapwb", Log().background(60))
    output = run(app, ["account", str(healthy)]).output
    assert "No operation took 100 ms or more" in output
    assert "By that measure the window is fine." in output


def test_a_log_of_whole_seconds_cannot_say_that_it_is_fine(tmp_path):
    path = tmp_path / "coarse.ldapwb"
    with SessionWriter.create(path, FACTS) as writer:
        source = put(writer, window(60), Log().background(60, etime=0.0), 1)
        writer.put_source(replace(source, resolution_ns=1_000_000_000))
    output = run(app, ["account", str(path)]).output
    assert "in steps of 1.00 s" in output
    assert "is fine" not in output


def test_waiting_that_nobody_is_charged_with_is_said(tmp_path):
    log = Log()
    for row in range(5):
        log.add("SRCH", 10 * row, 2.0, wtime_ns=1_500_000_000, client="10.0.0.1")
    output = run(app, ["account", str(saved(tmp_path / "q.ldapwb", log))]).output
    assert "7.50 s was waited in the queue while no operation of the log was at work." in output
