"""Ciphers of slapd's TLS: set, put back exactly, refused without a certificate."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import ldap3
import pytest

from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.tuning.tuner import Tuner
from tests.live.conftest import Tried
from tests.live.lab.host import chosen
from tests.live.lab.openldap import PASSWORD_VARIABLE, OpenLdap
from tests.live.lab.tls import Authority

KNOB = "olcTLSCipherSuite"
WITHOUT_1_3 = f"{KNOB}=NORMAL:-VERS-TLS1.3"
"""As GnuTLS takes it, which Debian's slapd is built with."""


@pytest.fixture
def slapd(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[OpenLdap]:
    """One of its own, without a certificate yet."""
    if not chosen("openldap"):
        pytest.skip("this run is about another product")
    lab = OpenLdap(users=1)
    monkeypatch.setenv(PASSWORD_VARIABLE, lab.password)
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    try:
        lab.start()
        lab.trust(tmp_path / "home")
        yield lab
    finally:
        lab.stop()


@pytest.fixture
def target(slapd: OpenLdap) -> Iterator[Target]:
    with closing(connect(slapd.profile, Secrets())) as target:
        yield target


def agreed(slapd: OpenLdap) -> str | None:
    """The protocol that a client agrees on with it, on a connection of its own."""
    anyone = ldap3.Tls(validate=ssl.CERT_NONE)
    server = ldap3.Server("127.0.0.1", slapd.port, get_info=ldap3.NONE, tls=anyone)
    link = ldap3.Connection(server)
    link.open()
    assert link.start_tls(read_server_info=False)
    protocol: str | None = link.socket.version()
    link.unbind()
    return protocol


@pytest.mark.shows("revert exact")
def test_clients_agree_on_what_is_left_and_on_all_again(
    slapd: OpenLdap, tuner: Tuner, target: Target, tried: Tried
) -> None:
    slapd.certify(Authority())
    before, stored = agreed(slapd), slapd.ldif_of_config()
    applied = tuner.apply(tuner.catalogue.treatment((WITHOUT_1_3,), target.facts))
    assert (before, agreed(slapd)) == ("TLSv1.3", "TLSv1.2")
    tuner.revert(applied.group)
    assert agreed(slapd) == "TLSv1.3"
    assert slapd.ldif_of_config() == stored
    tried(tuner.catalogue.knob(KNOB), applied.proofs[0])


def test_it_is_refused_without_a_certificate_and_nothing_is_left(
    slapd: OpenLdap, tuner: Tuner, target: Target
) -> None:
    stored = slapd.ldif_of_config()
    with pytest.raises(WorkbenchError):
        tuner.apply(tuner.catalogue.treatment((WITHOUT_1_3,), target.facts))
    assert slapd.ldif_of_config() == stored
    assert tuner.open_changes() == []
