"""One kind of operation, as plans and people write it: 'SRCH[(mail=?)]', 'BIND[client=::1]'."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ldap_workbench.model.operations import ALL, TYPES

_WRITTEN = re.compile(r"(?P<type>\w+)\[(?P<of>.+)\]", re.DOTALL)
_BY = ("client", "dn")


@dataclass(frozen=True)
class OperationKind:
    """Operations of a type, or of all, that have one filter shape, client or bind DN.

    by       "filter", "client" or "dn"
    value    the filter with '?' for its values, an address, or a bind DN
    """

    type: str
    by: str
    value: str

    @classmethod
    def parse(cls, text: str) -> OperationKind | None:
        """None where the text is no kind of operation, such as a type alone."""
        written = _WRITTEN.fullmatch(text)
        if written is None or written["type"] not in (ALL, *TYPES):
            return None
        by, equals, value = written["of"].partition("=")
        if equals and by in _BY and value:
            return cls(written["type"], by, value)
        if not written["of"].startswith("(") or written["type"] != "SRCH":
            return None
        return cls("SRCH", "filter", written["of"].lower())

    def __str__(self) -> str:
        of = self.value if self.by == "filter" else f"{self.by}={self.value}"
        return f"{self.type}[{of}]"
