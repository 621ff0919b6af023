"""The file of hosts: what it says, what it may not say, and what a host says back."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
import tomli_w

from ldap_workbench.fleet.hosts import read_hosts
from ldap_workbench.fleet.remote import planned
from ldap_workbench.fleet.units import Planned, Unit
from ldap_workbench.fleet.worker import planned_bytes
from ldap_workbench.model.errors import CommandError, LogError, UsageError
from ldap_workbench.model.message import Message

GOOD = """
[defaults]
user = "logreader"
logs = "/var/log/dirsrv"

[hosts.ldap1]
address = "ldap1.example.com"
port = 2222
identity = "~/.ssh/logs"
workers = 2

[hosts.ldap2]
user = "other"
program = ["/usr/bin/sudo", "-n", "-u", "dirsrv", "/usr/bin/ldap-workbench"]
logs = ["/a", "/b"]
"""


def hosts_of(tmp_path, text):
    path = tmp_path / "hosts.toml"
    path.write_text(text)
    return read_hosts(path)


def test_what_a_host_says_comes_before_what_all_say(tmp_path):
    first, second = hosts_of(tmp_path, GOOD)
    assert str(first.address) == "logreader@ldap1.example.com:2222"
    assert (first.program, first.logs, first.workers) == (
        ("/usr/bin/ldap-workbench",),
        ("/var/log/dirsrv",),
        2,
    )
    assert str(second.address) == "other@ldap2:22"
    assert second.program[-1] == "/usr/bin/ldap-workbench"
    assert second.profile.ssh == second.address
    assert second.logs == ("/a", "/b")


def test_a_cluster_reads_in_place_of_a_host(tmp_path):
    (host,) = hosts_of(tmp_path, '[hosts.a]\ncluster = "dask+tls://x:1"\nlogs = "/x"\n')
    assert (host.cluster, host.address, host.logs) == ("dask+tls://x:1", None, ("/x",))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", r"needs a table \[hosts.NAME\]"),
        ("[", "not a file of hosts"),
        ("[host.a]\n", "'host' is not known"),
        ("[hosts]\na = 5\n", "'a' is not a table"),
        (GOOD + 'password = "secret"\n', "'password' of ldap2"),
        (GOOD + "port = 70000\n", "'port' of ldap2"),
        (GOOD + "port = true\n", "'port' of ldap2"),
        (GOOD + "workers = 0\n", "'workers' of ldap2"),
        (GOOD + "workers = 999\n", "'workers' of ldap2"),
        (GOOD + "address = 5\n", "'address' of ldap2"),
        (GOOD.replace('["/a", "/b"]', "[]"), "'logs' of ldap2"),
        (GOOD.replace('["/a", "/b"]', "[5]"), "'logs' of ldap2"),
        ('[hosts.a]\nuser = "x"\n', "a lacks logs"),
        ('[hosts.a]\ncluster = "dask://x:1"\n', "a lacks logs"),
        ('[hosts.a]\ncluster = "tcp://x:1"\nlogs = "/x"\n', "'cluster' of a"),
        ('[hosts.a]\nlogs = "/x"\n', "a lacks user"),
        (
            '[defaults]\ncluster = "dask://x:1"\n[hosts.a]\naddress = "b"\nlogs = "/x"\n',
            "a has both a cluster and an address",
        ),
    ],
)
def test_what_does_not_fit_is_named(tmp_path, text, why):
    with pytest.raises(UsageError, match=why):
        hosts_of(tmp_path, text)


ONE = {"user": "x", "logs": ["/x"], "program": ["/x"]}


@pytest.mark.parametrize("path", ["bin/x", "-x", "/a/../b", "/a\n/b", ""])
def test_paths_are_whole(tmp_path, path):
    assert hosts_of(tmp_path, tomli_w.dumps({"hosts": {"a": ONE}}))
    for key in ("logs", "program"):
        with pytest.raises((CommandError, UsageError)):
            hosts_of(
                tmp_path, f'[hosts.a]\nuser = "x"\nlogs = "/x"\n{key} = [{json.dumps(path)}]\n'
            )


UNIT = Unit("ldap1", "/var/log/access", 0, "389")


def test_what_a_host_found_comes_back():
    found = Planned((UNIT,), {"/x": Message("It is {what}.", what="empty")})
    back = planned(planned_bytes(found), "ldap1")
    assert back.units == found.units
    assert [str(why) for why in back.left_out.values()] == ["It is empty."]


@pytest.mark.parametrize(
    "change",
    [
        {"host": "ldap2"},
        {"host": "ldap11"},
        {"place": "0"},
        {"place": True},
        {"whole": 1},
        {"path": ["/x"]},
        {"year": "2026"},
        {"more": 1},
    ],
)
def test_a_part_of_another_shape_is_refused(change):
    body = json.dumps({"units": [{**asdict(UNIT), **change}], "left_out": {}}).encode()
    with pytest.raises(LogError, match="damaged"):
        planned(body, "ldap1")


@pytest.mark.parametrize("body", [b"", b"[]", b"[" * 100_000, b'{"units": [1], "left_out": {}}'])
def test_a_plan_that_is_none_is_refused(body):
    with pytest.raises(LogError, match="damaged"):
        planned(body, "ldap1")
