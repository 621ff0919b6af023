"""A rest that the operator asks for, between two pairs."""

import threading

from ldap_workbench.experiment.hours import Pause
from ldap_workbench.model.errors import CancelledError
from ldap_workbench.model.progress import Cancel


def rested(pause, cancel=None):
    """The rest in a thread of its own, as a run has it, once it has begun; and what it says."""
    begun, told = threading.Event(), []

    def tell(progress):
        told.append(str(progress.text))
        begun.set()

    def work():
        try:
            pause.wait(60, tell, cancel if cancel is not None else Cancel())
        except CancelledError:
            told.append("cancelled")

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(60)
    return thread, told


def test_nobody_rests_who_was_not_asked_to():
    assert Pause().wait_s(60) == 0


def test_it_rests_until_somebody_goes_on():
    pause = Pause()
    pause.ask(True)
    assert pause.wait_s(60) > 0
    thread, told = rested(pause)
    assert thread.is_alive()
    pause.ask(False)
    thread.join(60)
    assert told == ["Paused. The server is as it was before the experiment."]
    assert not pause.resting
    assert pause.wait_s(60) == 0


def test_a_rest_can_be_cancelled():
    pause, cancel = Pause(), Cancel()
    pause.ask(True)
    thread, told = rested(pause, cancel)
    cancel.set()
    thread.join(60)
    assert told[-1] == "cancelled"
    assert not pause.resting


def test_it_is_looked_twice_a_second_whether_somebody_goes_on():
    pause, waits = Pause(), []
    pause.ask(True)

    class Clock(Cancel):
        def wait(self, seconds):
            waits.append(seconds)
            pause.ask(len(waits) < 3)
            return False

        def check(self):
            assert waits, "it looked without waiting"

    pause.wait(60, lambda _: None, Clock())
    assert waits == [0.5] * 3
    assert len(pause.waits_s) == 1
