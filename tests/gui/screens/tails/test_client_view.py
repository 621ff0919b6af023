"""What a client measured, in a table of the tails screen."""

import pytest

from tests.gui.conftest import opened
from tests.sessions import with_client

pytestmark = pytest.mark.one_window


@pytest.fixture
def measured(tmp_path):
    return with_client(tmp_path / "client.ldapwb")


def test_the_client_s_view_stands_beside_the_tails(qtbot, window, measured):
    screen = opened(qtbot, window, measured, "tails")
    qtbot.waitUntil(lambda: screen.client.rows.rowCount() == 5)
    assert screen._tables.isTabVisible(5)
    assert screen.client.rows.index(4, 2).data() == "difference"
    assert "a difference of quantiles only suggests it" in screen._tables.tabToolTip(5)


def test_without_a_client_s_log_there_is_no_such_table(qtbot, window, session_file):
    screen = opened(qtbot, window, session_file, "tails")
    assert not screen._tables.isTabVisible(5)
