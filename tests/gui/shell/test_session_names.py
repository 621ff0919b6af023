"""A session is known by what is in it, also where its name says nothing."""

import shutil

import pytest

from ldap_workbench.gui.app import PICTURES, screenshots
from ldap_workbench.model.errors import SessionError
from ldap_workbench.session.opening import is_session
from ldap_workbench.session.reader import Session


@pytest.fixture
def nameless(capture_file, tmp_path):
    return shutil.copy(capture_file, tmp_path / "kept")


def test_the_window_opens_a_session_whose_name_does_not_say_so(qtbot, window, nameless):
    window.open_paths([nameless])
    qtbot.waitUntil(lambda: window.workbench.opened is not None)
    assert window.workbench.opened.path == nameless


@pytest.mark.stall_allowed
def test_pictures_are_taken_of_a_session_or_there_is_an_error(qapp, nameless, tmp_path):
    made = screenshots(nameless, tmp_path / "pictures")
    assert [path.name for path in made] == [f"pictures-{name}.png" for name in PICTURES]
    (tmp_path / "log").write_text("no session")
    with pytest.raises(SessionError, match="not a session"):
        screenshots(tmp_path / "log", tmp_path / "none")
    assert not list(tmp_path.glob("none*"))


@pytest.mark.stall_allowed  # it opens the session itself, with no window
def test_one_that_is_open_is_known_without_a_second_look(nameless, tmp_path):
    with Session.open(nameless):
        assert is_session(nameless)
    (tmp_path / "empty").touch()
    for other in (tmp_path, tmp_path / "empty", tmp_path / "missing"):
        assert not is_session(other)
