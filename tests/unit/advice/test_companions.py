"""Stacks, histograms and the audit log imported beside a log reach the findings."""

from __future__ import annotations

from ldap_workbench.advice.evidence.companions import histograms_of, stacks_of
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.families.hygiene import config_writers
from ldap_workbench.logs.server.audit389 import AuditRecord
from ldap_workbench.model.window import Source, SourceKind, SourceState, Window

WINDOW = Window(1, "w", 1_000, 9_000)


def source(kind: SourceKind, **details: object) -> Source:
    return Source(1, 1, kind, kind.value, SourceState.COMPLETE, details=details)


def test_stacks_within_the_window_in_their_order() -> None:
    dumps = [
        {"time_ns": 500, "threads": {"1": ["early"]}},
        {"time_ns": 2_000, "threads": {"1": ["memp_sync", "main"]}},
        {"time_ns": None, "threads": {"1": ["later"]}},
    ]
    found = list(stacks_of(WINDOW, [source(SourceKind.STACKS, dumps=dumps)]))
    assert [dump.threads["1"][0] for dump in found] == ["memp_sync", "later"]
    assert [dump.time_ns for dump in found] == [2_000, None], "no time is invented"


def test_an_open_bucket_begins_at_nothing() -> None:
    told = [{"name": "log_access", "unit": "", "low": [4.0, None], "counts": [1, 9]}]
    (found,) = histograms_of([source(SourceKind.HISTOGRAM, histograms=told)])
    assert (found.low, found.counts, found.unit) == ((0.0, 4.0), (9, 1), "")


def record(dn: str, who: str, result: int = 0) -> AuditRecord:
    return AuditRecord(2_000, dn, "modify", ("nsslapd-sizelimit",), who, result)


def test_other_writers_from_the_audit_log() -> None:
    view = WindowView(WINDOW, audit=(record("cn=config", "cn=Directory Manager"),))
    (found,) = config_writers(view)
    assert "cn=Directory Manager" in str(found.sentence)
    assert "nsslapd-sizelimit" in str(found.evidence[0].text)


def test_neither_people_nor_plug_ins_nor_refusals_are_writers_of_the_configuration() -> None:
    almost = (
        record("uid=a,dc=example,dc=com", "cn=Directory Manager"),
        record("cn=config", "cn=server,cn=plugins,cn=config"),
        record("cn=config", "cn=Directory Manager", result=53),
    )
    assert config_writers(WindowView(WINDOW, audit=almost)) == []
