"""A window of the past, fetched from the Capture screen over a real sshd."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import QDateTime, Qt, QTimeZone

from ldap_workbench.gui.shell.window import MainWindow
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import SourceState
from tests.gui.screens.capture.test_past_window import lines

BEGIN = 1_763_712_000
"""A year before the log that the server writes meanwhile: 21 Nov 2025 08:00:00 UTC."""


@pytest.fixture
def old_log(lab):
    """Ten minutes that only the server's user may read, as 389 DS leaves its logs."""
    folder = lab.folder / "past"
    folder.mkdir()
    (folder / "access").write_text(lines(BEGIN))
    for path in (folder / "access", folder):
        path.chmod(0o700 if path is folder else 0o600)
    yield str(folder / "access")
    shutil.rmtree(folder)


def test_a_minute_of_the_past_over_ssh(qtbot, lab, old_log, tmp_path):
    window = MainWindow(Workbench())
    bench = window.workbench
    bench.settings.folder = tmp_path
    window.show()
    bench.connect_to(replace(lab.profile, access_log=old_log))
    qtbot.waitUntil(lambda: bench.connection is not None and not bench.runner.jobs, timeout=60_000)
    window.show_screen("capture")
    form = window.capture._past
    for field, second in ((form._from, 120), (form._to, 180)):
        field.setDateTime(QDateTime.fromSecsSinceEpoch(BEGIN + second, QTimeZone.utc()))
    qtbot.mouseClick(form._fetch, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bench.opened is not None, timeout=60_000)
    (fetched,) = bench.opened.summary.windows
    (source,) = bench.opened.summary.sources
    assert (fetched.start_ns, fetched.seconds) == ((BEGIN + 120) * NS_PER_S, 60)
    assert source.state is SourceState.COMPLETE, source.why
    assert source.details["bytes_on_the_wire"] < 0.5 * source.details["bytes_of_the_set"]
    qtbot.waitUntil(lambda: not bench.runner.jobs, timeout=60_000)
    window.close()
    window.deleteLater()
