"""What is kept of a run that ends badly: a report to read at the next start.

A report holds versions and stacks, never the words of an error: those may name servers, entries
or worse. It is written as faults happen, so that a killed program leaves one as well.
"""

from __future__ import annotations

import faulthandler
import os
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices

from ldap_workbench.connect.crashes import report_folder, stack_of
from ldap_workbench.gui.parts.widgets.bands import Band
from ldap_workbench.gui.parts.widgets.buttons import push_button

_KEPT = 5
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL


def left_behind() -> Path | None:
    """The report of a run that did not end well, put aside so that it is told of once."""
    running = sorted(report_folder().glob("running-*.txt"), key=lambda path: path.stat().st_mtime)
    aside = [
        path.replace(path.with_name(path.name.replace("running", "crash"))) for path in running
    ]
    for old in sorted(report_folder().glob("crash-*.txt"))[:-_KEPT]:
        old.unlink()
    return aside[-1] if aside else None


class RunReport:
    """The report of this run; taken away again when it ends well."""

    def __init__(self, versions: str) -> None:
        now = datetime.now(UTC)
        name = f"running-{now:%Y%m%dT%H%M%S}-{os.getpid()}.txt"
        self.path = report_folder() / name
        self._file = os.fdopen(os.open(self.path, _NEW, 0o600), "w", encoding="utf-8")
        self._file.write(f"Started {now:%Y-%m-%d %H:%M:%S} UTC\n{versions}\n")
        self._file.flush()
        faulthandler.enable(self._file)

    def note(self, error: BaseException) -> None:
        """Write down where an error came from."""
        self._file.write(f"\n{datetime.now(UTC):%H:%M:%S} UTC\n{stack_of(error)}")
        self._file.flush()

    def end(self) -> None:
        """The run ended well."""
        faulthandler.disable()
        self._file.close()
        self.path.unlink(missing_ok=True)


class RecoveryBand(Band):
    """Tells that the last run ended badly: its report, and the session it had open.

    *Signals:* sessionWanted(Path)
    """

    sessionWanted = Signal(object)

    def __init__(self, report: Path, session: Path | None) -> None:
        super().__init__("warn")
        self.report, self._session = report, session
        words = self.tr(
            "Sessions and the change log are safe on disk; open changes are named below. A report "
            "of what happened, without names or secrets, is in {path}"
        )
        self.say(self.tr("Unexpected exit last time"), words.format(path=report))
        show = push_button(self.tr("&Read the report"), self._on_show)
        self.add_button(show)
        if session:
            again = push_button(
                self.tr("O&pen {name} again").format(name=session.name), self._on_again
            )
            self.add_button(again)
        away = push_button(self.tr("Dis&miss"), self.hide)
        self.add_button(away)

    def _on_show(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.report)))

    def _on_again(self) -> None:
        self.sessionWanted.emit(self._session)
        self.hide()
