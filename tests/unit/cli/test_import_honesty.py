"""What a log leaves uncertain is said by import, windows, tails and slowest, in words and JSON."""

import gzip
import io
import json
import os
import tarfile

import pytest
from typer.testing import CliRunner

from ldap_workbench.cli.app import app

LINE = "[21/Nov/2026:04:{}:{:02d} +0000] conn={} op={} {}\n"
SEARCH = 'SRCH base="dc=a" scope=2 filter="(uid=u)" attrs=ALL'
RESULT = "RESULT err=0 tag=101 nentries=1 etime={}"
CSN = "5909c984000200020000"


def log(*rows):
    return "".join(LINE.format(*row) for row in rows)


WHOLE_SECONDS = log(
    ("00", 0, 1, 0, SEARCH),
    ("00", 3, 1, 0, RESULT.format(3) + f" csn={CSN}"),
    ("00", 4, 1, 1, SEARCH),
    ("00", 4, 1, 1, RESULT.format(0)),
    ("00", 5, 9, 7, RESULT.format(0)),  # its request is before the log
    ("00", 6, 1, 2, SEARCH),  # never answered
    ("00", 1, 2, 1, SEARCH),  # five seconds back
    ("00", 1, 2, 1, RESULT.format(0)),
)
RESTARTED = "389-Directory/2.3.1 B2025.016.1616\nlocalhost:389 (/etc/dirsrv/slapd-x)\n\n"
AGAIN = "[21/Nov/2026:04:01:00 +0000] conn=1 fd=64 slot=64 connection from 10.0.0.1 to 10.0.0.2\n"
GARBAGE = log(
    ("00", 0, 1, 0, SEARCH),
    ("00", 0, 1, 0, RESULT.format("0.000478713 wtime=-161634.769201119 optime=161633.231282362")),
)
CENSORED = log(*(("00", i, i, 1, RESULT.format(f"{i + 1}.250000000")) for i in range(30)))


@pytest.fixture
def run(tmp_path):
    def run(text):
        (tmp_path / "access").write_text(text)
        path = str(tmp_path / "s.ldapwb")
        imported = call("import", str(tmp_path / "access"), "-o", path, "--json")
        return path, json.loads(imported)

    return run


def call(*words):
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_whole_second_log_is_never_told_finer(run):
    path, imported = run(WHOLE_SECONDS)
    shown = call("tails", path)
    assert "0 to 1 s" in shown
    assert "2 to 4 s" in shown
    assert "0.000" not in shown
    assert "whole seconds" in shown
    rows = json.loads(call("tails", path, "--json"))
    assert {row["log"]["resolution_ns"] for row in rows} == {10**9}
    slow = call("slowest", path, "-n", "1", "--lines", "2")
    assert "2 to 4 s" in slow
    assert f"csn={CSN}" in slow
    assert slow.count("| ") == 4
    assert imported["sources"][0]["resolution_ns"] == 10**9


def test_the_slowest_of_a_pretty_printed_log_is_shown_whole_with_its_csn(run):
    head = {"local_time": "2026-11-21T02:20:00.151797648 +0000", "key": "1739212909-7"}
    ids = {"conn_id": 7, "op_id": 1}
    events = [
        head | {"operation": "MODIFY", **ids, "target_dn": "cn=a"},
        head | {"operation": "RESULT", **ids, "tag": 103, "err": 0, "nentries": 0}
        | {"etime": "0.500000000", "csn": CSN},
    ]  # fmt: skip
    path, _ = run("".join(json.dumps(event, indent=4) + "\n" for event in events))
    (slow,) = json.loads(call("slowest", path, "--json"))
    assert slow["csn"] == CSN
    assert '"target_dn": "cn=a"' in slow["request"]
    assert f"csn={CSN}" in call("slowest", path)
    assert '"target_dn": "cn=a"' in call("slowest", path)


def test_open_orphan_restart_and_clock_are_said(run):
    path, imported = run(WHOLE_SECONDS + RESTARTED + AGAIN)
    (source,) = imported["sources"]
    found = source["details"]
    assert (found["orphan_results"], found["clock_steps_back"], found["restarts"]) == (1, 1, 1)
    assert found["open_operations"] >= 1
    for words in (source["remarks"], [call("tails", path)], [call("windows", path)]):
        text = " ".join(words)
        assert "1 result has no request" in text
        assert "The clock went back once" in text
        assert "1 start of the server is in the log" in text
    (*_, row) = json.loads(call("tails", path, "--json"))
    assert row["log"]["orphan_results"] == row["log"]["clock_steps_back"] == 1


def test_garbage_wtime_is_set_aside_and_etime_kept(run):
    path, imported = run(GARBAGE)
    assert imported["lines"]["reasons"]["garbage wtime"] == 1
    assert imported["lines"]["reasons"]["garbage optime"] == 1
    (*_, row) = json.loads(call("tails", path, "--json"))
    assert row["max_ns"] == 478713
    (slow,) = json.loads(call("slowest", path, "--json"))
    assert slow["wtime_ns"] is None
    assert "garbage wtime 1" in call("tails", path)


def test_a_log_of_slow_operations_only_is_said(run):
    path, imported = run(CENSORED)
    assert imported["sources"][0]["details"]["censored_below_ns"] == 1_250_000_000
    assert "say nothing about all operations" in call("tails", path)
    (*_, row) = json.loads(call("tails", path, "--json"))
    assert row["log"]["censored_below_ns"] == 1_250_000_000


def test_what_is_no_log_leaves_no_session_behind(tmp_path):
    (tmp_path / "notes").write_text("remember the milk\n")
    output = tmp_path / "s.ldapwb"
    done = CliRunner().invoke(app, ["import", str(tmp_path / "notes"), "-o", str(output)])
    assert done.exit_code != 0
    assert not output.exists()


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_damaged_archive_ends_with_an_error_and_keeps_what_was_read(tmp_path, more):
    archive, output = tmp_path / "logs.tar.gz", tmp_path / "s.ldapwb"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, data in (("access", WHOLE_SECONDS.encode()), ("rest", os.urandom(1 << 20))):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    archive.write_bytes(packed.getvalue()[: -(1 << 19)])
    done = CliRunner().invoke(app, ["import", str(archive), "-o", str(output), *more])
    assert done.exit_code == 1
    assert f"1 file is damaged or cut off: {archive}" in str(done.exception)
    row, *_ = json.loads(call("tails", str(output), "--json"))
    assert row["n"] > 0


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("name", ["access.1.gz", "errors.gz"])
def test_a_packed_log_that_breaks_off_ends_with_an_error_too(tmp_path, name, wrapped):
    """On its own, or whole in an archive: what it has is there, and the rest is not."""
    folder, output = tmp_path / "logs", tmp_path / "s.ldapwb"
    folder.mkdir()
    (folder / "access").write_text(WHOLE_SECONDS)
    error = b"[21/Nov/2026:04:00:01 +0000] - INFO - main - slapd started\n" * 500
    text = WHOLE_SECONDS.encode() * 50 if name.startswith("access") else error
    (folder / name).write_bytes(gzip.compress(text, 1)[:-9])
    source = folder
    if wrapped:
        source = tmp_path / "case.tar"
        with tarfile.open(source, "w") as archive:
            archive.add(folder, "logs")
    done = CliRunner().invoke(app, ["import", str(source), "-o", str(output)])
    assert done.exit_code == 1, done.output
    shown = f"{source}/logs/{name}" if wrapped else f"{source}/{name}"
    assert f"1 file is damaged or cut off: {shown}." in str(done.exception)
    row, *_ = json.loads(call("tails", str(output), "--json"))
    assert row["n"] > 0


def test_what_a_log_was_read_as_is_said_with_the_reason(run, tmp_path):
    path, imported = run(GARBAGE)
    decided = "Read as 389 Directory Server access log: 2 of its first 2 lines match it."
    assert imported["sources"][0]["remarks"][0] == decided
    for command in ("windows", "tails"):
        assert decided in call(command, path)
    said = str(tmp_path / "said.ldapwb")
    shown = call("import", str(tmp_path / "access"), "-o", said, "--dialect", "sun")
    assert "Read as Sun Directory Server / DSEE access log: you said so." in shown
    assert "Its content looks like: 389 Directory Server access log." in shown


def test_a_file_left_out_is_listed_once_with_the_parts_of_its_reason_elsewhere(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "access").write_text(WHOLE_SECONDS)
    member = folder / "member.txt"
    member.write_text("=uid=a,ou=people,dc=a\t\t12\n=uid=b,ou=people,dc=a\t\t3\n")
    imported = json.loads(call("import", str(folder), "-o", str(tmp_path / "s"), "--json"))
    ((file, why),) = imported["left_out"].items()
    assert file == str(member)
    assert why.startswith("keys of an index, as dbscan prints them: ")
    (parts,) = imported["left_out_whys"]
    assert (parts["file"], parts["why"]) == (file, why)
    assert parts["why_message"]["template"]
