"""The metric a verdict rests on, as plans, files and people write it: 'p99', 'BIND:p50' ...

Or of one kind of operation: 'SRCH[(mail=?)]:p50'.
"""

from __future__ import annotations

from dataclasses import dataclass

from ldap_workbench.model.kind import OperationKind
from ldap_workbench.model.operations import ALL


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
