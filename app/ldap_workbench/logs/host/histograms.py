"""Histograms of SystemTap, DTrace, bcc, perf-tools and bpftrace: buckets, and ranges from them.

A percentile of a histogram is a range, the bucket it falls into, never a point.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from fractions import Fraction

from ldap_workbench.logs.host.probes import heading_of, unit_in
from ldap_workbench.logs.reading.reports import Tally
from ldap_workbench.model.message import NOTHING, Message

_TABLE = re.compile(r"\s*value\s+(?:\|-{5,}|-+ Distribution -+)")
_TABLE_ROW = re.compile(r"\s*(<|>=)?\s*(-?\d+) \|[@ ]* +(\d+)\s*$")
_GAP = re.compile(r"\s*~\s*$")
_BCC = re.compile(r"\s*(\S.*?)\s+: (?:count|Count|I/O)\s+\|?[dD]istribution")
_BCC_ROW = re.compile(r"\s*(-?\d+)?\s*(?:->\s*(-?\d+|\.\.\.)?)?\s*: (\d+)\s*\|")
_BPF_NAME = re.compile(r"(@\S*?(?:\[.*\])?):\s*$")
_BPF_ROW = re.compile(r"([\[(])(\.\.\.|-?\d+[KMGT]?)(?:, (\.\.\.|-?\d+[KMGT]?))?([\])])\s+(\d+) \|")
_BINARY = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


@dataclass(frozen=True)
class Bucket:
    """Values in [low, high); None where the bucket is open."""

    low: int | None
    high: int | None
    count: int


@dataclass(frozen=True)
class Histogram:
    """One distribution; `unit` is ns, us, ms or "" (not printed), `note` what was corrected.

    `probe` is what was measured and `threads` how many did it, None where nothing says; `mean`,
    `most` and `least` are in its unit, as printed beside it.
    """

    title: str
    unit: str
    buckets: tuple[Bucket, ...]
    note: Message = NOTHING
    probe: str = ""
    threads: int | None = None
    mean: float | None = None
    most: float | None = None
    least: float | None = None

    @property
    def n(self) -> int:
        return sum(bucket.count for bucket in self.buckets)

    def quantile(self, q: Fraction) -> Bucket | None:
        """The bucket that holds the nearest rank ceil(q*n); None without samples."""
        rank = -(-q.numerator * self.n // q.denominator)
        for bucket in self.buckets:
            rank -= bucket.count
            if rank <= 0 < bucket.count:
                return bucket
        return None


def read_histograms(data: bytes, tally: Tally | None = None, name: str = "") -> list[Histogram]:
    """Every histogram in a file, in order; text between them and its `name` say what they are of.

    `tally` is told what each line is.
    """
    text = data.decode("utf-8", "replace")
    tally = tally if tally is not None else Tally()
    if re.match(r'\s*\{\s*"type"', text):
        histograms = _json(text)
        lines = len(text.splitlines())
        tally.understood(lines) if histograms else tally.unknown(lines)
        return histograms
    return _Reader(tally, name).read(text)


class _Reader:
    def __init__(self, tally: Tally, name: str) -> None:
        self._tally = tally
        self._name = name
        self._histograms: list[Histogram] = []
        self._above: list[str] = []
        """Text since the last histogram, or above it where one follows another."""
        self._is_fresh = True
        self._title = ""
        self._rows: list[tuple[int | None, int | None, int]] | None = None
        self._unit = ""
        self._bounds_given = True
        self._inclusive = True

    def read(self, text: str) -> list[Histogram]:
        for line in text.splitlines():
            self._tally_line(line)
        self._close()
        return self._histograms

    def _tally_line(self, line: str) -> None:
        if self._line(line):
            self._tally.understood()
        else:
            self._tally.set_aside("text between histograms" if line.strip() else "blank line")

    def _line(self, line: str) -> bool:
        """Take a line; whether it is part of a histogram."""
        if _TABLE.match(line):
            self._begin("", bounds_given=False)
        elif match := _BCC.match(line):
            self._begin("", bounds_given=True)
            self._unit = unit_in(match[1])
            # perf-tools heads its ranges '>=(ms) .. <(ms)', bcc includes both ends.
            self._inclusive = "<(" not in match[1]
        elif match := _BPF_NAME.match(line):
            self._begin(match[1], bounds_given=True)
        elif self._rows is None or not self._row(line):
            if self._rows:
                self._close()
            if line.strip():
                if not self._is_fresh:
                    self._above = []
                self._is_fresh = True
                self._above.append(line.strip())
            return False
        return True

    def _begin(self, title: str, *, bounds_given: bool) -> None:
        self._close()
        self._rows, self._bounds_given = [], bounds_given
        self._title, self._unit = title, unit_in(title)

    def _row(self, line: str) -> bool:
        """Take a row; False where the line is none."""
        assert self._rows is not None
        if not self._bounds_given:
            if match := _TABLE_ROW.match(line):
                low = int(match[2])
                bounds = (None, low) if match[1] == "<" else (low, None)
                self._rows.append((*bounds, int(match[3])))
                return True
            return bool(_GAP.match(line))
        if match := _BCC_ROW.match(line):
            self._rows.append(self._bcc_bounds(match))
            return True
        if match := _BPF_ROW.match(line):
            self._rows.append(_bpf_bounds(match))
            return True
        return False

    def _bcc_bounds(self, match: re.Match[str]) -> tuple[int | None, int | None, int]:
        low, count = int(match[1] or 0), int(match[3])
        if "->" not in match[0]:
            return low, low + 1, count
        if match[2] in (None, "..."):
            return low, None, count
        return low, int(match[2]) + self._inclusive, count

    def _close(self) -> None:
        if self._rows:
            buckets = _powers(self._rows) if not self._bounds_given else self._rows
            made = tuple(Bucket(*row) for row in buckets)
            self._histograms.append(self._named(Histogram(self._title, self._unit, made)))
            self._is_fresh = False
        self._rows = None

    def _named(self, histogram: Histogram) -> Histogram:
        """The histogram with what the text around it says."""
        filled = (bucket.low or 0 for bucket in histogram.buckets if bucket.count)
        said = heading_of(
            self._above, self._name, self._title, lowest=min(filled, default=0), calls=histogram.n
        )
        return replace(
            histogram,
            title=said.title,
            unit=self._unit or said.unit,
            note=said.note,
            probe=said.probe,
            threads=said.threads,
            mean=said.mean,
            most=said.most,
            least=said.least,
        )


def _bpf_bounds(match: re.Match[str]) -> tuple[int | None, int | None, int]:
    """'[4, 8)', '[0]', '(..., 0)', '[1K, ...)'; suffixes count in powers of 1024."""
    low = None if match[2] == "..." else _scaled(match[2])
    if match[3] is None:
        return low, None if low is None else low + 1, int(match[5])
    high = None if match[3] == "..." else _scaled(match[3])
    if high is not None and match[4] == "]":
        high += 1
    return low, high, int(match[5])


def _scaled(text: str) -> int:
    scale = _BINARY.get(text[-1])
    return int(text[:-1]) * scale if scale else int(text)


def _powers(
    rows: list[tuple[int | None, int | None, int]],
) -> list[tuple[int | None, int | None, int]]:
    """Rows of SystemTap and DTrace name the lower bound only: the next power of two is the upper.

    lquantize has equal steps: where two rows follow each other by less, the next row is.
    """
    made = []
    for i, (low, high, count) in enumerate(rows):
        if low is None or high is not None:
            made.append((low, high, count))
            continue
        upper = _next_power(low)
        following = rows[i + 1][0] if i + 1 < len(rows) else None
        if following is not None and following > low:
            upper = min(upper, following)
        made.append((low, max(upper, low + 1), count))
    return made


def _next_power(low: int) -> int:
    """The bound after `low` among ..., -4, -2, -1, 0, 1, 2, 4, ..."""
    if low > 0:
        return low * 2
    if low >= -1:
        return low + 1
    return low // 2


def _json(text: str) -> list[Histogram]:
    """bpftrace -f json: bounds are inclusive, min or max may be missing at the ends."""
    histograms = []
    decoder, place = json.JSONDecoder(), 0
    while match := re.compile(r'\{\s*"type"').search(text, place):
        try:
            record, place = decoder.raw_decode(text, match.start())
        except json.JSONDecodeError:
            break
        if record.get("type") == "hist" and isinstance(record.get("data"), dict):
            for name, value in record["data"].items():
                histograms += _json_maps(name, value)
    return histograms


def _json_maps(name: str, value: object) -> list[Histogram]:
    if isinstance(value, dict):
        return [h for key, rows in value.items() for h in _json_maps(f"{name}[{key}]", rows)]
    if not isinstance(value, list):
        return []
    buckets = tuple(
        Bucket(row.get("min"), row["max"] + 1 if "max" in row else None, int(row["count"]))
        for row in value
        if isinstance(row, dict) and "count" in row
    )
    return [Histogram(name, unit_in(name), buckets, probe=name)] if buckets else []
