from dataclasses import replace
from types import SimpleNamespace

import pytest

from ldap_workbench.experiment.description import describe, downtime, length
from ldap_workbench.experiment.plan import (
    check_differs,
    duration_range_s,
    duration_s,
    is_measurable,
    make_plan,
    order,
    parse_design,
    parse_looks,
    usual_design,
)
from ldap_workbench.model.errors import KnobError, UsageError
from ldap_workbench.model.experiment import Design, Step, Then
from ldap_workbench.model.knob import Setting, Treatment, ValueKind

TREATMENT = Treatment((Setting("nsslapd-threadnumber", "24"),))


@pytest.mark.parametrize(
    ("text", "design"),
    [
        ("pairs", Design("pairs", 8)),
        ("pairs:16", Design("pairs", 16)),
        ("ABBA:2", Design("abba", 2)),
        ("ab", Design("ab", 1)),
        ("ab:4", Design("ab", 4)),
    ],
)
def test_designs_are_read(text, design):
    assert parse_design(text) == design


@pytest.mark.parametrize("text", ["", "pairs:", "pairs:0", "ab:0", "latin:4"])
def test_what_is_no_design_is_refused(text):
    with pytest.raises(UsageError):
        parse_design(text)


def test_the_coin_is_fair_and_repeatable():
    design = Design("pairs", 1000)
    steps = order(design, seed=3)
    assert steps == order(design, seed=3)
    assert steps != order(design, seed=4)
    first = [steps[i].arm for i in range(0, 2000, 2)]
    assert 430 < first.count("A") < 570
    for i in range(0, 2000, 2):
        assert {steps[i].arm, steps[i + 1].arm} == {"A", "B"}
        assert steps[i].pair == steps[i + 1].pair == i // 2


@pytest.mark.parametrize("k", [2, 3, 4])
def test_no_order_is_drawn_in_which_all_pairs_begin_alike(k):
    drawn = [order(Design("pairs", k), seed) for seed in range(300)]
    firsts = [tuple(step.arm for step in steps[::2]) for steps in drawn]
    assert len(set(firsts)) == 2**k - 2, "every other order is"
    assert all(set(each) == {"A", "B"} for each in firsts)


def test_a_single_pair_has_one_order_or_the_other():
    assert {order(Design("pairs", 1), seed)[0].arm for seed in range(20)} == {"A", "B"}


def test_abba_is_balanced():
    assert "".join(step.arm for step in order(Design("abba", 2), seed=1)) == "ABBAABBA"


def test_the_plan_says_what_it_costs_before_it_starts():
    plan = make_plan(TREATMENT, Design("pairs", 8), window_s=300, seed=1, restart=True, settle_s=60)
    text = " ".join(map(str, describe(plan)))
    assert "16 restarts" in text
    assert "8 pairs of 300 s" in text
    assert duration_s(plan) > 16 * 360


def test_the_plan_says_how_long_a_server_is_waited_for():
    plan = make_plan(TREATMENT, Design("ab", 1), window_s=60, seed=1, restart=True)
    assert [
        line for line in map(str, describe(plan)) if "waited for" in line
    ] == ["A server that does not answer is waited for, 2 min at most.",
            "After the restart command the server is waited for, 5 min at most."]  # fmt: skip
    patient = replace(plan, patience_s=30, restart_wait_s=900)
    said = " ".join(map(str, describe(patient)))
    assert "waited for, 30 s at most" in said
    assert "waited for, 15 min at most" in said
    assert "restart command" not in " ".join(map(str, describe(replace(plan, restart=False))))


def test_few_pairs_are_said_to_be_few():
    plan = make_plan(TREATMENT, Design("pairs", 4), window_s=20, seed=1)
    assert any("suggested, not established" in str(line) for line in describe(plan))


def test_a_metric_that_does_not_exist_is_refused_before_the_run():
    with pytest.raises(UsageError, match="'p999' is not a metric"):
        make_plan(TREATMENT, Design(), window_s=60, seed=1, primary="p999")


@pytest.mark.parametrize("window_s", [0, -1])
def test_a_window_has_a_length(window_s):
    with pytest.raises(UsageError, match="longer than 0 s"):
        make_plan(TREATMENT, Design("ab", 1), window_s=window_s, seed=1)


@pytest.mark.parametrize(
    "options",
    [
        {"window_s": float("inf")},
        {"window_s": float("nan")},
        {"settle_s": -1},
        {"trim_s": float("nan")},
        {"patience_s": float("inf")},
        {"restart_wait_s": float("nan")},
        {"guards": {"p99_ns": float("inf")}},
    ],
)
def test_a_plan_has_an_end(options):
    with pytest.raises(UsageError) as refused:
        make_plan(TREATMENT, Design("ab", 1), seed=1, **{"window_s": 20} | options)
    assert str(refused.value.remedy)


def test_what_abba_and_one_window_each_cannot_say_is_said():
    abba = make_plan(TREATMENT, Design("abba", 4), window_s=60, seed=1)
    assert any("it is not random" in str(line) for line in describe(abba))
    once = make_plan(TREATMENT, Design("ab", 1), window_s=60, seed=1)
    assert any("never establish" in str(line) for line in describe(once))


def test_a_noise_floor_changes_and_keeps_nothing():
    plan = make_plan(Treatment(()), Design("pairs", 6), window_s=60, seed=1, then=Then.KEEP)
    assert plan.changes_nothing
    assert plan.then is Then.REVERT
    assert str(describe(plan)[0]).startswith("Noise floor: nothing is changed")


def test_planned_looks_tell_their_price():
    plan = make_plan(TREATMENT, Design("pairs", 24), window_s=60, seed=1, looks=(8, 16, 24))
    assert any("p ≤ 0.0167 instead of 0.05" in str(line) for line in describe(plan))
    early = make_plan(TREATMENT, Design("pairs", 24), window_s=60, seed=1, looks=(6, 12, 18, 24))
    assert any("analysis after 6 pairs is too early" in str(line) for line in describe(early))


@pytest.mark.parametrize(
    ("design", "looks"),
    [
        (Design("abba", 4), (8,)),
        (Design("pairs", 8), (8, 12)),
        (Design("pairs", 24), (4, 24)),
        (Design("pairs", 24), (16, 8)),
    ],
)
def test_looks_that_do_not_fit_are_refused(design, looks):
    with pytest.raises(UsageError):
        make_plan(TREATMENT, design, window_s=60, seed=1, looks=looks)


def test_a_fast_clock_shortens_the_wait():
    plan = make_plan(TREATMENT, Design("pairs", 8), window_s=300, seed=1)
    assert "82 min to 91 min in all" in str(describe(plan)[1])
    assert "113 s to 3 min in all" in str(describe(plan, clock_rate=60)[1])


@pytest.mark.parametrize(("window_s", "restart", "says"), [(119, False, "120"), (239, True, "240")])
def test_a_window_too_short_for_the_warm_up_rule_is_refused(window_s, restart, says):
    """The verdict of such windows could only be 'not comparable'."""
    options = {"seed": 1, "trim_auto": True, "restart": restart}
    with pytest.raises(UsageError, match="too short") as refused:
        make_plan(TREATMENT, Design("pairs", 8), window_s=window_s, **options)
    assert f"windows of {says} s" in str(refused.value.remedy)
    assert make_plan(TREATMENT, Design("pairs", 8), window_s=window_s + 1, **options).trim_auto


def test_a_plan_says_that_it_drops_the_page_cache_and_whom_that_slows():
    options = {"window_s": 300, "seed": 1}
    cold = " ".join(
        map(str, describe(make_plan(TREATMENT, Design("pairs", 8), cold=True, **options)))
    )
    assert "page cache of the server's host is dropped before every window" in cold
    assert "16 times" in cold
    assert "other programs on that host" in cold
    assert "cache" not in " ".join(
        map(str, describe(make_plan(TREATMENT, Design("pairs", 8), **options)))
    )


@pytest.mark.parametrize(
    ("text", "looks"), [("", ()), ("  ", ()), ("8", (8,)), ("8,12, 16", (8, 12, 16))]
)
def test_interim_analyses_are_read(text, looks):
    assert parse_looks(text) == looks


@pytest.mark.parametrize("text", ["8;12", "8,", "eight"])
def test_what_names_no_analyses_is_refused(text):
    with pytest.raises(UsageError, match="does not name interim analyses") as caught:
        parse_looks(text)
    assert "commas: 8,12,16" in str(caught.value.remedy)


@pytest.mark.parametrize("looks", [(6,), (6, 24), (24,), (7, 8, 9)])
def test_analyses_fit_from_the_least_pairs_to_the_last(looks):
    plan = make_plan(TREATMENT, Design("pairs", 24), window_s=60, seed=1, looks=looks)
    assert plan.looks == looks


@pytest.mark.parametrize("looks", [(5, 24), (6, 25), (8, 8), (12, 8)])
def test_analyses_that_do_not_fit_say_which_would(looks):
    with pytest.raises(UsageError) as caught:
        make_plan(TREATMENT, Design("pairs", 24), window_s=60, seed=1, looks=looks)
    assert str(caught.value.remedy) == "Give them in rising order, from 6 to 24."


def measurable(**changes):
    plan = make_plan(TREATMENT, Design("pairs", 6), window_s=60, seed=1, settle_s=5)
    return is_measurable(replace(plan, **changes))


@pytest.mark.parametrize("name", ["settle_s", "trim_s", "patience_s", "restart_wait_s", "slo_ns",
                                  "level", "repeats", "window_s"])  # fmt: skip
def test_lengths_and_limits_are_finite_and_from_nothing_on(name):
    assert measurable(**{name: 0}) is (name != "window_s")
    assert not measurable(**{name: -1})
    assert not measurable(**{name: float("inf")})
    assert not measurable(**{name: float("nan")})
    assert measurable(**{name: 0.99})


def test_a_level_of_significance_is_below_one():
    assert not measurable(level=1)
    assert not measurable(level=1.0)


@pytest.mark.parametrize(
    ("steps", "whole"),
    [
        ("A0 B0", True),
        ("B0 A0 A1 B1", True),
        ("", False),
        ("A0", False),
        ("A0 A0", False),
        ("A0 B0 A1", False),
        ("A1 B1", False),
        ("A0 B1", False),
        ("A0 B0 A0 B0", False),
        ("A1 B1 A0 B0", False),
    ],
)
def test_every_pair_has_both_arms_and_its_number(steps, whole):
    assert measurable(steps=tuple(Step(word[0], int(word[1:])) for word in steps.split())) is whole


@pytest.mark.parametrize(
    ("writes", "same"), [((), False), ((True,), False), ((False, True), False), ((False,), True)]
)
def test_a_treatment_that_is_there_already_is_refused(writes, same):
    plan = make_plan(TREATMENT, Design("ab", 1), window_s=60, seed=1)
    number = SimpleNamespace(kind=ValueKind.INTEGER)
    planned = [SimpleNamespace(writes=each, knob=number) for each in writes]
    if same:
        with pytest.raises(KnobError, match="both arms would be the same"):
            check_differs(plan, planned)
    else:
        check_differs(plan, planned)


def test_a_plan_takes_its_windows_waits_and_restarts():
    plan = make_plan(TREATMENT, Design("pairs", 6), window_s=60, seed=1, settle_s=5)
    assert duration_s(plan) == 12 * (60 + 5 + 15)
    assert duration_s(replace(plan, restart=True)) == 12 * (60 + 5 + 15 + 10)
    assert duration_s(plan, clock_rate=10) == 12 * 80 / 10


def test_a_plan_of_short_windows_says_how_much_longer_the_log_may_take():
    """Twelve windows of 3 s took 96 s where the log was not buffered; 4 min had been announced."""
    plan = make_plan(TREATMENT, Design("pairs", 6), window_s=3, seed=1, settle_s=2)
    least, most = duration_range_s(plan)
    assert least <= 96 < 240 <= most
    assert duration_range_s(plan, clock_rate=20) == pytest.approx((12 * 2.25, 12 * 6.75))


def test_a_design_has_a_pair_at_least_and_its_own_number_else():
    assert parse_design("abba") == Design("abba", 4)
    assert parse_design(" Pairs:1 ") == Design("pairs", 1)
    with pytest.raises(UsageError, match="at least one pair"):
        parse_design("abba:0")
    assert order(Design("ab", 1), 1) == (Step("A", 0), Step("B", 0))
    assert "".join(step.arm for step in order(Design("ab", 3), 1)) == "AAABBB"
    assert (str(Design("ab", 1)), str(Design("ab", 3))) == ("ab", "ab:3")
    steps = order(Design("abba", 1), 1)
    assert [(step.arm, step.pair) for step in steps] == [("A", 0), ("B", 0), ("B", 1), ("A", 1)]


def told(design=None, **options):
    plan = make_plan(TREATMENT, design or Design("pairs", 8), window_s=60, seed=1, **options)
    return [str(line) for line in describe(plan)]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (119.4, "119 s"),
        (120, "2 min"),
        (7199, "120 min"),
        (7200, "2.0 h"),
        (14040, "3.9 h"),
    ],
)
def test_a_length_is_said_in_the_unit_it_is_read_in(seconds, said):
    assert str(length(seconds)) == said


def test_a_plan_is_described_line_by_line():
    assert told(design=Design("abba", 1), restart=True, then=Then.KEEP) == [
        "Treatment: nsslapd-threadnumber=24.",
        "2 pairs of 60 s windows, in the order AB BA (seed 1); 4 min to 7 min in all.",
        "The server is restarted before every window, in both arms alike: 4 restarts, about 40 s "
        "without service in all.",
        "Caution: every window begins with a cold server, and windows of 60 s are too short to "
        "find its warm-up. Use 240 s or more, or discard a warm-up you name.",
        "With fewer than 6 pairs a difference can be suggested, not established.",
        "ABBA order is balanced against a steady trend, but it is not random: its p-values are "
        "not exact. Those of randomised pairs are.",
        "A pair in which the link breaks, this machine sleeps or another administrator changes "
        "the server is measured again, at most 3 times in all.",
        "A server that does not answer is waited for, 2 min at most.",
        "After the restart command the server is waited for, 5 min at most.",
        "No limit of errors, latency or lag ends it early: none is set.",
        "Afterwards: the change is kept.",
    ]


def test_a_plan_says_which_limits_end_it_early():
    guards = {"error_share": 0.01, "p99_ns": 500e6, "lag_s": 30.0}
    assert told(guards=guards)[-2] == (
        "It ends early, and is reverted, when more than 1 % of operations fail, p99 exceeds "
        "500 ms or a replica is more than 30 s behind the others."
    )


@pytest.mark.parametrize(("pairs", "few"), [(5, True), (6, False)])
def test_pairs_are_few_below_the_least_that_establish(pairs, few):
    lines = told(design=Design("pairs", pairs))
    assert any("suggested, not established" in line for line in lines) is few


@pytest.mark.parametrize(("pairs", "drawn"), [(1, False), (2, True), (8, True)])
def test_an_order_is_said_to_be_drawn_where_there_was_a_choice(pairs, drawn):
    lines = told(design=Design("pairs", pairs))
    assert any(line.startswith("The order was drawn") for line in lines) is drawn
    assert not any("The order was drawn" in line for line in told(design=Design("abba", 4)))


@pytest.mark.parametrize(
    ("then", "said"),
    [
        (Then.ASK, "you decide whether to keep the change."),
        (Then.REVERT, "the change is reverted."),
        (Then.KEEP_IF_BETTER, "the change is kept if it is better, else reverted."),
    ],
)
def test_what_follows_is_the_last_line_of_a_plan_that_changes_something(then, said):
    assert told(then=then)[-1] == f"Afterwards: {said}"
    floor = make_plan(Treatment(()), Design("pairs", 6), window_s=60, seed=1)
    assert not any("Afterwards" in str(line) for line in describe(floor))


def test_early_ends_are_said_where_the_plan_has_them():
    futile = "An interim analysis also ends the experiment once an improvement"
    options = {"design": Design("pairs", 24), "looks": (8, 16, 24)}
    assert not any(line.startswith(futile) for line in told(**options))
    lines = told(futility=True, **options)
    assert any(line.startswith(futile) for line in lines)
    assert not any("too early" in line for line in lines)
    assert any("analyses after 8, 16, 24 pairs, each at p ≤ 0.0167" in line for line in lines)


def test_restarts_and_drops_take_service_and_cache_by_the_clock_of_the_server():
    plan = make_plan(TREATMENT, Design("pairs", 30), window_s=60, seed=1, restart=True)
    assert str(downtime(plan)) == "10 min"
    assert str(downtime(plan, clock_rate=60)) == "10 s"
    assert any("60 restarts, about 10 s" in str(line) for line in describe(plan, 60))


@pytest.mark.parametrize(("repeats", "said"), [(1, "once"), (2, "2 times"), (0, "0 times")])
def test_how_often_a_pair_is_measured_again_is_said(repeats, said):
    assert any(line.endswith(f"measured again, at most {said} in all.")
               for line in told(repeats=repeats))  # fmt: skip


@pytest.mark.parametrize(("first", "early"), [(6, True), (7, False)])
def test_an_analysis_is_too_early_where_no_outcome_reaches_its_share(first, early):
    """2 / 2**7 is 0.0156, and each of three analyses has 0.0167."""
    lines = told(design=Design("pairs", 24), looks=(first, 14, 24))
    assert any(f"after {first} pairs is too early" in line for line in lines) is early


def test_the_clearest_outcome_of_all_pairs_is_one_of_two_orders_less():
    """2 / (2**6 - 2) is 0.0323: all pairs of a design are drawn but the two that begin alike."""
    lines = told(design=Design("pairs", 6), looks=(6,), level=0.0323)
    assert not any("too early" in line for line in lines)
    lines = told(design=Design("pairs", 6), looks=(6,), level=0.0322)
    assert any("after 6 pairs is too early" in line for line in lines)


def test_a_restart_implies_that_its_warm_up_is_found_and_discarded():
    """The same from both arms; a length that is named is discarded instead."""
    restarted = make_plan(TREATMENT, Design("pairs", 8), window_s=240, seed=1, restart=True)
    assert restarted.trim_auto
    assert any("warm up is discarded, the same from every window" in line
               for line in map(str, describe(restarted)))  # fmt: skip
    named = make_plan(TREATMENT, Design("pairs", 8), window_s=240, seed=1, restart=True, trim_s=30)
    assert (named.trim_auto, named.trim_s) == (False, 30)
    assert any("first 30 s of every window" in line for line in map(str, describe(named)))
    live = make_plan(TREATMENT, Design("pairs", 8), window_s=240, seed=1)
    assert not live.trim_auto


def test_windows_too_short_for_a_warm_up_are_said_to_begin_cold():
    plan = make_plan(TREATMENT, Design("pairs", 8), window_s=239, seed=1, restart=True)
    assert not plan.trim_auto
    assert any("begins with a cold server" in line for line in map(str, describe(plan)))


@pytest.mark.parametrize(
    ("setting", "test_server", "design"),
    [
        (Setting("index.mail", "eq", "userRoot"), False, "ab"),
        (Setting("olcDbIndex", "mail eq", "{1}mdb", "+="), False, "ab"),
        (Setting("vlv.names", "dc=x sub (cn=*) cn", "userRoot"), False, "ab"),
        (Setting("backend-index-entry-limit.mail", "20000", "userRoot"), False, "ab"),
        (Setting("olcBkMdbIdlExp", "18"), False, "ab"),
        (Setting("olcBkMdbIdlExp", "18"), True, "pairs:8"),
        (Setting("index.mail", "eq", "userRoot"), True, "pairs:8"),
        (Setting("nsslapd-threadnumber", "8"), False, "pairs:8"),
    ],
)
def test_an_index_of_a_server_in_use_is_switched_once(setting, test_server, design):
    assert usual_design(Treatment((setting,)), test_server=test_server) == design


def test_one_switch_after_several_windows_is_a_plan_and_half_of_one_is_none():
    plan = make_plan(TREATMENT, Design("ab", 3), window_s=60, seed=1)
    text = " ".join(map(str, describe(plan)))
    assert "in the order AAA BBB" in text
    assert "can suggest, never establish" in text
    assert [plan.first_of(index) for index in range(6)] == [0, 1, 2, 3, 4, 5]
    for steps in (plan.steps[:5], plan.steps[:3] + plan.steps[:3], plan.steps[::-1]):
        assert not is_measurable(replace(plan, steps=steps))
