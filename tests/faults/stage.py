"""Where seeds are played: a lab, a faulty line to each of its ports, a load, users' homes."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import ldap3

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.model.profile import Profile
from tests.faults.clock import Clock
from tests.faults.proxy import Proxy
from tests.live.lab.ds389 import Lab
from tests.live.lab.logins import BANNER, WORK, Login, make_german
from tests.live.lab.slapd import Slapd
from tests.live.lab.steps import freeze

_ROOT = Path(__file__).parents[2]
_TRIES = 60
"""Of five seconds, until a server answers again."""
PATIENCE_S = 300.0
"""What a command without a fault may take: a limit for one that hangs, on a busy machine too."""
WORKBENCH = str(Path(sys.executable).parent / "ldap-workbench")
_SESSION_DISK, _JOURNAL_DISK = 64 << 20, 8 << 20
_RATE = "100"
"""Searches a second: a window has more than a hundred, and the processors are for the workbench."""
_FILE_LIMIT = 1 << 20
"""Without root: no file may grow beyond, which fails as a full disk does (EFBIG for ENOSPC)."""

_LOGINS = {
    "login-bash": ("bash", ".bashrc", BANNER),
    "login-csh": WORK["csh"],
    "login-fish": WORK["fish"],
}


@dataclass
class Place:
    """The folders of one seed: the user's home, their sessions, their temporary files."""

    folder: Path
    disks: tuple[Path, ...] = ()

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def sessions(self) -> Path:
        return self.folder / "sessions"

    @property
    def temporary(self) -> Path:
        return self.folder / "tmp"

    @property
    def session(self) -> Path:
        return self.sessions / "s.ldapwb"

    @property
    def mark(self) -> str:
        return self.folder.name

    def give_back_disks(self) -> None:
        """Copy what is on a disk of the seed's own beside it, and unmount."""
        for disk in self.disks:
            copy = disk.with_name(f"{disk.name}-kept")
            shutil.copytree(disk, copy)
            subprocess.run(["umount", "-l", str(disk)], check=True)
            disk.rmdir()
            copy.rename(disk)
        self.disks = ()


class Stage:
    """One lab for many seeds. `start` it, `stop` it; `ready` before each seed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lab = Lab()
        self._load: subprocess.Popen[bytes] | None = None
        self._other: Slapd | None = None
        self._login: Login | None = None

    def start(self) -> Stage:
        self.lab.start(users=500)
        self._set_up_logs()
        self.lab.restart()
        self._configured = {path.name for path in self.lab.slapd.config.iterdir()}
        self.clock = Clock(self.lab.folder / "clock", self.lab.access_log)
        self.ldap, self.ssh = Proxy(self.lab.port), Proxy(self.lab.sshd.port)
        self._load = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.load", str(self.lab.port), "--rate", _RATE],
            cwd=_ROOT,
        )
        return self

    def stop(self) -> None:
        if self._load is not None:
            self._load.kill()
            self._load.wait()
            self.ldap.close()
            self.ssh.close()
            self.unstick()
        if self._other is not None:
            self._other.stop()
            self._other.remove_traces()
        self.lab.stop()

    def another_server(self) -> Slapd:
        """A server of the same host that lets the same people in, made when it is first needed."""
        if self._other is None:
            lab = self.lab
            self._other = Slapd(lab.folder / "other", lab.slapd.library, lab.host)
            self._other.password = lab.slapd.password
            self._other.make(users=10)
            self._other.start()
        return self._other

    def name_leads_to(self, port: int) -> None:
        """Where the URL of the profile `lab` leads from now on; links of before are cut."""
        self.ldap.target = port
        self.ldap.cut()

    def stick(self) -> None:
        """No worker answers from now on, and none does anything else."""
        with suppress(OSError, ValueError):  # stopped at this moment: it has no process
            freeze(self.lab.slapd.pid)

    def unstick(self) -> None:
        with suppress(OSError, ValueError):
            os.kill(self.lab.slapd.pid, signal.SIGCONT)

    def use_login(self, fault: str) -> None:
        """The host's login is another one from now on. Nothing where we are not root."""
        if not self.lab.has_sudo:
            return
        login = self._changed_login()
        if fault == "login-fish" and shutil.which("fish") is None:
            fault = "login-csh"
        if fault == "login-exit":
            login.use("bash", ".bashrc", "exit 1\n")
        elif fault == "login-requiretty":
            login.sudo("requiretty")
        elif fault == "login-expired":
            login.use("bash")
            login.expire()
        elif fault == "login-german":
            self._speak_german(login)
        else:
            login.use(*_LOGINS[fault])

    def _speak_german(self, login: Login) -> None:
        """Where the locale cannot be made, every shell complains that there is none."""
        locales = make_german(self.lab.folder / "locales")
        shell, file, text = WORK["bash in German"]
        login.use(shell, file, text.format(locales=locales))
        if locales is not None:
            login.sudo(f"env_file={locales}/environment")

    def login_asks_the_clock(self) -> None:
        """`date` of the login tells the time of `clock`."""
        if self.lab.has_sudo:
            text = f"PATH={self.clock.path}:$PATH; export PATH\n"
            self._changed_login().use("bash", ".bashrc", text)

    def _changed_login(self) -> Login:
        if self._login is None:
            self._login = Login(self.lab)
        return self._login

    def _set_up_logs(self) -> None:
        """A buffered log is late by up to 30 s; the audit log tells every write there was."""
        link = self.lab.slapd.link()
        settings = {
            "nsslapd-accesslog-logbuffering": "off",
            "nsslapd-auditlog": str(self.audit_log),
            "nsslapd-auditlog-logging-enabled": "on",
        }
        for name, value in settings.items():
            if not link.modify("cn=config", {name: [(ldap3.MODIFY_REPLACE, [value])]}):
                raise RuntimeError(f"{name} cannot be set: {link.result}")
        link.unbind()

    @property
    def audit_log(self) -> Path:
        return self.lab.slapd.logs / "audit"

    def start_again(self) -> None:
        """A server that was killed; somebody may be starting it at the same moment."""
        with suppress(RuntimeError):
            self.lab.slapd.stop()
            self.lab.slapd.start()

    def strange_files(self) -> list[str]:
        """Files beside the server's configuration that were not there when the stage was built."""
        now = {path.name for path in self.lab.slapd.config.iterdir()}
        return [f"file of the server {name}" for name in sorted(now - self._configured)]

    def restart(self) -> None:
        """A server whose running values differ from its configuration is started anew."""
        self.lab.restart()

    def revive(self) -> None:
        """The server up again, by its name, its line whole, its host as it was."""
        self.unstick()
        self.clock.undo()
        if self._login is not None:
            self._login.undo()
            self._login = None
        self.ldap.target = self.lab.port
        self.ldap.heal()
        self.ssh.heal()
        for _ in range(_TRIES):
            # Also while it is waited for: a killed workbench may have asked it to stop.
            if not self._lives():
                self.lab.slapd.restart()
            try:
                self.lab.slapd.wait(5)
            except RuntimeError as error:
                why = error
            else:
                return
        raise why

    def _lives(self) -> bool:
        """Whether ns-slapd runs; where nobody waits for orphans a dead one stays as a zombie."""
        try:
            state = Path(f"/proc/{self.lab.slapd.pid}/stat").read_text().rpartition(") ")[2]
        except (OSError, ValueError):
            return False
        return not state.startswith("Z")

    def place(self, name: str, fault: str = "") -> Place:
        """Fresh folders for a seed of that fault.

        A full disk is a small file system of its own; profiles say what the fault needs of them.
        """
        disk = fault.removeprefix("disk-") if fault.startswith("disk-") else ""
        place = Place(Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.folder)))
        for folder in (place.sessions, place.temporary, place.home / "config"):
            folder.mkdir(parents=True)
        (place.home / "state").mkdir(mode=0o700)
        if disk and os.geteuid() == 0:
            where, size = (
                (place.sessions, _SESSION_DISK)
                if disk == "session"
                else (place.home / "state", _JOURNAL_DISK)
            )
            options = f"size={size},mode=0700"
            subprocess.run(["mount", "-t", "tmpfs", "-o", options, "faults", where], check=True)
            place.disks = (where,)
        self._introduce(place, self._profile_for(fault))
        return place

    def _profile_for(self, fault: str) -> Profile:
        profile = self.lab.profile
        if fault == "clock-step":
            return replace(profile, log_command=self.clock.log_command)
        if fault == "stuck-pool":  # it cannot say where its log is
            return replace(profile, access_log=str(self.lab.access_log))
        if fault == "login-expired" and self.lab.has_sudo:  # a key would let it in
            assert profile.ssh is not None
            return replace(profile, ssh=replace(profile.ssh, identity=None))
        return profile

    def _introduce(self, place: Place, profile: Profile) -> None:
        """The profiles `lab` (by the faulty lines) and `localhost` (by none, another name)."""
        assert profile.ssh is not None
        by_proxy = replace(
            profile,
            ldap_url=f"ldap://127.0.0.1:{self.ldap.port}",
            ssh=replace(profile.ssh, port=self.ssh.port),
        )
        direct = replace(profile, name="localhost", ldap_url=f"ldap://localhost:{self.lab.port}")
        config = place.home / "config"
        store = ProfileStore(config / "profiles.toml")
        store.add(by_proxy)
        store.add(direct)
        key = self.lab.sshd.host_key
        ports = (self.ssh.port, self.lab.sshd.port)
        known = "".join(f"[127.0.0.1]:{port} {key}\n" for port in ports)
        (config / "known_hosts").write_text(known)

    def environment(self, place: Place) -> Mapping[str, str]:
        own = {"LDAP_WORKBENCH_HOME": str(place.home), "TMPDIR": str(place.temporary),
               "FAULTS_MARK": place.mark, "COLUMNS": "200"}  # fmt: skip
        return os.environ | self.lab.environment | own

    def launch(
        self, place: Place, words: list[str], name: str, *, small_files: bool = False
    ) -> subprocess.Popen[bytes]:
        """The real command, its output in NAME.out and NAME.err of the place."""

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_LIMIT, _FILE_LIMIT))

        with (
            (place.folder / f"{name}.out").open("wb") as out,
            (place.folder / f"{name}.err").open("wb") as err,
        ):
            return subprocess.Popen(
                [WORKBENCH, *words],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=_ROOT,
                env=self.environment(place),
                preexec_fn=limit if small_files else None,
            )

    def run(self, place: Place, words: list[str], name: str, timeout: float = PATIENCE_S) -> Said:
        """A command to its end; status None when it had to be killed."""
        process = self.launch(place, words, name)
        return said(place, words, name, end(process, timeout))


@dataclass(frozen=True)
class Said:
    """A command that ended: status (negative: by that signal; None: it did not end by itself)."""

    words: tuple[str, ...]
    status: int | None
    out: str
    err: str
    seconds: float = 0.0

    @property
    def text(self) -> str:
        return f"{self.out}\n{self.err}"


def end(process: subprocess.Popen[bytes], timeout: float) -> int | None:
    """Wait for a process; one that takes too long is killed and has no status."""
    try:
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None


def said(place: Place, words: list[str], name: str, status: int | None) -> Said:
    out, err = ((place.folder / f"{name}.{end}").read_text(errors="replace")
                for end in ("out", "err"))  # fmt: skip
    return Said(tuple(words), status, out, err)


def fill(folder: Path) -> None:
    """Take the room that is left on a disk of the seed's own."""
    with (folder / "ballast").open("wb", buffering=0) as ballast, suppress(OSError):
        while True:
            ballast.write(bytes(1 << 16))
    with (folder / "ballast").open("ab", buffering=0) as ballast, suppress(OSError):
        while True:
            ballast.write(b"\0")


def make_room(folder: Path) -> None:
    (folder / "ballast").unlink(missing_ok=True)
