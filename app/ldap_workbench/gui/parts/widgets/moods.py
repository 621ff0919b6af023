"""What is written on the badge of a finding or a risk, and its mood."""

from __future__ import annotations

from ldap_workbench.model.knob import Risk
from ldap_workbench.model.message import Message

SEVERITIES = {
    3: (Message("likely the cause"), "bad"),
    2: (Message("may matter"), "warn"),
    1: (Message("worth knowing"), ""),
}
"""By severity: how likely a finding is the cause."""

RISK_BADGES: dict[str, tuple[Message, str]] = {
    Risk.LOW: (Message("low risk"), "good"),
    Risk.MEDIUM: (Message("medium risk"), "warn"),
    Risk.HIGH: (Message("high risk"), "bad"),
}
