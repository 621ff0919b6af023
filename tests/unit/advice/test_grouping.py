"""What is told first, and which findings tell of one thing."""

from ldap_workbench.advice.families.find import by_cost, group_findings
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_S

HOUR = 3600 * NS_PER_S


def made(which, *, severity=2, worker_s=None, user_s=None, **numbers):
    times = [None if s is None else round(s * NS_PER_S) for s in (worker_s, user_s)]
    title = Message("Something")
    return Finding(
        which,
        title,
        title,
        severity,
        (),
        numbers,
        worker_ns=times[0],
        user_ns=times[1],
        over_ns=HOUR,
    )


def ids(findings):
    return [each.id for each in findings]


def test_the_most_expensive_comes_first_whichever_time_it_costs():
    found = [made("a", worker_s=3), made("b", user_s=50), made("c", worker_s=10, user_s=1)]
    assert ids(by_cost(found)) == ["b", "c", "a"]


def test_a_likely_cause_that_cannot_be_priced_comes_before_all_others_after():
    found = [made("note", severity=1), made("dear", worker_s=900), made("full", severity=3)]
    assert ids(by_cost(found)) == ["full", "dear", "note"]


def test_a_cost_is_that_of_an_hour():
    ten_minutes = Finding(
        "a", Message("A"), Message("A"), 2, (), worker_ns=5 * NS_PER_S, over_ns=HOUR // 6
    )
    assert ten_minutes.cost_worker_s_per_h == 30
    assert ten_minutes.cost_user_s_per_h is None
    assert ten_minutes.cost_s_per_h == 30


def test_cause_and_effects_are_one_group_in_the_place_of_the_most_expensive():
    found = [made("stall", user_s=100), made("checkpoint"), made("slow_binds", worker_s=50)]
    first, second = group_findings(found)
    assert ids(first.findings) == ["checkpoint", "stall"]
    assert ids(second.findings) == ["slow_binds"]


def test_stalls_follow_a_storm_that_was_seen_and_not_the_price_of_one():
    stall = made("stall", user_s=100)
    (storm,) = group_findings([stall, made("memberof_storm", worker_s=9), made("memberof_price")])
    assert ids(storm.findings) == ["memberof_storm", "stall", "memberof_price"]
    apart = group_findings([stall, made("memberof_price"), made("dn_substring_index")])
    assert [ids(each.findings) for each in apart] == [
        ["stall"],
        ["memberof_price", "dn_substring_index"],
    ]


def test_slow_binds_follow_the_write_that_each_of_them_does():
    binds = made("slow_binds", worker_s=50)
    (group,) = group_findings([binds, made("login_writes")])
    assert ids(group.findings) == ["login_writes", "slow_binds"]
    (alone,) = group_findings([binds])
    assert ids(alone.findings) == ["slow_binds"]


def test_searches_are_one_story_only_where_their_filter_is_the_same():
    many = made("unindexed", filters=["(a=?)", "(b=?)"], worker_s=4)
    same = made("heavy_filter", filter="(b=?)", worker_s=9)
    other = made("new_filter", filter="(c=?)", worker_s=1)
    told = group_findings([other, same, many])
    assert [ids(group.findings) for group in told] == [
        ["unindexed", "heavy_filter"],
        ["new_filter"],
    ]


def test_findings_of_two_filters_are_two_groups():
    first = [made("n_plus_one", filters=["(a=?)"]), made("unindexed", filters=["(b=?)"])]
    second = [made("new_filter", filter="(a=?)"), made("heavy_filter", filter="(b=?)", worker_s=9)]
    groups = group_findings([*first, *second])
    assert [ids(group.findings) for group in groups] == [
        ["unindexed", "heavy_filter"],
        ["n_plus_one", "new_filter"],
    ]


def test_a_search_without_an_index_is_the_cause_and_its_repetition_costs_more():
    repeated = made("polling", filter="(a=?)", worker_s=90)
    cause = made("unindexed", filters=["(a=?)"], worker_s=90)
    (group,) = group_findings([repeated, cause])
    assert ids(group.findings) == ["unindexed", "polling"]


def test_every_finding_is_in_one_story():
    found = [made("refused", severity=3), made("descriptors"), made("coarse", severity=1)]
    assert sorted(each.id for group in group_findings(found) for each in group.findings) == sorted(
        ids(found)
    )


def test_a_missing_index_leads_the_clients_that_feel_it():
    """Each search costs what it does for want of the index; how often they come is its factor."""
    polling = made("polling", worker_s=100, filters=["(memberuid=?)"])
    unindexed = made("unindexed", worker_s=90, filters=["(memberuid=?)"])
    (group,) = group_findings([polling, unindexed])
    assert ids(group.findings) == ["unindexed", "polling"]


def test_what_is_no_more_than_worth_knowing_comes_last():
    dear = made("heavy_filter", severity=1, worker_s=900.0)
    assert ids(by_cost([dear, made("closed_unfinished"), made("unindexed", worker_s=1.0)])) == [
        "unindexed", "closed_unfinished", "heavy_filter",
    ]  # fmt: skip
