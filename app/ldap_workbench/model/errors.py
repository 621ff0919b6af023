"""The errors a person may see: what happened, what is safe, what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldap_workbench.model.message import NOTHING, Message, sentences


class WorkbenchError(Exception):
    """Base of every error the workbench raises on purpose.

    `what` says what happened, `safe` what is unharmed, `remedy` what to do next; each is one plain
    sentence, `remedy` may be empty. Who raises it knows best what is safe; where nothing is said,
    `unharmed` of the class holds, and an empty `safe` says that nothing can be promised. What is
    too long for these, a list for instance, goes into `details`.
    """

    unharmed: ClassVar[Message] = Message("Every change made so far is in the journal.")
    """True of every error of the class, wherever it is raised."""

    def __init__(
        self,
        what: Message,
        *,
        safe: Message | None = None,
        remedy: Message = NOTHING,
        details: Message = NOTHING,
    ) -> None:
        super().__init__(str(what))
        self.what = what
        self.safe = self.unharmed if safe is None else safe
        self.remedy = remedy
        self.details = details

    @property
    def explanation(self) -> Message:
        """The three sentences, and the details."""
        return sentences(self.what, self.safe, self.remedy, self.details)

    def __str__(self) -> str:
        return str(self.explanation)


class UsageError(WorkbenchError):
    """The words of a command or the values of a form do not fit (exit code 2)."""

    unharmed = Message("Nothing was done.")


class CancelledError(WorkbenchError):
    """The operator cancelled; what was gathered until then is kept."""

    unharmed = Message("What was gathered until then is kept.")


class ProfileError(WorkbenchError):
    """A profile or the file of profiles cannot be used as it stands."""

    unharmed = Message("Nothing was sent to a server.")


class ConnectError(WorkbenchError):
    """A server or host could not be reached, or the link to it broke."""


class NoAnswerError(ConnectError):
    """The server takes connections and does not answer: it hangs, or no worker is free."""


class AuthenticationError(ConnectError):
    """The server or host was reached and refused the credentials."""

    unharmed = Message("Nothing was changed.")


class TlsError(ConnectError):
    """The TLS handshake or the verification of a certificate failed."""

    unharmed = Message("No password was sent.")


@dataclass(frozen=True)
class ShownCertificate:
    """What a server showed to a stranger: whose it is, who signed it, until when, its SHA-256."""

    subject: str
    issuer: str
    valid_until: str
    sha256: str

    def message(self) -> Message:
        return Message(
            "The server shows the certificate of {subject}, issued by {issuer}, valid until "
            "{valid_until}, SHA-256 {sha256}.",
            subject=self.subject,
            issuer=self.issuer,
            valid_until=self.valid_until,
            sha256=self.sha256,
        )

    def __str__(self) -> str:
        return str(self.message())


class UntrustedCertificateError(TlsError):
    """The server showed a certificate nobody here vouches for; `shown` where it could be read."""

    shown: ShownCertificate | None = None


class UnknownHostKeyError(ConnectError):
    """An SSH host showed a key never seen before; the operator must compare its SHA256."""

    def __init__(
        self, host: str, port: int, key_type: str, key_base64: str, fingerprint: str
    ) -> None:
        super().__init__(
            Message(
                "{host}:{port:plain} shows an SSH host key that is not known yet: {key_type} "
                "{fingerprint}.",
                host=host,
                port=port,
                key_type=key_type,
                fingerprint=fingerprint,
            ),
            safe=Message("Nothing was sent to the host."),
            remedy=Message(
                "Compare the fingerprint with the host's own (ssh-keygen -lf), then accept it: in "
                "the window with 'Verify the host key', at a terminal with 'profile test', in a "
                "script with 'profile add --host-key'."
            ),
        )
        self.host = host
        self.port = port
        self.key_type = key_type
        self.key_base64 = key_base64
        self.fingerprint = fingerprint


class ChangedHostKeyError(ConnectError):
    """An SSH host showed another key than the one on record; never accepted silently."""

    unharmed = Message("No password was sent to the host.")


class CommandError(WorkbenchError):
    """A command on the host failed."""

    def __init__(
        self,
        what: Message,
        *,
        status: int | None = None,
        stderr: str = "",
        safe: Message | None = None,
        remedy: Message = NOTHING,
    ) -> None:
        super().__init__(what, safe=safe, remedy=remedy)
        self.status = status
        self.stderr = stderr


class DirectoryError(WorkbenchError):
    """The directory server answered with an LDAP error code."""

    unharmed = Message("The server did not make the change that it refused.")

    def __init__(
        self,
        what: Message,
        *,
        code: int,
        message: str = "",
        safe: Message | None = None,
        remedy: Message = NOTHING,
    ) -> None:
        super().__init__(what, safe=safe, remedy=remedy)
        self.code = code
        self.message = message


class SessionError(WorkbenchError):
    """A session file cannot be read, written or understood."""

    unharmed = Message("No server was changed.")


class LogError(WorkbenchError):
    """A log or companion file is not what it was taken for."""

    unharmed = Message("Logs are only read.")


class KnobError(WorkbenchError):
    """A knob does not exist here, or a value does not fit it."""

    unharmed = Message("Nothing was written for it.")


class ChangeError(WorkbenchError):
    """A change on a server did not go as planned; the journal knows it."""

    unharmed = Message("The change and the value before it are in the journal.")


class ConflictError(ChangeError):
    """Somebody else has set the value since; three values are shown and nothing is overwritten."""

    def __init__(self, where: Message, before: Message, ours: Message, now: Message) -> None:
        super().__init__(
            Message(
                "{where} was {before} before our change, we set {ours}, and now it is {now}: "
                "another administrator has changed it since.",
                where=where,
                before=before,
                ours=ours,
                now=now,
            ),
            safe=Message("Nothing was overwritten."),
            remedy=Message("Decide which value is right; revert with --force restores the first."),
        )
        self.before = before
        self.ours = ours
        self.now = now


class AnotherServerError(ChangeError):
    """The name leads to another server than the one that was connected to, or changed."""

    unharmed = Message("Nothing was written to it.")


class ExperimentError(WorkbenchError):
    """An experiment cannot start or go on."""
