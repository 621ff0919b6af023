"""OpenDJ, ForgeRock DS and PingDS `ldap-access.audit.json`: one object per finished operation.

There is no operation number; the message id takes its place.
"""

from __future__ import annotations

from ldap_workbench.logs.access.grammar import (
    ABANDON,
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
    Look,
    Style,
)
from ldap_workbench.model.message import Message, verbatim

JSON_OPENDJ = Dialect(
    name="opendj-json",
    title=verbatim("OpenDJ / ForgeRock DS / PingDS, JSON"),
    log=Message("OpenDJ / PingDS JSON access log"),
    looks=(
        Look(
            rb'\{.*?"eventName"\s*:\s*"DJ-LDAP"',
            weight=1.2,
        ),
    ),
    style=Style.RECORDS,
    depth=2,
    words={},
    operations={
        "SEARCH": (Line.REQUEST, SRCH),
        "BIND": (Line.REQUEST, BIND),
        "MODIFY": (Line.REQUEST, MOD),
        "ADD": (Line.REQUEST, ADD),
        "DELETE": (Line.REQUEST, DEL),
        "MODIFYDN": (Line.REQUEST, MODRDN),
        "COMPARE": (Line.REQUEST, CMP),
        "EXTENDED": (Line.REQUEST, EXT),
        "ABANDON": (Line.REQUEST, ABANDON),
        "UNBIND": (Line.EXTRA, 0),
        "TLS": (Line.EXTRA, 0),
        "CONNECT": (Line.OPENED, 0),
        "DISCONNECT": (Line.CLOSED, 0),
    },
    keys={
        "timestamp": Field.TIME,
        "operation": Field.OPERATION,
        "connId": Field.CONN,
        "msgId": Field.OP,
        "ip": Field.CLIENT,
        "dn": Field.BASE,
        "filter": Field.FILTER,
        "oid": Field.FILTER,
        "opType": Field.ORIGIN,
        "statusCode": Field.ERR,
        "nentries": Field.NENTRIES,
        "elapsedTime": Field.ELAPSED,
        "elapsedTimeUnits": Field.UNITS,
        "additionalItems": Field.ITEMS,
        "controls": Field.CONTROLS,
        "requestControls": Field.CONTROLS,
        "unindexed": Field.UNINDEXED,
        "elapsedQueueingTime": Field.QUEUED,
        "elapsedProcessingTime": Field.PROCESSED,
    },
)
