"""What a command asks before it starts, and after its verdict."""

import pytest
import typer

from ldap_workbench.cli import asking
from ldap_workbench.cli.signals import Stop
from ldap_workbench.model.errors import CancelledError, UsageError
from ldap_workbench.model.experiment import Then
from ldap_workbench.model.message import Message
from tests.unit.experiment.test_history import VERDICT


@pytest.fixture
def asked(monkeypatch):
    """What is asked, and how it is answered."""

    def answer(with_):
        questions = []

        def confirm(question):
            questions.append(question)
            if isinstance(with_, Exception):
                raise with_
            return with_

        monkeypatch.setattr(asking, "confirm", confirm)
        return questions

    return answer


@pytest.mark.parametrize(("said", "then"), [(True, Then.KEEP), (False, Then.REVERT)])
def test_the_verdict_is_shown_before_the_question_is_asked(said, then, asked, capsys):
    questions = asked(said)
    assert asking.keep_or_revert(VERDICT, "Keep it?", Stop()) is then
    assert questions == ["Keep it?"]
    assert "Better." in capsys.readouterr().out


def test_what_is_in_force_is_said_before_the_question(asked, monkeypatch, capsys):
    monkeypatch.setattr(asking, "confirm", lambda _: "now: 16" in capsys.readouterr().err)
    lines = (Message("now: {value}.", value="16"),)
    assert asking.keep_or_revert(VERDICT, "Keep it?", Stop(), lines) is Then.KEEP


def test_the_end_of_the_terminal_keeps_nothing(asked):
    asked(typer.Abort())
    with pytest.raises(CancelledError, match="not answered"):
        asking.keep_or_revert(VERDICT, "Keep it?", Stop())


def test_a_command_that_was_stopped_asks_no_more(asked):
    questions, stop = asked(True), Stop()
    stop.set()
    with pytest.raises(CancelledError):
        asking.keep_or_revert(VERDICT, "Keep it?", stop)
    assert questions == []


def test_without_a_yes_nothing_starts(asked):
    asked(True)
    asking.agree_to_start(Message("It was not started."))
    asked(False)
    with pytest.raises(UsageError, match="It was not started"):
        asking.agree_to_start(Message("It was not started."))
