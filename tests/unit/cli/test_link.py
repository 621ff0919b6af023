"""Connecting for a revert: a server that refuses is not one that is down."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest

from ldap_workbench.cli import link
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.model.errors import AuthenticationError, ConnectError, TlsError
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import Profile
from ldap_workbench.tuning.journal import Journal

WHY = Message("It is refused.")


@pytest.fixture
def profile(monkeypatch: pytest.MonkeyPatch) -> Profile:
    """A server with a change that its host alone can undo."""
    profile = Profile(name="lab", ldap_url="ldap://lab.example")
    ProfileStore().add(profile)
    monkeypatch.setattr(link, "may_keep_it_down", lambda *_: ["a change"])
    return profile


def test_one_that_refuses_a_password_or_its_certificate_is_not_restarted(
    profile: Profile, monkeypatch: pytest.MonkeyPatch
) -> None:
    shells: list[object] = []
    monkeypatch.setattr(link, "open_shell", lambda *_: shells.append(profile))
    for error in (AuthenticationError(WHY), TlsError(WHY), ConnectError(WHY)):

        def refuse(*_: Any, error: ConnectError = error) -> None:
            raise error

        monkeypatch.setattr(link, "_connect", refuse)
        with (
            pytest.raises(type(error)),
            closing(Journal()) as journal,
            link.connected_to_revert("lab", journal, offline=True),
        ):
            pass
    assert len(shells) == 1, "the one that does not answer"
