"""What a plan can find, read from a baseline session while the plan is edited."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from ldap_workbench.connect.crashes import in_our_words
from ldap_workbench.experiment.foresight import Foresight as BaselineForesight
from ldap_workbench.gui.parts.style.timers import single_shot
from ldap_workbench.gui.workbench.jobs import Job
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.experiment import Plan
from ldap_workbench.model.message import Message
from ldap_workbench.session.reader import Session

Question = tuple[Any, Any, Path]
"""What is planned, what else is asked, the baseline."""
Foresee = Callable[[Any, Any, Path], tuple[list[Message], tuple[Message, ...]]]
_REST_MS = 400
"""Somebody who types a number has ended; each answer reads all windows of the baseline."""


class Foresight(QObject):
    """Answers the latest question only.

    *Signals:* found(list of Message on the plan, tuple of Message on the others beside it)
    """

    foreseen = Signal(object, object)

    def __init__(
        self,
        workbench: Workbench,
        parent: QObject | None = None,
        *,
        foresee: Foresee | None = None,
    ) -> None:
        """`foresee` answers in a worker; by default for plans of experiments."""
        super().__init__(parent)
        self._workbench = workbench
        self._foresee = foresee or _foreseen
        self._asked: Question | None = None
        self._job: Job | None = None
        self._rest = single_shot(self, self._ask, _REST_MS)

    def ask(self, plan: Any, others: Any, baseline: Path) -> None:
        """Ask, once nobody has asked anything else for a moment."""
        if (plan, others, baseline) == self._asked:
            return
        self._asked = plan, others, baseline
        self._rest.start()

    def forget(self) -> None:
        """There is nothing to ask any more."""
        self._asked = None
        self._rest.stop()

    @Slot()
    def _ask(self) -> None:
        asked = self._asked
        if asked is None or self._job:
            return  # a job at work is followed by the next question
        self._job = self._workbench.runner.start(
            "foresight",
            self.tr("Estimating the sensitivity of the plan"),
            lambda *_: (asked, *self._foresee(*asked)),
            on_done=self._on_done,
            on_failed=self._on_failed,
        )

    @Slot(object)
    def _on_done(self, answer: tuple[Question, list[Message], tuple[Message, ...]]) -> None:
        self._job = None
        asked, sentences, others = answer
        if asked == self._asked:
            self.foreseen.emit(sentences, others)
        else:
            self._ask()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._job = None
        reason = in_our_words(error).explanation
        self.foreseen.emit([Message("The baseline cannot be read: {error}", error=reason)], ())


def _foreseen(
    plan: Plan, others: tuple[Plan, ...], baseline: Path
) -> tuple[list[Message], tuple[Message, ...]]:
    with Session.open(baseline) as session:
        by = BaselineForesight(session)
        return by.sentences(plan), tuple(map(by.finds, others))
