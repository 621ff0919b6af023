"""What a seed stands for: a command, a fault and the moment of it; nothing else is random."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

SIGNALS = ("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT")
_LINE = ("cut", "refuse", "half-open", "delay", "truncate", "slow", "freeze")
LINE_FAULTS = tuple(f"{line}-{what}" for line in ("ldap", "ssh") for what in _LINE)
WORKING_LOGINS = ("login-bash", "login-csh", "login-fish", "login-german")
REFUSING_LOGINS = ("login-exit", "login-requiretty", "login-expired")
LOGINS = (*WORKING_LOGINS, *REFUSING_LOGINS)
FAULTS = (*SIGNALS, "STOP", *LINE_FAULTS, "ldap-lost-answer", "disk-session", "disk-journal",
          "server-death", "two-workbenches", "name-moves", "clock-step", *LOGINS,
          "stuck-pool")  # fmt: skip
_NAME_MOVES, _CLOCK_STEP, _LOGIN, _STUCK_POOL, _INDEX = 0.06, 0.05, 0.06, 0.04, 0.1
"""Shares of the seeds that may have it: each drawn apart, so that all others stay as they were."""
_ASKED_AT_START = range(100, 800, 10)
"""Bytes that a capture sends from its bind to the search that begins its window, about."""


@dataclass(frozen=True)
class Command:
    """What is run: the knobs it sets, and how long it takes on a quiet machine, about, s."""

    name: str
    share: int
    seconds: float
    settings: tuple[str, ...] = ()
    offline: bool = False
    restart: bool = False
    phases: tuple[str, ...] = ()
    """Words of its progress after which a fault may come."""

    @property
    def experiment(self) -> bool:
        return bool(self.settings) and self.name != "revert"


_PHASES = ("Checking the plan", "after the change", "Applying", "Reverting", "Judging",
           "(arm A): Measuring", "(arm B): Measuring", "(arm B): Starting",
           "(arm B): Waiting")  # fmt: skip
COMMANDS = (
    Command("capture", 26, 3.5, phases=("Starting", "Measuring", "Waiting")),
    Command("live", 26, 6, ("nsslapd-idlistscanlimit=5000",), phases=_PHASES),
    Command("group", 12, 6, ("nsslapd-lookthroughlimit=6000", "nsslapd-idlistscanlimit=5000",
                             "nsslapd-timelimit=3000"), phases=_PHASES),
    Command("restart", 8, 11, ("nsslapd-threadnumber=20",), restart=True,
            phases=(*_PHASES, "Restarting", "The server is down")),
    Command("offline", 8, 13, ("nsslapd-db-durable-transaction=off",), offline=True, restart=True,
            phases=(*_PHASES, "Restarting", "The server is down")),
    Command("revert", 12, 0.9, ("nsslapd-lookthroughlimit=6000", "nsslapd-idlistscanlimit=5000",
                                "nsslapd-timelimit=3000")),
    Command("creation", 8, 0.8),
    Command("index", 0, 8, ("index.employeeNumber=eq,sub",),
            phases=(*_PHASES, "Setting index", "Building the index")),
)  # fmt: skip


@dataclass(frozen=True)
class Moment:
    """When the fault comes: before or so long after the start, a line of progress, a journal state
    or so many bytes that the command has asked the server."""

    kind: str
    what: str = ""
    after_s: float = 0.0

    def __str__(self) -> str:
        if self.kind == "before":
            return "before the start"
        where = {"time": "the start", "line": f"'{self.what}'", "journal": f"journal {self.what}",
                 "asked": f"{self.what} bytes were asked"}  # fmt: skip
        return f"{self.after_s:.3f} s after {where[self.kind]}"


@dataclass(frozen=True)
class Scenario:
    """One seed, drawn. `numbers` are the fault's own: bytes, seconds, sizes."""

    seed: int
    command: Command
    fault: str
    moment: Moment
    numbers: dict[str, float] = field(default_factory=dict)
    recovery: str = "revert"
    """What follows where a change is left open: revert, or revert and then --resume."""

    @property
    def seconds(self) -> float:
        """How long it takes on a quiet machine, about."""
        silent = self.fault == "stuck-pool" and not self.numbers["comes_back"]
        slow = self.fault.endswith(("-delay", "-slow"))
        return self.command.seconds + (60.0 if silent else 30.0 if slow else 0.0)

    def __str__(self) -> str:
        numbers = "".join(f" {name}={value:g}" for name, value in sorted(self.numbers.items()))
        return f"{self.command.name} / {self.fault}{numbers}, {self.moment}, then {self.recovery}"


def draw(seed: int) -> Scenario:
    """The scenario of a seed: the same on every machine, whatever was drawn before."""
    dice = random.Random(f"faults-{seed}")
    command = dice.choices(COMMANDS, [each.share for each in COMMANDS])[0]
    fault = dice.choice([fault for fault in _weighted() if _fits(command, fault)])
    moment = _moment(dice, command, fault)
    recovery = "resume" if command.experiment and dice.random() < 0.3 else "revert"
    for drawn in (_name_moves, _stuck_pool, _clock_step, _login, _index):
        if scenario := drawn(seed, command):
            return scenario
    return Scenario(seed, command, fault, moment, _numbers(dice, fault), recovery)


def longest_first(seeds: Iterable[int]) -> list[int]:
    """The seeds in the order in which several players have done them soonest."""
    return sorted(seeds, key=lambda seed: -draw(seed).seconds)


def _index(seed: int, command: Command) -> Scenario | None:
    """The change is an index, with its build; workbench or server end, or a link breaks."""
    dice = random.Random(f"index-{seed}")
    if command.name != "live" or dice.random() >= _INDEX:
        return None
    command = next(command for command in COMMANDS if command.name == "index")
    fault = dice.choice((*SIGNALS, *SIGNALS, "STOP", "server-death", "ldap-cut", "ldap-half-open"))
    return Scenario(seed, command, fault, _moment(dice, command, fault), _numbers(dice, fault))


def _name_moves(seed: int, command: Command) -> Scenario | None:
    """The name of the server leads to another one once the command has connected."""
    dice = random.Random(f"name-moves-{seed}")
    changes = command.experiment or command.name == "revert"
    if not changes or command.offline or dice.random() >= _NAME_MOVES:
        return None
    after_s = round(dice.uniform(0, dice.choice((0.0, 0.02, 0.6))), 3)
    states = ["reverting", "reverted", *(["intended", "applied"] if command.experiment else [])]
    if command.phases and dice.random() < 0.5:
        moment = Moment("line", dice.choice(command.phases), after_s)
    else:
        moment = Moment("journal", dice.choice(states), after_s)
    seconds = round(dice.choice((1, 3)) * dice.uniform(0.5, 1.5), 2)
    numbers = {"seconds": seconds, "comes_back": float(dice.random() < 0.3)}
    return Scenario(seed, command, "name-moves", moment, numbers)


def _stuck_pool(seed: int, command: Command) -> Scenario | None:
    """No worker of the server is free, for a moment or to the end; mostly at a capture."""
    dice = random.Random(f"stuck-pool-{seed}")
    capture = command.name == "capture"
    if command.name == "creation" or dice.random() >= _STUCK_POOL * (3 if capture else 1):
        return None
    moment = _moment_of_host(dice, command)
    # A server that is to restart, or whose file is edited, would be waited for as long as it hangs.
    forever = dice.random() < (0.8 if capture else 0.1) and not command.restart
    seconds = round(dice.choice((1, 4)) * dice.uniform(0.5, 1.5), 2)
    numbers = {"seconds": seconds, "comes_back": float(not forever)}
    if moment.kind == "before" and dice.random() < 0.7:  # while it connects, reads facts, starts
        moment = Moment("asked", str(dice.choice(_ASKED_AT_START)))
    return Scenario(seed, command, "stuck-pool", moment, numbers)


def _clock_step(seed: int, command: Command) -> Scenario | None:
    """The clock of the log is set, and in some seeds that of the host with it."""
    dice = random.Random(f"clock-step-{seed}")
    if command.name not in ("capture", "live", "group") or dice.random() >= _CLOCK_STEP * 2:
        return None
    measuring = [phase for phase in command.phases if phase.endswith("Measuring")]
    phase = dice.choice(measuring) if dice.random() < 0.8 else dice.choice(command.phases)
    moment = Moment("line", phase, round(dice.uniform(0, 0.6), 3))
    # After a short step back an experiment may come to a window at the time of the step again.
    spans = [(3, 10), (30, 90), (600, 7200)] if command.name == "capture" else [(600, 7200)]
    step_s = dice.randint(*dice.choice(spans)) * dice.choice((1, -1))
    numbers = {"step_s": float(step_s), "host": float(dice.random() < 0.4)}
    return Scenario(seed, command, "clock-step", moment, numbers)


def _login(seed: int, command: Command) -> Scenario | None:
    """The host's login is one of those that people have."""
    dice = random.Random(f"login-{seed}")
    if command.name == "creation" or dice.random() >= _LOGIN:
        return None
    fault = dice.choice(LOGINS)
    moment = _moment_of_host(dice, command)
    if command.restart and fault in REFUSING_LOGINS:  # what needs it could never be put back
        moment = Moment("before")
    return Scenario(seed, command, fault, moment)


def _moment_of_host(dice: random.Random, command: Command) -> Moment:
    """Mostly before the command; else in a phase of its work."""
    if not command.phases or dice.random() < 0.5:
        return Moment("before")
    return Moment("line", dice.choice(command.phases), round(dice.uniform(0, 0.6), 3))


def _weighted() -> list[str]:
    """Signals, full disks, deaths and second workbenches as often as all faults of the lines."""
    rare = (*SIGNALS, "STOP", "ldap-lost-answer", "disk-session", "disk-journal", "server-death",
            "two-workbenches")  # fmt: skip
    return [*LINE_FAULTS, *rare, *rare]


def _fits(command: Command, fault: str) -> bool:
    if command.name == "creation":
        return fault in (*SIGNALS, "STOP", "disk-session")
    if command.name == "capture":
        return fault not in ("ldap-lost-answer", "disk-journal", "two-workbenches")
    if command.name == "revert":
        return fault != "disk-session"
    return fault != "ldap-lost-answer" or not command.offline


def _moment(dice: random.Random, command: Command, fault: str) -> Moment:
    """Mostly at any time; else where it hurts: beside a write, or in a phase of the work."""
    chance, soon = dice.random(), dice.choice((0.0, 0.02, 0.3))
    if fault in ("ldap-lost-answer", "two-workbenches"):  # armed from the start
        return Moment("time", after_s=round(dice.uniform(0, command.seconds / 2), 3))
    if chance < 0.35 and (command.experiment or command.name == "revert"):
        states = ["reverting", "reverted"]
        if command.experiment:
            states += ["intended", "applied"]
        return Moment("journal", dice.choice(states), round(dice.uniform(0, soon), 3))
    if chance < 0.6 and command.phases:
        return Moment("line", dice.choice(command.phases), round(dice.uniform(0, 2 * soon), 3))
    return Moment("time", after_s=round(dice.uniform(0.1, command.seconds), 3))


def _numbers(dice: random.Random, fault: str) -> dict[str, float]:
    line, _, kind = fault.partition("-")
    seconds = round(dice.choice((0.3, 1, 3)) * dice.uniform(0.5, 1.5), 2)
    numbers: dict[str, Any] = {
        "STOP": {"seconds": seconds},
        "disk-session": {"seconds": seconds},
        "disk-journal": {"seconds": seconds},
        "server-death": {"seconds": seconds, "comes_back": float(dice.random() < 0.7)},
        "ldap-lost-answer": {"seconds": seconds},
        "two-workbenches": {"same_home": float(dice.random() < 0.6)},
    }
    if fault in numbers:
        return dict(numbers[fault])
    most = 6000 if line == "ldap" else 200_000
    of_line: dict[str, dict[str, float]] = {
        "delay": {"up": round(dice.uniform(0, 0.3), 3), "down": round(dice.uniform(0, 0.3), 3)},
        "truncate": {"down": float(dice.randrange(most))},
        "slow": {"bytes_per_s": float(dice.choice((20_000, 100_000, 400_000)))},
    }
    return {"seconds": seconds} | of_line.get(kind, {}) if kind in _LINE else {}
