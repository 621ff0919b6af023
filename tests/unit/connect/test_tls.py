"""Verified TLS against a real TLS server: whom it trusts and what it says when it does not."""

from __future__ import annotations

import datetime
import hashlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.capture.live.check import try_profile
from ldap_workbench.connect import ldap
from ldap_workbench.connect.answers import ONE_ENTRY
from ldap_workbench.connect.ldap import open_directory
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.errors import (
    ConnectError,
    NoAnswerError,
    TlsError,
    UntrustedCertificateError,
)
from ldap_workbench.model.profile import Profile
from tests.live.lab.tls import Authority, write_pem
from tests.systems import stop_listening

Serve = Callable[..., Profile]


class TlsServer:
    """Shakes hands with everybody and says nothing."""

    def __init__(self, certificate: Path) -> None:
        self._context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self._context.load_cert_chain(certificate)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                link, _ = self._listener.accept()
            except OSError:
                return
            try:
                with self._context.wrap_socket(link, server_side=True) as secure:
                    secure.recv(1000)
            except OSError:
                link.close()

    def stop(self) -> None:
        stop_listening(self._listener, self._thread)


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@pytest.fixture
def serve(tmp_path: Path, authority: Authority) -> Iterator[Serve]:
    servers: list[TlsServer] = []
    ca_file = authority.write(tmp_path / "ca.pem")

    def start(*names: str, days: int = 2, signer: Authority = authority) -> Profile:
        path = write_pem(tmp_path / f"{len(servers)}.pem", *signer.sign(*names, days=days))
        servers.append(TlsServer(path))
        return Profile("p", f"ldaps://127.0.0.1:{servers[-1].port}", ca_file=str(ca_file))

    yield start
    for server in servers:
        server.stop()


def test_a_certificate_for_the_address(serve: Serve) -> None:
    directory = open_directory(serve("127.0.0.1"), Secrets())
    assert directory.encryption == "TLSv1.3"  # type: ignore[attr-defined]
    directory.close()


@pytest.mark.filterwarnings("ignore:.*unclosed.*socket:ResourceWarning")
def test_a_certificate_for_the_name(serve: Serve) -> None:
    profile = serve("localhost")
    url = profile.ldap_url.replace("127.0.0.1", "localhost")
    directory = open_directory(replace(profile, ldap_url=url), Secrets())
    assert directory.encryption == "TLSv1.3"  # type: ignore[attr-defined]
    directory.close()


def test_a_certificate_for_somebody_else(serve: Serve) -> None:
    with pytest.raises(TlsError, match="mismatch") as error:
        open_directory(serve("ldap1.example.com", "127.0.0.2"), Secrets())
    assert "name in the server's certificate" in str(error.value.remedy)


def test_a_certificate_that_has_expired(serve: Serve) -> None:
    with pytest.raises(TlsError, match="expired") as error:
        open_directory(serve("127.0.0.1", days=-1), Secrets())
    assert "Renew" in str(error.value.remedy)


def test_a_certificate_of_another_authority(serve: Serve) -> None:
    with pytest.raises(TlsError, match="failed") as error:
        open_directory(serve("127.0.0.1", signer=Authority("Somebody else")), Secrets())
    assert "CA" in str(error.value.remedy)


def test_a_certificate_nobody_vouches_for_is_shown(serve: Serve, authority: Authority) -> None:
    profile = serve("127.0.0.1", signer=Authority("Somebody else"))
    with pytest.raises(UntrustedCertificateError) as error:
        open_directory(profile, Secrets())
    shown = error.value.shown
    assert shown is not None
    assert shown.issuer == "CN=Somebody else"
    port = int(profile.ldap_url.rpartition(":")[2])
    encoded = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", port)))
    assert shown.sha256.replace(":", "").lower() == hashlib.sha256(encoded).hexdigest()
    step = next(s for s in try_profile(profile, Secrets()) if not s.ok)
    assert shown.sha256 in str(step.text)
    assert step.error is not None


def test_the_authorities_of_the_system_do_not_know_ours(serve: Serve) -> None:
    with pytest.raises(TlsError):
        open_directory(replace(serve("127.0.0.1"), ca_file=None), Secrets())


@pytest.mark.parametrize(("text", "says"), [(None, "No such file"), ("no PEM", "no certificate")])
def test_a_ca_file_that_is_none(serve: Serve, tmp_path: Path, text: str | None, says: str) -> None:
    path = tmp_path / "other.pem"
    if text is not None:
        path.write_text(text)
    with pytest.raises(TlsError, match=says) as error:
        open_directory(replace(serve("127.0.0.1"), ca_file=str(path)), Secrets())
    assert str(path) in str(error.value.what)


def test_a_server_that_does_not_speak_tls() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        thread = threading.Thread(target=_greet, args=(listener,))
        thread.start()
        with pytest.raises(TlsError, match="failed"):
            open_directory(Profile("p", f"ldaps://127.0.0.1:{port}"), Secrets())
        thread.join(60)


def _greet(listener: socket.socket) -> None:
    link, _ = listener.accept()
    with link:
        link.sendall(b"220 mail.example.com ESMTP\r\n")
        link.recv(1000)


def test_no_server_is_not_a_matter_of_tls() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(ConnectError, match="cannot be reached") as error:
        open_directory(Profile("p", f"ldaps://127.0.0.1:{port}"), Secrets())
    assert not isinstance(error.value, TlsError)


class TestPlain:
    """A password does not go over a network in the clear."""

    PROFILE = Profile("p", "ldap://192.0.2.1:389", bind_dn="cn=dm")

    def test_refused_before_anything_is_sent_or_asked(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def no_socket(*_: object, **__: object) -> None:
            raise AssertionError("nothing may be sent")

        monkeypatch.setattr(socket, "socket", no_socket)
        asked: list[str] = []
        with pytest.raises(TlsError, match="unencrypted"):
            open_directory(
                self.PROFILE, Secrets(ask=lambda _, question: asked.append(question) or "pw")
            )
        assert asked == []

    @pytest.mark.parametrize("changes", [{"allow_plain": True}, {"bind_dn": None}])
    def test_not_refused(self, changes: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("ldap_workbench.connect.ldap.CONNECT_TIMEOUT_S", 0.05)
        with pytest.raises(ConnectError) as error:
            open_directory(replace(self.PROFILE, **changes), Secrets(ask=lambda *_: "pw"))
        assert not isinstance(error.value, TlsError)


def test_the_days_of_a_certificate(authority: Authority) -> None:
    _, certificate = authority.sign("h", days=3)
    left = certificate.not_valid_after_utc - datetime.datetime.now(datetime.UTC)
    assert 2.9 < left / datetime.timedelta(days=1) < 3.1


@pytest.mark.parametrize("way", ["ldaps", "starttls"])
def test_a_server_that_takes_the_connection_and_says_nothing_has_no_free_worker(monkeypatch, way):
    """The host of such a server is captured, so it is told apart from bad TLS and a dead host."""
    monkeypatch.setattr(ldap, "ONE_ENTRY", replace(ONE_ENTRY, silence_s=0.5))
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
        scheme = "ldaps" if way == "ldaps" else "ldap"
        profile = Profile("p", f"{scheme}://127.0.0.1:{port}", starttls=way == "starttls")
        with pytest.raises(NoAnswerError, match="timed out"):
            ldap.reach(profile, 1)
