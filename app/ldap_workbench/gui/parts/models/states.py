"""What the states of an experiment are called while it runs, and their moods."""

from __future__ import annotations

from ldap_workbench.model.experiment import State
from ldap_workbench.model.message import Message

STATE_WORDS = {
    State.PLANNED: (Message("Starting"), ""),
    State.CHECKING: (Message("Checking the plan against the server"), ""),
    State.APPLYING: (Message("Applying the change"), "warn"),
    State.REVERTING: (Message("Reverting the change"), "warn"),
    State.RESTARTING: (Message("Restarting the server"), "warn"),
    State.SETTLING: (Message("Waiting after the change"), ""),
    State.MEASURING: (Message("Measuring"), ""),
    State.JUDGING: (Message("Judging"), ""),
    State.DECIDING: (Message("Waiting for your decision"), "warn"),
    State.KEPT: (Message("Done: the change was kept"), "good"),
    State.REVERTED: (Message("Done: the change was reverted"), "good"),
    State.ABORTED: (Message("Ended early"), "bad"),
}
