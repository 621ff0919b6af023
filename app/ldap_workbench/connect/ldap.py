"""ldap3 behind the Directory port: verified TLS, our own errors, no schema checks."""

from __future__ import annotations

import ipaddress
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote, urlsplit

import ldap3
from ldap3.core.exceptions import (
    LDAPBindError,
    LDAPException,
    LDAPExceptionError,
    LDAPSocketOpenError,
    LDAPStartTLSError,
)

from ldap_workbench.connect.directory import Directory, Entry
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.errors import (
    AuthenticationError,
    ConflictError,
    ConnectError,
    DirectoryError,
    TlsError,
)
from ldap_workbench.model.profile import Profile

CONNECT_TIMEOUT_S = 10
ANSWER_TIMEOUT_S = 30

_NO_SUCH_OBJECT = 32
_SCOPES = {"base": ldap3.BASE, "one": ldap3.LEVEL, "sub": ldap3.SUBTREE}
_CREDENTIAL_CODES = (49, 53, 48, 7, 8)


class VerifiedTls(ldap3.Tls):  # type: ignore[misc]
    """ldap3's own Tls verifies nothing unless told, sends no SNI and does not know IP addresses."""

    def __init__(self, ca_file: str | None) -> None:
        super().__init__(validate=ssl.CERT_REQUIRED)
        self._ca_file = ca_file

    def wrap_socket(self, connection: Any, do_handshake: bool = False) -> None:
        context = ssl.create_default_context(cafile=self._ca_file)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        connection.socket = context.wrap_socket(
            connection.socket,
            server_hostname=connection.server.host,
            do_handshake_on_connect=do_handshake,
        )
        if do_handshake:
            connection.socket.do_handshake()


def open_directory(profile: Profile, secrets: Secrets) -> Directory:
    """A bound connection to the server of a profile.

    Raises TlsError, AuthenticationError or ConnectError, each saying what to do. A password goes
    over an unencrypted connection only to this machine, or where the profile allows it.
    """
    _refuse_plain(profile)
    server = _server(profile)
    # ldapi with no DN: EXTERNAL, the server maps our uid to a DN.
    external = profile.ldap_url.startswith("ldapi") and profile.bind_dn is None
    options: dict[str, Any] = {}
    if external:
        options = {"authentication": ldap3.SASL, "sasl_mechanism": ldap3.EXTERNAL}
    elif profile.bind_dn is not None:
        password = secrets.password(profile)
        options = {"user": profile.bind_dn, "password": password}
    with _errors(profile.ldap_url):
        connection = ldap3.Connection(
            server,
            client_strategy=ldap3.SAFE_SYNC,
            check_names=False,
            auto_referrals=False,
            receive_timeout=ANSWER_TIMEOUT_S,
            raise_exceptions=False,
            **options,
        )
        connection.open()
        if profile.starttls:
            connection.start_tls()
        if options:
            _bind(connection, profile)
    return LdapDirectory(profile.ldap_url, connection)


class LdapDirectory:
    """A Directory over one ldap3 connection."""

    def __init__(self, url: str, connection: Any) -> None:
        self._url = url
        self._connection = connection

    @property
    def url(self) -> str:
        return self._url

    def search(
        self,
        base: str,
        *,
        scope: str = "base",
        filter: str = "(objectClass=*)",  # noqa: A002 - the field's word
        attributes: Sequence[str] = ("*",),
    ) -> list[Entry]:
        with _errors(self._url):
            _, result, response, _ = self._connection.search(
                base, filter, _SCOPES[scope], attributes=list(attributes)
            )
        if result["result"] == _NO_SUCH_OBJECT:
            return []
        _check(result, f"Reading '{base}'")
        return [_entry(item) for item in response or [] if item["type"] == "searchResEntry"]

    def replace(
        self,
        dn: str,
        attribute: str,
        values: Sequence[str] | None,
        *,
        expected: Sequence[str] | None,
    ) -> str:
        """Read, compare, replace, for 389 DS has no assertion control and its configuration
        entries refuse to delete one value and add another in one modify."""
        found = self.search(dn, attributes=[attribute])
        if not found:
            raise DirectoryError(f"There is no entry '{dn}'.", code=_NO_SUCH_OBJECT)
        now = found[0].values(attribute)
        if now != (None if expected is None else tuple(expected)):
            raise ConflictError(
                f"{attribute} of {dn}", _shown(expected), _shown(values), _shown(now)
            )
        change = (ldap3.MODIFY_DELETE, []) if values is None else (ldap3.MODIFY_REPLACE, [*values])
        with _errors(self._url):
            _, result, _, _ = self._connection.modify(dn, {attribute: [change]})
        _check(result, f"Setting {attribute} of '{dn}' to {_shown(values)}")
        return str(result["message"] or "")

    def close(self) -> None:
        try:
            self._connection.unbind()
        except (LDAPException, OSError):
            return  # the link is gone already, which is what was wanted


def _server(profile: Profile) -> Any:
    parts = urlsplit(profile.ldap_url)
    if parts.scheme == "ldapi":
        return ldap3.Server(f"ldapi://{unquote(parts.netloc)}", get_info=ldap3.NONE)
    if parts.scheme not in ("ldap", "ldaps") or not parts.hostname:
        raise ConnectError(
            f"'{profile.ldap_url}' is not an LDAP URL.",
            remedy="Write ldap://host:389, ldaps://host:636 or ldapi://%2Fpath%2Fto%2Fsocket.",
        )
    secure = parts.scheme == "ldaps"
    return ldap3.Server(
        parts.hostname,
        port=parts.port or (636 if secure else 389),
        use_ssl=secure,
        tls=VerifiedTls(profile.ca_file) if secure or profile.starttls else None,
        get_info=ldap3.NONE,
        connect_timeout=CONNECT_TIMEOUT_S,
    )


def _refuse_plain(profile: Profile) -> None:
    parts = urlsplit(profile.ldap_url)
    plain = parts.scheme == "ldap" and not profile.starttls
    if plain and profile.bind_dn and not profile.allow_plain and not is_here(parts.hostname or ""):
        raise TlsError(
            f"Binding to {profile.ldap_url} would send the password unencrypted over the network.",
            safe="Nothing was sent.",
            remedy="Use ldaps:// or --starttls, or add --allow-plain to the profile.",
        )


def is_here(host: str) -> bool:
    """Whether a host name is this machine's loopback."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _bind(connection: Any, profile: Profile) -> None:
    _, result, _, _ = connection.bind()
    if result["result"] == 0:
        return
    text = f"{profile.ldap_url} refused to bind {profile.bind_dn or 'EXTERNAL'}: {_reason(result)}."
    if result["result"] in _CREDENTIAL_CODES:
        raise AuthenticationError(
            text, safe="Nothing was changed.", remedy="Check the bind DN and the password."
        )
    raise DirectoryError(text, code=result["result"], message=result["message"])


def _check(result: dict[str, Any], doing: str) -> None:
    if result["result"] == 0:
        return
    raise DirectoryError(
        f"{doing} was refused: {_reason(result)}.",
        code=result["result"],
        message=result["message"] or "",
    )


def _reason(result: dict[str, Any]) -> str:
    message = (result.get("message") or "").strip()
    return f"{result['description']} ({result['result']})" + (f", {message}" if message else "")


def _entry(item: dict[str, Any]) -> Entry:
    raw: dict[str, list[bytes]] = item["raw_attributes"]
    values = {
        name: tuple(value.decode("utf-8", "backslashreplace") for value in found)
        for name, found in raw.items()
        if found
    }
    return Entry(item["dn"], values)


def _shown(values: Sequence[str] | None) -> str:
    return "absent" if values is None else ", ".join(values)


@contextmanager
def _errors(url: str) -> Iterator[None]:
    try:
        yield
    except LDAPStartTLSError as error:
        raise TlsError(f"StartTLS with {url} failed: {error}.", remedy=_TLS_REMEDY) from error
    except LDAPBindError as error:
        raise AuthenticationError(f"{url} refused the bind: {error}.") from error
    except LDAPSocketOpenError as error:
        raise _open_error(url, error) from error
    except (LDAPExceptionError, LDAPException, OSError) as error:
        raise ConnectError(
            f"The connection to {url} broke: {error or type(error).__name__}.",
            safe="The server itself was not changed by that.",
            remedy="See whether the server is running, then try again.",
        ) from error


_TLS_REMEDY = "Name the CA that signed the server's certificate: profile add ... --ca FILE."


def _open_error(url: str, error: Exception) -> ConnectError:
    text = str(error)
    if "certificate" in text.lower() or "ssl" in text.lower():
        return TlsError(f"TLS with {url} failed: {text}.", remedy=_TLS_REMEDY)
    return ConnectError(
        f"{url} cannot be reached: {text}.",
        safe="Nothing was changed.",
        remedy="Check the URL, that the server runs, and that no firewall stands between.",
    )
