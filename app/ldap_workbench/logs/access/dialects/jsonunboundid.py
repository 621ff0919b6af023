"""PingDirectory JSON access log: one object per request and result, or per result alone.

Times are milliseconds. The time in the work queue is not part of that of the processing.
"""

from __future__ import annotations

from ldap_workbench.logs.access.grammar import Dialect
from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.model.message import verbatim

JSON_UNBOUNDID = Dialect(
    name="unboundid-json",
    title=verbatim("PingDirectory, JSON"),
    style=layout.EVENTS,
    depth=1,
    etime_unit=layout.MILLISECONDS,
    words={},
    operations={
        "REQUEST": (layout.REQUEST, layout.K_UNKNOWN),
        "RESULT": (layout.RESULT, layout.K_UNKNOWN),
        "CONNECT": (layout.OPENED, 0),
        "DISCONNECT": (layout.CLOSED, 0),
        "FORWARD": (layout.EXTRA, 0),
        "FORWARD-FAILED": (layout.EXTRA, 0),
        "ENTRY": (layout.EXTRA, 0),
        "REFERENCE": (layout.EXTRA, 0),
        "INTERMEDIATE-RESPONSE": (layout.EXTRA, 0),
        "SECURITY-NEGOTIATION": (layout.EXTRA, 0),
        "CLIENT-CERTIFICATE": (layout.EXTRA, 0),
        "ASSURANCE-COMPLETE": (layout.EXTRA, 0),
        "ENTRY-REBALANCING-REQUEST": (layout.EXTRA, 0),
        "ENTRY-REBALANCING-RESULT": (layout.EXTRA, 0),
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
    },
    keys={
        "timestamp": layout.F_TIME,
        "messageType": layout.F_OPERATION,
        "operationType": layout.F_TYPE,
        "connectionID": layout.F_CONN,
        "operationID": layout.F_OP,
        "startupID": layout.F_STARTUP,
        "fromAddress": layout.F_CLIENT,
        "requesterIP": layout.F_CLIENT,
        "baseDN": layout.F_BASE,
        "dn": layout.F_BASE,
        "filter": layout.F_FILTER,
        "requestOID": layout.F_FILTER,
        "authenticationDN": layout.F_BIND,
        "origin": layout.F_ORIGIN,
        "resultCode": layout.F_ERR,
        "entriesReturned": layout.F_NENTRIES,
        "processingTimeMillis": layout.F_ETIME,
        "workQueueWaitTimeMillis": layout.F_WTIME,
        "isIndexed": layout.F_INDEXED,
        "dereferenceAliases": layout.F_DEREF,
        "requestControlOIDs": layout.F_CONTROLS,
    },
)
