"""What the log itself says of an operation."""

from __future__ import annotations

from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from ldap_workbench.figures.operations import RawLines
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

    def show_lines(self, lines: RawLines) -> None:
        """Show the lines of one operation."""
        missing = self.tr("(the line is before the window)")
        text = [
            self.tr("Request:  ") + (one_line(lines.request) or missing),
            self.tr("Result:   ") + (one_line(lines.result) or missing),
            "",
            self.tr("Around the result:"),
            *(("→ " if line == lines.result else "  ") + one_line(line) for line in lines.around),
        ]
        self.setPlainText("\n".join(text))
