"""Oracle Unified Directory, access log in Oracle's diagnostic format (ODL).

Its classic access log is that of OpenDJ, see `opendj`. Keys and values stand in brackets, the type
of the operation behind them.
"""

from __future__ import annotations

from dataclasses import replace

from ldap_workbench.logs.access.dialects.opendj import OPENDJ
from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.model.message import verbatim

OUD = replace(
    OPENDJ,
    name="oud",
    title=verbatim("Oracle Unified Directory, ODL"),
    style=layout.ATTRIBUTES,
    operations=OPENDJ.words,
    keys={
        **OPENDJ.keys,
        "category": layout.F_ROLE,
        "conn": layout.F_CONN,
        "op": layout.F_OP,
        "from": layout.F_CLIENT,
        "opType": layout.F_ORIGIN,
        # In a classic line behind the brackets the first eight bytes of a key count.
        "unindexe": layout.F_UNINDEXED,
    },
)
