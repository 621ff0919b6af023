"""Connecting a target: its facts, its clock, and what is said where something cannot be had."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.connect.host_keys import known_hosts_path
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.errors import AuthenticationError, ConnectError, UnknownHostKeyError
from ldap_workbench.model.profile import SshAddress
from ldap_workbench.servers.entry import current_run
from ldap_workbench.servers.monitor import monitor_entries
from ldap_workbench.servers.target import Target, connect
from tests.live.lab.ds389 import SUFFIX, Lab


def test_facts(lab: Lab, target: Target) -> None:
    facts = target.facts
    assert facts.product.startswith("389")
    assert facts.version[0].isdigit()
    assert facts.instance == lab.slapd.instance
    assert [(b.name, b.suffix) for b in facts.backends] == [("userRoot", SUFFIX)]
    assert facts.db_library == "bdb"
    assert facts.db_directory == str(lab.slapd.database)
    assert facts.access_log == str(lab.access_log)
    assert facts.error_log == str(lab.slapd.logs / "errors")
    assert facts.cores == len(os.sched_getaffinity(0))
    assert facts.ram_bytes == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert facts.kernel == f"Linux {os.uname().release}"
    assert not facts.simulated
    assert facts.audit_log == str(lab.slapd.logs / "audit")
    assert facts.audit_device == facts.device
    # in a container the database may be on no disk
    assert set(facts.unknown) <= {"device", "audit_device", "rotational"}


def test_whether_the_disk_turns_is_as_the_kernel_has_it(target: Target) -> None:
    if target.facts.device is None:
        pytest.skip(f"the lab's database is on no disk: {target.facts.unknown['device']}")
    queue = Path("/sys/block") / target.facts.device / "queue" / "rotational"
    assert target.facts.rotational is (queue.read_text().strip() == "1")


@pytest.mark.clock("it compares two readings of a clock")
def test_clock_of_the_same_machine(target: Target) -> None:
    error = target.facts.clock_error_ns
    assert error is not None
    assert 0 < error < 500_000_000
    assert abs(target.facts.clock_offset_ns) <= error
    assert abs(target.now_ns() - time.time_ns()) <= error + 50_000_000


def test_every_monitor_entry_is_there(target: Target) -> None:
    missing = [
        entry.dn
        for entry in monitor_entries(target.facts)
        if not target.directory.search(entry.dn, attributes=["*"])
    ]
    assert missing == []


def test_further_links_are_independent(target: Target) -> None:
    directory, shell = target.another_directory(), target.another_shell()
    assert shell is not None
    directory.close()
    shell.close()
    assert target.directory.search("cn=config", attributes=["cn"])
    assert target.shell is not None
    assert target.shell.run(["true"]).status == 0


def test_a_restart_is_seen_and_survived(lab: Lab, target: Target) -> None:
    before = current_run(target.directory, "389ds")
    time.sleep(1.1)  # the start is told in whole seconds
    lab.restart()
    with pytest.raises(ConnectError, match="broke"):
        target.directory.search("cn=monitor")
    target.reconnect()
    after = current_run(target.directory, "389ds")
    assert before is not None
    assert after is not None
    assert before.ended_before(after)


def test_the_restart_command_of_the_profile(lab: Lab, target: Target) -> None:
    assert target.shell is not None
    assert lab.profile.restart_command is not None
    old = lab.slapd.pid
    argv = lab.profile.restart_command.split()
    result = target.shell.run(argv, sudo=True, timeout=60)
    assert (result.status, result.stderr) == (0, b"")
    lab.slapd.wait(30)
    assert lab.slapd.pid != old


def test_an_instance_is_the_same_by_every_url_and_after_a_restart(lab: Lab, target: Target) -> None:
    urls = (f"ldap://localhost:{lab.port}", lab.slapd.ldapi_url)
    lab.restart()
    for url in urls:
        again = connect(replace(lab.profile, ldap_url=url, ssh=None), Secrets())
        assert again.facts.identity == target.facts.identity != ""
        again.close()


def test_without_a_host(lab: Lab) -> None:
    target = connect(replace(lab.profile, ssh=None), Secrets())
    assert target.shell is None
    assert target.another_shell() is None
    assert target.facts.cores is None
    assert "no SSH host" in str(target.facts.unknown["host"])
    target.close()


def test_a_host_that_cannot_be_reached_does_no_harm(lab: Lab) -> None:
    target = connect(replace(lab.profile, ssh=SshAddress("127.0.0.1", "x", 1)), Secrets())
    assert target.shell is None
    assert "cannot be reached over SSH" in str(target.facts.unknown["host"])
    assert target.facts.version
    target.close()


def test_a_host_never_seen_before_needs_a_person(lab: Lab) -> None:
    known_hosts_path().unlink()
    with pytest.raises(UnknownHostKeyError):
        connect(lab.profile, Secrets())


def test_this_machine_without_ssh(lab: Lab) -> None:
    target = connect(replace(lab.profile, ssh=None, local=True), Secrets())
    assert target.shell is not None
    assert target.facts.kernel == f"Linux {os.uname().release}"
    target.close()


def test_no_ldap_is_an_error(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LDAP_WORKBENCH_LAB_PASSWORD", "wrong")
    with pytest.raises(AuthenticationError):
        connect(lab.profile, Secrets())


def test_anonymous_says_what_it_may_not_see(lab: Lab) -> None:
    target = connect(replace(lab.profile, bind_dn=None), Secrets())
    assert target.facts.access_log is None
    assert target.facts.version
    assert "cn=config" in target.facts.unknown
    target.close()
