"""What is true of a server once changes were reverted, by their journal entries alone."""

from __future__ import annotations

import pytest

from ldap_workbench.model.change import (
    AS_BEFORE,
    Change,
    ChangeState,
    Origin,
    after_reverts,
    left_stored,
    reverted,
)
from ldap_workbench.model.message import Message

KNOB = "nsslapd-threadnumber"


def change(
    origin: Origin,
    state: ChangeState = ChangeState.REVERTED,
    got: tuple[str, ...] | None = ("24",),
    asked: tuple[str, ...] | None = ("24",),
) -> Change:
    return Change(
        1, "g", "ldap://a:389", "lab", KNOB, "cn=config", KNOB, ("16",), asked, got, state,
        needs_restart=False, created_ns=1, updated_ns=1, origin=origin,
    )  # fmt: skip


def test_what_was_not_stored_and_is_now_is_no_server_as_before() -> None:
    (left,) = left_stored([change(Origin.PINNED), change(Origin.PINNED)])
    assert str(left) == f"{KNOB} was automatic; reverted, it is stored as 16."
    assert str(after_reverts((left,))) == f"{left} All else is as it was before."
    assert str(reverted((left,))) == (
        f"The change was reverted. {left} All else is as it was before."
    )


def test_what_may_not_have_been_stored_is_said_so() -> None:
    (left,) = left_stored([change(Origin.UNKNOWN)])
    assert str(left) == f"{KNOB} may have been automatic; reverted, it is stored as 16."


@pytest.mark.parametrize("origin", [Origin.STORED, Origin.AUTOMATIC])
def test_a_server_as_before_is_said_to_be_so(origin: Origin) -> None:
    assert left_stored([change(origin)]) == ()
    assert after_reverts(()) == AS_BEFORE
    assert str(reverted(())) == "The change was reverted: the server is as it was before."


def test_a_write_that_never_came_left_nothing() -> None:
    assert left_stored([change(Origin.PINNED, got=None)]) == ()
    assert left_stored([change(Origin.PINNED, ChangeState.REFUSED)]) == ()
    assert left_stored([change(Origin.PINNED, got=None, asked=None)]) != ()


def test_the_claim_of_a_face_gives_way_to_what_it_says_besides() -> None:
    left = left_stored([change(Origin.PINNED)])
    claim, otherwise = Message("Paused. All is as before."), Message("Paused.")
    assert after_reverts((), claim, otherwise) == claim
    assert str(after_reverts(left, claim, otherwise)).startswith(f"Paused. {KNOB} was automatic")
