"""What a capture costs the server: its rate with and without one running, in turns.

    python -m tests.bench.capture_cost [--rounds 6] [--seconds 20]

A private 389 DS is loaded by ldclt (searches, closed loop) without a pause; in every other stretch
of time a whole capture runs. The rate is counted by the server itself (opscompleted of cn=monitor),
so the ratio holds however fast the machine is. Server, load and sshd get the first processor and
the workbench the others, as on a host and a laptop: the ratio tells what a capture costs the host.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from contextlib import closing
from pathlib import Path

import numpy as np

from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.window import capture
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.session.writer import SessionWriter
from tests.live.lab.ds389 import Lab
from tests.live.lab.steps import load


def operations_done(target: Target) -> int:
    entry = target.directory.search("cn=monitor", attributes=("opscompleted",))[0]
    return int(entry.first("opscompleted") or 0)


def rate(target: Target, seconds: float, folder: Path | None) -> float:
    """Operations a second over a stretch of time, with a capture into `folder` or without."""
    began, before = time.monotonic(), operations_done(target)
    if folder is None:
        time.sleep(seconds)
    else:
        path = folder / f"{time.monotonic_ns()}.ldapwb"
        with SessionWriter.create(path, target.facts) as writer:
            capture(target, writer, CapturePlan(seconds))
        path.unlink()
    return (operations_done(target) - before) / (time.monotonic() - began)


def _connect(lab: Lab, processors: list[int]) -> Target:
    """From here on this process keeps off the host's processor; threads inherit that."""
    os.sched_setaffinity(0, processors or [0])
    return connect(lab.profile, Secrets())


def main() -> None:
    command = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    command.add_argument("--rounds", type=int, default=6)
    command.add_argument("--seconds", type=float, default=20)
    chosen = command.parse_args()
    ratios = []
    processors = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, processors[:1])
    with Lab().start() as lab, tempfile.TemporaryDirectory() as name:
        os.environ.update(lab.environment)
        needed = chosen.rounds * (2 * chosen.seconds + 180) + 60
        with (
            load(lab, "search", needed) as running,
            closing(_connect(lab, processors[1:])) as target,
        ):
            for turn in range(chosen.rounds):
                order = [None, Path(name)] if turn % 2 == 0 else [Path(name), None]
                rates = {folder: rate(target, chosen.seconds, folder) for folder in order}
                if running.poll() is not None:
                    raise SystemExit("The load ended before the last round: nothing is told.")
                without, with_capture = rates[None], rates[Path(name)]
                ratios.append(with_capture / without)
                print(
                    f"round {turn + 1}: {without:,.0f}/s without, {with_capture:,.0f}/s with: "
                    f"{ratios[-1]:.3f}",
                    flush=True,
                )
    logs = np.log(ratios)
    error = logs.std(ddof=1) / np.sqrt(len(logs))
    middle = float(np.exp(logs.mean()))
    print(f"ratio {middle:.3f} (standard error {error:.3f}, {len(ratios)} rounds)")


if __name__ == "__main__":
    main()
