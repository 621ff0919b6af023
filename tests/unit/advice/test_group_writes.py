"""Changes of groups that the MemberOf plug-in multiplies, and what they will cost beforehand."""

from dataclasses import replace

import pytest

from ldap_workbench.advice.families import referint
from ldap_workbench.advice.families.references import price_finding, prices
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.model.configuration import Configuration, ConfigurationEntry
from ldap_workbench.model.finding import Deployment
from ldap_workbench.model.window import Source, SourceKind, SourceState
from tests.unit.advice.material import FACTS, Log, only, view

DOWN, UP = "(|(objectclass=*)(objectclass=?))", "(|(member=?)(uniquemember=?))"


def plugin(enabled="on"):
    attributes = {
        "nsslapd-pluginpath": ("libmemberof-plugin",),
        "nsslapd-pluginenabled": (enabled,),
        "memberofgroupattr": ("member",),
    }
    return Configuration(
        (ConfigurationEntry("cn=MemberOf Plugin,cn=plugins,cn=config", attributes),)
    )


def with_internal(down, up, writes=3):
    """Changes of groups with so many internal searches inside each."""
    log = Log().background(60)
    for n in range(writes):
        inside = {"internal": True, "conn": 7, "op": n}
        log.add("MOD", 10 * n, 2.0, base="cn=all,ou=groups,dc=a", conn=7, op=n)
        for k in range(down):
            log.add("SRCH", 10 * n + k / 1000, 0.0001, filter=DOWN, **inside)
        for k in range(up):
            log.add("SRCH", 10 * n + k / 1000, 0.0001, filter=UP, **inside)
    return log


def test_internal_searches_inside_the_changes_are_counted():
    found = only(referint.find_group_writes(view(with_internal(80, 70))), "memberof_storm")
    assert found.numbers["searches_each"] == 150
    assert found.numbers["changes"] == 3
    assert found.confidence == "high"
    assert found.worker_ns == 6_000_000_000
    advised = [each.id for each in advise([found], FACTS)]
    assert "memberof-scope" in advised
    assert advised[-1] == "memberof-skip-nested"


def test_a_few_storms_among_many_small_changes_are_no_less():
    """Most changes of a group are of one member, and have two searches inside them."""
    log = with_internal(80, 70)
    for n in range(200):
        log.add("MOD", n / 4, 0.01, base="cn=small,ou=groups,dc=a", conn=8, op=n)
        log.add("SRCH", n / 4, 0.001, filter=UP, internal=True, conn=8, op=n)
    seen = only(referint.find_group_writes(view(log)), "memberof_storm")
    assert (seen.numbers["changes"], seen.numbers["searches_each"]) == (3, 150)


@pytest.mark.parametrize(
    ("version", "deferred"), [("1.3.10", False), ("2.3.1", True), ("3.1.2", True), ("", True)]
)
def test_deferred_memberof_is_advised_where_the_version_may_have_it(version, deferred):
    kind, state = SourceKind.ACCESS_LOG, SourceState.COMPLETE
    log = Source(1, 1, kind, "access", state, details={"version": version})
    seen = referint.find_group_writes(view(with_internal(80, 70), facts=None, sources=(log,)))
    found = [replace(each, server=Deployment("389ds", "bdb")) for each in seen]
    assert ("memberof-deferred" in [each.id for each in advise(found, None)]) is deferred


@pytest.mark.parametrize(("down", "up"), [(60, 30), (300, 0)])
def test_some_searches_and_those_of_other_plugins_are_no_storm(down, up):
    assert referint.find_group_writes(view(with_internal(down, up))) == []


def slow_groups(etime, groups=10, others=40):
    log = Log()
    for n in range(others):
        log.add("MOD", n, 0.002, base=f"uid=u{n},ou=people,dc=a")
    for n in range(groups):
        log.add("MOD", 3 * n + 0.5, etime, base=f"cn=g{n},ou=groups,dc=a")
    return log


def test_without_internal_operations_the_plugin_and_the_cost_tell():
    found = only(
        referint.find_group_writes(view(slow_groups(0.5), configuration=plugin())), "memberof_storm"
    )
    assert found.confidence == "medium"
    assert found.numbers["times"] == pytest.approx(250)


@pytest.mark.parametrize(
    ("log", "configuration"),
    [
        (slow_groups(0.5), plugin("off")),
        (slow_groups(0.5), Configuration()),
        (slow_groups(0.03), plugin()),
        (slow_groups(0.5, groups=4), plugin()),
        (slow_groups(0.5, others=10), plugin()),
    ],
)
def test_slow_groups_alone_are_no_storm(log, configuration):
    assert referint.find_group_writes(view(log, configuration=configuration)) == []


def nest(groups, leaves):
    """A chain of groups within each other, all leaves in the innermost."""
    members = {f"g{n}": [f"g{n + 1}"] for n in range(groups - 1)}
    return members | {f"g{groups - 1}": [f"u{n}" for n in range(leaves)]}


def test_the_price_of_a_change_before_it_is_made():
    first = {price.group: price for price in prices(nest(3, 2) | {"h": ["g2"]})}["g0"]
    # Below g0: g1, g2, u0, u1, each read and asked for its groups; above them g0 and h, once each.
    assert (first.below, first.searches) == (4, 4 * 2 + 2)


def test_rings_end():
    assert {p.group: p.below for p in prices({"a": ["b"], "b": ["a"]})} == {"a": 1, "b": 1}


def test_only_expensive_changes_are_told():
    found = only(price_finding(nest(3, 1000)), "memberof_price")
    assert found.numbers["below"] == 1002
    assert "g0" in str(found.sentence)
    assert price_finding(nest(3, 900)) == []
