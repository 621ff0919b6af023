"""A replay as a process of its own, so that it has a processor for itself.

    python -m ldap_workbench.replay.child

The first line of standard input says what to play, with the password, which no command line may
hold. It ends when standard input does: whoever started it is gone, or wants it no longer. The
outcome comes out as one line of JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ldap_workbench.connect.children import Group, environment, module_command
from ldap_workbench.model.errors import ExperimentError
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel
from ldap_workbench.replay.endpoint import Endpoint
from ldap_workbench.replay.outcome import Outcome
from ldap_workbench.replay.player import Pace, play
from ldap_workbench.replay.script import read_script

FAULTY = 4
"""Exit status where its times or answers cannot be used."""


def start(script: Path, endpoint: Endpoint, pace: Pace, *, quiet: bool) -> Group:
    """Begin to play; closing its standard input ends it."""
    group = Group(
        module_command("ldap_workbench.replay.child"),
        reads_input=True,
        stdout=subprocess.DEVNULL if quiet else subprocess.PIPE,
        stderr=subprocess.DEVNULL if quiet else None,
        env=environment(),
    )
    order = {"script": str(script), "endpoint": asdict(endpoint), "pace": asdict(pace)}
    stdin = group.process.stdin
    assert stdin
    with suppress(OSError):  # it has ended: its status says so
        stdin.write(json.dumps(order).encode() + b"\n")
        stdin.flush()
    return group


def play_in_processes(
    script: Path, endpoint: Endpoint, pace: Pace, processes: int, cancel: Cancel
) -> Outcome:
    """Play a script by several processes, each with its share of the connections.

    Raises ExperimentError where one of them fails.
    """
    parts = [replace(pace, part=number, parts=processes) for number in range(processes)]
    running = [start(script, endpoint, part, quiet=False) for part in parts]
    over = threading.Event()
    stopper = threading.Thread(target=_stop_on_cancel, args=(running, cancel, over), daemon=True)
    stopper.start()
    try:
        return _added_up(running)
    finally:
        over.set()
        stopper.join()
        for group in running:
            _close(group)


def _stop_on_cancel(running: Sequence[Group], cancel: Cancel, over: threading.Event) -> None:
    while not over.wait(0.1):
        if cancel:
            for group in running:
                _close(group)
            return


def _close(group: Group) -> None:
    assert group.process.stdin
    with suppress(OSError):
        group.process.stdin.close()


def _added_up(running: Sequence[Group]) -> Outcome:
    total = Outcome()
    for group in running:
        process = group.process
        assert process.stdout
        said = process.stdout.read()
        process.stdout.close()
        status = process.wait()
        if status not in (0, FAULTY):
            raise ExperimentError(
                Message("A replay process ended with status {status:plain}.", status=status),
                safe=Message("Only entries of the replay were written."),
                remedy=Message("Read what it printed above, and try again."),
            )
        total.add(Outcome.of_json(json.loads(said)))
    return total


def main() -> int:
    """Play what standard input says."""
    order: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    cancel = Cancel()
    threading.Thread(target=_until_unwanted, args=(cancel,), daemon=True).start()
    outcome = play(
        read_script(Path(order["script"]), cancel),
        Endpoint(**order["endpoint"]),
        Pace(**order["pace"]),
        cancel,
    )
    print(json.dumps(outcome.to_json()))
    return FAULTY if outcome.fault else 0


def _until_unwanted(cancel: Cancel) -> None:
    while os.read(0, 1 << 12):  # not sys.stdin: its lock would be held when Python ends
        pass
    cancel.set()


if __name__ == "__main__":
    sys.exit(main())
