"""What was changed on which server, written before it is changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ldap_workbench.model.message import NOTHING, Message, sentences
from ldap_workbench.model.server_identity import known_as

WHOLE_ENTRY = "*"
"""In place of an attribute: the entry itself is added or removed; its values are the lines of its
LDIF without the DN."""
AS_BEFORE = Message("The server is as it was before.")


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


class Origin(StrEnum):
    """Where the value came from that an attribute read before it was changed."""

    STORED = ""
    """From the stored configuration; also of a host's file, and what older versions noted."""
    AUTOMATIC = "automatic"
    """Nothing was stored: `before` is what the server made of that. A revert deletes."""
    PINNED = "pinned"
    """As AUTOMATIC, but this server does not delete it: a revert stores `before`."""
    UNKNOWN = "unknown"
    """The stored configuration could not be read: a revert stores `before`."""


@dataclass(frozen=True)
class Change:
    """One attribute, entry or kernel file of one server: before, asked, got. None means absent."""

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
    origin: Origin = Origin.STORED
    stored: tuple[str, ...] | None = None
    """What was stored where the server makes another value of it: -1 that reads as 16."""

    @property
    def server_name(self) -> str:
        """What the operator calls the server."""
        return known_as(self.profile, self.server)

    @property
    def stored_before(self) -> tuple[str, ...] | None:
        """What a revert stores; None where it deletes the attribute."""
        if self.origin is Origin.AUTOMATIC:
            return None
        return self.before if self.stored is None else self.stored

    @property
    def written(self) -> bool:
        """Whether the write has reached the server; the read-back notes it."""
        return self.got is not None or self.asked is None

    @property
    def after_revert(self) -> Message:
        """What a revert leaves otherwise than it was; NOTHING where all is as before."""
        before = ", ".join(self.before or ())
        if self.origin is Origin.PINNED:
            return Message(
                "{knob} was automatic; reverted, it is stored as {before}.",
                knob=self.knob,
                before=before,
            )
        if self.origin is Origin.UNKNOWN:
            return Message(
                "{knob} may have been automatic; reverted, it is stored as {before}.",
                knob=self.knob,
                before=before,
            )
        return NOTHING


def left_stored(changes: Iterable[Change]) -> tuple[Message, ...]:
    """What the reverts of these journal entries left stored that was not, a sentence each."""
    reverted = [
        change for change in changes if change.state is ChangeState.REVERTED and change.written
    ]
    return tuple(dict.fromkeys(change.after_revert for change in reverted if change.after_revert))


def after_reverts(
    left: Sequence[Message], claim: Message = AS_BEFORE, otherwise: Message = NOTHING
) -> Message:
    """What is true of a server whose changes were reverted: `claim`, that all is as before.

    Where something is `left` stored that was not, `otherwise` with that instead of the claim.
    """
    if not left:
        return claim
    return sentences(otherwise, *left, Message("All else is as it was before."))


def reverted(left: Sequence[Message]) -> Message:
    """How an experiment ended whose change was reverted."""
    claim = Message("The change was reverted: the server is as it was before.")
    return after_reverts(left, claim, Message("The change was reverted."))


@dataclass(frozen=True)
class ProofResult:
    """Whether a change is in force: stored (read back), effective (independent evidence)."""

    stored: bool
    effective: bool | None
    """None where no proof is known, or not before a restart."""
    sentence: Message
