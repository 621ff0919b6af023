"""A campaign on no server: experiments that end as a test says, and what stays in force of them."""

from contextlib import nullcontext
from types import SimpleNamespace

from ldap_workbench.campaign.plan import Candidate, Limits
from ldap_workbench.experiment.plan import make_plan
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.experiment import Design, Experiment, State, Then
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import MetricVerdict, Verdict

TRIAL = make_plan(Treatment(()), Design("pairs", 12), window_s=60, seed=1)
FREE = Limits(budget_s=1e6)


def candidate(name, value="1", *, restart=False, **more):
    return Candidate(Treatment((Setting(name, value),)), restart, **more)


class Killed(BaseException):
    """As kill -9: nothing of ours runs any more."""


class Server:
    """What stays in force on a server, and the journal of it; verdicts by treatment."""

    def __init__(self, verdicts):
        self.verdicts = verdicts
        self.ratios = {}
        self.in_force = {}
        self.groups = {}
        self.open = []
        self.dies_before = set()
        self.told = []
        self.pairs = []
        self.facts = SimpleNamespace(clock_rate=1.0, identity="i")
        self.profile = SimpleNamespace(name="lab")
        self.left_stored = ()
        self.journal = SimpleNamespace(
            group=lambda group: [self.groups[group]],
            left_stored=lambda _: self.left_stored,
            changes=list,
        )

    def plan(self, treatment):
        writes = any(self.in_force.get(s.knob) != s.value for s in treatment.settings)
        return [SimpleNamespace(writes=writes, needs_restart=False)]

    def locked(self):
        return nullcontext()

    def open_changes(self):
        return self.open

    def put_back(self, progress):
        self.open.clear()

    def revert(self, group, progress):
        change = self.groups[group]
        self.groups[group] = SimpleNamespace(state=ChangeState.REVERTED, settings=change.settings)
        for setting in change.settings:
            del self.in_force[setting.knob]

    def keep(self, treatment, session):
        group = f"g{len(self.groups)}"
        settings = treatment.settings
        self.groups[group] = SimpleNamespace(
            id=7, state=ChangeState.KEPT, settings=settings, session=session
        )
        self.in_force |= {each.knob: each.value for each in settings}
        return group


def judged(plan, word, server, path):
    ratio = server.ratios.get(str(plan.treatment), 0.5)
    pairs = plan.design.k
    primary = MetricVerdict(
        "slo", word, ratio=ratio, low=0.8 * ratio, high=1.2 * ratio, p=0.001, n_pairs=pairs
    )
    verdict = Verdict(primary, {"slo": primary}, True, NOTHING, "pairs:12", Message("x"))
    if word in ("guard", "full"):
        return Experiment(1, plan, State.ABORTED, step=3)
    if word != "better" or plan.then is Then.REVERT:
        return Experiment(1, plan, State.REVERTED, step=24, verdict=verdict)
    group = server.keep(plan.treatment, str(path))
    return Experiment(1, plan, State.KEPT, step=24, verdict=verdict, change_groups=(group,))


def fates(done):
    return [each.fate.value for each in done.entries]
