"""Summaries and answers of strangers: refused in words, within bounds, whatever they hold."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace

import numpy as np
import pytest
import zstandard

from ldap_workbench import __version__
from ldap_workbench.connect.conversation import LocalConversation
from ldap_workbench.fleet import summary as summaries
from ldap_workbench.fleet.answers import Talker
from ldap_workbench.fleet.answers import summary_of as answered
from ldap_workbench.fleet.counts import Cells, Sums
from ldap_workbench.fleet.engine import Pool, run
from ldap_workbench.fleet.mapping import summarise
from ldap_workbench.fleet.packing import pack
from ldap_workbench.fleet.store import read_fleet
from ldap_workbench.fleet.summary import Summary, joined_bytes, joined_from_bytes
from ldap_workbench.fleet.units import Unit, ranges
from ldap_workbench.inference.counts.counting import distinct_cells
from ldap_workbench.model.errors import LogError, SessionError
from tests.unit.fleet.logs import log_of


@pytest.fixture
def unit(tmp_path):
    path = tmp_path / "access"
    path.write_bytes(log_of([17, *[3, 9] * 60]))
    return Unit("ldap1", str(path), 0, "389")


@pytest.fixture
def tail(unit):
    """The second half of a log: with fragments of everything."""
    size = os.path.getsize(unit.path)
    return summarise(ranges(unit, [0, size // 2, size])[1])


def changed(cells: Cells, row: int, number: int) -> Cells:
    numbers = cells.numbers.copy()
    numbers[row] = number
    return Cells(numbers, cells.counts)


COUNTS = {
    "a bucket that does not exist": lambda c: replace(
        c, seconds=changed(c.seconds, -1, int(c.seconds.numbers[-1]) | 0xFFFF)
    ),
    "a type that does not exist": lambda c: replace(
        c, seconds=changed(c.seconds, -1, int(c.seconds.numbers[-1]) | 0xF0000)
    ),
    "a second before 1970": lambda c: replace(c, seconds=changed(c.seconds, 0, -5)),
    "rows in no order": lambda c: replace(
        c, seconds=Cells(c.seconds.numbers[::-1], c.seconds.counts[::-1])
    ),
    "fewer than no operation": lambda c: replace(
        c, seconds=Cells(c.seconds.numbers, -c.seconds.counts)
    ),
    "more operations than can be added": lambda c: replace(
        c, clients=Cells(c.clients.numbers, c.clients.counts + (1 << 61))
    ),
    "seconds without their hour": lambda c: replace(c, hours=Sums()),
    "an hour with other counts": lambda c: replace(
        c, hours=Sums(c.hours.keys, c.hours.added + 1, c.hours.max_ns)
    ),
    "an hour that no calendar has": lambda c: replace(
        c,
        seconds=Cells(c.seconds.numbers + (10**12 << 20), c.seconds.counts),
        hours=Sums(c.hours.keys + (10**12 // 3600 << 4), c.hours.added, c.hours.max_ns),
    ),
    "an etime of less than nothing": lambda c: replace(
        c, hours=Sums(c.hours.keys, c.hours.added, -c.hours.max_ns)
    ),
    "more errors than operations": lambda c: replace(
        c, shapes=Sums(c.shapes.keys, c.shapes.added + np.array([0, 0, 10**6, 0]), c.shapes.max_ns)
    ),
    "an hour too late": lambda c: replace(
        c, hours=Sums(c.hours.keys + 16, c.hours.added, c.hours.max_ns)
    ),
    "a client without a name": lambda c: replace(c, client_names=()),
    "columns of different lengths": lambda c: replace(
        c, seconds=Cells(c.seconds.numbers, c.seconds.counts[1:])
    ),
    "more counts than clients": lambda c: replace(
        c, clients=Cells(c.clients.numbers, c.clients.counts.repeat(2))
    ),
    "more longest etimes than hours": lambda c: replace(
        c, hours=Sums(c.hours.keys, c.hours.added, c.hours.max_ns.repeat(2))
    ),
    "a table for a column": lambda c: replace(
        c, hours=Sums(c.hours.keys, c.hours.added[:, :3], c.hours.max_ns)
    ),
    "lines that were taken back": lambda c: replace(c, lines=(-1, 0, 0)),
}


@pytest.mark.parametrize("what", COUNTS)
def test_counts_that_cannot_be_are_refused(unit, what):
    server = summarise(unit).servers()["ldap1"]
    hostile = replace(server, counts=COUNTS[what](server.counts))
    with pytest.raises(LogError, match="damaged"):
        joined_from_bytes(joined_bytes(hostile))


FRAGMENTS = {
    "an open request of no type": lambda f: replace(f, open={(1, 1): (1 << 70, "")}),
    "a result of no type": lambda f: replace(f, orphans=np.full((1, 7), 99, np.int64)),
    "a result in no century": lambda f: replace(
        f, orphans=np.array([[1, 1, (1 << 63) - 1, 5, 1, 0, 0]], np.int64)
    ),
    "a result that took less than no time": lambda f: replace(
        f, orphans=np.array([[1, 1, 5, -5, 1, 0, 0]], np.int64)
    ),
    "columns that are missing": lambda f: replace(f, orphans=np.zeros((1, 6), np.int64)),
    "an end before its begin": lambda f: replace(f, begin=f.end + 1),
    "a text for a number": lambda f: replace(f, begin="0"),
    "runs that never were": lambda f: replace(f, runs=-1),
}


@pytest.mark.parametrize("what", FRAGMENTS)
def test_open_ends_that_cannot_be_are_refused(tail, what):
    hostile = replace(tail, fragments=(FRAGMENTS[what](tail.fragments[0]),))
    with pytest.raises(LogError, match="damaged"):
        Summary.from_bytes(hostile.to_bytes())


TREES = {
    "no tree": [],
    "lists for columns": {"counts": {"a": {"seconds": [[1], [1]], "lines": [0, 0, 0]}}},
    "a number without an end": {"counts": {}, "fragments": [], "unjoined": float("inf")},
    "nothing": {},
    "servers in a list": {"counts": [1], "fragments": []},
}


@pytest.mark.parametrize("what", TREES)
def test_trees_of_another_shape_are_refused(what):
    for read in (Summary.from_bytes, joined_from_bytes):
        if what != "a number without an end" or read is joined_from_bytes:
            with pytest.raises(LogError, match="damaged"):
                read(pack(TREES[what]))


def packed(text: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(len(text).to_bytes(8, "little") + text)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no zstd",
        packed(b"[" * 100_000),
        packed(b'{"array": [4611686018427387904, 4]}'),
        packed(b'{"array": [-1]}'),
        packed(b'{"array": ["x"]}'),
        packed(b'{"array": [1]}'),
        zstandard.ZstdCompressor().compress(b"\xff" * 8),
    ],
)
def test_bytes_that_are_no_summary_are_refused(body):
    with pytest.raises(LogError, match="damaged"):
        Summary.from_bytes(body)


def test_a_small_file_does_not_become_a_large_one(monkeypatch, unit):
    body = summarise(unit).to_bytes()
    monkeypatch.setattr(summaries, "LARGEST_ANSWER", 1000)
    with pytest.raises(LogError, match=r"damaged: \d+ bytes"):
        Summary.from_bytes(body)


def test_a_worker_speaks_only_of_what_it_was_asked(unit, tmp_path):
    body = summarise(unit).to_bytes()
    assert answered(body, unit).to_bytes() == body
    for other in (
        replace(unit, host="ldap2"),
        replace(unit, place=1),
        replace(unit, path="/elsewhere"),
        replace(unit, begin=1),
        replace(unit, end=10**9),
        replace(unit, whole=False),
    ):
        with pytest.raises(LogError, match="damaged"):
            answered(body, other)
    found = summarise(unit)
    for hostile in (
        replace(found, fragments=()),
        replace(found, fragments=found.fragments * 2),
        replace(found, counts={**found.counts, "ldap2": found.counts["ldap1"]}),
        replace(
            found,
            counts={**found.counts, "ldap2": found.counts["ldap1"]},
            fragments=(*found.fragments, replace(found.fragments[0], host="ldap2")),
        ),
    ):
        with pytest.raises(LogError, match="damaged"):
            answered(hostile.to_bytes(), unit)


@pytest.mark.parametrize(
    "answer",
    [
        "'[' * 70_000 + chr(10)",
        "'x' * 10_000_000",
        "'[]' + chr(10)",
        "('{}' + chr(10)) * 30_000",
        "'7' + chr(10)",
        """'{"version": "VERSION", "size": -1}' + chr(10)""",
        """'{"version": "VERSION", "size": 1e99}' + chr(10)""",
        """'{"version": "VERSION", "size": 9999999999}' + chr(10)""",
        """'{"version": "VERSION", "size": "many"}' + chr(10)""",
        """'{"version": "VERSION", "size": 9}' + chr(10) + 'no summary'""",
        """'{"version": "VERSION", "why": ' + '[' * 60_000 + chr(10)""",
    ],
)
def test_words_that_are_no_answer_fail_the_unit(unit, answer):
    answer = answer.replace("VERSION", __version__)
    command = [sys.executable, "-c", f"import sys; input(); sys.stdout.write({answer})"]
    found = run([Pool([unit], lambda: Talker(LocalConversation(command)), 1)])
    assert [each.name for each in found.failures] == [unit.name]
    assert len(str(found.failures[0].why)) < 1000


def test_a_worker_that_says_for_ever_that_it_works_is_given_up(unit, monkeypatch):
    monkeypatch.setattr("ldap_workbench.fleet.answers._MOST_BEATS", 1000)
    command = [sys.executable, "-c", "input()\nwhile True: print('{}')"]
    found = run([Pool([unit], lambda: Talker(LocalConversation(command)), 1)])
    assert "it never answers" in str(found.failures[0].why)


def test_an_index_of_a_fleet_that_is_none(tmp_path):
    for text in ("[" * 100_000, "[]", '{"schema": 1}', '{"schema": 1, "servers": 5}'):
        (tmp_path / "fleet.json").write_text(text)
        with pytest.raises(SessionError):
            read_fleet(tmp_path)
    (tmp_path / "fleet.json").unlink()
    os.mkfifo(tmp_path / "fleet.json")
    with pytest.raises(SessionError):
        read_fleet(tmp_path)
    (tmp_path / "fleet.json").unlink()
    servers = [{"name": "a", "counts": "pipe"}]
    index = {"schema": 1, "servers": servers, "failures": [], "left_out": []}
    (tmp_path / "fleet.json").write_text(json.dumps(index))
    (tmp_path / "counts").mkdir()
    os.mkfifo(tmp_path / "counts" / "pipe")
    with pytest.raises(SessionError):
        read_fleet(tmp_path)


def test_a_clock_that_was_set_takes_no_memory():
    numbers = np.array([3, 1 << 55, 3], np.int64)
    found, counts = distinct_cells(numbers)
    assert (found.tolist(), counts.tolist()) == ([3, 1 << 55], [2, 1])
