"""Causes on the server's side set up on a real 389 DS, each beside a quiet window of the same one.

LDAP_WORKBENCH_LARGE=1 adds those that take half a minute each.
"""

from __future__ import annotations

import secrets
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ldap3
import pytest
from ldap3.core.exceptions import LDAPException

from ldap_workbench.servers.target import Target
from tests.live.findings.test_advice import PEOPLE
from tests.live.lab.ds389 import Lab
from tests.live.lab.host import LOCAL, chosen
from tests.live.lab.steps import connected, large, load, modify, seen
from tests.live.lab.users import SUFFIX

BACKEND = "cn=userRoot,cn=ldbm database,cn=plugins,cn=config"
PAM = "cn=PAM Pass Through Auth,cn=plugins,cn=config"
GROUP_OF_PROCESSES = Path("/sys/fs/cgroup/cpu")
OLD_LINE = '[01/Jan/2026:10:00:00.0 +0000] conn=1 op=1 SRCH base="cn={}" scope=0 filter="(cn=*)"\n'
"""With a name that cannot be packed into less than half."""
USERS = 8_000
"""So many that a search for 20 values without an index takes 0.2 s."""
DESCRIPTORS = 200
"""64 of them are reserved, and 64 places of the table as well: that leaves 72 connections."""
CAUSES = {
    "virtual_attributes", "long_id_lists", "index_not_used", "unindexed", "server_tasks",
    "refused", "descriptors", "log_rotation", "clock", "cpu_throttled", "serial_binds",
    "slow_binds",
}  # fmt: skip

pytestmark = [
    pytest.mark.skipif(chosen("389ds") != LOCAL, reason="for the 389 DS of this host"),
    pytest.mark.clock("the finding has to show up in seconds of real load"),
]


@pytest.fixture(scope="module")
def own_lab() -> Iterator[Lab]:
    config = f"nsslapd-accesslog-logbuffering: off\nnsslapd-maxdescriptors: {DESCRIPTORS}\n"
    with Lab(config=config).start(users=USERS) as lab:
        yield lab


@pytest.fixture
def own_target(own_lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Iterator[Target]:
    with connected(own_lab, monkeypatch) as target:
        yield target


def search(lab: Lab, *filters: str) -> None:
    link = lab.slapd.link()
    for each in filters:
        link.search(SUFFIX, each, attributes=["cn"])
    link.unbind()


def by_uid(count: int) -> list[str]:
    return [f"(uid=user{n:06d})" for n in range(count)]


def test_a_quiet_window_has_none_of_these(own_lab, own_target, tmp_path):
    found, _ = seen(lambda: search(own_lab, *by_uid(200)), own_target, tmp_path / "s.ldapwb", 2)
    assert not CAUSES & found.keys()


def test_searches_for_roles(own_lab, own_target, tmp_path):
    """2.3.1 tests each entry, and notes the search as unindexed: no index would help it."""
    link = own_lab.slapd.link()
    kinds = ["nsRoleDefinition", "nsComplexRoleDefinition", "nsFilteredRoleDefinition"]
    for n in range(3):
        role = {"cn": f"role{n}", "nsRoleFilter": f"(employeeNumber=*{n})"}
        assert link.add(f"cn=role{n},{PEOPLE}", ["top", "ldapsubentry", *kinds], role), link.result
    asked = [f"(nsRole=cn=role{n % 3},{PEOPLE})" for n in range(6)]
    found, advised = seen(lambda: search(own_lab, *asked), own_target, tmp_path / "s.ldapwb", 2)
    for n in range(3):
        link.delete(f"cn=role{n},{PEOPLE}")
    link.unbind()
    assert found["virtual_attributes"].numbers["virtual"] == ["nsrole"]
    assert "index-filter" not in advised


@large
def test_pages_that_slow_all_others(own_lab, own_target, tmp_path):
    """A page without an index reads all entries; one of an index costs nobody anything."""

    def beside_load(what: str) -> Callable[[], None]:
        def work() -> None:
            link, over = own_lab.slapd.link(), time.monotonic() + 9
            with load(own_lab, "search", 10):
                while time.monotonic() < over:
                    link.search(SUFFIX, what, attributes=["cn"], paged_size=500)
                    time.sleep(0.1)
            link.unbind()

        return work

    costly, advised = seen(beside_load("(uid=user00*)"), own_target, tmp_path / "c.ldapwb", 10)
    cheap, _ = seen(beside_load("(uid=user000001)"), own_target, tmp_path / "o.ldapwb", 10)
    assert costly["paged_searches"].numbers["times"] >= 1.5
    assert "limit-pages" in advised
    assert "paged_searches" not in cheap


def test_an_index_that_was_added_and_never_built(own_lab, own_target, tmp_path):
    index = f"cn=description,cn=index,{BACKEND}"
    link = own_lab.slapd.link()
    settings = {"nsSystemIndex": "false", "nsIndexType": "eq"}
    assert link.add(index, ["top", "nsIndex"], settings), link.result
    many = "".join(f"(description=n{n})" for n in range(20))
    asked = [f"(|{many})"] * 6
    found, _ = seen(lambda: search(own_lab, *asked), own_target, tmp_path / "s.ldapwb", 2)
    link.delete(index)
    link.unbind()
    assert found["index_not_used"].numbers["filter"].startswith("(|(description=?)")
    assert "long_id_lists" not in found


def test_long_lists_of_an_index_and_none(own_lab, own_target, tmp_path):
    """The statistics name all entries where there is no index, too: those are no list."""
    modify(own_lab, "cn=config", "nsslapd-statlog-level", "1")
    lists = [f"(mail=*user{n:05d}*example*.com)" for n in range(20)]
    found, _ = seen(lambda: search(own_lab, *lists), own_target, tmp_path / "lists.ldapwb", 4)
    none = [f"(employeeNumber={n})" for n in range(8)]
    without, _ = seen(lambda: search(own_lab, *none), own_target, tmp_path / "none.ldapwb", 4)
    modify(own_lab, "cn=config", "nsslapd-statlog-level", "0")
    assert found["long_id_lists"].numbers["ids"] >= USERS
    assert "unindexed" in without
    assert "long_id_lists" not in without


def test_work_of_the_server_beside_its_clients(own_lab, own_target, tmp_path):
    tasks = {
        "backup": {"nsArchiveDir": str(own_lab.slapd.folder / "bak" / "now")},
        "export": {
            "nsInstance": "userRoot",
            "nsFilename": str(own_lab.slapd.folder / "ldif" / "now.ldif"),
        },
    }

    def work() -> None:
        link = own_lab.slapd.link()
        for kind, settings in tasks.items():
            task = f"cn=now,cn={kind},cn=tasks,cn=config"
            assert link.add(task, "extensibleObject", {"cn": "now"} | settings), link.result
            wait_for_task(link, task)
        link.unbind()

    found, _ = seen(work, own_target, tmp_path / "s.ldapwb", 2)
    assert found["server_tasks"].numbers["tasks"] == ["backup", "export"]


def wait_for_task(link: ldap3.Connection, task: str) -> None:
    """Only one at a time may have the database."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        link.search(task, "(nsTaskExitCode=*)", ldap3.BASE, attributes=["nsTaskExitCode"])
        if link.entries:
            return
        time.sleep(0.2)
    pytest.fail(f"{task} does not end")


def test_more_connections_than_descriptors(own_lab, own_target, tmp_path):
    def work() -> None:
        links = []
        server = ldap3.Server("127.0.0.1", port=own_lab.port, get_info=ldap3.NONE)
        for _ in range(DESCRIPTORS):
            link = ldap3.Connection(server, receive_timeout=1)
            try:
                link.bind()
            except LDAPException:
                break
            links.append(link)
        time.sleep(2)
        for link in links:
            link.unbind()

    found, advised = seen(work, own_target, tmp_path / "s.ldapwb", 2)
    assert found["refused"].numbers["lines"] > 1
    assert found["descriptors"].numbers["most"] == DESCRIPTORS - 2 * 64
    assert found["descriptors"].numbers["share"] >= 0.9
    assert "more-descriptors" in advised


@large
def test_a_large_log_that_is_packed_when_it_is_rotated(own_lab, own_target, tmp_path):
    """The lines that waited for the log's lock have the times of before: no clock went back."""
    modify(own_lab, "cn=config", "nsslapd-accesslog-maxlogsize", "500")
    modify(own_lab, "cn=config", "nsslapd-accesslog-compress", "on")
    own_lab.stop_server()
    with own_lab.access_log.open("a") as log:
        old = "".join(OLD_LINE.format(secrets.token_hex(100)) for _ in range(4_000))
        log.writelines(old for _ in range(150))
    size = own_lab.access_log.stat().st_size // 1024**2
    own_lab.start_server()

    def work() -> None:
        with load(own_lab, "search", 12):
            time.sleep(3)
            modify(own_lab, "cn=config", "nsslapd-accesslog-maxlogsize", str(size))
            time.sleep(8)

    own_target.reconnect()
    found, _ = seen(work, own_target, tmp_path / "s.ldapwb", 12)
    modify(own_lab, "cn=config", "nsslapd-accesslog-maxlogsize", "100")
    modify(own_lab, "cn=config", "nsslapd-accesslog-compress", "off")
    assert found["log_rotation"].numbers["longest_ns"] >= 1_000_000_000
    assert "nsslapd-accesslog-compress is on" in str(found["log_rotation"].sentence)
    assert "clock" not in found


@pytest.fixture
def fifth_of_a_processor(own_lab: Lab) -> Iterator[None]:
    """A group with a limit around the server, where this host has groups of version 1."""
    group = GROUP_OF_PROCESSES / f"ldap-workbench-{own_lab.port}"
    try:
        group.mkdir()
        (group / "cpu.cfs_period_us").write_text("100000")
        (group / "cpu.cfs_quota_us").write_text("20000")
        (group / "cgroup.procs").write_text(str(own_lab.slapd.pid))
    except OSError as error:
        pytest.skip(f"no group can be made here: {error}")
    yield
    (GROUP_OF_PROCESSES / "cgroup.procs").write_text(str(own_lab.slapd.pid))
    group.rmdir()


def test_a_limit_of_its_group_holds_the_server_back(
    own_lab, fifth_of_a_processor, own_target, tmp_path
):
    def work() -> None:
        with load(own_lab, "search", 6):
            time.sleep(5)

    found, _ = seen(work, own_target, tmp_path / "s.ldapwb", 6)
    assert found["cpu_throttled"].numbers["limit_cpus"] == 0.2
    assert found["cpu_throttled"].numbers["throttled_percent"] >= 5


@pytest.fixture
def lab_with_pam(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lab]:
    """Its server alone sees a service of PAM that takes 0.1 s."""
    with Lab(config="nsslapd-accesslog-logbuffering: off\n").start(users=100) as lab:
        settings = {
            "nsslapd-pluginEnabled": "on", "pamIDMapMethod": "RDN", "pamFallback": "FALSE",
            "pamSecure": "FALSE", "pamService": "ldap-workbench", "pamMissingSuffix": "ALLOW",
        }  # fmt: skip
        for name, value in settings.items():
            modify(lab, PAM, name, value)
        services = lab.folder / "pam.d"
        services.mkdir(0o755)
        service = "auth required pam_exec.so quiet /bin/sleep 0.1\naccount required pam_permit.so\n"
        (services / "ldap-workbench").write_text(service)
        lab.stop_server()
        own = f"mount --bind {services} /etc/pam.d && exec {lab.slapd.control} start"
        if subprocess.run(["unshare", "-m", "sh", "-c", own], check=False).returncode:
            pytest.skip("no mount is allowed here")
        lab.slapd.wait(30)
        yield lab


@large
def test_binds_that_pam_serves_one_by_one(lab_with_pam, monkeypatch, tmp_path):
    """Also where clients bind again at once, so that no bind is ever alone."""

    def bind(user: int, times: int) -> None:
        server = ldap3.Server("127.0.0.1", port=lab_with_pam.port, get_info=ldap3.NONE)
        for _ in range(times):
            link = ldap3.Connection(server, f"uid=user{user:06d},{PEOPLE}", "any")
            assert link.bind(), link.result
            link.unbind()

    def together() -> None:
        with ThreadPoolExecutor(8) as clients:
            list(clients.map(lambda user: bind(user, 10), range(8)))

    with connected(lab_with_pam, monkeypatch) as target:
        found, advised = seen(together, target, tmp_path / "many.ldapwb", 14)
        alone, _ = seen(lambda: bind(1, 60), target, tmp_path / "alone.ldapwb", 12)
    assert found["serial_binds"].numbers["alone_ns"] == pytest.approx(150e6, rel=0.5)
    assert "pam-thread-safe" in advised
    assert "serial_binds" not in alone
    assert "PAM" in str(alone["slow_binds"].sentence)
