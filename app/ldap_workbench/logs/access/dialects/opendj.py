"""OpenDJ, ForgeRock DS and PingDS text access log, with REQ and RES lines or combined ones.

The classic access log of Oracle Unified Directory is of this form, too.
"""

from __future__ import annotations

from ldap_workbench.logs.access.grammar import Dialect
from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.model.message import verbatim

OPENDJ = Dialect(
    name="opendj",
    title=verbatim("OpenDJ / ForgeRock DS / PingDS"),
    style=layout.VERB_FIRST,
    etime_unit=layout.LATCHED,
    words={
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
        "CONNECT": (layout.OPENED, 0),
        "DISCONNECT": (layout.CLOSED, 0),
    },
    keys={
        "result": layout.F_ERR,
        "nentries": layout.F_NENTRIES,
        "etime": layout.F_ETIME,
        "base": layout.F_BASE,
        "dn": layout.F_BASE,
        "filter": layout.F_FILTER,
        "oid": layout.F_FILTER,
        "authDN": layout.F_BIND,
        "type": layout.F_ORIGIN,
        "unindexed": layout.F_UNINDEXED,
        "requestControls": layout.F_CONTROLS,
    },
)
