"""Two materials for one limit: one just beyond it, of which a finding is made, one just short."""

from collections.abc import Callable
from dataclasses import dataclass

from ldap_workbench.model.finding import Finding

Found = Callable[[], list[Finding]]


@dataclass(frozen=True)
class Edge:
    """`has` and `almost` are alike but for what `limit` names."""

    finding: str
    limit: str
    has: Found
    almost: Found

    def __str__(self) -> str:
        return f"{self.finding}-{self.limit}"

    def check(self) -> None:
        assert self.finding in {each.id for each in self.has()}, "the material that has it"
        assert self.finding not in {each.id for each in self.almost()}, "the one that almost has it"
