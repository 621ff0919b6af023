"""Errors say what is safe: as they are raised, or what is true of every one of their class."""

import pytest

from ldap_workbench.model import errors
from ldap_workbench.model.errors import (
    CommandError,
    ConflictError,
    DirectoryError,
    UnknownHostKeyError,
    WorkbenchError,
)

KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, WorkbenchError)
]
ARGUMENTS = {
    UnknownHostKeyError: ("ldap1", 22, "ssh-ed25519", "AAAA", "SHA256:x"),
    ConflictError: ("nsslapd-threadnumber", "16", "8", "32"),
}
NAMED = {DirectoryError: {"code": 53}}


def test_every_kind_is_looked_at():
    assert len(KINDS) > 15


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_error_of_every_kind_says_what_is_safe(kind):
    error = kind(*ARGUMENTS.get(kind, ("It failed.",)), **NAMED.get(kind, {}))
    assert str(error.safe).endswith(".")
    assert str(error.safe) in str(error)


@pytest.mark.parametrize("kind", [WorkbenchError, CommandError])
def test_who_raises_it_knows_best(kind):
    assert str(kind("It failed.", safe="The file is whole.").safe) == "The file is whole."
    assert not kind("It failed.", safe="").safe, "nothing can be promised"
    assert str(kind("It failed.", safe="", remedy="Try again.")) == "It failed. Try again."
