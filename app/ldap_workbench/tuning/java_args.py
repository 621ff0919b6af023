"""Options of OpenDJ's JVM: they stand together on one line of config/java.properties.

The line is journalled and put back as a whole, so a revert restores the file to the byte.
bin/start-ds reads it at each start, unless its environment has OPENDJ_JAVA_ARGS (tried on 4.6.5).
"""

from __future__ import annotations

import re

from ldap_workbench.model.knob import Knob, ValueKind

PROPERTY = "start-ds.java-args"
_DEFAULT = "default.java-args"
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}

Line = tuple[str, ...] | None
"""What stands behind the property; None where the file has no such line."""


def is_java_args(dn: str, attribute: str) -> bool:
    """Whether a place is a line of that file: its "dn" is a path."""
    return dn.startswith("/") and attribute == PROPERTY


def line_in(text: str, name: str = PROPERTY) -> Line:
    """The arguments in a file. Where it has several such lines, start-ds would read all of them."""
    match = _line(name).search(text)
    return None if match is None else (match[2],)


def with_line(text: str, line: Line) -> str:
    """The file with another line; a new one stands before that of the default, else first."""
    there = _line(PROPERTY).search(text)
    if there is not None:
        new = "" if line is None else f"{there[1]}{line[0]}{there[3]}"
        return text[: there.start()] + new + text[there.end() :]
    if line is None:
        return text
    default = _line(_DEFAULT).search(text)
    at = default.start() if default else 0
    return f"{text[:at]}{PROPERTY}={line[0]}\n{text[at:]}"


def args_in(text: str) -> str:
    """The arguments that start-ds would take: the default's where its own line has none."""
    own, default = line_in(text), line_in(text, _DEFAULT)
    return (own[0] if own else "") or (default[0] if default else "")


def with_option(knob: Knob, args: str, value: str) -> str:
    """The arguments with the options of a knob set, those it had before left out."""
    others = [word for word in args.split() if not any(_option(knob, word))]
    return " ".join([*others, *(option.format(value) for option in knob.java_options)])


def option_in(knob: Knob, line: Line) -> Line:
    """What the line says of a knob: the last counts, as for the JVM. What is of no JVM stays."""
    if not knob.java_options or line is None:
        return line
    said = [_option(knob, word)[-1] for word in line[0].split()]
    values = [value for value in said if value]
    if not values:
        return None
    return (_bytes(values[-1]) if knob.kind is ValueKind.SIZE else values[-1],)


def _option(knob: Knob, word: str) -> list[str]:
    """The value of each of a knob's options in one word of the line, '' where it is another."""
    value = "|".join(knob.choices) or r"\d+\w?"
    patterns = (re.escape(option).replace(r"\{\}", f"({value})") for option in knob.java_options)
    matches = (re.fullmatch(pattern, word) for pattern in patterns)
    return [match[1] if match else "" for match in matches]


def _bytes(size: str) -> str:
    """512m of the JVM in bytes."""
    digits = size.rstrip("kKmMgGtT")
    return str(int(digits) * _UNITS[size[len(digits) :].lower()])


def _line(name: str) -> re.Pattern[str]:
    """As start-ds looks for it: blanks before the name, none around the equals sign."""
    return re.compile(rf"^([^\S\n]*{re.escape(name)}=)([^\n]*)(\n?)", re.MULTILINE)
