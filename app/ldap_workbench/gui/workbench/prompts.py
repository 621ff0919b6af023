"""Questions that work in a thread puts to the operator, and the keyring that keeps passwords."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot

from ldap_workbench.connect.secrets import Secrets, has_keyring
from ldap_workbench.model.message import Message

SAME_SERVER = "same server"
"""The kind of question whether a campaign or canary goes on on the server it was begun on."""


@dataclass(eq=False)
class Question:
    """`kind` says which dialog, `about` what it shows. `answer` may be called from any thread."""

    kind: str
    about: Any
    _answer: Any = None
    _answered: threading.Event = field(default_factory=threading.Event)

    def answer(self, value: Any) -> None:
        """Let the asking thread go on; None means 'no answer'."""
        self._answer = value
        self._answered.set()

    def wait(self) -> Any:
        """Until somebody answers."""
        self._answered.wait()
        return self._answer


class PromptBroker(QObject):
    """Carries questions from workers to the GUI thread and the answers back.

    *Signals:* asked(Question), in the GUI thread
    """

    asked = Signal(object)
    _posted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._open: set[Question] = set()
        self._closed = False
        self._posted.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def ask(self, kind: str, about: Any) -> Any:
        """Called in a worker: ask and wait. None where nobody answers or the window is closing."""
        question = Question(kind, about)
        if self._closed:
            return None
        self._open.add(question)
        self._posted.emit(question)
        try:
            return question.wait()
        finally:
            self._open.discard(question)

    def password(self, user: str, question: Message) -> str | None:
        """The `ask` of connect.Secrets."""
        answer: str | None = self.ask("password", (user, question))
        return answer

    def close(self) -> None:
        """Nobody will answer any more: let every asking thread go."""
        self._closed = True
        for question in list(self._open):
            question.answer(None)

    @Slot(object)
    def _deliver(self, question: Question) -> None:
        if self._closed:
            question.answer(None)
        else:
            self.asked.emit(question)


KEY = "keyring"


class Keyring(QObject):
    """Asked in a worker, for it may have to wait; `there` is False until it has answered."""

    def __init__(self, start: Callable[..., Any], secrets: Secrets, parent: QObject) -> None:
        super().__init__(parent)
        self._start, self._secrets = start, secrets
        self.there = False

    def look_for(self) -> None:
        """Find out whether there is a keyring."""
        self._start(
            KEY, self.tr("Looking for a keyring"), lambda _, __: has_keyring(), self._on_found
        )

    def keep(self, user: str, password: str) -> None:
        """Keep a password that was asked for; `user` as `Secrets.remember` has it."""
        self._start(
            KEY,
            self.tr("Saving the password"),
            lambda _, __: self._secrets.remember(user, password, in_keyring=True),
        )

    @Slot(object)
    def _on_found(self, there: bool) -> None:
        self.there = there
