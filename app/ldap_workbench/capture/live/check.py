"""Trying a profile step by step: what works, what does not and why."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from ldap_workbench.capture.host_link import HostLink
from ldap_workbench.capture.live.follow import LogFollower
from ldap_workbench.capture.live.log_command import CommandFollower
from ldap_workbench.connect.commands import host_path, is_host_path
from ldap_workbench.connect.directory import Entry, announce
from ldap_workbench.connect.ldap_url import parse_ldap_url, sockets_here, sockets_of
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.shell import CommandResult, RemoteShell
from ldap_workbench.connect.socket_relay import is_remote, sockets_on, who_asks
from ldap_workbench.model.errors import (
    AuthenticationError,
    CancelledError,
    CommandError,
    ConnectError,
    UnknownHostKeyError,
    UntrustedCertificateError,
    WorkbenchError,
)
from ldap_workbench.model.message import NOTHING, Message, count_of, sentences, verbatim
from ldap_workbench.model.profile import Profile, SshAddress
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress
from ldap_workbench.servers import ds389, opendj, openldap

if TYPE_CHECKING:  # ldap3 is loaded when a server is reached, not with the window
    from ldap_workbench.connect.ldap import LdapDirectory


@dataclass(frozen=True)
class StepResult:
    """One step of reaching a server. `remedy` says what to do where it failed, `error` why.

    One that works may have a remedy, too: what to set before measuring.
    """

    name: Message
    ok: bool
    text: Message
    remedy: Message = NOTHING
    error: WorkbenchError | None = None
    blocker: Message = NOTHING
    """The step that failed and without which this one cannot be tried."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """What the profile should name, by the name of its field: it was found and tried."""

    @property
    def tried(self) -> bool:
        return not self.blocker

    @property
    def failed(self) -> bool:
        return self.tried and not self.ok


class _Until(Cancel):
    """Set from a moment of the monotonic clock on."""

    def __init__(self, end: float) -> None:
        super().__init__()
        self._end = end

    def __bool__(self) -> bool:
        return time.monotonic() >= self._end


def find_log(run: Callable[[list[str]], CommandResult]) -> dict[str, str]:
    """The setting of a profile that names the log of a slapd behind syslog; {} where none is sure.

    A file that has lines of the process that runs comes first, those of rsyslog's configuration
    before the usual ones, then the journal. None where several slapd run: which of them the profile
    means, no line says.
    """

    def end_of(*argv: str, also: int = 0) -> bytes:
        """What it prints; nothing where it fails, but with the status `also`, or takes too long."""
        try:
            result = run([*argv])
        except (CommandError, ConnectError):
            return b""
        return result.stdout if result.status in (0, also) else b""

    running = re.findall(r"[0-9]+", end_of("pidof", "slapd").decode("ascii", "replace"))
    if len(running) > 1:
        return {}
    process = running[0] if running else "[0-9]*"
    line = re.compile(rf"slapd\[{process}\]: .*conn=".encode())
    # 2 is that of grep where one of the files is not there, whatever it finds in others.
    rules = end_of("grep", "-rhsE", "^[^#]*(local4|slapd)", *_RSYSLOG, also=2)
    named = [path.decode("utf-8", "replace") for path in _TARGET.findall(rules)]
    for path in dict.fromkeys([*filter(is_host_path, named), *_SYSLOGS]):
        if line.search(end_of("tail", "-c", _SYSLOG_END, path)):
            return {"access_log": path}
    of_slapd = ("_COMM=slapd", *(f"_PID={pid}" for pid in running))
    if last := end_of("journalctl", "-q", "-n", "1", "-o", "json", *of_slapd).strip():
        return {"log_command": f"{_JOURNAL} {_unit_of(last)}"}
    return {}


def _unit_of(record: bytes) -> str:
    """What picks the lines of the unit that wrote a record of the journal, else those of slapd."""
    try:
        unit = json.loads(record)["_SYSTEMD_UNIT"]
    except (ValueError, TypeError, KeyError):
        unit = ""
    return f"-u {unit}" if isinstance(unit, str) and _UNIT.fullmatch(unit) else "_COMM=slapd"


_SYSLOGS = (
    *(
        "/var/log/slapd.log",
        "/var/log/ldap.log",
        "/var/log/openldap.log",
        "/var/log/slapd/slapd.log",
    ),
    *("/var/log/local4.log", "/var/log/syslog", "/var/log/messages", "/var/log/debug"),
)
"""Where manuals of distributions and of rsyslog put slapd's facility, local4."""
_RSYSLOG = ("/etc/rsyslog.conf", "/etc/rsyslog.d", "/etc/syslog.conf")
_TARGET = re.compile(rb"""(?:^|[\s"'-])(/[^\s;"')]+)""", re.MULTILINE)
"""The file of a rule of rsyslog: 'local4.* -/var/log/slapd.log', or 'file="/var/log/slapd.log"'."""
_SYSLOG_END = "1000000"
"""Bytes at the end of such a file that are looked at: the whole may be many GB."""
_JOURNAL = "journalctl -f -n 0 -o short-unix"
_UNIT = re.compile(r"[A-Za-z0-9][\w@.:-]*\.service")
"""The name comes from the host, and becomes a word of a command."""


def _never(_: UnknownHostKeyError) -> bool:
    return False


def try_profile(
    profile: Profile,
    secrets: Secrets,
    *,
    progress: OnProgress = no_progress,
    cancel: Cancel | None = None,
    accept_key: Callable[[UnknownHostKeyError], bool] = _never,
) -> list[StepResult]:
    """Every step, in order; one that needs a step that failed is not tried.

    `accept_key` is asked about the key of a host that is not known yet; where it says yes, the key
    is remembered and the test goes on. Nothing is changed on the server. Raises CancelledError.
    """
    check = _Check(profile, secrets, progress, Cancel() if cancel is None else cancel, accept_key)
    try:
        for steps in (check.login, check.ldap) if is_remote(profile) else (check.ldap, check.login):
            steps()
        check.host()
    finally:
        check.close()
    return check.results


def by_urgency(steps: Sequence[StepResult]) -> list[StepResult]:
    """Steps that failed, then those that could not be tried, then those that work."""
    return sorted(steps, key=lambda step: (not step.failed, step.tried))


def summary(steps: Sequence[StepResult]) -> Message:
    """How many steps failed, in one sentence."""
    failed = sum(step.failed for step in steps)
    untried = sum(not step.tried for step in steps)
    if not failed:
        return Message("All {n} steps work.", n=len(steps))
    result = Message("{failed} of {n} steps failed.", failed=failed, n=len(steps))
    if not untried:
        return result
    rest = count_of("{n} was not tried.", "{n} were not tried.", n=untried)
    return sentences(result, rest)


_COMMAND_S = 2.0
"""For so long a log command is tried."""
_PORT = Message("LDAP port")
_CONNECTION = Message("LDAP connection")
_BIND = Message("bind")
_SSH_PORT = Message("SSH port")
_HOST_KEY = Message("SSH host key")
_LOGIN = Message("host login")
_NOT_FOUND = 127
_LOOK = Message("Run it on the host to see why.")
_LOG_REMEDY = Message(
    "Logs are often readable by the server's own user only: allow sudo in the profile."
)


_SUDO_REMEDY = Message(
    "Let the user run sudo without a password, or install what 'profile sudoers' prints."
)
_TERMINAL_REMEDY = Message(
    "sudo on this host wants a terminal (requiretty), which a program does not have: install what "
    "'profile sudoers' prints, which excepts this user, or add Defaults:USER !requiretty."
)
_RESOLUTION = "ds-cfg-etime-resolution"
_WHOLE_MILLISECONDS = Message(
    "Its logs have whole milliseconds, and most operations are quicker: set etime-resolution to "
    "nanoseconds and restart the server before you measure."
)
# What a server is asked for by the steps cn=config and cn=monitor, by product.
_CONFIG = {
    "389ds": ("nsslapd-versionstring", "nsslapd-accesslog", *ds389.LOG_SETTINGS),
    "openldap": ("olcLogFile",),
    "opendj": (_RESOLUTION,),
}
_MONITOR = {
    "389ds": ("starttime", "threads"),
    "openldap": ("monitoredInfo",),
    "opendj": ("starttime", "productName"),
}
_Step: TypeAlias = tuple[Message, Callable[[], Message], tuple[Message, ...]]
"""Its name, what it does, and the steps without which it cannot be tried."""


class _Check:
    def __init__(
        self,
        profile: Profile,
        secrets: Secrets,
        progress: OnProgress,
        cancel: Cancel,
        accept_key: Callable[[UnknownHostKeyError], bool],
    ) -> None:
        self.results: list[StepResult] = []
        self._accept_key = accept_key
        self._profile = profile
        self._secrets = secrets
        self._progress = progress
        self._cancel = cancel
        self._directory: LdapDirectory | None = None
        self._shell: RemoteShell | None = None
        self._access_log = profile.access_log
        self._silent: WorkbenchError | None = None
        self._proposal = NOTHING
        """What the step that is tried would have set before measuring."""
        self._settings: dict[str, str] = {}
        """What it found that the profile should name."""
        self._named = profile.socket
        self._untried: list[str] = []
        """Sockets that ldapi:/// may mean, too."""

    def close(self) -> None:
        for link in (self._directory, self._shell):
            if link is not None:
                link.close()

    def ldap(self) -> None:
        """URL to counters."""
        address = Message("LDAP address")
        steps: list[_Step] = [
            (address, self._address, ()),
            (_PORT, self._port, (address, _LOGIN)),
            (_CONNECTION, self._connection, (_PORT,)),
            (_BIND, self._bind, (_CONNECTION,)),
            (verbatim("cn=config"), self._config, (_BIND,)),
            (verbatim("cn=monitor"), self._monitor, (_BIND,)),
        ]
        self._try_all(steps)

    def login(self) -> None:
        """SSH port to sudo; nothing where the profile names no host."""
        steps: list[_Step] = []
        if self._profile.ssh:
            steps.append((_SSH_PORT, self._ssh_port, ()))
            steps.append((_HOST_KEY, self._host_key, (_SSH_PORT,)))
            steps.append((_LOGIN, self._login, (_HOST_KEY,)))
        elif self._profile.local:
            steps.append((_LOGIN, self._login, ()))
        else:
            return
        if self._profile.sudo:
            steps.append((verbatim("sudo"), self._sudo, (_LOGIN,)))
        self._try_all(steps)

    def host(self) -> None:
        """The log and iostat; nothing where the profile names no host."""
        if not self._profile.ssh and not self._profile.local:
            return
        # Where the profile does not name the log, the server does.
        named = self._profile.access_log or self._profile.log_command
        needs = (_LOGIN,) if named else (_LOGIN, _BIND)
        steps: list[_Step] = [
            (Message("access log"), self._log, needs),
            (verbatim("iostat"), self._iostat, (_LOGIN,)),
        ]
        self._try_all(steps)

    def _try_all(self, steps: Sequence[_Step]) -> None:
        for name, step, needs in steps:
            self._cancel.check()
            blocked = [result for result in self.results if result.name in needs and not result.ok]
            if blocked:
                self.results.append(_not_tried(name, blocked[0]))
                continue
            self._progress(Progress(Message("Trying: {name}", name=name)))
            self._proposal, self._settings = NOTHING, {}
            try:
                result = StepResult(name, True, step(), self._proposal)
            except CancelledError:
                raise
            except WorkbenchError as error:
                seen = sentences(error.what, _shown(error))
                result = StepResult(name, False, seen, error.remedy, error)
            self.results.append(replace(result, settings=self._settings))

    def _address(self) -> Message:
        url = parse_ldap_url(self._profile.address)
        if is_remote(self._profile):
            return Message("a socket on {host}, through SSH", host=self._ssh().host)
        if url.socket:
            here = sockets_here(self._profile.address)
            return Message("the socket {path}", path=here or url.socket)
        return Message(
            "{host} is {addresses}", host=url.host, addresses=_addresses(url.host, url.port)
        )

    def _port(self) -> Message:
        url = parse_ldap_url(self._profile.address)
        if is_remote(self._profile):
            assert self._shell is not None
            return self._sockets_seen(sockets_on(self._shell, self._profile))
        if url.socket:
            return self._sockets_seen(_sockets_seen_here(self._profile.address, url.socket))
        from ldap_workbench.connect.ldap import CONNECT_TIMEOUT_S

        return _answers(
            url.host, url.port, CONNECT_TIMEOUT_S, Message("that the server is running")
        )

    def _sockets_seen(self, there: Sequence[str]) -> Message:
        if len(sockets_of(self._profile.address)) > 1:
            self._untried = [*there]
            self._take_next_socket()
        return Message("{path} exists", path=tuple(there))

    def _take_next_socket(self) -> bool:
        """Go on with the next socket that ldapi:/// may mean; False where none is left."""
        if not self._untried:
            return False
        self._profile = replace(self._profile, socket=self._untried.pop(0))
        return True

    def _connection(self) -> Message:
        from ldap_workbench.connect.ldap import reach

        while True:
            try:
                self._directory = reach(self._profile, self._secrets)
                break
            except ConnectError:
                if not self._take_next_socket():
                    raise
        if self._directory.encryption:
            return Message(
                "{protocol}, the certificate is verified", protocol=self._directory.encryption
            )
        if is_remote(self._profile):
            return Message("through SSH")
        return Message("not encrypted")

    def _bind(self) -> Message:
        from ldap_workbench.connect.ldap import identify

        assert self._directory is not None
        while True:
            try:
                identify(self._directory, self._profile, self._secrets)
                break
            except (AuthenticationError, ConnectError):
                if not self._take_next_socket():
                    raise
                self._directory.close()
                self._connection()
        if (path := self._profile.socket) and path != self._named:
            # Not before: of several servers the one that is meant takes the login.
            self._settings = {"socket": path}
            self._proposal = Message(
                "{path} accepts the login: store it in the profile (--store), so that no other "
                "socket of ldapi:/// answers later.",
                path=path,
            )
        announce(self._directory)
        if self._profile.bind_dn:
            return Message("bound as {dn}", dn=self._profile.bind_dn)
        if parse_ldap_url(self._profile.address).socket:
            return Message("bound as {who}", who=who_asks(self._profile))
        return Message("anonymous")

    def _config(self) -> Message:
        product = self._product()
        entry = self._searched("cn=config", ("objectClass", *_CONFIG[product]))
        classes = entry.values("objectClass") or () if entry else ()
        said, log = entry and entry.first("nsslapd-versionstring"), "nsslapd-accesslog"
        if "olcGlobal" in classes:
            said, log = "OpenLDAP", "olcLogFile"
        if "ds-cfg-root-config" in classes:
            said = self._opendj()
            if entry and entry.first(_RESOLUTION) != "nanoseconds":
                self._proposal = _WHOLE_MILLISECONDS
        if not entry or not said:
            why = Message("settings are neither shown nor changed")
            raise _unreadable("cn=config", why)
        self._access_log = self._access_log or entry.first(log)
        self._silent = ds389.silent_log(entry, ds389.version_in(said))
        return Message("readable: {version}", version=said)

    def _product(self) -> str:
        """One of those with attributes of their own; any other server is asked as 389 DS."""
        root = self._searched("", ("*", "+"))
        if openldap.is_openldap(root):
            return "openldap"
        return "opendj" if opendj.is_opendj(root) else "389ds"

    def _opendj(self) -> str | None:
        """What it calls itself; its logs are those of its publishers, in entries of their own."""
        assert self._directory is not None
        self._access_log = self._access_log or opendj.access_log(self._directory)
        root = self._searched("", ("vendorVersion",))
        return root.first("vendorVersion") if root else None

    def _searched(self, dn: str, attributes: tuple[str, ...]) -> Entry | None:
        assert self._directory is not None
        entries = self._directory.search(dn, attributes=attributes)
        return entries[0] if entries else None

    def _monitor(self) -> Message:
        entry = self._searched("cn=monitor", _MONITOR[self._product()])
        if entry and (named := entry.first("monitoredInfo") or entry.first("productName")):
            return Message("readable: {version}", version=named)
        if not entry or not entry.first("starttime"):
            raise _unreadable("cn=monitor", Message("no counter can be sampled"))
        threads = entry.first("threads") or Message("unknown")
        return Message("readable: {threads} threads", threads=threads)

    def _ssh_port(self) -> Message:
        # paramiko takes a quarter of a second to import: the window's start does not pay it.
        from ldap_workbench.connect.host_keys import TIMEOUT_S

        ssh = self._ssh()
        return _answers(ssh.host, ssh.port, TIMEOUT_S, Message("that sshd is running"))

    def _host_key(self) -> Message:
        from ldap_workbench.connect.host_keys import (
            accept_host_key,
            check_key,
            fingerprint_of,
            shown_key,
        )

        key = shown_key(self._ssh())
        try:
            check_key(self._ssh(), key)
        except UnknownHostKeyError as error:
            if not self._accept_key(error):
                raise
            accept_host_key(error)
        return Message(
            "{kind} {fingerprint} is the one on record",
            kind=key.get_name(),
            fingerprint=fingerprint_of(key),
        )

    def _login(self) -> Message:
        from ldap_workbench.connect.ssh import open_shell

        self._shell = open_shell(self._profile, self._secrets)
        result = self._command(["uname", "-sr"])
        host = str(self._ssh()) if self._profile.ssh else Message("this machine")
        return Message("{host} runs {system}", host=host, system=result)

    def _sudo(self) -> Message:
        try:
            self._command(["true"], sudo=True, remedy=_SUDO_REMEDY)
        except CommandError as error:
            if "a tty" in error.stderr:
                error.remedy = _TERMINAL_REMEDY
            raise
        return Message("sudo -n works")

    def _log(self) -> Message:
        if command := self._profile.log_command:
            self._try_log_command(command)
            return Message("it is what '{command}' prints", command=command)
        if not self._access_log:
            raise self._unnamed_log()
        argv = ["head", "-c", "1", host_path(self._access_log)]
        self._command(argv, sudo=True, remedy=_LOG_REMEDY)
        self._follow(self._access_log)
        if self._silent:
            raise self._silent
        return Message("{path} is readable", path=self._access_log)

    def _unnamed_log(self) -> CommandError:
        """The server names no log: with the one that the host has of it, where that can be read."""
        assert self._shell is not None
        settings = find_log(partial(self._shell.run, sudo=self._profile.sudo))
        what = Message("The server does not say where its access log is.")
        if not settings:
            remedy = Message(
                "Give its path in the profile (--access-log), or what prints it (--log-command)."
            )
            return CommandError(what, remedy=remedy)
        ((setting, value),) = settings.items()
        if setting == "access_log":
            seen = Message("{path} has lines of slapd, and can be followed.", path=value)
            self._follow(value)
        else:
            seen = Message("The journal has lines of slapd, and can be followed.")
            self._try_log_command(value)
        self._settings = settings
        remedy = Message(
            "Give it in the profile: {option} '{value}'. Or let it be stored: ldap-workbench "
            "profile test {name} --store",
            option=f"--{setting.replace('_', '-')}",
            value=value,
            name=self._profile.name,
        )
        return CommandError(sentences(what, seen), remedy=remedy)

    def _try_log_command(self, command: str) -> None:
        """Read for a while what it prints, as a capture does; it must not end by itself."""
        link = self._another_link()
        try:
            follower = CommandFollower(link, command)
            follower.start()
            follower.follow(lambda _: None, _Until(time.monotonic() + _COMMAND_S))
        finally:
            link.close()

    def _another_link(self) -> HostLink:
        from ldap_workbench.connect.ssh import open_shell

        def connect() -> RemoteShell:
            shell = open_shell(self._profile, self._secrets, like=self._shell)
            assert shell is not None
            return shell

        return HostLink(connect, self._cancel, patience_s=0)

    def _follow(self, path: str) -> None:
        """List the log's files and look once for new text, as a capture does."""
        link = self._another_link()
        try:
            follower = LogFollower(link, path)
            follower.start()
            follower.last(1)
            follower.read()
        finally:
            link.close()

    def _iostat(self) -> Message:
        remedy = Message(
            "Install the package sysstat there; until then windows have no disk figures."
        )
        assert self._shell is not None
        if self._shell.run(["iostat", "-V"]).status == _NOT_FOUND:
            self._command(["test", "-r", "/proc/diskstats"], remedy=remedy)
            return Message("iostat is not installed: disk figures come from /proc/diskstats")
        version = self._command(["iostat", "-V"], remedy=remedy)
        return verbatim(version.splitlines()[0])

    def _command(self, argv: list[str], *, sudo: bool = False, remedy: Message = _LOOK) -> str:
        assert self._shell is not None
        result = self._shell.run(argv, sudo=sudo)
        stderr = result.stderr.decode("utf-8", "replace").strip()
        if result.status:
            words = f"sudo -n {argv[0]}" if sudo and self._profile.sudo else argv[0]
            raise CommandError(
                Message(
                    "'{words}' on the host failed: {reason}.",
                    words=words,
                    reason=stderr or Message("status {status:plain}", status=result.status),
                ),
                status=result.status,
                stderr=stderr,
                remedy=remedy,
            )
        return result.stdout.decode("utf-8", "replace").strip() or stderr

    def _ssh(self) -> SshAddress:
        assert self._profile.ssh is not None
        return self._profile.ssh


def _not_tried(name: Message, needed: StepResult) -> StepResult:
    """A step behind one that failed, or behind one that was not tried because of such."""
    blocker = needed.blocker or needed.name
    text = Message("Not tried: it needs the step '{step}'.", step=blocker)
    return StepResult(name, False, text, blocker=blocker)


def _shown(error: WorkbenchError) -> Message:
    """The certificate that nobody vouches for, to be compared with the server's own."""
    if isinstance(error, UntrustedCertificateError) and error.shown:
        return error.shown.message()
    return NOTHING


def _addresses(host: str, port: int) -> str:
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise ConnectError(
            Message(
                "The name {host} cannot be resolved: {reason}.", host=host, reason=error.strerror
            ),
            remedy=Message("Check the spelling, and the DNS or hosts file of this machine."),
        ) from error
    return ", ".join(dict.fromkeys(str(address[4][0]) for address in addresses))


def _answers(host: str, port: int, timeout: float, what_to_see: Message) -> Message:
    began = time.monotonic()
    try:
        socket.create_connection((host, port), timeout).close()
    except OSError as error:
        raise ConnectError(
            Message(
                "{host}:{port:plain} does not answer: {reason}.",
                host=host,
                port=port,
                reason=error.strerror or Message("no answer in time"),
            ),
            remedy=Message(
                "Check the port, {what_to_see}, and that no firewall blocks it.",
                what_to_see=what_to_see,
            ),
        ) from error
    answered_ns = round((time.monotonic() - began) * 1e9)
    return Message(
        "{host}:{port:plain} answers in {time:duration}", host=host, port=port, time=answered_ns
    )


def _sockets_seen_here(url: str, path: str) -> tuple[str, ...]:
    if there := sockets_here(url):
        return there
    raise ConnectError(
        Message("There is no socket {path}, or it cannot be seen by this user.", path=path),
        remedy=Message(
            "Check that the server is running, and where it listens: ldapi in the option -h "
            "of slapd, nsslapd-ldapifilepath of 389 DS."
        ),
    )


def _unreadable(entry: str, so: Message) -> ConnectError:
    return ConnectError(
        Message("{entry} cannot be read with this bind: {so}.", entry=entry, so=so),
        remedy=Message(
            "Bind as a user who may read it: cn=Directory Manager of 389 DS; for "
            "OpenLDAP the root of cn=config, if the access rules of the monitor "
            "database allow it."
        ),
    )
