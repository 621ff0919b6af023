"""OpenLDAP slapd 2.4 to 2.6, loglevel stats, with whatever stands before 'conn='.

2.4 prints no etime: its latencies are the distance of two lines, as fine as their times.
"""

from __future__ import annotations

from ldap_workbench.logs.access.grammar import (
    ADD,
    BIND,
    CMP,
    DEL,
    EXT,
    MOD,
    MODRDN,
    SRCH,
    UNKNOWN,
    Dialect,
    Field,
    Line,
    Look,
    Style,
)
from ldap_workbench.model.message import Message, verbatim

OPENLDAP = Dialect(
    name="openldap",
    title=verbatim("OpenLDAP slapd"),
    log=Message("OpenLDAP slapd log"),
    looks=(
        Look(
            rb"(?!\[\d\d?/)(?:.{0,120}?[ :|])?conn=-?\d+ (?:op=\d+ "
            rb"(?:SRCH|BIND|MOD|ADD|DEL|MODRDN|CMP|EXT|UNBIND|ABANDON|RESULT|SEARCH RESULT|"
            rb"STARTTLS|WHOAMI|PASSMOD)\b|"
            rb"fd=\d+ (?:ACCEPT from|closed|TLS))",
            weight=0.5,
        ),
        # Without loglevel stats slapd writes messages alone: they are read, and what lacks is said.
        Look(
            rb"(?!\[\d\d?/)(?:.{0,120}?(?<![-\w])slapd\[\d+\]: |[0-9a-f]{8}(?:\.[0-9a-f]{5,8})? "
            rb"(?:0x[0-9a-f]+ )?(?=<= \w+_candidates: |connection_\w+: |@\(#\) \$OpenLDAP|slapd "
            rb"(?:starting|shutdown|stopped)))(?!.*conn=-?\d+ (?:op|fd)=)",
            weight=0.1,
        ),
    ),
    style=Style.SLAPD,
    messages="logs/notices_slapd.toml",
    words={
        "RESULT": (Line.RESULT, UNKNOWN),
        "SEARCH": (Line.RESULT, UNKNOWN),
        "SRCH": (Line.REQUEST, SRCH),
        "BIND": (Line.REQUEST, BIND),
        "MOD": (Line.REQUEST, MOD),
        "ADD": (Line.REQUEST, ADD),
        "DEL": (Line.REQUEST, DEL),
        "MODRDN": (Line.REQUEST, MODRDN),
        "CMP": (Line.REQUEST, CMP),
        "EXT": (Line.REQUEST, EXT),
        "UNBIND": (Line.EXTRA, 0),
        "ABANDON": (Line.EXTRA, 0),
        "PASSMOD": (Line.EXTRA, 0),
        "WHOAMI": (Line.EXTRA, 0),
        "STARTTLS": (Line.EXTRA, 0),
        "CANCEL": (Line.EXTRA, 0),
        "ENTRY": (Line.EXTRA, 0),
        "REF": (Line.EXTRA, 0),
        "INTERM": (Line.EXTRA, 0),
        "INTERMEDIATE": (Line.EXTRA, 0),
        "DISCONNECT": (Line.EXTRA, 0),
        "fd": (Line.SOCKET, 0),
        "ACCEPT": (Line.OPENED, 0),
        "TLS": (Line.EXTRA, 0),
        "closed": (Line.CLOSED, 0),
    },
    keys={
        "err": Field.ERR,
        "tag": Field.TAG,
        "nentries": Field.NENTRIES,
        "qtime": Field.WTIME,
        "etime": Field.ETIME,
        "base": Field.BASE,
        "dn": Field.BASE,
        "deref": Field.DEREF,
        "filter": Field.FILTER,
        "oid": Field.FILTER,
        "attr": Field.STOP,
        "text": Field.STOP,
    },
)
