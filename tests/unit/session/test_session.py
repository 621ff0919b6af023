"""What is written is read back, by another connection, also after a crash or a full disk."""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import duckdb
import numpy as np
import pytest

from ldap_workbench.model.errors import SessionError
from ldap_workbench.model.experiment import Design, Experiment, Plan, State, Step
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import verbatim
from ldap_workbench.model.operations import COLUMNS, RARE, Operations
from ldap_workbench.model.target import Backend, TargetFacts
from ldap_workbench.model.window import (
    LineCounts,
    Mark,
    Sample,
    Source,
    SourceKind,
    SourceState,
    Window,
)
from ldap_workbench.session import batches, contents, limits, opening
from ldap_workbench.session.batches import RAW_CHUNK
from ldap_workbench.session.notes import change_mark, may_note, session_note, write_notes
from ldap_workbench.session.reader import Session
from ldap_workbench.session.schema import raw_tables
from ldap_workbench.session.search import Search, ordered, rows
from ldap_workbench.session.writer import SessionWriter
from tests.sessions import build_capture_session
from tests.systems import KILLED

WINDOW = Window(id=1, name="baseline", start_ns=1_000, end_ns=2_000, arm="A", pair=0)
SOURCE = Source(
    id=1,
    window=1,
    kind=SourceKind.ACCESS_LOG,
    name="access",
    state=SourceState.COMPLETE,
    lines=LineCounts(10, 1, 0, {"header": 1}),
    details={"open_operations": 2},
)
FACTS = TargetFacts(
    profile="lab",
    product="389 Directory Server",
    version="2.3.1",
    host="localhost",
    backends=(Backend("userRoot", "dc=example,dc=com", "cn=userRoot"),),
    unknown={"device": verbatim("no SSH")},
)
PLAN = Plan(
    treatment=Treatment((Setting("nsslapd-threadnumber", "24"),)),
    design=Design("pairs", 6),
    steps=(Step("A", 0), Step("B", 0)),
    window_s=20,
    seed=7,
    guards={"error_share": 0.01},
)


def operations(n, start=1_000, **columns):
    values = {name: np.zeros(n, dtype) for name, dtype in COLUMNS.items()}
    values["etime_ns"] += 10
    values["end_ns"] += start + 10 + np.arange(n)
    values["result_at"] += np.arange(n)
    tables = {k: columns.pop(k) for k in list(columns) if k not in COLUMNS}
    return Operations(**(values | columns), **tables)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "s.ldapwb"


@pytest.fixture
def writer(path):
    with SessionWriter.create(path, FACTS) as writer:
        writer.put_window(WINDOW)
        writer.put_source(SOURCE)
        yield writer


def test_nouns_come_back_as_they_went(path, writer):
    experiment = Experiment(id=1, plan=PLAN, state=State.MEASURING, step=1, windows=(1,))
    mark = Mark(1_500, "operator", verbatim("users complain"), window=1)
    writer.put_experiment(experiment)
    writer.add_mark(mark)
    writer.close()
    with Session.open(path) as session:
        assert session.facts == FACTS
        assert session.windows() == [WINDOW]
        assert session.sources(1) == [SOURCE]
        assert session.experiments() == [experiment]
        assert session.marks() == [mark]


def test_the_last_version_of_a_noun_stands(path, writer):
    writer.put_window(replace(WINDOW, end_ns=3_000))
    writer.close()
    with Session.open(path) as session:
        assert [w.end_ns for w in session.windows()] == [3_000]


def test_a_window_owns_what_starts_in_it(path, writer):
    writer.add_operations(1, operations(2_000, start=500))
    writer.close()
    with Session.open(path) as session:
        found = session.operations(WINDOW)
    assert len(found) == 1_000
    assert found.start_ns.min() == 1_000
    assert found.start_ns.max() == 1_999


def test_a_file_being_written_can_be_read_by_its_writer(path, writer):
    writer.add_operations(1, operations(100))
    with writer.reader() as session:
        assert len(session.operations(WINDOW)) == 100
    writer.add_operations(1, operations(100))


def test_string_tables_grow_between_batches(path, writer):
    writer.add_operations(1, operations(1, fingerprints=("(uid=?)",)))
    two = np.array([1], np.int32)
    writer.add_operations(1, operations(1, fingerprint=two, fingerprints=("(uid=?)", "(cn=?)")))
    writer.close()
    with Session.open(path) as session:
        found = session.operations(WINDOW)
        assert found.fingerprints == ("(uid=?)", "(cn=?)")
        assert sorted(found.fingerprint) == [0, 1]


def test_own_connections_are_marked_afterwards(path, writer):
    conns = np.array([5, 6, 5], np.int64)
    writer.add_operations(1, operations(3, conn=conns))
    writer.mark_own(1, {(0, 5)})
    writer.close()
    with Session.open(path) as session:
        found = session.operations(WINDOW)
        assert found.own.tolist() == [True, False, True]
        search = Search((WINDOW,))
        assert rows(session, search, ordered(session, search)).operations.conn.tolist() == [6]


def test_raw_lines_are_found_by_offset_across_chunks(path, writer):
    lines = [b"line %06d\n" % i for i in range(300_000)]
    for at in range(0, len(lines), 1_000):
        writer.add_raw(1, b"".join(lines[at : at + 1_000]))
    writer.close()
    with Session.open(path) as session:
        for i in (0, 95_325, 104_857, 299_999):
            assert session.raw_line(1, i * 12) == f"line {i:06d}"
        assert session.raw_around(1, 12 * 5, 1) == ["line 000004", "line 000005", "line 000006"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            b'{\n  "op": "}{",\n  "a": [{\n    "b": "\\""}]\n}\n{"next": 1}\n',
            '{ "op": "}{", "a": [{ "b": "\\""}] }',
        ),
        (b'{"a": {"b": 1}} tail\n{"c": 1}\n', '{"a": {"b": 1}} tail'),
        (b'{\n  "cut": 1,\n{\n  "whole": 1\n}\n', "{"),
        (b'{\n  "cut": 1,\n', "{"),
        (b'SRCH filter="(cn={a)"\n}\n', 'SRCH filter="(cn={a)"'),
        (b'{\n  "a": "\xff"\n}', '{ "a": "\\xff" }'),
    ],
)
def test_a_raw_line_that_opens_an_object_is_all_of_it(path, writer, text, line):
    writer.add_raw(1, text)
    writer.close()
    with Session.open(path) as session:
        assert session.raw_line(1, 0) == line


def test_samples_come_back_in_time_order(path, writer):
    writer.add_samples(1, [Sample(5, "iostat:vda:util", 1.5), Sample(3, "iostat:vda:util", 2.5)])
    writer.close()
    with Session.open(path) as session:
        times, values = session.samples(WINDOW, "iostat:vda:util")
        assert session.series_names(WINDOW) == ["iostat:vda:util"]
    assert times.tolist() == [3, 5]
    assert values.tolist() == [2.5, 1.5]


def test_the_names_of_a_sample_are_written_at_once(path, writer, monkeypatch):
    tables = []
    monkeypatch.setattr(batches, "_insert", lambda db, table, *rest: tables.append(table))
    samples = [Sample(5, f"cn=monitor:counter{i}", float(i)) for i in range(300)]
    writer.add_samples(1, samples)
    writer.add_samples(1, samples)
    writer.close()
    assert tables == ["series", "sample", "sample"]


def test_names_of_samples_that_come_later_are_kept_apart(path, writer):
    for moment, names in enumerate((["b", "a"], ["a", "c", "b"])):
        writer.add_samples(1, [Sample(moment, name, float(ord(name))) for name in names])
    writer.close()
    with Session.open(path) as session:
        for name, times in (("a", [0, 1]), ("b", [0, 1]), ("c", [1])):
            found, values = session.samples(WINDOW, name)
            assert found.tolist() == times
            assert set(values.tolist()) == {float(ord(name))}


def test_every_series_of_a_window_comes_with_one_query(
    writer: SessionWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["b", "a", "only here"]
    for moment in (7, 3, 5):
        writer.add_samples(1, [Sample(moment, name, float(moment)) for name in names])
    writer.close()
    asked: list[str] = []
    with Session.open(writer.path) as session:
        query = session.query
        monkeypatch.setattr(
            session, "query", lambda sql, *rest: asked.append(sql) or query(sql, *rest)
        )
        found = session.every_sample(WINDOW, ["a", "only here", "nowhere"])
        assert session.every_sample(WINDOW, []) == {}
    assert sum("FROM sample" in sql for sql in asked) == 2
    assert {name: times.tolist() for name, (times, _) in found.items()} == {
        "a": [3, 5, 7],
        "only here": [3, 5, 7],
    }
    assert found["a"][1].tolist() == [3.0, 5.0, 7.0]


def test_an_existing_file_is_never_overwritten(path, writer):
    writer.close()
    with pytest.raises(SessionError, match="already exists"):
        SessionWriter.create(path)


def test_a_window_that_a_crash_lost_leaves_its_number_taken(path, writer):
    """Its source may be there: the next window must not get what that says of its log."""
    writer.put_source(Source(9, 2, SourceKind.ACCESS_LOG, "access", SourceState.MISSING))
    writer.close()
    with SessionWriter.append(path) as again:
        assert again.next_id("capture_window") == 3
        assert again.next_id("source") == 10


def test_an_experiment_goes_on_in_the_same_file(path, writer):
    writer.close()
    with SessionWriter.append(path) as again:
        assert again.next_id("capture_window") == 2
        again.put_window(replace(WINDOW, id=2, start_ns=5_000))
    with Session.open(path) as session:
        assert [w.id for w in session.windows()] == [1, 2]


@pytest.mark.parametrize(("wait_s", "written"), [(batches.WAIT_S, 200), (batches.BULK_WAIT_S, 0)])
def test_rows_of_an_import_wait_for_a_full_group(path, writer, monkeypatch, wait_s, written):
    writer.close()
    seconds = iter([0.0, 1.0, 3.0, 3.0, 3.0])
    monkeypatch.setattr(batches.time, "monotonic", lambda: next(seconds))
    with duckdb.connect(str(path)) as db:
        waiting = batches.Batches(db)
        waiting.wait_s = wait_s
        waiting.hold_rows(db, 1, operations(100))
        waiting.hold_rows(db, 1, operations(100))
        waiting.raw.close()
        assert db.execute("SELECT count(*) FROM operation").fetchall() == [(written,)]


def in_child(function, path):
    """Run a function of this module in a process of its own; its exit code."""
    code = (
        f"from {__name__} import {function} as f; from pathlib import Path; f(Path({str(path)!r}))"
    )
    return subprocess.run([sys.executable, "-c", code], check=False).returncode


def write_and_die(path):
    writer = SessionWriter.create(path, FACTS)
    writer.put_window(WINDOW)
    writer.put_source(SOURCE)
    writer.add_operations(1, operations(100))
    writer.add_raw(1, b"raw text\n")
    writer.flush()
    os.kill(os.getpid(), 9)


def fill_disk(path):
    """Write with a limit on the size of files: the operating system refuses as a full disk does."""
    import resource

    writer = SessionWriter.create(path, FACTS)
    writer.put_window(WINDOW)
    writer.put_source(SOURCE)
    writer.add_operations(1, operations(10))
    writer.flush()
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limit = path.stat().st_size + 200_000
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    noise = np.random.default_rng(1)
    try:
        for _ in range(100):
            writer.add_raw(1, noise.bytes(100_000))
            writer.flush()
    except SessionError as error:
        os._exit(7 if "stays readable" in str(error) else 8)


def open_in_use(path):
    try:
        Session.open(path)
    except SessionError as error:
        os._exit(7 if "another workbench" in str(error) else 8)


def test_a_killed_writer_leaves_what_was_flushed(path):
    assert in_child("write_and_die", path) == KILLED
    with Session.open(path) as session:
        assert len(session.operations(WINDOW)) == 100
        assert session.raw_line(1, 0) == "raw text"


@pytest.mark.posix("no such limit of a process")
def test_a_full_disk_is_said_and_the_file_stays_readable(path):
    assert in_child("fill_disk", path) == 7
    with Session.open(path) as session:
        assert session.windows() == [WINDOW]
        assert len(session.operations(WINDOW)) == 10


def test_what_is_no_session_is_refused(tmp_path):
    text = tmp_path / "a.ldapwb"
    text.write_text("not a database")
    with pytest.raises(SessionError, match="is not a session") as raised:
        Session.open(text)
    assert "ldap-workbench import" in str(raised.value.remedy)
    other = tmp_path / "b.ldapwb"
    duckdb.connect(str(other)).close()
    with pytest.raises(SessionError, match="not a session"):
        Session.open(other)
    with pytest.raises(SessionError, match="does not exist"):
        Session.open(tmp_path / "c.ldapwb")


def test_on_windows_a_session_that_may_not_be_read_may_be_open_elsewhere(path, writer, monkeypatch):
    writer.close()
    denied = PermissionError(13, "Permission denied")
    monkeypatch.setattr(Path, "open", Mock(side_effect=denied))
    for platform, advised in (("win32", "close it there"), ("linux", "Check the name")):
        monkeypatch.setattr(sys, "platform", platform)
        with pytest.raises(SessionError, match="Permission denied") as refused:
            Session.open(path)
        assert advised in str(refused.value.remedy)


def test_a_newer_schema_is_refused(path, writer):
    writer.set_meta("schema", "99")
    writer.close()
    with pytest.raises(SessionError, match="newer workbench"):
        Session.open(path)


def test_a_hostile_file_reaches_nothing(path, writer):
    writer.close()
    with Session.open(path) as session, pytest.raises(SessionError, match="disabled"):
        session.rows("SELECT * FROM read_csv('/etc/passwd')")


@pytest.mark.posix("there a file that is written cannot be opened at all")
def test_a_file_in_use_is_said_so(path, writer):
    writer.flush()
    assert in_child("open_in_use", path) == 7


def test_raw_text_goes_on_in_further_tables(tmp_path, monkeypatch):
    monkeypatch.setattr("ldap_workbench.session.batches.RAW_FRAMES", 2)
    text = b"".join(b"line %09d of the log\n" % number for number in range(400_000))
    path = tmp_path / "long.ldapwb"
    with SessionWriter.create(path) as writer:
        writer.add_raw(1, text[:5_000_000])
        writer.flush()
    with SessionWriter.append(path) as writer:
        writer.add_raw(2, b"another source\n")
        writer.flush()
    with Session.open(path) as session:
        assert len(raw_tables(session._db)) > 2
        assert session.raw(1, 0, 5_000_000) == text[:5_000_000]
        assert session.raw(1, 2_000_000, 1_000_000) == text[2_000_000:3_000_000]
        assert session.raw(2, 0, 100) == b"another source\n"


def test_text_that_packs_badly_fits_into_the_memory_of_the_writer(tmp_path):
    # A frame a little larger than half a block of the database takes a whole one in memory.
    noise = np.random.default_rng(1).bytes(160_000)
    path = tmp_path / "noise.ldapwb"
    with SessionWriter.create(path) as writer:
        for number in range(1_000):
            writer.add_raw(1, number.to_bytes(4) + noise + bytes(RAW_CHUNK - 160_004))
    with Session.open(path) as session:
        assert session.raw(1, 999 * RAW_CHUNK, 160_004) == (999).to_bytes(4) + noise
    assert path.stat().st_size < 1.1 * 1_000 * len(noise)


def test_latencies_are_those_of_the_operations(tmp_path):
    path = build_capture_session(tmp_path / "one.ldapwb", seconds=5)
    with Session.open(path) as session:
        [window] = session.windows()
        every, few = session.operations(window), session.latencies(window)
        for name in ("end_ns", "etime_ns", "kind", "internal", "own"):
            assert sorted(getattr(few, name)) == sorted(getattr(every, name))
        assert len(few.end_ns) == len(every) > 0
        assert len(session.latencies(replace(window, id=99)).end_ns) == 0


def test_what_does_not_fit_in_memory_lies_beside_the_session(tmp_path, monkeypatch):
    """And is gone with the writer; nothing is left where the user happens to stand."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    path = tmp_path / "o'clock.ldapwb"
    monkeypatch.setitem(opening.WRITING, "memory_limit", "60MB")
    with SessionWriter.create(path) as writer:
        db = writer._connection
        many = "SELECT hash(range)::VARCHAR AS h FROM range(1000000) ORDER BY h"
        db.execute(f"CREATE TEMP TABLE spilled AS {many}")
        assert (tmp_path / "o'clock.ldapwb.tmp").is_dir()
    assert list(here.iterdir()) == []
    assert sorted(each.name for each in tmp_path.iterdir()) == ["here", "o'clock.ldapwb"]


def test_samples_alone_may_be_the_first_that_is_written(path):
    with SessionWriter.create(path) as writer:
        writer.add_samples(1, [Sample(5, "iostat:sda:util", 1.0)])
    with Session.open(path) as session:
        assert session.rows("SELECT count(*) FROM sample") == [(1,)]


def test_rows_that_say_nothing_rare_stand_before_and_behind_some_that_do(path, writer):
    unsaid = {name: np.full(2, value, COLUMNS[name]) for name, value in RARE.items()}
    finer = unsaid | {"wqtime_ns": np.array([5, 7])}
    for first, columns in ((0, unsaid), (2, finer), (4, unsaid)):
        writer.add_operations(1, operations(2, start=1_000 + first, **columns))
    writer.close()
    with Session.open(path) as session:
        found = session.operations(WINDOW)
    nothing = RARE["wqtime_ns"]
    in_order = found.wqtime_ns[np.argsort(found.end_ns)]
    assert in_order.tolist() == [nothing, nothing, 5, 7, nothing, nothing]
    assert found.index_key.tolist() == [-1] * 6


def test_ids_go_on_where_the_file_ends(path, tmp_path):
    with SessionWriter.create(path) as writer:
        assert [writer.next_id("source") for _ in range(3)] == [1, 2, 3]
        assert writer.next_id("capture_window") == 1
        writer.put_source(replace(SOURCE, id=7, window=4))
    with SessionWriter.append(path) as writer:
        assert writer.next_id("source") == 8
        assert writer.next_id("capture_window") == 5, "that of the source is taken, too"


def test_a_writer_that_is_closed_leaves_no_thread(path):
    before = set(threading.enumerate())
    with SessionWriter.create(path) as writer:
        writer.add_raw(1, b"line\n")
        writer.flush()
        its_own = set(threading.enumerate()) - before
        assert {"session-packer_0", "session-writer_0"} <= {thread.name for thread in its_own}
    assert not [thread for thread in its_own if thread.name.startswith("session-")
                and thread.is_alive()]  # fmt: skip


def test_a_failure_is_raised_by_whatever_is_called_next(path, writer):
    def fail(_):
        raise OSError(28, "No space left on device")

    with pytest.raises(SessionError, match="No space left"):
        writer._thread.do_now(fail)
    for late in (writer.check, writer.flush, lambda: writer.put_window(WINDOW), writer.close):
        with pytest.raises(SessionError, match="No space left"):
            late()
    writer.close()


def test_a_note_is_written_on_the_session_and_on_the_windows_it_is_of(path, writer):
    writer.put_window(replace(WINDOW, id=2, name="second", note="as before"))
    writer.close()
    write_notes(path, "a quiet night", {1: "before the change", 9: "of nobody"})
    with Session.open(path) as session:
        assert session_note(session) == "a quiet night"
        assert [window.note for window in session.windows()] == ["before the change", "as before"]
        assert session.window(1) == replace(WINDOW, note="before the change")


def test_a_mark_is_added_changed_and_taken_out(path, writer):
    writer.close()
    first = Mark(1_500, "operator", verbatim("users complain"))
    other = Mark(1_500, "operator", verbatim("a call"))
    for before, after, marks in [
        (None, first, [first]),
        (None, other, [first, other]),
        (first, replace(first, time_ns=1_600), [other, replace(first, time_ns=1_600)]),
        (other, None, [replace(first, time_ns=1_600)]),
    ]:
        change_mark(path, before, after)
        with Session.open(path) as session:
            assert session.marks() == marks


def test_a_file_that_was_put_aside_for_good_takes_no_note(path, writer):
    writer.close()
    assert may_note(path)
    path.chmod(0o444)
    assert not may_note(path)
    assert not may_note(path.with_name("gone.ldapwb"))
    with pytest.raises(SessionError, match=r"s\.ldapwb is read-only"):
        write_notes(path, "too late", {})
    with pytest.raises(SessionError, match=r"s\.ldapwb is read-only"):
        change_mark(path, None, Mark(1, "operator", verbatim("too late")))
    with Session.open(path) as session:
        assert session_note(session) == ""


@pytest.mark.parametrize("times", [(0, (1 << 60) + 1), (1, (1 << 62) + 1), (-(1 << 62) - 1, 0)])
def test_a_window_of_times_that_none_has_is_damage_and_said_with_its_times(path, writer, times):
    start, end = times
    writer.put_window(replace(WINDOW, start_ns=start, end_ns=end))
    writer.close()
    said = f"its window 1 lasts from {start} to {end} ns"
    with Session.open(path) as session, pytest.raises(SessionError, match=re.escape(said)):
        session.windows()


def test_a_window_may_last_as_long_as_any_log(path, writer):
    long = replace(WINDOW, start_ns=0, end_ns=1 << 60)
    writer.put_window(long)
    writer.close()
    with Session.open(path) as session:
        assert session.windows() == [long]


def test_text_whose_begin_is_lost_is_read_from_where_it_goes_on(path, writer):
    writer.add_raw(1, b"0123456789" * 3)
    writer.close()
    with duckdb.connect(str(path)) as db:
        db.execute("UPDATE raw SET first_byte = 50")
    with Session.open(path) as session:
        assert session.raw(1, 40, 15) == b"01234"
        assert session.raw(1, 55, 3) == b"567"
        assert session.raw(1, 0, 50) == b""


def test_what_is_read_at_once_grows_with_the_file_up_to_a_share_of_the_memory(monkeypatch):
    monkeypatch.setattr(limits, "MEMORY_BYTES", 3_000_000_000)
    small, large, endless = (limits.Limits.of_file(size) for size in (0, 10**6, 10**12))
    assert (small.rows, large.rows) == (1_000_000, 2_000_000)
    assert large.text - small.text == 32 * 10**6
    assert endless.rows * limits._ROW_BYTES == 1_500_000_000
    assert endless.text == 750_000_000


@pytest.mark.posix("there it is looked through each time")
def test_a_file_is_looked_through_once_and_again_when_it_has_changed(tmp_path, monkeypatch):
    """To list what could act takes half the time of opening one, its tables half of the rest."""
    looked_through, listed = [], []
    look, tables = contents._foreign, contents._written_tables
    monkeypatch.setattr(contents, "_foreign", lambda db: looked_through.append(db) or look(db))
    monkeypatch.setattr(contents, "_written_tables", lambda db: listed.append(db) or tables(db))
    path = tmp_path / "s.ldapwb"
    with SessionWriter.create(path) as writer:
        writer.put_window(WINDOW)
    for _ in range(2):
        Session.open(path).close()
    assert (len(looked_through), len(listed)) == (0, 1)
    shutil.copy(path, tmp_path / "copy.ldapwb")
    for _ in range(2):
        Session.open(tmp_path / "copy.ldapwb").close()
    assert (len(looked_through), len(listed)) == (1, 2)
    with duckdb.connect(str(tmp_path / "copy.ldapwb")) as db:
        db.execute("DROP TABLE change")
    for _ in range(2):
        with pytest.raises(SessionError, match="no table 'change'"):
            Session.open(tmp_path / "copy.ldapwb")
    with duckdb.connect(str(path)) as db:
        db.execute("CREATE MACRO max(x) AS 1")
    for _ in range(2):
        with pytest.raises(SessionError, match="macro 'max'"):
            Session.open(path)


def with_macro(path):
    """A copy of a session in which something could act."""
    copy = path.with_name("stranger.ldapwb")
    shutil.copy(path, copy)
    with duckdb.connect(str(copy)) as db:
        db.execute("CREATE MACRO max(x) AS 1")
    return copy


@pytest.mark.posix("links are for administrators there")
def test_a_link_that_is_set_to_a_known_file_once_another_is_open_is_looked_through(
    tmp_path, monkeypatch
):
    path, link = tmp_path / "s.ldapwb", tmp_path / "link.ldapwb"
    SessionWriter.create(path).close()
    link.symlink_to(path)
    Session.open(link).close()
    link.unlink()
    link.symlink_to(with_macro(path))
    connect = duckdb.connect

    def linked_back(name, **options):
        connection = connect(name, **options)
        link.unlink()
        link.symlink_to(path)
        return connection

    monkeypatch.setattr(opening.duckdb, "connect", linked_back)
    with pytest.raises(SessionError, match="macro 'max'"):
        Session.open(link)


def test_a_file_that_takes_the_name_of_one_being_written_is_looked_through(tmp_path):
    path = tmp_path / "s.ldapwb"
    SessionWriter.create(path).close()
    stranger = with_macro(path)
    writer = SessionWriter.append(path)
    close = writer._database.close

    def close_and_swap():
        close()
        stranger.replace(path)

    writer._database.close = close_and_swap
    writer.close()
    with pytest.raises(SessionError, match="macro 'max'"):
        Session.open(path)


def test_windows_knows_no_time_of_change_so_each_file_is_looked_through(tmp_path, monkeypatch):
    monkeypatch.setattr(contents, "_WINDOWS", True)
    looked_through = []
    look = contents._foreign
    monkeypatch.setattr(contents, "_foreign", lambda db: looked_through.append(db) or look(db))
    SessionWriter.create(tmp_path / "s.ldapwb").close()
    for _ in range(2):
        Session.open(tmp_path / "s.ldapwb").close()
    assert len(looked_through) == 2


def test_a_log_beside_a_file_is_looked_through_with_it(tmp_path):
    path = tmp_path / "s.ldapwb"
    SessionWriter.create(path).close()
    Session.open(path).close()
    about = path.stat()
    code = (
        f"import duckdb, os; db = duckdb.connect({str(path)!r}); "
        "db.execute('CREATE VIEW more AS SELECT 1'); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    assert path.stat().st_mtime_ns == about.st_mtime_ns
    with pytest.raises(SessionError, match="view 'more'"):
        Session.open(path)


def test_sources_of_a_file_that_is_only_read_are_asked_for_once(tmp_path, monkeypatch):
    path, asked = build_capture_session(tmp_path / "s.ldapwb", seconds=2), []
    with Session.open(path) as session:
        rows = session.rows
        monkeypatch.setattr(session, "rows", lambda *query: asked.append(query) or rows(*query))
        first = session.sources(1)
        assert session.sources(1) == first != []
        assert len(asked) == 1
        first.clear()
        assert session.sources(1), "what a caller does with its list is its own affair"


def test_sources_that_come_while_it_is_written_are_seen(tmp_path):
    with (
        SessionWriter.create(tmp_path / "s.ldapwb") as writer,
        writer.reader(follows=True) as session,
        writer.reader() as once,
    ):
        assert session.sources() == once.sources() == []
        number = writer.next_id("source")
        writer.put_source(Source(number, 1, SourceKind.ACCESS_LOG, "access", SourceState.COMPLETE))
        writer.flush()
        assert [source.id for source in session.sources()] == [number]
        assert once.sources() == []


def test_more_text_than_fits_in_a_file_of_its_size_is_not_read(tmp_path):
    with Session.open(build_capture_session(tmp_path / "s.ldapwb", seconds=2)) as session:
        session._limits = limits.Limits(rows=1_000, text=3)
        with pytest.raises(SessionError, match="too many for it"):
            session.strings(1)
