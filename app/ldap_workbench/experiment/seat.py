"""One server under measurement: an experiment has one seat, a canary one on every replica."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ldap_workbench.connect.directory import Directory
from ldap_workbench.experiment.aftermath import Aftermath, put_back
from ldap_workbench.experiment.arms import Arms, Restarts
from ldap_workbench.experiment.guards import (
    check_awake,
    check_guards,
    check_sources,
    check_window,
)
from ldap_workbench.experiment.measuring import Measuring
from ldap_workbench.experiment.record import Record
from ldap_workbench.experiment.settings import remember_settings
from ldap_workbench.model.experiment import Experiment, Plan, State, Then
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.progress import OnProgress
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.model.window import Window
from ldap_workbench.servers.target import Target
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.link import over_any_link
from ldap_workbench.tuning.place import describe_values
from ldap_workbench.tuning.tuner import Tuner

Configuration = Mapping[tuple[str, str], tuple[str, ...] | None]
"""Values by entry and attribute, both in lower case."""

_SHOWN = 3
_LIVING_ENTRIES = re.compile(r"(^|,)cn=(monitor|tasks|snmp),|^cn=monitor|^cn=tasks")
"""Counters, and what a running server is asked to do."""
# What a server counts, lists or renews in its own configuration while nobody changes it: files of
# logs, the state of replication and of its unique ids, the secret of its single sign-on.
_LIVING = re.compile(
    r"nsslapd-.*log-list|nsslapd-ldapssotoken-secret|nsslapd-errorlog-list|nsstate|nsds50ruv"
    r"|nsds5replica(lastupdate|lastinit|update|changecount|reapactive|changessent|id$).*"
    r"|nsruvreplicalastmodified|modifytimestamp|modifiersname|entrycsn|contextcsn|numsubordinates"
)


class Watch:
    """Tells what somebody else changes, from `begin` until `end`: meanwhile we change nothing."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._seen: Configuration | None = None

    def begin(self) -> None:
        """Look, unless nothing of ours has been changed since we last did."""
        if self._seen is None:
            self._seen = read_configuration(self._target.directory)

    def end(self) -> None:
        self._seen = None

    def changed(self) -> Message:
        """What is not as it was when we last looked, in short; false for nothing."""
        if self._seen is None:
            return NOTHING
        before, self._seen = self._seen, read_configuration(self._target.directory)
        return in_short(differences(before, self._seen))


def read_configuration(directory: Directory) -> Configuration:
    """All of cn=config that this bind may see, without what a server changes by itself."""
    configuration = {}
    for entry in directory.search("cn=config", scope="sub", attributes=("*",)):
        dn = entry.dn.lower()
        if _LIVING_ENTRIES.search(dn):
            continue
        for name, values in entry:
            if not _LIVING.fullmatch(lowered := name.lower()):
                configuration[dn, lowered] = values
    return configuration


def differences(before: Configuration, after: Configuration) -> list[Message]:
    """'nsslapd-sizelimit of cn=config: 2000, now 100', in order of the names."""
    return [
        Message(
            "{attribute} of {dn}: {before}, now {now}",
            attribute=name,
            dn=dn,
            before=describe_values(before.get((dn, name))),
            now=describe_values(after.get((dn, name))),
        )
        for dn, name in sorted(before.keys() | after.keys())
        if _as_a_set(before.get((dn, name))) != _as_a_set(after.get((dn, name)))
    ]


def in_short(changes: list[Message]) -> Message:
    """The first few, and how many there are besides."""
    if not changes:
        return NOTHING
    first, more = tuple(changes[:_SHOWN]), len(changes) - _SHOWN
    if more > 0:
        return Message("{first}, and {more} more", first=first, more=more)
    return Message("{first}", first=first)


def _as_a_set(values: tuple[str, ...] | None) -> list[str] | None:
    """Values of an attribute have no order."""
    return None if values is None else sorted(values)


Decision = Callable[[Verdict], Then]
"""Asked after the verdict when the plan says 'ask': KEEP or REVERT."""


class Seat:
    """The server's arms, the watch over its configuration, and the record in its session.

    Used from the target's thread.
    """

    def __init__(
        self,
        target: Target,
        tuner: Tuner,
        writer: SessionWriter,
        plan: Plan,
        stored: Experiment,
        progress: OnProgress,
    ) -> None:
        """`stored` is where the experiment is: at its start, or where it was interrupted."""
        self._target, self._tuner, self._writer = target, tuner, writer
        self._plan = plan
        self._progress = progress
        self.record = Record(writer, target, stored)
        last_arm = plan.steps[stored.step - 1].arm if stored.step else "A"
        restarts = Restarts(
            target,
            writer,
            progress,
            with_treatment=plan.restart and last_arm == "B",
            wait_s=plan.restart_wait_s,
        )
        self.arms = Arms(target, tuner, self.record, restarts, progress)
        self.watch = Watch(target)

    def measure(self, index: int, measuring: Measuring) -> Window:
        """The window of a step, complete; raises LostWindowError where it does not count."""
        window, load_ended = measuring.measure(index)
        check_window(window, load_ended)
        with self.record.reader() as session:
            check_sources(session, window, first=not self.record.experiment.windows)
            check_awake(session, window, self._target.facts.clock_rate)
        remember_settings(self._writer, self._tuner, window)
        return window

    def count(self, index: int, window: Window) -> None:
        """Store that the window of a step counts."""
        windows = (*self.record.experiment.windows, window.id)
        self.record.enter(State.MEASURING, windows=windows, step=index + 1)

    def check_guards(self, window: Window) -> None:
        """Raise ExperimentError where the window crossed a safety limit."""
        with self.record.reader() as session:
            check_guards(session, window, self._plan.guards)

    def reach(self) -> None:
        """Ask the server, over a new link where the old one broke. Raises WorkbenchError."""
        over_any_link(
            self._target,
            lambda: self._target.directory.search("", attributes=("1.1",)),
            patience_s=self._plan.patience_s,
            progress=self._progress,
        )

    def put_back(self) -> Aftermath:
        """Put the server back by the journal alone; raises no Exception."""
        return put_back(
            self._tuner,
            self._plan,
            self._target.profile.name,
            progress=self._progress,
            restart=self.arms.restart_in_abort,
            left=self.record.experiment.left_stored,
        )


def choose(then: Then, verdict: Verdict, decide: Decision) -> Then:
    """KEEP or REVERT: by the plan where it says which, else by the verdict or whom it asks."""
    if then is Then.KEEP_IF_BETTER:
        return Then.KEEP if verdict.earns_keep else Then.REVERT
    return decide(verdict) if then is Then.ASK else then
