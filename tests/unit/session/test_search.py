"""Operations found by words, sorted and grouped, against numpy over all of them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.inference.counts.tails import tails
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.operation_filter import OperationFilter
from ldap_workbench.model.operations import ABSENT, TYPES, Operations, client_operations
from ldap_workbench.session.conditions import DERIVED, exactly, parse_conditions, words_of
from ldap_workbench.session.reader import Session
from ldap_workbench.session.search import (
    GROUPINGS,
    ORDERS,
    RARE_ORDERS,
    Group,
    Search,
    counted,
    groups,
    ordered,
    rows,
    unanswered,
)
from ldap_workbench.session.writer import SessionWriter
from tests.sessions import build_capture_session, build_experiment_session

TABLE = {"filter": "fingerprint", "client": "client", "base": "base", "dn": "bind_dn"}


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    path = tmp_path_factory.mktemp("search") / "s.ldapwb"
    with Session.open(build_experiment_session(path, pairs=2, seconds=10, per_second=60)) as found:
        yield found


@pytest.fixture(scope="module")
def search(session):
    return Search(tuple(session.windows()))


@pytest.fixture(scope="module")
def every(session, search):
    return everything(session, search)


def texts(operations: Operations, column: str) -> list[str]:
    table = getattr(operations, {"base": "bases", "bind_dn": "bind_dns"}.get(column, column + "s"))
    return [table[i] if i >= 0 else "" for i in getattr(operations, column)]


def everything(session, search) -> list[dict[str, object]]:
    """Every client operation as a plain row, read without a search."""
    found: list[dict[str, object]] = []
    for place, window in enumerate(search.windows):
        operations = session.operations(window)
        operations = operations.take(client_operations(operations))
        named = {name: texts(operations, column) for name, column in TABLE.items()}
        found += [
            {
                "etime": int(operations.etime_ns[i]),
                "wtime": int(operations.wtime_ns[i]),
                "optime": int(operations.optime_ns[i]),
                "type": TYPES[operations.kind[i]],
                "start": int(operations.start_ns[i]),
                "end": int(operations.end_ns[i]),
                "err": int(operations.err[i]),
                "entries": int(operations.nentries[i]),
                "notes": int(operations.notes[i]),
                "conn": int(operations.conn[i]),
                "op": int(operations.op[i]),
                "window": place,
                **{name: values[i] for name, values in named.items()},
            }
            for i in range(len(operations))
        ]
    return found


def told(session, search, numbers) -> list[dict[str, object]]:
    """The same of what a search gives."""
    page = rows(session, search, numbers)
    operations = page.operations
    named = {name: texts(operations, column) for name, column in TABLE.items()}
    return [
        {
            "etime": int(operations.etime_ns[i]),
            "type": TYPES[operations.kind[i]],
            "start": int(operations.start_ns[i]),
            "conn": int(operations.conn[i]),
            "op": int(operations.op[i]),
            "window": int(page.windows[i]),
            **{name: values[i] for name, values in named.items()},
        }
        for i in range(len(operations))
    ]


@pytest.mark.parametrize("by", [by for by in ORDERS if by not in RARE_ORDERS])
@pytest.mark.parametrize("descending", [False, True])
def test_every_order_is_that_of_all_rows_sorted(session, search, every, by, descending):
    numbers = ordered(session, search, by, descending=descending)
    assert len(numbers) == len(set(numbers.tolist())) == len(every) > 1000
    found = told(session, search, numbers)
    seen = {(row["window"], row["op"]): row for row in every}
    keys = [seen[row["window"], row["op"]][by] for row in found]
    # Texts that are not known come last; all other keys are known here.
    known = [key for key in keys if key != "" or by not in TABLE]
    assert known == sorted(known, reverse=descending)
    assert keys == known + [""] * (len(keys) - len(known))


@pytest.mark.parametrize("by", ["etime", "client", "window"])
def test_the_first_few_and_the_count_are_those_of_all(session, search, by):
    numbers = ordered(session, search, by)
    assert counted(session, search) == len(numbers)
    assert np.array_equal(ordered(session, search, by, limit=7), numbers[:7])


def test_a_page_has_all_of_its_operations_in_their_order(session, search, every):
    known = {(row["window"], row["op"]): row for row in every}
    numbers = ordered(session, search)
    for row in told(session, search, numbers[[700, 3, 511]]):
        assert row.items() <= known[row["window"], row["op"]].items()
    assert told(session, search, numbers[[3, 700]]) == [
        *told(session, search, numbers[[3]]),
        *told(session, search, numbers[[700]]),
    ]
    assert len(rows(session, search, numbers[:0]).operations) == 0


@pytest.mark.parametrize(
    ("words", "holds"),
    [
        ("", lambda r: True),
        ("etime>5ms", lambda r: r["etime"] > 5_000_000),
        ("etime<=250us etime>100µs", lambda r: 100_000 < r["etime"] <= 250_000),
        ("err!=0", lambda r: r["err"] != 0),
        ("type=bind", lambda r: r["type"] == "BIND"),
        ("type!=bind", lambda r: r["type"] != "BIND"),
        ("BIND", lambda r: r["type"] == "BIND"),
        ("entries>=2 SRCH", lambda r: r["entries"] >= 2 and r["type"] == "SRCH"),
        ("10.0.0.1", lambda r: "10.0.0.1" in r["client"]),
        ("client=10.0.0.12", lambda r: r["client"] == "10.0.0.12"),
        ("OU=people", lambda r: "ou=people" in f"{r['base']} {r['dn']}".lower()),
        ('dn=""', lambda r: r["dn"] == ""),
        ("conn=12", lambda r: r["conn"] == 12),
        ("notes=U", lambda r: r["notes"] & 1),
        ("nothing-like-this", lambda r: False),
    ],
)
def test_words_find_what_they_say(session, search, every, words, holds):
    wanted = {(r["window"], r["op"]) for r in every if holds(r)}
    search = replace(search, conditions=parse_conditions(words))
    numbers = ordered(session, search)
    assert {(r["window"], r["op"]) for r in told(session, search, numbers)} == wanted


def test_a_stretch_finds_what_was_at_work_in_it(session, search, every):
    first = search.windows[0]
    start, end = first.start_ns + 2 * 10**9, first.start_ns + 3 * 10**9
    wanted = sum(r["start"] < end and r["end"] > start for r in every)
    assert len(ordered(session, replace(search, selection=(start, end)))) == wanted > 0


def test_internal_operations_are_there_when_asked_for(session, search):
    every = [session.operations(window) for window in search.windows]
    wanted = sum(int((~found.own).sum()) for found in every)
    clients = sum(int(client_operations(found).sum()) for found in every)
    assert len(ordered(session, search)) == clients < wanted
    assert len(ordered(session, replace(search, internal=True))) == wanted


@pytest.mark.parametrize("by", [by for by in GROUPINGS if by not in DERIVED])
def test_groups_are_those_of_all_rows_with_their_tails(session, search, every, by):
    found = groups(session, search, by)
    assert [g.sum_ns for g in found] == sorted((g.sum_ns for g in found), reverse=True)
    for group in found:
        mine = [row for row in every if row[by] == group.name]
        etimes = np.array([row["etime"] for row in mine], np.int64)
        tail = tails(_only(etimes), window="w")[-1]
        assert group == Group(
            group.name, len(mine), int(etimes.sum()), tail.p50_ns, tail.p99_ns, int(etimes.max()),
            sum(row["err"] not in (0, 5, 6, 10, 14) for row in mine),
            sum(row["notes"] & 3 != 0 for row in mine),
        )  # fmt: skip
    assert sum(group.n for group in found) == len(every)


def told_by(by: str, row) -> list[str]:
    """What a derived grouping says of an operation."""
    dn = re.sub(r"\s*,\s*", ",", row["base"].lower())
    if by == "attribute":
        return sorted(set(re.findall(r"\(([a-z][\w;.-]*)[~<>]?=", row["filter"].lower()))) or [""]
    if by == "entry":
        return [dn] if row["type"] in ("MOD", "ADD", "DEL", "MODRDN") else []
    if by == "parent":
        return [dn.partition(",")[2]]
    components = re.search(r"(?:^|,)(dc=[^,]+(?:,dc=[^,]+)*)$", dn)
    return [components[1] if components else dn.rpartition(",")[2]]


@pytest.mark.parametrize("by", DERIVED)
def test_groups_by_what_a_text_tells_in_part(session, search, every, by):
    wanted = Counter(name for row in every for name in told_by(by, row))
    found = groups(session, search, by)
    assert {group.name: group.n for group in found} == wanted
    assert [g.sum_ns for g in found] == sorted((g.sum_ns for g in found), reverse=True)


def _only(etimes) -> Operations:
    empty = Operations.empty()
    fields = {name: np.zeros(len(etimes), getattr(empty, name).dtype) for name in vars(empty)
              if isinstance(getattr(empty, name), np.ndarray)}  # fmt: skip
    return Operations(**fields | {"etime_ns": etimes})


def test_the_words_of_a_group_find_just_its_operations(session, search):
    for by in GROUPINGS:
        for group in groups(session, search, by):
            one = replace(search, conditions=parse_conditions(exactly(by, group.name)))
            assert len(ordered(session, one)) == group.n, exactly(by, group.name)


@pytest.mark.parametrize("value", ['a "quoted" one', "back\\slash", "(&(cn=a b)(x=\\22))", "", "é"])
def test_any_text_can_be_said_exactly(value):
    [condition] = parse_conditions(exactly("filter", value))
    assert condition.parameters[-1] == value


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ("etime>100", "unit"),
        ("etime>fast", "unit"),
        ("err=none", "err=32"),
        ("type=LOOKUP", "SRCH"),
        ("notes=X", "U"),
        ("client>x", "client="),
    ],
)
def test_words_that_make_no_sense_say_what_would(words, remedy):
    with pytest.raises(UsageError) as caught:
        parse_conditions(words)
    assert remedy in str(caught.value.remedy)


def test_what_is_not_known_is_last_in_either_order_and_never_compared(tmp_path):
    path = build_capture_session(tmp_path / "c.ldapwb", seconds=5)
    with Session.open(path) as session:
        [window] = session.windows()
        operations = session.operations(window)
        source = session.operation_source(window)
        first = session.sources(window.id)[0]
    unknown = np.full(len(operations), ABSENT, np.int64)
    with SessionWriter.create(tmp_path / "d.ldapwb") as writer:
        writer.put_window(window)
        writer.put_source(replace(first, id=source))
        half = replace(operations, wtime_ns=np.where(operations.op % 2, unknown, 5))
        writer.add_operations(source, half)
    with Session.open(tmp_path / "d.ldapwb") as session:
        search = Search((window,))
        for descending in (False, True):
            numbers = ordered(session, search, "wtime", descending=descending)
            found = rows(session, search, numbers).operations.wtime_ns
            known = int((found != ABSENT).sum())
            assert 0 < known < len(found)
            assert np.all(found[:known] == 5)
        less = replace(search, conditions=parse_conditions("wtime<1s"))
        assert len(ordered(session, less)) == known


@pytest.mark.parametrize(
    ("which", "holds"),
    [
        ({}, lambda r: True),
        ({"type": "BIND"}, lambda r: r["type"] == "BIND"),
        ({"error": 0}, lambda r: r["err"] == 0),
        ({"error": 32, "type": "SRCH"}, lambda r: r["err"] == 32 and r["type"] == "SRCH"),
        ({"filter": "(uid=?)"}, lambda r: r["filter"] == "(uid=?)"),
        ({"client": "10.0.0.12"}, lambda r: r["client"] == "10.0.0.12"),
        ({"bind_dn": ""}, lambda r: r["dn"] == ""),
        ({"base": "dc=example,dc=com"}, lambda r: r["base"] == "dc=example,dc=com"),
        ({"notes": "U"}, lambda r: r["notes"] & 1),
        ({"least_ns": 5_000_001}, lambda r: r["etime"] >= 5_000_001),
    ],
)
def test_the_words_of_a_finding_find_its_operations(session, search, every, which, holds):
    """In the range of time it names, to the microsecond."""
    window = search.windows[0]
    start, end = window.start_ns + 10**9, window.start_ns + 8 * 10**9
    words = words_of(OperationFilter(start, end, 0, **which))
    inside = [r for r in every if r["start"] >= start and r["end"] <= end]
    wanted = {(r["window"], r["op"]) for r in inside if holds(r)}
    conditions = parse_conditions(words)
    numbers = ordered(session, replace(search, conditions=conditions))
    assert {(r["window"], r["op"]) for r in told(session, search, numbers)} == wanted
    assert len(wanted) < len(every)


@pytest.mark.parametrize("moment", ["from>2026-11-20", "from=", "to!=2026-11-20"])
def test_a_moment_is_a_bound_and_nothing_to_compare_with(moment):
    with pytest.raises(UsageError, match="cannot be searched for"):
        parse_conditions(moment)


def test_a_row_of_no_window_of_the_search_is_in_none(session, search):
    numbers = ordered(session, search)
    first = replace(search, windows=search.windows[:1])
    found = rows(session, first, numbers)
    mine = set(ordered(session, first).tolist())
    assert found.windows.tolist() == [0 if n in mine else -1 for n in numbers.tolist()]
    assert 0 < len(mine) < len(numbers)


def test_changes_without_an_answer_are_counted_in_their_window(tmp_path):
    path = build_capture_session(tmp_path / "c.ldapwb", seconds=5, windows=2)
    with SessionWriter.append(path) as writer:
        with writer.reader() as session:
            window, other = session.windows()
            first = session.sources(window.id)[0]
        at = window.start_ns
        asked = [
            {"type": "MOD", "time_ns": at, "dn": "uid=a, ou=People,dc=example,dc=com"},
            {"type": "MOD", "time_ns": at + 1, "dn": "uid=b,ou=people,dc=example,dc=com"},
            {"type": "ADD", "time_ns": at + 2, "dn": "uid=c,ou=x,dc=example,dc=com"},
            {"type": "MOD", "time_ns": window.end_ns, "dn": "uid=late,ou=people,dc=example"},
            {"type": "MOD", "time_ns": at - 1, "dn": "uid=early,ou=people,dc=example"},
            {"type": "SRCH", "time_ns": at, "dn": "dc=example,dc=com"},
            {"type": "MOD", "time_ns": "soon", "dn": "dc=example,dc=com"},
            "nonsense",
        ]
        writer.put_source(replace(first, details=first.details | {"unanswered": asked}))
    with Session.open(path) as session:
        assert unanswered(session, [window], "parent") == [
            ("MOD", "ou=people,dc=example,dc=com", 2),
            ("ADD", "ou=x,dc=example,dc=com", 1),
        ]
        assert unanswered(session, [other], "parent") == []
        assert unanswered(session, [window], "client") == []
        assert unanswered(session, [window], "attribute") == []
