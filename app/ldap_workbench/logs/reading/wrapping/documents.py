"""Documents that log stores export -> a JSON record a line, which `JsonRecords` takes apart.

The response of a search (Elasticsearch, Loki, CloudWatch), an array of records, records printed
over many lines, a CSV file: whatever holds lines of a log somewhere in it. It is read in pieces,
and where it was cut what is whole of it is kept.
"""

from __future__ import annotations

import codecs
import csv
import json
import re
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ldap_workbench.logs.reading.wrapping.lines import is_speaking
from ldap_workbench.logs.reading.wrapping.records import (
    HOSTS,
    first_of,
    is_line,
    is_own,
    is_record,
    iso_of,
    record_of,
)
from ldap_workbench.model.message import Message

_DECODER = json.JSONDecoder()
_TOKEN = re.compile(r'[\[{]|"(?:[^"\\]|\\.)*+(?P<closed>")?', re.DOTALL)
_BEGINS = re.compile(rb"\s*\[\s*[\[{\"]|[\s\x1e]*\{\s*\"")
_LONGEST = 1 << 20
"""A value that goes on for longer is looked into while it is read."""
_DEEPEST = 100
"""Values in values that are not whole: no export comes near."""
_NAME = re.compile(r"[#\w@(. _-][\w@. \[\]():/-]{0,60}")
_DELIMITERS = ",;\t|"
_ROWS = 200
_WORD = 30
"""A number, or a word of JSON, that the end of a piece has cut."""
_SHARE = 0.9
_JSON, _CSV = Message("JSON document"), Message("CSV file")


@dataclass
class Document:
    """What holds the lines of a log, and how: `delimiter` of CSV, '' for JSON.

    `is_cut`: whether it ended before its end, known when all of it was read.
    """

    title: Message
    delimiter: str = ""
    is_cut: bool = False

    def records(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Its records, one a line, about as many at once as were in a piece."""
        if self.delimiter:
            return _csv_records(pieces, self.delimiter)
        return _json_records(self._watched(pieces))

    def _watched(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        end = b""
        for piece in pieces:
            end = piece.rstrip()[-1:] or end
            yield piece
        self.is_cut = end not in b"]}"


def find_document(head: bytes) -> Document | None:
    """Which document begins with `head`; None for a log, and for a record of JSON on each line."""
    if _BEGINS.match(head):
        return Document(_JSON) if _is_json(head) else None
    if b"\n" not in head:
        return None
    for delimiter in _DELIMITERS:
        if _is_csv(head[: head.rfind(b"\n")], delimiter):
            return Document(_CSV, delimiter)
    return None


def _is_json(head: bytes) -> bool:
    records = [record_of(line) for line in head.split(b"\n")[:-1] if is_speaking(line)]
    whole = sum(record is not None and (is_record(record) or is_own(record)) for record in records)
    if whole and whole >= _SHARE * len(records):
        return False
    if not _may_go_on(head):
        return False
    first = next(_json_records([head]), b"").partition(b"\n")[0]
    # 389 DS prints its own records over many lines, and its dialect reads them so.
    pretty_log = head.lstrip().startswith(b"{") and is_own(record_of(first) or {})
    return bool(first) and not pretty_log


def _may_go_on(head: bytes) -> bool:
    """Whether the first value is JSON as far as it is there."""
    text = head.decode("utf-8", "replace").lstrip("\x1e")
    try:
        _DECODER.raw_decode(text.lstrip())
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated") or error.pos >= len(text.strip()) - _WORD
    except (ValueError, RecursionError):  # a number of thousands of digits
        return False
    return True


def _json_records(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Every record at any depth, of a text in pieces."""
    text, at, depth = "", 0, 0
    labels: dict[str, Any] = {}
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    for piece in chain(pieces, [None]):
        text, at = text[at:] + decode(piece or b""), 0
        out: list[dict[str, Any]] = []
        while depth < _DEEPEST and (token := _TOKEN.search(text, at)):
            waits = piece is not None and len(text) - token.start() < _LONGEST
            if token[0][0] == '"':
                if waits and not token["closed"]:
                    break
                if token["closed"] and is_line(token[0].encode()):
                    out += _of_row([_string(token[0])], labels)
                at = token.end()
                continue
            try:
                value, end = _DECODER.raw_decode(text, token.start())
            except (ValueError, RecursionError):
                if waits:
                    break
                at, depth = token.start() + 1, depth + 1
                continue
            records = list(_records_in(value, labels))
            out += records
            at, depth = end, 0 if records else depth
        at = token.start() if token else len(text)
        if out:
            yield b"".join(json.dumps(record).encode() + b"\n" for record in out)


def _string(token: str) -> str:
    """A text of JSON; as it stands there where its escapes are none of JSON."""
    try:
        return str(json.loads(token, strict=False))
    except ValueError:
        return token[1:-1]


def _records_in(value: Any, labels: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The records in a value; `labels`, of what stands before rows, go with each row."""
    if isinstance(value, dict):
        if is_record(value) or is_own(value):
            yield value
            return
        if host := first_of(value, HOSTS):
            labels["host"] = host
        value = list(value.values())
    if not isinstance(value, list):
        return
    if fields := _fields(value):
        yield from _records_in(fields, labels)
    elif all(not isinstance(item, (dict, list)) for item in value):
        yield from _of_row(value, labels)
    else:
        for item in value:
            yield from _records_in(item, labels)


def _fields(row: list[Any]) -> dict[str, Any]:
    """CloudWatch Insights: a row is a list of {field, value}."""
    pairs = [cell for cell in row if isinstance(cell, dict) and cell.keys() == {"field", "value"}]
    return {str(pair["field"]): pair["value"] for pair in pairs} if len(pairs) == len(row) else {}


def _of_row(row: list[Any], labels: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The lines among the values of a row, with a time that stands beside one alone."""
    lines = [
        cell for cell in row if isinstance(cell, str) and is_line(cell.encode("utf-8", "replace"))
    ]
    time = ""
    if len(lines) == 1:
        times = (iso_of(str(cell)) for cell in row if cell is not lines[0])
        time = next(filter(None, times), "")
    for line in lines:
        yield labels | {"time": time, "message": line}


def _csv_records(pieces: Iterable[bytes], delimiter: str) -> Iterator[bytes]:
    """Rows of CSV as records: which column holds the line is told by each row."""
    header: list[str] = []
    out: list[bytes] = []
    for row in _rows(pieces, delimiter):
        if record := _of_csv_row(row, header):
            out.append(json.dumps(record).encode() + b"\n")
        elif not header and len(row) > 1:
            header = row
        if len(out) >= 10_000:
            yield b"".join(out)
            out = []
    if out:
        yield b"".join(out)


def _of_csv_row(row: list[str], header: list[str]) -> dict[str, Any]:
    record = next(_of_row(row, {}), {})
    host = first_of(dict(zip(header, row, strict=False)), HOSTS)
    return record | {"host": host} if record and host else record


def _rows(pieces: Iterable[bytes], delimiter: str) -> Iterator[list[str]]:
    """Rows; one that is no CSV is left out, and so is what is too long for any line."""
    rows = csv.reader(_lines(pieces), delimiter=delimiter)
    while True:
        try:
            yield next(rows)
        except StopIteration:
            return
        except csv.Error:
            continue


def _lines(pieces: Iterable[bytes]) -> Iterator[str]:
    carry = b""
    for piece in pieces:
        *lines, carry = (carry + piece).split(b"\n")
        yield from (line.decode("utf-8", "replace") + "\n" for line in lines)
    if carry:
        yield carry.decode("utf-8", "replace")


def _is_csv(head: bytes, delimiter: str) -> bool:
    """Whether rows have as many columns as a heading of names, or are quoted all through."""
    rows = [row for row in _rows([head], delimiter) if row][:_ROWS]
    if rows and len(rows[0]) == 1 and not is_speaking(head.partition(b"\n")[0]):
        rows = rows[1:]  # '#TYPE ...' of PowerShell, 'sep=;' of Excel
    columns = statistics.mode(len(row) for row in rows) if rows else 0
    if len(rows) < 2 or columns < 2:
        return False
    if len(rows[0]) == columns and all(_NAME.fullmatch(name) for name in rows[0]):
        rows = rows[1:]
    elif not head.startswith(b'"') and delimiter != "\t":
        return False
    fits = sum(len(row) == columns and bool(next(_of_row(row, {}), None)) for row in rows)
    return fits >= _SHARE * len(rows)
