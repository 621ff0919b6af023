"""What advice is computed from, and how much memory it may give away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ldap_workbench.model.finding import Deployment, Finding
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.servers.product import known_product, systems_of

MIB = 1024**2
RAM_SHARE = 0.5
"""No advice gives one cache more than this share of memory."""
OLC_THREADS, OLC_THREADS_DEFAULT = "olcThreads", 16
"""slapd does not show what is not set (slapd-config(5))."""


@dataclass(frozen=True)
class Basis:
    """What advice is computed from: findings by id, facts and settings of the server."""

    findings: Mapping[str, Finding]
    facts: TargetFacts | None
    settings: Mapping[str, str]

    def server_of(self, finding: str) -> Deployment:
        """What is known of the server a finding was made of: by its window, else by the facts."""
        server, facts = self.findings[finding].server, self.facts
        product = server.product or known_product(facts)
        library = server.db_library or (facts.db_library if facts else None) or ""
        return Deployment(product, library, server.systems or systems_of(facts, product))

    @property
    def product(self) -> str:
        """The product of the session; '' where nothing tells."""
        known = (self.server_of(finding).product for finding in self.findings)
        return next(filter(None, known), known_product(self.facts))

    @property
    def systems(self) -> frozenset[str]:
        """Systems the hosts may run: linux, solaris; none where nothing tells."""
        return frozenset(
            name for finding in self.findings for name in self.server_of(finding).systems
        )

    @property
    def version(self) -> str:
        """The version of the server: by its facts, else as findings in imported files have it."""
        if self.facts is not None:
            return self.facts.version
        versions = (str(finding.numbers.get("version", "")) for finding in self.findings.values())
        return next(filter(None, versions), "")

    def number(self, finding: str, name: str) -> float | None:
        """A number of a finding; None where the finding was not made or does not have it."""
        value = self.findings[finding].numbers.get(name) if finding in self.findings else None
        return float(value) if isinstance(value, int | float) else None

    def setting(self, knob: str) -> float | None:
        try:
            return float(self.settings[knob])
        except (KeyError, ValueError):
            return None


def within_ram(basis: Basis, wanted: float) -> int:
    """Bytes for one cache, in whole MiB: at most its share of the memory, where that is known."""
    ram = basis.facts.ram_bytes if basis.facts else None
    most = RAM_SHARE * ram if ram else wanted
    return rounded_up(wanted, MIB) if wanted <= most else int(most) // MIB * MIB


def rounded_up(size: float, step: int) -> int:
    """The next multiple of a step."""
    return -(-int(size) // step) * step
