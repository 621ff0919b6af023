"""Oracle Unified Directory, access log in Oracle's diagnostic format (ODL).

Its classic access log is that of OpenDJ, see `opendj`. Keys and values stand in brackets, the type
of the operation behind them.
"""

from __future__ import annotations

from dataclasses import replace

from ldap_workbench.logs.access.dialects.opendj import OPENDJ
from ldap_workbench.logs.access.grammar import Field, Look, Style
from ldap_workbench.model.message import Message, verbatim

OUD = replace(
    OPENDJ,
    name="oud",
    title=verbatim("Oracle Unified Directory, ODL"),
    log=Message("Oracle Unified Directory access log, ODL"),
    looks=(
        Look(
            rb"\[\d{4}-\d\d-\d\dT\S+\] \[\w+\] \[\w+\].* \[PROTOCOL\] .*\bconn[:=]",
            weight=2.0,
        ),
    ),
    style=Style.ATTRIBUTES,
    operations=OPENDJ.words,
    keys={
        **OPENDJ.keys,
        "category": Field.ROLE,
        "conn": Field.CONN,
        "op": Field.OP,
        "from": Field.CLIENT,
        "opType": Field.ORIGIN,
        # In a classic line behind the brackets the first eight bytes of a key count.
        "unindexe": Field.UNINDEXED,
    },
)
