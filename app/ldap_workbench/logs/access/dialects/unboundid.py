"""UnboundID LDAP SDK in-memory server and PingDirectory: etime in milliseconds.

PingDirectory may put names of its instance, start, thread and client before 'conn='.
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
    Dialect,
    Field,
    Line,
    Style,
    Unit,
)
from ldap_workbench.model.message import verbatim

UNBOUNDID = Dialect(
    name="unboundid",
    title=verbatim("PingDirectory / UnboundID"),
    style=Style.VERB_FIRST,
    etime_unit=Unit.MILLISECONDS,
    words={
        "SEARCH": (Line.REQUEST, SRCH),
        "BIND": (Line.REQUEST, BIND),
        "MODIFY": (Line.REQUEST, MOD),
        "ADD": (Line.REQUEST, ADD),
        "DELETE": (Line.REQUEST, DEL),
        "MODDN": (Line.REQUEST, MODRDN),
        "MODIFYDN": (Line.REQUEST, MODRDN),
        "COMPARE": (Line.REQUEST, CMP),
        "EXTENDED": (Line.REQUEST, EXT),
        "ABANDON": (Line.EXTRA, 0),
        "UNBIND": (Line.EXTRA, 0),
        "FORWARD": (Line.EXTRA, 0),
        "ENTRY": (Line.EXTRA, 0),
        "REFERENCE": (Line.EXTRA, 0),
        "SECURITY-NEGOTIATION": (Line.EXTRA, 0),
        "CLIENT-CERTIFICATE": (Line.EXTRA, 0),
        "INTERMEDIATE-RESPONSE": (Line.EXTRA, 0),
        "ENTRY-REBALANCING": (Line.EXTRA, 0),
        "CONNECT": (Line.OPENED, 0),
        "DISCONNECT": (Line.CLOSED, 0),
    },
    keys={
        "resultCode": Field.ERR,
        "entriesReturned": Field.NENTRIES,
        "etime": Field.ETIME,
        "qtime": Field.WTIME,
        "base": Field.BASE,
        "dn": Field.BASE,
        "filter": Field.FILTER,
        "requestOID": Field.FILTER,
        "authDN": Field.BIND,
        "unindexed": Field.UNINDEXED,
        "requestControls": Field.CONTROLS,
    },
)
