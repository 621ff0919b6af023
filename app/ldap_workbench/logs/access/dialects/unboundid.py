"""UnboundID LDAP SDK in-memory server and PingDirectory: etime in milliseconds.

PingDirectory may put names of its instance, start, thread and client before 'conn='.
"""

from __future__ import annotations

from ldap_workbench.logs.access.grammar import Dialect
from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.model.message import verbatim

UNBOUNDID = Dialect(
    name="unboundid",
    title=verbatim("PingDirectory / UnboundID"),
    style=layout.VERB_FIRST,
    etime_unit=layout.MILLISECONDS,
    words={
        "SEARCH": (layout.REQUEST, layout.K_SRCH),
        "BIND": (layout.REQUEST, layout.K_BIND),
        "MODIFY": (layout.REQUEST, layout.K_MOD),
        "ADD": (layout.REQUEST, layout.K_ADD),
        "DELETE": (layout.REQUEST, layout.K_DEL),
        "MODDN": (layout.REQUEST, layout.K_MODRDN),
        "MODIFYDN": (layout.REQUEST, layout.K_MODRDN),
        "COMPARE": (layout.REQUEST, layout.K_CMP),
        "EXTENDED": (layout.REQUEST, layout.K_EXT),
        "ABANDON": (layout.EXTRA, 0),
        "UNBIND": (layout.EXTRA, 0),
        "FORWARD": (layout.EXTRA, 0),
        "ENTRY": (layout.EXTRA, 0),
        "REFERENCE": (layout.EXTRA, 0),
        "SECURITY-NEGOTIATION": (layout.EXTRA, 0),
        "CLIENT-CERTIFICATE": (layout.EXTRA, 0),
        "INTERMEDIATE-RESPONSE": (layout.EXTRA, 0),
        "ENTRY-REBALANCING": (layout.EXTRA, 0),
        "CONNECT": (layout.OPENED, 0),
        "DISCONNECT": (layout.CLOSED, 0),
    },
    keys={
        "resultCode": layout.F_ERR,
        "entriesReturned": layout.F_NENTRIES,
        "etime": layout.F_ETIME,
        "qtime": layout.F_WTIME,
        "base": layout.F_BASE,
        "dn": layout.F_BASE,
        "filter": layout.F_FILTER,
        "requestOID": layout.F_FILTER,
        "authDN": layout.F_BIND,
        "unindexed": layout.F_UNINDEXED,
        "requestControls": layout.F_CONTROLS,
    },
)
