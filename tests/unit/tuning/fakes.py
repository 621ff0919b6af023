"""A directory server and its host as 389 DS 2.3.1 was seen to behave, without either."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ldap_workbench.connect.directory import Entry
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.errors import ConflictError, ConnectError, DirectoryError
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.target import Backend, TargetFacts

CONFIG = "cn=config"
LDBM = "cn=config,cn=ldbm database,cn=plugins,cn=config"
BDB = f"cn=bdb,{LDBM}"
BACKEND = "cn=userRoot,cn=ldbm database,cn=plugins,cn=config"
BACKEND_MONITOR = f"cn=monitor,{BACKEND}"
SCHEDULER = "/sys/block/vda/queue/scheduler"
READ_AHEAD = "/sys/block/vda/queue/read_ahead_kb"

FACTS = TargetFacts(
    profile="fake",
    product="389-Directory",
    version="2.3.1",
    host="fake.example",
    instance="fake",
    backends=(Backend("userRoot", "dc=example,dc=com", BACKEND),),
    db_library="bdb",
    ram_bytes=8 * 1024**3,
    device="vda",
)


class Clock:
    """Time that passes while somebody sleeps; `slept` are the seconds of each sleep."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class FakeDirectory:
    """The configuration of one server; `said` and `written` tell what was asked of it."""

    url = "ldap://fake.example"

    def __init__(self) -> None:
        self.entries: dict[str, dict[str, tuple[str, ...]]] = {
            CONFIG: {
                "nsslapd-threadnumber": ("16",),
                "nsslapd-maxdescriptors": ("20000",),
                "nsslapd-enable-upgrade-hash": ("on",),
                "nsslapd-accesslog-log-format": ("default",),
                "nsslapd-requiresrestart": (
                    "cn=config:nsslapd-accesslog-log-format",
                    "cn=config,cn=ldbm:nsslapd-idlistscanlimit",
                ),
            },
            LDBM: {"nsslapd-idlistscanlimit": ("4000",), "nsslapd-lookthroughlimit": ("5000",)},
            BDB: {
                "nsslapd-cache-autosize": ("25",),
                "nsslapd-dbcachesize": ("1579782144",),
                "nsslapd-db-checkpoint-interval": ("60",),
                "nsslapd-db-durable-transaction": ("on",),
                "nsslapd-db-transaction-batch-max-wait": ("50",),
            },
            BACKEND: {"nsslapd-cachememsize": ("4294967296",)},
            BACKEND_MONITOR: {"maxentrycachesize": ("4294967296",)},
            "cn=monitor": {
                "starttime": ("20261121010000Z",),
                "threads": ("17",),
                "opsinitiated": ("100",),
            },
        }
        self.written: list[tuple[str, tuple[str, ...] | None]] = []
        self.before_write: Callable[[str], None] | None = None
        self.after_write: Callable[[str], None] | None = None
        self.broken = False
        self.starts = 0

    def search(
        self,
        base: str,
        *,
        scope: str = "base",
        filter: str = "",  # noqa: A002 - the field's word
        attributes: Sequence[str] = (),
    ) -> list[Entry]:
        self._check_link()
        if base not in self.entries:
            return []
        wanted = {name.lower() for name in attributes}
        found = self.entries[base].items()
        every = "*" in wanted
        return [
            Entry(base, {name: values for name, values in found if every or name.lower() in wanted})
        ]

    def replace(
        self,
        dn: str,
        attribute: str,
        values: Sequence[str] | None,
        *,
        expected: Sequence[str] | None,
    ) -> str:
        if self.before_write:
            self.before_write(attribute)
        self._check_link()
        now = self.entries[dn].get(attribute)
        if now != (None if expected is None else tuple(expected)):
            raise ConflictError(
                verbatim(f"{attribute} of {dn}"),
                *(verbatim(str(each)) for each in (expected, values, now)),
            )
        message = self._set(dn, attribute, None if values is None else tuple(values))
        self.written.append((attribute, None if values is None else tuple(values)))
        if self.after_write:
            self.after_write(attribute)
        return message

    def close(self) -> None:
        self.broken = True

    def restart(self) -> None:
        """What a restart does: the pool takes its size, the counters start anew."""
        self.starts += 1
        threads = int(self.entries[CONFIG]["nsslapd-threadnumber"][0])
        self.entries["cn=monitor"] = {
            "starttime": (f"2026112102{self.starts:02d}00Z",),
            "threads": (str(threads + 1),),
            "opsinitiated": ("3",),
        }

    def _check_link(self) -> None:
        if self.broken:
            raise ConnectError(Message("The connection to the fake broke."))

    def _set(self, dn: str, attribute: str, values: tuple[str, ...] | None) -> str:
        entry = self.entries[dn]
        if values is None:
            entry.pop(attribute, None)
            return ""
        value = values[0]
        if attribute == "nsslapd-cachememsize":
            if self.entries[BDB]["nsslapd-cache-autosize"] != ("0",):
                raise DirectoryError(
                    Message("Setting it was refused."),
                    code=53,
                    message='can not be updated while "..."',
                )
            value = str(min(max(int(value), 512000), 6 * 1024**3))
            self.entries[BACKEND_MONITOR]["maxentrycachesize"] = (value,)
        if attribute == "nsslapd-threadnumber" and value == "-1":
            value = "16"
        if attribute == "nsslapd-db-durable-transaction":
            text = f"{attribute} can't be modified while the server is running."
            raise DirectoryError(Message("Setting it was refused."), code=53, message=text)
        if attribute == "nsslapd-db-transaction-batch-max-wait" and int(value) > 10000:
            return ""
        known = attribute in entry or dn == CONFIG
        entry[attribute] = (value, *values[1:])
        if not known:
            return f"Unknown config attribute {attribute}"
        if attribute == "nsslapd-maxdescriptors":
            return f"The change of {attribute} will not take effect until the server is restarted"
        return ""


class FakeShell:
    """A host with two kernel files and a restart command; `tee` needs sudo."""

    name = "ssh://admin@fake.example:22"

    def __init__(self, directory: FakeDirectory, *, may_sudo: bool = True) -> None:
        self.files = {SCHEDULER: "none [mq-deadline] kyber", READ_AHEAD: "128"}
        self.ran: list[tuple[list[str], bool]] = []
        self._directory = directory
        self._may_sudo = may_sudo

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        sudo: bool = False,
        timeout: float = 30.0,
    ) -> CommandResult:
        self.ran.append((list(argv), sudo))
        if argv[0] == "restart-it":
            self._directory.restart()
            return CommandResult(0, b"", b"")
        if argv[0] == "mountpoint":
            return CommandResult(0, b"", b"")
        if argv[0] in ("sync", "test"):
            found = argv[0] == "sync" or any(path.startswith(argv[-1]) for path in self.files)
            return CommandResult(0 if found else 1, b"", b"")
        if argv[0] == "grep":
            return self._grep(argv[3:])
        path = argv[-1]
        if path not in self.files:
            return CommandResult(1, b"", f"{argv[0]}: {path}: No such file".encode())
        if argv[0] == "cat":
            return CommandResult(0, f"{self.files[path]}\n".encode(), b"")
        if not (sudo and self._may_sudo):
            return CommandResult(1, b"", b"sudo: a password is required")
        if stdin:
            self._set(path, stdin.decode().strip())
        return CommandResult(0, stdin, b"")

    def _grep(self, paths: Sequence[str]) -> CommandResult:
        """grep -H '' FILE..."""
        said = "".join(f"{path}:{self.files[path]}\n" for path in paths if path in self.files)
        missing = [path for path in paths if path not in self.files]
        errors = "".join(f"grep: {path}: No such file or directory\n" for path in missing)
        return CommandResult(2 if missing else 0, said.encode(), errors.encode())

    def _set(self, path: str, value: str) -> None:
        if path == SCHEDULER:
            words = self.files[path].replace("[", "").replace("]", "").split()
            value = " ".join(f"[{word}]" if word == value else word for word in words)
        self.files[path] = value

    def close(self) -> None:
        """Nothing to close."""


class FakeTarget:
    """What tuning asks of servers.Target."""

    def __init__(self, *, restart_command: str | None = None, facts: TargetFacts = FACTS) -> None:
        self.profile = Profile("fake", "ldap://fake.example", restart_command=restart_command)
        self.facts = facts
        self.directory = FakeDirectory()
        self.shell: FakeShell | None = FakeShell(self.directory)
        self.reconnects = 0

    def reconnect(self) -> None:
        self.reconnects += 1
        self.directory.broken = False

    def reconnect_shell(self) -> None:
        """Its shell never breaks by itself."""
