"""Sentences from below gui/, told in the language of the window.

What a verdict, a finding or a plan says comes as a finished English sentence: so the session keeps
it, and so the command and the report tell it. Here it is known again by the template it was made
from, and made anew from the translation of that template; what fills its places is retold in the
same way. Where no template fits, a text is taken apart at its joints; what nobody translated stays.

In a template {name} is anything, and {name:kind} one of KINDS. Templates that stand in code are
listed in sentences.py; those of resources have their translation in a folder of the language,
file by file and field by field.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any

from PySide6.QtCore import QCoreApplication

from ldap_workbench.advice.evidence.wording import definitions
from ldap_workbench.gui.sentences import LANGUAGE, SENTENCES
from ldap_workbench.gui.style.language import shown
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.message import Message, Text
from ldap_workbench.resources import resource

KINDS = {
    "count": r"\d[\d,]*",
    "number": r"-?\d[\d,.]*(?:e[+-]?\d+)?",
    "ratio": r"×\d[\d,.]*(?:e[+-]?\d+)?",
    "share": r"\d[\d.]*(?:e[+-]?\d+)? ?%",
    "time": r"-?\d[\d,.]*(?:e[+-]?\d+)? (?:ns|µs|ms|s|min|h)",
    "word": r"[^\s,;]+",
    "type": r"[A-Z]{3,}",
    "size": r"\d[\d.]* (?:[KMGT]i)?B",
    "state": r"partial|missing|failed",
    "arm": r"[AB]",
    "quantile": r"p\d[\d.]*",
    "counted": r"\d[\d,]* \w+",
    "addresses": r"[0-9a-f.:, ]+",
    "dn": r"[a-z][\w.-]*=.+?",
}
"""What a place that names a kind can hold."""
_PLACE = re.compile(r"\{(\w+)(?::(\w+))?\}")
_JOINTS = (r"(?<=[.!?]) (?=[^a-z])", "; ", ", and ", ", ", " and ", ": ")
"""Where a text is taken apart, the widest joint first: sentences, then the parts of one."""
DATA = (
    *("advice/389ds", "advice/openldap", "advice/host-linux", "advice/host-solaris"),
    *("knobs/389ds", "knobs/openldap", "knobs/host-linux"),
)
"""Files of resources whose texts a person reads in the window."""
_SENTENCES = "Sentences"


@dataclass(frozen=True)
class Template:
    """A sentence with places, and the same in another language."""

    source: str
    target: str

    @cached_property
    def literal(self) -> str:
        """The longest part that stands in every such sentence."""
        return max(_PLACE.sub("\0", self.source).split("\0"), key=len)

    @cached_property
    def weight(self) -> int:
        """How much of it is not a place: the heavier fits a sentence better."""
        return len(_PLACE.sub("", self.source))

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        parts, end = [], 0
        for place in _PLACE.finditer(self.source):
            held = KINDS.get(place[2], ".*?")
            parts += [re.escape(self.source[end : place.start()]), f"(?P<{place[1]}>{held})"]
            end = place.end()
        return re.compile("".join((*parts, re.escape(self.source[end:]))), re.DOTALL)

    def fill(self, values: Mapping[str, str]) -> str:
        """The translation with what stood in the places."""
        return _PLACE.sub(lambda place: values[place[1]], self.target)


def retold(text: Text) -> str:
    """A message in the language of the window, with what is the user's as it is; a text of a room
    that has no messages yet is known again by its template, and stays as it is where none fits."""
    if isinstance(text, Message):
        return shown(text)
    language = QCoreApplication.translate(_SENTENCES, str(LANGUAGE))
    return text if language == LANGUAGE else _retold(text, language)


def explained(error: Exception) -> str:
    """An error in the language of the window: what happened, what is safe, what to do."""
    return shown(error.explanation) if isinstance(error, WorkbenchError) else str(error)


def get_ready() -> None:
    """Read what is translated before the first sentence is shown; in any thread."""
    language = QCoreApplication.translate(_SENTENCES, str(LANGUAGE))
    if language != LANGUAGE:
        templates(language)


@lru_cache(maxsize=4096)
def _retold(text: str, language: str) -> str:
    bare = text.strip()
    if not any(map(str.isalpha, bare)):
        return text
    told = _known(bare, language) or _in_pieces(bare, language)
    return text.replace(bare, told) if told else text


def _known(text: str, language: str) -> str:
    """By its template, with its full stop or without; '' where none fits."""
    told = _filled(text, language)
    if not told and text.endswith("."):
        told = _filled(text[:-1], language)
        return f"{told}." if told else ""
    return told


def _filled(text: str, language: str) -> str:
    plain, placed = templates(language)
    if told := plain.get(text):
        return told
    for template in placed:
        if template.literal in text and (found := template.pattern.fullmatch(text)):
            values = found.groupdict()
            return template.fill({name: _retold(each, language) for name, each in values.items()})
    return ""


def _in_pieces(text: str, language: str) -> str:
    """Its parts retold, where one of them is known; '' where none is."""
    for joint in _JOINTS:
        pieces = re.split(joint, text)
        if len(pieces) == 1:
            continue
        told = [_retold(piece, language) for piece in pieces]
        if told != pieces:
            between = " " if joint.startswith("(") else joint
            return QCoreApplication.translate(_SENTENCES, between).join(told)
    return ""


@cache
def templates(_language: str) -> tuple[Mapping[str, str], Sequence[Template]]:
    """All that is translated into a language: without places, and with them, the heaviest first."""
    texts = (
        *map(str, SENTENCES),
        *_texts(definitions()),
        *(text for name in DATA for text in _texts(_read(f"{name}.toml"))),
    )
    told = {each: QCoreApplication.translate(_SENTENCES, each) for each in texts}
    plain = {source: target for source, target in told.items() if not _PLACE.search(source)}
    every = (Template(source, target) for source, target in told.items() if source not in plain)
    # What is nothing but places and stops would fit any text: those are taken apart.
    found = [template for template in every if any(map(str.isalpha, template.literal))]
    return plain, sorted(found, key=lambda template: -template.weight)


def _read(path: str) -> dict[str, Any]:
    return tomllib.loads(resource(path).read_text("utf-8"))


def _texts(node: Any) -> Iterator[str]:
    if isinstance(node, str) and node.strip():
        yield node.strip()
    elif isinstance(node, dict):
        for value in node.values():
            yield from _texts(value)
    elif isinstance(node, list):
        for value in node:
            yield from _texts(value)
