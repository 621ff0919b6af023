"""The kernel that reads access logs: whether it is there, and what a dialect may ask of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import ldap_workbench_kernel as shared
import pytest
from ldap_workbench_kernel import CONNECTION, REQUEST, Kernel

from ldap_workbench.logs.access import scan_statistics, scanner
from ldap_workbench.logs.access.dialects import DIALECTS
from ldap_workbench.logs.access.grammar import WITH_VLV, Field, Line, Style, Unit
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.operations import ABSENT, COLUMNS, NOTES, RARE, TYPES


@pytest.fixture(autouse=True)
def looked_for_anew() -> Iterator[None]:
    scanner._kernel.cache_clear()
    yield
    scanner._kernel.cache_clear()


def kernel(**given: object) -> Kernel:
    asked: dict[str, object] = {
        "style": "slapd", "unit": "seconds", "depth": 0, "words": [], "operations": [], "keys": [],
        "months": [], "nonces": [], "offset": 0, "year": 2026, "zone_ns": 0, "undated_ns": None,
        "keep_closed": 0,
    }  # fmt: skip
    return Kernel(**(asked | given))


def test_a_checkout_without_the_kernel_says_how_to_build_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ldap_workbench_kernel", None)
    with pytest.raises(LogError, match="has not been built") as caught:
        Scanner()
    assert str(caught.value.remedy) == "In a copy of the sources, run: packaging/run setup"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_kernel_knows_every_name_of_a_dialect(dialect: str) -> None:
    assert Scanner(dialect).counts.understood == 0


def test_each_dialect_has_a_name_and_looks_of_its_own() -> None:
    dialects = DIALECTS.values()
    looks = [look.pattern for dialect in dialects for look in dialect.looks]
    assert all(dialect.looks for dialect in dialects)
    assert len(set(looks)) == len(looks)
    assert len({dialect.title for dialect in dialects}) == len(DIALECTS)
    assert len({dialect.log for dialect in dialects}) == len(DIALECTS)


def test_the_kernel_knows_every_name_that_a_dialect_may_use() -> None:
    for style in Style:
        kernel(style=style)
    for unit in Unit:
        kernel(unit=unit)
    kernel(words=[(line, line, 0) for line in Line], keys=[(field, field) for field in Field])


@pytest.mark.parametrize(
    "wrong",
    [
        {"style": "sonnet"},
        {"unit": "fortnights"},
        {"words": [("SRCH", "verse", 0)]},
        {"keys": [("base", "rhyme")]},
        {"keys": [(f"key{i}", "base") for i in range(129)]},
    ],
)
def test_a_name_that_the_kernel_does_not_know_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"no .* is called|too many words or keys"):
        kernel(**wrong)


def test_python_and_rust_mean_the_same_by_their_numbers_and_names() -> None:
    assert set(shared.STYLES) == set(Style)
    assert set(shared.UNITS) == set(Unit)
    assert set(shared.FIELDS) - {"skip"} == set(Field)
    assert set(shared.CLASSES) - {"not_known", "aside", "header"} == set(Line)
    assert [(name, number) for number, name in enumerate(TYPES)] == shared.KINDS
    assert shared.NOTES.decode() == NOTES
    assert shared.WITH_VLV == WITH_VLV
    assert shared.ABSENT == ABSENT
    assert tuple(shared.TABLES) == scanner._TABLES
    assert set(shared.RARE) == RARE.keys()
    assert {*shared.COLUMNS, *shared.RARE} == COLUMNS.keys()


def test_what_a_row_does_not_say_is_the_same_in_both() -> None:
    line = b"[21/Nov/2026:02:20:00 +0000] conn=7 op=1 RESULT err=0 etime=0.1 "
    for said, rare in ((b"wqdepth=1", "wqdepth"), (b"wbusy=3", "wbusy")):
        rows = Scanner("389").feed(line + said + b"\n")
        others = RARE.keys() - {rare}
        assert {name: getattr(rows, name).tolist() for name in others} == {
            name: [RARE[name]] for name in others
        }


def test_a_kernel_of_other_sources_says_what_to_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    note = tmp_path / ".kernel-sources"
    for sources in (scanner.kernel_sources(), None):
        scanner._kernel.cache_clear()
        note.write_text(f"{sources}\n") if sources else note.unlink()
        Scanner()
    scanner._kernel.cache_clear()
    note.write_text("0badc0de\n")
    with pytest.raises(LogError, match="other sources") as caught:
        Scanner()
    assert str(caught.value.remedy) == "Run: packaging/kernel install"
    # A wheel of the workbench in the same .venv: nothing to compare.
    monkeypatch.setattr(scanner, "kernel_sources", lambda: "")
    Scanner()


def test_no_result_depends_on_where_the_kernel_keeps_connections() -> None:
    def line(conn: int, text: str) -> bytes:
        return b"[21/Nov/2026:02:20:%02d +0000] conn=%d %s\n" % (conn % 60, conn, text.encode())

    numbers = range(1, 3000)
    text = b"".join(
        line(n, f"fd=64 slot=64 connection from 192.0.2.{n % 99} to 192.0.2.1")
        + (line(n, "fd=64 closed - U1") if n % 3 else line(n, 'op=1 SRCH base="a" scope=2'))
        for n in numbers
    )
    scans = [Scanner("389"), Scanner("389")]
    for scan in scans:
        scan.feed(text)
    one, other = scans
    assert [connection.conn for connection in one.connections()] == list(numbers)
    assert one.connections() == other.connections()
    assert one.open_requests() == other.open_requests()
    unused = one.connections_without_operation()
    assert len(unused) == 66
    assert unused == other.connections_without_operation()


def test_columns_that_are_still_read_are_not_filled_again() -> None:
    def results(err: int, count: int) -> bytes:
        line = "[21/Nov/2026:02:20:00 +0000] conn=1 op=%d RESULT err=%d etime=0.%d\n"
        return "".join(line % (n, err, n + 1) for n in range(count)).encode()

    scan = Scanner("389")
    read = scan.feed(results(1, 200))
    errors, etimes = read.err, read.etime_ns
    before = etimes.tolist()
    del read  # its other columns are nobody's now
    for err in (2, 3, 4):
        assert set(scan.feed(results(err, 500)).err.tolist()) == {err}
    assert errors.tolist() == [1] * 200
    assert etimes.tolist() == before


def test_rows_of_the_kernel_have_the_numbers_that_are_read() -> None:
    assert tuple(CONNECTION) == scan_statistics._CONNECTION
    assert tuple(REQUEST) == scan_statistics._REQUEST
