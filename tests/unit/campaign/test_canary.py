"""A canary on no server: whose turn it is, what ends it, how it goes on; plans and their words."""

import json
import re
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from types import SimpleNamespace

import numpy as np
import pytest

from ldap_workbench.campaign import canary_run
from ldap_workbench.campaign.canary import CANARIES, Canary, Outcome, Seat, make_canary, survey
from ldap_workbench.campaign.canary_description import (
    canary_restarts_ahead,
    describe_canary,
    foresee_canary,
    outcome_of,
)
from ldap_workbench.campaign.canary_run import CanaryRun, ReplicasPause
from ldap_workbench.experiment.aftermath import Aftermath
from ldap_workbench.experiment.guards import LostWindowError
from ldap_workbench.experiment.in_force import InForce
from ldap_workbench.experiment.lag import Lag
from ldap_workbench.model.change import after_reverts
from ldap_workbench.model.errors import ChangeError, ExperimentError, UsageError
from ldap_workbench.model.experiment import Then
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import MetricVerdict, Verdict
from ldap_workbench.model.window import Window
from ldap_workbench.report.campaign import canary_markdown
from ldap_workbench.tuning.catalogue import load_catalogue
from tests.sessions import build_capture_session
from tests.unit.campaign.acting import Killed
from tests.unit.tuning.fakes import FakeTarget

TREATMENT = Treatment((Setting("nsslapd-idlistscanlimit", "4000"),))
NAMES = ("ds1", "ds2", "ds3")


def plan(replicas=2, blocks=6, **more):
    options = {"window_s": 60.0, "seed": 3, "then": Then.REVERT} | more
    return make_canary(TREATMENT, replicas, blocks, **options)


class Servers:
    """What a test says of the servers, and what was done to them, in order."""

    def __init__(self, count=2):
        self.count = count
        self.done = []
        self.treated = set()
        self.fails = {}
        self.harmful_after = None
        self.lag_s = 0.0
        self.word = "better"
        self.open = []
        self.left_stored = {}
        self.put_back = []
        self.recorded = []
        self.known_at_start = []
        self.known_at_check = []
        self.durable = lambda: None

    def measure(self, name, index):
        if name == "ds1":
            self.done.append((index, tuple(sorted(self.treated))))
            self.known_at_start.append((index, len(self.recorded), len(self.durable().windows)))
        if error := self.fails.pop((name, index), None):
            raise error
        return Window(100 + index, "w", 0, 10, "B" if name in self.treated else "A", 0)

    def verdict(self):
        primary = MetricVerdict("p50", self.word, ratio=0.5, low=0.4, high=0.6, p=0.03, n_pairs=6)
        return Verdict(primary, {"p50": primary}, True, NOTHING, "x", Message("It is so."))


class Acting:
    """A replica that does nothing but remember."""

    def __init__(self, servers, target, measured):
        self.servers, self.name, self.target = servers, target.profile.name, target
        self.arms = SimpleNamespace(enter=self.enter, keep=self.keep, leave=self.leave)
        self.record = SimpleNamespace(
            enter=lambda *_, **__: None,
            reader=nullcontext,
            remember=lambda *_: None,
            experiment=SimpleNamespace(left_stored=servers.left_stored.get(self.name, ())),
        )
        self.writer = None
        self.state = None

    def do(self, work):
        future = Future()
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - as a thread hands it on
            future.set_exception(error)
        return future

    def enter(self, arm):
        change = self.servers.treated.add if arm == "B" else self.servers.treated.discard
        change(self.name)
        assert len(self.servers.treated) <= 1, "never two at a time"

    def keep(self):
        self.servers.treated.add(self.name)

    def leave(self):
        self.servers.treated.discard(self.name)

    def measure(self, index, cancel):
        return self.servers.measure(self.name, index)

    def in_force_now(self):
        return InForce((Message("it is asked."),))

    def in_force_at_end(self):
        treated = self.name in self.servers.treated
        return InForce((Message("with it") if treated else Message("without it"),))

    def check(self): ...
    def measured(self, index, window):
        self.servers.recorded.append((index, self.name, window.id))

    def check_guards(self, window):
        self.servers.known_at_check.append(len(self.servers.durable().windows))

    def forget_unfinished(self, why): ...
    def end_load(self): ...
    def close(self): ...
    def remember(self, began_ns, campaign): ...

    def begin_again(self, why):
        self.leave()

    def put_back(self):
        self.leave()
        self.servers.put_back.append(self.name)
        left = self.record.experiment.left_stored
        return Aftermath(after_reverts(left), left=left)

    def end(self, state, verdict, why):
        self.state = state


@pytest.fixture
def play(tmp_path, monkeypatch):
    """Run a canary on servers that do as the test says."""
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))

    def on(servers, asked=None, state=None, **how):
        def replica(target, tuner, path, plan, progress, *, measured, on_live):
            return Acting(servers, target, measured)

        def lags(series):
            return [Lag(np.zeros(1, np.int64), np.array([servers.lag_s]), np.zeros(1))] * len(
                series
            )

        def harmful(canary, _):
            return 0.01 if canary.whole_blocks == servers.harmful_after else 1.0

        monkeypatch.setattr(canary_run, "Replica", replica)
        monkeypatch.setattr(canary_run, "Announcement", lambda _: nullcontext())
        monkeypatch.setattr(canary_run, "read_csns", lambda *_: {})
        monkeypatch.setattr(canary_run, "store_lag", lambda *_: None)
        monkeypatch.setattr(canary_run, "lags", lags)
        monkeypatch.setattr(canary_run, "judge_canary", lambda *_: servers.verdict())
        monkeypatch.setattr(canary_run, "harm_so_far", harmful)
        seats = tuple(
            Seat(name, f"ldap://{name}", name, str(tmp_path / f"{name}.ldapwb"))
            for name in NAMES[: servers.count]
        )
        canary = state or Canary(asked or plan(servers.count), seats, 5)
        pairs = [(_target(seat), _tuner(servers, seat)) for seat in seats]
        servers.durable = lambda: CANARIES.of(on.output)
        return CanaryRun(pairs, canary, **how).run()

    on.output = tmp_path / "ds1.ldapwb"
    return on


def _target(seat):
    profile = SimpleNamespace(name=seat.profile, server_url=seat.server)
    return SimpleNamespace(profile=profile)


def _tuner(servers, seat):
    return SimpleNamespace(
        locked=nullcontext,
        open_changes=lambda: [c for c in servers.open if c.server == seat.profile],
        put_back=lambda _: servers.open.clear(),
    )


@pytest.mark.parametrize("count", [2, 3])
def test_in_each_window_the_one_whose_turn_it_is_has_the_treatment(play, count):
    servers = Servers(count)
    asked = plan(count, 6)
    done = play(servers, asked)
    assert [treated for _, treated in servers.done] == [(NAMES[c],) for _, c in asked.windows]
    assert done.outcome is Outcome.REVERTED
    assert servers.treated == set()
    assert len(done.windows) == 6 * count
    assert CANARIES.of(play.output) == done


@pytest.mark.parametrize("count", [2, 3])
def test_a_window_is_recorded_before_it_goes_on(play, count):
    """In the session of every replica, and in the state that outlives a crash."""
    servers = Servers(count)
    done = play(servers, plan(count, 6))
    assert servers.known_at_start == [(i, i * count, i) for i in range(6 * count)]
    assert servers.known_at_check == [i + 1 for i in range(6 * count) for _ in range(count)]
    assert sorted(servers.recorded) == [
        (index, name, ids[number])
        for index, ids in enumerate(done.windows)
        for number, name in enumerate(NAMES[:count])
    ]


def test_what_is_better_is_kept_on_all_replicas_where_the_plan_says_so(play):
    servers = Servers()
    done = play(servers, plan(then=Then.KEEP_IF_BETTER))
    assert servers.treated == {"ds1", "ds2"}
    assert done.outcome is Outcome.KEPT
    servers = Servers()
    servers.word = "inconclusive"
    assert play(servers, plan(then=Then.KEEP_IF_BETTER)).outcome is Outcome.REVERTED
    assert servers.treated == set()


def test_after_kill_9_it_goes_on_with_the_window_it_was_in(play):
    servers = Servers()
    servers.fails["ds2", 4] = Killed()
    asked = plan()
    monkeypatched = canary_run.CanaryRun._abort
    canary_run.CanaryRun._abort = lambda self, error: error  # nothing of ours runs any more
    try:
        with pytest.raises(Killed):
            play(servers, asked)
    finally:
        canary_run.CanaryRun._abort = monkeypatched
    state = CANARIES.of(play.output)
    assert (len(state.windows), state.ended) == (4, False)
    session = state.seats[0].session
    servers.open = [SimpleNamespace(server="ds1", session=session)]
    servers.treated.clear()
    servers.done.clear()
    done = play(servers, state=state)
    assert [index for index, _ in servers.done] == list(range(4, 12))
    assert [treated for _, treated in servers.done] == [(NAMES[c],) for _, c in asked.windows[4:]]
    assert servers.open == []
    assert done.outcome is Outcome.REVERTED


def test_a_change_of_somebody_else_is_not_reverted(play):
    servers = Servers()
    servers.open = [SimpleNamespace(server="ds2", session="another")]
    with pytest.raises(ChangeError, match="still open on ds2"):
        play(servers)
    assert (len(servers.open), servers.done) == (1, [])


def test_whichever_replica_suffers_all_are_put_back(play):
    servers = Servers()
    servers.fails["ds2", 3] = ExperimentError(Message("p99 was 3 s."))
    with pytest.raises(ExperimentError, match="p99 was 3 s") as caught:
        play(servers)
    assert sorted(servers.put_back) == ["ds1", "ds2"]
    assert servers.treated == set()
    assert str(caught.value.safe).startswith("All replicas are as they were before.")
    assert CANARIES.of(play.output).outcome is Outcome.ABORTED


STORED = Message("nsslapd-threadnumber was automatic; reverted, it is stored as 16.")


def test_what_stays_stored_on_a_replica_is_said_of_that_replica(play):
    servers = Servers()
    servers.left_stored["ds2"] = (STORED,)
    done = play(servers)
    assert done.outcome is Outcome.REVERTED
    assert done.left_stored == CANARIES.of(play.output).left_stored
    said = f"on all replicas. ds2: {STORED} All else is as it was before."
    assert str(outcome_of(done)) == f"The change was reverted {said}"
    assert said in canary_markdown(done).replace("\\", "")


def test_what_stays_stored_is_said_where_a_canary_ends_early(play):
    servers = Servers()
    servers.left_stored["ds2"] = (STORED,)
    servers.fails["ds2", 3] = ExperimentError(Message("p99 was 3 s."))
    with pytest.raises(ExperimentError) as caught:
        play(servers)
    assert str(caught.value.safe).startswith(f"ds2: {STORED} All else is as it was before.")
    assert CANARIES.of(play.output).left_stored


def test_what_is_in_force_is_read_for_the_decision_and_at_the_end(play):
    asked = []

    def decide(_):
        asked.extend(map(str, CANARIES.of(play.output).in_force))
        return Then.KEEP

    done = play(Servers(), plan(then=Then.ASK), decide=decide)
    assert asked == ["ds1: it is asked.", "ds2: it is asked."]
    assert [str(line) for line in done.in_force] == ["ds1: with it", "ds2: with it"]
    assert CANARIES.of(play.output).in_force == done.in_force


def test_what_a_canary_that_was_stopped_read_before_is_not_in_force_any_more(play):
    def decide(_):
        raise ExperimentError(Message("The terminal is gone."))

    with pytest.raises(ExperimentError):
        play(Servers(), plan(then=Then.ASK), decide=decide)
    assert CANARIES.of(play.output).in_force == ()


def test_a_state_of_an_earlier_version_is_read(play):
    done = play(Servers())
    path = CANARIES.path(play.output)
    written = json.loads(path.read_text("utf-8"))
    del written["left_stored"]
    path.write_text(json.dumps(written), "utf-8")
    assert CANARIES.of(play.output) == done


def test_a_paused_canary_does_not_claim_what_is_not_so():
    pause = ReplicasPause()
    assert str(pause.waiting_text) == "Paused. All replicas are as they were before."
    pause.left = (STORED,)
    assert str(pause.waiting_text) == f"Paused. {STORED} All else is as it was before."


def test_a_replica_far_behind_ends_it(play):
    servers = Servers()
    servers.lag_s = 12.0
    with pytest.raises(ExperimentError, match=r"12\.0 s behind the others"):
        play(servers, plan(max_lag_s=10.0))
    assert sorted(servers.put_back) == ["ds1", "ds2"]
    assert play(Servers(), plan(max_lag_s=10.0)).outcome is Outcome.REVERTED


def test_a_window_in_which_a_server_was_changed_is_measured_again(play):
    servers = Servers()
    servers.fails["ds1", 2] = LostWindowError(Message("Another administrator changed ds1."))
    done = play(servers)
    assert [index for index, _ in servers.done] == [0, 1, 2, *range(2, 12)]
    assert "Window 3 is measured again" in str(done.remarks[0])
    servers.fails["ds1", 2] = LostWindowError(Message("Another administrator changed ds1."))
    with pytest.raises(LostWindowError):
        play(servers, plan(repeats=0))


def test_a_harmful_treatment_ends_early_and_is_reverted(play):
    servers = Servers()
    servers.word, servers.harmful_after = "suggests worse", 5
    done = play(servers, plan(blocks=12, then=Then.KEEP_IF_BETTER))
    assert len(done.windows) == 10
    assert "Ended after 5 of 12 blocks" in str(done.remarks[0])
    assert servers.treated == set()


def test_a_plan_that_can_find_nothing_is_refused():
    with pytest.raises(UsageError, match="too few for a verdict") as caught:
        plan(2, 5)
    assert "--blocks 6" in str(caught.value.remedy)
    with pytest.raises(UsageError, match="a replica beside it"):
        plan(1, 8)
    with pytest.raises(UsageError, match="longer than 0 s"):
        plan(window_s=float("nan"))


def test_the_plan_says_turns_hours_restarts_and_limits():
    asked = plan(3, 4, window_s=300.0, restart=True, guards={"error_share": 0.02}, max_lag_s=30)
    said = " ".join(map(str, describe_canary(asked, NAMES)))
    assert "4 blocks of 3 windows of 300 s" in said
    assert "side by side; 61 min to 74 min in all." in said
    assert "12 restarts of each, about 2 min without service of each in all." in said
    assert "more than 2 % of operations fail, it is more than 30 s behind the others or" in said
    assert all(name in said for name in NAMES)
    assert asked.duration_s == pytest.approx(12 * (300 + 5 + 15 + 3 * 10))
    unknown = " ".join(map(str, foresee_canary(asked, NAMES, None, 1.25)))
    assert "×1.12 with 10 %" in unknown
    stops = "A change without any effect is called harmful after one of the blocks in about"
    assert stops in unknown


def test_what_a_baseline_lets_it_find_is_a_range(tmp_path):
    """Eight windows say roughly how much windows vary, and no single chance is true."""
    profiles = NAMES[:2]
    baseline = tmp_path / "base.ldapwb"
    for seed, path in enumerate((baseline, tmp_path / "base-ds2.ldapwb"), start=1):
        build_capture_session(path, windows=8, seed=seed)
    asked = plan(2, 8, window_s=20.0, primary="p50")
    [said, _] = map(str, foresee_canary(asked, profiles, baseline, 1.04))
    told = re.fullmatch(
        r"Judging by 8 windows of each replica without a change, they vary by [\d.]+ %: a true "
        r"×1\.04 is found in ([\d.]+) % to ([\d.]+) % of such canaries\.",
        said,
    )
    assert told, said
    least, most = map(float, told.groups())
    assert 0 <= least < most - 10


def test_the_time_it_is_said_to_take_is_that_of_its_windows_and_restarts():
    """At least its windows; at most with the longest wait for a log, and a restart of each."""
    asked = plan(3, 4, window_s=300.0, restart=True)
    least, most = asked.duration_range_s
    assert least == pytest.approx(12 * (300 + 5 + 2))
    assert most == pytest.approx(12 * (300 + 5 + 30 + 5 + 3 * 10))
    assert least < asked.duration_s < most
    quiet = plan(3, 4, window_s=300.0)
    assert quiet.duration_range_s[1] == pytest.approx(12 * (300 + 5 + 30 + 5))


def test_restarts_ahead_are_those_of_the_windows_that_are_left():
    asked = plan(3, 4, window_s=300.0, restart=True)
    state = Canary(asked, (), 0)
    now_s = datetime(2026, 11, 28, 10, 0).timestamp()
    assert str(canary_restarts_ahead(state, now_s)) == (
        "This restarts each of 3 replicas 12 times, one after the other: about 2 min without "
        "service of each in all, until about 11:10 (local time)."
    )
    almost = replace(state, windows=((1, 1, 1),) * 11)
    assert str(canary_restarts_ahead(almost, now_s)) == (
        "This restarts each of 3 replicas once, one after the other: about 10 s without service "
        "of each, until about 10:05 (local time)."
    )
    assert not canary_restarts_ahead(replace(state, windows=((1, 1, 1),) * 12), now_s)
    assert not canary_restarts_ahead(Canary(plan(3, 4), (), 0), now_s)


def test_each_replica_has_its_own_load_and_its_own_arms():
    asked = plan(2, 6, load="ldclt -h {host} -p {port} -n {seconds} {url}")
    one, two = (asked.of_replica(i, f"ldap://ds{i}:{389 + i}") for i in (0, 1))
    assert (one.load, two.load) == ("ldclt -h ds0 -p 389 -n {seconds} ldap://ds0:389",
                                    "ldclt -h ds1 -p 390 -n {seconds} ldap://ds1:390")  # fmt: skip
    assert all({a.arm, b.arm} == {"A", "B"} for a, b in zip(one.steps, two.steps, strict=True))


def test_the_report_says_who_was_the_canary_when(tmp_path, monkeypatch):
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path))
    seats = tuple(Seat(name, f"ldap://{name}", name, f"/x/{name}|.ldapwb") for name in NAMES[:2])
    canary = Canary(plan(), seats, 5, windows=((1, 1), (2, 2)), outcome=Outcome.KEPT)
    canary = replace(canary, verdict=Servers().verdict())
    CANARIES.write(canary)
    page = canary_markdown(CANARIES.of(canary.output))
    first = canary.plan.orders[0][0]
    assert f"| 1 | 1 | {NAMES[first]} |" in page
    assert "in force on all replicas" in page
    assert "ldap-workbench revert ds2" in page
    assert "/x/ds1\\|.ldapwb" in page


def test_a_canary_refuses_what_all_replicas_get() -> None:
    target, tuner = FakeTarget(), SimpleNamespace(catalogue=load_catalogue())
    setting = "nsSizeLimit@uid=portal,dc=example,dc=com=5"
    with pytest.raises(UsageError, match="leaves all replicas but one as they are") as caught:
        survey([(target, tuner)], [setting])
    assert "uid=portal,dc=example,dc=com: replication sends it" in str(caught.value.what)
