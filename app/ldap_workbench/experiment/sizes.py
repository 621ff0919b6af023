"""Three plans to choose from before anybody counts pairs: half an hour, four hours, a night."""

from __future__ import annotations

from dataclasses import dataclass

from ldap_workbench.model.message import Message


@dataclass(frozen=True)
class Size:
    """Randomised pairs of `window_s` windows; more and shorter find more in the same time."""

    name: Message
    takes: Message
    """On a server that is not simulated, in round figures."""
    pairs: int
    window_s: float

    @property
    def title(self) -> Message:
        """Its name, with the time it takes."""
        return Message("{name} ({takes})", name=self.name, takes=self.takes)


SIZES = {
    # Windows that wait 5 s after a change and 15 s for the log fill the time named.
    "quick": Size(Message("Quick"), Message("30 min"), 6, 120),
    "standard": Size(Message("Standard"), Message("4 h"), 22, 300),
    "thorough": Size(Message("Thorough"), Message("overnight"), 67, 300),
}
