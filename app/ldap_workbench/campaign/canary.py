"""A canary on replicas: its plan, and where it stands, durable in a file of this user's own.

A canary that begins, or one of this user's that goes on: its replicas, its plan, its files.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ldap_workbench.campaign.state import States
from ldap_workbench.experiment.lag_watch import Connect, refuse_one_server_twice
from ldap_workbench.experiment.load import check_command
from ldap_workbench.experiment.plan import RESTART_S, duration_range_s, duration_s
from ldap_workbench.inference.counts.metrics import FAILED, SLO, known_metric
from ldap_workbench.inference.significance.crossover import draw_orders, least_blocks
from ldap_workbench.model.errors import UsageError, WorkbenchError
from ldap_workbench.model.experiment import Design, Plan, Step
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.servers.replication import Agreement, read_agreements
from ldap_workbench.servers.target import Target
from ldap_workbench.tuning.catalogue import Catalogue
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.plan import PlannedChange
from ldap_workbench.tuning.tuner import Tuner

KIND = "canary"
"""Of the design, in the session of each replica."""


@dataclass(frozen=True)
class CanaryPlan:
    """What is decided before the start. `trial` has windows, load, limits and what follows."""

    treatment: Treatment
    trial: Plan
    orders: tuple[tuple[int, ...], ...]
    """[block][window] index of the replica that is the canary; drawn, and stored first."""
    max_lag_s: float | None = None
    """The longest a replica may be behind the others."""

    @property
    def replicas(self) -> int:
        return len(self.orders[0])

    @property
    def blocks(self) -> int:
        return len(self.orders)

    @property
    def windows(self) -> tuple[tuple[int, int], ...]:
        """Block and canary of each window in time."""
        return tuple((block, canary) for block, row in enumerate(self.orders) for canary in row)

    def of_replica(self, number: int, url: str) -> Plan:
        """The same as the session of one replica tells it; {url} in its load is its own."""
        steps = tuple(Step("B" if c == number else "A", block) for block, c in self.windows)
        parts = urlsplit(url)
        load = self.trial.load.replace("{url}", url)
        load = load.replace("{host}", parts.hostname or "").replace("{port}", str(parts.port or ""))
        return replace(self.trial, treatment=self.treatment, steps=steps, load=load)

    @property
    def duration_s(self) -> float:
        """On the wall, about: replicas are measured side by side and restarted one by one."""
        return self.left_s(0)

    def left_s(self, measured: int) -> float:
        """What is left of it after some windows, about."""
        return duration_s(self._side_by_side(measured)) + self._restarts_of_others_s(measured)

    @property
    def duration_range_s(self) -> tuple[float, float]:
        """On the wall, at least and at most, if nothing is measured again."""
        least, most = duration_range_s(self._side_by_side(0))
        return least, most + self._restarts_of_others_s(0)

    def _side_by_side(self, measured: int) -> Plan:
        """One replica stands for all that are measured with it."""
        return replace(self.trial, steps=self.of_replica(0, "").steps[measured:])

    def _restarts_of_others_s(self, measured: int) -> float:
        """The other replicas are restarted before or after it, so that one is always there."""
        windows = len(self.windows) - measured
        return RESTART_S * (self.replicas - 1) * windows if self.trial.restart else 0.0


def make_canary(
    treatment: Treatment,
    replicas: int,
    blocks: int,
    *,
    seed: int,
    max_lag_s: float | None = None,
    **options: Any,
) -> CanaryPlan:
    """A plan with its orders drawn; `options` are fields of Plan.

    Raises UsageError, also where the design could find nothing.
    """
    level = options.get("level", 0.05)
    if replicas < 2:
        raise _refused(
            Message("A canary needs a replica beside it."),
            Message("Name two profiles or more; for one server use: ldap-workbench experiment"),
        )
    least = least_blocks(replicas, level)
    if blocks < least:
        raise _refused(
            Message(
                "{blocks} blocks are too few for a verdict with {replicas} replicas, whatever "
                "they show.",
                blocks=blocks,
                replicas=replicas,
            ),
            Message("Use --blocks {least} or more.", least=least),
        )
    check_command(options.get("load", ""))
    if known_metric(options.get("primary", SLO)).metric == FAILED:
        raise _refused(
            Message("A canary is judged by times, not by the share of operations that fail."),
            Message("Try the change on one server: ldap-workbench experiment"),
        )
    if not options["window_s"] > 0:
        raise _refused(
            Message("A window must be longer than 0 s."),
            Message("Give its length in seconds, such as 300."),
        )
    trial = Plan(treatment, Design(KIND, blocks), (), seed=seed, **options)
    return CanaryPlan(treatment, trial, draw_orders(replicas, blocks, seed), max_lag_s)


def _refused(what: Message, remedy: Message) -> UsageError:
    return UsageError(what, safe=Message("Nothing was changed."), remedy=remedy)


class Outcome(StrEnum):
    """What became of the replicas."""

    RUNNING = "running"
    KEPT = "kept"
    """The treatment is on all of them."""
    REVERTED = "reverted"
    ABORTED = "aborted"


@dataclass(frozen=True)
class Seat:
    """One replica: its profile, which server that is, and the session of its windows."""

    profile: str
    server: str
    identity: str
    session: str
    agreements: tuple[Agreement, ...] = ()
    """As they were before the start."""


@dataclass(frozen=True)
class Canary:
    """A plan, the replicas it is for, and where it stands."""

    plan: CanaryPlan
    seats: tuple[Seat, ...]
    began_ns: int
    windows: tuple[tuple[int, ...], ...] = ()
    """Of each finished window in time, its id in the session of each replica."""
    outcome: Outcome = Outcome.RUNNING
    verdict: Verdict | None = None
    why: Message = NOTHING
    remarks: tuple[Message, ...] = ()
    largest_lag_s: float = 0.0
    left_stored: tuple[Message, ...] = ()
    """What reverts left stored on the replicas that was not, by their journal, a sentence each."""
    in_force: tuple[Message, ...] = ()
    """What the settings of the change say on each replica, when it is decided and when it has
    ended, and when that was read."""
    harm_p: float | None = None
    """One-sided, after the last whole block: that the canary is worse than its controls."""

    @property
    def ended(self) -> bool:
        return self.outcome is not Outcome.RUNNING

    @property
    def output(self) -> Path:
        return Path(self.seats[0].session)

    @property
    def whole_blocks(self) -> int:
        return len(self.windows) // self.plan.replicas


def session_paths(output: Path, profiles: Sequence[str]) -> list[Path]:
    """The file that was named is of the first replica; those of the others stand beside it."""
    beside = [
        output.with_name(f"{output.stem}-{profile}{output.suffix}") for profile in profiles[1:]
    ]
    return [output, *beside]


CANARIES = States(Canary, "canaries")
"""Where they are stored."""


Servers = list[tuple[Target, Tuner]]


@dataclass(frozen=True)
class Surveyed:
    """One replica as it was found: which server, whom it replicates with, what would change."""

    profile: str
    server: str
    identity: str
    facts: TargetFacts
    agreements: tuple[Agreement, ...]
    changes: tuple[PlannedChange, ...]


@dataclass(frozen=True)
class Survey:
    """The same treatment on every replica."""

    treatment: Treatment
    replicas: tuple[Surveyed, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(replica.profile for replica in self.replicas)

    @property
    def changes(self) -> tuple[PlannedChange, ...]:
        return tuple(change for replica in self.replicas for change in replica.changes)

    @property
    def restart(self) -> bool:
        """Whether the treatment takes effect only after a restart."""
        return any(change.needs_restart for change in self.changes)

    @property
    def stops(self) -> bool:
        """Whether a server must be stopped to make the change."""
        return any(change.offline and change.writes for change in self.changes)


@contextmanager
def connected_replicas(
    profiles: Sequence[str], connect: Connect, journal: Journal, *, offline: bool = False
) -> Iterator[Servers]:
    """All of them connected, each another server, on one journal. Raises UsageError."""
    if len({*profiles}) < len(profiles):
        raise UsageError(
            Message("A replica is named twice."),
            safe=Message("Nothing was changed."),
            remedy=Message("Name each profile once."),
        )
    with ExitStack() as stack:
        servers = []
        for profile in profiles:
            target = stack.enter_context(connect(profile))
            tuner = Tuner(target, journal)
            tuner.may_stop = offline
            servers.append((target, tuner))
        refuse_one_server_twice([target for target, _ in servers])
        yield servers


def survey(
    servers: Servers, settings: Sequence[str | Setting], *, asks_for_stop: bool = False
) -> Survey:
    """What each replica is and what the settings would change there.

    `asks_for_stop`: whether the servers may be stopped is asked afterwards. Raises UsageError
    without any settings; KnobError, ChangeError and others name the replica.
    """
    if not settings:
        raise UsageError(
            Message("A canary needs a treatment."), remedy=Message("Add --set KNOB=VALUE.")
        )
    treatments, replicas = [], []
    for target, tuner in servers:
        try:
            treatment = tuner.catalogue.treatment(settings, target.facts)
            _refuse_user_data(tuner.catalogue, treatment)
            changes = tuple(tuner.plan(treatment))
            tuner.check_automated(changes, may_stop=tuner.may_stop or asks_for_stop)
        except WorkbenchError as error:
            name = target.profile.name
            error.what = Message("{replica}: {what}", replica=name, what=error.what)
            raise
        treatments.append(treatment)
        arrows = read_agreements(target.directory, target.facts)
        who = (target.profile.name, tuner.server, tuner.identity)
        replicas.append(Surveyed(*who, target.facts, arrows, changes))
    return Survey(treatments[0], tuple(replicas))


def _refuse_user_data(catalogue: Catalogue, treatment: Treatment) -> None:
    if user_data := catalogue.user_data_ahead([treatment]):
        raise UsageError(
            Message("A canary leaves all replicas but one as they are. {why}", why=user_data),
            safe=Message("Nothing was changed."),
            remedy=Message("Try it with an experiment on one of them."),
        )


def new_canary(plan: CanaryPlan, surveyed: Survey, output: Path) -> Canary:
    """Nothing of it has begun yet. Raises UsageError where its files belong to another."""
    refuse_existing_canary(output, surveyed.names)
    paths = session_paths(output.resolve(), surveyed.names)
    seats = tuple(
        Seat(replica.profile, replica.server, replica.identity, str(path), replica.agreements)
        for replica, path in zip(surveyed.replicas, paths, strict=True)
    )
    return Canary(plan, seats, time.time_ns())


def refuse_existing_canary(output: Path, profiles: Sequence[str]) -> None:
    """Raise UsageError where a canary has these files already."""
    state = CANARIES.of(output)
    there = [path for path in session_paths(output, profiles) if path.exists()]
    if there or (state and not state.ended):
        raise UsageError(
            Message("{path} belongs to a canary already.", path=str(there[0] if there else output)),
            safe=Message("Nothing was changed."),
            remedy=Message("Go on with it by --resume, or name a new file."),
        )


def resumable_canary(output: Path) -> Canary:
    """The canary of this file, to go on with. Raises UsageError."""
    state = CANARIES.of(output)
    if state is None or state.ended:
        raise UsageError(
            Message("There is no canary to resume for {path}.", path=str(output)),
            safe=Message("Nothing was changed."),
            remedy=Message("Leave out --resume and name a new file."),
        )
    return state


def refuse_other_servers(canary: Canary, servers: Servers) -> None:
    """Raise UsageError where a profile means another server by now.

    AnotherServerError where it has the URL of before, and that leads to another server.
    """
    for seat, (_, tuner) in zip(canary.seats, servers, strict=True):
        if not tuner.check_is(seat.server, seat.identity):
            raise UsageError(
                Message(
                    "The canary is on another server than {profile} names now: {server}.",
                    profile=seat.profile,
                    server=seat.server,
                ),
                safe=Message("Nothing was changed."),
                remedy=Message("Put the profile back as it was."),
            )
