"""A knob's value as a person types it, turned into the plain word the server stores."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ldap_workbench.model.errors import KnobError, UsageError
from ldap_workbench.model.knob import Knob, ValueKind
from ldap_workbench.model.sizes import parse_size
from ldap_workbench.model.units import format_size

_SWITCH = {"on": "on", "true": "on", "yes": "on", "off": "off", "false": "off", "no": "off"}
_SECONDS = {"": 1, "s": 1, "min": 60, "m": 60, "h": 3600, "d": 86400}


def plain(knob: Knob, text: str, *, ram_bytes: int | None = None) -> str:
    """The value as the server stores it: '200 MiB' -> '209715200', 'ON' -> 'on'.

    Raises KnobError when the value does not fit the knob's kind, range or the server's RAM: these
    are refused here because the server takes many wrong values silently.
    """
    text = text.strip()
    if knob.kind is ValueKind.SWITCH:
        return _word(knob, text, _SWITCH)
    if knob.kind is ValueKind.CHOICE:
        return _word(knob, text, {choice.lower(): choice for choice in knob.choices})
    if knob.kind is ValueKind.TEXT:
        return _text(knob, text)
    return _number(knob, text, ram_bytes)


def shown(knob: Knob, value: str | None) -> str:
    """A stored value as a person reads it: '209715200 (200 MiB)', '60 s', 'absent'."""
    if value is None:
        return "absent"
    if knob.kind is ValueKind.SIZE and value.isdigit() and int(value) >= 1024:
        return f"{value} ({format_size(int(value))})"
    if knob.unit and re.fullmatch(r"-?\d+", value):
        return f"{value} {knob.unit}"
    return value


def numbered(steps: Sequence[str]) -> str:
    """Steps for a sentence: '1. Stop the server. 2. ...'."""
    return " ".join(f"{number}. {step}" for number, step in enumerate(steps, 1))


def _word(knob: Knob, text: str, words: dict[str, str]) -> str:
    if (word := words.get(text.lower())) is None:
        raise _misfit(knob, text, "one of " + ", ".join(sorted(set(words.values()))))
    return word


def _text(knob: Knob, text: str) -> str:
    if not text or any(ord(letter) < 32 for letter in text):
        raise _misfit(knob, text, "one line of text")
    return text


def _number(knob: Knob, text: str, ram_bytes: int | None) -> str:
    if text in knob.choices:
        return text
    number = _parse(knob, text)
    low, high = knob.minimum, knob.maximum
    if (low is None and high is None and knob.choices) or (
        (low is not None and number < low) or (high is not None and number > high)
    ):
        raise _misfit(knob, text, _range(knob))
    if knob.in_memory and ram_bytes is not None and number > ram_bytes:
        raise _misfit(knob, text, f"at most the server's memory of {format_size(ram_bytes)}")
    return str(number)


def _parse(knob: Knob, text: str) -> int:
    try:
        if knob.kind is ValueKind.SIZE:
            return parse_size(text)
        return _whole(knob, text)
    except (ValueError, UsageError):
        raise _misfit(knob, text, _range(knob)) from None


def _whole(knob: Knob, text: str) -> int:
    match = re.fullmatch(r"(-?\d{1,19})\s*([A-Za-z%]*)", text)
    if match is None:
        raise ValueError(text)
    number, unit = int(match.group(1)), match.group(2)
    if knob.kind is ValueKind.SECONDS:
        if unit not in _SECONDS:
            raise ValueError(text)
        return number * _SECONDS[unit]
    if unit and unit != knob.unit:
        raise ValueError(text)
    return number


def _range(knob: Knob) -> str:
    what = "a size in bytes or with KiB, MiB, GiB" if knob.kind is ValueKind.SIZE else "a number"
    if knob.minimum is not None:
        what += f" from {knob.minimum}"
    if knob.maximum is not None:
        what += f" to {knob.maximum}"
    if knob.choices:
        known = ", ".join(knob.choices)
        what = f"one of {known}" if knob.minimum is None else f"{what}, or {known}"
    return what


def _misfit(knob: Knob, text: str, wanted: str) -> KnobError:
    unit = f" {knob.unit}" if knob.unit and knob.kind is not ValueKind.SIZE else ""
    return KnobError(
        f"'{text}' does not fit {knob.name} ({knob.title}).",
        safe="Nothing was changed.",
        remedy=f"Give {wanted}{unit}." + (f" {knob.trap}" if knob.trap else ""),
    )
