"""Draw the program's icon in all sizes a desktop asks for: packaging/linux/icons.py FOLDER."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
DRAWING = Path(__file__).parents[2] / "resources" / "icons" / "ldap-workbench.svg"
NAMES = ("apps/ldap-workbench", "mimetypes/application-vnd.ldap-workbench.session")


def drawn(size: int) -> QImage:
    """The icon, `size` pixels wide and high."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    with QPainter(image) as painter:
        QSvgRenderer(str(DRAWING)).render(painter)
    return image


def main(folder: Path) -> None:
    """Fill a folder hicolor/."""
    application = QGuiApplication([])
    for name in NAMES:
        for size in SIZES:
            path = folder / f"{size}x{size}" / f"{name}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            assert drawn(size).save(str(path)), path
        scalable = folder / "scalable" / f"{name}.svg"
        scalable.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(DRAWING, scalable)
    del application


if __name__ == "__main__":
    main(Path(sys.argv[1]))
