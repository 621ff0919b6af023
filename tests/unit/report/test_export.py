"""Exports hold every operation and sample, and no cell runs in a spreadsheet."""

import csv

import duckdb
import pytest

from ldap_workbench.model.errors import SessionError, UsageError
from ldap_workbench.model.operations import ABSENT, TYPES
from ldap_workbench.report.export import export
from ldap_workbench.session.reader import Session
from tests.sessions import HOSTILE


@pytest.fixture(scope="module")
def folder(tmp_path_factory, hostile_path):
    folder = tmp_path_factory.mktemp("export")
    with Session.open(hostile_path) as session:
        files = export(session, folder, ["parquet", "csv", "ldif"])
    assert sorted(file.name for file in files) == sorted(file.name for file in folder.iterdir())
    return folder


def rows(folder, query):
    with duckdb.connect() as db:
        return db.execute(query.replace("{folder}", str(folder))).fetchall()


def test_parquet_holds_every_operation(folder, hostile_path):
    query = (
        "SELECT window_name, any_value(arm), count(*), sum(etime_ns), min(start_ns) "
        "FROM '{folder}/operations.parquet' GROUP BY ALL ORDER BY window_name"
    )
    found = rows(folder, query)
    with Session.open(hostile_path) as session:
        wanted = []
        for window in sorted(session.windows(), key=lambda w: w.name):
            operations = session.operations(window)
            first = int(operations.start_ns.min())
            total = int(operations.etime_ns.sum())
            wanted.append((window.name, window.arm, len(operations), total, first))
    assert found == wanted


def test_strings_stand_where_their_numbers_were(folder, hostile_path):
    with Session.open(hostile_path) as session:
        window = session.windows()[0]
        operations = session.operations(window)
    query = (
        "SELECT type, client, fingerprint FROM '{folder}/operations.parquet' "
        f"WHERE window_id = {window.id} ORDER BY result_at"
    )
    for i, (kind, client, fingerprint) in enumerate(rows(folder, query)):
        assert kind == TYPES[operations.kind[i]]
        assert client == operations.clients[operations.client[i]]
        at = operations.fingerprint[i]
        assert fingerprint == (operations.fingerprints[at] if at >= 0 else "")


def test_parquet_keeps_text_as_it_is(folder):
    found = rows(folder, "SELECT DISTINCT fingerprint FROM '{folder}/operations.parquet'")
    assert {text for (text,) in found} == {*HOSTILE, ""}


def test_csv_is_safe_in_a_spreadsheet(folder):
    with (folder / "operations.csv").open(newline="", encoding="utf-8") as file:
        csv.field_size_limit(1 << 20)
        table = list(csv.DictReader(file))
    assert len(table) == rows(folder, "SELECT count(*) FROM '{folder}/operations.parquet'")[0][0]
    numbers = ("pair", "boot", "op", "conn", "request_at", "result_at")
    for row in table:
        for name, value in row.items():
            if name not in numbers:
                assert not value.startswith(("=", "+", "-", "@", "\t", "\r")), (name, value)
            assert "\x1b" not in value


def test_absent_times_are_null(tmp_path, capture_path):
    with Session.open(capture_path) as session:
        export(session, tmp_path, ["csv"])
    text = (tmp_path / "operations.csv").read_text("utf-8")
    assert str(ABSENT) not in text


def test_samples_and_windows_are_there(folder, hostile_path):
    found = rows(folder, "SELECT DISTINCT series FROM '{folder}/samples.parquet' ORDER BY 1")
    with Session.open(hostile_path) as session:
        assert [name for (name,) in found] == session.series_names(session.windows()[0])
    names = rows(folder, "SELECT name, arm, pair FROM '{folder}/windows.csv' ORDER BY start_ns")
    assert len(names) == 4
    assert {(arm, pair) for _, arm, pair in names} == {("A", 0), ("B", 0), ("A", 1), ("B", 1)}


def test_ldif_can_be_done_and_undone(folder):
    assert "replace: nsslapd-cachememsize" in (folder / "apply.ldif").read_text("utf-8")
    assert "delete: nsslapd-cache-autosize" in (folder / "undo.ldif").read_text("utf-8")


def test_a_capture_has_no_ldif(tmp_path, capture_path):
    with pytest.raises(UsageError, match="no change"):
        export(capture_path, tmp_path, ["ldif"])


def test_formats_are_checked_first(tmp_path, capture_path):
    with pytest.raises(UsageError, match="xlsx"):
        export(capture_path, tmp_path / "new", ["csv", "xlsx"])
    assert not (tmp_path / "new").exists()


def test_a_folder_that_is_a_file_is_said(tmp_path, capture_path):
    (tmp_path / "there").write_text("")
    with pytest.raises(SessionError, match="export"):
        export(capture_path, tmp_path / "there", ["csv"])
