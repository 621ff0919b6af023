"""The metric a verdict rests on, as plans, files and people write it: 'p99', 'BIND:p50'."""

from __future__ import annotations

from dataclasses import dataclass

from ldap_workbench.model.operations import ALL


@dataclass(frozen=True)
class PrimaryMetric:
    """A metric of one operation type, or of all client operations (`type` ALL)."""

    metric: str
    type: str = ALL

    @classmethod
    def parse(cls, text: str) -> PrimaryMetric:
        """The one place that takes 'BIND:p50' apart; whether such a metric exists is not asked."""
        kind, _, metric = text.rpartition(":")
        return cls(metric, kind or ALL)

    def __str__(self) -> str:
        return self.metric if self.of_all else f"{self.type}:{self.metric}"

    @property
    def of_all(self) -> bool:
        return self.type == ALL
