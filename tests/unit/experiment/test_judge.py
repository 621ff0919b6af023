"""What makes a window unfit for a verdict."""

import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.experiment.counting import _flaws, counted, hung_in
from ldap_workbench.experiment.judge import (
    _lasting,
    b_of,
    judge,
    judge_chosen,
    judge_windows,
)
from ldap_workbench.experiment.plan import make_plan
from ldap_workbench.model.errors import ExperimentError
from ldap_workbench.model.experiment import Design
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.model.window import Source, SourceKind, SourceState
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.sessions import build_experiment_session


def log(state=SourceState.COMPLETE, why="", **details):
    return Source(1, 1, SourceKind.ACCESS_LOG, "access", state, why, details=details)


def test_a_whole_log_is_fit():
    late = log(SourceState.PARTIAL, "the end of the window is not in the log", gaps=0)
    assert _flaws([log(gaps=0, clock_steps_back=0), late]) == ()


@pytest.mark.parametrize(
    ("broken", "word"),
    [
        (log(SourceState.FAILED, "the connection broke"), "the connection broke"),
        (log(SourceState.PARTIAL, "a rotated file was gone", gaps=1), "incomplete"),
        (log(clock_steps_back=2), "clock"),
        (log(SourceState.PARTIAL, "a clock was set", clock_step={"step_ns": 1}), "a clock was set"),
    ],
)
def test_lines_that_are_missing_or_back_in_time_are_a_flaw(broken, word):
    (flaw,) = _flaws([log(), broken])
    assert word in str(flaw)


@pytest.mark.parametrize(
    ("details", "rate", "hung"),
    [
        ({"slowest_answer_ns": 10 * 10**9}, 1.0, True),
        ({"slowest_answer_ns": 9 * 10**9}, 1.0, False),
        ({"slowest_answer_ns": 60 * 10**9}, 20.0, False),  # 3 s of ours, of a quick clock
        ({"no_answer": [[0, 2 * 10**9], [5 * 10**9, 40 * 10**9]]}, 1.0, True),
        ({}, 1.0, False),  # of an earlier version
    ],
)
def test_a_server_hung_where_its_monitor_had_no_answer_for_10_s(details, rate, hung):
    monitor = Source(2, 1, SourceKind.MONITOR, "cn=monitor", SourceState.PARTIAL, details=details)
    facts = SimpleNamespace(clock_rate=rate)
    session = SimpleNamespace(facts=facts, sources=lambda _: [log(slowest_answer_ns=1), monitor])
    assert hung_in(session, SimpleNamespace(id=1)) is hung


HEAD = "[05/Jan/2026:09:00:{second:09.6f}000 +0000] conn={conn} op={op} "
SEARCH = 'SRCH base="dc=example,dc=com" scope=2 filter="(cn=*a*)" attrs=ALL'
RESULT = "RESULT err=0 tag=101 nentries=1 wtime=0.000100000 optime=0.001000000 etime=0.001100000"
GIVEN_UP = "ABANDON targetop=2 msgid=3 nentries=0 etime=2.000000000"


@pytest.fixture
def counts_of(tmp_path):
    """Counts of the window of a log, of lines (second, connection, operation, text)."""

    def count(*lines):
        log, file = tmp_path / "access", tmp_path / "s.ldapwb"
        answered = [(n / 2, 1, n, text) for n in range(80) for text in (SEARCH, RESULT)]
        texts = [
            HEAD.format(second=second, conn=conn, op=op) + text
            for second, conn, op, text in sorted([*answered, *lines], key=lambda line: line[0])
        ]
        log.write_text("\n".join(texts) + "\n")
        with SessionWriter.create(file) as writer:
            import_logs([log], writer)
        with Session.open(file) as session:
            (window,) = counted(session, session.windows(), 100_000_000)
        return window

    return count


def test_a_search_without_an_answer_has_waited_until_the_window_ended(counts_of):
    window = counts_of((10.0, 7, 2, SEARCH))
    assert window.tally.unanswered == 1
    assert window.n == 81
    assert window.max_ns == pytest.approx(29.5e9, rel=1e-6)


def test_searches_are_told_apart_by_what_the_log_says_they_asked(counts_of):
    other = SEARCH.replace("(cn=*a*)", "(uid=x)")
    window = counts_of(*((n / 2 + 0.1, 7, n, text) for n in range(60) for text in (other, RESULT)))
    assert {kind[1] for kind in window.strata.kinds if len(kind) > 1} == {"(cn=*?*)", "(uid=?)"}
    parts = dict(zip(window.strata.kinds, window.parts.sum(1), strict=True))
    assert parts["SRCH", "(uid=?)"] == 60
    assert window.requests.kinds["SRCH", "(cn=*?*)"] == 80


def test_an_abandoned_search_is_counted_once(counts_of):
    window = counts_of((10.0, 7, 2, SEARCH), (12.0, 7, 3, GIVEN_UP))
    assert window.tally.unanswered == 1
    assert window.n == 81
    assert window.max_ns == 2_000_000_000


def test_a_search_left_open_to_be_told_of_changes_waits_for_nothing(counts_of):
    window = counts_of((10.0, 7, 2, SEARCH + " options=persistent"))
    assert (window.tally.unanswered, window.n) == (0, 80)


@pytest.fixture(scope="module")
def two_pairs(tmp_path_factory):
    """A session with two pairs of windows."""
    path = tmp_path_factory.mktemp("judged") / "e.ldapwb"
    with Session.open(build_experiment_session(path, pairs=2, seconds=20)) as session:
        yield session


def of_arm(session, arm):
    return [window for window in session.windows() if window.arm == arm]


def test_without_a_treatment_the_windows_of_b_are_named(two_pairs):
    first, _ = of_arm(two_pairs, "B")
    one = judge_windows(two_pairs, [*of_arm(two_pairs, "A")[:1], first])
    assert f"{first.name} of e.ldapwb" in str(one.sentence)
    both = judge_windows(two_pairs, two_pairs.windows())
    assert f"{first.name} and 1 other window of e.ldapwb" in str(both.sentence)
    assert "other change" in str(judge_windows(two_pairs, two_pairs.windows(),
                                               b=Message("other change")).sentence)  # fmt: skip


@pytest.mark.parametrize("arm", ["A", "B"])
def test_a_verdict_needs_windows_of_each_arm(two_pairs, arm):
    with pytest.raises(ExperimentError, match="at least one window of each arm"):
        judge_windows(two_pairs, of_arm(two_pairs, arm))


def test_counts_begin_after_what_is_trimmed(two_pairs):
    windows = two_pairs.windows()
    whole, half = (counted(two_pairs, windows, 100_000_000, trim) for trim in (0.0, 10.0))
    for window, all_of_it, rest in zip(windows, whole, half, strict=True):
        late = two_pairs.operations(window).end_ns >= window.start_ns + 10 * 10**9
        assert 0 < rest.n <= int(late.sum()) < all_of_it.n
    assert [(each.arm, each.pair) for each in whole] == [(w.arm, w.pair) for w in windows]


@pytest.mark.parametrize(
    ("knob", "product", "lasts"),
    [
        (
            "nsslapd-enable-upgrade-hash",
            "389 Directory Server",
            "a password rehashed at a bind stays rehashed",
        ),
        ("nsslapd-threadnumber", "389 Directory Server", ""),
        ("nsslapd-enable-upgrade-hash", "slapd", ""),
    ],
)
def test_the_catalogue_says_what_outlives_the_revert(two_pairs, knob, product, lasts):
    [experiment] = two_pairs.experiments()
    plan = replace(experiment.plan, treatment=Treatment((Setting(knob, "off"),)))
    assert str(_lasting(plan, replace(two_pairs.facts, product=product))) == lasts
    assert not _lasting(replace(plan, treatment=Treatment(())), two_pairs.facts)


def test_what_outlives_the_revert_is_known_to_the_verdict(two_pairs, monkeypatch):
    judging = sys.modules[judge.__module__]  # the package has a function of this name
    asked, judged = {}, judging.analyse
    monkeypatch.setattr(
        judging, "analyse", lambda counts, **how: asked.update(how) or judged(counts, **how)
    )
    [experiment] = two_pairs.experiments()
    treatment = Treatment((Setting("nsslapd-enable-upgrade-hash", "off"),))
    judge(two_pairs, replace(experiment, plan=replace(experiment.plan, treatment=treatment)))
    assert str(asked["lasting"]) == "a password rehashed at a bind stays rehashed"


def test_an_unchanged_arm_b_is_called_that():
    def plan(*settings):
        return make_plan(Treatment(settings), Design("pairs", 6), window_s=9, seed=1)

    assert str(b_of(plan())) == "the unchanged server, as A"
    assert str(b_of(plan(Setting("nsslapd-threadnumber", "24")))) == "nsslapd-threadnumber=24"


def test_a_flaw_is_said_once_for_several_logs():
    failed = log(SourceState.FAILED)
    assert [str(flaw) for flaw in _flaws([failed, failed])] == [
        f"the access log is incomplete: {SourceState.FAILED.label}"
    ]
    assert len(_flaws([log(cut_off=1), log(clock_steps_back=1)])) == 2


def test_windows_of_no_experiment_are_no_pairs_and_judged_by_the_usual_target(two_pairs):
    """Those of an experiment, but with their arms the other way round."""
    other = [replace(w, arm="BA"["AB".index(w.arm)]) for w in two_pairs.windows()]
    usual = judge_chosen(two_pairs, other)
    assert usual.design == "ab"
    assert usual == judge_windows(two_pairs, other, primary="slo", slo_ns=100_000_000, design="ab")
    assert judge_chosen(two_pairs, other, primary="p50", slo_ns=5_000_000) == judge_windows(
        two_pairs, other, primary="p50", slo_ns=5_000_000, design="ab"
    )


def test_the_windows_of_an_experiment_are_judged_as_it_was_planned(two_pairs):
    (experiment,) = two_pairs.experiments()
    planned = judge(two_pairs, experiment)
    plan = experiment.plan
    assert judge_chosen(two_pairs, two_pairs.windows()) == planned
    assert (
        judge_chosen(two_pairs, two_pairs.windows(), primary=plan.primary, slo_ns=plan.slo_ns)
        == planned
    )


@pytest.mark.parametrize(
    ("pairs", "asked", "said"),
    [
        (2, {"primary": "p95"}, "Chosen afterwards: the plan's primary metric is "),
        (2, {"slo_ns": 5_000_000}, "Chosen afterwards: the plan's latency target is 100 ms."),
        (1, {}, "Chosen afterwards: 1 of 2 pairs. A part of an experiment only suggests."),
    ],
)
def test_what_differs_from_the_plan_was_chosen_afterwards(two_pairs, pairs, asked, said):
    windows = [w for w in two_pairs.windows() if w.pair < pairs]
    verdict = judge_chosen(two_pairs, windows, **asked)
    afterwards = [str(line) for line in verdict.warnings if "Chosen afterwards" in str(line)]
    assert len(afterwards) == 1
    assert afterwards[0].startswith(said)
    assert verdict.primary.metric == asked.get("primary", two_pairs.experiments()[0].plan.primary)
