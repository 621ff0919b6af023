"""A recent session at a glance: its server, product and verdict as badges."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from ldap_workbench.figures.names import OUTCOMES
from ldap_workbench.figures.overview.session_summary import SessionBadges
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.flow import flow
from ldap_workbench.gui.parts.widgets.labels import badge
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.parts.widgets.verdict_band import look_of
from ldap_workbench.model.message import Message
from ldap_workbench.model.verdict import Judgement

_LETTERS = 32
"""Of a name: a file may hold one of any length."""


def badge_row(badges: SessionBadges) -> QWidget | None:
    """The badges side by side; None where nothing is known."""
    made = [badge(_cut(text)) for text in (badges.server, badges.product) if text]
    if badges.verdict:
        verdict, outcome = Judgement.named(badges.verdict), OUTCOMES.get(badges.outcome)
        if outcome:
            verdict = Message("{verdict}, {outcome}", verdict=verdict, outcome=outcome)
        made.append(badge(_cut(shown(verdict)), look_of(badges.verdict)))
    if not made:
        return None
    row = QWidget()
    column(flow(*made, spacing=6), on=row, margins=(7, 2, 0, 2))
    return row


def _cut(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= _LETTERS else f"{one_line[: _LETTERS - 1]}…"
