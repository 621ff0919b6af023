"""How likely a finding is the cause, in words and in a mood."""

from __future__ import annotations

from ldap_workbench.model.message import Message

SEVERITIES = {
    3: (Message("likely the cause"), "bad"),
    2: (Message("may matter"), "warn"),
    1: (Message("worth knowing"), ""),
}
"""By severity."""
