"""Which server it is: what a journal entry notes, and what a server says of itself now."""

from __future__ import annotations

from dataclasses import dataclass

_SHOWN = 8
"""Characters of a digest that tell servers of one host name apart for a person."""


@dataclass(frozen=True)
class ServerIdentity:
    """What names a server, whatever URL it was reached by. A part that is not known is ''."""

    instance: str = ""
    """Digest of what the instance says of itself, as `TargetFacts.identity`."""
    host: str = ""
    """The name of its host: for a person, and never compared."""

    @property
    def known(self) -> bool:
        return bool(self.instance)

    @property
    def label(self) -> str:
        """For a sentence: host name and the beginning of the digest, for hosts share names."""
        product, _, digest = self.instance.partition(":")
        parts = (self.host, f"({product}:{digest[:_SHOWN]})" if digest else "")
        return " ".join(part for part in parts if part) or "?"

    def differs_from(self, other: ServerIdentity) -> bool:
        """Whether a part that both know differs."""
        return bool(self.instance and other.instance) and self.instance != other.instance
