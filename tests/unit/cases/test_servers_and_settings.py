"""Names of servers, what their logs cannot show, and settings where old servers keep them."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from ldap_workbench.advice.evidence.view import settings_now
from ldap_workbench.cli.app import app
from ldap_workbench.figures.overview.knobs import kept_readings
from ldap_workbench.session.reader import Session
from tests.unit.cases.made import Made
from tests.unit.cases.published import Told, case, tell, tell_files


def names(told: Told) -> set[str]:
    return {window.name for window in told.imported.windows}


def test_the_published_pair_is_told_apart(tmp_path: Path) -> None:
    told = tell(case("s0q-ratio"), tmp_path)
    assert names(told) == {"primary", "c1"}
    found = told.findings["consumer_ratio"]
    assert (found.numbers["supplier"], found.numbers["consumer"]) == ("primary", "c1")
    assert found.numbers["mods_per_removal"] == {"c1": 7.0, "primary": 0.25}
    assert "log of primary does not show its internal updates" in str(found.sentence)
    assert "primary" in told.report


def ratio(deletions: int, mods: int, *, internal: bool = False) -> str:
    """A log in which each deletion has so many MODs."""
    lines, made = [], Made()
    for n in range(deletions):
        head = f"conn=3 op={n} msgId={n + 1} -"
        lines += [(20.0 * n, f'{head} DEL dn="uid=d{n},o=shop"')]
        lines += [(20.0 * n, f"{head} RESULT err=0 tag=107 nentries=0 etime=0.002000")]
        for k in range(mods):
            second = 20 * n + 1 + 2.0 * k
            who = "conn=Internal op=-1 msgId=-1 -"
            head = who if internal else f"conn=4 op=0 msgId={n * mods + k + 2} -"
            lines += [(second, f'{head} MOD dn="cn=g{k},o=shop"')]
            lines += [(second, f"{head} RESULT err=0 tag=103 nentries=0 etime=0.400000")]
    return "".join(f"{made.stamp(second)} {text}\n" for second, text in sorted(lines))


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ("s1/access", "s2/access", {"s1", "s2"}),
        ("a/logs/access", "b/logs/access", {"a", "b"}),
        ("site/a/access", "site/b/access", {"a", "b"}),
        ("access", "replica/access", {"access", "replica"}),
        ("a/access", "b/access.log", {"access", "access.log"}),
    ],
)
def test_windows_have_the_names_of_their_folders(
    tmp_path: Path, first: str, second: str, wanted: set[str]
) -> None:
    told = tell_files({first: ratio(30, 0), second: ratio(30, 4)}, tmp_path)
    assert names(told) == wanted
    assert told.findings["consumer_ratio"].numbers["mods_per_removal"].keys() == wanted


def test_a_supplier_that_shows_its_internal_updates_lacks_nothing(tmp_path: Path) -> None:
    files = {"s/access": ratio(30, 1, internal=True), "c/access": ratio(30, 5)}
    found = tell_files(files, tmp_path).findings["consumer_ratio"]
    assert found.numbers["supplier_shows_internal"]
    assert "does not show" not in str(found.sentence)


def test_companions_go_to_the_server_they_lie_beside(tmp_path: Path) -> None:
    made = Made()
    files = {
        "one/logs/access": made.access(),
        "one/config/dse.ldif": made.settings(),
        **{f"one/stacks/{name}": text for name, text in made.stacks().items()},
        "two/logs/access": Made(victims=0, stall_s=0, deletions=1, lag_s=400).access(),
    }
    told = tell_files(files, tmp_path)
    windows = {window.id: window.name for window in told.imported.windows}
    beside = {
        s.kind.value: windows[s.window] for s in told.imported.sources if "access" not in s.name
    }
    assert beside == {"config": "one", "stacks": "one"}


def test_a_configuration_of_no_server_in_particular_is_nobodys(tmp_path: Path) -> None:
    files = {"a/access": ratio(30, 0), "b/access": ratio(30, 1), "dse.ldif": Made().settings()}
    told = tell_files(files, tmp_path)
    assert len(told.imported.windows) == 3


OLD = {
    "nsslapd-db-checkpoint-interval": "60",
    "nsslapd-db-home-directory": "/ds/db",
    "nsslapd-db-page-size": "8192",
    "nsslapd-dbcachesize": "2147483648",
    "referint-update-delay": "180",
    "referint-logfile": "/ds/logs/referint",
    "referint-membership-attr": "owner; manager",
    "referint-enabled": "on",
}


def test_settings_are_read_where_old_servers_keep_them(tmp_path: Path) -> None:
    told = tell_files({"access": ratio(3, 0), "dse.ldif": Made().settings()}, tmp_path)
    with Session.open(told.path) as session:
        assert settings_now(session) == OLD
        shown = {each.knob.name: each.value for each in kept_readings(session)}
    assert shown == {
        name: OLD[name] for name in OLD if name.startswith("nsslapd") or "delay" in name
    }
    listed = CliRunner().invoke(app, ["settings", str(told.path)])
    assert listed.exit_code == 0
    for name, value in OLD.items():
        assert any(name in line and value in line for line in listed.output.splitlines())


def test_the_place_of_today_goes_before_that_of_old(tmp_path: Path) -> None:
    both = (
        "dn: cn=bdb,cn=config,cn=ldbm database,cn=plugins,cn=config\nobjectClass: top\n"
        "nsslapd-db-checkpoint-interval: 30\n\n"
    )
    for order in (both + Made().settings(), Made().settings() + "\n" + both):
        folder = tmp_path / str(len(order) + order.index("bdb"))
        folder.mkdir()
        told = tell_files({"access": ratio(3, 0), "dse.ldif": order}, folder)
        with Session.open(told.path) as session:
            assert settings_now(session)["nsslapd-db-checkpoint-interval"] == "30"


def test_sun_s_own_name_of_durable_transactions_is_known(tmp_path: Path) -> None:
    text = Made().settings() + "nsslapd-db-durable-transactions: off\n"
    told = tell_files({"access": ratio(3, 0), "dse.ldif": text}, tmp_path)
    with Session.open(told.path) as session:
        assert settings_now(session)["nsslapd-db-durable-transaction"] == "off"


def test_deletions_are_grouped_by_suffix_with_and_without_results(tmp_path: Path) -> None:
    cards = "o=cards,dc=shop,dc=com"
    suffixes = (" O=Shop", cards, cards.upper(), f" {cards}")
    deletions = "".join(
        f'{Made().stamp(n)} conn=1 op={n} msgId={n + 1} - DEL dn="uid=u{n},{suffixes[n % 4]}"\n'
        for n in range(40)
    )
    told = tell_files({"access": ratio(10, 1) + deletions}, tmp_path)
    run = CliRunner().invoke(
        app, ["groups", str(told.path), "--by", "suffix", "--find", "type=DEL"]
    )
    assert run.exit_code == 0, run.output
    rows = [line.split() for line in run.output.splitlines() if line.split()]
    assert ["30", "DEL", "dc=shop,dc=com"] in rows
    assert ["10", "DEL", "o=shop"] in rows
    assert any(row[0] == "10" and row[-1] == "o=shop" and "DEL" not in row for row in rows)


def test_properties_as_dsconf_prints_them_are_settings(tmp_path: Path) -> None:
    """Sun DS 6 and 7: other names, values with units."""
    text = (
        "db-cache-size                 :  2G\n"
        "db-checkpoint-interval        :  1m\n"
        "db-env-path                   :  /ds/db\n"
        "ref-integrity-attr            :  owner\n"
        "ref-integrity-attr            :  manager\n"
        "ref-integrity-check-delay     :  180s\n"
        "ref-integrity-enabled         :  on\n"
        "idle-timeout                  :  undefined\n"
        "thread-count                  :  30\n"
    )
    made = Made()
    told = tell_files({"access": made.access(), "server-prop.txt": text} | made.stacks(), tmp_path)
    with Session.open(told.path) as session:
        assert settings_now(session) == {
            "nsslapd-dbcachesize": str(2 << 30),
            "nsslapd-db-checkpoint-interval": "60",
            "nsslapd-db-home-directory": "/ds/db",
            "nsslapd-threadnumber": "30",
            "referint-enabled": "on",
            "referint-membership-attr": "owner; manager",
            "referint-update-delay": "180",
        }
    assert told.findings["deletion_chain"].numbers["delay_s"] == 180
