"""A replay file holds a script, and one that is no such file is refused."""

import json
from dataclasses import replace

import pytest
import zstandard

from ldap_workbench.logs.reading import time_limit
from ldap_workbench.model.errors import CancelledError, SessionError
from ldap_workbench.model.operations import CHANGES
from ldap_workbench.model.progress import Cancel
from ldap_workbench.replay import script
from ldap_workbench.replay.script import (
    Conversation,
    Request,
    Script,
    packed_script,
    read_script,
)

SCRIPT = Script(
    length_ns=10**9,
    server="ldap1",
    identity="i",
    conversations=(
        Conversation(5, (Request(False, 0, None), Request(True, 7, "dc=x", 2, "(a=ü)", ("cn",)))),
        Conversation(
            9, (Request(False, 3, "", 0, "(objectClass=*)", err=32, nentries=1, page=9, search=2),)
        ),
    ),
    skipped={"MOD": 3},
)
WRITING = Conversation(
    0, tuple(Request(True, 1, "", write=kind, entry=4, renamed=5) for kind in CHANGES)
)


def test_it_is_read_as_it_was_written(tmp_path):
    (tmp_path / "a").write_bytes(packed_script(SCRIPT))
    assert read_script(tmp_path / "a") == SCRIPT
    writing = replace(SCRIPT, conversations=(WRITING,))
    (tmp_path / "b").write_bytes(packed_script(writing))
    assert read_script(tmp_path / "b") == writing


def test_a_file_of_before_pages_is_read(tmp_path):
    before = [HEAD, [0, [[1, 7, "dc=x", 2, "(a=b)", ["cn"], 32, 4]]]]
    text = "".join(json.dumps(line) + "\n" for line in before)
    (tmp_path / "a").write_bytes(zstandard.compress(text.encode()))
    (only,) = read_script(tmp_path / "a").conversations
    assert only.requests == (Request(True, 7, "dc=x", 2, "(a=b)", ("cn",), 32, 4),)


def test_a_file_of_before_writes_is_read(tmp_path):
    before = [HEAD | {"replay": 2}, [0, [[1, 7, "dc=x", 2, "(a=b)", ["cn"], 32, 4, 9, 1]]]]
    text = "".join(json.dumps(line) + "\n" for line in before)
    (tmp_path / "a").write_bytes(zstandard.compress(text.encode()))
    (only,) = read_script(tmp_path / "a").conversations
    assert only.requests == (Request(True, 7, "dc=x", 2, "(a=b)", ("cn",), 32, 4, 9, 1),)


HEAD = {"replay": 1, "length_ns": 10**9, "server": "", "identity": "", "skipped": {}}


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [[1]],
        [{**HEAD, "replay": 4}],
        [{**HEAD, "length_ns": 0}],
        [{**HEAD, "length_ns": 1}],
        [HEAD, [10**10, []]],
        [HEAD, [0, [[0, 10**10, "", 0, "(a=b)", [], 0, 0]]]],
        [HEAD, [0, [[0, 0, "", 0, "(a=b", [], 0, 0]]]],
        [HEAD, [0, [[0, 0, "dc=\ud800", 0, "(a=b)", [], 0, 0]]]],
        [{**HEAD, "length_ns": True}],
        [{**HEAD, "skipped": {"MOD": -1}}],
        [HEAD, [1]],
        [HEAD, [-1, []]],
        [HEAD, [0, [[0, 0, 5, 0, "(a=b)", [], 0, 0]]]],
        [HEAD, [0, [[0, 0, "", 9, "(a=b)", [], 0, 0]]]],
        [HEAD, [0, [[0, 0, "", 0, "(a=b)", [3], 0, 0]]]],
        [HEAD, [0, [[0, 1e99, "", 0, "(a=b)", [], 0, 0]]]],
        [HEAD, [0, [[0, 0, "", 0, "(a=b)", [], 0, 0, 0]]]],
        [HEAD, [0, [[0, 0, "", 0, "(a=b)", [], 0, 0, 1 << 31, 1]]]],
        [HEAD, [0, [[0, 0, "", 0, "(a=b)", [], 0, 0, 1, -1]]]],
        [HEAD, [0, [[0, 0, "", 0, "", [], 0, 0, 0, 0, "CMP", 1, 0]]]],
        [HEAD, [0, [[0, 0, "", 0, "", [], 0, 0, 0, 0, 5, 1, 0]]]],
        [HEAD, [0, [[0, 0, "", 0, "", [], 0, 0, 0, 0, "MOD", "1,dc=x", 0]]]],
        [HEAD, [0, [[0, 0, "", 0, "", [], 0, 0, 0, 0, "MODRDN", 1, 1 << 31]]]],
        [HEAD, [0, [[0, 0, "", 0, "", [], 0, 0, 0, 0, "MOD", 1]]]],
    ],
)
def test_another_content_is_refused(tmp_path, lines):
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "a").write_bytes(zstandard.compress(text.encode()))
    with pytest.raises(SessionError, match="not a replay file"):
        read_script(tmp_path / "a")


@pytest.mark.parametrize("limit", [1 << 20, pytest.param(16 << 20, marks=pytest.mark.full)])
@pytest.mark.parametrize("text", [b"[0,[]]\n", b" "], ids=["lines", "one line"])
def test_a_small_file_of_a_large_text_is_refused(tmp_path, monkeypatch, text, limit):
    """Packed to a few kB; every request of a real one has times of its own."""
    assert script._RATIO_FROM == 16 << 20
    monkeypatch.setattr(script, "_RATIO_FROM", limit)
    whole = json.dumps(HEAD).encode() + b"\n" + text * ((limit + (1 << 20)) // len(text))
    (tmp_path / "a").write_bytes(zstandard.compress(whole))
    assert (tmp_path / "a").stat().st_size < 100_000
    with pytest.raises(SessionError, match="it is too large"):
        read_script(tmp_path / "a")


def test_a_long_line_in_many_pieces_is_read(tmp_path):
    request = [0, 5, "", 0, "(a=b)", [], 0, 0]
    lines = [HEAD, [0, [request] * 30_000], [0, [request]], [0, [request] * 20_000]]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "a").write_bytes(zstandard.compress(text.encode()))
    counts = [len(each.requests) for each in read_script(tmp_path / "a").conversations]
    assert counts == [30_000, 1, 20_000]


def test_a_file_that_takes_too_long_is_refused(tmp_path, monkeypatch):
    """Each time anybody looks at the limit, a second of processor time has gone by."""
    seconds = iter(range(10**6))
    monkeypatch.setattr(time_limit, "process_time", lambda: float(next(seconds)))
    (tmp_path / "a").write_bytes(packed_script(replace(SCRIPT, conversations=(WRITING,) * 20)))
    assert len(read_script(tmp_path / "a").conversations) == 20
    (tmp_path / "a").write_bytes(packed_script(replace(SCRIPT, conversations=(WRITING,) * 200)))
    with pytest.raises(SessionError, match="processor time"):
        read_script(tmp_path / "a")


def test_reading_a_file_can_be_cancelled(tmp_path):
    (tmp_path / "a").write_bytes(packed_script(SCRIPT))
    cancel = Cancel()
    cancel.set()
    with pytest.raises(CancelledError):
        read_script(tmp_path / "a", cancel)


def test_a_damaged_or_cut_file_is_refused(tmp_path):
    whole = packed_script(SCRIPT)
    for damaged in (b"", b"text", whole[:-9], whole[:20]):
        (tmp_path / "b").write_bytes(damaged)
        with pytest.raises(SessionError):
            read_script(tmp_path / "b")
    with pytest.raises(SessionError):
        read_script(tmp_path / "absent")
