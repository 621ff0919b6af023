"""Campaigns and canaries of this user on disk: one file a state, known by its session file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from ldap_workbench.connect.folders import state_folder, unwritable, write_atomically
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.session.codec import from_json, to_json


class _State(Protocol):
    @property
    def output(self) -> Any:
        """The session file, by which it is known."""

    @property
    def began_ns(self) -> int: ...


S = TypeVar("S", bound=_State)


@dataclass(frozen=True)
class States(Generic[S]):
    """All states of one kind, below the folder of states."""

    kind: type[S]
    folder: str

    def path(self, output: Path) -> Path:
        """The state of the one whose session file is `output`."""
        name = hashlib.sha256(str(output.resolve()).encode("utf-8", "surrogateescape")).hexdigest()
        return state_folder() / self.folder / f"{name[:16]}.json"

    def of(self, output: Path) -> S | None:
        """The one of a session file; None where this user has none. Raises SessionError."""
        path = self.path(output)
        return from_json(self.kind, path.read_text("utf-8")) if path.exists() else None

    def all(self) -> tuple[list[S], int]:
        """All of this user, the latest first, and how many files could not be read."""
        states: list[S] = []
        unread = 0
        for path in (state_folder() / self.folder).glob("*.json"):
            try:
                states.append(from_json(self.kind, path.read_text("utf-8")))
            except (WorkbenchError, OSError, UnicodeDecodeError):
                unread += 1
        return sorted(states, key=lambda state: -state.began_ns), unread

    def write(self, state: S) -> None:
        """Make a state durable. Raises ChangeError where the disk is full."""
        path = self.path(Path(state.output))
        try:
            write_atomically(path, to_json(state))
        except OSError as error:
            raise unwritable(path, error) from error
