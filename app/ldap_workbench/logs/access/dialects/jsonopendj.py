"""OpenDJ, ForgeRock DS and PingDS `ldap-access.audit.json`: one object per finished operation.

There is no operation number; the message id takes its place.
"""

from __future__ import annotations

from ldap_workbench.logs.access.grammar import Dialect
from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.model.message import verbatim

JSON_OPENDJ = Dialect(
    name="opendj-json",
    title=verbatim("OpenDJ / ForgeRock DS / PingDS, JSON"),
    style=layout.RECORDS,
    depth=2,
    words={},
    operations={
        "SEARCH": (layout.REQUEST, layout.K_SRCH),
        "BIND": (layout.REQUEST, layout.K_BIND),
        "MODIFY": (layout.REQUEST, layout.K_MOD),
        "ADD": (layout.REQUEST, layout.K_ADD),
        "DELETE": (layout.REQUEST, layout.K_DEL),
        "MODIFYDN": (layout.REQUEST, layout.K_MODRDN),
        "COMPARE": (layout.REQUEST, layout.K_CMP),
        "EXTENDED": (layout.REQUEST, layout.K_EXT),
        "ABANDON": (layout.REQUEST, layout.K_ABANDON),
        "UNBIND": (layout.EXTRA, 0),
        "TLS": (layout.EXTRA, 0),
        "CONNECT": (layout.OPENED, 0),
        "DISCONNECT": (layout.CLOSED, 0),
    },
    keys={
        "timestamp": layout.F_TIME,
        "operation": layout.F_OPERATION,
        "connId": layout.F_CONN,
        "msgId": layout.F_OP,
        "ip": layout.F_CLIENT,
        "dn": layout.F_BASE,
        "filter": layout.F_FILTER,
        "oid": layout.F_FILTER,
        "opType": layout.F_ORIGIN,
        "statusCode": layout.F_ERR,
        "nentries": layout.F_NENTRIES,
        "elapsedTime": layout.F_ELAPSED,
        "elapsedTimeUnits": layout.F_UNITS,
        "additionalItems": layout.F_ITEMS,
        "controls": layout.F_CONTROLS,
        "requestControls": layout.F_CONTROLS,
        "unindexed": layout.F_UNINDEXED,
        "elapsedQueueingTime": layout.F_QUEUED,
        "elapsedProcessingTime": layout.F_PROCESSED,
    },
)
