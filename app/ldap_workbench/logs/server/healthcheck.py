"""What a server's own health check found.

`dsctl INSTANCE healthcheck`, text or JSON, and the checks of the directory in that of FreeIPA
(`ipa-healthcheck`).
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
_HEADINGS = ("Affects:", "Details:", "Resolution:")


@dataclass(frozen=True)
class HealthIssue:
    """One issue: its code (DSBLE0007), HIGH, MEDIUM or LOW as the check prints it, and its text."""

    code: str
    severity: str
    text: str


def read_healthcheck(data: bytes, tally: Tally) -> list[HealthIssue]:
    """Every issue of a report; `tally` is told of its lines."""
    text = data.decode("utf-8", "replace")
    if text.lstrip().startswith(("[{", "[\n", "[ ", "{")):
        issues = _of_json(text)
        for line in text.splitlines():
            tally.understood() if line.strip() else tally.set_aside("blank line")
        return issues
    for line in text.splitlines():
        tally.understood() if line.strip() else tally.set_aside("blank line")
    return list(_of_text(text))[:_MOST]


def _of_json(text: str) -> list[HealthIssue]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return []
    rows = document if isinstance(document, list) else [document]
    return [issue for row in rows[:_MOST] if isinstance(row, dict) and (issue := _issue(row))]


def _issue(row: dict[str, Any]) -> HealthIssue | None:
    """dsctl says dsle, severity and detail; FreeIPA result, and the rest in kw."""
    more = row.get("kw") if isinstance(row.get("kw"), dict) else {}
    code = str(row.get("dsle") or (more or {}).get("key") or "")
    if not _CODE.fullmatch(code):
        return None
    severity = str(row.get("severity") or row.get("result") or "")
    text = str(row.get("detail") or (more or {}).get("msg") or "")
    return HealthIssue(code, severity, _short(text))


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
