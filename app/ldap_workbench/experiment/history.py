"""What was tried on which server, over all sessions: a line for each experiment that ended.

The file is this user's own, beside the journal, and only ever grows. It says what a session says in
full; where it cannot be written nothing else suffers.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ldap_workbench.connect.folders import state_folder
from ldap_workbench.model.change import Change, ChangeState
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.experiment import Experiment
from ldap_workbench.model.stored import RENAMED, as_stored
from ldap_workbench.model.verdict import EARLIER_WORDS
from ldap_workbench.session.codec import from_json
from ldap_workbench.tuning.journal import Application, server_name


@dataclass(frozen=True)
class Tried:
    """One treatment that was tried on one server, and what came of it."""

    server: str
    """Its URL, as the journal names it."""
    identity: str
    """Of the server instance, by whatever URL; '' where it was not known."""
    profile: str
    treatment: tuple[str, ...]
    """Its settings as they are typed: KNOB=VALUE."""
    began_ns: int
    ended_ns: int
    state: str
    """kept, reverted or aborted; closed where the operator gave up its revert."""
    session: str
    design: str = ""
    metric: str = ""
    verdict: str = field(default="", metadata={RENAMED: EARLIER_WORDS})
    """'' where it was aborted before one."""
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    campaign: str = ""
    because: str = ""
    """Why its revert was given up, in the operator's words."""

    def is_on(self, url: str, identity: str = "") -> bool:
        """Whether it was tried on the server of an identity; of a URL where one is not known."""
        if identity and self.identity:
            return self.identity == identity
        return self.server == server_name(url)


@dataclass(frozen=True)
class History:
    """The lines of the file, oldest first, and how many could not be read."""

    tried: tuple[Tried, ...] = ()
    unread: int = 0


def history_path() -> Path:
    """The file of this user."""
    return state_folder() / "history.jsonl"


def remember_tried(
    experiment: Experiment,
    *,
    server: str,
    identity: str,
    profile: str,
    session: str,
    began_ns: int,
    ended_ns: int,
    campaign: str = "",
) -> None:
    """Add a line. Raises OSError."""
    primary = experiment.verdict.primary if experiment.verdict else None
    tried = Tried(
        server=server,
        identity=identity,
        profile=profile,
        treatment=tuple(setting.argument for setting in experiment.plan.treatment.settings),
        began_ns=began_ns,
        ended_ns=ended_ns,
        state=experiment.state.value,
        session=session,
        design=str(experiment.plan.design),
        metric=experiment.plan.primary,
        verdict=primary.verdict if primary else "",
        ratio=primary.ratio if primary else None,
        low=primary.low if primary else None,
        high=primary.high if primary else None,
        campaign=campaign,
    )
    _append(tried)


def remember_closed(application: Application, changes: Sequence[Change], because: str) -> None:
    """Add a line for a change that was given up, not reverted. Raises OSError."""
    _append(
        Tried(
            server=application.server,
            identity=application.identity,
            profile=changes[0].profile,
            treatment=tuple(setting.argument for setting in application.treatment.settings),
            began_ns=application.created_ns,
            ended_ns=max(change.updated_ns for change in changes),
            state=ChangeState.CLOSED.value,
            session=changes[0].session,
            because=because,
        )
    )


def _append(tried: Tried) -> None:
    line = json.dumps(as_stored(tried), ensure_ascii=True) + "\n"
    file = os.open(history_path(), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, line.encode())  # one write: lines of two workbenches do not mix
    finally:
        os.close(file)


def history() -> History:
    """All that was tried; a line that was cut short by a full disk is counted, not lost sight of.

    Raises OSError.
    """
    experiments: list[Tried] = []
    unread = 0
    for line in _lines(history_path()):
        try:
            experiments.append(from_json(Tried, line))
        except WorkbenchError:
            unread += 1
    return History(tuple(experiments), unread)


def _lines(path: Path) -> Iterator[str]:
    if not path.exists():
        return
    with path.open(encoding="utf-8", errors="replace") as file:
        yield from (line for line in file if line.strip())
