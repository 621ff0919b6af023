"""What came of the seeds: a line each, and the table of commands by faults."""

from __future__ import annotations

from collections import Counter
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
