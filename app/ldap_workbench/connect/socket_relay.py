"""ldapi through SSH: a socket of the server's host at this end of a login there.

A program on the host connects, so that the server sees who asks: the login, or root through sudo,
which is what slapd of Debian and 389 DS of Red Hat let read and change cn=config without a
password. paramiko can forward a port and no socket (paramiko 3: no direct-streamlocal).
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

from ldap_workbench.connect.commands import HostPath, HostScript, host_path
from ldap_workbench.connect.conversation import RemoteConversation
from ldap_workbench.connect.ldap_url import several_sockets, sockets_of
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.model.errors import ConnectError
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import Profile

_PIECE = 1 << 16
_ENDING_S = 2.0

# One of the three is on every host: Perl on Debian, Python on Red Hat, nc of BSD. Root must take no
# module from where the login may write: hence `cd /` and -I.
DIRECTORY_SOCKET = HostScript(
    "directory-socket",
    """\
cd / || exit
if perl -MIO::Socket::UNIX -MIO::Select -e 1 2>/dev/null; then
  exec perl -MIO::Socket::UNIX -MIO::Select -e '
  my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die "$ARGV[0]: $!\\n";
  my $both = IO::Select->new(\\*STDIN, $s);
  for (;;) { for my $f ($both->can_read) {
    my $n = sysread($f, my $data, 65536) or exit;
    my $to = $f == $s ? \\*STDOUT : $s;
    for (my $at = 0; $at < $n;) { $at += syswrite($to, $data, $n - $at, $at) // exit 1 }
  } }' "$1"; fi
for python in python3 /usr/libexec/platform-python; do
  command -v $python >/dev/null && exec $python -I -c '
import os, select, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
out = os.fdopen(1, "wb")
while True:
    for f in select.select([0, s], [], [])[0]:
        data = os.read(0, 65536) if f == 0 else s.recv(65536)
        if not data:
            sys.exit()
        if f == 0:
            s.sendall(data)
        else:
            out.write(data)
            out.flush()' "$1"
done
exec nc -N -U "$1"
""",
    as_root=True,
)


def is_remote(profile: Profile) -> bool:
    """Whether the LDAP URL names a socket on a host behind SSH."""
    return profile.ssh is not None and bool(sockets_of(profile.ldap_url))


def asks_as_root(profile: Profile) -> bool:
    """Whether the socket is opened through sudo: only where who asks is all that counts."""
    return profile.sudo and profile.bind_dn is None and is_remote(profile)


def who_asks(profile: Profile) -> Message:
    """Who opens the socket: the server takes a bind without a DN for one of that user."""
    if profile.ssh is None or not is_remote(profile):
        return Message("this user (EXTERNAL)")
    user = "root" if asks_as_root(profile) else profile.ssh.user
    return Message("{user} on the host (EXTERNAL)", user=user)


def sockets_on(shell: RemoteShell, profile: Profile) -> tuple[HostPath, ...]:
    """The sockets there are on the host of those that the URL may mean, each once.

    Raises ConnectError where there is none, CommandError for what can be no path.
    """
    paths = sockets_of(profile.address)
    there: dict[bytes, HostPath] = {}
    for path in map(host_path, paths):
        if shell.run(["test", "-S", path]).status == 0:
            # /var/run leads to /run.
            there.setdefault(shell.run(["readlink", "-f", path]).stdout or path.encode(), path)
    if there:
        return tuple(there.values())
    raise ConnectError(
        Message(
            "There is no socket {paths} on {host}, or {login} cannot see it.",
            paths=", ".join(paths),
            host=shell.name,
            login=profile.ssh.user if profile.ssh else "",
        ),
        safe=Message("Nothing was sent."),
        remedy=Message(
            "Check that the server is running, and where it listens: ldapi in the option -h of "
            "slapd, nsslapd-ldapifilepath of 389 DS. Write the path as ldapi://%2Fpath%2Fto%2Fit."
        ),
    )


def socket_on(shell: RemoteShell, profile: Profile) -> HostPath:
    """The one socket that the URL means on the host. Raises ProfileError for several."""
    there = sockets_on(shell, profile)
    if len(there) > 1:
        raise several_sockets(there)
    return there[0]


class SocketRelay:
    """Carries bytes between `end`, a socket of this process, and a socket of the server's host.

    It has a login of its own, which ends with either side.
    """

    def __init__(self, conversation: RemoteConversation) -> None:
        self._there = conversation
        self.ended = False
        """Whether the host's side has: what it said says why."""
        self.end, self._here = socket.socketpair()
        self._carriers = [
            threading.Thread(target=carry, name="ldapi", daemon=True)
            for carry in (self._to_server, self._from_server)
        ]
        for carrier in self._carriers:
            carrier.start()

    def last_words(self) -> str:
        """End it, and what the host said last: why the socket was not opened, for one."""
        return self._there.last_words()

    def close(self) -> None:
        with suppress(OSError):  # it ended by itself
            self._here.shutdown(socket.SHUT_RDWR)
        self._there.end()
        for carrier in self._carriers:
            carrier.join(_ENDING_S)
        self._here.close()
        self.end.close()

    def _to_server(self) -> None:
        with suppress(OSError, EOFError):  # either side is gone, which ends both
            while data := self._here.recv(_PIECE):
                self._there.send(data)
        self._there.end_of_input()

    def _from_server(self) -> None:
        with suppress(OSError, EOFError):
            while data := self._there.piece(_PIECE):
                self._here.sendall(data)
        self.ended = True
        with suppress(OSError):
            self._here.shutdown(socket.SHUT_RDWR)


def open_relay(profile: Profile, secrets: Secrets) -> SocketRelay:
    """Connect to the socket of a profile's host, over a login of its own.

    Raises what `open_shell` and `socket_on` do. A socket that the host's program cannot open ends
    the relay at once, with the reason in `last_words`.
    """
    # paramiko takes a quarter of a second to import.
    from ldap_workbench.connect.ssh import SshShell, open_shell

    shell = open_shell(profile, secrets)
    assert isinstance(shell, SshShell)
    try:
        argv = DIRECTORY_SOCKET.argv(socket_on(shell, profile))
        return SocketRelay(shell.converse(argv, sudo=asks_as_root(profile)))
    except BaseException:
        shell.close()
        raise
