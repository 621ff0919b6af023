"""A canary that begins, or one of this user's that goes on: its replicas, its plan, its files."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ldap_workbench.campaign.canary import CANARIES, Canary, CanaryPlan, Seat, session_paths
from ldap_workbench.experiment.lag_watch import Connect, refuse_one_server_twice
from ldap_workbench.model.errors import UsageError, WorkbenchError
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.servers.replication import Agreement, read_agreements
from ldap_workbench.servers.target import Target
from ldap_workbench.tuning.catalogue import Catalogue
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.plan import PlannedChange
from ldap_workbench.tuning.tuner import Tuner

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
