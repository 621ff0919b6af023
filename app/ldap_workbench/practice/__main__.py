"""The practice server's own process: `python -m ldap_workbench.practice ARGUMENTS`."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Mapping
from dataclasses import asdict

from ldap_workbench.practice.server import PracticeServer


def serve(
    scenario: str, speed: float, seed: int, settings: Mapping[str, str], mended: bool
) -> None:
    """Write the address as a line of JSON, then answer questions until standard input ends."""
    answers = sys.stdout
    sys.stdout = sys.stderr  # whatever a library prints is no answer
    # Ctrl-C reaches the whole group, and the program still has to revert its changes on us
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # a program that ends without `stop` may be ended with its whole group
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server = PracticeServer(scenario, speed, seed, settings, mended=mended)
    try:
        print(json.dumps(asdict(server.address)), file=answers, flush=True)
        for line in sys.stdin:
            if line.strip() == "unknown":
                print(json.dumps(server.commands.unknown), file=answers, flush=True)
    except OSError:
        pass  # the program is gone
    finally:
        server.close()


if __name__ == "__main__":
    serve(*json.loads(sys.argv[1]))
