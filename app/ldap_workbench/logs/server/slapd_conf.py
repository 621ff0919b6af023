"""slapd.conf, the configuration of slapd until cn=config: its directives as entries of cn=config.

    database mdb
    suffix "dc=example,dc=com"
    index uid,cn eq,sub

A directive has the name of its attribute without 'olc' or 'olcDb', and with other hyphens: only
those that differ more stand in a table. Included files are not read.
"""

from __future__ import annotations

import re

from ldap_workbench.logs.reading.reports import Tally
from ldap_workbench.logs.server.ldif import Entry

_DIRECTIVE = re.compile(r"([A-Za-z][\w-]*)(?:\s+(.*))?", re.DOTALL)
_NAMES = {
    "syncprov-checkpoint": "olcspcheckpoint",
    "syncprov-sessionlog": "olcspsessionlog",
    "syncprov-nopresent": "olcspnopresent",
    "syncprov-reloadhint": "olcspreloadhint",
    "logdb": "olcaccesslogdb",
    "logops": "olcaccesslogops",
    "logpurge": "olcaccesslogpurge",
    "logsuccess": "olcaccesslogsuccess",
    "refint_attributes": "olcrefintattribute",
    "dynlist-attrset": "olcdynlistattrset",
    "disallow": "olcdisallows",
    "allow": "olcallows",
    "require": "olcrequires",
}
_LISTS = ("refint_attributes",)
"""Directives whose words are values of their own."""
_WORDS = {"on": "TRUE", "yes": "TRUE", "off": "FALSE", "no": "FALSE", "": "TRUE"}
_MOST_ENTRIES = 1000


def read_slapd_conf(data: bytes, tally: Tally | None = None) -> list[Entry]:
    """cn=config, then an entry for each back end, database and overlay, in the order of the file.

    Values have no outer quotes; switches are TRUE or FALSE as cn=config has them.
    """
    tally = tally if tally is not None else Tally()
    attributes: dict[str, list[bytes]] = {"objectclass": [b"olcGlobal"]}
    entries = [("cn=config", attributes)]
    database, databases, overlays = "cn=config", 0, 0
    for line in _logical_lines(data.decode("utf-8", "replace"), tally):
        match = _DIRECTIVE.fullmatch(line)
        if match is None:
            tally.unknown()
            continue
        tally.understood()
        name, value = match[1].lower(), " ".join((match[2] or "").split())
        if name in ("database", "backend", "overlay") and value and len(entries) < _MOST_ENTRIES:
            if name == "overlay":
                dn, kind = f"olcOverlay={{{overlays}}}{value},{database}", b"olcOverlayConfig"
                overlays += 1
            elif name == "backend":
                dn, kind = f"olcBackend={{0}}{value},cn=config", b"olcBackendConfig"
            else:
                databases += value not in ("config", "frontend")
                number = {"config": 0, "frontend": -1}.get(value, databases)
                dn, kind = f"olcDatabase={{{number}}}{value},cn=config", b"olcDatabaseConfig"
                database, overlays = dn, 0
            attributes = {"objectclass": [kind], f"olc{name}": [value.encode()]}
            entries.append((dn, attributes))
            continue
        for attribute, text in _values(name, value):
            attributes.setdefault(attribute, []).append(text.encode())
    return [Entry(dn, {name: tuple(values) for name, values in of.items()}) for dn, of in entries]


def _values(name: str, value: str) -> list[tuple[str, str]]:
    """What a directive may be in cn=config; a name that no attribute has says nothing."""
    plain = re.sub(r"[-_]", "", name)
    names = [_NAMES[name]] if name in _NAMES else [f"olc{plain}", f"olcdb{plain}"]
    texts = value.split() if name in _LISTS else [_WORDS.get(value.lower(), _unquoted(value))]
    return [(attribute, text) for attribute in names for text in texts]


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] == '"' and '"' not in value[1:-1]
    return value[1:-1] if quoted else value


def _logical_lines(text: str, tally: Tally) -> list[str]:
    """Directives with the lines that continue them, which begin with a blank."""
    lines: list[str] = []
    for line in text.splitlines():
        if not line.strip():
            tally.set_aside("blank line")
        elif line.startswith("#"):
            tally.set_aside("comment")
        elif line[0] in " \t" and lines:
            tally.understood()
            lines[-1] += " " + line.strip()
        else:
            lines.append(line.strip())
    return lines
