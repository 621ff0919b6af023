"""What the program said of a case, against the truth."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ldap_workbench.model.message import from_json
from tests.field.case import FOREIGN, Healthy, Truth
from tests.hostile_commands import run

FIRST, LATER, MISSED = "first or second", "later", "not named"
_SESSION = "case.ldapwb"


class NotReadError(Exception):
    """The program could not import the files of a case."""


@dataclass(frozen=True)
class Group:
    """Findings with one cause, as the list shows them."""

    title: str
    severity: int
    heads: str
    """Titles and sentences."""
    text: str
    """All that is said of them, evidence and steps for the owner of the clients included."""
    ids: frozenset[str]


@dataclass(frozen=True)
class Advised:
    """One piece of advice: what it asks for, and all its words."""

    title: str
    asks: str
    text: str


@dataclass(frozen=True)
class Said:
    """What `findings` printed: groups in their order, and advice."""

    groups: tuple[Group, ...]
    advice: tuple[Advised, ...]


@dataclass(frozen=True)
class Score:
    """How a case came off."""

    case: Truth
    place: int | None
    """Position of the first group that names the cause, from 1."""
    remedy: bool
    accusations: tuple[str, ...]
    foreign: tuple[str, ...]
    said: Said

    @property
    def verdict(self) -> str:
        if self.place is None:
            return MISSED
        return FIRST if self.place <= 2 else LATER


def read_files(files: Iterable[Path], room: Path) -> dict[str, Any]:
    """Import files into a session of their own in a folder, and return what was said of them."""
    return _document(["import", "--json", "-o", str(room / _SESSION), *map(str, files)])


def ask(files: Iterable[Path], room: Path) -> Said:
    """Import files into a session of their own, and ask the program for its findings."""
    read_files(files, room)
    return said_of(room / _SESSION)


def said_of(session: Path) -> Said:
    """What the program says of a session."""
    document = _document(["findings", str(session), "--all", "--json"])
    return Said(_groups(document["findings"]), tuple(map(_advised, document["advice"])))


def judge(case: Truth, said: Said) -> Score:
    """Score what was said of a case."""
    places = [place for place, group in enumerate(said.groups, 1) if names_cause(case, group)]
    texts = [*(one.text for one in said.advice), *(group.text for group in said.groups)]
    everything = "\n".join(texts)
    accusations = [
        group.title
        for group in said.groups
        if any(_has(pattern, group.heads) for pattern in case.accused)
    ]
    accusations += [
        f"advice: {one.title}"
        for one in said.advice
        if any(_has(pattern, one.asks) for pattern in case.accused)
    ]
    return Score(
        case,
        place=min(places, default=None),
        remedy=_has(case.remedy, everything),
        accusations=tuple(accusations),
        # Case matters here: olcIndex is a setting, OLC an abbreviation.
        foreign=tuple(sorted(set(re.findall(FOREIGN[case.product], everything)))),
        said=said,
    )


def names_cause(case: Truth, group: Group) -> bool:
    """Whether a group says what it was, and who or what did it."""
    return _has(case.mechanism, group.heads) and all(_has(name, group.text) for name in case.names)


def alarms(said: Said) -> list[str]:
    """What was said of a healthy window that should have been left unsaid."""
    warnings = [group.title for group in said.groups if group.severity > 1]
    return [*warnings, *(f"advice: {one.title}" for one in said.advice)]


def table(scores: list[Score], silent: list[tuple[Healthy, list[str]]]) -> str:
    """All of a batch, a case a row, as Markdown."""
    rows = [
        "| case | product | cause | named | remedy | false accusation | other product's advice |",
        "|---|---|---|---|---|---|---|",
    ]
    for score in scores:
        place = f" ({score.place})" if score.place else ""
        cells = [
            score.case.name,
            score.case.product,
            score.case.cause,
            f"{score.verdict}{place}",
            "yes" if score.remedy else "no",
            "; ".join(score.accusations) or "none",
            ", ".join(score.foreign) or "none",
        ]
        rows.append(f"| {' | '.join(cells)} |")
    for window, words in silent:
        rows.append(
            f"| {window.name} | {window.product} | healthy | {'; '.join(words) or 'silent'} | | | |"
        )
    first = sum(score.verdict == FIRST for score in scores)
    later = sum(score.verdict == LATER for score in scores)
    accused = sum(bool(score.accusations) for score in scores)
    foreign = sum(bool(score.foreign) for score in scores)
    quiet = sum(not words for _, words in silent)
    rows.append("")
    rows.append(
        f"{len(scores)} cases: {first} named first or second, {later} later, "
        f"{len(scores) - first - later} not; {accused} with a false accusation, {foreign} with "
        f"advice for another product. {quiet} of {len(silent)} healthy windows silent."
    )
    return "\n".join(rows)


def _document(command: list[str]) -> dict[str, Any]:
    status, output = run(command)
    if status:
        raise NotReadError(output)
    document: dict[str, Any] = json.loads(output[output.index("{") :])
    return document


def _groups(documents: list[dict[str, Any]]) -> tuple[Group, ...]:
    by_lead: dict[str, list[dict[str, Any]]] = {}
    for document in documents:
        by_lead.setdefault(document["group"], []).append(document)
    return tuple(_group(members) for members in by_lead.values())


def _group(members: list[dict[str, Any]]) -> Group:
    heads = [_words([one["title"], one["sentence"]]) for one in members]
    return Group(
        title=_words(members[0]["title"]),
        severity=max(one["severity"] for one in members),
        heads="\n".join(heads),
        text="\n".join(_words(one) for one in members),
        ids=frozenset(one["id"] for one in members),
    )


def _advised(document: dict[str, Any]) -> Advised:
    asks = [document["title"], document["treatment"], document["steps"]]
    text = {key: part for key, part in document.items() if key not in ("id", "sources")}
    return Advised(_words(document["title"]), _words(asks), _words(text))


def _words(value: Any) -> str:
    """All texts of a document, messages with their parameters filled in, a line each."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        if "template" in value:
            return str(from_json(value))
        return "\n".join(filter(None, map(_words, value.values())))
    if isinstance(value, list):
        return "\n".join(filter(None, map(_words, value)))
    return ""


def _has(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None
