"""The sudoers file names command lines literally; the program is a script that sh takes."""

from __future__ import annotations

import ast
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from ldap_workbench.connect.commands import PROGRAM, SCRIPTS
from ldap_workbench.experiment.sudoers import program, sudoers
from ldap_workbench.model.errors import CommandError, UsageError
from ldap_workbench.model.profile import SshAddress
from ldap_workbench.servers.target import Target
from tests.unit.tuning.fakes import BACKEND, FACTS, FakeTarget

LOG = "/var/log/dirsrv/slapd-x/access"
APP = Path(__file__).parents[3] / "app" / "ldap_workbench"
RUNS = {"run", "stream", "flow", "_command"}
"""What runs a command on a host; root's is said by `sudo`."""


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


def lines(**profile: object) -> list[str]:
    made = target()
    made.profile = replace(made.profile, **profile)  # type: ignore[misc]
    text = sudoers(made, offline=False)
    return [line.strip().removesuffix(", \\") for line in text.splitlines()]


def test_the_command_that_reads_a_log_is_named_and_a_log_of_the_profile_goes_first() -> None:
    assert "/usr/bin/journalctl -u slapd -f" in lines(log_command="journalctl -u slapd -f")
    assert "/usr/bin/head -c 1 /srv/access" in lines(access_log="/srv/access")
    assert f"/usr/bin/head -c 1 {LOG}" not in lines(access_log="/srv/access")
    assert "/opt/ds/restart now" in lines(restart_command="/opt/ds/restart now")


def test_without_ssh_it_is_for_whoever_runs_the_workbench(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "me")
    assert lines(ssh=None)[-1] == "me ALL=(root) NOPASSWD: LDAP_WORKBENCH_MY_LDAP_1"
    assert lines(ssh=None)[-2] == "Defaults:me !requiretty"


def test_a_host_whose_disk_is_not_known_has_the_files_that_are_of_none() -> None:
    made = target()
    made.facts = replace(made.facts, device=None)
    text = sudoers(made, offline=False)
    assert "/sys/block" not in text
    assert "/usr/bin/tee /proc/sys/vm/" in text
    assert "dirty_bytes" in text
    assert "dirty_ratio" in text, "the share beside it"


def test_folders_of_the_database_and_of_the_audit_log_are_asked_for_their_disks() -> None:
    made = target()
    made.facts = replace(made.facts, db_directory="/srv/db", audit_log="/srv/log/audit")
    made.directory.entries[BACKEND]["nsslapd-directory"] = ("/srv/db/userRoot",)  # type: ignore[attr-defined]
    text = sudoers(made, offline=False)
    assert "/usr/bin/df --output\\=source /srv/db," in text
    assert "/usr/bin/du -sB1 /srv/db/userRoot" in text, "the folder that an index grows in"
    assert "/usr/bin/df --output\\=source /srv/log," in text


def test_the_program_edits_the_servers_file_only_where_that_was_agreed() -> None:
    made = target()
    made.directory.entries["cn=config"]["nsslapd-certdir"] = ("/etc/dirsrv/slapd-x",)  # type: ignore[attr-defined]
    part = '"$name" = server-file ]'
    assert part not in program(made, offline=False)
    text = program(made, offline=True)
    assert part in text
    assert "/etc/dirsrv/slapd-x/dse.ldif) rest=" in text, "that very file"
    assert f"{LOG}*) rest=" in text, "and logs that were rotated"
    subprocess.run(["sh", "-n"], input=text.encode(), check=True)


def test_slapindex_builds_for_this_slapd_alone_and_only_where_that_was_agreed() -> None:
    made = target()
    made.facts = replace(made.facts, product="OpenLDAP", version="2.5.13", backends=())
    made.directory.entries["cn=config"]["olcConfigDir"] = ("/etc/ldap/slapd.d",)  # type: ignore[attr-defined]
    part = '"$name" = slapd-index ]'
    assert part not in program(made, offline=False)
    text = program(made, offline=True)
    assert "/slapd.d/cn=config/olcBackend={0}mdb.ldif') rest=" in text, "which may be absent"
    _, _, index = text.partition(part)
    allowed = [line.strip() for line in index.splitlines() if "rest=" in line]
    assert allowed[0].startswith("/etc/ldap/slapd.d/cn=config.ldif) rest=")
    subprocess.run(["sh", "-n"], input=text.encode(), check=True)


def test_the_limit_of_the_servers_unit_alone_may_be_set() -> None:
    made = target()
    part = '"$name" = unit-limit ]'
    made.profile = replace(made.profile, restart_command="/opt/control restart")
    assert part not in program(made, offline=False)
    made.profile = replace(made.profile, restart_command="systemctl restart dirsrv@one")
    text = program(made, offline=False)
    assert part in text
    assert "/etc/systemd/system/dirsrv@one.service) rest=" in text
    subprocess.run(["sh", "-n"], input=text.encode(), check=True)


def test_of_the_logs_only_the_access_log_is_looked_at_before_it_is_read() -> None:
    made = target()
    made.facts = replace(made.facts, error_log="/srv/log/errors")
    assert "/srv/log/errors" not in sudoers(made, offline=False)
    assert "/srv/log/errors*) rest=" in program(made, offline=False)


def calls_of_root() -> set[tuple[str, str]]:
    """(file, first word) of every command that the program runs as root; a name where no literal
    says which."""
    found = set()
    for file in APP.rglob("*.py"):
        if "practice" in file.parts:
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args and _as_root(node):
                found.add((str(file.relative_to(APP)), _first_word(node.args[0])))
    return found


def _as_root(call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in RUNS:
        return False
    said = [each.value for each in call.keywords if each.arg == "sudo"]
    return bool(said) and not (isinstance(said[0], ast.Constant) and said[0].value is False)


def _first_word(argv: ast.expr) -> str:
    if isinstance(argv, ast.List | ast.Tuple) and isinstance(argv.elts[0], ast.Constant):
        return str(argv.elts[0].value)
    return ast.unparse(argv)


def test_every_command_that_is_run_as_root_is_in_the_file() -> None:
    """Who adds one adds it to sudoers, to docs/security.md and here."""
    assert calls_of_root() == {
        ("tuning/page_cache.py", "tee"),
        ("tuning/host_values.py", "argv"),  # tee, and UNIT_LIMIT by PROGRAM
        ("tuning/host_values.py", "cat"),
        ("tuning/host_values.py", "mount"),
        ("tuning/host_values.py", "umount"),
        ("tuning/place.py", "argv"),  # the server's file, by PROGRAM
        ("tuning/stored.py", "STORED_NAMES.argv(path)"),  # by PROGRAM
        ("tuning/stopped_host.py", "argv"),  # SERVER_FILE by PROGRAM, stop and start
        ("tuning/restart.py", "argv"),  # the restart command of the profile
        ("servers/host.py", "df"),
        ("tuning/index_budget.py", "argv"),  # df and du of the database's folder
        ("servers/host.py", "argv"),  # what reads facts, each without root
        ("capture/live/check.py", "true"),
        ("capture/live/check.py", "argv"),  # head -c 1 of the log
        ("capture/host_link.py", "argv"),  # scripts by PROGRAM, and the log command
    }
    made = target()
    made.facts = replace(made.facts, db_directory="/srv/db")
    allowed = [line.strip() for line in sudoers(made, offline=True).splitlines()]
    programs = {line.split()[0].rpartition("/")[2] for line in allowed if line.startswith("/")}
    assert {"tee", "cat", "df", "true", "head", "systemctl"} <= programs


def test_what_only_root_may_read_may_be_read() -> None:
    assert "/usr/bin/cat /sys/kernel/debug/sched/features" in lines()


def test_of_opendj_the_arguments_of_the_jvm_are_the_file_it_edits() -> None:
    """Whoever writes them may have the server's account run anything: only with --offline."""
    fake = target()
    fake.facts = replace(fake.facts, product="OpenDJ", backends=(), config_folder="/opt/dj")
    assert "  /opt/dj/config/java.properties) rest=" in program(fake, offline=True)
    assert "java.properties" not in program(fake, offline=False)
    fake.facts = replace(fake.facts, config_folder=None)
    assert "java.properties" not in program(fake, offline=True)
