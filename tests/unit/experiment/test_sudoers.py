"""The sudoers file names command lines literally; the program is a script that sh takes."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from typing import cast

import pytest

from ldap_workbench.connect.commands import PROGRAM, SCRIPTS
from ldap_workbench.experiment.sudoers import program, sudoers
from ldap_workbench.model.errors import CommandError, UsageError
from ldap_workbench.model.profile import SshAddress
from ldap_workbench.servers import Target
from tests.unit.tuning.fakes import FACTS, FakeTarget

LOG = "/var/log/dirsrv/slapd-x/access"


def target(log: str = LOG, user: str = "admin", restart: str = "systemctl restart x") -> Target:
    fake = FakeTarget(restart_command=restart, facts=replace(FACTS, access_log=log, device="vda"))
    fake.profile = replace(fake.profile, name="my ldap-1", ssh=SshAddress("h", user))
    return cast("Target", fake)


def test_every_command_is_named_with_its_words() -> None:
    text = sudoers(target(), offline=False)
    lines = [line.strip().removesuffix(", \\") for line in text.splitlines()]
    assert '/usr/bin/true ""' in lines
    assert f"/usr/bin/head -c 1 {LOG}" in lines
    assert "/usr/bin/systemctl restart x" in lines
    assert "/usr/bin/tee /sys/block/vda/queue/scheduler" in lines
    assert "/usr/bin/tee /proc/sys/vm/drop_caches" in lines
    assert PROGRAM in lines
    assert lines[-1] == "admin ALL=(root) NOPASSWD: LDAP_WORKBENCH_MY_LDAP_1"
    assert " sh " not in text
    assert "stop" not in text
    assert "/usr/bin/systemctl stop x" in sudoers(target(), offline=True)


def test_what_sudo_has_a_meaning_for_is_escaped() -> None:
    text = sudoers(target("/srv/a:b,c=d*e?[f]#!/access", user="CORP\\admin"), offline=False)
    assert r"/usr/bin/head -c 1 /srv/a\:b\,c\=d\*e\?\[f\]\#\!/access" in text
    assert text.splitlines()[-1].startswith(r"CORP\\admin ALL")


def test_a_path_with_a_space_is_not_put_into_it() -> None:
    """sudo could not tell it from two paths."""
    with pytest.raises(UsageError, match="has a space"):
        sudoers(target("/var/log/my logs/access"), offline=False)


def test_a_path_that_is_none_is_not_put_into_it() -> None:
    with pytest.raises(CommandError, match="not used as a path"):
        sudoers(target("/var/log/x\nALL ALL=(ALL) NOPASSWD: ALL"), offline=False)
    with pytest.raises(CommandError, match="not used as a path"):
        program(target("-delete/access"), offline=False)


def test_the_program_is_a_script_with_every_log_script_and_refuses_all_else() -> None:
    text = program(target("/var/log/it's/access"), offline=False)
    subprocess.run(["sh", "-n"], input=text.encode(), check=True)
    assert all(f'"$name" = {n} ' in text for n in SCRIPTS if "log" in n)
    for words in (
        [],
        ["follow-log"],
        ["follow-log", "/etc/shadow", "1", "9"],
        ["sh", "/etc/passwd"],
    ):
        done = subprocess.run(["sh", "-c", text, "x", *words], capture_output=True, check=False)
        assert (done.returncode, done.stdout) == (77, b"")
