"""Nouns as JSON and back, by their own type hints."""

from __future__ import annotations

import json
import types
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from ldap_workbench.model.errors import SessionError

T = TypeVar("T")


def to_json(noun: Any) -> str:
    """A dataclass as JSON with sorted keys."""
    return json.dumps(asdict(noun), sort_keys=True, ensure_ascii=False)


def from_json(cls: type[T], text: str) -> T:
    """The noun that `to_json` wrote. Raises SessionError where the text does not fit the noun."""
    try:
        return _noun(cls, json.loads(text))
    except (TypeError, ValueError, KeyError) as error:
        raise SessionError(
            f"A {cls.__name__} in the session cannot be read: {error}.",
            safe="The file was not changed.",
        ) from error


def _noun(cls: type[T], values: Mapping[str, Any]) -> T:
    hints = _hints(cls)  # type: ignore[arg-type]
    # A key unknown to this version is passed over: newer minor versions may add some.
    return cls(**{name: _value(hints[name], values[name]) for name in values if name in hints})


@cache
def _hints(cls: type[Any]) -> dict[str, Any]:
    """The type of every field of a noun; asked of Python, it is compiled anew each time."""
    hints = get_type_hints(cls)
    return {field.name: hints[field.name] for field in fields(cls)}


def _value(hint: Any, value: Any) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if value is None:
            return None
        return _value(next(a for a in arguments if a is not type(None)), value)
    if origin is tuple:
        return tuple(_value(arguments[0], item) for item in value)
    if origin is dict:
        return {key: _value(arguments[1], item) for key, item in value.items()}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(value)
    if is_dataclass(hint):
        return _noun(hint, value)  # type: ignore[arg-type]
    return value
