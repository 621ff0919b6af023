"""Causes set up on a real 389 DS: a log and a configuration as it writes them show each."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import ldap3
import pytest
from typer.testing import CliRunner

from ldap_workbench.advice.evidence.indexes import databases
from ldap_workbench.advice.evidence.view import view_window
from ldap_workbench.advice.families.find import findings
from ldap_workbench.advice.families.references import prices
from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.window import capture
from ldap_workbench.cli.app import app
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.experiment.settings import remember_settings
from ldap_workbench.model.finding import Finding
from ldap_workbench.servers.target import Target
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.ds389 import Lab
from tests.live.lab.slapd import ROOT_DN
from tests.live.lab.steps import configured, until
from tests.live.lab.users import PASSWORD, SUFFIX
from tests.unit.cases.published import tell, tell_files

PEOPLE = [f"uid=user{n:06d},ou=people,{SUFFIX}" for n in range(60)]
GROUPS = {f"cn=nested{n},ou=groups,{SUFFIX}": [f"cn=nested{n - 1},ou=groups,{SUFFIX}"]
          for n in range(1, 4)}  # fmt: skip
GROUPS = {f"cn=nested0,ou=groups,{SUFFIX}": PEOPLE} | GROUPS
# BER of RFC 2891 for cn, and of a persistent search for changes alone, without their controls.
SORT_BY_CN = b"\x30\x06\x30\x04\x04\x02cn"
CHANGES_ONLY = b"\x30\x09\x02\x01\x0f\x01\x01\xff\x01\x01\xff"
SETTINGS = {
    "cn=MemberOf Plugin,cn=plugins,cn=config": {"nsslapd-pluginEnabled": ["on"]},
    "cn=Account Policy Plugin,cn=plugins,cn=config": {"nsslapd-pluginEnabled": ["on"]},
    "cn=config,cn=Account Policy Plugin,cn=plugins,cn=config": {
        "alwaysRecordLogin": ["yes"],
        "stateAttrName": ["lastLoginTime"],
        "altStateAttrName": ["createTimestamp"],
        "specAttrName": ["acctPolicySubentry"],
        "limitAttrName": ["accountInactivityLimit"],
    },
    "cn=config": {
        "nsslapd-accesslog-level": ["260"],
        "nsslapd-plugin-logging": ["on"],
        "nsslapd-statlog-level": ["1"],
        "nsslapd-accesslog-logbuffering": ["off"],
        "nsslapd-errorlog-level": ["24576"],
    },
    "cn=Retro Changelog Plugin,cn=plugins,cn=config": {"nsslapd-pluginEnabled": ["on"]},
    "cn=member,cn=index,cn=userRoot,cn=ldbm database,cn=plugins,cn=config": {
        "nsIndexType": ["eq", "sub"]
    },
}


def linked(lab: Lab, who: str, password: str) -> ldap3.Connection:
    server = ldap3.Server("127.0.0.1", port=lab.port, get_info=ldap3.NONE)
    return ldap3.Connection(server, who, password, auto_bind=True, check_names=False)


def search_in_costly_ways(lab: Lab, folder: Path) -> None:
    """Sorted by the server, and with a term for each of hundreds; the lines of the log of each."""
    root = linked(lab, ROOT_DN, lab.password)
    wide = "".join(f"(mail=user{n:06d}@example.com)(uid=user{n:06d})" for n in range(300))
    sort = ("1.2.840.113556.1.4.473", True, SORT_BY_CN)
    ways = {
        "sorted": lambda: root.search(SUFFIX, "(objectClass=person)", controls=[sort]),
        "wide": lambda: root.search(SUFFIX, f"(|{wide})", attributes=["1.1"]),
    }
    for name, search in ways.items():
        start = lab.access_log.stat().st_size
        for _ in range(6):
            search()
        until(lambda at=start: lab.access_log.read_bytes()[at:].count(b" RESULT ") >= 6)
        (folder / name).write_bytes(lab.access_log.read_bytes()[start:])
    root.unbind()


@contextmanager
def waiting_for_changes(lab: Lab) -> Iterator[None]:
    """As many persistent searches on one connection as it may have operations at once."""
    server = ldap3.Server("127.0.0.1", port=lab.port, get_info=ldap3.NONE)
    link = ldap3.Connection(server, ROOT_DN, lab.password, client_strategy=ldap3.ASYNC,
                            auto_bind=True, check_names=False)  # fmt: skip
    for _ in range(5):
        psearch = ("2.16.840.1.113730.3.4.3", True, CHANGES_ONLY)
        link.search(SUFFIX, "(cn=nobody)", ldap3.SUBTREE, attributes=["cn"], controls=[psearch])
    yield
    link.unbind()


def trouble(lab: Lab) -> None:
    """Nested groups, logins, and changes of the outermost group."""
    root = linked(lab, ROOT_DN, lab.password)
    for dn, members in GROUPS.items():
        name = dn.partition(",")[0].removeprefix("cn=")
        assert root.add(dn, "groupOfNames", {"cn": name, "member": members}), root.result
    outermost = list(GROUPS)[-1]
    for members in ([PEOPLE[0]], GROUPS[outermost]):
        root.modify(outermost, {"member": [(ldap3.MODIFY_REPLACE, members)]})
    for n in range(60):
        linked(lab, PEOPLE[n % 10], PASSWORD).unbind()
    root.unbind()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Log and configuration of a lab of its own: its plug-ins would be in the way of others."""
    with Lab().start(users=1500) as lab:
        root = linked(lab, ROOT_DN, lab.password)
        for dn, attributes in SETTINGS.items():
            changes = {k: [(ldap3.MODIFY_REPLACE, values)] for k, values in attributes.items()}
            assert root.modify(dn, changes), (dn, root.result)
        root.unbind()
        lab.restart()
        with waiting_for_changes(lab):
            trouble(lab)
            time.sleep(1.0)
            log = lab.access_log.read_bytes()
        kept = tmp_path_factory.mktemp("evidence")
        (kept / "access").write_bytes(log)
        search_in_costly_ways(lab, kept.parent)
        shutil.copy(lab.slapd.config / "dse.ldif", kept / "dse.ldif")
        yield kept


@pytest.fixture(scope="module")
def found(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Finding]:
    return tell(folder, tmp_path_factory.mktemp("session")).findings


def test_a_storm_of_memberof_is_counted_and_was_foreseen(found: dict[str, Finding]) -> None:
    storm = found["memberof_storm"]
    assert storm.confidence == "high"
    outermost = max(prices(GROUPS), key=lambda price: price.below)
    assert storm.numbers["searches_each"] == pytest.approx(outermost.searches, rel=0.3)


def test_logins_that_write(found: dict[str, Finding]) -> None:
    assert found["login_writes"].numbers["writes"] >= 50
    assert found["login_writes"].worker_ns


@pytest.mark.parametrize("way", ["sorted", "wide"])
def test_kinds_of_searches_that_cost(folder: Path, tmp_path: Path, way: str) -> None:
    log = (folder.parent / way).read_text()
    found = tell_files({"access": log}, tmp_path).findings
    if way == "sorted":
        assert found["server_sort"].numbers["searches"] == 6
    else:  # 389 DS cuts such a filter off in its log
        assert "more than" in str(found["wide_filter"].sentence)


def test_searches_that_wait_for_changes(found: dict[str, Finding]) -> None:
    assert found["persistent_searches"].numbers["on_one_connection"] == 5


def test_the_configuration_that_a_server_wrote(found: dict[str, Finding]) -> None:
    assert found["dn_substring_index"].numbers["attributes"] == ["member"]
    assert "retro_changelog_unlimited" in found
    assert found["debug_logging"].numbers["parts"] == ["replication"]
    assert not {"plugin_unindexed", "system_index_missing", "changelog_unlimited"} & set(found)


def test_a_capture_keeps_the_configuration_and_what_the_host_waited(
    lab: Lab, target: Target, tmp_path: Path
) -> None:
    """Of the lab that all tests share, whose configuration has none of these causes."""
    path = tmp_path / "s.ldapwb"
    with (
        configured(target, nsslapd_accesslog_logbuffering="off"),
        SessionWriter.create(path, target.facts) as writer,
        closing(Journal()) as journal,
    ):
        window = capture(target, writer, CapturePlan(seconds=3))
        with closing(Tuner(target, journal)) as tuner:
            remember_settings(writer, tuner, window)
    with Session.open(path) as session:
        seen = view_window(session, session.windows()[0])
        series = session.series_names(session.windows()[0])
        found = {each.id for each in findings(session)}
    assert [each.name for each in databases(seen.configuration)] == ["userRoot"]
    assert "eq" in databases(seen.configuration)[0].types("uid")
    assert "rootpw" not in str(seen.configuration)
    assert any(name == "psi:cpu:some" for name in series) == Path("/proc/pressure").is_dir()
    assert not {"plugin_unindexed", "dn_substring_index", "debug_logging"} & found


def test_what_access_control_costs_is_measured_in_pairs(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An ordinary user against the directory manager, by the command."""
    monkeypatch.setenv("LAB_USER_PASSWORD", PASSWORD)
    user = replace(lab.profile, name="user", bind_dn=PEOPLE[1], password_env="LAB_USER_PASSWORD")
    for profile in (lab.profile, user):
        ProfileStore().add(profile)
    arguments = ["access-cost", lab.profile.name, "user", "--base", SUFFIX, "--json"]
    run = CliRunner().invoke(app, [*arguments, "--filter", "(uid=user0000*)", "--pairs", "8"])
    assert run.exit_code == 0, run.output
    told = json.loads(run.stdout)
    assert told["pairs"] == 8
    assert told["first_ns"] > 0
    assert told["low"] < told["times"] < told["high"]
