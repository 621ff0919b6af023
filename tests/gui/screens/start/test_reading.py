"""A large log that is read shows tails and timeline so far; stopped, it keeps what was read."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt

from ldap_workbench.capture.importing.preview import Preview
from ldap_workbench.gui.screens.start.reading import ReadingDialog
from ldap_workbench.logs.reading.files import PIECE
from tests.gui.conftest import idle
from tests.gui.watch import aside

PAIR = (
    b"[21/Nov/2026:11:00:00.000000000 +0000] conn=7 op=1 SRCH "
    b'base="dc=x" scope=2 filter="(uid=a)"\n'
    b"[21/Nov/2026:11:00:00.000000000 +0000] conn=7 op=1 RESULT err=0 tag=101 "
    b"nentries=1 etime=0.001234567\n"
)


def write_log(path: Path, count: int) -> None:
    path.write_bytes(PAIR * count)


def test_a_large_log_shows_what_has_been_read_and_stops_when_told(qtbot, window, tmp_path):
    window.workbench.settings.new_folder = tmp_path
    count = 150_000
    with aside():
        write_log(tmp_path / "access", count)
    assert (tmp_path / "access").stat().st_size > 3 * PIECE
    window.files.import_logs([tmp_path / "access"])
    dialog = window.findChild(ReadingDialog)
    seen = []

    def stop_at_once(progress):
        if isinstance(progress.details.get("preview"), Preview):
            seen.append(progress)
            qtbot.mouseClick(dialog.stop, Qt.MouseButton.LeftButton)

    (job,) = [each for each in window.workbench.runner.jobs if each.key == "import"]
    job.progressed.connect(stop_at_once)
    with qtbot.waitSignal(job.ended):
        pass
    assert dialog.model.rows[0].type == "ALL"
    assert dialog.stack.charts() or dialog.stack.coming()
    idle(qtbot, window)
    (opened,) = window.workbench.opened.summary.windows
    assert opened.cancelled
    assert 0 < seen[0].details["preview"].operations < count


def test_a_small_log_shows_no_dialog(qtbot, window, tmp_path):
    window.workbench.settings.new_folder = tmp_path
    write_log(tmp_path / "access", 100)
    shown = []
    window.files.import_logs([tmp_path / "access"])
    if dialog := window.findChild(ReadingDialog):
        dialog.finished.connect(shown.append)
        for job in window.workbench.runner.jobs:
            job.ended.connect(lambda: shown.append(dialog.isVisible()))
    idle(qtbot, window)
    assert True not in shown
    assert window.workbench.opened is not None
