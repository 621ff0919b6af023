"""Replicas that apply and revert by a real tuner and journal, and only pretend to measure."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

from ldap_workbench.campaign import canary_run
from ldap_workbench.experiment.aftermath import put_back
from ldap_workbench.experiment.in_force import read_at_end
from ldap_workbench.gui.workbench import execution
from ldap_workbench.model.experiment import Experiment, State
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.verdict import MetricVerdict, Verdict
from ldap_workbench.model.window import LiveBatch, Sample, Window
from tests.gui.fake_server import Server
from tests.unit.tuning.fakes import BDB, FACTS

NAMES = ("ds1", "ds2")
CSN = "replication:csn[dc=example 1]"
START_NS = 1_790_000_000 * NS_PER_S


class Play:
    """What happens on the replicas: a window that waits, one that does harm, the verdict."""

    def __init__(self) -> None:
        self.servers: dict[str, Server] = {}
        self.waits_at = -1
        self.waiting = threading.Event()
        self.go_on = threading.Event()
        self.harm_p = 0.4
        self.word = "better"
        self.measured: list[tuple[int, str, bool]] = []

    def interval(self, name: str) -> str:
        """The value that is in force on a server."""
        return self.servers[name].directory.entries[BDB]["nsslapd-db-checkpoint-interval"][0]

    def verdict(self, *_: object) -> Verdict:
        primary = MetricVerdict(
            "p50", self.word, ratio=0.52, low=0.44, high=0.61, p=0.03, n_pairs=6,
            a=12e6, b=6.2e6, pooled_low=0.44, pooled_high=0.61,
        )  # fmt: skip
        p99 = MetricVerdict("p99", "inconclusive", ratio=0.9, low=0.6, high=1.3, p=0.4, n_pairs=6)
        found = {"p50": primary, "p99": p99}
        return Verdict(primary, found, True, NOTHING, "crossover:2x6", Message("Better. ×0.52."))


class ActingReplica:
    """As campaign.replica.Replica, without sessions and captures."""

    def __init__(self, play, target, tuner, path, plan, progress, *, measured, on_live):
        self.play, self.target, self.tuner, self.plan = play, target, tuner, plan
        self.name, self.path, self._group = target.profile.name, path, None
        self.on_live, self.progress, self.writer = on_live, progress, None
        self.arms = SimpleNamespace(
            enter=self.enter, keep=self.keep, leave=lambda: self.enter("A"), treated=False
        )
        self.record = SimpleNamespace(
            enter=self.enter_state, reader=nullcontext, remember=lambda *_: None,
            mark=lambda *_: None, experiment=Experiment(1, plan, State.PLANNED, len(measured)),
        )  # fmt: skip

    def do(self, work):
        return done_at_once(work)

    def enter_state(self, state, **changes):
        self.record.experiment = replace(self.record.experiment, state=state, **changes)

    def enter(self, arm):
        if arm == "B" and self._group is None:
            applied = self.tuner.apply(self.plan.treatment, session=str(self.path))
            self._group = applied.group
        elif arm == "A" and self._group is not None:
            self.tuner.revert(self._group)
            self._group = None
        self.arms.treated = self._group is not None

    def keep(self):
        self.enter("B")
        self.tuner.keep(self._group)
        self._group = None

    def measure(self, index, cancel):
        self.enter_state(State.MEASURING)
        self.play.measured.append((index, self.name, self.arms.treated))
        self._report(index)
        if index == self.play.waits_at and self.name == NAMES[-1]:
            self.play.waiting.set()
            while not self.play.go_on.wait(0.01):
                cancel.check()
        return Window(index + 1, "w", 0, 10, "B" if self.arms.treated else "A", 0)

    def _report(self, index):
        """Ten seconds of CSNs; the last replica is a bit behind. And the slowest operations."""
        behind = 3 if self.name == NAMES[-1] else 0
        for second in range(10):
            at = START_NS + (index * 12 + second) * NS_PER_S
            sample = Sample(at, CSN, float(1_790_000_000 + index * 12 + second - behind))
            peak = round((8 if self.arms.treated else 20) * 1e6) + 10**5 * (second * 7 % 5)
            self.on_live(LiveBatch(at, (sample,), 50, peak))

    def measured(self, index, window):
        self.enter_state(State.MEASURING, step=index + 1)

    def put_back(self):
        after = put_back(self.tuner, self.plan, self.name, progress=self.progress, restart=None)
        self._group, self.arms.treated = None, False
        return after

    def end(self, state, verdict, why):
        self.enter_state(state)

    def in_force_now(self):
        return self.in_force_at_end()

    def in_force_at_end(self):
        settings, sessions = self.plan.treatment.settings, {str(self.path)}
        return read_at_end(self.tuner, settings, sessions, now_ns=START_NS)

    def check(self): ...
    def check_guards(self, window): ...
    def reach(self): ...
    def forget_unfinished(self, why): ...
    def end_load(self): ...
    def close(self): ...
    def remember(self, began_ns, campaign): ...


def done_at_once(work):
    """As a thread of the replica's own hands its answer on."""
    future = Future()
    try:
        future.set_result(work())
    except BaseException as error:  # noqa: BLE001
        future.set_exception(error)
    return future


def act(monkeypatch, profiles) -> Play:
    """Profiles ds1 and ds2, whose servers are none, and replicas that play."""
    play = Play()

    def made(target, tuner, path, plan, progress, *, measured, on_live):
        how = {"measured": measured, "on_live": on_live}
        return ActingReplica(play, target, tuner, path, plan, progress, **how)

    def connect(profile, _):
        server = play.servers[profile.name]
        server.directory.broken = False
        return server

    for name in NAMES:
        profile = Profile(name, f"ldap://{name}.example:389")
        server = Server(replace(FACTS, profile=name, host=name, identity=f"389ds:{name}"))
        server.profile, server.directory.url = profile, profile.ldap_url
        server.clock = SimpleNamespace(offset_ns=0)
        play.servers[name] = server
        profiles.add(profile)
    monkeypatch.setattr(execution, "connect", connect)
    monkeypatch.setattr(canary_run, "Replica", made)
    monkeypatch.setattr(canary_run, "Announcement", lambda _: nullcontext())
    monkeypatch.setattr(canary_run, "kept_awake", nullcontext)
    monkeypatch.setattr(canary_run, "read_csns", lambda *_: {})
    monkeypatch.setattr(canary_run, "store_lag", lambda *_: None)
    monkeypatch.setattr(canary_run, "harm_so_far", lambda *_: play.harm_p)
    monkeypatch.setattr(canary_run, "judge_canary", play.verdict)
    return play
