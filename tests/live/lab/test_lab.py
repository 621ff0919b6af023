"""The lab itself: what it leaves behind, which is nothing, even where its program was killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ldap_workbench.model.errors import UsageError
from tests.live.lab import ds389 as lab_module
from tests.live.lab.ds389 import Lab
from tests.live.lab.leftovers import sweep
from tests.live.lab.steps import until


def test_a_killed_program_leaves_nothing_once_the_next_lab_starts() -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.live.lab", "up", "--users", "10"],
        cwd=Path(__file__).parents[3],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    told = "".join(iter(program.stdout.readline, "# Ctrl-C ends it.\n"))
    program.send_signal(signal.SIGKILL)
    program.wait(10)
    program.stdout.close()
    folder = Path(told.partition("LDAP_WORKBENCH_HOME=")[2].partition("\n")[0]).parent
    server = int((folder / "ds" / "run" / "slapd.pid").read_text())
    sshd = int((folder / "sshd" / "sshd.pid").read_text())
    assert running(server)
    assert running(sshd)
    sweep()
    assert not folder.exists()
    assert gone(server)
    assert gone(sshd)
    assert f"{lab_user(told)}:" not in Path("/etc/passwd").read_text()


def lab_user(told: str) -> str:
    """The login the lab made; a name nobody has where it made none."""
    user = told.partition("# ssh: ")[2].partition("@")[0]
    return user if user.startswith("wblab") else "wblab-none"


def gone(pid: int) -> bool:
    return until(lambda: not running(pid))


def running(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False


def test_a_running_lab_is_not_swept(lab: Lab) -> None:
    sweep()
    assert lab.folder.exists()
    assert running(lab.slapd.pid)


def test_the_configuration_reads_the_same_after_a_restart(lab: Lab) -> None:
    before = lab.ldif_of_config()
    lab.restart()
    assert lab.ldif_of_config() == before
    assert before.count("\ndn: ") > 150


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab_module, "_PROGRAMS", {"/no/ns-slapd": "389-ds-base", "sh": "dash"})
    with pytest.raises(UsageError) as error:
        Lab().start()
    assert str(error.value.remedy).endswith(
        "apt-get install -y --no-install-recommends 389-ds-base"
    )


@pytest.mark.parametrize("kind", ["search", "mod", "unindexed"])
def test_loads_reach_the_server(lab: Lab, kind: str) -> None:
    link = lab.slapd.link()
    done = subprocess.run(lab.drive(kind, 1.5, threads=2), capture_output=True, text=True)
    link.search("cn=snmp,cn=monitor", "(objectClass=*)", "BASE", attributes=["*"])
    attributes = link.response[0]["attributes"]
    link.unbind()
    assert done.returncode == 0, done.stdout
    counter = "modifyentryops" if kind == "mod" else "wholesubtreesearchops"
    assert int(attributes[counter][0]) > 0


def test_no_load_of_that_name(lab: Lab) -> None:
    with pytest.raises(UsageError, match="no load"):
        lab.drive("nothing", 1)
