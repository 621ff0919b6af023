"""The windows of a session and the sources sampled in them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from ldap_workbench.gui.models.table import DASH, Column, RowsModel, always
from ldap_workbench.gui.models.words import count
from ldap_workbench.model.units import format_time
from ldap_workbench.model.window import Source, SourceKind, SourceState, Window

ARM_WORDS = {"A": "A, as it was", "B": "B, with the change", "": DASH}


class WindowsModel(RowsModel[Window]):
    """Measurement windows in the order of their start."""

    def __init__(self, rows: Sequence[Window] = (), parent: QObject | None = None) -> None:
        super().__init__(WINDOW_COLUMNS, rows, parent)


class SourcesModel(RowsModel[Source]):
    """What was sampled, and how complete it is."""

    def __init__(self, rows: Sequence[Source] = (), parent: QObject | None = None) -> None:
        super().__init__(SOURCE_COLUMNS, rows, parent)


def _length(window: Window) -> str:
    return f"{window.seconds:.1f} s" + (", cancelled" if window.cancelled else "")


def _lines(source: Source) -> str:
    if source.kind != SourceKind.ACCESS_LOG:
        return DASH
    lines = source.lines
    return f"{count(lines.understood)} of {count(_all_lines(source))}"


def _all_lines(source: Source) -> int:
    return source.lines.understood + source.lines.set_aside + source.lines.unknown


def _lines_tip(source: Source) -> str:
    lines = source.lines
    why = "".join(f"\n{reason}: {n}" for reason, n in sorted(lines.reasons.items()))
    return (
        f"understood {lines.understood}, set aside {lines.set_aside}, unknown {lines.unknown}{why}"
    )


WINDOW_COLUMNS = (
    Column[Window]("Window", lambda w: w.name, strong=always),
    Column[Window]("Start (server time)", lambda w: format_time(w.start_ns), lambda w: w.start_ns),
    Column[Window]("Length", _length, lambda w: w.end_ns - w.start_ns, number=True),
    Column[Window]("Arm", lambda w: ARM_WORDS.get(w.arm, w.arm)),
    Column[Window]("Pair", lambda w: str(w.pair + 1) if w.pair >= 0 else DASH, lambda w: w.pair),
    Column[Window]("Note", lambda w: w.note),
)
SOURCE_COLUMNS = (
    Column[Source]("Source", lambda s: s.kind.value, strong=always, tip=lambda s: s.name),
    Column[Source](
        "How complete", lambda s: s.state.value, strong=lambda s: s.state != SourceState.COMPLETE
    ),
    Column[Source]("Samples", lambda s: count(s.samples), lambda s: s.samples, number=True),
    Column[Source]("Lines understood", _lines, _all_lines, number=True, tip=_lines_tip),
    Column[Source]("Why", lambda s: s.why),
)
