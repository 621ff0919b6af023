"""Clients that search, wait for the answer and rest for a while before they ask again.

    python -m tests.live.lab.waiting PORT CLIENTS REST SECONDS BASE ATTRIBUTE VALUE -D DN -w WORD

A program without dependencies, like steady.py. One whose connection the server ends (it is
restarted, or has its back end disabled) connects anew.
"""

from __future__ import annotations

import socket
import sys
import threading
import time
from typing import TYPE_CHECKING

from tests.live.lab.steady import ask, bind, search

if TYPE_CHECKING:
    from ldap_workbench.model.profile import Profile

CLIENTS = 4
_BASE = "dc=example,dc=com"


def waiting_clients(
    profile: Profile, seconds: str, password: str, attribute: str, value: str, rest_s: float
) -> list[str]:
    """argv of clients of a lab's server that ask who has this value, and wait for each answer.

    They bind as the administrator: OpenDJ lets no other search without an index.
    """
    port = profile.ldap_url.rpartition(":")[2]
    what = [port, str(CLIENTS), f"{rest_s:g}", seconds, _BASE, attribute, value]
    return [sys.executable, "-m", __name__, *what, "-D", str(profile.bind_dn), "-w", password]


def main() -> None:
    """All clients until the seconds are over or somebody ends them."""
    clients = int(sys.argv[2])
    threads = [threading.Thread(target=_client, args=sys.argv[1:]) for _ in range(clients)]
    for thread in threads:
        thread.daemon = True
        thread.start()
    for thread in threads:
        thread.join()


def _client(port: str, _: str, rest: str, seconds: str, base: str, *words: str) -> None:
    attribute, value, _, dn, _, password = words
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        try:
            with socket.create_connection(("127.0.0.1", int(port)), timeout=60) as link:
                ask(link, 1, bind(dn, password))
                message = 1
                while time.monotonic() < end:
                    message += 1
                    ask(link, message, search(base, attribute, value))
                    time.sleep(float(rest))
        except OSError:
            time.sleep(0.2)


if __name__ == "__main__":
    main()
