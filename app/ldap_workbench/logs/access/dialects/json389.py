"""389 Directory Server access log that begins with JSON, see `ds389`."""

from __future__ import annotations

from dataclasses import replace

from ldap_workbench.logs.access.dialects.ds389 import DS389
from ldap_workbench.logs.access.grammar import Look, Style
from ldap_workbench.model.message import Message, verbatim

JSON389 = replace(
    DS389,
    name="389-json",
    title=verbatim("389 Directory Server, JSON"),
    log=Message("389 Directory Server JSON access log"),
    looks=(
        # A header opens every JSON log of 389 DS: the keys behind it tell which one it is.
        Look(
            rb'\s*\{?\s*(?:"local_time"\s*:[^{]*)?"(?:operation"\s*:\s*"[A-Z]|key"\s*:\s*"\d+-)',
            weight=1.2,
        ),
    ),
    style=Style.EVENTS,
    depth=1,
)
