"""The limit on open files of a server's unit: the very script, on a folder of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import ChangeError, ConflictError, KnobError
from ldap_workbench.model.profile import Profile
from ldap_workbench.tuning import unit_file
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.ldif import ldif_to_undo
from ldap_workbench.tuning.tuner import Tuner
from ldap_workbench.tuning.unit_file import limit_in
from ldap_workbench.tuning.unit_file import unit_file as place_of_unit
from tests.unit.tuning.fakes import FACTS, FakeShell, FakeTarget

COMMAND = "systemctl restart slapd"


class UnitShell(FakeShell):
    """Runs what is about the unit, with a systemctl that notes what it is asked."""

    reloads: Path

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        sudo: bool = False,
        timeout: float = 30.0,
    ) -> CommandResult:
        if argv[0] not in ("sh", "test", "cat"):
            return super().run(argv, stdin=stdin, sudo=sudo, timeout=timeout)
        path = f"{self.reloads.parent}/bin:{os.environ['PATH']}"
        done = subprocess.run(argv, capture_output=True, check=False, env={"PATH": path})
        return CommandResult(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "units"
    folder.mkdir()
    monkeypatch.setattr(unit_file, "FOLDER", str(folder))
    return folder


@pytest.fixture
def target(units: Path, tmp_path: Path) -> FakeTarget:
    systemctl = tmp_path / "bin" / "systemctl"
    systemctl.parent.mkdir()
    systemctl.write_text(f'#!/bin/sh\necho "$*" >>{tmp_path}/reloads\n')
    systemctl.chmod(0o755)
    target = FakeTarget(restart_command=COMMAND)
    target.facts = replace(FACTS, pid_file=str(tmp_path / "pid"))
    (tmp_path / "pid").write_text(str(os.getpid()))
    target.shell = UnitShell(target.directory)
    target.shell.reloads = tmp_path / "reloads"
    return target


@pytest.fixture
def tuner(target: FakeTarget) -> Iterator[Tuner]:
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        yield tuner


def drop_in(units: Path) -> Path:
    return units / "slapd.service.d" / "zz-ldap-workbench.conf"


def test_the_limit_is_set_and_gone_again_with_its_folder(
    tuner: Tuner, target: FakeTarget, units: Path, tmp_path: Path
) -> None:
    applied = tuner.apply(tuner.catalogue.treatment(["LimitNOFILE=8192"], target.facts))
    assert drop_in(units).read_text().endswith("[Service]\nLimitNOFILE=8192\n")
    assert drop_in(units).stat().st_mode & 0o777 == 0o644
    assert applied.needs_restart
    assert "after a restart" in str(applied.proofs[0].sentence)
    assert tuner.read("LimitNOFILE").value == "8192"
    assert "remove it" in ldif_to_undo(applied.changes)
    tuner.revert(applied.group)
    assert list(units.iterdir()) == []
    assert (tmp_path / "reloads").read_text() == "daemon-reload\n" * 3, "tried before the write"


def test_where_systemd_does_not_run_nothing_is_written(
    tuner: Tuner, target: FakeTarget, units: Path, tmp_path: Path
) -> None:
    (tmp_path / "bin" / "systemctl").write_text("#!/bin/sh\necho no bus >&2\nexit 1\n")
    with pytest.raises(ChangeError, match="no bus"):
        tuner.apply(tuner.catalogue.treatment(["LimitNOFILE=8192"], target.facts))
    assert list(units.iterdir()) == []
    assert tuner.journal.changes(open_only=True) == []


def test_the_drop_ins_of_others_stay(tuner: Tuner, target: FakeTarget, units: Path) -> None:
    theirs = units / "slapd.service.d" / "override.conf"
    theirs.parent.mkdir()
    theirs.write_text("[Service]\nLimitNOFILE=4096\n")
    applied = tuner.apply(tuner.catalogue.treatment(["LimitNOFILE=8192"], target.facts))
    tuner.revert(applied.group)
    assert [path.name for path in theirs.parent.iterdir()] == ["override.conf"]


def test_an_empty_folder_of_somebody_else_stays(
    tuner: Tuner, target: FakeTarget, units: Path
) -> None:
    (units / "slapd.service.d").mkdir()
    applied = tuner.apply(tuner.catalogue.treatment(["LimitNOFILE=8192"], target.facts))
    tuner.revert(applied.group)
    assert [path.name for path in units.iterdir()] == ["slapd.service.d"]


def test_the_limit_of_another_administrator_is_not_overwritten(
    tuner: Tuner, target: FakeTarget, units: Path
) -> None:
    applied = tuner.apply(tuner.catalogue.treatment(["LimitNOFILE=8192"], target.facts))
    drop_in(units).write_text("[Service]\nLimitNOFILE=100000\n")
    with pytest.raises(ConflictError, match="100000"):
        tuner.revert(applied.group)


def test_a_crash_after_the_write_is_undone(tuner: Tuner, target: FakeTarget, units: Path) -> None:
    applied = tuner.apply(tuner.catalogue.treatment(["LimitNOFILE=8192"], target.facts))
    tuner.journal.update(applied.changes[0], state=ChangeState.INTENDED, got=None)
    assert [change.state for change in tuner.recover()] == [ChangeState.REVERTED]
    assert list(units.iterdir()) == []


def test_a_revert_that_ended_before_systemd_heard_of_it_tells_it(
    tuner: Tuner, target: FakeTarget, units: Path, tmp_path: Path
) -> None:
    applied = tuner.apply(tuner.catalogue.treatment(["LimitNOFILE=8192"], target.facts))
    systemctl = tmp_path / "bin" / "systemctl"
    works = systemctl.read_text()
    systemctl.write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(ChangeError, match="could not be put back"):
        tuner.revert(applied.group)
    assert list(units.iterdir()) == []
    systemctl.write_text(works)
    (tmp_path / "reloads").unlink()
    tuner.revert(applied.group)
    assert (tmp_path / "reloads").read_text() == "daemon-reload\n"
    assert [change.state for change in tuner.journal.changes()] == [ChangeState.REVERTED]


@pytest.mark.parametrize("systemctl", ["exit 0", "exit 1"])
def test_an_apply_that_ended_before_its_file_was_there_leaves_no_folder(
    tuner: Tuner, target: FakeTarget, units: Path, tmp_path: Path, systemctl: str
) -> None:
    applied = tuner.apply(tuner.catalogue.treatment(["LimitNOFILE=8192"], target.facts))
    drop_in(units).rename(units / "slapd.service.ldap-workbench.a1B2c3D4e5")
    tuner.journal.update(applied.changes[0], state=ChangeState.INTENDED, got=None)
    (tmp_path / "bin" / "systemctl").write_text(f"#!/bin/sh\n{systemctl}\n")
    assert [change.state for change in tuner.recover()] == [ChangeState.REVERTED]
    assert list(units.iterdir()) == []


def test_a_drop_in_with_other_lines_is_not_replaced(
    tuner: Tuner, target: FakeTarget, units: Path
) -> None:
    drop_in(units).parent.mkdir()
    drop_in(units).write_text("[Service]\nLimitNOFILE=4096\nTimeoutSec=7\n")
    with pytest.raises(KnobError, match=r"(?s)not as the workbench writes it\..*TimeoutSec=7"):
        tuner.plan(tuner.catalogue.treatment(["LimitNOFILE=8192"], target.facts))


def test_a_drop_in_that_cannot_be_read_is_not_absent(
    tuner: Tuner, units: Path, tmp_path: Path
) -> None:
    drop_in(units).parent.mkdir()
    drop_in(units).touch()
    cat = tmp_path / "bin" / "cat"
    cat.write_text("#!/bin/sh\necho denied >&2\nexit 1\n")
    cat.chmod(0o755)
    assert "could not be read: denied" in str(tuner.read("LimitNOFILE").unknown)


def test_the_limit_of_the_process_is_its_proof(
    tuner: Tuner, target: FakeTarget, units: Path
) -> None:
    limits = Path("/proc/self/limits").read_text()
    soft = next(line.split()[3] for line in limits.splitlines() if line.startswith("Max open"))
    assert tuner.read("LimitNOFILE").effective == soft
    other = str(int(soft) + 1)
    applied = tuner.apply(tuner.catalogue.treatment([f"LimitNOFILE={other}"], target.facts))
    target.directory.restart()
    [proof] = tuner.prove(applied.group)
    assert proof.effective is False
    assert f"{soft}, {other} was expected" in str(proof.sentence)


@pytest.mark.parametrize(
    ("command", "unit"),
    [
        ("systemctl restart slapd", "slapd.service"),
        ("/usr/bin/systemctl restart dirsrv@main.service", "dirsrv@main.service"),
        ("sudo systemctl restart slapd", "slapd.service"),
    ],
)
def test_the_unit_is_that_of_the_restart_command(command: str, unit: str) -> None:
    profile = Profile("one", "ldap://one", restart_command=command)
    assert place_of_unit(profile) == f"/etc/systemd/system/{unit}"


@pytest.mark.parametrize(
    "command",
    [None, "/opt/control restart", "systemctl restart ../x", "systemctl reload slapd"],
)
def test_without_a_unit_nothing_is_planned(
    command: str | None, tuner: Tuner, target: FakeTarget
) -> None:
    target.profile = replace(target.profile, restart_command=command)
    with pytest.raises(KnobError, match="unit of systemd"):
        tuner.plan(tuner.catalogue.treatment(["LimitNOFILE=8192"], target.facts))
    assert "LimitNOFILE" not in {reading.knob.name for reading in tuner.readings()}


def test_a_drop_in_with_something_else_is_shown_as_it_is() -> None:
    assert limit_in("[Service]\nLimitNOFILE=1\nLimitNOFILE=2\n")[0].startswith("[Service]")
