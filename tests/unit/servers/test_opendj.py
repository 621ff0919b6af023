"""OpenDJ and the in-memory server: what they say of themselves, and what they keep to themselves.

The entries are those of an OpenDJ 4.6.5, shortened.
"""

from __future__ import annotations

from ldap_workbench.model.change import Change, ChangeState
from ldap_workbench.model.target import Backend
from ldap_workbench.servers.entry import current_run
from ldap_workbench.servers.monitor import MonitorEntry, monitor_entries, resolved
from ldap_workbench.servers.product import product_of
from ldap_workbench.servers.target import read_facts
from ldap_workbench.tuning.catalogue import load_catalogue
from ldap_workbench.tuning.proof import effective, prove
from tests.unit.servers.test_openldap import FakeSlapd

LOGGERS = "cn=Loggers,cn=config"
DATABASE = "ds-cfg-backend-id=userRoot,cn=Backends,cn=config"
JSON = f"cn=Json File-Based Access Logger,{LOGGERS}"
TEXT = f"cn=File-Based Access Logger,{LOGGERS}"
ENTRIES: dict[str, dict[str, list[str]]] = {
    "": {"objectClass": ["ds-root-dse"], "vendorVersion": ["OpenDJ Server 4.6.5"]},
    "cn=config": {"objectClass": ["ds-cfg-root-config"]},
    "cn=monitor": {"startTime": ["20261122122045Z"], "productName": ["OpenDJ Server"]},
    "cn=Work Queue,cn=monitor": {"requestsSubmitted": ["102"]},
    "cn=System Information,cn=monitor": {
        "systemName": ["ldap7"],
        "instancePath": ["/opt/opendj"],
    },
    "ds-cfg-key-id=ads-certificate,cn=ads-truststore": {
        "ds-cfg-public-key-certificate;binary": ["of this instance alone"],
    },
    DATABASE: {
        "ds-cfg-backend-id": ["userRoot"],
        "ds-cfg-base-dn": ["dc=example,dc=com"],
        "ds-cfg-db-directory": ["db"],
        "ds-cfg-java-class": ["org.opends.server.backends.jeb.JEBackend"],
    },
    JSON: {
        "objectClass": ["ds-cfg-json-file-access-log-publisher"],
        "ds-cfg-log-directory": ["logs"],
    },
    TEXT: {
        "objectClass": ["ds-cfg-file-based-access-log-publisher"],
        "ds-cfg-log-file": ["/var/log/opendj/access"],
    },
    f"cn=File-Based Error Logger,{LOGGERS}": {
        "objectClass": ["ds-cfg-file-based-error-log-publisher"],
        "ds-cfg-default-severity": ["error", "warning"],
        "ds-cfg-log-file": ["logs/errors"],
    },
    f"cn=Replication Repair Logger,{LOGGERS}": {
        "objectClass": ["ds-cfg-file-based-error-log-publisher"],
        "ds-cfg-default-severity": ["none"],
        "ds-cfg-log-file": ["logs/replication"],
    },
}
STATISTICS = "cn=LDAP Connection Handler 0.0.0.0 port 1389 Statistics,cn=monitor"


def without(*dns: str) -> dict[str, dict[str, list[str]]]:
    return {dn: found for dn, found in ENTRIES.items() if dn not in dns}


def test_what_opendj_tells() -> None:
    facts = read_facts(FakeSlapd(ENTRIES), "corp", "10.0.0.7")
    assert (facts.product, facts.version, facts.host) == ("OpenDJ", "4.6.5", "ldap7")
    assert facts.backends == (
        Backend("userRoot", "dc=example,dc=com", DATABASE, "/opt/opendj/db/userRoot"),
    )
    assert (facts.db_library, facts.db_directory) == ("je", "/opt/opendj/db/userRoot")
    assert facts.access_log == "/opt/opendj/logs/ldap-access.audit.json"
    assert facts.error_log == "/opt/opendj/logs/errors"
    assert facts.started_ns == 1_795_350_045 * 10**9
    assert facts.unknown == {}
    assert product_of(facts) == "opendj"


def test_the_text_log_is_taken_where_no_publisher_writes_json() -> None:
    facts = read_facts(FakeSlapd(without(JSON)), "corp", "ldap7")
    assert facts.access_log == "/var/log/opendj/access"
    none = read_facts(FakeSlapd(without(JSON, TEXT)), "corp", "ldap7")
    assert none.access_log is None
    assert "publisher" in str(none.unknown["access_log"])


def test_a_bind_without_config_read_is_said() -> None:
    facts = read_facts(FakeSlapd(ENTRIES, refused="cn=config"), "corp", "ldap7")
    assert facts.backends == ()
    assert "insufficientAccessRights" in str(facts.unknown["backends"])
    assert "insufficientAccessRights" in str(facts.unknown["access_log"])


def test_the_instance_is_named_by_its_certificate() -> None:
    one = read_facts(FakeSlapd(ENTRIES), "a", "10.0.0.7")
    key = "ds-cfg-key-id=ads-certificate,cn=ads-truststore"
    twin = ENTRIES | {key: {"ds-cfg-public-key-certificate;binary": ["of another container"]}}
    assert one.identity == read_facts(FakeSlapd(ENTRIES), "b", "localhost").identity != ""
    assert one.identity != read_facts(FakeSlapd(twin), "a", "10.0.0.7").identity
    assert read_facts(FakeSlapd(without(key)), "a", "10.0.0.7").identity == ""


def test_one_run_is_told_from_the_next_by_the_work_queue() -> None:
    before = current_run(FakeSlapd(ENTRIES), "opendj")
    again = ENTRIES | {"cn=Work Queue,cn=monitor": {"requestsSubmitted": ["3"]}}
    after = current_run(FakeSlapd(again), "opendj")
    assert before
    assert after
    assert before.operations == 102
    assert before.ended_before(after)


def test_entries_named_after_ports_are_found_once() -> None:
    entries = monitor_entries(read_facts(FakeSlapd(ENTRIES), "corp", "ldap7"))
    (named,) = (entry for entry in entries if entry.named)
    there = FakeSlapd({STATISTICS: {"searchRequests": ["7"]}})
    found = resolved([named, MonitorEntry("cn=x")], there)
    assert [entry.dn for entry in found] == [STATISTICS, "cn=x"]
    assert all(entry.scope == "base" for entry in found)


def test_worker_threads_are_proved_by_counting_those_of_that_name() -> None:
    knob = load_catalogue("opendj").knob("num-worker-threads")
    names = ("Worker Thread 0", "Worker Thread 1", "Timer-0", "Worker Thread 10")
    shown = tuple(f"id={n} ---------- {name} ----------" for n, name in enumerate(names))
    shown += ("id=1 frame[3]=java.lang.Thread.run(Worker.java)",)
    asked = Change(
        id="c",
        group="g",
        server="s",
        profile="p",
        knob=knob.name,
        dn=knob.dn,
        attribute=knob.stored_as,
        before=None,
        asked=("3",),
        got=("3",),
        state=ChangeState.APPLIED,
        needs_restart=False,
        created_ns=0,
        updated_ns=0,
    )
    assert effective(knob, "", lambda *_: shown) == "3"
    proof = prove(knob, asked, ("3",), "", restarted=False, evidence=lambda *_: shown)
    assert proof.effective is True, proof.sentence
    fewer = prove(knob, asked, ("3",), "", restarted=False, evidence=lambda *_: shown[1:])
    assert fewer.effective is False


def test_values_are_stored_as_the_server_takes_them() -> None:
    facts = read_facts(FakeSlapd(ENTRIES), "corp", "ldap7")
    settings = ["db-checkpointer-wakeup-interval=2m", "db-log-file-max=50 MiB"]
    treatment = load_catalogue("opendj").treatment(settings, facts)
    assert [setting.value for setting in treatment.settings] == ["120 s", "52428800"]


def test_the_in_memory_server_is_no_389_ds() -> None:
    root = {"": {"vendorVersion": ["UnboundID LDAP SDK for Java 7.0.3"]}}
    facts = read_facts(FakeSlapd(root), "corp", "ldap7")
    assert (facts.product, facts.version) == ("UnboundID in-memory", "7.0.3")
    assert "--accessLogFile" in str(facts.unknown["access_log"])
    assert monitor_entries(facts) == []
    catalogue = load_catalogue(product_of(facts))
    assert all(knob.on_host for knob in catalogue.knobs)
    assert current_run(FakeSlapd({}), "unboundid") is None
