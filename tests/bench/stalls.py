"""The longest stall of the window on every screen, with a large session.

    QT_QPA_PLATFORM=offscreen python -m tests.bench.stalls [OPERATIONS]

A million operations unless said otherwise. The watch is that of the window's tests: time in which
the machine gave the window no processor is taken off.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


from ldap_workbench.gui.app import application, load_later_parts
from ldap_workbench.gui.parts.style.theme import Scheme, apply_theme
from ldap_workbench.gui.shell.window import MainWindow
from ldap_workbench.gui.workbench.state import Workbench
from tests.gui.patience import pause
from tests.gui.watch import StallWatch
from tests.sessions import build_experiment_session

PAIRS, SECONDS = 6, 60


def idle(window: MainWindow) -> None:
    """Until no job runs and what came is shown."""
    pause(50)
    while window.workbench.runner.jobs or window.timeline.coming():
        pause(50)


def measure(window: MainWindow, name: str) -> float:
    """Show a screen and wait for all it reads; its longest stall, in seconds."""
    watch = StallWatch()
    watch.start()
    window.show_screen(name)
    idle(window)
    watch.stop()
    worst, stack = max(watch.stalls, default=(watch.longest_work_s, ""))
    if stack:
        print(stack, file=sys.stderr)
    return worst


def main(operations: int) -> None:
    apply_theme(application(), Scheme.LIGHT)
    with tempfile.TemporaryDirectory() as home:
        os.environ["LDAP_WORKBENCH_HOME"] = home
        path = Path(home) / "large.ldapwb"
        each = operations // (2 * PAIRS * SECONDS)
        build_experiment_session(path, pairs=PAIRS, seconds=SECONDS, per_second=each)
        window = MainWindow(Workbench())
        load_later_parts()
        window.resize(1400, 900)
        window.show()
        window.open_paths([path])
        idle(window)
        print("| screen | longest stall, ms |\n|---|---:|")
        for screen in window.screens:
            print(f"| {screen.name} | {1000 * measure(window, screen.name):.0f} |", flush=True)
        window.close_now()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
