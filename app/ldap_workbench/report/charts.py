"""Charts of etime, tails, their ratio and the share of slower operations; and of histograms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ldap_workbench.figures import formats
from ldap_workbench.figures.tails.curve import Distribution, Float, TailCurve
from ldap_workbench.figures.tails.probes import ProbePicture, ProbeRun
from ldap_workbench.figures.verdict.stored import SAME, ShiftCurve
from ldap_workbench.inference.verdict.wording import share_of
from ldap_workbench.model.units import format_duration
from ldap_workbench.report.scales import (
    LogPercentile,
    LogRatio,
    LogScale,
    LogShare,
    LogTime,
    round_down,
    round_up,
)
from ldap_workbench.report.svg import Sheet

WIDTH = 760
LEFT, RIGHT, TOP, BOTTOM = 62, 28, 34, 44
_SAID = (50.0, 99.0, 99.9)
_BEYOND = 0.99999
"""Where the axis of the ratio plot ends."""
_RUN_LOOKS = ("line-a", "line-b", "series", "series-2")
"""Of the runs of an imported histogram, drawn over each other."""


def tails_chart(
    pooled: Sequence[TailCurve], windows: Sequence[TailCurve], slo_ns: int | None
) -> str:
    """etime against percentile: a bold line an arm, a thin line each window."""
    curves = [curve for curve in (*pooled, *windows) if curve.n]
    if not curves:
        return ""
    sheet = Sheet(WIDTH, 380, _says_tails(pooled))
    bottom, right = sheet.height - BOTTOM, sheet.width - RIGHT
    top = max(float(curve.percentile[-1]) / 100 for curve in curves)
    across = LogPercentile(max(top, 0.9), LEFT, right)
    up = _time_axis([curve.etime_ns for curve in curves], bottom, TOP)
    sheet.across(across, TOP, bottom, "share of operations that were at least as quick")
    sheet.up(up, LEFT, right)
    if slo_ns and up.low < slo_ns < up.high:
        y = up.place(slo_ns)
        sheet.line((LEFT, y), (right, y), "limit")
        sheet.word((LEFT + 6, y - 5), f"limit {format_duration(slo_ns)}", look="faint", size=11)
    for curve in windows:
        sheet.path(_by_percentile(curve, across, up), _look("thin", curve.arm))
    for curve in pooled:
        sheet.path(_by_percentile(curve, across, up), _look("line", curve.arm))
    sheet.legend(LEFT, 18, _legend(pooled, len(windows)))
    return sheet.svg()


def slower_chart(arms: Sequence[Distribution], slo_ns: int | None) -> str:
    """The share of operations slower than an etime (CCDF), both axes logarithmic."""
    shapes = [arm for arm in arms if arm.n]
    if not shapes:
        return ""
    sheet = Sheet(WIDTH, 340, _says_slower(shapes, slo_ns))
    bottom, right = sheet.height - BOTTOM, sheet.width - RIGHT
    least = min(1 / shape.n for shape in shapes)
    up = LogShare(min(round_down(least), 0.1), 1.0, bottom, TOP)
    across = _time_axis([shape.etime_ns for shape in shapes], LEFT, right)
    sheet.across(across, TOP, bottom, "etime, logarithmic")
    sheet.up(up, LEFT, right)
    if slo_ns and across.low < slo_ns < across.high:
        x = across.place(slo_ns)
        sheet.line((x, TOP), (x, bottom), "limit")
        sheet.word((x + 5, bottom - 8), f"limit {format_duration(slo_ns)}", look="faint", size=11)
    for shape in shapes:
        points = [
            (across.place(float(ns)), up.place(float(share)))
            for ns, share in zip(shape.etime_ns, shape.drawn_shares(), strict=True)
        ]
        sheet.path(points, _look("line", shape.arm))
    sheet.legend(LEFT, 18, [(_look("line", shape.arm), str(shape.label)) for shape in shapes])
    return sheet.svg()


def shift_chart(shift: ShiftCurve) -> str:
    """B / A at every percentile: below ×1 the change is quicker; hatched where nothing is known."""
    sheet = Sheet(WIDTH, 300, _says_shift(shift))
    bottom, right = sheet.height - BOTTOM, sheet.width - RIGHT
    # The band may be wide open at the end of the tail; the line itself must fit.
    low = max(min(float(shift.low.min()), 0.8), float(shift.ratio.min()) / 4) / 1.1
    high = min(max(float(shift.high.max()), 1.25), float(shift.ratio.max()) * 4) * 1.1
    up = LogRatio(min(low, 0.8), max(high, 1.25), bottom, TOP)
    across = LogPercentile(_BEYOND, LEFT, right)
    sheet.box(LEFT, up.place(SAME), right - LEFT, up.place(1 / SAME) - up.place(SAME), "band")
    sheet.across(across, TOP, bottom, "percentile")
    sheet.up(up, LEFT, right)
    sheet.line((LEFT, up.place(1)), (right, up.place(1)), "axis")
    edge = across.place(float(shift.p[-1]))
    sheet.hatch(edge, TOP, right - edge, bottom - TOP)
    for values, look in ((shift.low, "edge"), (shift.high, "edge"), (shift.ratio, "series")):
        places = zip(shift.p, values, strict=True)
        sheet.path([(across.place(float(p)), up.place(float(v))) for p, v in places], look)
    sheet.legend(
        LEFT,
        18,
        [
            ("series", "B / A"),
            ("edge", "95 % band"),
            ("band", "within 10 %"),
            ("hatch", "not enough stalls to know"),
        ],
    )
    return sheet.svg()


def _time_axis(etimes: Sequence[Float], first: float, last: float) -> LogTime:
    """From the shortest to the longest of ascending etimes, ns."""
    low = min(float(arm[0]) for arm in etimes)
    high = max(float(arm[-1]) for arm in etimes)
    return LogTime(round_down(max(low, 1.0)), round_up(max(high, low * 2, 2.0)), first, last)


def _by_percentile(
    curve: TailCurve, across: LogPercentile, up: LogTime
) -> list[tuple[float, float]]:
    return [
        (across.place(float(p) / 100), up.place(float(ns)))
        for p, ns in zip(curve.percentile, curve.etime_ns, strict=True)
    ]


def _look(weight: str, arm: str) -> str:
    return f"{weight}-{arm.lower() if arm in ('A', 'B') else 'n'}"


def _legend(curves: Sequence[TailCurve], windows: int) -> list[tuple[str, str]]:
    entries = [(_look("line", curve.arm), str(curve.label)) for curve in curves]
    if windows > 1:
        entries.append((_look("thin", curves[0].arm), "thin: each window by itself"))
    return entries


def _says_tails(curves: Sequence[TailCurve]) -> str:
    parts = [
        f"{curve.label}, {formats.amount(curve.n)} operations: {_quantiles(curve)}"
        for curve in curves
        if curve.n
    ]
    return "Etime by percentile on logarithmic axes. " + "; ".join(parts) + "."


def _quantiles(curve: TailCurve) -> str:
    quantiles = [(p, curve.at(p)) for p in _SAID]
    return ", ".join(
        f"p{p:g} {format_duration(round(ns))}" for p, ns in quantiles if ns is not None
    )


def _says_slower(shapes: Sequence[Distribution], slo_ns: int | None) -> str:
    text = "Share of operations slower than a given etime, on logarithmic axes."
    if slo_ns:
        shares = [
            f"{shape.label}: {share_of(shape.share_slower(slo_ns), shape.n)}" for shape in shapes
        ]
        text += f" Slower than {format_duration(slo_ns)}, about: {'; '.join(shares)}."
    return text


def _says_shift(shift: ShiftCurve) -> str:
    at = [(p, int(np.searchsorted(shift.p, p / 100 - 1e-9))) for p in _SAID]
    parts = [
        f"p{p:g} about {formats.ratio(float(shift.ratio[index]))}"
        for p, index in at
        if index < len(shift.p)
    ]
    return (
        f"Ratio of etime B to A at each percentile: {', '.join(parts)}. "
        f"Known up to {100 * float(shift.p[-1]):.5g} %."
    )


def bucket_chart(picture: ProbePicture) -> str:
    """The share of calls in each bucket, as steps."""
    most = max(share for run in picture.runs for share in run.shares)
    least = min(share for run in picture.runs for share in run.shares if share)
    sheet = Sheet(WIDTH, 300, _says_probe(picture))
    bottom, right = sheet.height - BOTTOM, sheet.width - RIGHT
    up = LogShare(min(round_down(least), 0.1), round_up(most), bottom, TOP)
    across = _probe_axis(picture, right)
    sheet.across(across, TOP, bottom, _probe_heading(picture))
    sheet.up(up, LEFT, right)
    for look, run in zip(_RUN_LOOKS, picture.runs, strict=False):
        steps = []
        for begin, end, share in zip(run.edges, run.edges[1:], run.shares, strict=False):
            y = up.place(max(share, up.low))
            steps += [(across.place(begin), y), (across.place(end), y)]
        sheet.path(steps, look)
    sheet.legend(LEFT, 18, _run_legend(picture.runs))
    return sheet.svg()


def beyond_chart(picture: ProbePicture) -> str:
    """The share of calls beyond each bound: what a histogram knows exactly."""
    sheet = Sheet(WIDTH, 300, _says_probe(picture))
    bottom, right = sheet.height - BOTTOM, sheet.width - RIGHT
    least = min(share for run in picture.runs for share in run.beyond if share)
    up = LogShare(min(round_down(least), 0.1), 1.0, bottom, TOP)
    across = _probe_axis(picture, right)
    sheet.across(across, TOP, bottom, _probe_heading(picture))
    sheet.up(up, LEFT, right)
    for look, run in zip(_RUN_LOOKS, picture.runs, strict=False):
        points = [
            (across.place(bound), up.place(max(share, up.low)))
            for bound, share in zip(run.low, run.beyond, strict=True)
        ]
        sheet.path(points, look)
        for point in points:
            sheet.dot(point, "dot-b" if look == "line-b" else "dot-a", size=2.5)
    sheet.legend(LEFT, 18, _run_legend(picture.runs))
    return sheet.svg()


def _probe_axis(picture: ProbePicture, right: float) -> LogScale:
    low = min(run.edges[0] for run in picture.runs)
    high = max(run.edges[-1] for run in picture.runs)
    scale = LogTime if picture.is_time else LogScale
    return scale(max(low, 1e-9), max(high, 2 * low), LEFT, right)


def _probe_heading(picture: ProbePicture) -> str:
    return "time of a call, logarithmic" if picture.is_time else "value, no unit is printed"


def _run_legend(runs: Sequence[ProbeRun]) -> list[tuple[str, str]]:
    return [
        (look, f"{run.label} ({formats.amount(run.calls)} calls)")
        for look, run in zip(_RUN_LOOKS, runs, strict=False)
    ]


def _says_probe(picture: ProbePicture) -> str:
    runs = "; ".join(f"{run.label}: {formats.amount(run.calls)} calls" for run in picture.runs)
    return f"Histogram of {picture.probe} on logarithmic axes. {runs}."
