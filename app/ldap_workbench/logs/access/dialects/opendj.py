"""OpenDJ, ForgeRock DS and PingDS text access log, with REQ and RES lines or combined ones.

The classic access log of Oracle Unified Directory is of this form, too.
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
    Style,
    Unit,
)
from ldap_workbench.model.message import verbatim

OPENDJ = Dialect(
    name="opendj",
    title=verbatim("OpenDJ / ForgeRock DS / PingDS"),
    style=Style.VERB_FIRST,
    etime_unit=Unit.LATCHED,
    words={
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
        "CONNECT": (Line.OPENED, 0),
        "DISCONNECT": (Line.CLOSED, 0),
    },
    keys={
        "result": Field.ERR,
        "nentries": Field.NENTRIES,
        "etime": Field.ETIME,
        "base": Field.BASE,
        "dn": Field.BASE,
        "filter": Field.FILTER,
        "oid": Field.FILTER,
        "authDN": Field.BIND,
        "type": Field.ORIGIN,
        "unindexed": Field.UNINDEXED,
        "requestControls": Field.CONTROLS,
    },
)
