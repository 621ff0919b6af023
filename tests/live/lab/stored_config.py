"""The configuration a server has stored in files, to be compared before and after a change."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from ldap_workbench.tuning.catalogue import load_catalogue
from ldap_workbench.tuning.versions import is_pinned
from tests.live.lab.ds389 import VOLATILE, Lab
from tests.live.lab.lmdb_names import named_databases
from tests.live.lab.opendj import IN_CAPITALS, OpenDj
from tests.live.lab.openldap import OpenLdap
from tests.live.lab.practice_lab import PracticeLab

_NOTED = {"creatorsname", "createtimestamp", "modifiersname", "modifytimestamp", "entrycsn",
          "contextcsn", "numsubordinates", "internalmodifiersname"}  # fmt: skip
"""What a server writes of each change, also of one that puts a value or an entry back."""
_MADE_BY_OPENDJ = {"entryuuid"}
"""Operational: OpenDJ 4.6.5 gives an entry that is added back (an index) another one."""
_SIZED_AT_START = {"nsslapd-dbcachesize", "nsslapd-cachememsize", "nsslapd-dncachememsize"}
"""What nsslapd-cache-autosize makes at each start, stored at the next change of anything."""
_MADE_AT_START = ("cn=tasks,cn=config", "cn=monitor,cn=")
"""Stand in the DNs of entries that 389 DS makes when it starts."""


def stored_config(server: Lab | OpenLdap | OpenDj | PracticeLab) -> dict[str, list[str]]:
    """DN -> the lines of its entry that are stored, sorted; {} of the practice directory."""
    if isinstance(server, PracticeLab):
        return {}
    if isinstance(server, Lab):
        version = server.label.removeprefix("389 DS ").split()[0]
        known = load_catalogue("389ds").knobs
        pinned = {knob.name.lower() for knob in known if is_pinned(knob, version)}
        return _entries([server.slapd.config / "dse.ldif"], VOLATILE | pinned | _SIZED_AT_START)
    if isinstance(server, OpenLdap):
        return _entries(sorted(server.stored.rglob("*.ldif")))
    return _entries([server.stored], _MADE_BY_OPENDJ)


def differences(before: dict[str, list[str]], after: dict[str, list[str]]) -> str:
    """What is stored in the one alone, entry by entry; '' where nothing is."""
    said = []
    for dn in sorted({*before, *after}):
        old, new = before.get(dn, []), after.get(dn, [])
        said += [f"{dn}: - {line}" for line in old if line not in new]
        said += [f"{dn}: + {line}" for line in new if line not in old]
    return "\n".join(said)


def index_files(server: Lab | OpenLdap | OpenDj) -> set[str]:
    """Which indexes the files of a database hold, by the names that the product gives them."""
    if isinstance(server, OpenLdap):
        return set(named_databases(server.database / "data.mdb"))
    if isinstance(server, OpenDj):
        return server.databases()
    folder = server.slapd.database
    if server.slapd.library == "bdb":
        return {file.name for file in folder.rglob("*.db")}
    listed = server.host.run("dbscan", "-D", "mdb", "-L", str(folder))
    assert listed.returncode == 0, listed.stderr
    return {line.split()[0] for line in listed.stdout.splitlines() if line.strip()}


def stays_in_file(server: Lab | OpenLdap | OpenDj, attribute: str) -> set[str]:
    """Which of `index_files` a product does not drop when the index of an attribute is removed."""
    return {attribute} if isinstance(server, OpenLdap) else set()


def _entries(files: Iterable[Path], changing: Iterable[str] = ()) -> dict[str, list[str]]:
    left_out = _NOTED | set(changing)
    found: dict[str, list[str]] = defaultdict(list)
    for file in files:
        text = file.read_text(errors="surrogateescape").replace("\n ", "")
        for entry in re.split(r"\n\n+", text):
            lines = [line for line in entry.splitlines() if not line.startswith("#")]
            if not lines or any(dn in lines[0] for dn in _MADE_AT_START):
                continue
            values = (line.partition(":") for line in lines[1:])
            found[f"{file.name} {lines[0].lower()}"] = sorted(
                f"{name.lower()}:{value.lower() if name.lower() == IN_CAPITALS else value}"
                for name, _, value in values
                if name.lower() not in left_out
            )
    return found
