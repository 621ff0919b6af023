"""Jobs: in order, off the GUI thread, answered in it, cancelled when asked."""

import sys
import threading
import time

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QGraphicsView

from ldap_workbench.gui.workbench.prompts import PromptBroker
from ldap_workbench.model.errors import ConnectError
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.progress import Progress
from tests.gui.conftest import idle
from tests.gui.watch import aside


class Listener(QObject):
    """Notes what it hears and in which thread."""

    def __init__(self):
        super().__init__()
        self.heard = []
        self.threads = set()

    def on_done(self, result):
        self._note("done", result)

    def on_failed(self, error):
        self._note("failed", error)

    def on_progress(self, progress):
        self._note("progress", progress)

    def on_cancelled(self):
        self._note("cancelled", None)

    def _note(self, what, value):
        self.heard.append((what, value))
        self.threads.add(threading.current_thread())

    def start(self, runner, work, key="k"):
        return runner.start(
            key,
            "work",
            work,
            on_done=self.on_done,
            on_failed=self.on_failed,
            on_progress=self.on_progress,
            on_cancelled=self.on_cancelled,
        )


@pytest.fixture
def listener(qapp):
    return Listener()


def test_work_runs_elsewhere_and_its_result_arrives_here(qtbot, runner, listener):
    with qtbot.waitSignal(runner.jobEnded):
        listener.start(runner, lambda progress, cancel: threading.current_thread())
    [(what, worker)] = listener.heard
    assert what == "done"
    assert worker is not threading.current_thread()
    assert listener.threads == {threading.current_thread()}


def test_calls_of_one_key_keep_their_order_in_one_thread(qtbot, runner, listener):
    def work(number):
        return lambda progress, cancel: (
            time.sleep(0.01 * (3 - number)),
            number,
            threading.get_ident(),
        )

    for number in range(3):
        listener.start(runner, work(number))
    qtbot.waitUntil(lambda: len(listener.heard) == 3)
    results = [value for _, value in listener.heard]
    assert [number for _, number, _ in results] == [0, 1, 2]
    assert len({thread for *_, thread in results}) == 1


def test_calls_of_two_keys_run_beside_each_other(qtbot, runner, listener):
    both = threading.Barrier(2, timeout=60)
    for key in "ab":
        listener.start(runner, lambda progress, cancel: both.wait() is not None, key)
    qtbot.waitUntil(lambda: len(listener.heard) == 2)
    assert listener.heard == [("done", True), ("done", True)]


def test_the_window_waits_for_no_thread_to_start(qtbot, runner, listener, monkeypatch):
    listener.start(runner, lambda *_: 1, "first")
    qtbot.waitUntil(lambda: len(runner._spare) == 2)
    starters, start = [], threading.Thread.start

    def noted(thread):
        starters.append(threading.current_thread())
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", noted)
    for key in ("second", "third"):
        listener.start(runner, lambda *_: 1, key)
    qtbot.waitUntil(lambda: len(listener.heard) == 3 and len(runner._spare) >= 2)
    assert len(starters) >= 2
    assert threading.main_thread() not in starters


def test_a_thread_has_the_name_of_its_key(qtbot, runner, listener):
    listener.start(runner, lambda *_: threading.current_thread().name, "lab")
    qtbot.waitUntil(lambda: bool(listener.heard))
    assert listener.heard == [("done", "job-lab")]


def test_an_error_is_handed_over_whole(qtbot, runner, listener):
    error = ConnectError(
        Message("ldap1 does not answer."),
        safe=Message("Nothing was changed."),
        remedy=Message("Wait."),
    )

    def work(progress, cancel):
        raise error

    with qtbot.waitSignal(runner.jobEnded):
        listener.start(runner, work)
    assert listener.heard == [("failed", error)]


@pytest.mark.clock("an operator's second, on a machine that lets both threads run within it")
def test_cancel_ends_work_within_a_second(qtbot, runner, listener):
    def work(progress, cancel):
        cancel.wait(30)
        cancel.check()

    job = listener.start(runner, work)
    qtbot.wait(20)
    began = time.monotonic()
    with qtbot.waitSignal(job.cancelled):
        job.cancel()
    assert time.monotonic() - began < 1
    assert listener.heard == [("cancelled", None)]


def test_work_cancelled_before_it_began_never_runs(qtbot, runner, listener):
    gate = threading.Event()
    ran = []
    listener.start(runner, lambda progress, cancel: gate.wait(60))
    job = listener.start(runner, lambda progress, cancel: ran.append(1))
    job.cancel()
    gate.set()
    qtbot.waitUntil(lambda: len(listener.heard) == 2)
    assert ran == []
    assert listener.heard[1] == ("cancelled", None)


def test_a_flood_of_progress_is_told_now_and_then(qtbot, runner, listener):
    def work(progress, cancel):
        for i in range(5000):
            progress(Progress(Message("at it"), i / 5000))
        progress(Progress(Message("at it"), 1.0))

    with qtbot.waitSignal(runner.jobEnded):
        listener.start(runner, work)
    told = [value.fraction for what, value in listener.heard if what == "progress"]
    assert 1 <= len(told) < 1000
    assert told[-1] == 1.0
    assert listener.heard[-1][0] == "done"


def test_a_plain_function_is_no_listener(runner):
    with pytest.raises(TypeError):
        runner.start("k", "work", lambda progress, cancel: 1, on_done=print)


def test_shutdown_cancels_and_waits(qtbot, runner, listener):
    started, ended = threading.Event(), []

    def work(progress, cancel):
        started.set()
        cancel.wait(30)
        ended.append(True)

    listener.start(runner, work)
    with aside():
        assert started.wait(60)
        runner.shutdown()
    assert ended == [True]
    qtbot.wait(20)
    assert listener.heard == []


def test_a_worker_asks_and_the_operator_answers(qtbot, runner, listener):
    prompts = PromptBroker()
    prompts.asked.connect(lambda question: question.answer(f"to {question.about[0]}"))
    with qtbot.waitSignal(runner.jobEnded):
        listener.start(runner, lambda progress, cancel: prompts.password("who", NOTHING))
    assert listener.heard == [("done", "to who")]


def test_closing_lets_an_asking_worker_go(qtbot, runner, listener):
    prompts = PromptBroker()
    with qtbot.waitSignal(prompts.asked):
        listener.start(runner, lambda progress, cancel: prompts.password("who", NOTHING))
    with qtbot.waitSignal(runner.jobEnded):
        prompts.close()
    assert listener.heard == [("done", None)]


def test_the_window_answers_beside_a_busy_worker(qtbot, window, session_file):
    """Frames ask for the interpreter a hundred times each; the stall watch is one judge."""
    window.open_paths([session_file])
    idle(qtbot, window)
    window.show_screen("tails")
    idle(qtbot, window)
    enough = threading.Event()

    def count() -> None:
        while not enough.is_set():
            sum(range(500))

    worker = threading.Thread(target=count)
    worker.start()
    [view] = window.tails.chart.findChildren(QGraphicsView)
    for _ in range(20):
        view.viewport().update()
        qtbot.wait(20)
    enough.set()
    with aside():
        worker.join()
    # On a busy machine the watch forgives what this costs.
    assert sys.getswitchinterval() < 0.001
