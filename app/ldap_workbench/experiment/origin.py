"""A plan that comes from a file: whoever wrote it may have been a stranger.

What such a plan runs, writes and decides is told in full before anything of it is taken over, and
it is taken over on the server only that the file was made on.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ldap_workbench.model.errors import ExperimentError
from ldap_workbench.model.experiment import Plan
from ldap_workbench.model.message import Message
from ldap_workbench.model.passwords import named_passwords
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.visible import one_line


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
            raise ExperimentError(
                Message(
                    "The plan in {path} was made on another server: {host}, not {host2}.",
                    path=one_line(str(self.path)),
                    host=one_line(self.facts.host),
                    host2=one_line(now.host),
                ),
                safe=Message("Nothing of it was used."),
                remedy=Message("Plan the experiment again on this server."),
            )

    def describe(
        self, plan: Plan, now: TargetFacts, restart_command: str | None
    ) -> list[tuple[str, str]]:
        """All that `plan`, taken from the file, would do on the server `now`.

        A sentence each, and what it names from the file: that is never cut, nor translated.
        """
        lines = [("This plan comes from the file:", str(self.path))]
        if not (self.identity and now.identity):
            unknown = "It is not known on which server it was made: read it as a stranger's."
            lines.append((unknown, ""))
        lines += _runs(plan, restart_command)
        lines += [("It sets:", str(each)) for each in plan.treatment.settings]
        lines += _measures(plan)
        lines.append((f"Afterwards: {plan.then.value}.", ""))
        return [(words, one_line(named)) for words, named in lines]


def _runs(plan: Plan, restart_command: str | None) -> list[tuple[str, str]]:
    """The commands, each in full."""
    if not plan.load:
        lines = [("It runs no load command.", "")]
    elif plan.load_on_host:
        lines = [("It runs on the server's host, in every window:", plan.load)]
    else:
        lines = [("It runs on this machine, in every window:", plan.load)]
    lines += [("It is given the password:", name) for name in named_passwords(plan.load)]
    if plan.restart and restart_command:
        lines.append(("It restarts the server before every window:", restart_command))
    elif plan.restart:
        lines.append(("It asks you to restart the server before every window.", ""))
    if plan.cold:
        lines.append(("It drops the page cache of the server's host before every window.", ""))
    return lines


def _measures(plan: Plan) -> list[tuple[str, str]]:
    """How long, and what the verdict and the guard rails look at."""
    cut = "auto" if plan.trim_auto else f"{plan.trim_s:g} s"
    measures = (
        f"It measures {len(plan.steps)} windows of {plan.window_s:g} s, {plan.settle_s:g} s after "
        f"each change; cut from the start: {cut}."
    )
    lines = [(measures, ""), ("Its verdict rests on:", plan.primary)]
    lines.append((f"A good answer takes at most {plan.slo_ns / 1e6:g} ms.", ""))
    lines += [
        (f"It ends early when this exceeds {limit:g}:", name) for name, limit in plan.guards.items()
    ]
    if plan.looks:
        pairs = ", ".join(map(str, plan.looks))
        looks = f"It is looked at after {pairs} pairs, and ends at the first decision."
        lines.append((looks, ""))
    return lines
