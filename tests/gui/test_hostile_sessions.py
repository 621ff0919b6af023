"""The window says one thing of a hostile session, and lives on."""

from __future__ import annotations

import pytest

from tests.gui.conftest import idle
from tests.hostile_sessions import AT_ONCE, build_good_session, make

KINDS = (
    *("sqlite", "pipe", "folder", "cut in half", "view", "macro", "generated column"),
    *("view in the log", "log is a pipe", "newer schema", "window nested", "window of texts"),
    *("window before itself", "facts nested", "source with other details", "kind of nothing"),
    *("experiment with another verdict", "samples without an end", "frame of gigabytes"),
)
"""The window opens all by one function, the commands try every kind."""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    root = tmp_path_factory.mktemp("hostile")
    good = build_good_session(root / "good.ldapwb")
    return {kind: make(kind, good, root / f"{n}") for n, kind in enumerate(KINDS)} | {"good": good}


@pytest.mark.stall_allowed  # what it opens is made to be slow
@pytest.mark.timeout(600)
def test_every_kind_is_refused_or_shown_and_the_next_one_opens(qtbot, window, hostile):
    accepted, untold = [], []
    for kind, path in hostile.items():
        window.workbench.close_session()
        window.error_bar.hide()
        window.open_paths([path])
        idle(qtbot, window)
        if window.workbench.opened is not None:
            accepted.append(kind)
        elif window.error_bar.isHidden() or not window.error_bar.heading.text():
            untold.append(kind)
    assert untold == []
    assert not set(accepted) & set(AT_ONCE)
    assert "good" in accepted
