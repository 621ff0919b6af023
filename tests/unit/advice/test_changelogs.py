"""Changelogs that grow, and the purge that stops writes."""

import pytest

from ldap_workbench.advice.families import configuration, replication
from ldap_workbench.advice.rules.basis import Basis
from ldap_workbench.advice.rules.values import values_of
from ldap_workbench.capture.importing.companions import kept_of
from ldap_workbench.logs.server.ldif import read_ldif
from tests.unit.advice.configurations import dse, entry, plugin, slapd
from tests.unit.advice.material import Log, only, view

RETRO = "libretrocl-plugin"
PURGED = entry(
    "olcOverlay={0}accesslog,olcDatabase={1}mdb,cn=config",
    olcOverlay="{0}accesslog",
    olcAccessLogPurge="07+00:00 00+00:01",
)


def seen(text, log=None):
    return view(log, configuration=kept_of(read_ldif(text.encode())), facts=None)


def retro(enabled="on", **attributes):
    return dse(plugin("Retro Changelog Plugin", RETRO, enabled, **attributes))


def test_a_retro_changelog_without_an_age():
    for text in (retro(), retro(nsslapd_changelogmaxage="0")):
        found = {one.id: one for one in configuration.find(seen(text))}["retro_changelog_unlimited"]
        assert "cn=Retro Changelog Plugin" in str(found.evidence[0].text)


@pytest.mark.parametrize("text", [retro("off"), retro(nsslapd_changelogmaxage="2d"), dse()])
def test_a_retro_changelog_that_forgets(text):
    assert "retro_changelog_unlimited" not in {one.id for one in configuration.find(seen(text))}


def stopped(*times, kind="MOD"):
    """Five writes that wait together at each of some times, over quick ones."""
    log = Log().background(600, rate=10, kind=kind)
    for at in times:
        for n in range(5):
            log.add(kind, at + n / 100, 2.0 - n / 100, filter="(uid=?)")
    return log


def test_writes_that_stop_as_often_as_the_accesslog_is_purged():
    found = only(
        replication.find_purges(seen(slapd(PURGED), stopped(60, 120.5, 181, 242))),
        "accesslog_purge",
    )
    assert found.numbers["interval_s"] == 60
    # Advised is another interval, and the age that is set.
    assert values_of(Basis({found.id: found}, None, {}))["purge_age"] == "07+00:00"
    assert found.user_ns == pytest.approx(4 * 5 * 2e9, rel=0.02)


@pytest.mark.parametrize(
    ("text", "times", "kind"),
    [
        (slapd(PURGED), (60, 95, 181, 202), "MOD"),
        (slapd(PURGED), (60, 120.5), "MOD"),
        (slapd(PURGED), (60, 120.5, 181), "SRCH"),
        (slapd(PURGED.replace("00+00:01", "01+00:00")), (60, 120.5, 181), "MOD"),
        (slapd(), (60, 120.5, 181), "MOD"),
    ],
)
def test_stalls_that_the_purge_does_not_explain(text, times, kind):
    assert replication.find_purges(seen(text, stopped(*times, kind=kind))) == []
