"""The nouns of a session with pseudonyms: what becomes of each field that holds text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cache
from gettext import GNUTranslations
from typing import Any, TypeVar

from ldap_workbench.model.experiment import REPLAY
from ldap_workbench.model.message import (
    NOTHING,
    Message,
    as_json,
    from_json,
    is_message,
    verbatim,
)
from ldap_workbench.report.anonymous.texts import Texts
from ldap_workbench.resources import resource

T = TypeVar("T")

KEPT, NAME, TEXT, DROPPED, COMMAND = "kept", "name", "text", "dropped", "command"
METRIC = "metric"
"""As it is; one name; a text with names in it; empty in the copy; only whether it is a replay."""
DETAILS = "details"
"""Keys are the workbench's own, values are texts."""
RULES: dict[str, dict[str, str]] = {
    "Window": {"name": TEXT, "arm": KEPT, "note": DROPPED, "remark": TEXT},
    "Source": {"name": TEXT, "why": TEXT, "dialect": KEPT, "details": DETAILS},
    "LineCounts": {"reasons": TEXT},
    "Mark": {"kind": KEPT, "text": TEXT},
    "Experiment": {
        "why": TEXT, "change_groups": NAME, "void": TEXT, "lost": KEPT, "remarks": TEXT,
        "left_stored": TEXT,
    },
    "Plan": {"primary": METRIC, "load": COMMAND, "guards": KEPT, "earlier": TEXT},
    "Setting": {"knob": KEPT, "value": TEXT, "place": TEXT, "operator": KEPT},
    "Design": {"kind": KEPT},
    "Step": {"arm": KEPT},
    "Verdict": {
        "metrics": KEPT, "why": TEXT, "design": KEPT, "sentence": TEXT, "types": KEPT,
        "dropped": TEXT, "warnings": TEXT,
    },
    "MetricVerdict": {"metric": KEPT, "verdict": KEPT, "type": METRIC, "takes": TEXT},
    "VerdictDetails": {"planning": KEPT, "lost": KEPT, "hung": KEPT},
    "WindowValues": {"arm": KEPT},
    "StallLedger": {"arms": KEPT},
    "LedgerStall": {"arm": KEPT},
    "RareEvents": {"sentence": TEXT},
    "Clients": {"index": KEPT},
    "Sensitivity": {"pairs": KEPT, "hours": KEPT},
    "Change": {
        "group": NAME, "server": NAME, "profile": NAME, "knob": KEPT, "dn": TEXT,
        "attribute": KEPT, "before": TEXT, "asked": TEXT, "got": TEXT, "message": TEXT,
        "proof": TEXT, "session": DROPPED, "stored": TEXT,
    },
    "TargetFacts": {
        "profile": NAME, "product": KEPT, "version": KEPT, "host": NAME, "instance": NAME,
        "db_library": KEPT, "db_directory": TEXT, "access_log": TEXT, "error_log": TEXT,
        "device": TEXT, "audit_log": TEXT, "audit_device": TEXT, "kernel": KEPT,
        "pid_file": TEXT, "config_folder": TEXT, "thread_pool_file": TEXT, "identity": NAME,
        "machine": NAME, "certificate": NAME,
        "unknown": TEXT,
    },
    "Backend": {"name": TEXT, "suffix": TEXT, "dn": TEXT, "folder": TEXT},
}  # fmt: skip
"""Class -> field that may hold text -> what becomes of it. A test holds every field to be here."""
_PLACE = re.compile(r"(\{[a-z_]\w*(?::[\w.,+]*)?\})")
_OWN_KEY = re.compile(r"[a-z]+(?:_[a-z0-9]+)+")
KEPT_DETAILS = frozenset(("version", "packages"))
"""Of what is told of a source: versions of programs, which are no names."""


class Nouns:
    """Rewrites nouns with the texts of one key."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def noun(self, noun: T) -> T:
        """A noun with pseudonyms in place of what could identify a person or a host."""
        rules = RULES.get(type(noun).__name__, {})
        changed = {
            field.name: self._field(rules.get(field.name, TEXT), getattr(noun, field.name))
            for field in fields(noun)  # type: ignore[arg-type]
        }
        return replace(noun, **changed)  # type: ignore[type-var]

    def _field(self, rule: str, value: Any) -> Any:
        if rule == KEPT and not isinstance(value, dict | tuple):
            return value
        if rule == METRIC:
            # Of one kind of operation, it holds a filter, an address or a DN.
            return self._texts.text(value) if "[" in value else value
        if rule == DROPPED:
            return ""
        if rule == DETAILS:
            return {key: self._inner(key, value[key], self._texts.text) for key in value}
        if rule == COMMAND:
            if value.startswith(REPLAY):
                return f"{REPLAY}window"
            return "load" if value else ""
        return self._value(value, self._texts.name if rule == NAME else self._texts.text)

    def _value(self, value: Any, rewrite: Callable[[str], str]) -> Any:
        if isinstance(value, Message):
            return self._message(value)
        if isinstance(value, Enum):
            return value
        if is_dataclass(value) and not isinstance(value, type):
            return self.noun(value)
        if isinstance(value, str):
            return rewrite(value)
        if message := _stored_message(value):
            return as_json(self._message(message))
        if isinstance(value, dict):
            return {_key(key, rewrite): self._inner(key, value[key], rewrite) for key in value}
        if isinstance(value, tuple | list):
            return type(value)(self._value(item, rewrite) for item in value)
        return value

    def _inner(self, key: str, value: Any, rewrite: Callable[[str], str]) -> Any:
        return value if key in KEPT_DETAILS else self._value(value, rewrite)

    def _template(self, template: str) -> str:
        parts = _PLACE.split(template)
        # Every second part is a place.
        return "".join(
            part if number % 2 else self._texts.text(part) for number, part in enumerate(parts)
        )

    def _message(self, message: Message) -> Message:
        parameters = {
            name: self._value(value, self._texts.text) for name, value in message.parameters.items()
        }
        template, plural = message.template, message.plural
        if not _is_ours(template):
            template, plural = self._template(template), self._template(plural)
        made = Message(template, **parameters)
        object.__setattr__(made, "plural", plural)
        return made


def _stored_message(value: Any) -> Message:
    """A message as details of a source keep it, whose keys are nobody's words; NOTHING otherwise.

    Places of a text that is not ours may be names, and are treated as anything else.
    """
    template = value["template"] if is_message(value) else None
    if not isinstance(template, str):
        return NOTHING
    if _is_ours(template) or template == verbatim(template).template:
        return from_json(value)
    return NOTHING if _PLACE.search(template) else Message(template)


def _key(key: str, rewrite: Callable[[str], str]) -> str:
    """Keys of the workbench have underscores where they have words of their own."""
    return key if _OWN_KEY.fullmatch(key) else rewrite(key)


@cache
def _catalogue() -> GNUTranslations:
    with resource("translations/de.mo").open("rb") as file:
        return GNUTranslations(file)


def _is_ours(template: str) -> bool:
    """Whether it is a text of the workbench: a file may hold anything as a template."""
    catalogue = _catalogue()
    return (
        catalogue.gettext(template) != template or catalogue.ngettext(template, "", 1) != template
    )
