"""The time range every view looks at: chosen in one, followed by all."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from ldap_workbench.model.units import NS_PER_S, format_time
from ldap_workbench.model.window import Span


class TimeSelection(QObject):
    """None where whole windows are looked at.

    *Signals:* changed()
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.now: Span | None = None

    def choose(self, from_ns: int, to_ns: int) -> None:
        """Look at the operations at work between two moments, and at nothing else."""
        self._set((min(from_ns, to_ns), max(from_ns, to_ns)))

    def clear(self) -> None:
        """Look at whole windows again."""
        self._set(None)

    def describe(self) -> str:
        """'10:00:05 to 10:00:20 UTC (15.0 s)'; '' for whole windows."""
        if self.now is None:
            return ""
        first, last = (format_time(moment)[11:19] for moment in self.now)
        seconds = (self.now[1] - self.now[0]) / NS_PER_S
        between = self.tr("{first} to {last} UTC ({seconds} s)")
        return between.format(first=first, last=last, seconds=f"{seconds:.1f}")

    def _set(self, wanted: Span | None) -> None:
        if wanted != self.now:
            self.now = wanted
            self.changed.emit()
