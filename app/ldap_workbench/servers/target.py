"""A connected server with its facts and its clock.

A server that takes connections and does not answer.

The server's clock, measured against ours.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from ldap_workbench.connect.directory import Directory, announce
from ldap_workbench.connect.ldap_url import parse_ldap_url
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.shell import CommandResult, RemoteShell
from ldap_workbench.model.errors import (
    ChangedHostKeyError,
    CommandError,
    ConnectError,
    NoAnswerError,
    ProfileError,
    UnknownHostKeyError,
)
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.progress import OnProgress, Progress, no_progress
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.servers import ds389, opendj, openldap, unboundid
from ldap_workbench.servers.entry import read_entry
from ldap_workbench.servers.host import read_host_facts
from ldap_workbench.servers.same_server import certificate_of, check_host, check_link

_SHELL_ANSWERS_S = 15.0


class Target:
    """One server: its profile, facts and links.

    The links here belong to one thread; `another_*` open more for others, which their users close.
    """

    def __init__(
        self,
        profile: Profile,
        secrets: Secrets,
        facts: TargetFacts,
        directory: Directory,
        shell: RemoteShell | None,
        clock: ServerClock,
    ) -> None:
        self.profile = profile
        self.facts = facts
        self.directory = directory
        self.shell = shell
        self.clock = clock
        self._secrets = secrets

    @property
    def server(self) -> str:
        """The name under which the journal knows this server."""
        return self.profile.server_url

    def now_ns(self) -> int:
        """The server's time now, ns since 1970 UTC."""
        return self.clock.now_ns()

    def set_clock(self, clock: ServerClock) -> None:
        """Tell the time by another reading of the host's clock from here on."""
        self.clock = clock
        self.facts = replace(
            self.facts, clock_offset_ns=clock.offset_ns, clock_error_ns=clock.error_ns
        )

    def another_directory(self) -> Directory:
        """A further LDAP connection, for another thread.

        Raises AnotherServerError where the name leads to another server than it did.
        """
        from ldap_workbench.connect.ldap import open_directory

        directory = open_directory(self.profile, self._secrets)
        try:
            announce(directory)
            check_link(directory, self.facts)
        except BaseException:
            directory.close()
            raise
        return directory

    def bind_password(self) -> str | None:
        """The password of the profile's bind DN, for a client of ours that binds by itself."""
        return self._secrets.password(self.profile)

    def another_shell(self) -> RemoteShell | None:
        """A further shell, for another thread; None where the profile has no host."""
        from ldap_workbench.connect.ssh import open_shell

        return open_shell(self.profile, self._secrets, like=self.shell)

    def reconnect(self) -> None:
        """Open the LDAP connection anew, after a restart of the server or a cut.

        The shell where it broke, too. Raises AnotherServerError where the name leads to another
        server by now: then the old link stays closed, and nothing can be written.
        """
        self.directory.close()
        self.directory = self.another_directory()
        self.reconnect_shell()

    def reconnect_shell(self) -> None:
        """Open the shell anew where it broke; the server may be stopped meanwhile.

        Raises ConnectError, and AnotherServerError where it leads to another host by now.
        """
        if self.shell and not _answers(self.shell):
            self.shell.close()
            shell = self.another_shell()
            if shell:
                try:
                    check_host(shell, self.facts)
                except BaseException:
                    shell.close()  # the broken one stays, so that another host is never asked
                    raise
            self.shell = shell

    def close(self) -> None:
        self.directory.close()
        if self.shell:
            self.shell.close()


def _answers(shell: RemoteShell) -> bool:
    try:
        return shell.run(["true"], timeout=_SHELL_ANSWERS_S).status == 0
    except (ConnectError, CommandError):
        return False


def connect(profile: Profile, secrets: Secrets, *, progress: OnProgress = no_progress) -> Target:
    """Reach a server over LDAP and, where the profile says so, its host; read its facts.

    Raises ConnectError and its kin where LDAP cannot be had, UnknownHostKeyError and
    ChangedHostKeyError, which only a person can decide on. A host that cannot be reached otherwise,
    or a fact that cannot be read, is said in `facts.unknown` and does no harm.
    """
    # ldap3 is loaded when a server is reached: a window or an import of files starts without.
    from ldap_workbench.connect.ldap import open_directory

    progress(Progress(Message("Connecting to {url}", url=profile.server_url)))
    directory = open_directory(profile, secrets)
    shell = None
    try:
        announce(directory)
        facts = read_facts(directory, profile.name, host_of(profile))
        facts = replace(
            facts,
            instance=profile.instance or facts.instance,
            certificate=certificate_of(directory),
        )
        clock = same_clock(facts.clock_rate)
        if profile.ssh:
            progress(Progress(Message("Connecting to {ssh}", ssh=str(profile.ssh))))
        shell, why = _shell(profile, secrets)
        if shell:
            progress(Progress(Message("Reading the facts of {shell}", shell=shell.name)))
            facts, clock = _ask_host(shell, facts, clock)
        else:
            facts = replace(facts, unknown={**facts.unknown, "host": why})
    except BaseException:
        directory.close()
        if shell:
            shell.close()
        raise
    return Target(profile, secrets, facts, directory, shell, clock)


def connect_or_reach_host(
    profile: Profile, secrets: Secrets, *, progress: OnProgress = no_progress
) -> Target:
    """As `connect`; of a server that takes connections and does not answer, its host alone.

    Then `silence_of` its directory says why. Raises what `connect` does, also where the profile
    leads to no host.
    """
    try:
        return connect(profile, secrets, progress=progress)
    except NoAnswerError as why:
        return connect_to_host(profile, secrets, why)


def connect_to_host(profile: Profile, secrets: Secrets, why: NoAnswerError) -> Target:
    """The host of a server that does not answer: its log, its disks and its processes can be read.

    The facts are those of the profile and of a 389 DS that was set up by its package; without SSH
    or a server on this machine `why` is raised.
    """
    shell, _ = _shell(profile, secrets)
    if shell is None:
        raise why
    try:
        facts = replace(
            _facts_of_profile(profile), unknown={"cn=config": why.what, "cn=monitor": why.what}
        )
        facts, clock = _ask_host(shell, facts, same_clock(facts.clock_rate))
    except BaseException:
        shell.close()
        raise
    directory = UnansweringDirectory(profile.server_url, why)
    return Target(profile, secrets, facts, directory, shell, clock)


def _facts_of_profile(profile: Profile) -> TargetFacts:
    name = profile.instance
    facts = TargetFacts(profile.name, "", "", host_of(profile), instance=name)
    facts = replace(facts, access_log=profile.access_log)
    if not name:
        return facts
    logs = f"/var/log/dirsrv/slapd-{name}"
    return replace(
        facts,
        access_log=profile.access_log or f"{logs}/access",
        error_log=f"{logs}/errors",
        pid_file=f"/run/dirsrv/slapd-{name}.pid",
        config_folder=f"/etc/dirsrv/slapd-{name}",
    )


def read_facts(directory: Directory, profile: str, host: str) -> TargetFacts:
    """What a server tells over LDAP, whatever its product; an unknown one is asked as 389 DS."""
    root = read_entry(directory, "", {}, ("*", "+"))
    if openldap.is_openldap(root):
        return openldap.read_facts(directory, profile, host)
    if opendj.is_opendj(root):
        return opendj.read_facts(directory, profile, host)
    if unboundid.is_in_memory(root):
        return unboundid.read_facts(root, profile, host)
    return ds389.read_facts(directory, profile, host)


def host_of(profile: Profile) -> str:
    """The host in the LDAP URL; of a socket that of SSH, or 'localhost'."""
    host = parse_ldap_url(profile.ldap_url).host
    return host or (profile.ssh.host if profile.ssh else "localhost")


def _shell(profile: Profile, secrets: Secrets) -> tuple[RemoteShell | None, Message]:
    """The shell, or None and why there is none."""
    # paramiko takes a quarter of a second to import: only a link to a host pays it.
    from ldap_workbench.connect.ssh import open_shell

    try:
        return open_shell(profile, secrets), Message("the profile names no SSH host")
    except (UnknownHostKeyError, ChangedHostKeyError):
        raise
    except (ConnectError, ProfileError) as error:
        return None, error.explanation


def _ask_host(
    shell: RemoteShell, facts: TargetFacts, clock: ServerClock
) -> tuple[TargetFacts, ServerClock]:
    facts = read_host_facts(shell, facts)
    try:
        clock = measure_clock(shell.run, rate=facts.clock_rate)
    except CommandError as error:
        return replace(facts, unknown={**facts.unknown, "clock": error.what}), clock
    facts = replace(facts, clock_offset_ns=clock.offset_ns, clock_error_ns=clock.error_ns)
    return facts, clock


HOST_ALONE = Message("Only its host is captured: its log, its disks and its processes.")
"""What is left of such a server."""


class UnansweringDirectory:
    """A Directory of which every question fails at once, for each would wait as long again."""

    def __init__(self, url: str, why: NoAnswerError) -> None:
        self.url = url
        self.why = why

    def _fail(self, *_: object, **__: object) -> NoReturn:
        raise NoAnswerError(self.why.what, safe=self.why.safe, remedy=self.why.remedy)

    search = replace = add = delete = children = _fail

    def close(self) -> None: ...


def silence_of(directory: Directory) -> NoAnswerError | None:
    """Why only the host of a connected server can be asked; None where the server answers."""
    return directory.why if isinstance(directory, UnansweringDirectory) else None


ROUNDS = 5
_SLOW_NS = 2_000_000_000
"""A round trip on a line so slow that three more would only keep the operator waiting."""
_DATE = ("date", "+%s%N")


@dataclass(frozen=True)
class ServerClock:
    """server time = `server_ns` + (our time - `our_ns`) * rate.

    `error_ns` is half the shortest round trip: the offset is no more than that from the truth.
    None means that it was not measured and the two clocks are taken to agree.
    """

    our_ns: int
    server_ns: int
    error_ns: int | None
    rate: float = 1.0

    @property
    def offset_ns(self) -> int:
        """Server minus ours, at the time of measuring."""
        return self.server_ns - self.our_ns

    @property
    def age_ns(self) -> int:
        """How long ago it was measured, by our clock."""
        return time.time_ns() - self.our_ns

    def now_ns(self) -> int:
        """The server's time now."""
        return self.at(time.time_ns())

    def at(self, our_ns: int) -> int:
        """The server's time when ours was, or will be, `our_ns`."""
        passed = our_ns - self.our_ns
        if self.rate != 1.0:
            passed = round(passed * self.rate)
        return self.server_ns + passed

    def agrees_with(self, other: ServerClock) -> bool:
        """Whether both may be right: they differ by no more than their errors."""
        error_ns = ((self.error_ns or 0) + (other.error_ns or 0)) * self.rate
        return abs(self.at(other.our_ns) - other.server_ns) <= error_ns


def same_clock(rate: float = 1.0) -> ServerClock:
    """The clock of a server whose own cannot be read."""
    now = time.time_ns()
    return ServerClock(now, now, None, rate)


def measure_clock(
    run: Callable[[Sequence[str]], CommandResult], *, rate: float = 1.0, rounds: int = ROUNDS
) -> ServerClock:
    """Ask the host for its time, several times, and believe the quickest answer.

    `run` runs a command there. Raises CommandError where the host does not tell nanoseconds.
    """
    best: ServerClock | None = None
    for done in range(rounds):
        if done > 1 and best is not None and (best.error_ns or 0) * 2 > _SLOW_NS:
            break
        before = time.time_ns()
        result = run(_DATE)
        after = time.time_ns()
        if result.status != 0 or not result.stdout.strip().isdigit():
            raise CommandError(
                Message("The host does not report its time in nanoseconds (date +%s%N)."),
                status=result.status,
                remedy=Message(
                    "Both clocks are assumed to agree: times may be off by their difference."
                ),
            )
        clock = ServerClock((before + after) // 2, int(result.stdout), (after - before) // 2, rate)
        if best is None or (clock.error_ns or 0) < (best.error_ns or 0):
            best = clock
    assert best is not None
    return best
