"""The writes of a replay: their entries are its own, all of them right below one container.

Every DN that is written is made here, out of the container and numbers. No text of a script, a log
or a server gets into one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ldap_workbench.replay.script import Arrival, Request, Script
from ldap_workbench.replay.wire import add, delete, rename, replace

CONTAINER = "ldap-workbench-replay-"
"""Begins the name of every container."""
CLASS = "device"
"""Of the entries: in every server's schema, and of no use to any client."""
_OURS = re.compile(r"cn=(e\d+(?:-\d+-\d+)?),", re.IGNORECASE)


class Scratch:
    """Names the entries of a script below `container`, and packs the writes on them."""

    def __init__(self, container: str, script: Script) -> None:
        self._container = container
        requests = [request for one in script.conversations for request in one.requests]
        modified = {request.entry for request in requests if request.write == "MOD"}
        moving = {request.entry for request in requests if request.write not in ("", "MOD")}
        self._shared = modified - moving - {request.renamed for request in requests}

    def message(self, request: Request, round_: str, number: int) -> bytes:
        """A write, packed; `number` makes values differ from those before."""
        name = self._name(request.entry, round_)
        dn, value = f"cn={name},{self._container}", f"replayed {number}"
        if request.write == "ADD":
            return add(dn, {"objectClass": CLASS, "cn": name, "description": value})
        if request.write == "DEL":
            return delete(dn)
        if request.write == "MODRDN":
            return rename(dn, f"cn={self._name(request.renamed, round_)}")
        return replace(dn, "description", value)

    def needed(self, arrivals: Iterable[Arrival]) -> Iterator[str]:
        """Names of the entries that must be there before: written, and not added, by a replay."""
        seen: set[str] = set()
        for arrival in arrivals:
            for request in arrival.conversation.requests:
                if not request.write:
                    continue
                name = self._name(request.entry, arrival.round)
                if request.write != "ADD" and name not in seen:
                    yield name
                seen |= {name, self._name(request.renamed, arrival.round)}

    def _name(self, entry: int, round_: str) -> str:
        return f"e{entry}" if entry in self._shared else f"e{entry}-{round_}"


def own_name(dn: str) -> str:
    """The name in a DN that a server shows below a container; "" where it is none of ours."""
    match = _OURS.match(dn)
    return match[1] if match else ""
