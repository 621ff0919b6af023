"""The base of every chart: keys, a reading in a sentence, its numbers one key away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ldap_workbench.figures.table import Numbers
from ldap_workbench.gui.parts.charts.legend import Legend, breakable
from ldap_workbench.gui.parts.charts.plot import CursorTip, Plot
from ldap_workbench.gui.parts.style.language import reader, shown
from ldap_workbench.gui.parts.style.theme import ChartColours, chart_colours, is_dark
from ldap_workbench.gui.parts.style.timers import single_shot
from ldap_workbench.gui.parts.widgets.buttons import small_button
from ldap_workbench.gui.parts.widgets.labels import ElidedLabel
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.model.message import Message

PAN_SHARE = 0.15
ZOOM = 1.25
KEYS = Message(
    "Arrows move, + and - zoom, Home shows all, Backspace goes back to the previous view, with "
    "Shift forward, C copies the numbers, D shows them as a table, the menu key offers the "
    "picture."
)
NO_DATA = Message("no data yet.")


Entry = tuple[Message, str, Callable[[], object], bool]
"""Of a menu: its words, its key or '', what it does, whether there is anything to do."""


class ChartView(QFrame):
    """A titled chart. A subclass gives `draw`, `reading`, `legend` and `numbers`.

    Keys: arrows, +, -, Home, C (copy the numbers), D (numbers as a table and back).
    """

    follows = False
    """Whether another chart says which time range is shown."""
    size_em: tuple[int, int] = (34, 18)
    """How wide and high it would be, in lines of text."""
    least_em: tuple[int, int] | None = None
    """What it needs at least, where its content does not say."""
    has_y_zoom = True
    more_keys = ""
    """What other keys do here, in a sentence."""
    compact = False
    """Title, legend and buttons in one row: for charts that stand in a stack."""

    def __init__(self, title: Message, axes: dict[str, pg.AxisItem]) -> None:
        self._applied: ChartColours | None = None
        self._said_in: ChartColours | None = None
        self._stale = True
        self._follows_screen = False
        self._moment_told = ""
        self.more_entries: Callable[[], Sequence[Entry]] = tuple
        """What the screen of the chart adds to its menu, asked when it opens."""
        super().__init__()
        self.setObjectName("chart")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._title = shown(title)
        # Cut where there is no room: two charts side by side must not widen the window.
        role = "strip" if self.compact else "heading"
        self._heading = ElidedLabel(self._title, Qt.TextElideMode.ElideRight, role)
        self.legend_label = Legend()
        self.legend_label.setWordWrap(not self.compact)
        self._make_plot(axes)
        self._make_pages()
        self._make_buttons()
        self._lay_out()
        # A theme change reaches every chart several times: each is drawn anew once, when it is
        # seen, and never while Qt walks through the widgets.
        self._restyle = single_shot(self, self.draw_now)
        self._apply_colours(self.colours())
        self.refresh()

    # What a subclass says.

    def draw(self, plot: Plot, colours: ChartColours) -> None:
        """Put the items of the chart into an empty plot."""
        raise NotImplementedError

    def reading(self) -> str:
        """What the chart shows, in one sentence."""
        raise NotImplementedError

    def legend(self, colours: ChartColours) -> str:
        """The legend in words, as rich text; '' for none."""
        return ""

    def numbers(self) -> Numbers:
        """The numbers behind it."""
        raise NotImplementedError

    def tip_at(self, x: float, y: float) -> Sequence[Message]:
        """What stands beside the pointer at a place of the axes, line by line; none for no tip."""
        return ()

    def fit(self) -> None:
        """Show everything."""
        self.plot.getViewBox().autoRange(padding=0.03)

    # What everybody may ask.

    @property
    def plot(self) -> Plot:
        return self._plot

    def colours(self) -> ChartColours:
        """Chart colours of the theme this widget wears."""
        return chart_colours(is_dark(self.palette()))

    @property
    def title(self) -> str:
        """What stands above the chart."""
        return self._title

    @property
    def canvas(self) -> pg.GraphicsView:
        """What the chart is drawn on."""
        return self._canvas

    @contextmanager
    def as_picture(self) -> Iterator[None]:
        """As it is drawn where it stands alone."""
        yield

    def heading_html(self) -> str:
        """Title and legend as rich text."""
        words = breakable(self.legend(self.colours()))
        return f"<p><b>{escape(self._title)}</b></p><p>{words}</p>"

    def go_back(self) -> None:
        """Show what was shown before."""
        self.plot.getViewBox().step(back=True)

    def go_forward(self) -> None:
        """Undo one step back."""
        self.plot.getViewBox().step(back=False)

    def fit_by_hand(self) -> None:
        """Show everything; one step back shows this part again."""
        self.plot.getViewBox().remember("fit")
        self.fit()

    def refresh(self) -> None:
        """Say anew what the chart holds, and draw it anew; hidden, once it is shown."""
        self._say()
        self._stale = True
        if self.isVisible():
            self.draw_now()

    def draw_now(self) -> None:
        """Draw, whether anybody sees it or not."""
        self._stale = False
        colours, ratio = self.colours(), self.devicePixelRatioF()
        if colours != self._applied or ratio != self.plot.pixel_ratio:
            self.plot.pixel_ratio = ratio
            self._apply_colours(colours)
        if colours != self._said_in:  # hidden, it may have spoken in the colours of another theme
            self._say()
        self.plot.clear()
        self.draw(self.plot, colours)
        if self.showing_numbers():
            self._made_table().show_numbers(self.numbers())
        if not self.follows:
            self.plot.getViewBox().history.clear()
        self.fit()
        self.plot.settle()

    def draw_if_stale(self) -> None:
        """Draw what nobody has seen yet."""
        if self._stale:
            self.draw_now()

    def _say(self) -> None:
        self._said_in = self.colours()
        words = self.legend(self._said_in)
        self.legend_label.set_words(words)
        self.legend_label.setVisible(bool(words))
        sentence = self.reading()
        self.setAccessibleName(f"{self._title}: {sentence}")
        self._describe()
        self._canvas.setAccessibleName(f"{self._title}: {sentence}")

    def set_title(self, title: Message) -> None:
        """Change the words above the chart."""
        self._title = shown(title)
        self._heading.set_whole(self._title)

    def show_moment(self, second: float | None) -> None:
        """Say what the chart shows at a moment, or only its title again."""
        values = self.describe_at(second) if second is not None else ""
        self._heading.set_whole(f"{self._title} · {values}" if values else self._title)
        self._moment_told = values
        self._describe()

    def _describe(self) -> None:
        """What the chart shows at the crosshair, where there is one, and its keys."""
        parts = (f"{self._moment_told}." if self._moment_told else "", shown(KEYS), self.more_keys)
        self.setAccessibleDescription(" ".join(part for part in parts if part))

    def describe_at(self, second: float) -> str:
        """What the chart shows at a moment, in a few words; '' where there is nothing."""
        return ""

    def show_numbers(self, wanted: bool) -> None:
        """The numbers as a table instead of the picture, or the picture again."""
        table = self._made_table() if wanted else None
        if table:
            table.show_numbers(self.numbers())
        self._pages.setCurrentWidget(table or self._canvas)
        self._numbers_button.setChecked(wanted)
        (table or self).setFocus(Qt.FocusReason.OtherFocusReason)

    def showing_numbers(self) -> bool:
        return self._pages.currentWidget() is not self._canvas

    def copy_numbers(self) -> None:
        """The numbers as tab-separated text into the clipboard."""
        QGuiApplication.clipboard().setText(self.numbers().tsv(reader()))

    def sizeHint(self) -> QSize:
        return self._ems(*self.size_em)

    def minimumSizeHint(self) -> QSize:
        return self._ems(*self.least_em) if self.least_em else super().minimumSizeHint()

    def _ems(self, wide: int, high: int) -> QSize:
        em = self.fontMetrics().height()
        return QSize(em * wide, em * high)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Backspace:
            shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.plot.getViewBox().step(back=not shift)
        elif not self._steer(Qt.Key(event.key())):
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """By key; the right button may begin a drag, so the plot tells of its click."""
        event.accept()
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            self.show_menu(self.mapToGlobal(self._canvas.geometry().center()))

    @Slot(object)
    def show_menu(self, where: QPoint) -> None:
        """Offer steps, picture and numbers."""
        from ldap_workbench.gui.parts.charts.menu import open_menu  # which knows this class

        open_menu(self, where)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._applied is not None:
            self._follow_theme()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self.draw_now()
        self._follow_theme()
        if not self._follows_screen:
            self._follows_screen = True
            self.window().windowHandle().screenChanged.connect(self._follow_theme)

    @Slot()
    def _follow_theme(self) -> None:
        """Draw anew where theme or screen are not those it was drawn for."""
        drawn = self._applied, self.plot.pixel_ratio
        if self.isVisible() and drawn != (self.colours(), self.devicePixelRatioF()):
            self._restyle.start()

    @Slot(object)
    def _on_hovered(self, place: QPointF | None) -> None:
        if place is None:
            self._tip.hide()
            return
        at = self.plot.getViewBox().mapSceneToView(place)
        self._tip.show_lines(self.tip_at(at.x(), at.y()), self._canvas.mapFromScene(place))

    # How it is made.

    def _make_plot(self, axes: dict[str, pg.AxisItem]) -> None:
        self._plot = Plot(axes)
        self._plot.getViewBox().setMouseEnabled(x=True, y=self.has_y_zoom)
        self._plot.getViewBox().menuWanted.connect(self.show_menu)
        self._canvas = pg.GraphicsView()
        self._canvas.setCentralItem(self._plot)
        self._canvas.setFrameShape(QFrame.Shape.NoFrame)
        # In this order: with a proxy, the policy would be the chart's own, and Tab pass it by.
        self._canvas.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._canvas.setFocusProxy(self)
        self._canvas.setAntialiasing(True)
        self._tip = CursorTip(self._canvas)
        self._plot.getViewBox().hovered.connect(self._on_hovered)

    def _make_pages(self) -> None:
        self._table: RowsTable | None = None
        self._pages = QStackedWidget()
        self._pages.addWidget(self._canvas)

    def _made_table(self) -> RowsTable:
        """Made when it is first wanted: a table is a dozen widgets, and few look at it."""
        if self._table is None:
            self._table = RowsTable(self.tr("Numbers of {title}").format(title=self._title))
            self._pages.addWidget(self._table)
        return self._table

    def _make_buttons(self) -> None:
        self._numbers_button = small_button(
            "numbers", self.tr("Numbers as a table (D)"), checkable=True
        )
        self._numbers_button.toggled.connect(self.show_numbers)
        self._fit_button = small_button("fit", self.tr("Show all (Home)"), self.fit_by_hand)
        self._copy_button = small_button("copy", self.tr("Copy the numbers (C)"), self.copy_numbers)
        context = Qt.ShortcutContext.WidgetWithChildrenShortcut
        for key, slot in (("D", self._numbers_button.toggle), ("C", self.copy_numbers)):
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.setContext(context)
            shortcut.activated.connect(slot)

    def _buttons(self) -> tuple[QAbstractButton, ...]:
        return self._numbers_button, self._fit_button, self._copy_button

    def _lay_out(self) -> None:
        self._top = top = QHBoxLayout()
        top.addWidget(self._heading)
        if self.compact:
            top.addSpacing(10)
            top.addWidget(self.legend_label, 1)
        else:
            top.addStretch(1)
        for button in self._buttons():
            top.addWidget(button)
        self._whole = whole = QVBoxLayout(self)
        whole.setContentsMargins(12, 4 if self.compact else 8, 10, 4 if self.compact else 8)
        whole.setSpacing(4)
        whole.addLayout(top)
        if not self.compact:
            whole.addWidget(self.legend_label)
        whole.addWidget(self._pages, 1)

    def _apply_colours(self, colours: ChartColours) -> None:
        self._applied = colours
        self._canvas.setBackground(colours.ground)
        for name in ("left", "bottom"):
            axis = self.plot.getAxis(name)
            axis.setPen(pg.mkPen(colours.grid, width=self.plot.pixel_ratio))
            axis.setTextPen(pg.mkPen(colours.dim))
            axis.setGrid(60)

    def _steer(self, key: Qt.Key) -> bool:
        """Move or zoom; whether the key meant something."""
        steps = {
            Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1),
        }  # fmt: skip
        zooms = {Qt.Key.Key_Plus: 1 / ZOOM, Qt.Key.Key_Equal: 1 / ZOOM, Qt.Key.Key_Minus: ZOOM}
        view = self.plot.getViewBox()
        if key in steps:
            view.remember("arrows")
            (left, right), (low, high) = view.viewRange()
            dx, dy = steps[key]
            dy *= self.has_y_zoom
            view.translateBy(x=dx * PAN_SHARE * (right - left), y=dy * PAN_SHARE * (high - low))
        elif key in zooms:
            view.remember("keys")
            view.scaleBy(x=zooms[key], y=zooms[key] if self.has_y_zoom else None)
        elif key == Qt.Key.Key_Home:
            self.fit_by_hand()
        else:
            return False
        return True


def left_width(widget: QWidget) -> int:
    """Room for the numbers of a left axis, the same for charts that share a time axis."""
    return widget.fontMetrics().averageCharWidth() * 10
