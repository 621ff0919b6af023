"""Where a replay goes: the server of a profile, as safe as the profile asks, never by accident."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.profile import Profile
from ldap_workbench.replay.endpoint import Endpoint, endpoint_of, refuse_original
from ldap_workbench.replay.script import Script

PROFILE = Profile("lab", "ldap://ldap1.example.com:1389", "cn=dm", ca_file="/ca.pem")


def target(profile=PROFILE, identity="this"):
    return SimpleNamespace(
        profile=profile,
        facts=SimpleNamespace(identity=identity),
        bind_password=lambda: "secret",
    )


def test_start_tls_is_that_of_the_profile():
    plain = Endpoint("ldap1.example.com", 1389, False, False, "/ca.pem", "cn=dm", "secret")
    assert endpoint_of(target()) == plain
    assert endpoint_of(target(replace(PROFILE, starttls=True))) == replace(plain, starttls=True)
    secure = endpoint_of(target(replace(PROFILE, ldap_url="ldaps://ldap1.example.com")))
    assert secure == replace(plain, port=636, secure=True)
    assert secure.encrypted
    assert not plain.encrypted


def test_a_socket_is_refused():
    with pytest.raises(UsageError, match="it connects by TCP"):
        endpoint_of(target(Profile("s", "ldapi://%2Frun%2Fslapd.socket")))


CAPTURED = "captured from this server"
NOT_KNOWN = "not known whether the replay was captured from this server"


@pytest.mark.parametrize(
    ("captured", "here", "refused"),
    [
        ("this", "this", CAPTURED),
        ("that", "this", None),
        ("", "", NOT_KNOWN),
        ("", "this", NOT_KNOWN),
        ("this", "", NOT_KNOWN),
    ],
)
def test_the_server_of_the_capture_is_refused_and_so_is_one_that_may_be_it(captured, here, refused):
    script = Script(10**9, "ldap1", captured, ())
    there = target(identity=here)
    test_server = target(replace(PROFILE, test_server=True), here)
    if refused is None:
        refuse_original(script, there)
    else:
        with pytest.raises(UsageError, match=refused):
            refuse_original(script, there)
    if refused is CAPTURED:
        with pytest.raises(UsageError, match=CAPTURED):
            refuse_original(script, test_server)
    else:
        refuse_original(script, test_server)
