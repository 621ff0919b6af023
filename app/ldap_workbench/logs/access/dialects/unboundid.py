"""UnboundID LDAP SDK in-memory server and PingDirectory: etime in milliseconds.

PingDirectory may put names of its instance, start, thread and client before 'conn='.
"""

from __future__ import annotations

from ldap_workbench.logs.access.dialects.opendj import VERB
from ldap_workbench.logs.access.grammar import (
    ADD,
    BIND,
    BRACKET_TIME,
    CMP,
    DEL,
    EXT,
    MOD,
    MODRDN,
    SRCH,
    Dialect,
    Field,
    Line,
    Look,
    Style,
    Unit,
)
from ldap_workbench.model.message import Message, verbatim

UNBOUNDID = Dialect(
    name="unboundid",
    title=verbatim("PingDirectory / UnboundID"),
    log=Message("PingDirectory / UnboundID access log"),
    looks=(
        Look(
            BRACKET_TIME + rb"(?:" + VERB + rb" (?:REQUEST|RESULT) (?:\w+=\S+ ){0,8}conn=|"
            rb"CONNECT (?:\w+=\S+ ){0,8}conn=-?\d+ from=\"|"
            rb"DISCONNECT (?:\w+=\S+ ){0,8}conn=\d+(?:$| reason=))",
            weight=1.01,
        ),
    ),
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
