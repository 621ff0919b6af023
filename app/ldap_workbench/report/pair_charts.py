"""Charts of an experiment: every pair as the test sees it, and the ratios with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

from ldap_workbench.figures import formats
from ldap_workbench.figures.names import arm_name, metric_name, metric_value
from ldap_workbench.figures.verdict.pairs import PairsPart
from ldap_workbench.figures.verdict.view import rungs_of
from ldap_workbench.model.verdict import MetricVerdict
from ldap_workbench.report import words
from ldap_workbench.report.scales import LogRatio, LogScale, LogShare, LogTime, round_down, round_up
from ldap_workbench.report.svg import Sheet

WIDTH = 760
LEFT, RIGHT, TOP = 84, 96, 36
_ROW = 22
_LADDER_LEFT, _LADDER_RIGHT, _LADDER_ROW = 200, 170, 30


def pairs_chart(part: PairsPart) -> str:
    """One row a pair: A, B and the way between them; left is better."""
    if not part.pairs:
        return ""
    height = TOP + _ROW * len(part.pairs) + 46
    sheet = Sheet(WIDTH, height, _says_pairs(part))
    right, bottom = WIDTH - RIGHT, height - 40
    across = _values_axis(part, LEFT, right)
    sheet.across(across, TOP - 8, bottom, f"{metric_name(part.metric, part.type)}, each window")
    for row, pair in enumerate(part.pairs):
        y = TOP + _ROW * row + 8
        a, b = (across.place(pair.a), y), (across.place(pair.b), y)
        order = "B, A" if pair.b_first else "A, B"
        sheet.word((8, y + 4), f"{pair.pair + 1}: {order}", look="faint", size=11)
        sheet.line(a, b, "link")
        sheet.dot(a, "dot-a")
        sheet.diamond(b, "dot-b")
        ratio = formats.ratio(pair.b / pair.a if pair.a > 0 else None)
        sheet.word((right + 10, y + 4), str(ratio), look="faint", size=11)
    sheet.word((8, 18), "pair: order", look="faint", size=11)
    sheet.word((right + 10, 18), "B / A", look="faint", size=11)
    sheet.legend(LEFT, 18, [("dot-a", str(arm_name("A"))), ("dot-b", str(arm_name("B")))])
    return sheet.svg()


def ladder_chart(metrics: Sequence[MetricVerdict]) -> str:
    """One row a metric: the ratio B / A with its interval, over the band of no material change."""
    rows = [m for m in metrics if formats.number(m.ratio)]
    if not rows:
        return ""
    height = TOP + _LADDER_ROW * len(rows) + 46
    sheet = Sheet(WIDTH, height, _says_ladder(rows))
    right, bottom = WIDTH - _LADDER_RIGHT, height - 40
    across = _ratio_axis(rows, _LADDER_LEFT, right)
    for row, rung in enumerate(rungs_of(rows)):
        edge, other = across.place(1 / rung.material), across.place(rung.material)
        sheet.box(edge, TOP + _LADDER_ROW * row, other - edge, _LADDER_ROW - 10, "band")
    sheet.across(across, TOP - 8, bottom, "B / A: left of ×1 is better")
    sheet.line((across.place(1), TOP - 8), (across.place(1), bottom), "axis")
    for row, metric in enumerate(rows):
        _rung(sheet, across, TOP + _LADDER_ROW * row + 10, metric, primary=row == 0)
    sheet.legend(
        _LADDER_LEFT,
        18,
        [
            ("axis", "interval over pairs"),
            ("band", "too small to matter"),
        ],
    )
    return sheet.svg()


def _rung(
    sheet: Sheet, across: LogRatio, y: float, metric: MetricVerdict, *, primary: bool
) -> None:
    look = words.tone(metric.verdict)
    assert metric.ratio is not None
    low, high = formats.number(metric.low), formats.number(metric.high)
    if low is not None and high is not None:
        ends = across.place(low), across.place(high)
        sheet.line((ends[0], y), (ends[1], y), look)
        for x, inside in zip(ends, (low > across.low, high < across.high), strict=True):
            if inside:
                sheet.line((x, y - 5), (x, y + 5), look)
    mark = sheet.diamond if primary else sheet.dot
    mark((across.place(metric.ratio), y), look)
    name = str(metric_name(metric.metric, metric.type))
    weight = "strong" if primary else "word"
    sheet.word((_LADDER_LEFT - 12, y + 4), name, anchor="end", look=weight, size=11)
    text = f"{formats.ratio(metric.ratio)} {words.judgement(metric.verdict).lower()}"
    sheet.word((sheet.width - _LADDER_RIGHT + 12, y + 4), text, size=11)


def _values_axis(part: PairsPart, first: float, last: float) -> LogScale:
    values = [value for pair in part.pairs for value in (pair.a, pair.b)]
    known = [value for value in values if value > 0] or [1e-3, 1.0]
    low, high = max(min(known), 1e-9), max(*known, 1e-9)
    spread = max(high / low, 1.2) ** 0.08
    if part.metric == "slo":
        return LogShare(low / spread, min(high * spread, 1.0), first, last, zero=min(values) <= 0)
    if high / low > 10:
        return LogTime(round_down(low), round_up(high), first, last)
    return LogTime(low / spread, high * spread, first, last)


def _ratio_axis(rows: Sequence[MetricVerdict], first: float, last: float) -> LogRatio:
    """Symmetric around 1; an interval that goes on beyond ×20 is cut at the edge."""
    known = [m.ratio for m in rows] + [m.low for m in rows] + [m.high for m in rows]
    values = [v for v in map(formats.number, known) if v is not None and v > 0]
    spread = max(max(max(v, 1 / v) for v in values), 1.3) * 1.05
    spread = min(spread, max(20.0, *(max(m.ratio or 1, 1 / (m.ratio or 1)) * 2 for m in rows)))
    return LogRatio(1 / spread, spread, first, last)


def _says_pairs(part: PairsPart) -> str:
    lower = sum(pair.b < pair.a for pair in part.pairs)
    name = metric_name(part.metric, part.type)
    first = part.pairs[0]
    example = f"{_plain(part.metric, first.a)} against {_plain(part.metric, first.b)}"
    return (
        f"Pair by pair, {name}: B is lower than A in {lower} of {len(part.pairs)} pairs. "
        f"Pair {first.pair + 1}: A {example} in B."
    )


def _plain(metric: str, value: float) -> str:
    return str(metric_value(metric, value))


def _says_ladder(rows: Sequence[MetricVerdict]) -> str:
    parts = [
        f"{metric_name(m.metric, m.type)} {formats.ratio(m.ratio)}"
        f" [{formats.ratio_interval(m.low, m.high)}], {words.judgement(m.verdict).lower()}"
        for m in rows
    ]
    return "Ratios B / A with their intervals: " + "; ".join(parts) + "."
