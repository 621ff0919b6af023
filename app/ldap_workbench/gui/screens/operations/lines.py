"""What the log itself says of an operation."""

from __future__ import annotations

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from ldap_workbench.figures.operations.index_plan import SlowSearch
from ldap_workbench.figures.operations.view import RawLines
from ldap_workbench.gui.parts.style.language import localised, shown
from ldap_workbench.model.visible import one_line


class LinesPane(QPlainTextEdit):
    """Its request, its result, and the lines around them; plain text, whatever it holds."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setProperty("role", "raw")
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setAccessibleName(self.tr("Lines of the log around the operation"))
        self.setPlaceholderText(self.tr("Choose an operation to see its lines in the log."))

    def show_lines(self, lines: RawLines, search: SlowSearch | None = None) -> None:
        """Show the lines of one operation, and why it took its time where that is known."""
        missing = self.tr("(the line is before the window)")
        text = [
            self.tr("Request:  ") + (one_line(lines.request) or missing),
            self.tr("Result:   ") + (one_line(lines.result) or missing),
            "",
            *self._reasons(search),
            self.tr("Around the result:"),
            *(("→ " if line == lines.result else "  ") + one_line(line) for line in lines.around),
        ]
        self.setPlainText("\n".join(text))

    def _reasons(self, search: SlowSearch | None) -> list[str]:
        """Sentences, then the index plan, a key a line."""
        if search is None or not search.reasons:
            return []
        keys = [
            f"  {one_line(f'{key.attribute} ({key.kind}) {key.value}')}: {localised(key.entries)}"
            for key in search.plan
        ]
        heading = [self.tr("Index keys, and the entries each lists:")] if keys else []
        sentences = [one_line(shown(reason)) for reason in search.reasons]
        return [self.tr("Why it took its time:"), *sentences, *heading, *keys, ""]
