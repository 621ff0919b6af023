"""The faults themselves: each comes at once, lasts as long as the seed says and goes away again."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress

from tests.faults import stage as stages
from tests.faults.check import OTHER
from tests.faults.proxy import Proxy
from tests.faults.scenario import LOGINS, SIGNALS, Scenario
from tests.faults.stage import Place, Said, Stage

Process = subprocess.Popen[bytes]


def begin(stage: Stage, scenario: Scenario) -> None:
    """What there is of the fault before the command starts."""
    fault = scenario.fault
    if fault == "clock-step" and scenario.numbers["host"]:
        stage.login_asks_the_clock()
    if scenario.moment.kind == "before":
        if fault in LOGINS:
            stage.use_login(fault)
        elif fault == "stuck-pool":
            stage.stick()


def strike(stage: Stage, place: Place, scenario: Scenario, process: Process) -> list[Said]:
    """Let the fault happen; returns when it is over, with what second workbenches said."""
    fault, numbers = scenario.fault, scenario.numbers
    if fault in SIGNALS:
        process.send_signal(getattr(signal, fault))
    elif fault == "STOP":
        _stop(process, numbers["seconds"])
    elif fault == "server-death":
        _server_death(stage, process, numbers)
    elif fault.startswith("disk-"):
        _full_disk(place, fault.removeprefix("disk-"), process, numbers["seconds"])
    elif fault == "ldap-lost-answer":
        _lost_answer(stage, scenario, process, numbers["seconds"])
    elif fault == "name-moves":
        _name_moves(stage, process, numbers)
    elif fault == "clock-step":
        stage.clock.set(int(numbers["step_s"]))
    elif fault == "stuck-pool":
        _stuck_pool(stage, process, numbers)
    elif fault in LOGINS:
        if scenario.moment.kind != "before":
            stage.use_login(fault)
    elif fault == "two-workbenches":
        return [_second_workbench(stage, place, scenario)]
    else:
        line, _, what = fault.partition("-")
        _line(stage.ldap if line == "ldap" else stage.ssh, what, process, numbers)
    return []


def _stop(process: Process, seconds: float) -> None:
    process.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    process.send_signal(signal.SIGCONT)


def _server_death(stage: Stage, process: Process, numbers: dict[str, float]) -> None:
    """kill -9; started again after a moment, or not before the command has ended."""
    with suppress(OSError, ValueError):  # stopped at this moment for an edit: dead already
        os.kill(stage.lab.slapd.pid, signal.SIGKILL)
    if numbers["comes_back"]:
        _wait(process, numbers["seconds"])
        stage.start_again()


def _name_moves(stage: Stage, process: Process, numbers: dict[str, float]) -> None:
    """The links are cut, and new ones lead to another server; for a moment, or to the end."""
    stage.name_leads_to(stage.another_server().port)
    if numbers["comes_back"]:
        _wait(process, numbers["seconds"])
        stage.name_leads_to(stage.lab.port)


def _stuck_pool(stage: Stage, process: Process, numbers: dict[str, float]) -> None:
    """Connections are taken, by the kernel, and nobody answers; for a moment, or to the end."""
    stage.stick()
    if numbers["comes_back"]:
        _wait(process, numbers["seconds"])
        stage.unstick()


def _full_disk(place: Place, which: str, process: Process, seconds: float) -> None:
    """No byte left, and room again later; without root files are limited from the start."""
    if not place.disks:
        return
    folder = place.sessions if which == "session" else place.home / "state"
    stages.fill(folder)
    _wait(process, 30 * seconds)
    stages.make_room(folder)


def _lost_answer(stage: Stage, scenario: Scenario, process: Process, seconds: float) -> None:
    """The server does what it was asked to; the answer is lost, and then the link."""
    value = scenario.command.settings[-1].partition("=")[2].encode()
    values = b"\x04" + bytes([len(value)]) + value
    stage.ldap.swallow_answer(b"\x31" + bytes([len(values)]) + values)
    while process.poll() is None and not stage.ldap.answer_swallowed.wait(0.05):
        pass
    _wait(process, seconds)
    stage.ldap.cut()
    stage.ldap.heal()


def _second_workbench(stage: Stage, place: Place, scenario: Scenario) -> Said:
    """The same server by another name, at the same time, with a change of its own."""
    other = stage.place(f"{place.mark}-other") if not scenario.numbers["same_home"] else place
    words = ["experiment", OTHER, "-o", str(other.folder / "other.ldapwb"), "--design",
             "pairs:1", "--window", "1", "--settle", "0.3", "--then", "revert", "--yes", "--json",
             "--set", "nsslapd-idlistscanlimit=7000"]  # fmt: skip
    return stage.run(other, words, "other")


def _line(proxy: Proxy, what: str, process: Process, numbers: dict[str, float]) -> None:
    faults: dict[str, Callable[[], None]] = {
        "cut": proxy.cut,
        "refuse": lambda: proxy.cut(refuse=True),
        "half-open": proxy.drop,
        "delay": lambda: proxy.delay(up=numbers["up"], down=numbers["down"]),
        "truncate": lambda: proxy.truncate(down=int(numbers["down"])),
        "slow": lambda: proxy.limit(up=numbers["bytes_per_s"], down=numbers["bytes_per_s"]),
        "freeze": proxy.freeze,
    }
    faults[what]()
    if what == "truncate":
        while process.poll() is None and not proxy.truncated.wait(0.05):
            pass
    if what not in ("delay", "slow"):  # those last to the end of the command
        _wait(process, numbers["seconds"])
        proxy.heal()


def _wait(process: Process, seconds: float) -> None:
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
