"""Nouns as JSON and back, by their own type hints."""

from __future__ import annotations

import json
import types
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from ldap_workbench.model.errors import SessionError
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.message import from_json as message_from_json
from ldap_workbench.model.stored import RENAMED, as_stored, stored_name
from ldap_workbench.session.limits import MAX_DEPTH

T = TypeVar("T")

_KINDS = {
    str: Message("a text"),
    int: Message("a whole number"),
    float: Message("a number"),
    bool: Message("yes or no"),
    list: Message("a list"),
    dict: Message("an object"),
}
_NEITHER = Message("nothing")


class _MisfitError(TypeError):
    """A value that is not of the type of its field."""

    def __init__(self, what: Message) -> None:
        super().__init__(str(what))
        self.what = what


def to_json(noun: Any) -> str:
    """A dataclass as JSON with sorted keys."""
    # As escapes a name of a file that is not in UTF-8 gets through the database.
    return json.dumps(as_stored(noun), sort_keys=True, ensure_ascii=True)


def from_json(cls: type[T], text: str) -> T:
    """The noun that `to_json` wrote. Raises SessionError where the text does not fit the noun."""
    try:
        values = json.loads(text)
        _check_depth(values)
        return cast(T, _noun(cls, values))
    except (TypeError, ValueError, KeyError, RecursionError) as error:
        raise _unfit(verbatim(cls.__name__), error) from error


def check_finite(noun: Any) -> None:
    """Whether every number of a noun has an end; JSON of Python may say otherwise."""
    try:
        json.dumps(as_stored(noun), allow_nan=False)
    except ValueError:
        endless = _MisfitError(Message("it has a number without an end"))
        raise _unfit(verbatim(type(noun).__name__), endless) from None


def check_value(name: str, hint: Any, value: Any) -> None:
    """Whether a value of no noun has the type of a hint. Raises SessionError."""
    try:
        _value(hint, value)
    except (TypeError, ValueError) as error:
        raise _unfit(Message("detail '{name}'", name=name), error) from error


def _unfit(what: Message, error: Exception) -> SessionError:
    shown = verbatim("".join(c if c.isprintable() else "?" for c in str(error)[:300]))
    if isinstance(error, RecursionError):
        shown = Message("it is nested too deeply")
    if isinstance(error, _MisfitError):
        shown = error.what
    return SessionError(
        Message("The session holds a {what} that cannot be read: {shown}.", what=what, shown=shown),
        safe=Message("The file was not changed."),
        remedy=Message("It may be truncated or damaged: copy it again from where it was made."),
    )


def _check_depth(value: Any, depth: int = 0) -> None:
    """Whatever walks through a noun later calls itself at every level."""
    if depth > MAX_DEPTH:
        raise RecursionError
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        raise _MisfitError(Message("it has a number of more than 64 bits"))
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            _check_depth(item, depth + 1)


def _noun(cls: type[Any], values: Any) -> Any:
    if not isinstance(values, dict):
        raise _misfit(values, Message("a {noun}", noun=cls.__name__))
    known = _fields(cls)  # type: ignore[arg-type]
    values_by_name = {}
    for key, value in values.items():
        # A key unknown to this version is passed over: newer minor versions may add some.
        if key in known:
            name, hint, renamed = known[key]
            if isinstance(value, str):
                value = renamed.get(value, value)
            values_by_name[name] = _field(key, hint, value)
    return cls(**values_by_name)


def _field(name: str, hint: Any, value: Any) -> Any:
    try:
        return _value(hint, value)
    except _MisfitError as error:
        raise _MisfitError(Message("{field}: {what}", field=name, what=error.what)) from None


@cache
def _fields(cls: type[Any]) -> dict[str, tuple[str, Any, dict[str, str]]]:
    """Name in files -> name, type and renamed values of every field.

    Asked of Python, types are compiled anew each time.
    """
    hints = get_type_hints(cls)
    return {
        stored_name(field): (field.name, hints[field.name], field.metadata.get(RENAMED, {}))
        for field in fields(cls)
    }


def _value(hint: Any, value: Any) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return value
    if origin in (Union, types.UnionType):
        if value is None:
            return None
        return _value(next(a for a in arguments if a is not type(None)), value)
    if origin is tuple:
        return tuple(_value(arguments[0], item) for item in _of_type(list, value))
    if origin is dict:
        return {key: _value(arguments[1], item) for key, item in _of_type(dict, value).items()}
    if hint is Message:
        # A text was written before there were messages.
        return message_from_json(value if isinstance(value, dict) else _of_type(str, value))
    if issubclass(hint, Enum):
        return hint(_of_type(str, value))
    if is_dataclass(hint):
        return _noun(hint, value)  # type: ignore[arg-type]
    # JSON has one kind of number: a whole one may stand for a real one.
    if hint is float and type(value) is int:
        return value
    return _of_type(hint, value)


def _of_type(kind: type[Any], value: Any) -> Any:
    if type(value) is not kind:
        raise _misfit(value, _KINDS[kind])
    return value


def _misfit(value: Any, wanted: Message) -> _MisfitError:
    kind = _KINDS.get(type(value), _NEITHER)
    return _MisfitError(Message("{found} instead of {wanted}", found=kind, wanted=wanted))
