"""One kind of operation, as plans and people write it: 'SRCH[(mail=?)]', 'BIND[client=::1]'.

The metric a verdict rests on, as plans, files and people write it: 'p99', 'BIND:p50' ... Or of one
kind of operation: 'SRCH[(mail=?)]:p50'.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.operations import ALL, TYPES

_WRITTEN = re.compile(r"(?P<type>\w+)\[(?P<of>.+)\]", re.DOTALL)
_BY = ("client", "dn")
_INSIDE = {
    ALL: Message("operations"),
    "SRCH": Message("searches"),
    "BIND": Message("binds"),
    "MOD": Message("modifications"),
    "ADD": Message("adds"),
    "DEL": Message("deletes"),
    "MODRDN": Message("renames"),
    "CMP": Message("compares"),
}
_FIRST = {
    ALL: Message("Operations"),
    "SRCH": Message("Searches"),
    "BIND": Message("Binds"),
    "MOD": Message("Modifications"),
    "ADD": Message("Adds"),
    "DEL": Message("Deletes"),
    "MODRDN": Message("Renames"),
    "CMP": Message("Compares"),
}
"""What operations of a type are called, inside a sentence and as its first word."""
# Not a literal where it is used: there is nothing in it to translate.
_OF_FILTER = "{operations} {filter}"


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

    @property
    def name(self) -> Message:
        """'searches (mail=?)', 'binds from 10.0.0.5', 'searches by uid=app,dc=example'."""
        return self._among(_INSIDE.get(self.type) or verbatim(self.type))

    @property
    def subject(self) -> Message:
        """The name where a sentence begins with it: 'Searches (mail=?)'."""
        return self._among(_FIRST.get(self.type) or verbatim(self.type))

    def _among(self, operations: Message) -> Message:
        if self.by == "filter":
            return Message(_OF_FILTER, operations=operations, filter=self.value)
        if self.by == "client":
            return Message("{operations} from {client}", operations=operations, client=self.value)
        return Message("{operations} by {dn}", operations=operations, dn=self.value)

    def __str__(self) -> str:
        of = self.value if self.by == "filter" else f"{self.by}={self.value}"
        return f"{self.type}[{of}]"


def subject_of(kind: str) -> Message | None:
    """What a sentence about a type, or a kind as it is written, begins with; None if unknown."""
    if of_kind := OperationKind.parse(kind):
        return of_kind.subject
    return _FIRST.get(kind)


@dataclass(frozen=True)
class PrimaryMetric:
    """A metric of one operation type, of one kind of operation, or of all (`type` ALL).

    A kind stands in `type` as `OperationKind` writes it.
    """

    metric: str
    type: str = ALL

    @classmethod
    def parse(cls, text: str) -> PrimaryMetric:
        """The one place that takes 'BIND:p50' apart; whether such a metric exists is not asked."""
        kind, _, metric = text.rpartition(":")
        return cls(metric, str(OperationKind.parse(kind) or kind or ALL))

    def __str__(self) -> str:
        return self.metric if self.of_all else f"{self.type}:{self.metric}"

    @property
    def of_all(self) -> bool:
        return self.type == ALL

    @property
    def operation_type(self) -> str:
        """Type of the operations, that of the kind where it is about one kind."""
        return self.type.partition("[")[0]
