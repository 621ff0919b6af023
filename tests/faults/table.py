"""What came of the seeds: a line each, and the table of commands by faults."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tests.faults.scenario import COMMANDS, FAULTS, Scenario


@dataclass(frozen=True)
class Outcome:
    """One seed that was played."""

    seed: int
    command: str
    fault: str
    scenario: str
    violations: tuple[str, ...]
    seconds: float
    status: int | None
    struck: bool
    commit: str = ""
    """What was played: short hash, with a + where files were changed since."""

    @classmethod
    def of(
        cls,
        scenario: Scenario,
        violations: list[str],
        seconds: float,
        status: int | None,
        *,
        struck: bool,
    ) -> Outcome:
        return cls(
            scenario.seed,
            scenario.command.name,
            scenario.fault,
            str(scenario),
            tuple(violations),
            seconds,
            status,
            struck,
        )

    def __str__(self) -> str:
        word = "FAIL" if self.violations else "ok  "
        missed = "" if self.struck else "; it had ended before"
        line = (
            f"{word} {self.seed:5} {self.seconds:5.1f} s  {self.scenario} "
            f"(status {self.status}{missed})"
        )
        return "\n".join([line, *(f"         {each}" for each in self.violations)])


def format_record(outcomes: list[Outcome]) -> str:
    """Markdown for docs/reliability.md: what was played on which commits, the table, failures."""
    failed = [outcome for outcome in outcomes if outcome.violations]
    seeds = {outcome.seed for outcome in outcomes}
    struck = sum(outcome.struck for outcome in outcomes)
    head = (
        f"{len(seeds)} seeds ({_ranges(seeds)}), played {len(outcomes)} times, {len(failed)} with "
        f"a violation; in {struck} the fault came before the command had ended.\n"
    )
    commits = Counter(outcome.commit or "unknown" for outcome in outcomes)
    counts = ", ".join(f"{commit} ({n})" for commit, n in commits.items())
    lines = [head, f"Commits: {counts}.\n", format_table(outcomes)]
    if failed:
        lines += ["", "| seed | commit | scenario | violation |", "|---:|---|---|---|"]
        lines += [_failure(each) for each in failed]
    return "\n".join(lines)


def _failure(outcome: Outcome) -> str:
    found = "; ".join(each for each in outcome.violations if not each.startswith("kept: "))
    found = re.sub(r"/\S+/", "", found)  # a path of the machine it was played on says nothing
    found = found.replace("|", "\\|").replace("\n", " ")[:300]
    return f"| {outcome.seed} | {outcome.commit} | {outcome.scenario} | {found} |"


def _ranges(seeds: Iterable[int]) -> str:
    """'1 to 3, 7' for 1, 2, 3, 7."""
    spans: list[list[int]] = []
    for seed in sorted(seeds):
        if spans and seed == spans[-1][1] + 1:
            spans[-1][1] = seed
        else:
            spans.append([seed, seed])
    return ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in spans)


def format_table(outcomes: list[Outcome]) -> str:
    """Rows are faults, columns commands: how many seeds, and how many of them failed."""
    commands = [command.name for command in COMMANDS]
    played = Counter((each.fault, each.command) for each in outcomes)
    failed = Counter((each.fault, each.command) for each in outcomes if each.violations)
    rows = [["fault", *commands, "all"]]
    for fault in FAULTS:
        cells = [_cell(played[fault, name], failed[fault, name]) for name in commands]
        n = sum(played[fault, name] for name in commands)
        bad = sum(failed[fault, name] for name in commands)
        if n:
            rows.append([fault, *cells, _cell(n, bad)])
    totals = [
        _cell(sum(played[f, name] for f in FAULTS), sum(failed[f, name] for f in FAULTS))
        for name in commands
    ]
    rows.append(["all", *totals, _cell(len(outcomes), sum(failed.values()))])
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, f"|{'---|' + '---:|' * (len(commands) + 1)}")
    return "\n".join(lines)


def _cell(n: int, failed: int) -> str:
    if not n:
        return ""
    return f"{n} ({failed} failed)" if failed else str(n)
