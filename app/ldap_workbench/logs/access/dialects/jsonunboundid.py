"""PingDirectory JSON access log: one object per request and result, or per result alone.

Times are milliseconds. The time in the work queue is not part of that of the processing.
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
    Unit,
)
from ldap_workbench.model.message import Message, verbatim

JSON_UNBOUNDID = Dialect(
    name="unboundid-json",
    title=verbatim("PingDirectory, JSON"),
    log=Message("PingDirectory JSON access log"),
    looks=(
        Look(
            rb'\{.*?"(?:logType"\s*:\s*"access"|messageType"\s*:\s*"[A-Z-]+"|'
            rb'connectionID"\s*:\s*\d)',
            weight=1.2,
        ),
    ),
    style=Style.EVENTS,
    depth=1,
    etime_unit=Unit.MILLISECONDS,
    words={},
    operations={
        "REQUEST": (Line.REQUEST, UNKNOWN),
        "RESULT": (Line.RESULT, UNKNOWN),
        "CONNECT": (Line.OPENED, 0),
        "DISCONNECT": (Line.CLOSED, 0),
        "FORWARD": (Line.EXTRA, 0),
        "FORWARD-FAILED": (Line.EXTRA, 0),
        "ENTRY": (Line.EXTRA, 0),
        "REFERENCE": (Line.EXTRA, 0),
        "INTERMEDIATE-RESPONSE": (Line.EXTRA, 0),
        "SECURITY-NEGOTIATION": (Line.EXTRA, 0),
        "CLIENT-CERTIFICATE": (Line.EXTRA, 0),
        "ASSURANCE-COMPLETE": (Line.EXTRA, 0),
        "ENTRY-REBALANCING-REQUEST": (Line.EXTRA, 0),
        "ENTRY-REBALANCING-RESULT": (Line.EXTRA, 0),
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
    },
    keys={
        "timestamp": Field.TIME,
        "messageType": Field.OPERATION,
        "operationType": Field.TYPE,
        "connectionID": Field.CONN,
        "operationID": Field.OP,
        "startupID": Field.STARTUP,
        "fromAddress": Field.CLIENT,
        "requesterIP": Field.CLIENT,
        "baseDN": Field.BASE,
        "dn": Field.BASE,
        "filter": Field.FILTER,
        "requestOID": Field.FILTER,
        "authenticationDN": Field.BIND,
        "origin": Field.ORIGIN,
        "resultCode": Field.ERR,
        "entriesReturned": Field.NENTRIES,
        "processingTimeMillis": Field.ETIME,
        "workQueueWaitTimeMillis": Field.WTIME,
        "isIndexed": Field.INDEXED,
        "dereferenceAliases": Field.DEREF,
        "requestControlOIDs": Field.CONTROLS,
    },
)
