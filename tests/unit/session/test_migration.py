"""Session files of schema version 1, which lack the columns of RARE."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from ldap_workbench.model.errors import SessionError
from ldap_workbench.model.operations import COLUMNS, RARE, Operations
from ldap_workbench.model.window import Source, SourceKind, SourceState, Window
from ldap_workbench.session import contents
from ldap_workbench.session.reader import Session
from ldap_workbench.session.search import RARE_ORDERS, Search, ordered, rows
from ldap_workbench.session.writer import SessionWriter
from tests.unit.session.test_session import operations as made_of_zeros

WINDOW = Window(1, "w", 0, 10**18)


def made(n: int, **columns: object) -> Operations:
    unsaid = {name: np.full(n, value, COLUMNS[name]) for name, value in RARE.items()}
    return made_of_zeros(n, **(unsaid | columns))


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file as version 1 wrote it."""
    path = tmp_path / "old.ldapwb"
    with SessionWriter.create(path) as writer:
        writer.put_window(WINDOW)
        writer.put_source(Source(1, 1, SourceKind.ACCESS_LOG, "access", SourceState.COMPLETE))
        writer.add_operations(1, made(3))
    with duckdb.connect(str(path)) as db:
        db.execute("UPDATE meta SET value = '1' WHERE key = 'schema'")
    return path


def test_a_file_of_version_1_is_read_as_it_is(old: Path) -> None:
    before = old.read_bytes()
    with Session.open(old) as session:
        operations = session.operations(WINDOW)
        assert len(operations) == 3
        for name, nothing in RARE.items():
            assert getattr(operations, name).tolist() == [nothing] * 3
            assert getattr(operations, name).dtype == COLUMNS[name]
        found = rows(session, Search((WINDOW,)), ordered(session, Search((WINDOW,))))
        assert set(found.operations.wqtime_ns.tolist()) == {RARE["wqtime_ns"]}
    assert old.read_bytes() == before


def test_what_is_added_to_a_file_of_version_1_has_the_columns_it_needs(old: Path) -> None:
    with SessionWriter.append(old) as writer:
        writer.put_window(Window(2, "later", 0, 10**18))
        writer.put_source(Source(2, 2, SourceKind.ACCESS_LOG, "access", SourceState.COMPLETE))
        more = made(2, wqtime_ns=np.array([5, 7]), vlv=np.array([True, False]))
        writer.add_operations(2, more)
    with Session.open(old) as session:
        assert session.meta["schema"] == "2"
        assert len(session.operations(WINDOW)) == 3
        added = session.operations(session.window(2))
        assert sorted(added.wqtime_ns.tolist()) == [5, 7]
        assert sorted(added.vlv.tolist()) == [False, True]
        assert set(added.deref.tolist()) == {-1}


def test_a_file_that_says_another_version_than_its_tables_is_refused(old: Path) -> None:
    with duckdb.connect(str(old)) as db:
        db.execute("ALTER TABLE operation ADD COLUMN vlv BOOLEAN")
    with pytest.raises(SessionError, match="schema version"):
        Session.open(old)


@pytest.mark.parametrize(
    "statement",
    [
        "ADD COLUMN vlv INTEGER",
        "ADD COLUMN vlv BOOLEAN DEFAULT true",
        "ADD COLUMN wqtime BIGINT",
        "ALTER COLUMN op TYPE BIGINT",
    ],
)
def test_a_column_that_is_not_ours_is_refused(old: Path, statement: str) -> None:
    with duckdb.connect(str(old)) as db:
        db.execute("UPDATE meta SET value = '2' WHERE key = 'schema'")
        db.execute(f"ALTER TABLE operation {statement}")
    with pytest.raises(SessionError, match="columns of its table"):
        Session.open(old)


def _databases_opened(monkeypatch: pytest.MonkeyPatch, path: Path) -> int:
    """How many databases DuckDB makes or opens to read one file."""
    made, connect = [], duckdb.connect

    def counted(*place: str, **how: Any) -> duckdb.DuckDBPyConnection:
        made.append(place)
        return connect(*place, **how)

    monkeypatch.setattr(contents.duckdb, "connect", counted)
    Session.open(path).close()
    return len(made)


def test_a_file_is_opened_without_a_database_beside_it(tmp_path: Path, old: Path, monkeypatch):
    path = tmp_path / "all.ldapwb"
    with SessionWriter.create(path) as writer:
        writer.put_window(WINDOW)
        writer.put_source(Source(1, 1, SourceKind.ACCESS_LOG, "access", SourceState.COMPLETE))
        writer.add_operations(1, made(2, **{name: np.array([1, 0]) for name in RARE}))
    with duckdb.connect(str(path), read_only=True) as db:
        names = {name for name, *_ in db.execute("DESCRIBE operation").fetchall()}
    assert RARE.keys() <= names
    assert _databases_opened(monkeypatch, path) == 1
    assert _databases_opened(monkeypatch, old) == 1


def test_a_duckdb_that_writes_its_tables_otherwise_still_opens_them(old: Path, monkeypatch) -> None:
    contents._statements.cache_clear()
    monkeypatch.setattr(contents, "_KEYWORD", re.compile("no word of ours"))
    assert _databases_opened(monkeypatch, old) == 2


def test_a_rare_column_is_there_once_something_is_said_in_it(tmp_path: Path) -> None:
    path = tmp_path / "late.ldapwb"
    with SessionWriter.create(path) as writer:
        writer.put_window(WINDOW)
        writer.put_source(Source(1, 1, SourceKind.ACCESS_LOG, "access", SourceState.COMPLETE))
        writer.add_operations(1, made(3))
        with writer.reader() as early:
            assert len(early.operations(WINDOW)) == 3
            writer.add_operations(1, made(2, vlv=np.array([True, False])))
            writer.add_operations(1, made(1, index_key=np.array([0]), index_keys=("cn key(sub)",)))
            writer.flush()
            assert set(early.operations(WINDOW).vlv.tolist()) == {False}
        with writer.reader() as late:
            assert sorted(late.operations(WINDOW).vlv.tolist()) == [False] * 5 + [True]
    with Session.open(path) as session:
        found = session.operations(WINDOW)
        assert sorted(found.index_key.tolist()) == [-1] * 5 + [0]
        assert found.index_keys == ("cn key(sub)",)
    with duckdb.connect(str(path), read_only=True) as db:
        names = {name for name, *_ in db.execute("DESCRIBE operation").fetchall()}
    assert names & RARE.keys() == {"vlv", "index_key"}


def test_what_few_logs_say_sorts_where_it_is_said_and_comes_last_where_not(tmp_path: Path) -> None:
    path = tmp_path / "sorted.ldapwb"
    with SessionWriter.create(path) as writer:
        writer.put_window(WINDOW)
        writer.put_source(Source(1, 1, SourceKind.ACCESS_LOG, "access", SourceState.COMPLETE))
        nothing = RARE["wqtime_ns"]
        writer.add_operations(1, made(4, wqtime_ns=np.array([5, nothing, 7, 6])))
    search = Search((WINDOW,))
    with Session.open(path) as session:
        assert session.rare == ("wqtime_ns",)
        assert ordered(session, search, "wqtime").tolist() == [2, 3, 0, 1]
        assert ordered(session, search, "wqtime", descending=False).tolist() == [0, 3, 2, 1]
        for by in RARE_ORDERS:
            assert sorted(ordered(session, search, by).tolist()) == [0, 1, 2, 3]
