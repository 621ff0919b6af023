"""Run on a display and a bus of its own: shows screen after screen and has each read out.

python -m tests.gui.atspi_program OUTPUT SESSION SCREEN...: writes what each screen says as JSON.
"""

import json
import sys
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEventLoop, QProcess

from ldap_workbench.gui.app import application, load_later_parts
from ldap_workbench.gui.parts.style.theme import Scheme, apply_theme
from ldap_workbench.gui.screens.overview.cards import FindingCard
from ldap_workbench.gui.shell.window import MainWindow
from ldap_workbench.gui.workbench.state import Workbench
from tests.gui.patience import pause

READER = Path(__file__).with_name("atspi_reader.py")


def idle(window: MainWindow) -> None:
    pause(200)
    while window.workbench.runner.jobs or window.timeline.coming():
        pause(50)
    pause(200)


def read_out() -> list[dict[str, object]]:
    """What the reader is told while the window answers it.

    In an event loop of its own: `qWait` sleeps between two looks at the events, and there are some
    thousand questions.
    """
    reader, answering = QProcess(), QEventLoop()
    reader.finished.connect(answering.quit)
    reader.start(
        "/usr/bin/python3", ["-W", "ignore", str(READER), str(QCoreApplication.applicationPid())]
    )
    if reader.waitForStarted():
        answering.exec()
    sys.stderr.write(reader.readAllStandardError().data().decode())
    return json.loads(reader.readAllStandardOutput().data())


def main(output: str, session: str, *names: str) -> None:
    app = application()
    apply_theme(app, Scheme.LIGHT)
    window = MainWindow(Workbench())
    load_later_parts()
    window.resize(1200, 800)
    window.show()
    window.open_paths([Path(session)])
    idle(window)
    told = {}
    for name in names:
        window.show_screen(name)
        idle(window)
        for card in window.overview.findings.cards() if name == "overview" else ():
            if isinstance(card, FindingCard):
                card.arrow.click()  # a row says its title alone until it is opened
        told[name] = read_out()
    Path(output).write_text(json.dumps(told))
    window.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
