"""OpenLDAP slapd 2.4 to 2.6, loglevel stats, with whatever stands before 'conn='.

2.4 prints no etime: its latencies are the distance of two lines, as fine as their times.
"""

from __future__ import annotations

from ldap_workbench.logs.access.grammar import Dialect
from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.model.message import verbatim

OPENLDAP = Dialect(
    name="openldap",
    title=verbatim("OpenLDAP slapd"),
    style=layout.SLAPD,
    messages="logs/notices_slapd.toml",
    words={
        "RESULT": (layout.RESULT, layout.K_UNKNOWN),
        "SEARCH": (layout.RESULT, layout.K_UNKNOWN),
        "SRCH": (layout.REQUEST, layout.K_SRCH),
        "BIND": (layout.REQUEST, layout.K_BIND),
        "MOD": (layout.REQUEST, layout.K_MOD),
        "ADD": (layout.REQUEST, layout.K_ADD),
        "DEL": (layout.REQUEST, layout.K_DEL),
        "MODRDN": (layout.REQUEST, layout.K_MODRDN),
        "CMP": (layout.REQUEST, layout.K_CMP),
        "EXT": (layout.REQUEST, layout.K_EXT),
        "UNBIND": (layout.EXTRA, 0),
        "ABANDON": (layout.EXTRA, 0),
        "PASSMOD": (layout.EXTRA, 0),
        "WHOAMI": (layout.EXTRA, 0),
        "STARTTLS": (layout.EXTRA, 0),
        "CANCEL": (layout.EXTRA, 0),
        "ENTRY": (layout.EXTRA, 0),
        "REF": (layout.EXTRA, 0),
        "INTERM": (layout.EXTRA, 0),
        "INTERMEDIATE": (layout.EXTRA, 0),
        "DISCONNECT": (layout.EXTRA, 0),
        "fd": (layout.SOCKET, 0),
        "ACCEPT": (layout.OPENED, 0),
        "TLS": (layout.EXTRA, 0),
        "closed": (layout.CLOSED, 0),
    },
    keys={
        "err": layout.F_ERR,
        "tag": layout.F_TAG,
        "nentries": layout.F_NENTRIES,
        "qtime": layout.F_WTIME,
        "etime": layout.F_ETIME,
        "base": layout.F_BASE,
        "dn": layout.F_BASE,
        "deref": layout.F_DEREF,
        "filter": layout.F_FILTER,
        "oid": layout.F_FILTER,
        "attr": layout.F_STOP,
        "text": layout.F_STOP,
    },
)
