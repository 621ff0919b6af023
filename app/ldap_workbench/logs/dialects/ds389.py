"""389 Directory Server and Red Hat Directory Server, classic access log, 1.2 to 3.x.

wqtime and writetime, which newer servers may print beside wtime and optime, are passed over: they
are no column of a session, and stand in its raw text only.
"""

from __future__ import annotations

from ldap_workbench.logs.grammar import Dialect
from ldap_workbench.logs.kernel import layout

DS389 = Dialect(
    name="389",
    title="389 Directory Server / Red Hat Directory Server",
    words={
        "RESULT": (layout.RESULT, layout.K_UNKNOWN),
        "SRCH": (layout.REQUEST, layout.K_SRCH),
        "BIND": (layout.REQUEST, layout.K_BIND),
        "MOD": (layout.REQUEST, layout.K_MOD),
        "ADD": (layout.REQUEST, layout.K_ADD),
        "DEL": (layout.REQUEST, layout.K_DEL),
        "MODRDN": (layout.REQUEST, layout.K_MODRDN),
        "CMP": (layout.REQUEST, layout.K_CMP),
        "EXT": (layout.REQUEST, layout.K_EXT),
        "EXT_INFO": (layout.EXTRA, 0),
        "ABANDON": (layout.ABANDON, layout.K_ABANDON),
        "UNBIND": (layout.EXTRA, 0),
        "UNPROCESSED": (layout.UNPROCESSED, 0),
        "SORT": (layout.EXTRA, 0),
        "VLV": (layout.EXTRA, 0),
        "ENTRY": (layout.EXTRA, 0),
        "REFERRAL": (layout.EXTRA, 0),
        "STAT": (layout.EXTRA, 0),
        "AUTOBIND": (layout.BOUND, 0),
        "SSL": (layout.EXTRA, 0),
        "TLS1.0": (layout.EXTRA, 0),
        "TLS1.1": (layout.EXTRA, 0),
        "TLS1.2": (layout.EXTRA, 0),
        "TLS1.3": (layout.EXTRA, 0),
        "fd": (layout.SOCKET, 0),
        "slot": (layout.OPENED, 0),
        "HAProxy": (layout.OPENED, 0),
        "closed": (layout.CLOSED, 0),
        "Disconnect": (layout.CLOSED, 0),
        "closing": (layout.CLOSED, 0),
        "closed.": (layout.CLOSED, 0),
    },
    keys={
        "err": layout.F_ERR,
        "tag": layout.F_TAG,
        "nentries": layout.F_NENTRIES,
        "wtime": layout.F_WTIME,
        "optime": layout.F_OPTIME,
        "etime": layout.F_ETIME,
        "notes": layout.F_NOTES,
        "base": layout.F_BASE,
        "dn": layout.F_BASE,
        "filter": layout.F_FILTER,
        "oid": layout.F_FILTER,
        "attrs": layout.F_STOP,
    },
)
