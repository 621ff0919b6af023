"""What a person reads, as data: an English template and the values of its places.

A message is made where it arises and rendered where it is shown, in the reader's language and with
the reader's number format. The template is its id in the catalogue (the gettext convention) and the
English text as well. Names, DNs, paths and values of the user are parameters: they are never
translated, cut or taken for a template.

    Message("{host} does not answer within {limit:duration}.", host=profile.host, limit=ns)
    count_of("{n} search", "{n} searches", n=len(rows))

A place `{name}` shows a text as it is, a whole number with thousands, a message rendered, a tuple
as a list. `{name:kind}` says how a number is shown (KINDS), or is one of Python's own number
formats such as `.1f`. Anything else in braces stays as it is: a template of a file is a
stranger's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from gettext import NullTranslations
from typing import Any, TypeAlias

from ldap_workbench.model.units import (
    exact_size,
    format_duration,
    format_ratio,
    format_share,
    format_size,
    format_time,
)

Value: TypeAlias = "str | int | float | Message | tuple[Value, ...] | None"
"""What fills a place. Numbers stay numbers: durations in ns, sizes in bytes, shares from 0 to 1."""


@dataclass(frozen=True, init=False)
class Message:
    """An English template and what fills its places; `plural` where the parameter n decides."""

    template: str
    parameters: Mapping[str, Value] = field(default_factory=dict)
    plural: str = ""

    def __init__(self, template: str, /, **parameters: Value) -> None:
        object.__setattr__(self, "template", template)
        object.__setattr__(self, "parameters", parameters)
        object.__setattr__(self, "plural", "")

    def __str__(self) -> str:
        """In English: for the command, the report, a log."""
        return ENGLISH.render(self)

    def __bool__(self) -> bool:
        """False for NOTHING."""
        return bool(self.template)

    @property
    def is_verbatim(self) -> bool:
        """Whether it is nothing but somebody's text, or nothing at all."""
        return self.template in (_EMPTY, _VERBATIM) and not self.plural

    def __hash__(self) -> int:
        return hash((self.template, self.plural, tuple(sorted(self.parameters))))


_EMPTY = ""
NOTHING = Message(_EMPTY)
"""Where there is nothing to say."""


def count_of(one: str, many: str, /, *, n: int, **parameters: Value) -> Message:
    """A message whose words depend on the count `n`: 1 search, 8 searches."""
    message = Message(one, n=n, **parameters)
    object.__setattr__(message, "plural", many)
    return message


_VERBATIM = "{text}"
_SENTENCES = "{sentences:sentences}"


def verbatim(text: str) -> Message:
    """Text of somebody else (a server's diagnostics, a file of before) that is shown as it is."""
    return Message(_VERBATIM, text=text) if text else NOTHING


def sentences(*messages: Message) -> Message:
    """Several messages one after the other; what is empty is left out."""
    said = tuple(message for message in messages if message)
    return Message(_SENTENCES, sentences=said) if said else NOTHING


def sentences_of(message: Message) -> Iterator[Message]:
    """The messages that `sentences` has put one after the other, for a list of them."""
    if message.template != _SENTENCES:
        yield from filter(None, [message])
        return
    parts = message.parameters["sentences"]
    assert isinstance(parts, tuple)
    for part in parts:
        assert isinstance(part, Message)
        yield from sentences_of(part)


@dataclass(frozen=True)
class Language:
    """How messages and numbers are shown to a reader: a catalogue and the marks in numbers."""

    code: str = "en"
    thousands: str = ","
    decimal: str = "."
    catalogue: NullTranslations = field(default_factory=NullTranslations)

    def render(self, message: Message) -> str:
        """The text of a message."""
        template = self._template(message)
        return _PLACE.sub(lambda place: self._filled(place, message.parameters), template)

    def format(self, value: float, kind: str = "count") -> str:
        """A number as KINDS says, with the marks of the language."""
        if kind in _UNMARKED:
            return _UNMARKED[kind](value)
        if kind in KINDS:
            return KINDS[kind](value).translate(self._marks)
        return format(value, kind).translate(self._marks)

    def text(self, template: str) -> str:
        """The translation of a text without places; the text itself where there is none."""
        return self.catalogue.gettext(template) if template else ""

    @property
    def _marks(self) -> Mapping[int, str]:
        return {ord(","): self.thousands, ord("."): self.decimal}

    def _template(self, message: Message) -> str:
        count = message.parameters.get("n")
        if message.plural and isinstance(count, int):
            return self.catalogue.ngettext(message.template, message.plural, count)
        return self.text(message.template)

    def _filled(self, place: re.Match[str], parameters: Mapping[str, Value]) -> str:
        name, kind = place.group(1), place.group(2) or ""
        if name not in parameters:
            return place.group()
        return self._shown(parameters[name], kind)

    def _shown(self, value: Value, kind: str) -> str:
        if isinstance(value, tuple):
            return self._list([self._shown(item, "") for item in value], kind)
        if isinstance(value, Message):
            text = self.render(value)
            return text[:1].upper() + text[1:] if kind == _CAPITAL else text
        if value is None or isinstance(value, str):
            return value or ""
        return self.format(value, kind or ("count" if isinstance(value, int) else ".3g"))

    def _list(self, parts: list[str], kind: str) -> str:
        if kind == "sentences":
            return " ".join(parts)
        if kind not in _LAST or len(parts) < 2:
            return ", ".join(parts)
        return self.render(Message(_LAST[kind], first=", ".join(parts[:-1]), last=parts[-1]))


KINDS: Mapping[str, Callable[[Any], str]] = {
    "count": lambda number: f"{number:,}",
    "duration": lambda ns: format_duration(round(ns)),
    "size": format_size,
    "exact_size": exact_size,
    "ratio": format_ratio,
    "percent": format_share,
}
"""How a number is shown, in English; the marks in it are exchanged for those of the language."""
_UNMARKED: Mapping[str, Callable[[Any], str]] = {"plain": str, "time": format_time}
"""Numbers that have no thousands: ports, codes, years; an instant of integer ns since 1970 UTC."""
_LAST = {
    "and": Message("{first} and {last}").template,
    "or": Message("{first} or {last}").template,
}
"""How the last of a list is joined to the others."""
_CAPITAL = "capital"
"""Of a message that begins a sentence."""
_KINDS = "|".join((*KINDS, *_UNMARKED, *_LAST, _CAPITAL, "list", "sentences"))
_PLACE = re.compile(rf"\{{([A-Za-z_]\w*)(?::({_KINDS}|[,+]{{0,2}}(?:\.\d)?[dfge]))?\}}")
"""A place: a name, and perhaps a kind or one of Python's number formats."""
ENGLISH = Language()
_KEPT = {"template", "parameters", "plural"}


_DEEPEST = 20
"""How many messages in one another a file may have; a verdict on a kind of operation has nine."""


def is_message(value: Any) -> bool:
    """Whether it is a message, or what a file keeps of one."""
    if isinstance(value, Message):
        return True
    return isinstance(value, dict) and "template" in value and value.keys() <= _KEPT


def as_json(message: Any) -> Any:
    """What a file keeps: {template, parameters, plural}; anything but a message as it is."""
    if not isinstance(message, Message):
        return message
    stored: dict[str, Any] = {"template": message.template}
    if message.plural:
        stored["plural"] = message.plural
    if message.parameters:
        stored["parameters"] = {name: _plain(value) for name, value in message.parameters.items()}
    return stored


def _plain(value: Value) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple) else as_json(value)


def from_json(stored: Any, depth: int = _DEEPEST) -> Message:
    """Back from `as_json`; anything else (a stranger's, or of before) is shown as text."""
    if isinstance(stored, Message):
        return stored
    if not isinstance(stored, dict) or not isinstance(stored.get("template"), str) or depth == 0:
        return verbatim("" if stored is None else str(stored))
    template, parameters = stored["template"], stored.get("parameters")
    values = parameters if isinstance(parameters, dict) else {}
    message = Message(
        template, **{name: _value(value, depth - 1) for name, value in values.items()}
    )
    if isinstance(plural := stored.get("plural"), str):
        object.__setattr__(message, "plural", plural)
    return message


def _value(stored: Any, depth: int) -> Value:
    if isinstance(stored, list) and depth > 0:
        return tuple(_value(item, depth - 1) for item in stored)
    if stored is None or isinstance(stored, (str, int, float)):
        return stored
    return from_json(stored, depth)
