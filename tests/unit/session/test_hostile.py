"""A session of a stranger: what no way of opening may accept, and what none may choke on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import ExitStack

import duckdb
import pytest

from ldap_workbench.model.errors import SessionError
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.hostile_sessions import AT_ONCE, LATER, REFUSED, build_good_session, make
from tests.systems import IS_ROOT


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    return build_good_session(tmp_path_factory.mktemp("good") / "s.ldapwb", pairs=1)


@pytest.fixture(scope="module")
def made(good, tmp_path_factory):
    """The file of a kind, alone in a folder; made once, for nothing here may change it."""
    paths = {}

    def of(kind):
        if kind not in paths:
            paths[kind] = make(kind, good, tmp_path_factory.mktemp("kind") / "a")
        return paths[kind]

    return of


def listing(folder):
    return {
        (str(each), each.lstat().st_size, each.lstat().st_mtime_ns) for each in folder.rglob("*")
    }


NAMED = {
    "view": "view 'more'",
    "macro": "macro 'max'",
    "macro of a table": "macro 'duckdb_tables'",
    "generated column": "mark",
    "schema": "schema 'system'",
    "type": "type 'more'",
    "extra table": "table 'more'",
    "table like raw": "table 'raw_2'",
    "missing table": "no table 'change'",
    "other type": "nentries VARCHAR",
    "view in the log": "view 'more'",
    "sqlite": "SQLite",
    "parquet": "Parquet",
    "folder": "folder",
    "empty": "empty",
    "cut in half": "cannot be read",
}
"""What a refusal says that it has found."""


def ways():
    for kind in AT_ONCE:
        yield pytest.param(Session.open, kind, id=f"read-{kind}")
        # To go on with a file begins with opening it to read.
        few = [] if kind in REFUSED else [pytest.mark.full]
        yield pytest.param(SessionWriter.append, kind, id=f"append-{kind}", marks=few)


@pytest.mark.parametrize(("way", "kind"), [*ways()])
def test_what_is_no_session_is_refused_and_left_alone(made, kind, way):
    path = made(kind)
    before = listing(path.parent)
    with pytest.raises(SessionError) as refused:
        way(path)
    assert listing(path.parent) == before
    assert str(path) in str(refused.value.what)
    assert NAMED.get(kind, "") in str(refused.value.what)
    assert all(letter.isprintable() for letter in str(refused.value))
    assert "another workbench" not in str(refused.value)


def everything(session):
    """Read all there is of a session, as screens and reports do."""
    session.facts, session.marks(), session.experiments(), session.changes()
    for window in session.windows():
        for source in session.sources(window.id):
            session.raw(source.id, 0, 4 << 20)
            session.raw_around(source.id, 100)
        session.latencies(window)
        operations = session.operations(window)
        for name in ("client", "fingerprint", "base", "bind_dn"):
            table = getattr(operations, {"base": "bases"}.get(name, f"{name}s"))
            assert getattr(operations, name).max(initial=-1) < len(table)
        for series in session.series_names(window):
            session.samples(window, series)


READABLE = frozenset((
    "log is rubbish", "window with a hostile name", "window with a giant name", "source twice",
    "source of nobody", "experiment of windows not there", "change of giant times",
    "mark of a giant time", "etime without a value", "etime beyond all", "text that is not there",
    "log line beyond the log", "log line before the log", "strings of many megabytes",
    "series of one name", "samples that are no number", "samples without an end",
    "samples of one time", "frame below zero", "frames upon each other",
))  # fmt: skip
"""What is odd and harms nobody; every other content is said to be damaged."""

OPENS = frozenset((
    "window nested", "window before itself", "window of all times", "window of texts",
    "source nested", "source with other details", "source of another kind",
    "experiment with another verdict", "experiment without an end",
    "experiment with an endless limit", "etime below zero", "kind of nothing",
    "rows beyond the limit", "strings without an order", "series without a name",
    "samples without a value", "samples of giant times", "frame of gigabytes",
    "frame of gigabytes undeclared", "frame of rubbish", "frames without bytes",
))  # fmt: skip
"""Of these only the values, which no workbench writes, are damaged: the session opens."""


@pytest.mark.parametrize("kind", LATER)
def test_a_content_is_read_or_said_to_be_damaged(made, kind):
    path = made(kind)
    if kind in READABLE:
        with Session.open(path) as session:
            everything(session)
            assert len(session.windows()) == 2
        return
    with ExitStack() as opened:
        if kind in OPENS:
            session = opened.enter_context(Session.open(path))
        with pytest.raises(SessionError) as refused:
            everything(session if kind in OPENS else opened.enter_context(Session.open(path)))
    assert all(letter.isprintable() for letter in str(refused.value))
    assert refused.value.remedy


@pytest.mark.parametrize("kind", ["samples that are no number", "samples without an end"])
def test_a_sample_that_no_scale_can_show_is_left_out(good, tmp_path, kind):
    with Session.open(good) as session:
        names = session.series_names(session.windows()[0])
    with Session.open(make(kind, good, tmp_path / "a")) as session:
        window = session.windows()[0]
        assert session.series_names(window) == []
        assert names
        assert all(len(each) == 0 for name in names for each in session.samples(window, name))


def test_nothing_outside_of_the_file_is_reached(good):
    with Session.open(good) as session:
        settings = dict(session.rows("SELECT name, value FROM duckdb_settings()"))
        with pytest.raises(SessionError, match="disabled"):
            session.rows("INSTALL sqlite")
        with pytest.raises(SessionError, match="locked"):
            session.rows("SET enable_external_access = true")
    for name in ("enable_external_access", "autoinstall_known_extensions"):
        assert settings[name] == "false"
    assert settings["autoload_known_extensions"] == "false"
    assert settings["lock_configuration"] == "true"
    with SessionWriter.append(good) as writer, writer.reader() as session:
        assert dict(session.rows("SELECT name, value FROM duckdb_settings()")) | {
            name: settings[name] for name in settings if "enable_external" in name
        } == dict(session.rows("SELECT name, value FROM duckdb_settings()"))


def held_by_another(path, mode):
    """A process that has the file open in DuckDB; it ends when its input does."""
    code = f"import duckdb; db = duckdb.connect({str(path)!r}, read_only={mode}); print(); input()"
    return subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


@pytest.mark.posix("there a file that is written cannot be opened at all")
def test_who_holds_a_file_is_told_by_the_lock_alone(good, tmp_path):
    path = tmp_path / "block lock.ldapwb"
    shutil.copy(good, path)
    with held_by_another(path, mode=False) as other:
        other.stdout.readline()
        with pytest.raises(SessionError, match="being written by another workbench"):
            Session.open(path)
        other.communicate(b"\n")
    with held_by_another(path, mode=True) as other:
        other.stdout.readline()
        Session.open(path).close()
        with pytest.raises(SessionError, match="open in another workbench"):
            SessionWriter.append(path)
        other.communicate(b"\n")
    os.truncate(path, 300_000)
    with pytest.raises(SessionError, match="cannot be read") as refused:
        Session.open(path)
    assert "another workbench" not in str(refused.value)


@pytest.mark.posix("there a file that is written cannot be opened at all")
def test_a_file_this_workbench_writes_keeps_its_lock(good, tmp_path):
    """A closed descriptor drops the lock of the whole process: so nobody may open one to look."""
    path = tmp_path / "s.ldapwb"
    shutil.copy(good, path)
    with SessionWriter.append(path):
        with pytest.raises(SessionError, match="written by this workbench"):
            Session.open(path)
        code = f"import duckdb; duckdb.connect({str(path)!r})"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
        assert b"lock" in done.stderr
    with Session.open(path), Session.open(path), pytest.raises(SessionError, match="open in this"):
        SessionWriter.append(path)
    SessionWriter.append(path).close()


@pytest.mark.posix("a mode denies nothing there")
@pytest.mark.skipif(IS_ROOT, reason="root may read every file")
def test_a_file_that_may_not_be_read_is_said_to_be_so(good, tmp_path):
    path = tmp_path / "s.ldapwb"
    shutil.copy(good, path)
    path.chmod(0)
    with pytest.raises(SessionError, match="Permission denied"):
        Session.open(path)


def test_a_table_of_raw_text_that_goes_on_is_none_of_a_stranger(good, tmp_path):
    path = tmp_path / "s.ldapwb"
    shutil.copy(good, path)
    with duckdb.connect(str(path)) as db:
        db.execute("CREATE TABLE raw_2 AS FROM raw")
        db.execute("DELETE FROM raw")
    with Session.open(good) as before, Session.open(path) as session:
        source = before.operation_source(before.windows()[0])
        assert session.raw(source, 0, 1 << 20) == before.raw(source, 0, 1 << 20) != b""
