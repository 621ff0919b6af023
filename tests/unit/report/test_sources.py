"""The sources of a report: a row for each kind, and the rest window by window at the end."""

import re
from dataclasses import replace

import pytest

from ldap_workbench.model.message import verbatim
from ldap_workbench.model.window import LineCounts, Source, SourceKind, SourceState
from ldap_workbench.report.html import to_html
from ldap_workbench.report.tables import source_rows, source_totals
from ldap_workbench.report.write import to_markdown


def source(number, kind, state=SourceState.COMPLETE, samples=10, why="", **columns):
    return Source(
        number, number, kind, kind.value, state, samples=samples, why=verbatim(why), **columns
    )


LOG, MONITOR, CONFIG = SourceKind.ACCESS_LOG, SourceKind.MONITOR, SourceKind.CONFIG
CUT = "Its link was cut."


@pytest.fixture
def parts(capture):
    """A group of two windows; the monitor of the second has gaps, and its log an odd line."""
    group = capture.groups[0]
    first, second = group.windows
    lines = LineCounts(90, 0, 0)
    odd = LineCounts(80, 2, 1, {"line without a time": 2})
    whole = (
        source(1, LOG, lines=lines),
        source(2, MONITOR, details={"polls": 10}),
        source(3, CONFIG, samples=72),
    )
    broken = (
        source(4, LOG, lines=odd),
        source(5, MONITOR, SourceState.PARTIAL, 4, CUT, details={"polls": 4, "cuts": 3}),
        source(6, CONFIG, samples=72),
    )
    return replace(group, windows=(replace(first, sources=whole), replace(second, sources=broken)))


def test_each_kind_is_one_row_with_what_it_gave_and_what_was_set_aside(parts):
    log, monitor, config = source_totals(parts)
    assert (log["source"], log["state"], log["gathered"]) == (
        "access log",
        "complete",
        "20 operations",
    )
    counts = [str(log[name]) for name in ("understood", "set_aside", "unknown")]
    assert counts == ["170", "2", "1"]
    assert log["remarks"] == "line without a time: 2"
    assert monitor["state"] == "complete in 1 of 2"
    assert monitor["gathered"] == "14 polls"
    assert monitor["remarks"] == CUT.rstrip("."), "and none of its counters"
    assert config["gathered"] == "72 entries", "read twice, and not more by that"


def test_reasons_are_told_once_with_their_number_and_at_most_three(parts):
    first = parts.windows[0]
    whys = ["a", "b", "c", "d", "d", "d"]
    many = tuple(source(n, MONITOR, SourceState.PARTIAL, why=why) for n, why in enumerate(whys))
    (row,) = source_totals(replace(parts, windows=(replace(first, sources=many),)))
    assert row["state"] == "partial"
    assert row["remarks"].startswith("d (3 windows); ")
    assert row["remarks"].endswith("and 1 other reasons, see the appendix")


def test_the_counters_of_each_window_are_in_the_appendix(parts):
    rows = source_rows(parts)
    assert len(rows) == 6
    assert "cuts: 3" in rows[4]["remarks"]


@pytest.mark.parametrize("render", [to_html, to_markdown])
def test_the_appendix_comes_last(experiment, render):
    text = render(experiment)
    main, appendix = text.split("Appendix: sources window by window")
    windows = sum(len(group.windows) for group in experiment.groups)
    assert windows > 2
    name = "access log"
    assert len(re.findall(rf"(?:<td[^>]*>|\| ){name}", main)) == len(experiment.groups)
    assert len(re.findall(rf"(?:<td[^>]*>|\| ){name}", appendix)) == windows
