"""Window, report and command show the same number of the same quantity."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.cli import main
from ldap_workbench.cli.compare import print_verdict
from ldap_workbench.figures.names import metric_name
from ldap_workbench.figures.operations.view import Listing
from ldap_workbench.figures.tails.view import TailsReader
from ldap_workbench.figures.timeline.strips import TITLE as CONCURRENCY
from ldap_workbench.figures.timeline.view import TimelineReader
from ldap_workbench.figures.verdict.view import metrics_of
from ldap_workbench.model.operations import ALL
from ldap_workbench.model.tail import QUANTILES
from ldap_workbench.report.model import report_model
from ldap_workbench.report.tables import metric_rows
from ldap_workbench.session.reader import Session
from ldap_workbench.session.search import Search
from tests.sessions import build_experiment_session

CACHE = "Entry cache hits"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    found = tmp_path_factory.mktemp("figures") / "e.ldapwb"
    return build_experiment_session(found, pairs=3, seconds=5, per_second=60)


@pytest.fixture(scope="module")
def group(path):
    """The experiment as the report has it."""
    with Session.open(path) as session:
        [found] = report_model(session).groups
        return found


@pytest.fixture(scope="module")
def view(path):
    """The tails as the window has them."""
    with Session.open(path) as session:
        a, b = ([w for w in session.windows() if w.arm == arm] for arm in "AB")
        return TailsReader(session).view(a, b, ALL, 10**8)


@pytest.fixture(scope="module")
def timeline(path):
    with Session.open(path) as session:
        return TimelineReader(session).timeline(session.windows())


@pytest.fixture
def command(monkeypatch, capsys, path):
    def run(name, *options):
        monkeypatch.setattr(sys, "argv", ["ldap-workbench", name, str(path), *options, "--json"])
        with pytest.raises(SystemExit):
            main()
        return json.loads(capsys.readouterr().out)

    return run


def test_the_tails_of_every_window(view, group, command):
    on_screen = {(tail.window, tail.type): tail for tail in view.rows}
    reported = {(t.window, t.type): t for part in group.windows for t in part.tails}
    assert on_screen == reported
    printed = {(row["window"], row["type"]): row for row in command("tails")}
    assert printed.keys() == reported.keys()
    for key, tail in reported.items():
        for name in (*QUANTILES, "max_ns", "sum_ns", "n"):
            assert printed[key][name] == getattr(tail, name), (key, name)


def test_the_tail_curves_and_the_exceedance(view, group):
    for shown, arm in zip(view.picture.curves, group.arms, strict=True):
        assert (shown.label, shown.n) == (arm.curve.label, arm.curve.n)
        assert np.array_equal(shown.percentile, arm.curve.percentile)
        assert np.array_equal(shown.etime_ns, arm.curve.etime_ns)
    for shown, arm in zip(view.shapes, group.arms, strict=True):
        assert np.array_equal(shown.etime_ns, arm.shape.etime_ns)
        assert np.array_equal(shown.slower, arm.shape.slower)


def test_every_strip_of_the_timeline_is_in_the_report(timeline, group):
    reported = {strip.title: strip for strip in group.strips}
    assert {CACHE, str(CONCURRENCY), "Operations", "Disk busy"} <= {
        str(s.title) for s in timeline.strips
    }
    for strip in timeline.strips:
        other = reported[strip.title]
        assert (strip.unit, len(strip.lines)) == (other.unit, len(other.lines))
        for line, same in zip(strip.lines, other.lines, strict=True):
            assert np.array_equal(line.values, same.values, equal_nan=True)


def test_entry_cache_hits_are_those_of_the_window(timeline, group, command):
    """Since its start the server hit 62 of 100; what a tuner looks at is the window."""
    changes = command("compare", "--a", "A1", "--b", "B1")["host"]
    [cache] = [each for each in changes if each["quantity"].startswith("Hits of the entry cache")]
    assert cache["a"]["value"] == pytest.approx(95.0)
    assert cache["b"]["value"] == pytest.approx(99.0)
    for strips in (timeline.strips, group.strips):
        [strip] = [each for each in strips if str(each.title) == CACHE]
        known = strip.lines[0].values[np.isfinite(strip.lines[0].values)]
        assert set(np.round(known, 6)) == {95.0, 99.0}


def test_the_metrics_of_a_verdict(group, capsys):
    """Name, judgement and the adjusted p, which is the one that counts."""
    stored = group.experiment.verdict
    metrics = {
        name: replace(metric, p=0.001, p_adjusted=0.456, n_pairs=3)
        for name, metric in stored.metrics.items()
    }
    verdict = replace(stored, metrics=metrics)
    reported = {row["name"]: row for row in metric_rows(metrics_of(verdict))}
    print_verdict(verdict)
    printed = capsys.readouterr().out
    for metric in metrics_of(verdict):
        row = reported[str(metric_name(metric.metric, metric.type))]
        [line] = [each for each in printed.splitlines() if each.startswith(f"{row['name']} ")]
        p = row["p"].partition(" ")[0]
        assert {str(row["ratio"]), p} <= set(line.split()), line
        assert row["verdict"].lower() in line


def test_the_slowest_operations(path, group, command):
    printed = command("slowest", "-n", str(len(group.slowest)))
    assert [(row["etime_ns"], row["conn"], row["op"]) for row in printed] == [
        (row.etime_ns, row.conn, row.op) for row in group.slowest
    ]
    with Session.open(path) as session:
        search = Search(tuple(session.windows()))
        listing = Listing(session, search, "etime", descending=True)
    assert listing.first[: len(group.slowest)] == list(group.slowest)
