"""Nouns as plain values, the way a session and `--json` hold them."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from ldap_workbench.model.message import Message, as_json

STORED = "stored"
"""Key of a field's metadata: its name in files, where that is no name in Python; "" for one that
no file has."""
RENAMED = "renamed"
"""Key of a field's metadata: values in files of earlier versions, and what they are now."""


def stored_name(field: Any) -> str:
    """What a field of a dataclass is called in files."""
    return str(field.metadata.get(STORED, field.name))


def as_stored(value: Any) -> Any:
    """Dataclasses as dicts and tuples as lists, down to the last; messages with their parts."""
    if isinstance(value, Message):
        return str(value) if value.is_verbatim else as_json(value)
    if is_dataclass(value):
        return {
            stored_name(field): as_stored(getattr(value, field.name))
            for field in fields(value)
            if stored_name(field)
        }
    if isinstance(value, dict):
        return {key: as_stored(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_stored(item) for item in value]
    return value
