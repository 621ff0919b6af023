"""Replication lag on real servers: python -m tests.bench.lag_on_lab [--replicas 3].

Replicating 389 DS are captured side by side under writes on the first. In the middle the agreement
to the last is switched off for six seconds: the capture must show the last one behind, the others
not. Prints the largest lag of each beside what the test itself saw.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import ldap3

from tests.live.lab.ds389 import Lab
from tests.live.lab.replication import REPLICA, replicating, settled
from tests.live.lab.users import SUFFIX

OFF_S = 6.0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.lag_on_lab")
    parser.add_argument("--replicas", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=20)
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="lag-"))
    with replicating(asked.replicas, 200) as labs:
        environment = os.environ | settled(labs, folder)
        names = [f"ds{number}" for number in range(1, asked.replicas + 1)]
        words = [sys.executable, "-m", "ldap_workbench", "capture", *names, "--seconds",
                 str(asked.seconds), "-o", str(folder / "lag.ldapwb")]  # fmt: skip
        over = threading.Event()
        writer = threading.Thread(target=write, args=(labs[0], over))
        writer.start()
        capture = subprocess.Popen([*words, "--json"], env=environment, stdout=subprocess.PIPE)
        try:
            time.sleep(asked.seconds / 2)
            off = isolated(labs)
            out, _ = capture.communicate(timeout=120)
        finally:
            over.set()
            writer.join()
    print(f"agreements to {names[-1]} were off for {off:.1f} s")
    for each in json.loads(out):
        print(
            f"{each['profile']}: {each['largest_lag_s']:.1f} s behind at most, clock "
            f"{each['clock_offset_ns'] / 1e6:+.2f} ms (±{each['clock_error_ns'] / 1e6:.2f}), "
            f"agreements to {', '.join(str(a['port']) for a in each['agreements'])}"
        )


def write(lab: Lab, over: threading.Event) -> None:
    """Some ten changes a second."""
    link, number = lab.slapd.link(), 0
    while not over.wait(0.1):
        number += 1
        values = {"description": [(ldap3.MODIFY_REPLACE, [f"change {number}"])]}
        link.modify(f"uid=user000001,ou=people,{SUFFIX}", values)
    link.unbind()


def isolated(labs: list[Lab]) -> float:
    """The last replica without any of the others; how long, in seconds."""
    links = [(lab.slapd.link(), lab) for lab in labs[:-1]]
    dn = f"cn=to-{labs[-1].slapd.port},{REPLICA}"
    began = time.monotonic()
    for state in ("off", "on"):
        for link, _ in links:
            link.modify(dn, {"nsds5ReplicaEnabled": [(ldap3.MODIFY_REPLACE, [state])]})
            assert link.result["description"] == "success", link.result
        if state == "off":
            time.sleep(OFF_S)
    for link, _ in links:
        link.unbind()
    return time.monotonic() - began


if __name__ == "__main__":
    main()
