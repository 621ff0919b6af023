"""Sun ONE Directory Server 5.2, DSEE 6 and 7, ODSEE 11g: the grammar 389 DS grew from.

They put 'msgId=N - ' between the numbers and the verb, which the scanner passes over.
"""

from __future__ import annotations

from dataclasses import replace

from ldap_workbench.logs.access.dialects.ds389 import DS389
from ldap_workbench.logs.access.grammar import BRACKET_TIME, Look
from ldap_workbench.model.message import Message, verbatim

SUN = replace(
    DS389,
    name="sun",
    title=verbatim("Sun Directory Server / DSEE / ODSEE"),
    log=Message("Sun Directory Server / DSEE access log"),
    looks=(
        Look(
            BRACKET_TIME + rb"conn=\S+ op=\S+ msgId=-?\d+ - ",
        ),
    ),
    family="",
)
