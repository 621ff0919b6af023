"""One limit in two files of the kernel: read, set and put back as the value in force."""

from __future__ import annotations

import pytest

from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.errors import ConflictError, KnobError
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.kernel_file import share_beside, to_write
from ldap_workbench.tuning.ldif import ldif_to_undo
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
