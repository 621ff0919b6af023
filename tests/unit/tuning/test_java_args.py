"""Options of OpenDJ's JVM: one line of a file, set by a real sh and put back to the byte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldap_workbench.connect.local import LocalShell
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import (
    AnotherServerError,
    ChangeError,
    CommandError,
    ConflictError,
    KnobError,
)
from ldap_workbench.model.message import Message
from ldap_workbench.tuning.catalogue import load_catalogue
from ldap_workbench.tuning.java_args import args_in, line_in, option_in, with_line, with_option
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.ldif import is_attribute, ldif_to_apply, ldif_to_undo
from ldap_workbench.tuning.server_file import ServerFile
from ldap_workbench.tuning.tuner import Tuner
from tests.unit.tuning.fakes import FACTS, FakeTarget

SYSTEM = "cn=System Information,cn=monitor"
GIB = 1 << 30
HEAP = load_catalogue("opendj").knob("java-args.heap")
COLLECTOR = load_catalogue("opendj").knob("java-args.collector")
AS_SET_UP = b"# \xe9\ndefault.java-args=-server\nimport-ldif.java-args=\nstart-ds.java-args=\nx=1"
"""As setup of 4.6.5 leaves it: the line is empty, and the last one has no end."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ds" / "config" / "java.properties"
    path.parent.mkdir(parents=True)
    path.write_bytes(AS_SET_UP)
    return path


@pytest.fixture
def opendj(file: Path) -> FakeTarget:
    target = FakeTarget(restart_command="restart-it now")
    folder = str(file.parents[1])
    target.facts = replace(
        FACTS, product="OpenDJ", version="4.6.5", config_folder=folder, ram_bytes=8 * GIB
    )
    target.directory.entries[SYSTEM] = {
        "maxMemory": (str(256 << 20),), "startTime": ("20261121010000Z",),
    }  # fmt: skip
    shell: Any = LocalShell()
    target.shell = shell
    return target


@pytest.fixture
def tuner(opendj: FakeTarget) -> Iterator[Tuner]:
    with closing(Journal()) as journal, closing(Tuner(opendj, journal)) as tuner:
        yield tuner


def test_the_heap_is_set_in_the_line_and_put_back_to_the_byte(
    tuner: Tuner, opendj: FakeTarget, file: Path
) -> None:
    assert tuner.read("java-args.heap").value is None
    treatment = tuner.catalogue.treatment(["java-args.heap=1 GiB"], opendj.facts)
    [planned] = tuner.plan(treatment)
    assert "java-args.heap: absent → 1073741824 (1 GiB)" in str(planned.describe())
    applied = tuner.apply(treatment)
    args = f"-server -Xms{GIB} -Xmx{GIB}"
    wanted = AS_SET_UP.replace(b"start-ds.java-args=", f"start-ds.java-args={args}".encode())
    assert file.read_bytes() == wanted
    assert applied.needs_restart
    assert tuner.read("java-args.heap").value == str(GIB)
    tuner.revert(applied.group)
    assert file.read_bytes() == AS_SET_UP
    assert [change.state for change in tuner.journal.changes()] == [ChangeState.REVERTED]


def test_the_jvm_itself_proves_it(tuner: Tuner, opendj: FakeTarget) -> None:
    facts = opendj.facts
    applied = tuner.apply(tuner.catalogue.treatment(["java-args.heap=1 GiB"], facts))
    opendj.directory.entries["cn=monitor"] = {"startTime": ("20261121020000Z",)}
    [proof] = tuner.prove(applied.group)
    assert proof.effective is False, "OPENDJ_JAVA_ARGS of its environment counts instead"
    opendj.directory.entries[SYSTEM]["maxMemory"] = (str(GIB - (30 << 20)),)
    [proof] = tuner.prove(applied.group)
    assert proof.effective is True
    tuner.revert(applied.group)
    applied = tuner.apply(tuner.catalogue.treatment(["java-args.collector=Parallel"], facts))
    opendj.directory.entries["cn=monitor"] = {"startTime": ("20261121030000Z",)}
    for said, works in (
        ('"-server" "-XX:+UseParallelGC"', True),
        ('"-server" "-XX:+UseParallelGCx"', False),
        ("", None),
    ):
        opendj.directory.entries[SYSTEM]["jvmArguments"] = (said,)
        [proof] = tuner.prove(applied.group)
        assert (proof.stored, proof.effective) == (True, works), said


def test_a_line_that_somebody_else_has_changed_stays(
    tuner: Tuner, opendj: FakeTarget, file: Path
) -> None:
    treatment = tuner.catalogue.treatment(["java-args.collector=G1"], opendj.facts)
    applied = tuner.apply(treatment)
    theirs = file.read_bytes().replace(b"+UseG1GC", b"+UseG1GC -Xmx2g")
    file.write_bytes(theirs)
    with pytest.raises(ConflictError):
        tuner.revert(applied.group)
    assert file.read_bytes() == theirs


@pytest.mark.parametrize("line", ["default", "start-ds"])
def test_where_a_password_is_in_the_line_nothing_is_planned(
    tuner: Tuner, opendj: FakeTarget, file: Path, line: str
) -> None:
    secret = "-Djavax.net.ssl.keyStorePassword=hunter2 -Xmx1g"
    file.write_text(f"{line}.java-args={secret}\n")
    treatment = tuner.catalogue.treatment(["java-args.collector=G1"], opendj.facts)
    with pytest.raises(KnobError, match="There is a password in start-ds") as caught:
        tuner.apply(treatment)
    assert "hunter2" not in f"{caught.value}"
    assert tuner.journal.changes() == []


def test_a_password_that_came_since_is_not_in_the_error(
    tuner: Tuner, opendj: FakeTarget, file: Path
) -> None:
    treatment = tuner.catalogue.treatment(["java-args.collector=G1"], opendj.facts)
    applied = tuner.apply(treatment)
    file.write_bytes(file.read_bytes().replace(b"+UseG1GC", b"+UseG1GC -Dx.passwd=hunter2"))
    with pytest.raises(ConflictError, match=r"-XX:\+UseG1GC -Dx.passwd=\.\.\.") as caught:
        tuner.revert(applied.group)
    assert "hunter2" not in f"{caught.value}"


def test_the_tool_of_older_versions_takes_the_file_over(
    tuner: Tuner, opendj: FakeTarget, file: Path
) -> None:
    tool = file.parents[1] / "bin" / "dsjavaproperties"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\ngrep "^start-ds" "{file}" >>"{file}.taken"\n')
    tool.chmod(0o755)
    applied = tuner.apply(tuner.catalogue.treatment(["java-args.collector=Z"], opendj.facts))
    tuner.revert(applied.group)
    taken = Path(f"{file}.taken").read_text().splitlines()
    assert taken == ["start-ds.java-args=-server -XX:+UseZGC", "start-ds.java-args="]


def test_a_revert_that_ended_before_the_tool_did_runs_it(
    tuner: Tuner, opendj: FakeTarget, file: Path
) -> None:
    tool, fails = file.parents[1] / "bin" / "dsjavaproperties", Path(f"{file}.fails")
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\n[ ! -e "{fails}" ] || exit 1\ncp "{file}" "{file}.taken"\n')
    tool.chmod(0o755)
    applied = tuner.apply(tuner.catalogue.treatment(["java-args.collector=Z"], opendj.facts))
    fails.touch()
    with pytest.raises(ChangeError, match="could not be put back"):
        tuner.revert(applied.group)
    assert file.read_bytes() == AS_SET_UP
    fails.unlink()
    tuner.revert(applied.group)
    assert Path(f"{file}.taken").read_bytes() == AS_SET_UP


class Elsewhere(LocalShell):
    """Leads to another host than the one that was connected to."""

    def run(self, argv: Sequence[str], **how: Any) -> CommandResult:
        if argv[-1] == "/etc/machine-id":
            return CommandResult(0, b"0123456789abcdef0123456789abcdef\n", b"")
        return super().run(argv, **how)


def test_it_is_written_on_the_host_of_the_server_alone(
    tuner: Tuner, opendj: FakeTarget, file: Path
) -> None:
    shell: Any = Elsewhere()
    opendj.shell, opendj.facts = shell, replace(opendj.facts, machine="another")
    with pytest.raises(AnotherServerError, match="machine-id"):
        tuner.apply(tuner.catalogue.treatment(["java-args.collector=G1"], opendj.facts))
    assert file.read_bytes() == AS_SET_UP


def test_two_options_are_tried_one_after_the_other(tuner: Tuner, opendj: FakeTarget) -> None:
    both = ["java-args.heap=1 GiB", "java-args.collector=G1"]
    with pytest.raises(KnobError, match="stand on one line"):
        tuner.plan(tuner.catalogue.treatment(both, opendj.facts))


def test_without_its_folder_or_its_file_it_is_not_read(
    tuner: Tuner, opendj: FakeTarget, file: Path
) -> None:
    file.unlink()
    assert "could not be read" in str(tuner.read("java-args.heap").unknown)
    opendj.facts = replace(opendj.facts, config_folder=None)
    with closing(Tuner(opendj, tuner.journal)) as another:
        assert "in which folder" in str(another.read("java-args.heap").unknown)


def test_a_file_that_cannot_be_written_is_as_before(
    tuner: Tuner, opendj: FakeTarget, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: ServerFile, data: bytes) -> None:
        raise CommandError(Message("The disk is full."), status=1, stderr="full")

    monkeypatch.setattr(ServerFile, "put", full)
    with pytest.raises(ChangeError, match="full"):
        tuner.apply(tuner.catalogue.treatment(["java-args.collector=G1"], opendj.facts))
    assert file.read_bytes() == AS_SET_UP
    assert [change.state for change in tuner.journal.changes()] == [ChangeState.REFUSED]


def test_what_the_line_says() -> None:
    line = ("-Xms192m -Xmx384m -Xmx2g -XX:+UseSerialGC -XX:+UseGCOverheadLimit",)
    assert option_in(HEAP, line) == (str(2 * GIB),)
    assert option_in(COLLECTOR, line) == ("Serial",)
    assert option_in(HEAP, ("-server",)) is None
    assert option_in(HEAP, None) is None
    assert option_in(load_catalogue("opendj").knob("idle-time-limit"), ("5",)) == ("5",)
    args = with_option(HEAP, line[0], "7")
    assert args == "-XX:+UseSerialGC -XX:+UseGCOverheadLimit -Xms7 -Xmx7"
    assert args_in("start-ds.java-args=\ndefault.java-args=-server") == "-server"
    assert args_in("start-ds.java-args=-a\ndefault.java-args=-server") == "-a"
    assert args_in("") == ""


@given(
    lines=st.lists(st.sampled_from(["default.java-args=-server", "# x", "", "start-ds-x=1"])),
    own=st.none() | st.text(st.characters(exclude_characters="\n"), max_size=9),
    end=st.sampled_from(["", "\n"]),
)
def test_a_line_that_is_put_back_leaves_the_file_as_it_was(
    lines: list[str], own: str | None, end: str
) -> None:
    if own is not None:
        lines = [*lines, f"  start-ds.java-args={own}", "x=1"]
    before = "\n".join(lines) + end
    changed = with_line(before, ("-Xmx1g",))
    assert line_in(changed) == ("-Xmx1g",)
    assert with_line(changed, line_in(before)) == before


def test_what_is_exported_says_where_it_is(tuner: Tuner, opendj: FakeTarget, file: Path) -> None:
    applied = tuner.apply(tuner.catalogue.treatment(["java-args.collector=G1"], opendj.facts))
    assert not is_attribute(applied.changes[0])
    text = ldif_to_apply(applied.changes)
    assert f"# In {file} of the host: start-ds.java-args=-server -XX:+UseG1GC\n" in text
    assert "dn:" not in text + ldif_to_undo(applied.changes)
