"""What a person asks of operations in words: `etime>100ms client=10.0.0.12 smith`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.operation_filter import OperationFilter
from ldap_workbench.model.operations import ABSENT, CHANGES, NOTES, TYPES
from ldap_workbench.model.typed import instant

TEXTS = {"filter": "fingerprint", "client": "client", "base": "base", "dn": "bind_dn"}
"""A name in a condition -> the column of `operation` that points into the strings of that kind."""


@dataclass(frozen=True)
class Derived:
    """What is told by a part of a text: `values` gives a list of them in SQL.

    `kinds`: of operations of these types only, all where it is empty.
    """

    column: str
    values: str
    kinds: tuple[int, ...] = ()


_DN = r"lower(regexp_replace(value, '\s*,\s*', ',', 'g'))"
_DC = rf"regexp_extract({_DN}, '(?:^|,)(dc=[^,]+(?:,dc=[^,]+)*)$', 1)"
_ROOT = rf"coalesce(nullif({_DC}, ''), regexp_extract({_DN}, '([^,]*)$', 1))"
_ATTRIBUTES = r"'\(\s*([A-Za-z][\w;.-]*)\s*(?:[~<>]|:[^=()]*)?='"
DERIVED = {
    "suffix": Derived("base", f"[{_ROOT}]"),
    "parent": Derived("base", rf"[regexp_replace({_DN}, '^[^,]*,?', '')]"),
    "entry": Derived("base", f"[{_DN}]", tuple(TYPES.index(kind) for kind in CHANGES)),
    "attribute": Derived(
        "fingerprint", f"list_distinct(regexp_extract_all(lower(value), {_ATTRIBUTES}, 1))"
    ),
}
"""The suffix of a DN as its own parts tell it (all of dc=, else the last), the branch it is in, the
entry of a change, and the attributes a filter refers to: an operation may have several."""
DURATIONS = {"etime": "etime_ns", "wtime": "wtime_ns", "optime": "optime_ns"}
MOMENTS = {"from": "end_ns - etime_ns >=", "to": "end_ns <="}
NUMBERS = {"err": "err", "entries": "nentries", "conn": "conn", "op": "op"}

_NAMED = re.compile(r"(-?\d{1,18})/(-?\d{1,18})")
_MOST_NAMED = 10_000
_PIECE = re.compile(r'(?:[^\s"]|"(?:[^"\\]|\\.)*"?)+')
_TERM = re.compile(r"([a-z]+)(>=|<=|!=|>|<|=)(.*)", re.DOTALL | re.IGNORECASE)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"?')
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ns|us|µs|ms|s|min)")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9}


@dataclass(frozen=True)
class Condition:
    """A condition on a row of `operation`, as SQL, and the values of its question marks."""

    sql: str
    parameters: tuple[object, ...] = ()
    internal: bool = False
    """Whether it asks for the server's own operations too."""
    own: bool = False
    """Whether it asks for those of the workbench too."""
    finding: str = ""
    """The finding whose operations it asks for, which must be put in its place before it is used
    (`figures.operations.view.resolved`); '' for none."""


def parse_conditions(text: str) -> tuple[Condition, ...]:
    """The conditions in a line of words; all of them hold.

    `etime>100ms` (wtime, optime), `err!=0` (entries, conn, op), `type=SRCH`, `notes=U` compare;
    `filter=`, `client=`, `base=`, `dn=` are the whole text ("" for none), quoted where it has
    blanks; `suffix=`, `parent=`, `entry=`, `attribute=` a part of one, see DERIVED. `from=` and
    `to=` are ISO times, UTC without a zone: it begins no earlier, it ends no later; `end` compares
    its end. `ops=12/3,13/1` are operations by connection and number, `internal=yes` adds the
    server's own, `source=3` are those of one log. `finding=stall` are the operations of a finding,
    `finding=stall/2` those of its second piece of evidence. Any other word is a type, a connection,
    or part of one of those texts in any case.
    Raises UsageError for a value that does not fit.
    """
    return tuple(_condition(match[0]) for match in _PIECE.finditer(text))


def exactly(name: str, value: str, operator: str = "=") -> str:
    """The words that find the operations of one group: `filter="(uid=?)"`."""
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    plain = re.fullmatch(r"[\w.:/-]+", value)
    return f"{name}{operator}{value}" if plain else f'{name}{operator}"{quoted}"'


def words_of(which: OperationFilter) -> str:
    """The words that find what a filter finds."""
    if which.rows is not None:
        return exactly("finding", which.finding)
    words = [exactly("type", which.type)] if which.type else []
    if which.error is not None:
        words.append(f"err={which.error}")
    texts = {
        "filter": which.filter,
        "client": which.client,
        "dn": which.bind_dn,
        "base": which.base,
    }
    words += [exactly(name, text) for name, text in texts.items() if text is not None]
    words += [exactly("filter", text, "!=") for text in which.not_filters]
    words += [f"type!={kind}" for kind in which.not_types]
    if which.notes:
        words.append(f"notes={which.notes}")
    if which.least_ns is not None:
        words.append(f"etime>={which.least_ns}ns")
    if which.most_ns is not None:
        words.append(f"etime<={which.most_ns}ns")
    if which.ended_from_ns is not None:
        words.append(f"end>={iso(which.ended_from_ns)}")
    if which.listed:
        words.append("ops=" + ",".join(f"{conn}/{op}" for conn, op in which.listed))
    if which.internal:
        words.append("internal=yes")
    if which.source is not None:
        words.append(f"source={which.source}")
    moments = {"from": which.start_ns, "to": which.end_ns}
    return " ".join([*words, *(f"{name}={iso(ns)}" for name, ns in moments.items())])


def iso(ns: int) -> str:
    """A moment as `from=` and `to=` take it, to the microsecond: 2026-11-21T04:15:46.123000Z."""
    return (_EPOCH + timedelta(microseconds=ns // 1000)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _condition(piece: str) -> Condition:
    term = _TERM.fullmatch(piece)
    name = term[1].lower() if term else ""
    if term and name in DURATIONS:
        return _compared(DURATIONS[name], term[2], _nanoseconds(name, term[3]))
    if term and name in NUMBERS:
        return _compared(NUMBERS[name], term[2], _number(name, term[3]))
    if term and name in MOMENTS:
        return _bounded(name, term[2], _plain(term[3]))
    if term and name == "end":
        return Condition(f"(end_ns {term[2]} ?)", (_moment(name, term[2], _plain(term[3])),))
    if term and name in _NAMING:
        if term[2] != "=":
            raise _not_searchable(name, term[2])
        return _NAMING[name](_plain(term[3]))
    if term and name in {*TEXTS, *DERIVED, "type", "notes"}:
        return _equal(name, term[2], _plain(term[3]))
    return _word(_plain(piece))


def _compared(column: str, operator: str, value: int) -> Condition:
    # What is not known is neither more nor less than anything.
    return Condition(f"({column} != {ABSENT} AND {column} {operator} ?)", (value,))


def _bounded(name: str, operator: str, value: str) -> Condition:
    if operator != "=":
        raise _not_searchable(name, operator)
    return Condition(f"({MOMENTS[name]} ?)", (_moment(name, operator, value),))


def _moment(name: str, operator: str, value: str) -> int:
    ns = instant(value)
    if ns is None:
        raise _not_searchable(name, operator)
    return ns


def _listed(text: str) -> Condition:
    """Operations by connection and number: `12/3,13/1`."""
    named = [_NAMED.fullmatch(part) for part in text.split(",")]
    pairs = [(int(match[1]), int(match[2])) for match in named if match]
    if len(pairs) < len(named) or len(pairs) > _MOST_NAMED:
        raise UsageError(
            Message("'{text}' names no operations.", text=text[:100]),
            remedy=Message("Write ops=12/3,13/1: connection and operation, separated by commas."),
        )
    sql = "((conn, op) IN (SELECT unnest(?::BIGINT[]), unnest(?::BIGINT[])))"
    return Condition(sql, tuple(list(column) for column in zip(*pairs, strict=True)))


def _with_internal(text: str) -> Condition:
    if text.lower() != "yes":
        raise _not_searchable("internal", "=")
    return Condition("true", internal=True)


def _in_source(text: str) -> Condition:
    return Condition("(operation.source = ?)", (_number("source", text),))


def _of_finding(text: str) -> Condition:
    """Finds nothing until it is known which operations they are."""
    if not text:
        raise _not_searchable("finding", "=")
    return Condition("false", finding=text)


_NAMING = {
    "ops": _listed,
    "internal": _with_internal,
    "source": _in_source,
    "finding": _of_finding,
}
"""Words that are followed by = alone."""


def _not_searchable(name: str, operator: str) -> UsageError:
    return UsageError(
        Message("'{name}{operator}' cannot be searched for.", name=name, operator=operator),
        remedy=Message("Write {name}=VALUE.", name=name),
    )


def _equal(name: str, operator: str, value: str) -> Condition:
    if operator not in ("=", "!="):
        raise _not_searchable(name, operator)
    if name == "type":
        condition = _type(value)
    elif name == "notes":
        condition = _notes(value)
    elif name in DERIVED:
        condition = _derived(DERIVED[name], value)
    else:
        condition = _text(TEXTS[name], value)
    return condition if operator == "=" else Condition(f"NOT {condition.sql}", condition.parameters)


def _type(value: str) -> Condition:
    if value.upper() not in TYPES:
        raise UsageError(
            Message("'{value}' is not an operation type.", value=value),
            remedy=Message("Use one of {types:list}.", types=tuple(TYPES)),
        )
    return Condition("(kind = ?)", (TYPES.index(value.upper()),))


def _notes(value: str) -> Condition:
    letters = value.upper().replace(",", "")
    if unknown := [letter for letter in letters if letter not in NOTES]:
        raise UsageError(
            Message("'{unknown}' is not a note of the access log.", unknown=unknown[0]),
            remedy=Message("Use letters of {notes:list}.", notes=tuple(NOTES)),
        )
    bits = sum(1 << NOTES.index(letter) for letter in set(letters))
    return Condition("(notes & ? = ?)", (bits, bits)) if bits else Condition("(notes = 0)")


def _text(column: str, value: str) -> Condition:
    nothing = "" if value else f"{column} < 0 OR "
    return Condition(f"({nothing}{_one_of(column, 'value = ?')})", (column, value))


def _derived(what: Derived, value: str) -> Condition:
    kinds = f"kind IN {what.kinds} AND " if what.kinds else ""
    wanted = _one_of(what.column, f"list_contains({what.values}, ?)")
    if value:
        return Condition(f"({kinds}{wanted})", (what.column, value))
    others = _one_of(what.column, f"len({what.values}) > 0 AND {what.values} != ['']")
    return Condition(f"({kinds}({what.column} < 0 OR NOT {others}))", (what.column,))


def _one_of(column: str, which: str) -> str:
    """The column points to a string for which a condition holds."""
    strings = f"SELECT source, id FROM string WHERE kind = ? AND {which}"  # noqa: S608 - our own
    return f"(source, {column}) IN ({strings})"


def _word(word: str) -> Condition:
    """In one of the texts, or the name of a type, or the number of a connection."""
    parts, parameters = [], []
    for column in TEXTS.values():
        parts.append(_one_of(column, "contains(lower(value), ?)"))
        parameters += [column, word.lower()]
    if word.upper() in TYPES:
        parts.append(f"kind = {TYPES.index(word.upper())}")
    if re.fullmatch(r"\d{1,18}", word):
        parts.append(f"conn = {int(word)}")
    return Condition(f"({' OR '.join(parts)})", tuple(parameters))


def _plain(text: str) -> str:
    """Without quotes."""
    return _QUOTED.sub(lambda match: re.sub(r"\\(.)", r"\1", match[1]), text)


def _nanoseconds(name: str, text: str) -> int:
    if match := _DURATION.fullmatch(text.strip().lower()):
        return round(float(match[1]) * _UNITS[match[2]])
    raise UsageError(
        Message("'{text}' is not a duration.", text=text),
        remedy=Message("Give {name} a unit: {name}>250us, {name}>1.5s.", name=name),
    )


def _number(name: str, text: str) -> int:
    if re.fullmatch(r"-?\d{1,18}", text):
        return int(text)
    raise UsageError(
        Message("'{text}' is not a number.", text=text),
        remedy=Message("Write {name}=32, or {name}!=0.", name=name),
    )
