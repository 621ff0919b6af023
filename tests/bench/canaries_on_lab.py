"""A canary on real servers: python -m tests.bench.canaries_on_lab [--replicas 3] [--kill].

Two or three 389 DS that replicate to each other on loopback, each under its own ldclt. On all of
them the ID list scan limit was set to 100, which makes a search by the beginning of a mail address
look at every entry. A canary with the limit back at 4000 must find that; one with a knob that does
nothing, with the limit at 4000 on all of them, must not. With --kill the first is killed in a
window and resumed. Prints the verdicts, and whether every configuration is as before.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import ldap3

from ldap_workbench.campaign.canary import CANARIES
from tests.live.lab.ds389 import Lab
from tests.live.lab.replication import replicating, settled
from tests.live.lab.users import SUFFIX

_COUNTED = "nsds5replicachangessentsincestartup"
"""What an agreement counts by itself."""
LDBM = "cn=config,cn=ldbm database,cn=plugins,cn=config"
GOOD, NOTHING = "nsslapd-idlistscanlimit=4000", "nsslapd-maxthreadsperconn=6"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.canaries_on_lab")
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--window", type=float, default=6.0)
    parser.add_argument("--users", type=int, default=2000)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--only", choices=("good", "nothing"))
    parser.add_argument("--keep", type=Path, help="folder for the sessions and the reports")
    asked = parser.parse_args()
    folder = asked.keep or Path(tempfile.mkdtemp(prefix="canaries-"))
    folder.mkdir(parents=True, exist_ok=True)
    with replicating(asked.replicas, asked.users) as labs:
        for lab in labs:
            limit(lab, "100")
        home = Path(tempfile.mkdtemp(prefix="canaries-home-"))
        environment = os.environ | settled(labs, home)
        os.environ["LDAP_WORKBENCH_HOME"] = str(home)
        for name, setting in (("good", GOOD), ("nothing", NOTHING)):
            if asked.only in (None, name):
                if name == "nothing":
                    for lab in labs:
                        limit(lab, "4000")
                before = [lab.ldif_of_config() for lab in labs]
                kill = asked.kill and name == "good"
                output = folder / f"{name}.ldapwb"
                found = canary(labs, output, setting, asked, environment, kill=kill)
                tell(name, found, labs, before)


def limit(lab: Lab, value: str) -> None:
    """Set the ID list scan limit, as an operator long ago."""
    link = lab.slapd.link()
    link.modify(LDBM, {"nsslapd-idlistscanlimit": [(ldap3.MODIFY_REPLACE, [value])]})
    assert link.result["description"] == "success", link.result
    link.unbind()


def canary(
    labs: Sequence[Lab],
    output: Path,
    setting: str,
    asked: argparse.Namespace,
    environment: dict[str, str],
    *,
    kill: bool,
) -> dict[str, object]:
    """What the command says in the end."""
    names = [f"ds{number}" for number in range(1, len(labs) + 1)]
    load = shlex.join(
        [
            "ldclt", "-h", "{host}", "-p", "{port}", "-n", "2", "-N", "1000", "-q", "-b",
            f"ou=people,{SUFFIX}", "-e", "esearch,random", "-r", "0", "-R", "9",
            "-f", "mail=user0001X*",
        ]
    )  # fmt: skip
    words = [
        sys.executable, "-m", "ldap_workbench", "canary", *names, "-o", str(output), "--window",
        str(asked.window), "--blocks", str(asked.blocks), "--settle", "1", "--primary", "p50",
        "--seed", "7", "--then", "revert", "--yes", "--json", "--max-lag", "30",
    ]  # fmt: skip
    new = [*words, "--set", setting, "--load", load]
    if kill:
        killed(new, output, environment)
        new = [*words, "--resume"]
    began = time.monotonic()
    done = subprocess.run(new, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{done.stdout}\n{done.stderr}")
    print(f"{time.monotonic() - began:.0f} s", *done.stderr.splitlines()[:6], sep="\n  ")
    found: dict[str, object] = json.loads(done.stdout)
    return found


def killed(words: Sequence[str], output: Path, environment: dict[str, str]) -> None:
    """Run until five windows are there and the sixth has begun, then kill -9."""
    process = subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        state = CANARIES.of(output)
        if state and len(state.windows) >= 5 and "Measuring" in line:
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    state = CANARIES.of(output)
    assert state is not None
    print(f"killed with {len(state.windows)} windows measured")


def tell(name: str, found: dict[str, object], labs: Sequence[Lab], before: Sequence[str]) -> None:
    """One line for the verdict, one for the servers."""
    verdict = found["verdict"]
    assert isinstance(verdict, dict)
    primary = verdict["primary"]
    print(
        f"{name}: {primary['verdict']}, B/A {primary['ratio']} "
        f"[{primary['low']} to {primary['high']}], p = {primary['p']:.4f}, "
        f"{primary['n_pairs']} blocks; lag at most {found['largest_lag_s']:.1f} s"
    )
    changed = [
        line
        for lab, old in zip(labs, before, strict=True)
        for line in difflib.ndiff(old.splitlines(), lab.ldif_of_config().splitlines())
        if line[0] in "+-" and not line[2:].startswith(_COUNTED)
    ]
    print("configuration as before:", not changed, *changed, sep="\n  ", flush=True)


if __name__ == "__main__":
    main()
