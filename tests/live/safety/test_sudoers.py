"""With exactly the sudoers file that `profile sudoers` prints everything works, and sh does not."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from pathlib import Path

import pytest

from ldap_workbench.capture.live.check import try_profile
from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.window import capture
from ldap_workbench.capture.past.fetching import RemoteLog
from ldap_workbench.connect import commands
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.experiment import sudoers as rights
from ldap_workbench.model.change import ChangeState, Origin
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.window import SourceKind, SourceState
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.restart import restart
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.ds389 import Lab
from tests.live.lab.steps import configured, load, workbench

LIMIT = "vm.dirty_background_bytes"


@pytest.fixture(scope="module")
def own_lab() -> Iterator[Lab]:
    with Lab().start(users=100) as lab:
        if not lab.has_sudo:
            pytest.skip("only root can write a sudoers file")
        yield lab


@pytest.fixture
def target(own_lab: Lab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Target]:
    """Connected as a login that may what is printed for it, offline edits and all."""
    for name, value in own_lab.environment.items():
        monkeypatch.setenv(name, value)
    own_lab.trust(tmp_path / "home")
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    installed = own_lab.folder / "ldap-workbench-host"
    monkeypatch.setattr(commands, "PROGRAM", str(installed))
    monkeypatch.setattr(rights, "PROGRAM", str(installed))
    own_lab.sshd.set_sudo(True)
    all_rights = connect(own_lab.profile, Secrets())
    installed.write_text(rights.program(all_rights, offline=True))
    installed.chmod(0o755)
    own_lab.sshd.write_sudoers(rights.sudoers(all_rights, offline=True))
    facts = all_rights.facts
    all_rights.close()
    target = connect(own_lab.profile, Secrets())
    assert target.facts.unknown == facts.unknown
    yield target
    target.close()
    own_lab.sshd.set_sudo(True)
    installed.unlink()


def test_every_step_of_the_profile_works(own_lab: Lab, target: Target) -> None:
    steps = try_profile(own_lab.profile, Secrets())
    assert [(str(step.name), str(step.text)) for step in steps if not step.ok] == []
    assert "sudo" in {str(step.name) for step in steps}


def test_nothing_else_may_be_run(own_lab: Lab, target: Target) -> None:
    shell, log = target.shell, str(own_lab.access_log)
    assert shell is not None
    planted = own_lab.slapd.logs / "access.20260101-000000"
    planted.symlink_to("/etc/shadow")
    theirs = own_lab.slapd.logs / "access.20260102-000000"
    theirs.symlink_to("/etc/shadow")
    account = pwd.getpwnam(own_lab.slapd.user)
    os.chown(theirs, account.pw_uid, account.pw_gid, follow_symlinks=False)
    program = commands.PROGRAM
    try:
        for argv in (
            ["sh", "-c", "id"],
            ["sh"],
            ["id"],
            ["true", "x"],
            ["cat", "/etc/shadow"],
            ["head", "-c", "1", "/etc/shadow"],
            ["head", "-c", "1", log, "/etc/shadow"],
            ["tee", "/etc/shadow"],
            ["tee", "/proc/sys/vm/dirty_bytes", "/tmp/x"],
            ["tee", "/proc/sys/kernel/core_pattern"],
            ["find", f"{own_lab.slapd.logs}/", "-delete"],
            ["df", "--output=source", "/"],
            [str(own_lab.slapd.control), "status"],
            [program],
            [program, "sh", log],
            [program, "follow-log", "/etc/shadow", "1", "10"],
            [program, "follow-log", f"{log}/../../../../../etc/shadow", "1", "10"],
            [program, "follow-log", f"{log} /etc/shadow", "1", "/etc"],
            [program, "follow-log", log, "1", "$(id)"],
            [program, "follow-log", str(planted), "1", "10"],
            [program, "follow-log", str(theirs), "1", "10"],
            [program, "list-logs", "/etc/passwd"],
            [program, "server-file", str(own_lab.slapd.config / "dse.ldif") + "x", "read"],
            [program, "server-file", "/etc/shadow", "read"],
            [program, "stored-names", "/etc/shadow"],
            [program, "stored-names", log],
        ):
            result = shell.run(["sudo", "-n", "--", *argv])
            assert result.status != 0, argv
            assert result.stdout == b"", argv
        assert shell.run(["sudo", "-n", "--", program, "list-logs", log, "0"]).status == 0
    finally:
        planted.unlink()
        theirs.unlink()


@pytest.mark.clock("the load has to fill a log within the window")
def test_a_window_is_captured_and_old_text_fetched(
    own_lab: Lab, target: Target, tmp_path: Path
) -> None:
    rotating = configured(
        target, nsslapd_accesslog_maxlogsize="1", nsslapd_accesslog_maxlogsperdir="100"
    )
    writing = SessionWriter.create(tmp_path / "s.ldapwb", target.facts)
    # So long a load writes fewer files than the server keeps, however late they are read.
    with rotating, load(own_lab, "search", 15), writing as writer:
        window = capture(target, writer, CapturePlan(5, name="w"))
    with Session.open(tmp_path / "s.ldapwb") as session:
        sources = {source.kind: source for source in session.sources(window.id)}
        assert len(session.operations(window)) > 100
    assert {s.state for s in sources.values()} == {SourceState.COMPLETE}, sources
    assert sources[SourceKind.ACCESS_LOG].details["rotations"] > 0
    log = RemoteLog(lambda: target.another_shell(), str(own_lab.access_log), Cancel())
    parts = log.parts()
    found: list[bytes] = []
    log.read(parts[0], 0, None, found.append)
    log.close()
    assert len(parts) > 1
    assert b"".join(found) == Path(parts[0].path).read_bytes()


def test_a_knob_of_the_host_is_set_and_put_back(own_lab: Lab, target: Target) -> None:
    journal = Journal()
    tuner = Tuner(target, journal)
    before = tuner.read(LIMIT).value
    other = "268435456" if before != "268435456" else "134217728"
    try:
        group = tuner.apply(tuner.catalogue.treatment([f"{LIMIT}={other}"], target.facts)).group
    except WorkbenchError as error:
        if "Read-only" in str(error):
            pytest.skip("the kernel's settings cannot be changed in this container")
        raise
    assert tuner.read(LIMIT).value == other
    tuner.revert(group)
    assert tuner.read(LIMIT).value == before
    tuner.close()
    journal.close()


def test_what_is_stored_is_read_without_its_values(own_lab: Lab, target: Target) -> None:
    dse = own_lab.slapd.config / "dse.ldif"
    journal = Journal()
    tuner = Tuner(target, journal)
    applied = tuner.apply(tuner.catalogue.treatment(["nsslapd-threadnumber=8"], target.facts))
    assert [each.origin for each in applied.changes] == [Origin.AUTOMATIC]
    assert "nsslapd-threadnumber: 8" in dse.read_text()
    tuner.revert(applied.group)
    assert "nsslapd-threadnumber" not in dse.read_text()
    tuner.close()
    journal.close()
    assert target.shell is not None
    argv = ["sudo", "-n", "--", commands.PROGRAM, "stored-names", str(dse)]
    said = target.shell.run(argv).stdout.decode()
    assert "nsslapd-rootpw:\n" in said
    assert "{" not in said


def test_the_server_is_restarted(own_lab: Lab, target: Target) -> None:
    pid = own_lab.slapd.pid
    restart(target)
    assert own_lab.slapd.pid != pid


def test_dse_ldif_is_edited_where_that_was_asked_for(own_lab: Lab, target: Target) -> None:
    journal = Journal()
    tuner = Tuner(target, journal)
    tuner.may_stop = True
    applied = tuner.apply(tuner.catalogue.treatment(["db-trickle-percentage=20"], target.facts))
    assert tuner.read("nsslapd-db-trickle-percentage").value == "20"
    tuner.revert(applied.group)
    assert {each.state for each in journal.changes()} == {ChangeState.REVERTED}
    tuner.close()
    journal.close()


def test_the_command_prints_both(own_lab: Lab, target: Target) -> None:
    ProfileStore().add(own_lab.profile)
    printed = workbench("profile", "sudoers", "lab")
    assert (printed.returncode, printed.stderr) == (0, "")
    assert "Cmnd_Alias LDAP_WORKBENCH_LAB" in printed.stdout
    assert f"{own_lab.user} ALL=(root)" in printed.stdout
    program = workbench("profile", "sudoers", "lab", "--program", "--offline")
    assert program.stdout.startswith("#!/bin/sh\n")
    assert "server-file" in program.stdout
    assert target.facts.access_log in program.stdout


def test_without_that_word_it_is_not(own_lab: Lab, target: Target) -> None:
    del own_lab
    text, program = rights.sudoers(target, offline=False), rights.program(target, offline=False)
    assert " stop" not in text
    assert "server-file" not in program
    assert "ALL=(root) NOPASSWD: LDAP_WORKBENCH_LAB\n" in text
