"""How many searches a second one process replays: python -m tests.bench.replay_speed.

Against the lab, a real 389 DS on this machine, which takes a processor itself: what counts for the
generator is its own processor time a request. Each connection asks for one entry and, as soon as
the answer is there, for the next. Plain, with TLS, and with StartTLS; then connections that ask
once, which is what shaking hands costs.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

from ldap_workbench.model.progress import Cancel
from ldap_workbench.replay.endpoint import Endpoint
from ldap_workbench.replay.outcome import Outcome
from ldap_workbench.replay.player import Pace, play
from ldap_workbench.replay.script import Conversation, Request, Script
from tests.live.lab.ds389 import Lab
from tests.live.lab.users import SUFFIX

CONNECTIONS = 20
SHORT, APART_NS = 500, 20_000_000
"""Connections that ask once, and the time between them."""


def user(number: int) -> Request:
    return Request(True, 0, SUFFIX, 2, f"(uid=user{number % 1000:06d})", ("cn",), 0, 1)


def script(requests: int) -> Script:
    """Every connection asks for users one after the other, without thinking."""
    conversations = []
    for connection in range(CONNECTIONS):
        last = requests // CONNECTIONS + connection
        asked = tuple(map(user, range(connection, last)))
        conversations.append(Conversation(0, asked))
    return Script(10**12, "lab", "", tuple(conversations))


def short_script() -> Script:
    """Connections that ask for one user each."""
    asked = (Conversation(number * APART_NS, (user(number),)) for number in range(SHORT))
    return Script(10**12, "lab", "", tuple(asked))


def endpoints(lab: Lab) -> dict[str, Endpoint]:
    """The lab, by how it is reached."""
    here, ca_file = "127.0.0.1", str(lab.ca_file)
    return {
        "plain": Endpoint(here, lab.port),
        "ldaps": Endpoint(here, lab.slapd.tls_port, secure=True, ca_file=ca_file),
        "StartTLS": Endpoint(here, lab.port, starttls=True, ca_file=ca_file),
    }


def cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.replay_speed")
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    asked = parser.parse_args()
    lab = Lab().start()
    try:
        for name, endpoint in endpoints(lab).items():
            for _ in range(asked.runs):
                print(name, measured(endpoint, script(asked.requests)), flush=True)
            print(name, measured(endpoint, short_script()), flush=True)
    finally:
        lab.stop()


def measured(endpoint: Endpoint, of: Script) -> str:
    """One line: requests, wall and processor time."""
    began, before = time.monotonic(), cpu_s()
    said: Outcome = play(of, endpoint, Pace(), Cancel())
    wall, cpu = time.monotonic() - began, cpu_s() - before
    return (
        f"{said.answered:,} answers in {wall:.2f} s = {said.answered / wall:,.0f}/s; "
        f"{1e6 * cpu / said.answered:.1f} µs of processor each = {said.answered / cpu:,.0f} "
        f"a processor second; codes {dict(said.codes)}; {len(said.connect_ns):,} connections in "
        f"{np.median(said.connect_ns) / 1e6:.1f} ms each; sent late {said.lateness()}"
    )


if __name__ == "__main__":
    main()
