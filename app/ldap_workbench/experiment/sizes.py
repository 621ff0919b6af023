"""Three plans to choose from before anybody counts pairs: half an hour, four hours, a night."""

from __future__ import annotations

from dataclasses import dataclass

from ldap_workbench.model.message import Message


@dataclass(frozen=True)
class Size:
    """Randomised pairs of `window_s` windows; more and shorter find more in the same time."""

    title: Message
    pairs: int
    window_s: float


SIZES = {
    # Windows that wait 5 s after a change and 15 s for the log fill the time named.
    "quick": Size(Message("Quick (30 min)"), 6, 120),
    "standard": Size(Message("Standard (4 h)"), 22, 300),
    "thorough": Size(Message("Thorough (overnight)"), 67, 300),
}
