"""Tips that show text as it stands.

Qt reads markup in whatever looks like it, and a picture in it is fetched at once: on Windows from
any host, with the operator's credentials. Names and lines of a log end up in tips.
"""

from __future__ import annotations

from typing import Protocol

from ldap_workbench.gui.parts.style.plain import plain_tip


class HasTip(Protocol):
    """A widget, or an item of a chart."""

    def setToolTip(self, text: str) -> None: ...


def set_tip(owner: HasTip, text: str) -> None:
    """Give it a tip; every tip is set here."""
    owner.setToolTip(plain_tip(text))
