"""Every write to the configuration, as the server's own audit log tells it."""

from __future__ import annotations

from pathlib import Path

_BY_THE_SERVER = {"modifiersname", "modifytimestamp", "nsstate"}
Write = tuple[str, str]
"""DN and attribute, in lower case."""


def writes(log: Path, since: int) -> set[Write]:
    """Attributes of cn=config that were modified over LDAP after so many bytes of the audit log."""
    with log.open("rb") as file:
        file.seek(since)
        text = file.read().decode(errors="replace").replace("\n ", "")
    found: set[Write] = set()
    for record in text.split("\n\n"):
        lines = record.lower().splitlines()
        dns = [line.removeprefix("dn: ") for line in lines if line.startswith("dn: ")]
        if not dns or not dns[0].endswith("cn=config") or "changetype: modify" not in lines:
            continue
        for kind in ("add: ", "delete: ", "replace: "):
            found |= {(dns[0], line.removeprefix(kind)) for line in lines if line.startswith(kind)}
    return {each for each in found if each[1] not in _BY_THE_SERVER}


def size(log: Path) -> int:
    return log.stat().st_size if log.exists() else 0
