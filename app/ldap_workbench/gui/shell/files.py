"""Files as the operator opens, drops and saves them: sessions, and logs that become one."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from ldap_workbench.gui.parts.style.language import localised
from ldap_workbench.gui.parts.widgets.saving import asked_session
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.progress import Cancel, OnProgress

if TYPE_CHECKING:
    from ldap_workbench.capture.importing.logs import Imported
    from ldap_workbench.connect.secrets import Secrets
    from ldap_workbench.gui.screens.fleet.screen import HourWanted

SUFFIX = ".ldapwb"


class SessionFiles(QObject):
    """Opens and copies session files for a window; belongs to it."""

    def __init__(self, workbench: Workbench, window: QWidget) -> None:
        super().__init__(window)
        self._workbench = workbench
        self._window = window

    def open_paths(self, paths: list[Path]) -> None:
        """Open the first session among what was dropped or named; logs become a session."""
        from ldap_workbench.session.opening import is_session

        for path in paths:
            if path.suffix == SUFFIX or is_session(path):
                self._workbench.open_session(path)
                return
        if paths:
            self.import_logs(paths)

    def import_logs(self, paths: list[Path], dialect: str = "auto") -> None:
        """Read logs, and what lies beside them, into a session of the sessions' folder; open it.

        `dialect`: what somebody says they are, where their content is not to be asked.
        """
        output = self._workbench.settings.new_session(f"{_stem(paths[0])}-imported")
        self._start(paths[0].name, partial(_imported, paths, output, dialect))

    @Slot(object)
    def import_hour(self, wanted: HourWanted) -> None:
        """Read one hour of a server of a fleet into a session; open it."""
        output = self._workbench.settings.new_session(wanted.name)
        work = partial(_hour, wanted, output, self._workbench.secrets)
        self._start(wanted.source.hour.server, work)

    def _start(
        self, name: str, work: Callable[[OnProgress, Cancel], tuple[Path, Imported]]
    ) -> None:
        job = self._workbench.runner.start(
            "import",
            self.tr("Reading {name}").format(name=name),
            work,
            on_done=self._on_imported,
            on_failed=self._workbench.fail,
        )
        if job.running:
            from ldap_workbench.gui.screens.start.reading import ReadingDialog

            ReadingDialog(job, name, self._window)

    @Slot()
    def choose_logs(self) -> None:
        """Ask which logs to read."""
        self.choose_logs_as("auto")

    def choose_logs_as(self, dialect: str) -> None:
        """Ask which logs to read as what."""
        folder, title = str(self._workbench.settings.folder), self.tr("Read logs")
        paths, _ = QFileDialog.getOpenFileNames(self._window, title, folder)
        if paths:
            self.import_logs([Path(path) for path in paths], dialect)

    @Slot(object)
    def _on_imported(self, answer: tuple[Path, Imported]) -> None:
        output, done = answer
        self._workbench.open_session(output)
        lines = [source.lines for source in done.sources]
        words = self.tr("{understood} lines parsed, {aside} skipped, {unknown} unknown")
        status = words.format(
            understood=localised(sum(counts.understood for counts in lines)),
            aside=localised(sum(counts.set_aside for counts in lines)),
            unknown=localised(sum(counts.unknown for counts in lines)),
        )
        titles = dict.fromkeys(str(source.details["title"]) for source in done.sources)
        status += "; " + self.tr("read as {titles}").format(titles=", ".join(titles))
        if done.left_out:
            names = ", ".join(sorted(path.name for path in done.left_out))
            status += "; " + self.tr("skipped: {names}").format(names=names)
        self._workbench.show_status(status)
        if done.out_of_time:
            self._workbench.fail(done.out_of_time_error(output))

    @Slot()
    def choose(self) -> None:
        """Ask which session to open."""
        if path := asked_session(self._window, self._workbench.settings.folder):
            self._workbench.open_session(path)

    @Slot()
    def save_copy(self) -> None:
        """Ask where to, then copy the open session in its own thread."""
        opened = self._workbench.opened
        if opened is None:
            return
        kinds = self.tr("Sessions (*.ldapwb)")
        title = self.tr("Save a copy as")
        path, _ = QFileDialog.getSaveFileName(self._window, title, str(opened.path), kinds)
        if path and Path(path) != opened.path:
            self._workbench.ask_session(
                self.tr("Saving a copy"),
                lambda session: shutil.copy2(session.path, path),
                self._on_saved,
            )

    @Slot()
    def save_without_names(self) -> None:
        """Ask where to, then write a copy with pseudonyms; it can be cancelled."""
        opened = self._workbench.opened
        if opened is None:
            return
        suggestion = str(opened.path.with_name(f"{opened.path.stem}-without-names{SUFFIX}"))
        title, kinds = self.tr("Save a copy without names"), self.tr("Sessions (*.ldapwb)")
        path, _ = QFileDialog.getSaveFileName(self._window, title, suggestion, kinds)
        if path:
            self._workbench.runner.start(
                "anonymise",
                self.tr("Saving a copy without names"),
                partial(_without_names, opened.path, Path(path)),
                on_done=self._on_saved,
                on_failed=self._workbench.fail,
            )

    @Slot(object)
    def _on_saved(self, path: str) -> None:
        self._workbench.show_status(self.tr("A copy was saved as {path}").format(path=path))


def _stem(path: Path) -> str:
    """A name for the session of a log: without the endings of packing and rotation."""
    return path.name.split(".")[0] or "logs"


def _imported(
    paths: list[Path], output: Path, dialect: str, progress: OnProgress, cancel: Cancel
) -> tuple[Path, Imported]:
    """In a worker. What could not be read, or was cancelled, leaves no session behind."""
    from ldap_workbench.capture.importing.logs import import_logs
    from ldap_workbench.session.writer import SessionWriter

    try:
        with SessionWriter.create(output) as writer:
            return output, import_logs(
                paths, writer, dialect=dialect, progress=progress, cancel=cancel
            )
    except WorkbenchError:
        output.unlink(missing_ok=True)
        raise


def _hour(
    wanted: HourWanted, output: Path, secrets: Secrets, progress: OnProgress, cancel: Cancel
) -> tuple[Path, Imported]:
    from ldap_workbench.fleet.hour import read_hour  # loaded here: few windows open a fleet

    return output, read_hour(wanted.source, output, secrets, progress, cancel)


def _without_names(path: Path, output: Path, progress: OnProgress, cancel: Cancel) -> str:
    from ldap_workbench.report.anonymous.copy import anonymise

    anonymise(path, output, progress=progress, cancel=cancel)
    return str(output)
