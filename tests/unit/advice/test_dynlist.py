"""What dynlist computes: the log of slapd tells who asked for it, its configuration what it is."""

from __future__ import annotations

import pytest

from ldap_workbench.advice.families.dynlist import computed
from ldap_workbench.model.configuration import Configuration, ConfigurationEntry
from tests.unit.advice.configurations import entry, slapd
from tests.unit.cases.published import tell_files

SET = "{0}groupOfURLs memberURL member+memberOf@groupOfNames*"


def overlay(value=SET):
    return entry(
        "olcOverlay={0}dynlist,olcDatabase={1}mdb,cn=config",
        olcOverlay="{0}dynlist",
        olcDynListAttrSet=value,
    )


def log(*kinds, rounds=30):
    """Searches for an entry each, (attributes, etime), one kind after the other."""
    lines = []
    for n in range(rounds):
        for at, (attributes, etime) in enumerate(kinds):
            op = n * len(kinds) + at
            head = f"{0x6955B900 + n:x}.{at:07x}0 0x7f conn=1000 op={op}"
            lines.append(
                f'{head} SRCH base="dc=example,dc=com" scope=2 deref=0 filter="(uid=u{n})"'
            )
            lines += [f"{head} SRCH attr={attributes}"] if attributes else []
            lines.append(
                f"{head} SEARCH RESULT tag=101 err=0 qtime=0.000010 etime={etime:.6f} "
                "nentries=1 text="
            )
    return "\n".join(lines) + "\n"


def told(tmp_path, text, *config):
    files = {"slapd.log": text, "slapcat.ldif": slapd(*config, indexed=["uid eq"])}
    return tell_files(files, tmp_path).findings


def test_what_is_computed_beside_the_same_search_without(tmp_path):
    found = told(tmp_path, log(("cn memberOf", 0.015), ("cn mail", 0.0005)), overlay())
    seen = found["dynlist_cost"]
    assert seen.confidence == "high"
    assert "15.0 ms with it and 490 µs without" in str(seen.sentence)
    assert seen.worker_ns == 30 * 14_990_000
    assert seen.owner_steps


def test_slow_searches_alone_are_a_guess(tmp_path):
    assert told(tmp_path, log(("+", 0.05)), overlay())["dynlist_cost"].confidence == "low"


@pytest.mark.parametrize(
    ("kinds", "config"),
    [
        ([("cn memberOf", 0.015), ("cn mail", 0.010)], [overlay()]),  # all of them are slow
        ([("cn memberOf", 0.0009), ("cn mail", 0.0001)], [overlay()]),  # nobody waits for it
        ([("cn memberOf", 0.015), ("cn mail", 0.0005)], []),  # the overlay memberof stores it
        ([("+", 0.05)], []),
        ([("cn", 0.015), ("", 0.0005)], [overlay()]),  # nobody asks for it
    ],
)
def test_what_dynlist_did_not_cost(tmp_path, kinds, config):
    assert "dynlist_cost" not in told(tmp_path, log(*kinds), *config)


def test_an_overlay_that_is_in_the_way_of_every_search(tmp_path):
    binds = "".join(
        f"{0x6955B900 + n:x}.{9:07x}0 0x7f conn=1001 op={n} {what}\n"
        for n in range(10)
        for what in (
            'BIND dn="" method=128',
            "RESULT tag=97 err=0 qtime=0.000006 etime=0.000066 text=",
        )
    )
    slow, quick = (log(("cn", etime)) + binds for etime in (0.0021, 0.0002))
    seen = told(tmp_path / "slow", slow, overlay())["dynlist_cost"]
    assert seen.confidence == "low"
    assert "less than 2.09 ms, while binds and other databases answer in 60" in str(seen.sentence)
    assert "dynlist_cost" not in told(tmp_path / "quick", quick, overlay())
    assert "dynlist_cost" not in told(tmp_path / "none", slow)
    assert "dynlist_cost" not in told(tmp_path / "alone", log(("cn", 0.0021)), overlay())


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (SET, {"member", "memberof"}),
        ("groupOfURLs memberURL member", {"member"}),
        ("{1}groupOfURLs ldap:///ou=g?? memberURL uniqueMember", {"uniquemember"}),
        ("groupOfURLs memberURL", set()),
        ("", set()),
    ],
)
def test_what_an_overlay_fills(value, names):
    dn = "olcOverlay={0}dynlist,olcDatabase={1}mdb,cn=config"
    config = Configuration((ConfigurationEntry(dn, {"olcdynlistattrset": (value,)}),))
    assert computed(config) == names
