"""What the session keeps of an experiment: its state, its marks, the changes made for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ldap_workbench.model.change import Change
from ldap_workbench.model.experiment import Experiment, Plan, State
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.window import Mark
from ldap_workbench.servers.target import Target
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter


class Record:
    """Writes what happens into the session, on the server's clock.

    `experiment` is the latest stored state; another thread may read it.
    """

    def __init__(self, writer: SessionWriter, target: Target, experiment: Experiment) -> None:
        self._writer = writer
        self._target = target
        self.session = str(writer.path)
        """The session file, as the journal names it beside every change."""
        self.experiment = experiment

    @property
    def plan(self) -> Plan:
        """What was decided before the start."""
        return self.experiment.plan

    def enter(self, state: State, **changes: Any) -> None:
        """Store a state, and what else of the experiment changes with it, before it is acted on."""
        self.experiment = replace(self.experiment, state=state, **changes)
        self._writer.put_experiment(self.experiment)

    def mark(self, kind: str, text: Message) -> None:
        """Note this moment."""
        self._writer.add_mark(Mark(self._target.now_ns(), kind, text))

    def remember(self, kind: str, changes: Sequence[Change]) -> None:
        """Store what became of changes of the treatment: applied, reverted or kept."""
        for change in changes:
            self._writer.put_change(change)
        self.mark(kind, verbatim(str(self.plan.treatment)))

    def void(self, windows: Sequence[int], why: Message) -> None:
        """Windows of a broken pair stay in the session, in no arm any more."""
        with self.reader() as session:
            known = [window for window in session.windows() if window.id in windows]
        for window in known:
            self._writer.put_window(replace(window, arm="", pair=-1, remark=why))
        self.mark("pair repeated", why)

    def reader(self) -> Session:
        """The session as it is now; close it after use."""
        return self._writer.reader()
