"""Logs that lie there twice in part, and logs in which a directory server speaks late."""

from __future__ import annotations

import gzip

import pytest

from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.logs.reading.files import gather
from ldap_workbench.logs.reading.overlap import repeated
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.unit.capture.test_importing import lines


def operations_in(tmp_path, folder):
    path = tmp_path / "s.ldapwb"
    with SessionWriter.create(path) as writer:
        done = import_logs([folder], writer)
    with Session.open(path) as session:
        found = [session.operations(window).op.tolist() for window in done.windows]
    return done, found


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("cut", [0, 37])
def test_what_copytruncate_left_in_both_files_counts_once(tmp_path, packed, cut):
    folder = tmp_path / "logs"
    folder.mkdir()
    old, new = lines(0, 60), lines(40, 60)
    # The copy was made while a line was written.
    old = old[: len(old) - cut]
    (folder / "access.1").write_bytes(gzip.compress(old) if packed else old)
    (folder / "access").write_bytes(new)
    done, found = operations_in(tmp_path, folder)
    assert found == [list(range(100))]
    counts = done.sources[0].lines
    assert counts.unknown == 0
    repeated_lines = counts.reasons["line that the previous file already holds"]
    assert repeated_lines in (39, 40)
    whole = counts.understood + counts.set_aside
    assert whole == 200 + repeated_lines


def test_a_copy_of_the_beginning_and_a_copy_of_the_middle(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "access.2").write_bytes(lines(0, 50))
    (folder / "access.1").write_bytes(lines(0, 80))
    (folder / "access").write_bytes(lines(30, 20))
    _, found = operations_in(tmp_path, folder)
    assert found == [list(range(80))]


def test_alike_is_not_the_same(tmp_path):
    (tmp_path / "a").write_bytes(lines(0, 60) + lines(90, 1))
    (tmp_path / "b").write_bytes(lines(40, 30))
    assert repeated(tmp_path / "a", tmp_path / "b") == 0
    (tmp_path / "c").write_bytes(b"no newline")
    assert repeated(tmp_path / "a", tmp_path / "c") == 0


def noise(n):
    return b"".join(
        b"Nov 21 02:%02d:%02d ldap1 systemd[1]: Started session %d of user root.\n"
        % (i // 3600 % 60, i // 60 % 60, i)
        for i in range(n)
    )


SLAPD = (
    b'Nov 21 03:20:00 ldap1 slapd[77]: conn=1000 op=1 SRCH base="dc=a" scope=2 deref=0 filter='
    b'"(uid=1)"\n'
    b"Nov 21 03:20:00 ldap1 slapd[77]: conn=1000 op=1 SEARCH RESULT tag=101 err=0 qtime=0.1 "
    b"etime=0.2 nentries=1 text=\n"
)


def test_a_syslog_whose_slapd_lines_begin_late(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "syslog").write_bytes(noise(20_000) + SLAPD * 20 + noise(100))
    done, found = operations_in(tmp_path, folder)
    assert len(found) == 1
    assert len(found[0]) == 20
    assert done.sources[0].dialect == "openldap"
    assert "late in the file" in str(done.sources[0].details["reason"])


def test_a_syslog_without_a_directory_server_stays_unknown(tmp_path):
    path = tmp_path / "syslog"
    path.write_bytes(noise(20_000) + b"Nov 21 03:20:00 ldap1 x[1]: conn=5 of the pool\n")
    assert "unknown file" in str(gather([path]).left_out[path])
