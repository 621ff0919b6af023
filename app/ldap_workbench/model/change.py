"""What was changed on which server, written before it is changed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ldap_workbench.model.message import NOTHING, Message


class ChangeState(StrEnum):
    """Life of a journal entry. The `open` ones may be in force on the server."""

    INTENDED = "intended"
    """Durable in the journal, the write may or may not have reached the server."""
    APPLIED = "applied"
    REVERTING = "reverting"
    REVERTED = "reverted"
    KEPT = "kept"
    REFUSED = "refused"
    """The server refused the write and the read-back shows the old value."""

    CLOSED = "closed"
    """Not reverted: the operator's word ended it, for a server that is gone."""

    DONE = "done"
    """It passed by itself and leaves nothing to revert: a page cache was dropped."""

    @property
    def open(self) -> bool:
        return self in (ChangeState.INTENDED, ChangeState.APPLIED, ChangeState.REVERTING)


@dataclass(frozen=True)
class Change:
    """One attribute (or kernel file) of one server: before, asked, got. None means absent."""

    id: int
    group: str
    """Changes of one application of a treatment share this; reverted together, last first."""
    server: str
    """LDAP URL, or ssh://host for host knobs: which server, whatever the profile is called."""
    profile: str
    knob: str
    dn: str
    attribute: str
    before: tuple[str, ...] | None
    asked: tuple[str, ...] | None
    got: tuple[str, ...] | None
    state: ChangeState
    needs_restart: bool
    created_ns: int
    """On the laptop's clock, as are all journal times."""
    updated_ns: int
    message: Message = NOTHING
    """What the server said with the success or the refusal."""
    proof: Message = NOTHING
    session: str = ""
    """Path of the session file of the experiment, if any."""


@dataclass(frozen=True)
class ProofResult:
    """Whether a change is in force: stored (read back), effective (independent evidence)."""

    stored: bool
    effective: bool | None
    """None where no proof is known, or not before a restart."""
    sentence: Message
