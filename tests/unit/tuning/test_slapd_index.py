"""slapindex while slapd is stopped: all is built, or the databases are as before."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from ldap_workbench.connect.commands import host_path
from ldap_workbench.tuning.config_file import values_in, with_values
from ldap_workbench.tuning.place import KnobLocation
from ldap_workbench.tuning.slapd_index import ALL, SLAPD_INDEX, built_for

BACK_END = "olcBackend={0}mdb,cn=config"
SLAPINDEX = """\
#!/bin/sh
echo "$*" >>{folder}/asked
eval "last=\\${{$#}}"
echo built >>{folder}/db$last/data.mdb
[ ! -e {folder}/hangs ] || exec sleep 60
case $last in $(cat {folder}/fails 2>/dev/null)) echo "no room" >&2; exit 3;; esac
"""


@pytest.fixture
def slapd(tmp_path: Path) -> Path:
    """slapd.d with two databases, and a slapindex that appends a word to that it is asked for."""
    config = tmp_path / "slapd.d" / "cn=config"
    config.mkdir(parents=True)
    (tmp_path / "slapd.d" / "cn=config.ldif").write_text("dn: cn=config\n")
    for number in (1, 3):
        folder = tmp_path / f"db{number}"
        folder.mkdir()
        (folder / "data.mdb").write_text("as before\n")
        line = f"olcDbDirectory: {folder}"
        folded = f"{line[:30]}\n {line[30:]}"  # as slapd folds long ones
        text = f"dn: olcDatabase={{{number}}}mdb\n{folded}\nolcSuffix: dc=x\n"
        (config / f"olcDatabase={{{number}}}mdb.ldif").write_text(text)
    (config / "olcDatabase={2}monitor.ldif").write_text("dn: olcDatabase={2}monitor\n")
    program = tmp_path / "bin" / "slapindex"
    program.parent.mkdir()
    program.write_text(SLAPINDEX.format(folder=tmp_path))
    program.chmod(0o755)
    return tmp_path


def started(slapd: Path, what: str, databases: str = ALL) -> subprocess.Popen[str]:
    argv = SLAPD_INDEX.argv(host_path(str(slapd / "slapd.d" / "cn=config.ldif")), what, databases)
    path = f"{slapd}/bin:{os.environ['PATH']}"
    return subprocess.Popen(
        argv, stderr=subprocess.PIPE, text=True, env={"PATH": path}, start_new_session=True
    )


def run(slapd: Path, what: str, databases: str = ALL) -> tuple[int, str]:
    process = started(slapd, what, databases)
    _, said = process.communicate(timeout=30)
    return process.returncode, said


def texts(slapd: Path) -> dict[str, str]:
    return {str(path.relative_to(slapd)): path.read_text() for path in slapd.glob("db*/*")}


AS_BEFORE = {f"db{number}/data.mdb": "as before\n" for number in (1, 3)}
BUILT = {name: text + "built\n" for name, text in AS_BEFORE.items()}


def test_every_database_is_built_from_empty_indexes(slapd: Path) -> None:
    assert run(slapd, "check") == (0, "")
    assert texts(slapd) == AS_BEFORE
    assert run(slapd, "build") == (0, "")
    assert texts(slapd) == BUILT, "and no copy is left"
    folder = slapd / "slapd.d"
    assert (slapd / "asked").read_text().splitlines() == [
        f"-q -t -g -F {folder} -n {number}" for number in (1, 3)
    ]


def test_one_database_alone(slapd: Path) -> None:
    assert run(slapd, "build", "3") == (0, "")
    assert texts(slapd) == AS_BEFORE | {"db3/data.mdb": BUILT["db3/data.mdb"]}


def test_when_one_fails_all_are_as_before(slapd: Path) -> None:
    (slapd / "fails").write_text("3")
    status, said = run(slapd, "build")
    assert status == 1
    assert "slapindex -n 3 ended with 3, the databases are as before: no room" in said
    assert texts(slapd) == AS_BEFORE
    assert run(slapd, "whole") == (0, "")


def test_one_that_was_killed_is_noticed_and_finished(slapd: Path) -> None:
    (slapd / "hangs").touch()
    process = started(slapd, "build")
    end = time.monotonic() + 20
    while not (slapd / "asked").exists() and time.monotonic() < end:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    (slapd / "hangs").unlink()
    status, said = run(slapd, "whole")
    assert status == 1
    assert "ended halfway" in said
    (slapd / "fails").write_text("1")
    status, said = run(slapd, "build")
    assert status == 1
    assert "data.mdb.before-ldap-workbench" in said, "slapd may have run since: it is not put back"
    (slapd / "fails").unlink()
    assert run(slapd, "build") == (0, "")
    assert texts(slapd).keys() == AS_BEFORE.keys()
    assert run(slapd, "whole") == (0, "")


@pytest.mark.parametrize("databases", ["", "1/../3", "{1}"])
def test_only_a_number_names_a_database(slapd: Path, databases: str) -> None:
    assert run(slapd, "build", databases)[0] == 2
    assert texts(slapd) == AS_BEFORE


def test_without_room_for_a_copy_nothing_is_begun(slapd: Path) -> None:
    program = slapd / "bin" / "df"
    program.write_text("#!/bin/sh\necho Avail; echo 100\n")
    program.chmod(0o755)
    for what in ("check", "build"):
        status, said = run(slapd, what)
        assert status == 1
        assert "100 bytes left" in said
    assert texts(slapd) == AS_BEFORE


def test_a_copy_that_is_there_already_needs_no_room(slapd: Path) -> None:
    program = slapd / "bin" / "df"
    program.write_text("#!/bin/sh\necho Avail; echo 100\n")
    program.chmod(0o755)
    for name in AS_BEFORE:
        (slapd / f"{name}.before-ldap-workbench").write_text("as before\n")
    assert run(slapd, "build") == (0, "")
    assert texts(slapd) == BUILT


def test_a_second_one_waits_also_where_the_configuration_was_replaced(slapd: Path) -> None:
    (slapd / "hangs").touch()
    first = started(slapd, "build")
    end = time.monotonic() + 20
    while not (slapd / "asked").exists() and time.monotonic() < end:
        time.sleep(0.02)
    config = slapd / "slapd.d" / "cn=config.ldif"
    (slapd / "new").write_text("dn: cn=config\n")
    (slapd / "new").replace(config)
    second = started(slapd, "whole")
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            second.wait(0.5)
    finally:
        os.killpg(first.pid, signal.SIGKILL)
        first.communicate()
    assert "ended halfway" in second.communicate(timeout=30)[1]


def test_what_is_built_for_which_setting() -> None:
    for dn, attribute, databases in (
        (BACK_END, "olcBkMdbIdlExp", ALL),
        ("cn=config", "olcIndexHash64", ALL),
        ("olcDatabase={3}mdb,cn=config", "olcDbIndex", "3"),
        ("olcDatabase={3}hdb,cn=config", "olcDbIndex", ""),
        ("olcDatabase={3}mdb,cn=config", "olcDbMaxSize", ""),
        ("cn=config", "olcThreads", ""),
    ):
        assert built_for(KnobLocation("ldap://one", dn, attribute)) == databases


def test_the_entry_of_the_back_end_comes_and_goes() -> None:
    """slapd deletes none while it runs; one of somebody else stays."""
    assert values_in("", BACK_END, "olcBkMdbIdlExp") is None
    ours = with_values("", BACK_END, "olcBkMdbIdlExp", ("18",))
    assert values_in(ours, BACK_END, "olcBkMdbIdlExp") == ("18",)
    assert with_values(ours, BACK_END, "olcBkMdbIdlExp", None) == ""
    theirs = ours.replace("entryUUID: 6c64", "entryUUID: aaaa")
    without = with_values(theirs, BACK_END, "olcBkMdbIdlExp", None)
    assert "entryUUID: aaaa" in without
    assert with_values(without, BACK_END, "olcBkMdbIdlExp", ("18",)) == with_values(
        theirs, BACK_END, "olcBkMdbIdlExp", ("18",)
    )
