"""Result logs of JMeter (JTL), CSV and XML -> samples of what a client saw, one for each request.

| series | value |
|---|---|
| client:LABEL:elapsed | from sending to the whole answer, ms, at the time the request was sent |
| client:LABEL:connect | of that the time to connect, ms; only where there is some |
| client:LABEL:failed | 1 for each request that JMeter calls failed |

All of it is by the clock of the client, in whole milliseconds. Results inside of a result are parts
of it and are not counted again. Format: https://jmeter.apache.org/usermanual/listeners.html
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from xml.parsers import expat

from ldap_workbench.logs.reading.reports import CLOCK, Clock, Readings, Tally
from ldap_workbench.logs.reading.stamps import LATEST_NS, report_time
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message
from ldap_workbench.model.window import Sample

PREFIX = "client:"
OTHERS = "(other labels)"
_MOST_LABELS = 100
"""Labels told apart: a test plan with a variable in its labels makes a label a request."""
_LABEL_LENGTH = 200
_NS_PER_MS = 1_000_000
_LONGEST_MS = 31 * 86_400_000
_SAMPLES = ("sample", "httpSample")
_OF_ATTRIBUTES = {
    "ts": "timeStamp", "t": "elapsed", "lb": "label", "s": "success", "ct": "Connect",
}  # fmt: skip
_FAILED = "false"


def read_jtl(data: bytes, clock: Clock = CLOCK) -> Readings:
    """Every request of a file. Raises LogError where nothing tells what its columns are."""
    text = data.decode("utf-8-sig", "replace")
    requests = _Requests(clock.zone_offset_ns)
    if text.lstrip().startswith("<"):
        _read_xml(text, requests)
    else:
        _read_csv(text, requests)
    notes: tuple[Message, ...] = (
        Message("Times are by the clock of the client, in whole milliseconds."),
    )
    if requests.cut_off:
        notes += (Message("Its XML ends early or is damaged: what came before was read."),)
    return Readings(requests.samples, requests.count, {}, requests.tally.counts, notes)


class _Requests:
    def __init__(self, zone_offset_ns: int) -> None:
        self.samples: list[Sample] = []
        self.count = 0
        self.cut_off = False
        self.tally = Tally()
        self._zone = zone_offset_ns
        self._labels: set[str] = set()

    def take(self, row: Mapping[str, str | None]) -> bool:
        """One request by the names of its columns; False where it is none."""
        time_ns = self._time(row.get("timeStamp") or "")
        elapsed = _milliseconds(row.get("elapsed"))
        if time_ns is None or elapsed is None:
            return False
        name = f"{PREFIX}{self._label(row.get('label') or '')}:"
        self.samples.append(Sample(time_ns, f"{name}elapsed", elapsed))
        if connect := _milliseconds(row.get("Connect")):
            self.samples.append(Sample(time_ns, f"{name}connect", connect))
        if (row.get("success") or "").lower() == _FAILED:
            self.samples.append(Sample(time_ns, f"{name}failed", 1.0))
        self.count += 1
        return True

    def _label(self, text: str) -> str:
        label = " ".join(text.split())[:_LABEL_LENGTH] or "(no label)"
        if label not in self._labels and len(self._labels) >= _MOST_LABELS:
            return OTHERS
        self._labels.add(label)
        return label

    def _time(self, text: str) -> int | None:
        """Milliseconds since 1970, or a date as jmeter.save.saveservice.timestamp_format has it."""
        if text.isascii() and text.isdecimal():
            ms = int(text[:16])
        else:
            ms = (report_time(text.replace("/", "-"), self._zone) or 0) // _NS_PER_MS
        return ms * _NS_PER_MS if 0 < ms < LATEST_NS // _NS_PER_MS else None


def _milliseconds(text: str | None) -> float | None:
    if not text or not text.isascii() or not text.isdecimal():
        return None
    value = int(text[:16])
    return float(value) if value <= _LONGEST_MS else None


def _read_csv(text: str, requests: _Requests) -> None:
    first = text.partition("\n")[0]
    delimiter = next((separator for separator in ",;\t|" if f"timeStamp{separator}" in first), ",")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    columns: list[str] = []
    before = 0
    while (cells := _next(rows)) is not None:
        lines, before = rows.line_num - before, rows.line_num
        if not cells:
            requests.tally.set_aside("blank line", lines)
        elif "timeStamp" in cells and "elapsed" in cells:
            columns = cells  # again where one run was appended to another
            requests.tally.understood(lines)
        elif not columns:
            raise LogError(
                Message("The log of JMeter has no line that names its columns."),
                remedy=Message("Write it with jmeter.save.saveservice.print_field_names=true."),
            )
        elif len(cells) == len(columns) and requests.take(dict(zip(columns, cells, strict=True))):
            requests.tally.understood(lines)
        else:
            requests.tally.unknown(lines)


def _next(rows: Iterable[list[str]]) -> list[str] | None:
    """The next row; an empty one with no cell in place of one that is no CSV."""
    try:
        return next(iter(rows), None)
    except csv.Error:
        return [""]


def _read_xml(text: str, requests: _Requests) -> None:
    """JMeter writes no document type: with one, a file of a stranger could make much of little."""
    parser = expat.ParserCreate()
    depth = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += tag in _SAMPLES
        if tag in _SAMPLES and depth == 1:
            known = {_OF_ATTRIBUTES.get(name, name): value for name, value in attributes.items()}
            taken = requests.take(known)
            requests.tally.understood() if taken else requests.tally.unknown()

    def end(tag: str) -> None:
        nonlocal depth
        depth -= tag in _SAMPLES

    def refuse(*_: object) -> None:
        raise LogError(
            Message("The XML has a document type of its own, which no log of JMeter has."),
            remedy=Message("Import the file as JMeter wrote it."),
        )

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text, True)
    except expat.ExpatError:
        requests.cut_off = True
