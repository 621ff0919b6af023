"""A program to drag a file out of: python -m tests.gui.drag_source FILE X Y."""

import sys

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QDrag
from PySide6.QtWidgets import QApplication, QLabel


class Source(QLabel):
    """Begins to drag its file when the mouse moves with the button held."""

    def __init__(self, path: str) -> None:
        super().__init__("drag me")
        self._path = path

    def mouseMoveEvent(self, event):
        if event.buttons() & Qt.MouseButton.LeftButton:
            data = QMimeData()
            data.setUrls([QUrl.fromLocalFile(self._path)])
            drag = QDrag(self)
            drag.setMimeData(data)
            drag.exec(Qt.DropAction.CopyAction)


if __name__ == "__main__":
    app = QApplication([])
    source = Source(sys.argv[1])
    source.setWindowTitle("drag source")
    source.setGeometry(int(sys.argv[2]), int(sys.argv[3]), 200, 120)
    source.show()
    app.exec()
