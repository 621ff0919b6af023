"""OpenDJ, ForgeRock DS and PingDS text access log, with REQ and RES lines or combined ones.

The classic access log of Oracle Unified Directory is of this form, too.
"""

from __future__ import annotations

from ldap_workbench.logs.access.grammar import (
    ABANDON,
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

VERB = rb"(?:ABANDON|ADD|BIND|COMPARE|DELETE|EXTENDED|MODIFY|MODIFYDN|MODDN|SEARCH|UNBIND)"

OPENDJ = Dialect(
    name="opendj",
    title=verbatim("OpenDJ / ForgeRock DS / PingDS"),
    log=Message("OpenDJ / ForgeRock DS / Oracle OUD access log"),
    looks=(
        Look(
            BRACKET_TIME[:-1] + rb"? (?:" + VERB + rb" (?:RE[QS] )?conn=-?\d+ op=\d+ msgID="
            rb"|CONNECT conn=-?\d+ from=[^\"]|DISCONNECT conn=-?\d+ reason=)",
        ),
    ),
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
