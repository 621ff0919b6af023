"""Start a lab, print its profile and loads, stop it on Ctrl-C: python -m tests.live.lab up."""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import sys
import threading

from ldap_workbench.model.errors import WorkbenchError
from tests.live.lab.ds389 import Lab
from tests.live.lab.host import LOCAL, SUITES


def _command() -> argparse.Namespace:
    command = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    command.add_argument("what", choices=["up"])
    command.add_argument("--server", choices=[LOCAL, *SUITES], default=LOCAL)
    command.add_argument("--users", type=int, default=2000)
    command.add_argument("--backend", choices=["bdb", "mdb"], default="")
    return command.parse_args()


def _describe(lab: Lab) -> None:
    for name, value in lab.environment.items():
        print(f"export {name}={shlex.quote(value)}")
    for name, value in vars(lab.profile).items():
        if value not in (None, False):
            print(f"# {name}: {value}")
    for kind in ("search", "bind", "mod", "unindexed"):
        print(f"# {kind}: {shlex.join(lab.drive(kind, 20))}")
    print("# Ctrl-C ends it.", flush=True)


def main() -> int:
    """Start a lab, print its profile, stop it on Ctrl-C or SIGTERM."""
    arguments = _command()
    asked = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: asked.set())
    try:
        with Lab(arguments.server).start(arguments.users, arguments.backend) as lab:
            _describe(lab)
            asked.wait()
    except WorkbenchError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
