"""Text that is no log, or is damaged: set aside with a reason, never taken for a number."""

from __future__ import annotations

from pathlib import Path

import pytest
import zstandard
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.reading.files import gather
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.unit.logs.lines389 import PAIR, T, scan


def test_text_in_values_is_never_a_field() -> None:
    evil = '(cn=a" RESULT err=9 etime=9 " conn=1 op=1 )("'
    text = (
        T + f'conn=2 op=2 SRCH base="cn="x y",dc=a" scope=2 filter="{evil}" attrs=ALL\n' + T + "con"
        "n=2 op=2 RESULT err=49 tag=101 nentries=0 etime=0.25 - Invalid etime=7 credentials\n" + T
        + 'conn=2 op=3 RESULT err=0 tag=97 nentries=0 etime=0.5 sid="etime=9 notes=A"\n'
    )  # fmt: skip
    _, operations = scan(text)
    assert operations.etime_ns.tolist() == [250_000_000, 500_000_000]
    assert operations.err.tolist() == [49, 0]
    assert operations.notes.tolist() == [0, 0]
    assert operations.bases[operations.base[0]] == 'cn="x y",dc=a'


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (T + "conn=1 op=1 RESULT err=0 tag=101 nentries=0\n", "result without etime"),
        (T + "conn=1 op=1 RESULT err=0 tag=101 nentries=0 etime=-3\n", "garbage etime"),
        ("\0" * 40 + "\n", "NUL bytes"),
        (T + "conn=1 op=1 " + "x" * (1 << 20) + "\n", "overlong line"),
        ("[17/APR/2009:01:41:13 +0000] - ERROR<12293> - Connection  - conn=-1 op=-1 - fd\n",
         "error log line"),
        ("   \r\n", "blank line"),
    ],
)  # fmt: skip
def test_lines_set_aside(line: str, reason: str) -> None:
    scanner, operations = scan(line)
    assert scanner.counts.reasons == {reason: 1}
    assert (scanner.counts.set_aside, len(operations)) == (1, 0)


@pytest.mark.parametrize("step", [1 << 10, 1 << 19, 1 << 22])
def test_overlong_line_in_pieces(step: int) -> None:
    data = (T + "x" * (3 << 20) + "\n" + PAIR).encode()
    scanner = Scanner()
    pieces = [scanner.feed(data[i : i + step]) for i in range(0, len(data), step)]
    assert scanner.counts.reasons == {"overlong line": 1}
    assert sum(map(len, pieces)) == 1
    assert [o.result_at[0] for o in pieces if len(o)] == [data.rindex(b"[21")]


def test_last_line_without_newline() -> None:
    whole = PAIR.rstrip("\n")
    scanner, operations = scan(whole)
    assert len(operations) == 1
    start = T + "conn=1 op=1 RESULT err=0 tag=101 nentries=0 etime=0.123456789\n" + T
    for tail in ("conn=1 op=2 RESULT err=0 tag=101 nentries=0 etime=0.1234567",
                 "conn=1 op=2 RESULT err=0 tag=101 nentries=0 optime=7"):  # fmt: skip
        scanner = Scanner()
        assert len(scanner.feed((start + tail).encode())) == 1
        assert len(scanner.finish()) == 0
        assert scanner.counts.reasons == {"cut line": 1}


def test_two_records_glued_by_a_killed_writer() -> None:
    first = T + "conn=1 op=1 RESULT err=0 tag=101 nentries=0 etime=0.123456789\n"
    second = T + "conn=1 op=2 RESULT err=0 tag=101 nentries=0 etime=0.5000"
    scanner, operations = scan(first + second + first)
    assert operations.etime_ns.tolist() == [123456789] * 2
    assert scanner.counts.reasons == {"cut line": 1, "two records joined": 1}


@given(st.binary(max_size=400))
@example(b"{\x1e")
@example(b'\n{"a": 1,\x1e\n"b": 2}\x1e\n')
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_counted_line_by_line(data: bytes) -> None:
    scanner = Scanner()
    scanner.feed(data)
    scanner.finish()
    counts = scanner.counts
    total = counts.understood + counts.set_aside + counts.unknown
    glued = counts.reasons.get("two records joined", 0)
    assert total - glued == len(data.split(b"\n")) - (data == b"" or data.endswith(b"\n"))


LONG = "(|" + "(uid=u)" * 15_000 + ")"
"""A filter of 100 kB, as a client writes it that asks for everybody by name."""
H = "6a00ff10.0d4cd4da 0x7f5da53fe6c0 "
LONG_LINES = {
    "389": PAIR.replace("(&(objectClass=person)(uid=jd*e))", LONG),
    "sun": T + f'conn=1 op=1 msgId=2 - SRCH base="dc=a" scope=2 filter="{LONG}" attrs=ALL\n'
    + T + "conn=1 op=1 msgId=2 - RESULT err=0 tag=101 nentries=1 etime=0.5\n",
    "opendj": T + f'SEARCH REQ conn=1 op=1 msgID=2 base="dc=a" scope=sub filter="{LONG}" attrs=""\n'
    + T + "SEARCH RES conn=1 op=1 msgID=2 result=0 nentries=1 etime=5\n",
    "unboundid": T + f'SEARCH REQUEST conn=1 op=1 msgID=2 base="dc=a" scope=2 filter="{LONG}" '
    'attrs="cn"\n' + T + "SEARCH RESULT conn=1 op=1 msgID=2 resultCode=0 etime=0.5 "
    "entriesReturned=1\n",
    "openldap": H + f'conn=1 op=1 SRCH base="dc=a" scope=2 deref=0 filter="{LONG}"\n'
    + H + "conn=1 op=1 SEARCH RESULT tag=101 err=0 qtime=0.000001 etime=0.000155 nentries=1 \n",
    "389-json": '{"local_time":"2026-11-21T02:20:00.1 +0000","operation":"SEARCH","conn_id":1,'
    f'"op_id":1,"base_dn":"dc=a","filter":"{LONG}"}}\n{{"local_time":"2026-11-21T02:20:00.1 +0000",'
    '"operation":"RESULT","conn_id":1,"op_id":1,"tag":101,"err":0,"nentries":1,"etime":"0.5"}\n',
    "opendj-json": '{"eventName":"DJ-LDAP","client":{"ip":"192.0.2.7","port":1},"request":'
    '{"protocol":"LDAP","operation":"SEARCH","connId":1,"msgId":2,"dn":"dc=a","filter":'
    f'"{LONG}"}},"response":{{"status":"SUCCESSFUL","statusCode":"0","elapsedTime":5,'
    '"elapsedTimeUnits":"MILLISECONDS","nentries":1},"timestamp":"2026-11-21T02:20:00.151Z"}\n',
}  # fmt: skip


@pytest.mark.parametrize("step", [1 << 10, 1 << 22])
@pytest.mark.parametrize("dialect", LONG_LINES)
def test_a_line_of_100_kb_is_read(dialect: str, step: int) -> None:
    data = LONG_LINES[dialect].encode()
    assert max(map(len, data.split(b"\n"))) > 100_000
    scanner = Scanner(dialect)
    pieces = [scanner.feed(data[at : at + step]) for at in range(0, len(data), step)]
    (operations,) = [piece for piece in [*pieces, scanner.finish()] if len(piece)]
    shape = operations.fingerprints[operations.fingerprint[0]]
    assert shape.startswith("(|(uid=?")
    assert scanner.counts.understood == data.count(b"\n")
    assert (scanner.counts.set_aside, scanner.counts.unknown) == (0, 0)
    assert (scanner.open_operations, scanner.orphan_results) == (0, 0)


INVALID = (
    (PAIR.replace("jd*e", "j\udcff\udc80e")).encode("utf-8", "surrogateescape"),
    (PAIR.replace("dc=com", "dc=\udcfe")).encode("utf-8", "surrogateescape"),
)


@pytest.mark.parametrize("data", INVALID)
def test_bytes_that_are_no_utf_8_stay_as_they_are(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "access").write_bytes(data)
    with SessionWriter.create(tmp_path / "s.ldapwb") as writer:
        done = import_logs([tmp_path / "access"], writer)
    with Session.open(tmp_path / "s.ldapwb") as session:
        (found,) = session.operations(done.windows[0]).request_at.tolist()
        source = done.sources[0]
        assert session.raw(source.id, 0, 1 << 20) == data
        line = data.split(b"\n")[0].decode("utf-8", "backslashreplace")
        assert session.raw_line(source.id, found) == line
        assert "\\xf" in line
    assert source.lines.understood == 2


def test_a_packed_log_cut_in_its_first_block_is_called_cut(tmp_path: Path) -> None:
    path = tmp_path / "access.zst"
    text = b"".join(b"%s%d\n" % (PAIR.encode(), number) for number in range(5000))
    path.write_bytes(zstandard.ZstdCompressor().compress(text)[:200])
    why = str(gather([path]).left_out[path])
    assert "damaged or cut off" in why
    assert "empty" not in why
