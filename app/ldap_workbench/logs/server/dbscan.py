r"""What `dbscan -r` prints of an index: each key, and the entries it is in.

    =uid=alice,ou=people,dc=example,dc=com
    \t64 65 66

In an index of member or uniquemember the keys are the entries that others name: each of the numbers
is a group that a deletion or a new name of the key has to update.
"""

from __future__ import annotations

import re

from ldap_workbench.logs.reading.reports import Tally

_KEY = re.compile(r"=([a-z][\w.;-]*=[^\t]+)$")
_IDS = re.compile(r"\t(?:\d+ )+$")


def read_dbscan(data: bytes, tally: Tally) -> dict[str, int]:
    """Key -> how many entries it is in, for keys that are DNs."""
    entries: dict[str, int] = {}
    key = ""
    for line in data.decode("utf-8", "replace").splitlines():
        if match := _KEY.match(line):
            key = match[1]
            tally.understood()
        elif _IDS.match(line) and key:
            entries[key] = line.count(" ")
            key = ""
            tally.understood()
        elif _IDS.match(line) or line[:1] in ("*", "?", "+", "="):
            tally.set_aside("key that is not a DN")
        elif not line.strip():
            tally.set_aside("blank line")
        else:
            tally.unknown()
    return _without_lengths(entries)


def _without_lengths(entries: dict[str, int]) -> dict[str, int]:
    """With -n the length of the list follows the key, without a space where the key is long."""
    if entries and all(key.endswith(str(n)) for key, n in entries.items()):
        return {key.removesuffix(str(n)).rstrip(): n for key, n in entries.items()}
    return entries
