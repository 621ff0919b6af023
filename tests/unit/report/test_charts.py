"""Charts are well-formed SVG that says in words what it shows."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.figures.names import arm_name
from ldap_workbench.figures.tails.curve import curve_of, distribution_of
from ldap_workbench.figures.verdict.pairs import PairsPart
from ldap_workbench.figures.verdict.stored import PairValue, ShiftCurve
from ldap_workbench.model.message import verbatim
from ldap_workbench.model.verdict import MetricVerdict
from ldap_workbench.report.charts import shift_chart, slower_chart, tails_chart
from ldap_workbench.report.pair_charts import ladder_chart, pairs_chart
from ldap_workbench.report.strip_charts import strips_chart
from ldap_workbench.report.svg import Sheet

NS = "{http://www.w3.org/2000/svg}"
MS = 1_000_000


def parsed(svg):
    root = ET.fromstring(svg)
    assert root.get("role") == "img"
    assert root.get("aria-label")
    return root


def texts(root):
    return [element.text for element in root.iter(f"{NS}text")]


def lines(root, look):
    return [element for element in root.iter() if element.get("class") == look]


def a_curve(arm, factor=1.0, n=10_000):
    return curve_of(arm_name(arm), arm, spread(factor, n))


def a_shape(arm, factor=1.0, n=10_000):
    return distribution_of(arm_name(arm), arm, spread(factor, n))


def spread(factor, n):
    return (np.arange(1, n + 1) * 1_000 * factor).astype(np.int64)


def test_a_sheet_escapes_every_word():
    sheet = Sheet(10, 10, 'a "quoted" <b> & more')
    sheet.word((1, 1), "<script>\x1b</script>&")
    root = parsed(sheet.svg())
    assert root.get("aria-label") == 'a "quoted" <b> & more'
    assert texts(root) == ["<script>\\x1b</script>&"]


def test_tails_tell_the_arms_apart_without_colour():
    windows = [a_curve(arm, n=2_000) for arm in "ABAB"]
    root = parsed(tails_chart([a_curve("A"), a_curve("B", 0.5)], windows, 5 * MS))
    [b] = [e for e in lines(root, "line-b") if e.tag == f"{NS}polyline"]
    [a] = [e for e in lines(root, "line-a") if e.tag == f"{NS}polyline"]
    assert b.get("stroke-dasharray")
    assert not a.get("stroke-dasharray")
    assert len([e for e in root.iter(f"{NS}polyline") if "thin" in e.get("class")]) == 4
    assert {"A, as it was", "B, with the change", "99", "1 ms"} <= set(texts(root))
    assert "limit 5.00 ms" in texts(root)
    assert "p99 9.9" in root.get("aria-label")


def test_a_quicker_arm_lies_lower():
    root = parsed(tails_chart([a_curve("A"), a_curve("B", 0.1)], (), None))

    def heights(look):
        [line] = [e for e in lines(root, look) if e.tag == f"{NS}polyline"]
        return [float(point.split(",")[1]) for point in line.get("points").split()]

    # y grows downwards.
    assert min(heights("line-b")) > min(heights("line-a"))


def a_shift(**more):
    p = np.array([0.1, 0.5, 0.9, 0.99])
    columns = {"ratio": [1.0, 0.9, 0.5, 0.25], "low": [0.9, 0.8, 0.4, 0.1], "high": [1, 1, 1, 1]}
    return ShiftCurve(p, **{k: np.array(v, float) for k, v in (columns | more).items()})


def test_the_ratio_ends_where_nothing_is_known():
    root = parsed(shift_chart(a_shift()))
    assert "p99 about ×0.25" in root.get("aria-label")
    assert "Known up to 99 %" in root.get("aria-label")
    [line] = [e for e in lines(root, "series") if e.tag == f"{NS}polyline"]
    ends = [float(point.split(",")[0]) for point in line.get("points").split()]
    hatched = [float(e.get("x2")) for e in lines(root, "hatch")[:-1]]
    assert len(hatched) > 20
    assert max(ends) <= min(hatched) + 1
    assert len([e for e in lines(root, "edge") if e.tag == f"{NS}polyline"]) == 2


def test_a_band_wide_open_does_not_hide_the_line():
    root = parsed(shift_chart(a_shift(low=[1e-22] * 4, high=[1e21] * 4)))
    [line] = [e for e in lines(root, "series") if e.tag == f"{NS}polyline"]
    heights = [float(point.split(",")[1]) for point in line.get("points").split()]
    assert max(heights) - min(heights) > 50


def test_slower_says_the_share_over_the_limit():
    root = parsed(slower_chart([a_shape("A"), a_shape("B", 0.5)], 5 * MS))
    assert "A, as it was: 50" in root.get("aria-label")
    assert "0.01 %" in texts(root)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_next_to_nothing_is_no_failure(n):
    little = a_curve("A", n=n)
    for svg in (
        tails_chart([little], (), None),
        slower_chart([a_shape("A", n=n)], MS),
    ):
        assert svg == "" or parsed(svg) is not None


def test_etimes_of_zero_stay_on_the_step_of_the_log():
    flat = curve_of(verbatim("A"), "A", np.zeros(1_000, np.int64), resolution_ns=10**9)
    assert flat.etime_ns.min() == 10**9
    assert "1 s" in texts(parsed(tails_chart([flat], (), None)))


def test_every_pair_has_its_row_and_order():
    pairs = (
        PairValue(0, 2.0 * MS, 1.0 * MS, b_first=True),
        PairValue(1, 2.0 * MS, 3.0 * MS, False),
    )
    root = parsed(pairs_chart(PairsPart("p50", "BIND", pairs)))
    assert {"1: B, A", "2: A, B", "×0.5", "×1.5"} <= set(texts(root))
    assert "B is lower than A in 1 of 2 pairs" in root.get("aria-label")
    assert len(lines(root, "dot-a")) == len(lines(root, "dot-b")) == 3
    assert pairs_chart(PairsPart("p50", "ALL", ())) == ""


def test_a_share_of_none_is_drawn_at_zero():
    """Neither at the half operation more that the test counts, nor outside of the axis."""
    pairs = (PairValue(0, 4e-5, 0.0, b_first=False), PairValue(1, 2e-3, 1e-3, b_first=False))
    root = parsed(pairs_chart(PairsPart("slo", "ALL", pairs)))
    assert "0 %" in texts(root)
    axis = next(x for x in root.iter() if x.tag.endswith("text") and x.text == "0 %")
    marks = lines(root, "dot-b")
    left = min(float(mark.get("points").split(",")[0]) for mark in marks if mark.get("points"))
    assert abs(left - float(axis.get("x"))) <= 5
    none = parsed(pairs_chart(PairsPart("slo", "ALL", (PairValue(0, 0.0, 0.0, b_first=False),))))
    assert "0 %" in texts(none)
    some = parsed(pairs_chart(PairsPart("slo", "ALL", pairs[1:])))
    assert "0 %" not in texts(some)


def a_metric(verdict, ratio=0.5, **more):
    return MetricVerdict("p50", verdict, ratio=ratio, low=ratio / 2, high=ratio * 2, **more)


@pytest.mark.parametrize(
    ("verdict", "look"),
    [
        ("better", "better"),
        ("worse", "worse"),
        ("inconclusive", "open"),
        ("no material change", "open"),
        ("suggests better", "open"),
        ("not settled", "open"),
        ("not comparable", "open"),
    ],
)
def test_only_better_looks_good(verdict, look):
    root = parsed(ladder_chart([a_metric(verdict)]))
    found = {name for name in ("better", "worse", "open") if lines(root, name)}
    assert found == {look}


def test_the_ladder_survives_odd_numbers():
    rows = [
        a_metric("inconclusive", 1.0),
        replace(a_metric("better"), ratio=None),
        replace(a_metric("better"), low=0.0, high=1e300),
        replace(a_metric("better"), low=float("nan"), high=None),
    ]
    root = parsed(ladder_chart(rows))
    assert "nan" not in ET.tostring(root, "unicode")
    assert ladder_chart([replace(rows[0], ratio=None)]) == ""


def test_strips_band_every_window(experiment):
    [group] = experiment.groups
    root = parsed(strips_chart(group, experiment.marks))
    rows = len(group.strips)
    bands = [e for e in root.iter(f"{NS}rect") if e.get("class") in ("fill-a", "fill-b")]
    assert len(bands) == 12 * rows + 2  # two in the legend
    assert {"Disk busy", "Entry cache hits", "A1", "08:00:30"} <= set(texts(root))
