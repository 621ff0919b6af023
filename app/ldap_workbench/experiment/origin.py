"""A plan that comes from a file: whoever wrote it may have been a stranger.

What such a plan runs, writes and decides is told in full before anything of it is taken over, and
it is taken over on the server only that the file was made on.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ldap_workbench.experiment.guards import ERROR_SHARE, LAG_S, P99_NS
from ldap_workbench.experiment.plan import is_measurable
from ldap_workbench.inference.significance.sequential import ALPHA
from ldap_workbench.model.errors import ExperimentError
from ldap_workbench.model.experiment import Experiment, Plan, Then
from ldap_workbench.model.message import Message
from ldap_workbench.model.passwords import named_passwords
from ldap_workbench.model.target import TargetFacts, distinct_names
from ldap_workbench.model.visible import one_line

Named: TypeAlias = tuple[Message, str]
"""A sentence, and what it names of the file: never cut, nor translated."""
_AFTERWARDS = {
    Then.ASK: Message("Afterwards: ask."),
    Then.KEEP: Message("Afterwards: keep."),
    Then.REVERT: Message("Afterwards: revert."),
    Then.KEEP_IF_BETTER: Message("Afterwards: keep if better, else revert."),
}


@dataclass(frozen=True)
class Origin:
    """The session file a plan was read from, and what that says of its server."""

    path: Path
    facts: TargetFacts | None
    plan: Plan

    @property
    def identity(self) -> str:
        """Of the server the file was made on; '' where the file does not say."""
        return self.facts.identity if self.facts else ""

    def check_server(self, now: TargetFacts) -> None:
        """Raises ExperimentError where the file was made on another server than this."""
        if self.identity and now.identity and self.identity != now.identity:
            assert self.facts is not None
            other, here = distinct_names(self.facts, now)
            raise ExperimentError(
                Message(
                    "The plan in {path} was made on another server: {other}, not {here}.",
                    path=one_line(str(self.path)),
                    other=one_line(other),
                    here=one_line(here),
                ),
                safe=Message("Nothing of it was used."),
                remedy=Message("Plan the experiment again on this server."),
            )

    def check_plan(self, stored: Experiment) -> None:
        """Raises ExperimentError where no workbench makes such a plan, or stops at such a step."""
        done = len(stored.windows)
        if not (is_measurable(stored.plan) and 0 <= done == stored.step <= len(stored.plan.steps)):
            raise ExperimentError(
                Message(
                    "The plan in {path} was not made by a workbench.", path=one_line(str(self.path))
                ),
                safe=Message("Nothing of it was used."),
                remedy=Message("Plan the experiment again on this server."),
            )

    def describe(self, plan: Plan, now: TargetFacts, restart_command: str | None) -> list[Named]:
        """All that `plan`, taken from the file, would do on the server `now`.

        A sentence each, and what it names of the file.
        """
        lines = [(Message("This plan comes from the file:"), str(self.path))]
        if not (self.identity and now.identity):
            unknown = Message(
                "It is not known on which server it was made: do not trust it unread."
            )
            lines.append((unknown, ""))
        lines += _runs(plan, restart_command)
        lines += [(Message("It sets:"), str(setting)) for setting in plan.treatment.settings]
        lines += _measures(plan)
        lines.append((_AFTERWARDS[plan.then], ""))
        return [(words, one_line(named)) for words, named in lines]


def _runs(plan: Plan, restart_command: str | None) -> list[Named]:
    """The commands, each in full."""
    lines = [(Message("It runs no load command."), "")]
    if plan.load and plan.load_on_host:
        lines = [(Message("It runs on the server's host, in every window:"), plan.load)]
    elif plan.load:
        lines = [(Message("It runs on this machine, in every window:"), plan.load)]
    lines += [(Message("It is given the password:"), name) for name in named_passwords(plan.load)]
    if plan.restart and restart_command:
        lines.append((Message("It restarts the server before every window:"), restart_command))
    elif plan.restart:
        lines.append((Message("It asks you to restart the server before every window."), ""))
    if plan.cold:
        drops = Message("It drops the page cache of the server's host before every window.")
        lines.append((drops, ""))
    return lines


def _measures(plan: Plan) -> list[Named]:
    """How long, and what the verdict and the safety limits look at."""
    trim = Message("{seconds:g} s", seconds=plan.trim_s)
    measures = Message(
        "It measures {windows} windows of {window_s:g} s, {settle_s:g} s after each change; "
        "discarded warm-up: {trim}.",
        windows=len(plan.steps),
        window_s=plan.window_s,
        settle_s=plan.settle_s,
        trim=Message("automatic") if plan.trim_auto else trim,
    )
    waits = Message(
        "It waits {patience_s:g} s at most for a server that does not answer, {restart_s:g} s "
        "after a restart.",
        patience_s=plan.patience_s,
        restart_s=plan.restart_wait_s,
    )
    lines = [(measures, ""), (waits, ""), (Message("Its verdict rests on:"), plan.primary)]
    lines.append((Message("Its latency target (SLO) is {slo:duration}.", slo=plan.slo_ns), ""))
    lines += [_guard(name, limit) for name, limit in plan.guards.items()]
    if plan.looks:
        looks = Message(
            "Interim analyses after {pairs} pairs: it ends at the first decision.",
            pairs=plan.looks,
        )
        lines.append((looks, ""))
    if plan.level != ALPHA:
        lines.append((Message("It counts p ≤ {level:g} as significant.", level=plan.level), ""))
    lines += [(Message("Its verdict also says:"), str(remark)) for remark in plan.earlier]
    if plan.futility:
        lines.append((Message("It also ends once an improvement that matters is unlikely."), ""))
    return lines


def _guard(name: str, limit: float) -> Named:
    """A safety limit; one that no workbench writes is named as it stands."""
    if name == ERROR_SHARE:
        return Message("It stops if errors exceed {limit:percent}.", limit=limit), ""
    if name == P99_NS:
        return Message("It stops if p99 exceeds {limit:duration}.", limit=round(limit)), ""
    if name == LAG_S:
        return Message(
            "It stops if a replica is more than {limit:g} s behind the others.", limit=limit
        ), ""
    return Message("It stops if this exceeds {limit:g}:", limit=limit), name
