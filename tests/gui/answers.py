"""What somebody may press and answer, where an interrupted run is gone on with or reverted."""

from __future__ import annotations

import pytest

BUTTONS_AND_ANSWERS = pytest.mark.parametrize(
    ("button", "yes"),
    [
        ("resume", True),
        ("revert", False),  # each button and each answer once; all pairs with the others
        pytest.param("resume", False, marks=pytest.mark.full),
        pytest.param("revert", True, marks=pytest.mark.full),
    ],
)
