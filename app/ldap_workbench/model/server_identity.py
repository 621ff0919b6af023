"""Which server it is: what a journal entry notes, and what a server says of itself now."""

from __future__ import annotations

from dataclasses import dataclass

from ldap_workbench.model.message import NOTHING, Message

FORMULA = 1
"""Version of what `instance` is made of (servers/entry.py). Change it with that."""
CERTIFICATE = Message("the certificate")
_SHOWN = 8
"""Characters of a digest that tell servers of one host name apart for a person."""


@dataclass(frozen=True)
class ServerIdentity:
    """What names a server, whatever URL it was reached by. A part that is not known is ''.

    No part is proof alone: a copied configuration has the instance of its original, a renewed
    certificate is another one of the same server.
    """

    instance: str = ""
    """Digest of what the instance says of itself, as `TargetFacts.identity`."""
    host: str = ""
    """The name of its host: for a person, and never compared."""
    machine: str = ""
    """Digest of the machine-id of its host, as `TargetFacts.machine`."""
    certificate: str = ""
    """Digest of the certificate that it showed by `url`, as `TargetFacts.certificate`."""
    url: str = ""
    """Ports of one server may show a certificate each: only those of one URL are compared."""
    formula: int = FORMULA
    """With which `instance` was made; of two formulas nothing can be compared."""

    @property
    def known(self) -> bool:
        """Whether the instance is, in a form that can be compared today."""
        return bool(self.instance) and self.formula == FORMULA

    @property
    def label(self) -> str:
        """For a sentence: host name and the beginning of the digest, for hosts share names."""
        product, _, digest = self.instance.partition(":")
        parts = (self.host, f"({product}:{digest[:_SHOWN]})" if digest else "")
        return " ".join(part for part in parts if part) or "?"

    def difference(self, other: ServerIdentity) -> Message:
        """Which part differs of those that both know; nothing where none does."""
        if self.formula == other.formula and _differ(self.instance, other.instance):
            return Message("the instance")
        if _differ(self.machine, other.machine):
            return Message("the machine-id of the host")
        if self.url == other.url and _differ(self.certificate, other.certificate):
            return CERTIFICATE
        return NOTHING


def known_as(profile: str, address: str) -> str:
    """What the operator calls a server: its profile; its address only where it has none."""
    return profile or address


def _differ(one: str, other: str) -> bool:
    return bool(one and other) and one != other
