"""Charts of imported histograms.

Runs of a probe over each other, and the share beyond each bucket.
"""

from __future__ import annotations

from collections.abc import Sequence

from ldap_workbench.figures import formats
from ldap_workbench.figures.tails.probes import ProbePicture, ProbeRun
from ldap_workbench.report.charts import BOTTOM, LEFT, RIGHT, TOP, WIDTH
from ldap_workbench.report.scales import LogScale, LogShare, LogTime, round_down, round_up
from ldap_workbench.report.svg import Sheet

_LINES = ("line-a", "line-b", "series", "series-2")


def bucket_chart(picture: ProbePicture) -> str:
    """The share of calls in each bucket, as steps."""
    most = max(share for run in picture.runs for share in run.shares)
    least = min(share for run in picture.runs for share in run.shares if share)
    sheet = Sheet(WIDTH, 300, _says(picture))
    bottom, right = sheet.height - BOTTOM, sheet.width - RIGHT
    up = LogShare(min(round_down(least), 0.1), round_up(most), bottom, TOP)
    across = _across(picture, right)
    sheet.across(across, TOP, bottom, _axis(picture))
    sheet.up(up, LEFT, right)
    for look, run in zip(_LINES, picture.runs, strict=False):
        steps = []
        for begin, end, share in zip(run.edges, run.edges[1:], run.shares, strict=False):
            y = up.place(max(share, up.low))
            steps += [(across.place(begin), y), (across.place(end), y)]
        sheet.path(steps, look)
    sheet.legend(LEFT, 18, _legend(picture.runs))
    return sheet.svg()


def beyond_chart(picture: ProbePicture) -> str:
    """The share of calls beyond each bound: what a histogram knows exactly."""
    sheet = Sheet(WIDTH, 300, _says(picture))
    bottom, right = sheet.height - BOTTOM, sheet.width - RIGHT
    least = min(share for run in picture.runs for share in run.beyond if share)
    up = LogShare(min(round_down(least), 0.1), 1.0, bottom, TOP)
    across = _across(picture, right)
    sheet.across(across, TOP, bottom, _axis(picture))
    sheet.up(up, LEFT, right)
    for look, run in zip(_LINES, picture.runs, strict=False):
        points = [
            (across.place(bound), up.place(max(share, up.low)))
            for bound, share in zip(run.low, run.beyond, strict=True)
        ]
        sheet.path(points, look)
        for point in points:
            sheet.dot(point, "dot-b" if look == "line-b" else "dot-a", size=2.5)
    sheet.legend(LEFT, 18, _legend(picture.runs))
    return sheet.svg()


def _across(picture: ProbePicture, right: float) -> LogScale:
    low = min(run.edges[0] for run in picture.runs)
    high = max(run.edges[-1] for run in picture.runs)
    scale = LogTime if picture.is_time else LogScale
    return scale(max(low, 1e-9), max(high, 2 * low), LEFT, right)


def _axis(picture: ProbePicture) -> str:
    return "time of a call, logarithmic" if picture.is_time else "value, no unit is printed"


def _legend(runs: Sequence[ProbeRun]) -> list[tuple[str, str]]:
    return [
        (look, f"{run.label} ({formats.amount(run.calls)} calls)")
        for look, run in zip(_LINES, runs, strict=False)
    ]


def _says(picture: ProbePicture) -> str:
    runs = "; ".join(f"{run.label}: {formats.amount(run.calls)} calls" for run in picture.runs)
    return f"Histogram of {picture.probe} on logarithmic axes. {runs}."
