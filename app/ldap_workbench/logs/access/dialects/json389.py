"""389 Directory Server access log that begins with JSON, see `ds389`."""

from __future__ import annotations

from dataclasses import replace

from ldap_workbench.logs.access.dialects.ds389 import DS389
from ldap_workbench.logs.access.grammar import (
    Style,
)
from ldap_workbench.model.message import verbatim

JSON389 = replace(
    DS389,
    name="389-json",
    title=verbatim("389 Directory Server, JSON"),
    style=Style.EVENTS,
    depth=1,
)
