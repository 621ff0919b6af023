"""389 Directory Server JSON access log ("json", "json-pretty"; since 3.0.x), an object an event.

Classic lines among the objects are read as well: a change of format does not always begin a file.
"""

from __future__ import annotations

from ldap_workbench.logs.dialects.ds389 import DS389
from ldap_workbench.logs.grammar import Dialect
from ldap_workbench.logs.kernel import layout

JSON389 = Dialect(
    name="389-json",
    title="389 Directory Server, JSON",
    style=layout.EVENTS,
    depth=1,
    words=DS389.words,
    operations={
        "RESULT": (layout.RESULT, layout.K_UNKNOWN),
        "SEARCH": (layout.REQUEST, layout.K_SRCH),
        "BIND": (layout.REQUEST, layout.K_BIND),
        "MODIFY": (layout.REQUEST, layout.K_MOD),
        "ADD": (layout.REQUEST, layout.K_ADD),
        "DELETE": (layout.REQUEST, layout.K_DEL),
        "MODRDN": (layout.REQUEST, layout.K_MODRDN),
        "COMPARE": (layout.REQUEST, layout.K_CMP),
        "EXTENDED_OP": (layout.REQUEST, layout.K_EXT),
        "EXTENDED_OP_INFO": (layout.EXTRA, 0),
        "ABANDON": (layout.ABANDON, layout.K_ABANDON),
        "UNBIND": (layout.EXTRA, 0),
        "AUTOBIND": (layout.BOUND, 0),
        "CONNECTION": (layout.OPENED, 0),
        "DISCONNECT": (layout.CLOSED, 0),
        "HAPROXY": (layout.EXTRA, 0),
        "TLS_INFO": (layout.EXTRA, 0),
        "TLS_CLIENT_INFO": (layout.EXTRA, 0),
        "SORT": (layout.EXTRA, 0),
        "STAT": (layout.EXTRA, 0),
        "VLV": (layout.EXTRA, 0),
        "ENTRY": (layout.EXTRA, 0),
        "REFERRAL": (layout.EXTRA, 0),
        "ERROR": (layout.EXTRA, 0),
    },
    keys={
        **DS389.keys,
        "local_time": layout.F_TIME,
        "operation": layout.F_OPERATION,
        "key": layout.F_KEY,
        "conn_id": layout.F_CONN,
        "op_id": layout.F_OP,
        "internal_op": layout.F_IS_INTERNAL,
        "op_internal_id": layout.F_INTERNAL_OP,
        "op_internal_nested_count": layout.F_NESTING,
        "client_ip": layout.F_CLIENT,
        "base_dn": layout.F_BASE,
        "target_dn": layout.F_BASE,
        "bind_dn": layout.F_BASE,
        "note": layout.F_NOTE,
        "notes": layout.F_SKIP,
        "header": layout.F_HEADER,
    },
)
