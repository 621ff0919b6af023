"""ldap3 behind the Directory port: verified TLS, our own errors, no schema checks.

ldap3 2.9.1, the newest release, is of 2021. What is replaced or avoided here, with the issues of
github.com/cannatag/ldap3 (as of 2026-11-28):

- TLS (`tls.py`): no check of certificate and name unless asked for (22, 180), no name sent to the
  server unless asked for (366), no IP addresses. `VerifiedTls` wraps the socket itself.
- Reading (`answers.py`): `receive_timeout` starts anew with each byte and does not limit the whole
  answer (208), nor do its messages or bytes have a limit. `BoundedAnswers` reads instead.
- Speed (1105, 1147): SYNC instead of SAFE_SYNC, which copies every answer, and no empty attributes.
- What is no LDAP comes out as IndexError, KeyError or RecursionError; `_link` makes it ours.
- The socket of a refused connection stays open; `close` closes it.
- It can only open sockets of this machine; `_take_relay` hands it one that leads to another.
- pyasn1 0.6 warns of names that ldap3 uses and 0.7 removes (1159; mended by 983, not released):
  pyproject.toml holds pyasn1 below 0.7.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import ldap3
from ldap3.core.exceptions import LDAPException

from ldap_workbench.connect.answers import (
    MANY_ENTRIES,
    ONE_ENTRY,
    BoundedAnswers,
    Limits,
    not_ldap,
)
from ldap_workbench.connect.directory import OWN_BASE, Directory, Entry
from ldap_workbench.connect.ldap_url import (
    LdapUrl,
    parse_ldap_url,
    several_sockets,
    sockets_here,
)
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.socket_relay import SocketRelay, is_remote, open_relay, who_asks
from ldap_workbench.connect.tls import VerifiedTls, shown_certificate, tls_error
from ldap_workbench.model.errors import (
    AuthenticationError,
    ConflictError,
    ConnectError,
    DirectoryError,
    NoAnswerError,
    TlsError,
    UntrustedCertificateError,
    WorkbenchError,
)
from ldap_workbench.model.message import NOTHING, Message, sentences, verbatim
from ldap_workbench.model.profile import Profile

CONNECT_TIMEOUT_S = 10
ANSWER_TIMEOUT_S = 30

ANNOUNCED_FOR_S = 1.0
"""A connection that was announced so long ago is announced again before it asks anything: the log
of a window that has begun meanwhile is read from there on."""
_MARKER = f"{OWN_BASE}connection"

_SIZE_LIMIT_EXCEEDED = 4
NO_SUCH_OBJECT = 32
INVALID_CREDENTIALS = 49
_SCOPES = {"base": ldap3.BASE, "one": ldap3.LEVEL, "sub": ldap3.SUBTREE}
_REFUSED_LOGIN = {
    7: Message("Use another way to bind."),
    8: Message("The server demands TLS or a stronger bind: use ldaps:// or StartTLS."),
    13: Message("The server demands TLS: use ldaps:// or StartTLS."),
    48: Message("The server does not accept this kind of bind: set a bind DN."),
    INVALID_CREDENTIALS: Message("Check the bind DN and the password."),
    53: Message("The server refuses this bind for now; its log says why."),
}
_ONLY_READ = Message("The server was only read.")
_FEWER = Message(
    "Ask for fewer entries (a lower base, a narrower filter), or bind as a user with higher limits."
)
_REMEDIES = {
    3: _FEWER,
    _SIZE_LIMIT_EXCEEDED: _FEWER,
    11: _FEWER,
    NO_SUCH_OBJECT: Message("Check the DN, or bind as a user who may read the entry."),
    50: Message("Bind as a user who may do this, such as cn=Directory Manager."),
    51: Message("The server is busy; try again."),
    52: Message("The server is starting or stopping; try again."),
}
_ASK_THE_LOG = Message("Read the server's log for the cause.")


def open_directory(profile: Profile, secrets: Secrets) -> Directory:
    """A bound connection to the server of a profile.

    Without a bind DN it is anonymous, or SASL EXTERNAL over ldapi. Raises TlsError,
    AuthenticationError, ConnectError or ProfileError, each saying what to do. A password goes over
    an unencrypted connection only to this machine, or where the profile allows it.
    """
    directory = reach(profile, secrets)
    try:
        identify(directory, profile, secrets)
    except BaseException:
        directory.close()
        raise
    return directory


def reach(profile: Profile, secrets: Secrets, answer_s: int = ANSWER_TIMEOUT_S) -> LdapDirectory:
    """The first half of `open_directory`: TCP and TLS, or a socket; no bind password sent yet.

    `answer_s` is for the TLS handshake; how long an answer may take say its Limits.
    """
    url = parse_ldap_url(profile.address)
    _refuse_plain(profile, url)
    if not is_remote(profile) and len(here := sockets_here(profile.address)) > 1:
        raise several_sockets(here)
    relay = open_relay(profile, secrets) if is_remote(profile) else None
    directory = LdapDirectory(profile.server_url, _connection(profile, url, answer_s), relay)
    try:
        directory.open(starttls=profile.starttls)
    except UntrustedCertificateError as error:
        directory.close()
        error.shown = shown_certificate(profile)
        raise
    except BaseException:
        directory.close()
        raise
    return directory


def identify(directory: LdapDirectory, profile: Profile, secrets: Secrets) -> None:
    """The second half: bind, where the profile says as whom. Raises AuthenticationError."""
    if profile.bind_dn is not None:
        password = secrets.password(profile)
        try:
            directory.bind(profile.bind_dn, password)
        except AuthenticationError:
            secrets.refused(profile)
            raise
    elif parse_ldap_url(profile.ldap_url).socket:
        directory.bind_external(who_asks(profile))


class LdapDirectory:
    """A Directory over one ldap3 connection."""

    def __init__(self, url: str, connection: Any, relay: SocketRelay | None = None) -> None:
        """`relay` is the link to the server, where ldap3 cannot make it."""
        self._url = url
        self._connection = connection
        self._relay = relay
        if relay:
            connection.strategy._open_socket = self._take_relay
        self._answers = BoundedAnswers(url, connection)
        self._announced_at: float | None = None

    @property
    def url(self) -> str:
        return self._url

    def _take_relay(self, *_address: Any, **_kind: Any) -> None:
        """What ldap3 does to open a socket, with one that is open."""
        assert self._relay is not None
        self._connection.socket = self._relay.end
        self._connection.closed = False

    @property
    def encryption(self) -> str:
        """TLSv1.3 or the like; '' on a plain connection."""
        link = self._connection.socket
        return (link.version() or "") if isinstance(link, ssl.SSLSocket) else ""

    @property
    def certificate(self) -> bytes:
        """What the server showed, in DER; b'' on a plain connection."""
        link = self._connection.socket
        return (link.getpeercert(True) or b"") if isinstance(link, ssl.SSLSocket) else b""

    def open(self, *, starttls: bool) -> None:
        """TCP, and TLS where wanted. Raises ConnectError or TlsError."""
        self._answers.begin(ONE_ENTRY)
        taken = False
        try:
            self._connection.open()
            taken = True
            started = not starttls or self._connection.start_tls()
        except WorkbenchError:
            raise
        except Exception as error:
            if not isinstance(error, (LDAPException, OSError)):
                raise not_ldap(self._url, _oddity(error)) from error
            kind = NoAnswerError if taken and _timed_out(error) else ConnectError
            raise self._not_reached(error, kind, starttls=starttls) from error
        if starttls and self._answers.unread:  # sent in the clear, by whomever
            raise TlsError(
                Message("{url} sent more data than the reply to StartTLS.", url=self._url),
                remedy=Message(
                    "Use ldaps://, and find out what stands between you and the server."
                ),
            )
        if not started:
            raise TlsError(
                Message("{url} did not start TLS.", url=self._url),
                safe=Message("No password was sent."),
                remedy=Message("Turn on TLS in the server, or use ldaps://."),
            )

    def bind(self, dn: str, password: str | None) -> None:
        """Simple bind. Raises AuthenticationError where the server refuses it."""
        link = self._connection
        link.authentication, link.user, link.password = ldap3.SIMPLE, dn, password
        self._bind(verbatim(dn))
        # ldap3 would keep it to bind again by itself, which it never does here.
        link.password = None

    def bind_external(self, who: Message) -> None:
        """The server maps the user id at the other end of its socket to a DN; `who` that is."""
        self._connection.authentication = ldap3.SASL
        self._connection.sasl_mechanism = ldap3.EXTERNAL
        # An empty identity is that of the socket. Without one slapd asks for it in a second step,
        # which ldap3 does not take.
        self._connection.sasl_credentials = b""
        self._bind(who)

    def _bind(self, who: Message) -> None:
        with self._link():
            self._connection.bind()
        result = self._connection.result
        code = result["result"]
        if code == 0:
            return
        what = Message(
            "{url} refused to bind {who}: {reason}.",
            url=self._url,
            who=who,
            reason=_reason(result),
        )
        if code in _REFUSED_LOGIN:
            raise AuthenticationError(what, remedy=_REFUSED_LOGIN[code])
        raise DirectoryError(
            what,
            code=code,
            message=result["message"] or "",
            remedy=_REMEDIES.get(code, _ASK_THE_LOG),
        )

    def announce(self) -> None:
        """Ask for what only the workbench asks for, so that access logs tell that this is ours.

        What the server answers does not matter: it has no such entry, or refuses to say. From here
        on it is said again as long as the connection is used.
        """
        self._announced_at = time.monotonic()
        with self._link(limits=ONE_ENTRY):
            self._connection.search(_MARKER, "(objectClass=*)", ldap3.BASE, attributes=["1.1"])

    def _announce_again(self) -> None:
        at = self._announced_at
        if at is not None and time.monotonic() - at > ANNOUNCED_FOR_S:
            self.announce()

    def search(
        self,
        base: str,
        *,
        scope: str = "base",
        filter: str = "(objectClass=*)",  # noqa: A002 - the field's word
        attributes: Sequence[str] = ("*",),
    ) -> list[Entry]:
        self._announce_again()
        with self._link(limits=ONE_ENTRY if scope == "base" else MANY_ENTRIES):
            self._connection.search(base, filter, _SCOPES[scope], attributes=list(attributes))
        result, response = self._connection.result, self._connection.response
        if result["result"] == NO_SUCH_OBJECT:
            return []
        _check(result, Message("Reading '{base}'", base=base), _ONLY_READ)
        return [_entry(item) for item in response or [] if item["type"] == "searchResEntry"]

    def replace(
        self,
        dn: str,
        attribute: str,
        values: Sequence[str] | None,
        *,
        expected: Sequence[str] | None,
    ) -> str:
        """Read, compare, replace: somebody else's write in between, some milliseconds, is not seen.

        Deleting the old value and adding the new one in one modify would be a true compare-and-set,
        but 389 DS cannot be trusted with it: on cn=config and on backend entries it answers
        noSuchAttribute (16) and yet applies the change, to cachememsize even another value than
        asked; it has no assertion control. Measured on 2.3.1; only the ldbm entries do it right.
        """
        now = self._read(dn, attribute)
        if _set_of(now) != _set_of(expected):
            where = Message("{attribute} of {dn}", attribute=attribute, dn=dn)
            raise ConflictError(where, _shown(expected), _shown(values), _shown(now))
        if values is None and now is None:
            return ""
        changes = _changes(now, values)
        during = Message(
            "while {attribute} of {dn} was being set: read it back before going on",
            attribute=attribute,
            dn=dn,
        )
        with self._link(during):
            self._connection.modify(dn, {attribute: changes})
        result = self._connection.result
        _check(
            result,
            Message(
                "Setting {attribute} of '{dn}' to {values}",
                attribute=attribute,
                dn=dn,
                values=_shown(values),
            ),
        )
        return str(result["message"] or "").strip()

    def add(self, dn: str, attributes: Mapping[str, str | Sequence[str]]) -> None:
        self._announce_again()
        during = Message("while {dn} was being added", dn=dn)
        with self._link(during):
            self._connection.add(dn, attributes=dict(attributes))
        _check(self._connection.result, Message("Adding '{dn}'", dn=dn))

    def delete(self, dn: str) -> None:
        self._announce_again()
        with self._link(Message("while {dn} was being removed", dn=dn)):
            self._connection.delete(dn)
        result = self._connection.result
        if result["result"] != NO_SUCH_OBJECT:
            _check(result, Message("Removing '{dn}'", dn=dn))

    def children(self, dn: str, most: int) -> list[str]:
        self._announce_again()
        with self._link(limits=MANY_ENTRIES):
            self._connection.search(
                dn, "(objectClass=*)", ldap3.LEVEL, attributes=["1.1"], size_limit=most
            )
        result, response = self._connection.result, self._connection.response
        if result["result"] not in (NO_SUCH_OBJECT, _SIZE_LIMIT_EXCEEDED):
            _check(result, Message("Reading below '{dn}'", dn=dn), _ONLY_READ)
        return [item["dn"] for item in response or [] if item["type"] == "searchResEntry"]

    def close(self) -> None:
        with suppress(LDAPException, OSError):  # it may be gone already, which is what is wanted
            self._connection.unbind()
        # ldap3 forgets its socket without closing it when a link did not come about.
        if self._connection.socket is not None:
            self._connection.socket.close()
        if self._relay:
            self._relay.close()

    def _read(self, dn: str, attribute: str) -> tuple[str, ...] | None:
        entries = self.search(dn, attributes=[attribute])
        if not entries:
            raise DirectoryError(
                Message(
                    "There is no entry '{dn}' on {url}, or this bind user may not read it.",
                    dn=dn,
                    url=self._url,
                ),
                code=NO_SUCH_OBJECT,
                safe=Message("Nothing was changed."),
                remedy=_REMEDIES[NO_SUCH_OBJECT],
            )
        return entries[0].values(attribute)

    @contextmanager
    def _link(self, when: Message = NOTHING, limits: Limits = ONE_ENTRY) -> Iterator[None]:
        self._answers.begin(limits)
        try:
            yield
        except WorkbenchError as error:
            self.close()
            raise self._during(error, when) from error.__cause__
        except (LDAPException, OSError) as error:
            kind = NoAnswerError if _timed_out(error) else ConnectError
            raise kind(
                self._broke(verbatim(self._why(error)), when),
                safe=None if when else Message("Nothing was changed by that."),
                remedy=Message("Check that the server is running, then try again."),
            ) from error
        except Exception as error:
            # ldap3 takes what it is sent for LDAP: IndexError, KeyError, RecursionError ...
            self.close()
            raise self._during(not_ldap(self._url, _oddity(error)), when) from error

    def _why(self, error: Exception) -> str:
        """What the host said of a link through it, before what ldap3 says of its end here."""
        said = self._relay.last_words() if self._relay and self._relay.ended else ""
        return said or _text(error)

    def _broke(self, reason: Message, during: Message) -> Message:
        if not during:
            return Message("The connection to {url} broke: {reason}.", url=self._url, reason=reason)
        return Message(
            "The connection to {url} broke {during}: {reason}.",
            url=self._url,
            during=during,
            reason=reason,
        )

    def _during(self, error: WorkbenchError, during: Message) -> WorkbenchError:
        """`error` of a write: what was written is not known."""
        if during:
            error.what = sentences(error.what, Message("This happened {during}.", during=during))
            error.safe = error.unharmed
        return error

    def _not_reached(
        self, error: Exception, kind: type[ConnectError], *, starttls: bool
    ) -> ConnectError:
        tls = self._connection.server.tls
        if tls is not None and tls.failure is not None:
            return tls_error(self._url, tls.failure)
        if starttls and self._connection.bound is False and "startTLS" in str(error):
            return TlsError(
                Message(
                    "{url} does not offer StartTLS: {reason}.", url=self._url, reason=_text(error)
                ),
                safe=Message("No password was sent."),
                remedy=Message("Turn on TLS in the server, or use ldaps://."),
            )
        return kind(
            Message("{url} cannot be reached: {reason}.", url=self._url, reason=_text(error)),
            safe=Message("Nothing was changed."),
            remedy=Message(
                "Check the URL, that the server is running, and that no firewall blocks the port."
            ),
        )


def _connection(profile: Profile, url: LdapUrl, answer_s: int) -> Any:
    return ldap3.Connection(
        _server(profile, url),
        # No thread but that of this connection uses it: SAFE_SYNC would copy every answer, which
        # takes as long as decoding it.
        client_strategy=ldap3.SYNC,
        check_names=False,
        auto_referrals=False,
        # Else ldap3 adds each attribute asked for to all entries that lack it, and copies them.
        return_empty_attributes=False,
        receive_timeout=answer_s,
    )


def _server(profile: Profile, url: LdapUrl) -> Any:
    if is_remote(profile):
        return ldap3.Server("127.0.0.1", get_info=ldap3.NONE)  # never asked: the relay is there
    if url.socket:
        return ldap3.Server(f"ldapi://{url.socket}", get_info=ldap3.NONE)
    secure = url.scheme == "ldaps"
    return ldap3.Server(
        url.host,
        port=url.port,
        use_ssl=secure,
        tls=VerifiedTls(profile.ca_file) if secure or profile.starttls else None,
        get_info=ldap3.NONE,
        connect_timeout=CONNECT_TIMEOUT_S,
    )


def _refuse_plain(profile: Profile, url: LdapUrl) -> None:
    plain = url.scheme == "ldap" and not profile.starttls
    if plain and profile.bind_dn and not profile.allow_plain and not url.is_here:
        raise TlsError(
            Message(
                "Binding to {url} would send the password unencrypted over the network.",
                url=profile.ldap_url,
            ),
            safe=Message("Nothing was sent."),
            remedy=Message(
                "Use ldaps:// or StartTLS, or allow plain LDAP in the profile (--allow-plain)."
            ),
        )


def _check(result: dict[str, Any], doing: Message, safe: Message | None = None) -> None:
    code = result["result"]
    if code == 0:
        return
    raise DirectoryError(
        Message("{doing} was refused: {reason}.", doing=doing, reason=_reason(result)),
        code=code,
        message=(result["message"] or "").strip(),
        safe=safe,
        remedy=_REMEDIES.get(code, _ASK_THE_LOG),
    )


def _reason(result: dict[str, Any]) -> str:
    message = (result.get("message") or "").strip().rstrip(".")
    return f"{result['description']} ({result['result']})" + (f", {message}" if message else "")


def _entry(item: dict[str, Any]) -> Entry:
    raw: dict[str, list[bytes]] = item["raw_attributes"]
    values = {
        name: tuple(value.decode("utf-8", "backslashreplace") for value in values)
        for name, values in raw.items()
        if values
    }
    return Entry(item["dn"], values)


def _changes(
    now: Sequence[str] | None, values: Sequence[str] | None
) -> list[tuple[str, list[str]]]:
    """What makes an attribute read `values`.

    Of a list only what differs is touched, as a server acts upon each value: slapd would build all
    its indexes again. The whole of it is replaced where the order would be another.
    """
    if values is None:
        return [(ldap3.MODIFY_DELETE, [])]
    there = list(now or ())
    stay = [value for value in there if value in values]
    if len(there) + len(values) > 2 and stay and stay == list(values[: len(stay)]):
        gone = [value for value in there if value not in values]
        new = list(values[len(stay) :])
        wanted = [(ldap3.MODIFY_DELETE, gone), (ldap3.MODIFY_ADD, new)]
        return [change for change in wanted if change[1]]
    return [(ldap3.MODIFY_REPLACE, [*values])]


def _set_of(values: Sequence[str] | None) -> list[str] | None:
    """Values of an attribute have no order."""
    return None if values is None else sorted(values)


def _shown(values: Sequence[str] | None) -> Message:
    return Message("absent") if values is None else verbatim(", ".join(values))


def _oddity(error: Exception) -> Message:
    """What ldap3 stumbled over."""
    if isinstance(error, RecursionError):
        return Message("it is nested too deeply")
    return Message("it cannot be decoded ({kind})", kind=type(error).__name__)


def _timed_out(error: BaseException) -> bool:
    """Whether nothing came in time, and not that the other end broke the connection."""
    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, TimeoutError):
        seen = seen.__cause__ or seen.__context__
    return seen is not None


def _text(error: Exception) -> str:
    return (str(error) or type(error).__name__).rstrip(".")
