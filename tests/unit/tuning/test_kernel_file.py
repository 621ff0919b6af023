"""One limit in two files of the kernel: read, set and put back as the value in force."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.errors import CommandError, ConflictError, KnobError
from ldap_workbench.tuning.host_values import DEBUGFS, share_beside, to_write
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.ldif import ldif_to_apply, ldif_to_undo
from ldap_workbench.tuning.tuner import Tuner
from tests.unit.tuning.fakes import FakeShell, FakeTarget

VM = "/proc/sys/vm/"
BYTES, RATIO = f"{VM}dirty_bytes", f"{VM}dirty_ratio"
RIVALS = {BYTES: RATIO, RATIO: BYTES}


class LinuxShell(FakeShell):
    """A kernel that sets the one file to 0 when the other is written."""

    def _set(self, path: str, value: str) -> None:
        super()._set(path, value)
        if rival := RIVALS.get(path):
            self.files[rival] = "0"


@pytest.fixture
def target() -> FakeTarget:
    target = FakeTarget()
    shell = LinuxShell(target.directory)
    shell.files |= {BYTES: "0", RATIO: "20"}
    target.shell = shell
    return target


@pytest.fixture
def tuner(target: FakeTarget) -> Tuner:
    return Tuner(target, Journal())


def files(target: FakeTarget) -> tuple[str, str]:
    assert target.shell
    return target.shell.files[BYTES], target.shell.files[RATIO]


def test_a_share_that_was_in_force_is_put_back_as_a_share(target: FakeTarget, tuner: Tuner) -> None:
    assert tuner.read("vm.dirty_bytes").value == "20%"
    wanted = tuner.catalogue.treatment(["vm.dirty_bytes=256 MiB"], target.facts)
    applied = tuner.apply(wanted)
    assert files(target) == ("268435456", "0")
    assert applied.proofs[0].effective is True
    assert f"echo 20 > {RATIO}" in ldif_to_undo(applied.changes)
    tuner.revert(applied.group)
    assert files(target) == ("0", "20")


def test_bytes_that_were_in_force_are_put_back_as_bytes(target: FakeTarget, tuner: Tuner) -> None:
    assert target.shell
    target.shell.files |= {BYTES: "134217728", RATIO: "0"}
    wanted = tuner.catalogue.treatment(["vm.dirty_bytes=256 MiB"], target.facts)
    applied = tuner.apply(wanted)
    assert applied.changes[0].before == ("134217728",)
    tuner.revert(applied.group)
    assert files(target) == ("134217728", "0")


def test_a_share_somebody_set_since_is_left_alone(target: FakeTarget, tuner: Tuner) -> None:
    assert target.shell
    wanted = tuner.catalogue.treatment(["vm.dirty_bytes=256 MiB"], target.facts)
    applied = tuner.apply(wanted)
    target.shell.files |= {BYTES: "0", RATIO: "5"}
    with pytest.raises(ConflictError) as caught:
        tuner.revert(applied.group)
    assert str(caught.value.now) == "5%"
    tuner.revert(applied.group, force=True)
    assert files(target) == ("0", "20")


def test_what_the_kernel_would_refuse_is_refused(target: FakeTarget, tuner: Tuner) -> None:
    with pytest.raises(KnobError, match="does not fit"):
        tuner.catalogue.treatment(["vm.dirty_bytes=0"], target.facts)


def test_other_files_are_one_file() -> None:
    for path in (f"{VM}dirty_expire_centisecs", "/sys/block/vda/queue/nr_requests"):
        assert share_beside(path) is None
        assert to_write(path, "10%") == (path, "10%")
    assert share_beside(f"{VM}dirty_background_bytes") == f"{VM}dirty_background_ratio"


def test_all_kernel_files_are_read_by_one_command(target: FakeTarget, tuner: Tuner) -> None:
    assert target.shell
    target.shell.files[BYTES] = "0"
    before = len(target.shell.ran)
    found = {each.knob.name: each for each in tuner.readings() if each.knob.on_host}
    ran = [argv for argv, _ in target.shell.ran[before:]]
    assert [argv[0] for argv in ran].count("grep") == 1
    # What only root may read goes through sudo, which allows cat of these files alone.
    assert all(argv[1].startswith("/sys/kernel/debug/") for argv in ran if argv[0] == "cat")
    assert found["vm.dirty_bytes"].value == "20%"
    assert found["io-scheduler"].value == "mq-deadline"
    assert found["vm.swappiness"].value is None
    assert "/proc/sys/vm/swappiness: No such file" in str(found["vm.swappiness"].unknown)


def test_kernel_files_are_read_one_by_one_on_a_host_without_grep(
    target: FakeTarget, tuner: Tuner, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = CommandResult(127, b"", b"sh: 1: grep: not found")
    monkeypatch.setattr(FakeShell, "_grep", lambda *_: missing)
    found = {each.knob.name: each.value for each in tuner.readings() if each.knob.on_host}
    assert (found["vm.dirty_bytes"], found["io-scheduler"]) == ("20%", "mq-deadline")


FEATURES, SLICE = f"{DEBUGFS}/sched/features", f"{DEBUGFS}/sched/base_slice_ns"
AS_BOOTED = "GENTLE_FAIR_SLEEPERS START_DEBIT NO_HRTICK WAKEUP_PREEMPTION"


class DebugShell(FakeShell):
    """A host with debugfs: its files are there while it is mounted, each switch taken alone."""

    def __init__(self, directory: Any, *, mounted: bool = False) -> None:
        super().__init__(directory)
        self.mounted = mounted
        self.may_mount = True
        self._debug = {FEATURES: AS_BOOTED, SLICE: "700000"}
        if mounted:
            self.files |= self._debug

    @property
    def debug(self) -> dict[str, str]:
        return {path: self.files.get(path, self._debug[path]) for path in self._debug}

    def run(self, argv: Sequence[str], **how: Any) -> CommandResult:
        match list(argv):
            case ["mountpoint", "-q", at]:
                assert at == DEBUGFS
                return CommandResult(0 if self.mounted else 32, b"", b"")
            case ["mount", "-t", "debugfs", "none", at]:
                assert (at, self.mounted, how["sudo"]) == (DEBUGFS, False, True)
                if not self.may_mount:
                    return CommandResult(32, b"", b"permission denied")
                self.mounted = True
                self.files |= self._debug
                return CommandResult(0, b"", b"")
            case ["umount", at]:
                assert (at, self.mounted, how["sudo"]) == (DEBUGFS, True, True)
                self.mounted = False
                self._debug = {path: self.files.pop(path) for path in self._debug}
                return CommandResult(0, b"", b"")
        return super().run(argv, **how)

    def _set(self, path: str, value: str) -> None:
        if path == FEATURES:
            name = value.removeprefix("NO_")
            words = self.files[path].split()
            assert [word.removeprefix("NO_") for word in words].count(name) == 1, "EINVAL"
            value = " ".join(value if word.removeprefix("NO_") == name else word for word in words)
        super()._set(path, value)


@pytest.mark.parametrize("mounted", [False, True])
def test_a_feature_of_the_scheduler_is_switched_and_put_back(mounted: bool) -> None:
    """debugfs is mounted for it where it was not, and only for as long."""
    target = FakeTarget()
    shell = target.shell = DebugShell(target.directory, mounted=mounted)
    tuner = Tuner(target, Journal())
    wanted = tuner.catalogue.treatment(["sched-features=NO_WAKEUP_PREEMPTION"], target.facts)
    [planned] = tuner.plan(wanted)
    assert "sched-features: WAKEUP_PREEMPTION → NO_WAKEUP_PREEMPTION." in str(planned.describe())
    applied = tuner.apply(wanted)
    assert applied.proofs[0].effective is True
    assert shell.debug[FEATURES] == AS_BOOTED.replace("WAKEUP", "NO_WAKEUP")
    assert shell.mounted is mounted
    assert f"echo NO_WAKEUP_PREEMPTION > {FEATURES}" in ldif_to_apply(applied.changes)
    assert f"echo WAKEUP_PREEMPTION > {FEATURES}" in ldif_to_undo(applied.changes)
    tuner.revert(applied.group)
    assert shell.debug[FEATURES] == AS_BOOTED
    assert shell.mounted is mounted
    applied = tuner.apply(tuner.catalogue.treatment(["sched-base-slice=3000000"], target.facts))
    assert shell.debug[SLICE] == "3000000"
    tuner.revert(applied.group)
    assert shell.debug == {FEATURES: AS_BOOTED, SLICE: "700000"}


def test_to_show_knobs_nothing_is_mounted() -> None:
    target = FakeTarget()
    shell = target.shell = DebugShell(target.directory)
    tuner = Tuner(target, Journal())
    assert tuner.read("sched-features").unknown
    assert not any(argv[0] == "mount" for argv, _ in shell.ran)


def test_a_feature_that_the_kernel_lacks_and_a_refused_mount_are_said() -> None:
    target = FakeTarget()
    shell = target.shell = DebugShell(target.directory)
    tuner = Tuner(target, Journal())
    with pytest.raises(KnobError, match="has no 'NO_FAIR_SLEEPERS'") as caught:
        tuner.plan(tuner.catalogue.treatment(["sched-features=NO_FAIR_SLEEPERS"], target.facts))
    assert AS_BOOTED in str(caught.value.remedy)
    assert not shell.mounted
    shell.may_mount = False
    with pytest.raises(CommandError, match="could not be mounted: permission denied"):
        tuner.plan(tuner.catalogue.treatment(["sched-base-slice=3000000"], target.facts))
