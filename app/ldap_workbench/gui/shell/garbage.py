"""Python's cycle collector, kept in the GUI thread.

The collector runs in whichever thread happens to allocate. Charts leave cycles behind that hold Qt
objects, and a Qt object freed in a worker crashes the program. So the automatic collector is
switched off and a timer of the GUI thread does its work.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer, Slot

_BEAT_MS = 500


class GuiGarbage(QObject):
    """Collects in the thread it lives in, generation by generation, when one is due."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thresholds = gc.get_threshold()
        gc.disable()
        # What was imported stays for good: looking through it again would take 100 ms.
        gc.collect()
        gc.freeze()
        self._timer = QTimer(self)
        self._timer.setInterval(_BEAT_MS)
        self._timer.timeout.connect(self.collect_if_due)
        self._timer.start()

    @Slot()
    def freeze(self) -> None:
        """Keep what was loaded meanwhile for good, too."""
        gc.freeze()

    @Slot()
    def collect_if_due(self) -> None:
        """One collection at the most, of the oldest generation that is due."""
        counts = gc.get_count()
        for generation in (2, 1, 0):
            if counts[generation] > self._thresholds[generation]:
                gc.collect(generation)
                return

    def stop(self) -> None:
        """Leave the collector as it was."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()
