"""Trying a profile step by step, as far as that needs no server."""

import socket

import pytest

from ldap_workbench.capture.check import try_profile
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.errors import CancelledError
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.progress import Cancel, Progress


@pytest.fixture
def nobody():
    """A profile of a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return Profile("nobody", f"ldap://127.0.0.1:{port}")


def test_the_first_step_that_fails_ends_its_half(nobody):
    address, port = try_profile(nobody, Secrets())
    assert (str(address.name), address.ok) == ("LDAP address", True)
    assert (str(port.name), port.ok) == ("LDAP port", False)
    assert str(port.remedy)


def test_it_ends_before_the_next_step_when_cancelled_meanwhile(nobody):
    cancel, told = Cancel(), []

    def progress(report: Progress) -> None:
        told.append(report.text)
        cancel.set()

    with pytest.raises(CancelledError):
        try_profile(nobody, Secrets(), progress=progress, cancel=cancel)
    assert [str(each) for each in told] == ["Trying: LDAP address"]
