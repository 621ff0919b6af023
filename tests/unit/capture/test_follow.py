"""A log is followed through every kind of rotation, run by a real shell on real files."""

import os
import subprocess

import pytest

from ldap_workbench.capture import follow
from ldap_workbench.capture.accesslog import told_by_lines
from ldap_workbench.capture.follow import LogFollower
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.errors import CommandError
from ldap_workbench.model.target import TargetFacts


class HereShell:
    """Runs the very commands on this machine."""

    def run(self, argv, *, stdin=b"", sudo=False, timeout=30.0):
        done = subprocess.run(argv, input=stdin, capture_output=True, check=False)
        return CommandResult(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "access"
    path.write_bytes(b"old\n")
    return path


@pytest.fixture
def follower(log):
    follower = LogFollower(HereShell(), str(log))
    follower.start()
    return follower


def append(path, text):
    with path.open("ab") as file:
        file.write(text)


def rotate(log, stamp):
    log.rename(f"{log}.20261121-{stamp:06d}")
    log.write_bytes(b"")


def test_only_what_is_new_is_read(log, follower):
    assert follower.read() == b""
    append(log, b"one\n")
    assert follower.read() == b"one\n"
    append(log, b"two\nthr")
    append(log, b"ee\n")
    assert follower.read() == b"two\nthree\n"


def test_nothing_is_lost_or_doubled_over_a_rotation(log, follower):
    append(log, b"a\n")
    rotate(log, 1)
    append(log, b"b\n")
    assert follower.read() == b"a\nb\n"
    assert (follower.rotations, follower.gaps) == (1, 0)


def test_several_rotations_between_two_reads_keep_their_order(log, follower):
    append(log, b"a\n")
    for stamp in range(3):
        rotate(log, stamp)
        append(log, b"%d\n" % stamp)
    assert follower.read() == b"a\n0\n1\n2\n"
    append(log, b"z\n")
    assert follower.read() == b"z\n"
    assert (follower.rotations, follower.gaps) == (3, 0)


def test_a_file_that_was_deleted_unread_is_a_gap(log, follower):
    append(log, b"lost\n")
    rotate(log, 1)
    os.remove(f"{log}.20261121-000001")
    append(log, b"b\n")
    rotate(log, 2)
    append(log, b"c\n")
    assert follower.read() == b"b\nc\n"
    assert follower.gaps == 1


def test_files_rotated_long_ago_are_not_read(log):
    rotate(log, 1)
    follower = LogFollower(HereShell(), str(log))
    follower.start()
    append(log, b"a\n")
    log.unlink()
    log.write_bytes(b"b\n")
    assert b"old" not in follower.read()


def test_large_appends_come_in_pieces(log, follower, monkeypatch):
    monkeypatch.setattr(follow, "PIECE", 10)
    text = bytes(range(48, 75)) * 3
    append(log, text)
    rotate(log, 1)
    append(log, text)
    assert follower.read() == text + text


def test_a_log_that_cannot_be_read_is_said(tmp_path):
    with pytest.raises(CommandError, match="cannot be read"):
        LogFollower(HereShell(), str(tmp_path / "none" / "access")).start()


def shift(log, names):
    """As logrotate and slapd do it: each rotated file takes the next name, the log the first."""
    for older, newer in zip(reversed(names), [*reversed(names[:-1]), ""], strict=True):
        now = log.with_name(log.name + newer)
        if now.exists():
            now.rename(log.with_name(log.name + older))
    log.write_bytes(b"")


@pytest.mark.parametrize("names", [[".01", ".02", ".03"], [".1", ".2", ".3"]])
def test_a_log_rotated_twice_by_number_is_read_in_order(log, follower, names):
    shift(log, names)
    append(log, b"first\n")
    shift(log, names)
    append(log, b"second\n")
    assert follower.read() == b"first\nsecond\n"
    assert follower.gaps == 0
    append(log, b"third\n")
    assert follower.read() == b"third\n"


def test_a_log_that_is_moved_to_a_date_is_followed(log, follower):
    append(log, b"before\n")
    log.rename(log.with_name("access-20261121"))
    log.write_bytes(b"after\n")
    assert follower.read() == b"before\nafter\n"


def test_packed_files_and_lists_beside_the_log_are_no_log(log, follower):
    log.with_name("access.2.gz").write_bytes(b"\x1f\x8b")
    log.with_name("access.rotationinfo").write_bytes(b"LOGINFO:...")
    append(log, b"before\n")
    shift(log, [".1", ".2"])
    append(log, b"after\n")
    assert follower.read() == b"before\nafter\n"


def test_the_last_whole_lines_before_the_place(log):
    log.write_bytes(b"first line\nsecond line\nthird")
    follower = LogFollower(HereShell(), str(log))
    follower.start()
    append(log, b" and later\n")
    assert follower.last(1000) == b"first line\nsecond line\nthird"
    assert follower.last(10) == b"third"
    assert follower.read() == b" and later\n"


@pytest.mark.parametrize(
    ("product", "text", "dialect", "reason"),
    [
        ("389", b"", "389", "There is no text in it. It is what 389 writes."),
        ("OpenLDAP", b"", "openldap", "There is no text in it. It is what OpenLDAP writes."),
        (
            "OpenLDAP",
            b"kernel: nothing of slapd's\n",
            "openldap",
            "None of its last 1 lines looks like anything known. It is what OpenLDAP writes.",
        ),
        (
            "389",
            b'{"local_time":"2026-11-21","operation":"SEARCH","conn_id":1}\n' * 9,
            "389-json",
            "9 of its last 9 lines look like it.",
        ),
        (
            "389",
            b"6b017f37.2efdf91a 0x7f46 conn=1 op=1 SRCH base=\n" * 9,
            "openldap",
            "9 of its last 9 lines look like it.",
        ),
    ],
)
def test_the_dialect_is_seen_in_the_log_before_the_product_is_believed(
    log, product, text, dialect, reason
):
    log.write_bytes(text)
    follower = LogFollower(HereShell(), str(log))
    follower.start()
    found = told_by_lines(follower, TargetFacts("p", product, "1", "h"))
    assert (found.dialect, found.reason, found.doubt) == (dialect, reason, "")
