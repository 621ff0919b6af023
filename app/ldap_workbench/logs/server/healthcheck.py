"""What a server's own health check found.

`dsctl INSTANCE healthcheck` and FreeIPA's `ipa-healthcheck`, both as text or JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ldap_workbench.logs.reading.reports import Tally

_MOST, _MOST_TEXT = 500, 1_000
_ISSUE = re.compile(r"(?:\[\d+\] )?DS Lint Error: (DS[A-Z]+\d+)")
_SEVERITY = re.compile(r"Severity: (\w+)")
_CODE = re.compile(r"DS[A-Z]+\d+")
_IPA = "ipahealthcheck."
_IPA_LINE = re.compile(
    r"^(WARNING|ERROR|CRITICAL): (ipahealthcheck\.[\w.-]{1,200}): ?(.*)$", re.MULTILINE
)
_ANNOUNCED = re.compile(r"^(\d{1,4}) Issues? found!", re.MULTILINE)
_SPACE = re.compile(r"[\s,\[]*")
_DECODER = json.JSONDecoder()
_JSON = re.compile(r"^\s*(?:\[(?=\s*[{\]]|\s*\Z)|\{)", re.MULTILINE)
_MOST_CODE = 100
_HEADINGS = ("Affects:", "Details:", "Resolution:")


@dataclass(frozen=True)
class HealthIssue:
    """One issue: its code (DSBLE0007), HIGH, MEDIUM or LOW as the check prints it, and its text."""

    code: str
    severity: str
    text: str


@dataclass(frozen=True)
class HealthReport:
    """The issues of a report; `whole` is False where it breaks off before its end."""

    issues: tuple[HealthIssue, ...]
    whole: bool = True


def read_healthcheck(data: bytes, tally: Tally) -> HealthReport:
    """Every issue of a report; `tally` is told of its lines."""
    text = data.decode("utf-8", "replace")
    for line in text.splitlines():
        tally.understood() if line.strip() else tally.set_aside("blank line")
    begin = _JSON.search(text)
    if begin and not _ISSUE.search(text):
        # Warnings of the tool's own may stand before it.
        return _of_json(text[begin.end() - 1 :].strip())
    of_ipa = [_of_line(match) for match in _IPA_LINE.finditer(text)]
    issues = [*of_ipa, *_of_text(text)]
    announced = _ANNOUNCED.search(text)
    whole = announced is None or len(issues) >= int(announced[1])
    return HealthReport(tuple(issues[:_MOST]), whole)


def _of_json(text: str) -> HealthReport:
    """The objects of a list, one by one: of a text that breaks off those before the break."""
    issues: list[HealthIssue] = []
    is_list = text.startswith("[")
    place = _behind(text, 0)
    while text.startswith("{", place):
        try:
            row, end = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            return HealthReport(tuple(issues), whole=False)
        issues += [issue] if len(issues) < _MOST and (issue := _issue(row)) else []
        place = _behind(text, end)
    return HealthReport(tuple(issues), whole=not is_list or text.startswith("]", place))


def _behind(text: str, place: int) -> int:
    """Where the next object may begin."""
    space = _SPACE.match(text, place)
    return space.end() if space else place


def _issue(row: dict[str, Any]) -> HealthIssue | None:
    """dsctl says dsle, severity and detail; FreeIPA result, and the rest in kw."""
    more = row.get("kw") if isinstance(row.get("kw"), dict) else {}
    severity = str(row.get("severity") or row.get("result") or "")
    code = str(row.get("dsle") or (more or {}).get("key") or "")
    if severity == "SUCCESS":
        return None
    if not _CODE.fullmatch(code):
        # Checks of FreeIPA that are none of the directory's have no code, but a name.
        code = str(row.get("check") or "") if str(row.get("source")).startswith(_IPA) else ""
    if not code:
        return None
    text = row.get("detail") or (more or {}).get("msg") or (more or {}).get("exception")
    return HealthIssue(code[:_MOST_CODE], severity, _short(str(text or "")))


def _of_line(match: re.Match[str]) -> HealthIssue:
    """A line of ipa-healthcheck for people: ERROR: SOURCE.CHECK.KEY: text."""
    key = match[2].rpartition(".")[2]
    return HealthIssue(key[:_MOST_CODE], match[1], _short(match[3]))


def _of_text(text: str) -> Iterator[HealthIssue]:
    """The report for people: a heading, the severity, then details up to the resolution."""
    parts = _ISSUE.split(text)[1:]
    for code, body in zip(parts[::2], parts[1::2], strict=True):
        severity = _SEVERITY.search(body)
        details = body.partition("Details:")[2].partition("Resolution:")[0]
        yield HealthIssue(code, severity[1] if severity else "", _short(details))


def _short(text: str) -> str:
    lines = [line.strip() for line in text.splitlines()]
    sentences = [line for line in lines if line.strip("-= ") and line not in _HEADINGS]
    return " ".join(sentences)[:_MOST_TEXT]
