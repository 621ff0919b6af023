"""A private sshd of the lab on loopback, and the login it lets in."""

from __future__ import annotations

import contextlib
import os
import pwd
import random
import secrets
import shutil
import signal
import socket
import subprocess
import time
import weakref
from pathlib import Path

from tests.live.lab.host import Host

_CONFIG = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_ed25519
PidFile {folder}/sshd.pid
AuthorizedKeysFile {folder}/authorized_keys
StrictModes no
UsePAM no
PasswordAuthentication {passwords}
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
Subsystem sftp internal-sftp
MaxStartups 50
MaxSessions 50
PrintMotd no
UseDNS no
LogLevel VERBOSE
"""


_WORKERS = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_PORTS = range(15_000, 32_000)[_WORKER::_WORKERS]
"""Below the ports that Linux gives to outgoing connections (from 32768 on), and for each worker
some of its own: what takes the port of a server that is down for a restart keeps it down."""


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody uses right now and no outgoing connection will take."""
    for port in random.SystemRandom().sample(_PORTS, len(_PORTS)):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError(f"every port from {_PORTS.start} to {_PORTS.stop - 1} is in use")


class Sshd:
    """sshd with one user: made for the lab where we are root, else whoever runs the lab."""

    def __init__(self, folder: Path, name: str, host: Host, programs: Path | None = None) -> None:
        """`programs` has all programs that the user's commands find, the shell `sh` among them."""
        self.folder = folder
        self._programs = programs
        self.host = host
        self.port = free_port()
        self.made_user = os.geteuid() == 0
        self.user = name if self.made_user else pwd.getpwuid(os.geteuid()).pw_name
        # Ports are of the whole machine, so no user of another lab or release has this number.
        self._uid = 100_000 + self.port if self.made_user else os.geteuid()
        self.password = secrets.token_hex(12) if self.made_user else None
        self.identity = folder / "id_ed25519"
        self._sudoers = host.path(f"/etc/sudoers.d/ldap-workbench-{name}")
        self._process: subprocess.Popen[bytes] | None = None
        STARTED.add(self)

    def start(self) -> None:
        self.folder.mkdir()
        self.folder.chmod(0o755)  # whatever the umask: sshd reads as the user who logs in
        for key in ("host_ed25519", "id_ed25519"):
            self._make_key(key)
        authorized = self.folder / "authorized_keys"
        shutil.copy(self.identity.with_suffix(".pub"), authorized)
        authorized.chmod(0o644)
        if self.made_user:
            self._make_user()
        self._listen()

    def stop(self) -> None:
        """End it with all logins and remove its user; also where it never came up."""
        self._end_listener()
        if self.made_user:
            self.set_sudo(False)
            _end_all_of(self._uid)
            remove = self.host.argv("userdel", "-f", "-r", self.user)
            subprocess.run(remove, capture_output=True, check=False)

    def set_sudo(self, allowed: bool) -> None:
        """Let the lab's user become root without a password, or not. Root only."""
        if not self.made_user:
            raise RuntimeError("sudo of the lab's user can only be set up by root")
        if not allowed:
            self._sudoers.unlink(missing_ok=True)
            return
        self.write_sudoers(f"{self.user} ALL=(root) NOPASSWD: ALL\n")

    def write_sudoers(self, text: str) -> None:
        """Let the lab's user run what `text` says. Raises CalledProcessError for bad syntax."""
        draft = self.folder / "sudoers"
        draft.write_text(text)
        subprocess.run(["visudo", "-cqf", str(draft)], check=True)
        self._sudoers.touch(mode=0o440)
        self._sudoers.write_text(text)
        self._sudoers.chmod(0o440)

    def latest_log(self, lines: int = 40) -> str:
        """The end of its log; '' where it has none, or no more."""
        with contextlib.suppress(FileNotFoundError):
            return "".join((self.folder / "log").read_text().splitlines(True)[-lines:])
        return ""

    @property
    def host_key(self) -> str:
        """Type and base64 of the host's public key, as in known_hosts."""
        return " ".join((self.folder / "host_ed25519.pub").read_text().split()[:2])

    def _make_key(self, name: str) -> None:
        path = str(self.folder / name)
        argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "lab", "-f", path]
        subprocess.run(argv, check=True, capture_output=True)

    def _make_user(self) -> None:
        shell = f"{self._programs or '/bin'}/sh"
        make = ["useradd", "--create-home", "--shell", shell, "--uid", str(self._uid)]
        subprocess.run(self.host.argv(*make, self.user), check=True, capture_output=True)
        # A password, too: without PAM sshd refuses even a good key for a locked account.
        subprocess.run(
            self.host.argv("chpasswd", "-c", "SHA512"),
            input=f"{self.user}:{self.password}\n".encode(),
            check=True,
            capture_output=True,
        )
        self.set_sudo(True)

    def _listen(self) -> None:
        config = self.folder / "sshd_config"
        settings = _CONFIG.format(
            port=self.port,
            folder=self.folder,
            passwords="yes" if self.made_user else "no",
        )
        if self._programs:
            settings += f"SetEnv PATH={self._programs}\n"
        config.write_text(settings)
        if self.made_user:
            self.host.path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        argv = ["/usr/sbin/sshd", "-D", "-f", str(config), "-E", str(self.folder / "log")]
        self._process = subprocess.Popen(self.host.argv(*argv), stdin=subprocess.DEVNULL)
        self._wait_for_port(self._process)

    def _wait_for_port(self, process: subprocess.Popen[bytes]) -> None:
        for _ in range(500):
            if process.poll() is not None:
                raise RuntimeError(f"sshd ended: {(self.folder / 'log').read_text()}")
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                time.sleep(0.02)
            else:
                return
        raise RuntimeError("sshd does not listen after 10 s")

    def drop_newest_link(self) -> None:
        """End the login that began last, as a network that goes away does."""
        assert self._process is not None
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        # Not the highest number: the kernel begins again below it.
        os.kill(max(map(int, children.read_text().split()), key=_began_at), signal.SIGKILL)

    def _end_listener(self) -> None:
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(10)
        self._process = None


STARTED: weakref.WeakSet[Sshd] = weakref.WeakSet()
"""Those of this process."""


def _began_at(pid: int) -> int:
    """When a process began, in ticks since the machine did."""
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
    return int(after_name.split()[19])


def _end_all_of(uid: int) -> None:
    """What a login of the lab's own user has left running."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if path.stat().st_uid == uid:
                os.kill(int(path.name), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            continue
