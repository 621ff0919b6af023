"""A knob's value as a person types it, turned into the plain word the server stores."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ldap_workbench.model.errors import KnobError, UsageError
from ldap_workbench.model.knob import Knob, ValueKind
from ldap_workbench.model.message import Message, sentences, verbatim
from ldap_workbench.model.typed import parse_size
from ldap_workbench.tuning.vlv import SortedList

ABSENT = "absent"
"""Asked of an index or a sorted list: that there is none."""
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
    if knob.kind is ValueKind.INDEX:
        return _index_types(knob, text)
    if knob.kind is ValueKind.SORTED_LIST:
        return _sorted_list(knob, text)
    if knob.kind is ValueKind.TEXT:
        if not text or any(ord(letter) < 32 for letter in text):
            raise _misfit(knob, text, Message("one line of text"))
        return text
    return _number(knob, text, ram_bytes) + knob.stored_unit


def shown(knob: Knob, value: str | None) -> Message:
    """A stored value as a person reads it: '209715200 (200 MiB)', '60 s', 'absent'."""
    if value is None:
        return Message("absent")
    if knob.kind is ValueKind.SIZE and value.isdigit() and int(value) >= 1024:
        return Message("{value} ({size:size})", value=value, size=int(value))
    if knob.unit and re.fullmatch(r"-?\d+", value):
        return Message("{value} {unit}", value=value, unit=knob.unit_label)
    return verbatim(value)


def numbered(steps: Sequence[Message]) -> Message:
    """Steps for a sentence: '1. Stop the server. 2. ...'."""
    return sentences(
        *(Message("{number}. {step}", number=i, step=step) for i, step in enumerate(steps, 1))
    )


def _index_types(knob: Knob, text: str) -> str:
    """'eq, sub' -> 'eq,sub'; 'absent' stays."""
    words = re.split(r"[,\s]+", text.lower())
    if words == [ABSENT]:
        return ABSENT
    if not set(words) <= set(knob.choices):
        raise _misfit(knob, text, Message("{types:list}, or absent", types=knob.choices))
    return ",".join(dict.fromkeys(words))


def _sorted_list(knob: Knob, text: str) -> str:
    if text.lower() == ABSENT:
        return ABSENT
    wanted = SortedList.parse(text)
    if wanted is None:
        form = Message(
            "BASE SCOPE FILTER ORDER, such as 'ou=people,dc=example,dc=com sub "
            "(objectClass=person) cn', with base, one or sub for SCOPE, or absent"
        )
        raise _misfit(knob, text, form)
    return str(wanted)


def _word(knob: Knob, text: str, words: dict[str, str]) -> str:
    if (word := words.get(text.lower())) is None:
        known = tuple(sorted(set(words.values())))
        raise _misfit(knob, text, Message("one of {choices}", choices=known))
    return word


def _number(knob: Knob, text: str, ram_bytes: int | None) -> str:
    if text in knob.choices:
        return text
    number = _parse(knob, text)
    low, high = knob.minimum, knob.maximum
    only_choices = bool(knob.choices) and low is None and high is None
    too_small = low is not None and number < low
    too_large = high is not None and number > high
    if only_choices or too_small or too_large:
        raise _misfit(knob, text, _range(knob))
    if knob.in_memory and ram_bytes is not None and number > ram_bytes:
        most = Message("at most the server's memory of {ram:size}", ram=ram_bytes)
        raise _misfit(knob, text, most)
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


def _range(knob: Knob) -> Message:
    if knob.choices and knob.minimum is None:
        return Message("one of {choices}", choices=knob.choices)
    what = Message("a number")
    if knob.kind is ValueKind.SIZE:
        what = Message("a size in bytes or with KiB, MiB, GiB")
    if knob.minimum is not None:
        what = Message("{what} from {low:plain}", what=what, low=knob.minimum)
    if knob.maximum is not None:
        what = Message("{what} to {high:plain}", what=what, high=knob.maximum)
    if knob.choices:
        what = Message("{what}, or {choices}", what=what, choices=knob.choices)
    return what


def _misfit(knob: Knob, text: str, wanted: Message) -> KnobError:
    give = Message("Give {wanted}.", wanted=wanted)
    if knob.unit and knob.kind is not ValueKind.SIZE:
        give = Message("Give {wanted} {unit}.", wanted=wanted, unit=knob.unit_label)
    return KnobError(
        Message(
            "'{text}' does not fit {knob} ({title}).", text=text, knob=knob.name, title=knob.title
        ),
        safe=Message("Nothing was changed."),
        remedy=sentences(give, knob.trap),
    )
