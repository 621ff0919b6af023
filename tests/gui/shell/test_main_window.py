"""The window: opening, dropping, errors, recent files, read-only, palette."""

import socket
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QMimeData, QObject, QPoint, QPointF, Qt, QUrl, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeySequence
from PySide6.QtWidgets import QFileDialog, QLabel, QMenu, QPushButton

from ldap_workbench.figures.forms.experiment import ExperimentForm
from ldap_workbench.figures.timeline.live import LiveFeed
from ldap_workbench.gui.parts.style.theme import Scheme, ThemeFollower
from ldap_workbench.gui.screens.experiment.running import RunningExperiment
from ldap_workbench.gui.shell.palette import CommandPalette, fits
from ldap_workbench.gui.workbench.places import PLACES
from ldap_workbench.gui.workbench.settings import Settings
from ldap_workbench.logs.access.dialects import DIALECTS
from ldap_workbench.model.change import Change, ChangeState
from ldap_workbench.model.errors import ConnectError
from ldap_workbench.model.message import Message
from ldap_workbench.model.remarks import remarks
from ldap_workbench.model.server_identity import ServerIdentity
from tests.gui.conftest import idle
from tests.gui.fake_server import Server, connect
from tests.gui.watch import aside
from tests.sessions import FACTS, TREATMENT


def drop(window, *paths: Path) -> None:
    """Drag files in and let go."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    action, buttons = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    keys = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(50, 50), action, data, buttons, keys)
    window.dragEnterEvent(enter)
    assert enter.isAccepted()
    window.dropEvent(QDropEvent(QPointF(50, 50), action, data, buttons, keys))


def test_a_dropped_session_opens_on_its_overview(qtbot, window, session_file):
    drop(window, session_file)
    idle(qtbot, window)
    assert window.workbench.opened.path == session_file
    assert window.current_screen().name == "overview"
    assert session_file.name in window.windowTitle()
    assert window.workbench.settings.recent == [session_file]


LOG = """\
[21/Nov/2026:11:00:00.000000000 +0000] conn=1 fd=64 slot=64 connection from 10.0.0.1 to 10.0.0.2
[21/Nov/2026:11:00:00.100000000 +0000] conn=1 op=0 BIND dn="cn=app" method=128 version=3
[21/Nov/2026:11:00:00.104000000 +0000] conn=1 op=0 RESULT err=0 tag=97 nentries=0 etime=0.004000000
[21/Nov/2026:11:00:01.200000000 +0000] conn=1 op=1 SRCH base="dc=x" scope=2 filter="(uid=a)"
[21/Nov/2026:11:00:01.202000000 +0000] conn=1 op=1 RESULT err=0 tag=101 nentries=1 etime=0.002000000
what is this
"""


def test_dropped_logs_become_a_session_and_every_line_is_counted(qtbot, window, tmp_path):
    window.workbench.settings.new_folder = tmp_path
    (tmp_path / "access.20261121-1100").write_text(LOG)
    (tmp_path / "notes").write_text("no log at all")
    told = []
    window.workbench.statusChanged.connect(told.append)
    drop(window, tmp_path / "access.20261121-1100", tmp_path / "notes")
    idle(qtbot, window)
    assert window.workbench.opened.path == tmp_path / "access-imported.ldapwb"
    assert len(window.workbench.opened.summary.windows) == 1
    assert told[-1] == (
        "5 lines parsed, 0 skipped, 1 unknown; "
        "read as 389 Directory Server access log; skipped: notes"
    )
    (source,) = window.workbench.opened.summary.sources
    (sentence,) = map(str, remarks(source)[:1])
    assert sentence == "Read as 389 Directory Server access log: 5 of its first 6 lines match it."


def test_somebody_may_say_what_a_log_is(qtbot, window, tmp_path, monkeypatch):
    window.workbench.settings.new_folder = tmp_path
    log = tmp_path / "access"
    log.write_text(LOG)
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(log)], ""))
    (menu,) = (m for m in window.menuBar().findChildren(QMenu) if m.title() == "Read logs &as")
    said = {action.text(): action for action in menu.actions() if action.text()}
    assert len(said) == 1 + len(DIALECTS)
    said["Sun Directory Server / DSEE / ODSEE"].trigger()
    idle(qtbot, window)
    (source,) = window.workbench.opened.summary.sources
    first, *rest = map(str, remarks(source))
    assert first == "Read as Sun Directory Server / DSEE access log: you said so."
    assert "Its content looks like: 389 Directory Server access log." in rest


def test_what_is_no_log_leaves_no_session_behind(qtbot, window, tmp_path):
    window.workbench.settings.new_folder = tmp_path
    (tmp_path / "notes").write_text("no log at all")
    drop(window, tmp_path / "notes")
    idle(qtbot, window)
    assert window.error_bar.isVisible()
    assert window.error_bar.heading.text() == "No log could be used."
    assert "The closest formats that can be read: " in window.error_bar.details()
    assert "The closest formats" not in window.error_bar.sentence.text()
    assert not list(tmp_path.glob("*.ldapwb*"))


@pytest.mark.one_window
def test_a_file_that_is_no_session_says_so_and_keeps_the_open_one(
    qtbot, window, session_file, tmp_path
):
    window.open_paths([session_file])
    idle(qtbot, window)
    other = tmp_path / "other.ldapwb"
    other.write_bytes(b"no database")
    window.open_paths([other])
    idle(qtbot, window)
    assert window.error_bar.isVisible()
    assert window.workbench.opened.path == session_file


@pytest.mark.one_window
def test_an_error_says_what_is_safe_and_what_to_do(qtbot, window):
    error = ConnectError(
        Message("{host} is gone.", host="ldap1"),
        safe=Message("Nothing was changed."),
        remedy=Message("See the host."),
    )
    window.workbench.fail(error)
    assert window.error_bar.heading.text() == "ldap1 is gone."
    assert window.error_bar.sentence.text() == "Nothing was changed. See the host."
    qtbot.mouseClick(window.error_bar._toggle, Qt.MouseButton.LeftButton)
    assert window.error_bar._details.isVisible()
    qtbot.keyClick(window.error_bar, Qt.Key.Key_Escape)
    assert not window.error_bar.isVisible()
    assert not window.error_bar._details.isVisible()


def test_the_details_of_an_error_stay_above_it_and_esc_closes_them(qtbot, window):
    bar = window.error_bar
    details = bar._details
    assert details.parentWidget() is bar, "without a parent, whoever drops it last deletes it"
    window.workbench.fail(ConnectError(Message("ldap1 is gone."), remedy=Message("See the host.")))
    qtbot.mouseClick(bar._toggle, Qt.MouseButton.LeftButton)
    before = details.geometry().bottom()
    window.resize(window.width(), window.height() - 100)
    qtbot.waitUntil(lambda: details.geometry().bottom() < before - 50)
    assert details.geometry().bottom() < bar.mapTo(window, QPoint(0, 0)).y()
    qtbot.keyClick(details, Qt.Key.Key_Escape)
    assert not details.isVisible()
    assert bar.isVisible()


def test_an_error_hides_no_open_change_and_goes_with_the_next_connection(qtbot, window):
    intend(window.workbench.journal.file(), "ldap://ldap2:389")
    window.workbench.journal.reload()
    idle(qtbot, window)
    window.workbench.fail(ConnectError(Message("ldap1 is gone."), remedy=Message("See the host.")))
    assert window.error_bar.isVisible()
    assert window.alert.isVisible()
    connect(window, Server(FACTS))
    assert not window.error_bar.isVisible()
    assert window.alert.isVisible()


class Chores(QObject):
    """Work of two kinds, by who hears of its result."""

    def __init__(self, window):
        super().__init__(window)
        self._bench = window.workbench

    def connect(self, *, fails=False):
        self._start("Connecting", self.connected, fails)

    def revert(self, *, fails=False):
        self._start("Reverting", self.reverted, fails)

    def _start(self, title, then, fails):
        def work(*_):
            if fails:
                raise ConnectError(Message("{what} failed.", what=title))

        self._bench.start("server", title, work, then)

    @Slot(object)
    def connected(self, _):
        pass

    @Slot(object)
    def reverted(self, _):
        pass


@pytest.mark.one_window
def test_an_error_goes_when_the_same_kind_of_work_succeeds(qtbot, window):
    chores = Chores(window)
    chores.connect(fails=True)
    idle(qtbot, window)
    assert window.error_bar.heading.text() == "Connecting failed."
    chores.revert()
    idle(qtbot, window)
    assert window.error_bar.isVisible(), "what went well is something else"
    chores.connect()
    idle(qtbot, window)
    assert not window.error_bar.isVisible()


@pytest.mark.one_window
def test_a_success_takes_no_error_of_another_kind(qtbot, window):
    chores = Chores(window)
    chores.connect(fails=True)
    chores.revert(fails=True)
    idle(qtbot, window)
    assert window.error_bar.heading.text() == "Reverting failed."
    chores.connect()
    idle(qtbot, window)
    assert window.error_bar.isVisible()
    chores.revert()
    idle(qtbot, window)
    assert not window.error_bar.isVisible()


@pytest.mark.one_window
def test_a_capture_of_a_past_time_answers_for_one_of_now(window, monkeypatch):
    """Both are captures; every other job is of the kind of who hears of its result."""

    class BegunError(Exception):
        pass

    def begin(*_, kind="", **__):
        raise BegunError(kind)

    connect(window, Server(FACTS))
    monkeypatch.setattr(window.workbench, "ask_server", begin)
    for start in (window.capture.start, window.capture._past.fetch):
        with pytest.raises(BegunError, match="capture"):
            start()


@pytest.mark.one_window
def test_words_of_the_status_bar_have_the_room_that_no_message_takes(qtbot, window):
    words, lines = window.statusBar()._message, window.bands.messages
    qtbot.waitUntil(lambda: words.width() > 0.9 * lines.width())
    window.workbench.notice("Only its host is captured.", "Connect again.")
    qtbot.waitUntil(lambda: words.width() < 0.3 * lines.width())


@pytest.mark.one_window
def test_a_long_word_of_a_job_leaves_the_window_its_size(qtbot, window):
    status = window.statusBar()
    status._mode.show()
    status.jobs.show()
    text = "Window 3 of 12 (arm A): Waiting for the access log to be written, at most 35 s more"
    status.jobs._say(text)
    assert status.minimumSizeHint().width() < 1024
    assert status.jobs._text.toolTip() == text
    status.jobs._say("Reading")
    qtbot.wait(10)
    assert status.jobs._text.text() == "Reading"


def test_a_long_message_is_cut_with_a_sign_and_told_whole_in_its_tip(qtbot, window):
    window.statusBar()._mode.setText("Changes allowed")
    window.statusBar()._mode.show()
    window.resize(1024, 700)
    qtbot.wait(20)
    message = "276.4 s captured into /home/me/measurements/of/november/" + "practice-rehash" * 8
    window.workbench.show_status(message)
    qtbot.wait(20)
    shown = window.statusBar()._message
    assert "…" in shown.text()
    assert shown.toolTip() == message
    assert window.width() == 1024
    window.statusBar()._forget.timeout.emit()
    assert shown.text() == ""
    window.statusBar()._forget.stop()


@pytest.mark.one_window
def test_a_dialog_that_is_open_follows_the_theme(qtbot, qapp, window):
    dialog = window.servers.edit(None)
    assert not dialog.property("dressed_dark")
    qtbot.wait(20)
    follower = ThemeFollower(qapp, Scheme.LIGHT)
    follower.changed.connect(window.apply_style)
    qtbot.wait(20)
    follower.set_scheme(Scheme.DARK)
    assert dialog.property("dressed_dark")
    qtbot.wait(20)
    follower.set_scheme(Scheme.LIGHT)
    dialog.reject()


@pytest.mark.one_window
def test_a_fault_of_the_program_is_called_one(window):
    window.workbench.fail(KeyError("x"))
    told = window.error_bar.sentence.text()
    assert "bug of its own" in window.error_bar.heading.text()
    assert "journal" in told, "what is safe is said of a fault, too"
    assert "KeyError" in window.error_bar.details()


@pytest.mark.one_window
def test_closing_a_session_empties_the_screens(qtbot, window, session_file):
    window.open_paths([session_file])
    idle(qtbot, window)
    window.actions_["close"].trigger()
    idle(qtbot, window)
    assert window.workbench.opened is None
    assert not window.actions_["report"].isEnabled()
    assert window.tails._pages.currentWidget() is window.tails._empty


@pytest.mark.one_window
def test_ctrl_and_a_key_choose_every_screen(qtbot, window, session_file):
    with qtbot.waitActive(window):
        window.activateWindow()
    connect(window, Server(FACTS))
    window.open_paths([session_file])
    idle(qtbot, window)
    for place in PLACES:
        for tab in place.tabs:
            keys = QKeySequence(f"Ctrl+{tab.key or place.key}")[0]
            qtbot.keyClick(window, keys.key(), keys.keyboardModifiers())
            assert window.current_screen().name == tab.name
            idle(qtbot, window)


def test_read_only_is_seen_and_remembered(qtbot, window):
    window.actions_["read_only"].trigger()
    assert window.statusBar()._mode.text() == "read-only"
    assert window.statusBar()._mode.isVisible()
    with aside():
        window.workbench.settings.sync()
    assert Settings().read_only


NOT_KNOWN = ServerIdentity()


def intend(journal, server: str, session: str = "", identity=NOT_KNOWN) -> int:
    with aside():
        group = journal.begin(server, _treatment(), "20261121", identity)
        return journal.intend(
            group=group, server=server, knob="nsslapd-threadnumber", dn="cn=config",
            attribute="nsslapd-threadnumber", before=("16",), asked=("8",),
            profile=server.removeprefix("ldap://").removesuffix(":389"),
            session=session,
        )  # fmt: skip


def test_a_run_silences_its_own_changes_only(qtbot, window, tmp_path):
    plan = ExperimentForm().plan(TREATMENT, restart=False)
    run = RunningExperiment(tmp_path / "run.ldapwb", plan, LiveFeed(), lambda _: None)
    window.workbench.running.begin(run, None, "ldap1", window.workbench)
    journal = window.workbench.journal.file()
    intend(journal, "ldap://ldap1:389", str(run.path))
    window.workbench.journal.reload()
    idle(qtbot, window)
    assert not window.alert.isVisible()
    intend(journal, "ldap://ldap2:389")
    window.workbench.journal.reload()
    idle(qtbot, window)
    assert window.alert.isVisible()
    assert "ldap2" in window.alert.heading.text()
    assert "ldap1" not in window.alert.heading.text()
    window.workbench.running.end()
    assert "ldap1" in window.alert.heading.text(), "a run that ended and left a change"


def test_open_changes_shout_until_they_are_reverted(qtbot, window):
    journal = window.workbench.journal.file()
    change = intend(journal, "ldap://ldap1:389")
    window.workbench.journal.reload()
    idle(qtbot, window)
    assert window.alert.isVisible()
    assert window.alert.heading.text() == "You have an open change on ldap1: revert?"
    qtbot.mouseClick(window.alert.button, Qt.MouseButton.LeftButton)
    assert window.current_screen().name == "journal"
    idle(qtbot, window)
    assert isinstance(window.journal.model.rows[0], Change)
    with aside():
        journal.update(change, state=ChangeState.REVERTED)
    window.workbench.journal.reload()
    idle(qtbot, window)
    assert not window.alert.isVisible()


HOLD = (
    "import sys\nfrom ldap_workbench.tuning.journal import Journal\n"
    "Journal().lock(sys.argv[1]).acquire()\nprint('held', flush=True)\nsys.stdin.read()"
)


@pytest.fixture
def other_run():
    """Another process, at work on the server of the fake; it ends when its input does."""
    server = Server(FACTS).profile.ldap_url
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, server], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"held\n"
        yield other
        other.stdin.close()


def test_no_revert_is_offered_of_a_run_of_another_process_that_is_alive(qtbot, other_run, window):
    """It reverts its change itself; that it has ended is noticed."""
    server = Server(FACTS)
    connect(window, server)
    change = intend(window.workbench.journal.file(), server.profile.ldap_url)
    window.show_screen("journal")
    window.workbench.journal.reload()
    idle(qtbot, window)
    said = f"{window.alert.heading.text()} {window.alert.sentence.text()}"
    assert "Another workbench is running on " in said
    assert f"(process {other_run.pid} since " in said
    assert f"on host {socket.gethostname()}" in said
    assert "It reverts its own changes when it ends: nsslapd-threadnumber." in said
    assert "revert?" not in said
    assert window.alert.isVisible()
    assert not window.alert.button.isVisible()
    journal = window.journal
    journal.table.selectRow(0)
    buttons = {button.text(): button for button in journal.findChildren(QPushButton)}
    one, every = buttons["&Revert …"], buttons["Revert &all open …"]
    assert not one.isEnabled()
    assert not every.isEnabled()
    assert any(f"process {other_run.pid}" in text.text() for text in journal.findChildren(QLabel))
    for ask in (journal.revert_all, partial(journal.revert_group, change.group)):
        with qtbot.waitSignal(window.workbench.statusChanged) as status:
            ask()
        assert f"process {other_run.pid}" in status.args[0]
    other_run.stdin.close()
    qtbot.waitUntil(lambda: window.alert.heading.text().endswith("revert?"), timeout=60_000)
    assert window.alert.button.isVisible()
    journal.table.selectRow(0)
    assert one.isEnabled()
    assert every.isEnabled()


def _treatment():
    from ldap_workbench.model.knob import Setting, Treatment

    return Treatment((Setting("nsslapd-threadnumber", "8"),))


@pytest.mark.one_window
def test_the_palette_finds_commands_by_a_few_letters(qtbot, window):
    assert fits("Export the report", "exrep")
    assert not fits("Export the report", "xyz")
    palette = CommandPalette(list(window.actions_.by_name.values()), window)
    qtbot.addWidget(palette)
    qtbot.keyClicks(palette._line, "shortc")
    assert palette.chosen() is window.actions_["shortcuts"]
    qtbot.keyClick(palette._line, Qt.Key.Key_Down)
    assert palette.chosen() is not None


def test_the_theme_changes_without_a_stall(qtbot, window, qapp, session_file):
    from ldap_workbench.gui.parts.style.theme import ThemeFollower

    follower = ThemeFollower(qapp, Scheme.LIGHT)
    follower.changed.connect(window.apply_style)
    window.open_paths([session_file])
    idle(qtbot, window)
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        follower.set_scheme(scheme)
        qtbot.wait(150)
    assert window.property("dressed_dark") is None
    assert window.current_screen().property("dressed_dark") is False


@pytest.fixture
def settings(tmp_path):
    """Opens the settings of a folder, as each start of the program does."""
    opened = []

    def start():
        opened.append(Settings(tmp_path / "config" / "window.json"))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


def test_settings_keep_their_types_in_a_new_process(settings, session_file):
    first = settings()
    first.scheme, first.read_only, first.slo_ms = Scheme.DARK, True, 12.5
    first.set_bytes("geometry", QByteArray(b"\x00\xff"))
    first.remember(session_file)
    first.sync()
    second = settings()
    assert (second.scheme, second.read_only, second.slo_ms) == (Scheme.DARK, True, 12.5)
    assert second.recent == [session_file]
    assert second.folder == session_file.parent
    assert second.bytes("geometry").data() == b"\x00\xff"


def test_settings_that_cannot_be_read_are_begun_anew(settings, tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "window.json").write_text('{"recent": ')
    assert settings().recent == []


def test_settings_that_cannot_be_written_are_told(tmp_path):
    (tmp_path / "config").write_text("a file where a folder should be")
    settings = Settings(tmp_path / "config" / "window.json")
    settings.read_only = True
    with pytest.raises(OSError, match="config"), aside():
        settings.close()


def test_recent_files_that_are_gone_are_not_offered(settings, tmp_path):
    gone = tmp_path / "gone.ldapwb"
    gone.touch()
    kept = settings()
    kept.remember(gone)
    gone.unlink()
    assert kept.recent == []


def test_start_offers_the_recorded_sample(qtbot, window):
    rows = [b for b in window.start.findChildren(QPushButton) if "Sample: 389 DS" in b.text()]
    assert len(rows) == 1
    qtbot.mouseClick(rows[0], Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    assert window.workbench.opened.path.name == "sample-389ds-rehash-on-bind.ldapwb"


@pytest.mark.stall_allowed  # a second window is made
def test_the_layout_is_kept_and_reset(qtbot, window):
    from ldap_workbench.gui.shell.window import MainWindow
    from ldap_workbench.gui.workbench.state import Workbench

    split = window.timeline.split
    window.timeline.show_body(window.timeline._body)
    window.show_screen("timeline")
    idle(qtbot, window)
    first = split.sizes()
    split.setSizes([first[0] - 80, first[1] + 80])
    split.splitterMoved.emit(first[0] - 80, 1)
    moved = split.saveState()
    kept = window.workbench.settings
    qtbot.waitUntil(lambda: kept.bytes("splitter timeline parts") == moved)
    kept.sync()
    again = MainWindow(Workbench())
    qtbot.addWidget(again)
    assert again.timeline.split.saveState() == moved
    window.actions_["reset"].trigger()
    assert split.saveState() != moved
    assert kept.bytes("splitter timeline parts") == split.saveState()
    again.close()
