"""A lesson leads: its complaint, its hints one by one, and whether it is solved."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel

from ldap_workbench.practice.model.scenario import load_scenario
from tests.gui.conftest import idle

LESSON = load_scenario("slow-logins")


@pytest.fixture
def band(qtbot, window):
    """The band of a lesson that was started from the window."""
    window.practice.start(LESSON.name, speed=40)
    qtbot.waitUntil(lambda: window.workbench.connection is not None)
    idle(qtbot, window)
    yield window.bands.lesson
    window.workbench.disconnect_server()
    idle(qtbot, window)


def texts(band):
    return [each.text() for each in band.findChildren(QLabel) if each.isVisible() and each.text()]


pytestmark = pytest.mark.stall_allowed  # the practice directory shares the processor


def test_without_a_lesson_there_is_no_band(window):
    assert window.bands.lesson.isHidden()


def test_it_begins_with_the_complaint_and_keeps_the_answer(band):
    assert texts(band) == [
        "Lesson: Logins are slow at nine",
        str(LESSON.about),
        "to do",
        "Find the cause",
        "to do",
        "Show by an experiment that a remedy works",
    ]


def test_hints_come_one_by_one_and_the_answer_last(band):
    count = len(LESSON.hints)
    for number, hint in enumerate(LESSON.hints, start=1):
        assert band.next_hint.isEnabled()
        wanted = "Show the answer" if number == count else "Next hint"
        assert band.next_hint.text() == wanted
        band.next_hint.click()
        mark = "Answer" if number == count else f"Hint {number} of {count}"
        assert f"{mark}: {hint}" in texts(band)
    assert not band.next_hint.isEnabled()


def test_the_answer_is_planned_as_a_test(qtbot, window, band):
    """No command to type: what the lesson ends with is an index, or another change, in the plan."""
    assert not band.plan_test.isVisible()
    for _ in LESSON.hints:
        band.next_hint.click()
    band.plan_test.click()
    experiment = window.experiment
    qtbot.waitUntil(lambda: experiment.change.planned is not None)
    assert window.current_screen() is experiment
    assert experiment.change.settings() == LESSON.treatment.settings
    assert str(experiment.design.form().primary) == LESSON.primary
    idle(qtbot, window)


def test_what_the_clients_owner_ends_is_no_test(qtbot, window, band):
    window.practice.start("slow-pages", speed=40)
    qtbot.waitUntil(lambda: window.workbench.connection is not None)
    idle(qtbot, window)
    for _ in load_scenario("slow-pages").hints:
        band.next_hint.click()
    assert not band.plan_test.isVisible()


def test_folded_it_is_one_line(band):
    band.next_hint.click()
    band.fold.click()
    assert texts(band) == ["Lesson: Logins are slow at nine (0 of 2 done)"]
    band.fold.click()
    assert str(LESSON.about) in texts(band)


def test_a_session_of_this_directory_counts_and_another_does_not(qtbot, window, band, session_file):
    window.open_paths([session_file])
    idle(qtbot, window)
    assert [goal.reached for goal in band.reached()] == [False, False]
    window.show_screen("capture")
    window.capture._seconds.setValue(120)
    window.capture.start()
    qtbot.waitUntil(lambda: band.reached()[0].reached)
    assert texts(band) == ["Lesson: Logins are slow at nine (1 of 2 done)"]  # by itself
    band.fold.click()
    qtbot.waitUntil(lambda: "done" in texts(band))  # shown by the turn after
    assert not band.reached()[1].reached
    idle(qtbot, window)


def test_another_server_has_no_lesson_and_none_has_none(qtbot, window, band):
    profile = replace(window.workbench.connection.profile, name="ldap1")
    window.workbench.connect_to(profile)
    qtbot.waitUntil(lambda: window.workbench.connection is not None)
    assert band.isHidden()
    window.workbench.disconnect_server()
    assert band.isHidden()


def test_the_next_lesson_begins_anew(qtbot, window, band):
    band.next_hint.click()
    window.practice.start("healthy", speed=40)
    qtbot.waitUntil(lambda: window.workbench.connection is not None)
    idle(qtbot, window)
    assert texts(band)[:2] == ["Lesson: Is it the directory?", str(load_scenario("healthy").about)]
