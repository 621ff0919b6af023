"""Journal: every change on every server; revert one group, or all open ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCheckBox, QWidget

from ldap_workbench.figures.formats import attribute_values
from ldap_workbench.figures.names import CHANGE_STATES
from ldap_workbench.figures.overview.history import JOURNAL_COLUMNS
from ldap_workbench.gui.parts.models.table import ROW_ROLE, FoundRows, RowsModel
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.consent import ConsentBox
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.parts.widgets.table import TableView
from ldap_workbench.gui.workbench.connection import Connection, ServerWork
from ldap_workbench.gui.workbench.journal import KEY, JournalRead, read_journal
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.change import Change, ChangeState, after_reverts, left_stored
from ldap_workbench.model.errors import AnotherServerError, ConflictError
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.tuning.journal import Journal


class JournalScreen(Screen):
    """Newest first."""

    name = "journal"

    def __init__(self, workbench: Workbench, actions: list[QAction]) -> None:
        super().__init__(workbench)
        self.set_subtitle(
            self.tr("Every change the workbench made on a server, recorded before it was made")
        )
        self.model = RowsModel(JOURNAL_COLUMNS, parent=self)
        self._rows = FoundRows(self.model, self)
        self._open_only = QCheckBox(self.tr("Only &open changes"))
        self._open_only.toggled.connect(self._fill)
        self._revert_one = push_button(self.tr("&Revert …"), self._on_revert)
        self._revert_all = push_button(self.tr("Revert &all open …"), self.revert_all)
        for widget in (self._open_only, self._revert_one, self._revert_all):
            self.add_tool(widget)
        self._body = self._make_body()
        self._empty = self.empty_state(actions)
        self.add_bodies(self._empty, self._body)
        workbench.journal.changed.connect(self._fill)
        workbench.connectionChanged.connect(self._enable)
        workbench.running.changed.connect(self._enable)
        workbench.readOnlyChanged.connect(self._enable)
        self._enable()

    def shown(self) -> None:
        self.workbench.journal.reload()

    def reload(self) -> None:
        self.workbench.journal.reload()

    def revert_all(self) -> None:
        """Put back all open changes of the connected server, after asking; or say why not.

        The journal is read first: a command may have changed the server meanwhile. While an
        experiment runs, it is that which has to be stopped.
        """
        if self.workbench.running.run:
            self.workbench.running.stopWanted.emit()
        else:
            title = self.tr("Reading the change log")
            work = partial(_open_here, self.workbench.journal.file, self.workbench.connection)
            self.workbench.start(KEY, title, work, self._offer_all)

    @Slot(object)
    def _offer_all(self, answer: tuple[JournalRead, list[Change], Message]) -> None:
        read, here, moved = answer
        self.workbench.journal.show_changes(*read)
        if why := self._refusal(here, moved):
            self.workbench.show_status(shown(why))
        elif self.workbench.connection and self._agreed(here):
            self._run(_revert_all)

    def _refusal(self, here: list[Change], moved: Message) -> Message:
        """Why nothing is reverted; nothing where it can be."""
        bench = self.workbench
        if bench.read_only:
            return Message("Read-only mode is on. Turn it off in the Server menu to revert.")
        if run := next(filter(None, map(bench.journal.run_of, here)), None):
            return run.why_not_revert
        if here or moved:
            return NOTHING if here else moved
        if elsewhere := sorted({c.server_name for c in bench.journal.open_changes()}):
            return Message(
                "No change is open on this server. Open changes on {servers:list}: connect there "
                "to revert them.",
                servers=tuple(elsewhere),
            )
        return Message("There is nothing to revert: the change log lists no open change.")

    @Slot(str)
    def revert_group(self, name: str) -> None:
        """Put back what was changed together, after asking."""
        group = [change for change in self.workbench.journal.changes if change.group == name]
        if any(map(self.workbench.running.makes, group)):
            self.workbench.running.stopWanted.emit()
        elif run := next(filter(None, map(self.workbench.journal.run_of, group)), None):
            self.workbench.show_status(shown(run.why_not_revert))
        elif group and self.workbench.may_change_a_server() and self._agreed(group):
            self._run(partial(_revert, group=name))

    def _make_body(self) -> QWidget:
        self.table = TableView(self.tr("Changes made on servers"), keep="journal table")
        self.table.set_rows(self._rows, stretch=8)
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
        self.table.selectionModel().selectionChanged.connect(self._enable)
        self._hint = label("", "dim", wrap=True)
        body = QWidget()
        column((self.table, 1), self._hint, on=body, margins=0)
        return body

    @Slot()
    def _fill(self) -> None:
        wanted = self._open_only.isChecked()
        rows = [c for c in reversed(self.workbench.journal.changes) if c.state.open or not wanted]
        self.model.set_rows(rows)
        self.show_body(self._body if self.workbench.journal.changes else self._empty)
        self._enable()

    @Slot()
    def _enable(self) -> None:
        change = self._selected()
        allowed = not self.workbench.read_only
        revertible = change is not None and (change.state.open or change.state is ChangeState.KEPT)
        here = change is not None and self.workbench.is_connected_to(change)
        journal = self.workbench.journal
        free = change is not None and journal.run_of(change) is None
        self._revert_one.setEnabled(allowed and revertible and here and free)
        ours = [made for made in journal.open_changes() if journal.run_of(made) is None]
        any_open = any(map(self.workbench.is_connected_to, ours))
        any_open = any_open or self.workbench.running.run is not None
        self._revert_all.setEnabled(allowed and any_open)
        if hasattr(self, "_hint"):
            self._hint.setText(self._hint_text(change, here))

    def _hint_text(self, change: Change | None, here: bool) -> str:
        if self.workbench.read_only:
            return self.tr("Read-only mode is on. Turn it off in the Server menu to revert.")
        if change is not None and (run := self.workbench.journal.run_of(change)):
            return shown(run.why_not_revert)
        if change is not None and change.state.open and not here:
            text = self.tr("To revert this, connect to {profile} first.")
            return text.format(profile=change.server_name)
        return self.tr("Changes made together are reverted together, the last one first.")

    def _selected(self) -> Change | None:
        if not hasattr(self, "table"):
            return None
        rows = self.table.selectionModel().selectedRows()
        return rows[0].data(ROW_ROLE) if rows else None

    @Slot()
    def _on_revert(self) -> None:
        if change := self._selected():
            self.revert_group(change.group)

    def _agreed(self, changes: list[Change]) -> bool:
        lines = [
            shown(
                Message(
                    "{knob}: {now} → {before}",
                    knob=c.knob,
                    now=attribute_values(c.got or c.asked),
                    before=attribute_values(c.before),
                )
            )
            for c in reversed(changes)
        ]
        connection = self.workbench.connection
        assert connection is not None
        notes = []
        if any(c.needs_restart for c in changes):
            notes.append(self.tr("Some changes take effect only after the next restart."))
        if any(map(connection.tuner.is_known_by_url_alone, changes)):
            notes.append(
                self.tr("Only the URL says that this is the server that was changed: check that.")
            )
        stays = dict.fromkeys(c.after_revert for c in changes if c.after_revert)
        notes += [shown(sentence) for sentence in stays]
        box = ConsentBox(
            self.tr("Revert"),
            self.tr("This changes the server {server}:").format(server=connection.profile.name),
            "\n".join([*lines, "", *notes]).strip(),
            self.tr("&Revert"),
            self,
        )
        stops = any(map(connection.tuner.journal.edit, changes))
        if stops:
            box.ask_for_stop()
        agreed = box.agreed()
        connection.tuner.may_stop = agreed and stops
        return agreed

    def _run(self, work: ServerWork) -> None:
        self.workbench.ask_server(
            self.tr("Reverting"),
            work,
            on_done=self._on_reverted,
            on_failed=self._on_failed,
            on_cancelled=self._on_cancelled,
        )

    @Slot()
    def _on_cancelled(self) -> None:
        """Only before it has begun: nothing cancels it in between."""
        self.workbench.show_status(
            shown(Message("Reverting was cancelled before it began; nothing was reverted."))
        )
        self.workbench.journal.reload()

    @Slot(object)
    def _on_reverted(self, outcome: tuple[list[Change], list[Change]]) -> None:
        changes, still = outcome
        if still:
            self.workbench.notice(
                shown(Message("Not all changes are reverted")),
                shown(
                    Message(
                        "Still open on {server}: {knobs:list}.",
                        server=still[0].server_name,
                        knobs=tuple(sorted({change.knob for change in still})),
                    )
                ),
            )
        states = ", ".join(f"{c.knob}: {shown(CHANGE_STATES[c.state])}" for c in changes)
        if left := left_stored(changes):
            states = f"{states}. {shown(after_reverts(left))}"
        self.workbench.show_status(states or self.tr("There was nothing to revert."))
        self.workbench.journal.reload()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self.workbench.journal.reload()
        if isinstance(error, ConflictError):
            error.remedy = Message("The change log shows all three values; decide which is right.")
        self.workbench.fail(error)


def _open_here(
    journal: Callable[[], Journal], connection: Connection | None, *_: object
) -> tuple[JournalRead, list[Change], Message]:
    """The journal, and the changes open on the connected server, by whatever URL they were made.

    The last says that the URL led to another server when some were made.
    """
    read = read_journal(journal())
    if connection is None:
        return read, [], NOTHING
    facts = connection.target.facts
    here = journal().open_changes(connection.profile.server_url, facts.identity)
    try:
        connection.tuner.check_moved()
    except AnotherServerError as error:
        return read, here, error.explanation
    return read, here, NOTHING


def _revert(connection: Connection, *_: object, group: str) -> tuple[list[Change], list[Change]]:
    """What was reverted, and what is open all the same."""
    return connection.tuner.revert(group), connection.tuner.open_changes()


def _revert_all(connection: Connection, *_: object) -> tuple[list[Change], list[Change]]:
    return connection.tuner.recover(), connection.tuner.open_changes()
