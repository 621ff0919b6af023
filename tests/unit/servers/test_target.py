"""The links to a server."""

from __future__ import annotations

from typing import Any, cast

import pytest

from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.errors import AnotherServerError
from ldap_workbench.servers import target as target_module
from ldap_workbench.servers.target import Target
from tests.sessions import FACTS


class Shell:
    def __init__(self, status: int) -> None:
        self.closed, self._status = False, status

    def run(self, *_: object, **__: object) -> CommandResult:
        return CommandResult(self._status, b"", b"")

    def close(self) -> None:
        self.closed = True


def test_a_shell_that_leads_to_another_host_is_never_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that fails over: the second try must look again, and not take what the first left."""
    broken, another = Shell(255), Shell(0)
    nothing: Any = None
    target = Target(nothing, nothing, FACTS, nothing, cast(Any, broken), nothing)

    def refuse(*_: object) -> None:
        raise AnotherServerError.__new__(AnotherServerError)

    monkeypatch.setattr(target, "another_shell", lambda: another)
    monkeypatch.setattr(target_module, "check_host", refuse)
    for _ in range(2):
        with pytest.raises(AnotherServerError):
            target.reconnect_shell()
        assert target.shell is cast(Any, broken)
        assert another.closed
