"""How a risk is marked on a card: its words and the mood of its badge."""

from __future__ import annotations

from ldap_workbench.model.knob import Risk
from ldap_workbench.model.message import Message

RISK_BADGES: dict[str, tuple[Message, str]] = {
    Risk.LOW: (Message("low risk"), "good"),
    Risk.MEDIUM: (Message("medium risk"), "warn"),
    Risk.HIGH: (Message("high risk"), "bad"),
}
