"""Facts of a server and its host, from answers as 389 DS and Linux give them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import pytest

from ldap_workbench.connect.directory import Entry
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.errors import CommandError, DirectoryError
from ldap_workbench.servers.ds389 import read_facts
from ldap_workbench.servers.entry import generalized_time_ns
from ldap_workbench.servers.host import read_host_facts, whole_device
from ldap_workbench.servers.target import measure_clock, same_clock

LDBM = "cn=ldbm database,cn=plugins,cn=config"
ENTRIES = {
    "": {"vendorVersion": ["389-Directory/2.3.1 B2025.016.1616"], "vendorName": ["389 Project"]},
    "cn=config": {
        "nsslapd-localhost": ["ldap1.example.com"],
        "nsslapd-certdir": ["/etc/dirsrv/slapd-corp"],
        "nsslapd-accesslog": ["/var/log/dirsrv/slapd-corp/access"],
        "nsslapd-errorlog": ["/var/log/dirsrv/slapd-corp/errors"],
        "nsslapd-auditlog": ["/var/log/dirsrv/slapd-corp/audit"],
    },
    "cn=monitor": {"starttime": ["20261121041546Z"]},
    f"cn=config,{LDBM}": {
        "nsslapd-backend-implement": ["bdb"],
        "nsslapd-directory": ["/var/lib/dirsrv/slapd-corp/db"],
    },
    f"cn=userRoot,{LDBM}": {"cn": ["userRoot"], "nsslapd-suffix": ["dc=example,dc=com"]},
}


class FakeDirectory:
    """Entries by DN; `refused` ones answer insufficientAccess."""

    url = "ldap://ldap1"

    def __init__(
        self, entries: Mapping[str, Mapping[str, list[str]]], refused: Sequence[str] = ()
    ) -> None:
        self._entries = entries
        self._refused = refused

    def search(
        self,
        base: str,
        *,
        scope: str = "base",
        filter: str = "",  # noqa: A002
        attributes: Sequence[str] = ("*",),
    ) -> list[Entry]:
        if base in self._refused:
            raise DirectoryError("refused: insufficientAccessRights (50).", code=50)
        if scope == "one":
            dns = [
                dn for dn in self._entries if dn.endswith(f",{base}") and dn[:10] == "cn=userRoo"
            ]
        else:
            dns = [base] if base in self._entries else []
        return [Entry(dn, {k: tuple(v) for k, v in self._entries[dn].items()}) for dn in dns]

    def replace(
        self,
        dn: str,
        attribute: str,
        values: Sequence[str] | None,
        *,
        expected: Sequence[str] | None,
    ) -> str:
        raise AssertionError("reading facts writes nothing")

    def close(self) -> None: ...


class FakeShell:
    """Answers by the words of the command; sudo only where the host lets us."""

    name = "ssh://op@ldap1:22"

    def __init__(self, answers: Mapping[str, str], *, sudo: bool = True) -> None:
        self._answers = answers
        self._sudo = sudo
        self.asked: list[str] = []

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        sudo: bool = False,
        timeout: float = 30.0,
    ) -> CommandResult:
        words = " ".join(argv)
        self.asked.append(words)
        if sudo and not self._sudo:
            return CommandResult(1, b"", b"sudo: a password is required")
        if words not in self._answers:
            return CommandResult(127, b"", f"{argv[0]}: not found".encode())
        return CommandResult(0, self._answers[words].encode(), b"")


HOST = {
    "nproc": "4\n",
    "cat /proc/meminfo": "MemTotal:       24682416 kB\nMemFree: 1 kB\n",
    "uname -sr": "Linux 6.1.0-13-amd64\n",
    "df --output=source /var/lib/dirsrv/slapd-corp/db": "Filesystem\n/dev/vda1\n",
    "lsblk -nsro KNAME,TYPE /dev/vda1": "vda1 part\nvda disk\n",
    "cat /sys/block/vda/queue/rotational": "1\n",
    "df --output=source /var/log/dirsrv/slapd-corp": "Filesystem\n/dev/sda3\n",
    "lsblk -nsro KNAME,TYPE /dev/sda3": "sda3 part\nsda disk\n",
}


def test_what_the_server_tells() -> None:
    facts = read_facts(FakeDirectory(ENTRIES), "corp", "10.0.0.1")
    assert (facts.product, facts.version) == ("389 Project", "2.3.1")
    assert (facts.host, facts.instance) == ("ldap1.example.com", "corp")
    assert facts.started_ns == 1_795_234_546_000_000_000
    assert (facts.db_library, facts.db_directory) == ("bdb", "/var/lib/dirsrv/slapd-corp/db")
    assert [(b.name, b.suffix) for b in facts.backends] == [("userRoot", "dc=example,dc=com")]
    assert facts.access_log == "/var/log/dirsrv/slapd-corp/access"
    assert facts.unknown == {}


@pytest.mark.parametrize(
    ("vendor", "settings", "said"),
    [
        ("389-Directory/3.1.2 B1", {}, ""),
        ("389-Directory/3.1.2 B1", {"nsslapd-accesslog-log-format": "default"}, ""),
        ("389-Directory/3.1.2 B1", {"nsslapd-accesslog-log-format": "json"},
         "389 DS 3.1.2 writes nothing into its access log while nsslapd-accesslog-log-format is "
         "json."),
        ("389-Directory/3.1.3 B1", {"nsslapd-accesslog-log-format": "json"}, ""),
        ("389-Directory/2.3.1 B1", {"nsslapd-accesslog-logging-enabled": "on"}, ""),
        ("389-Directory/2.3.1 B1", {"nsslapd-accesslog-logging-enabled": "off"},
         "389 DS 2.3.1 writes nothing into its access log while nsslapd-accesslog-logging-enabled "
         "is off."),
    ],
)  # fmt: skip
def test_a_log_that_stays_empty_is_said(vendor: str, settings: dict[str, str], said: str) -> None:
    config = ENTRIES["cn=config"] | {name: [value] for name, value in settings.items()}
    told = FakeDirectory(ENTRIES | {"": {"vendorVersion": [vendor]}, "cn=config": config})
    facts = read_facts(told, "corp", "ldap1")
    assert str(facts.unknown.get("access_log", "")) == said
    assert facts.access_log == "/var/log/dirsrv/slapd-corp/access"


def test_what_a_bind_without_rights_may_not_see_is_said() -> None:
    entries = {dn: ENTRIES[dn] for dn in ("", "cn=monitor")}
    facts = read_facts(FakeDirectory(entries, refused=[LDBM]), "corp", "ldap1")
    assert facts.version == "2.3.1"
    assert facts.host == "ldap1"
    assert facts.access_log is None
    assert "not readable" in str(facts.unknown["cn=config"])
    assert "insufficientAccessRights" in str(facts.unknown["backends"])


def test_what_the_host_tells() -> None:
    facts = read_host_facts(FakeShell(HOST), read_facts(FakeDirectory(ENTRIES), "p", "h"))
    assert (facts.cores, facts.ram_bytes) == (4, 24682416 * 1024)
    assert (facts.kernel, facts.device) == ("Linux 6.1.0-13-amd64", "vda")
    assert (facts.audit_log, facts.audit_device) == ("/var/log/dirsrv/slapd-corp/audit", "sda")
    assert facts.unknown == {}


@pytest.mark.parametrize(("told", "rotational"), [("0\n", False), ("1\n", True), ("?\n", None)])
def test_whether_the_disk_turns(told: str, rotational: bool | None) -> None:
    host = HOST | {"cat /sys/block/vda/queue/rotational": told}
    facts = read_host_facts(FakeShell(host), read_facts(FakeDirectory(ENTRIES), "p", "h"))
    assert facts.rotational is rotational


@pytest.mark.parametrize("name", ["../../etc", "..", "a/b", "\x1b[31m"])
def test_a_device_of_a_strange_name_is_not_looked_up(name: str) -> None:
    answers = HOST | {"lsblk -nsro KNAME,TYPE /dev/vda1": f"{name} disk\n"}
    shell = FakeShell(answers)
    facts = read_host_facts(shell, read_facts(FakeDirectory(ENTRIES), "corp", "h"))
    assert facts.device is None
    assert "is not the name of a block device" in str(facts.unknown["device"])
    assert "\x1b" not in str(facts.unknown["device"])
    assert not any("queue/rotational" in words and name in words for words in shell.asked)


def test_an_audit_log_that_cannot_be_placed_is_said() -> None:
    host = {words: text for words, text in HOST.items() if "/var/log" not in words}
    facts = read_host_facts(FakeShell(host), read_facts(FakeDirectory(ENTRIES), "p", "h"))
    assert (facts.device, facts.audit_device) == ("vda", None)
    assert "/var/log/dirsrv/slapd-corp" in str(facts.unknown["audit_device"])


def test_a_database_folder_we_may_not_enter_is_on_its_parents_device() -> None:
    host = HOST | {"df --output=source /var/lib": "Filesystem\n/dev/vda1\n"}
    shell = FakeShell(host, sudo=False)
    del host["df --output=source /var/lib/dirsrv/slapd-corp/db"]
    facts = read_host_facts(shell, read_facts(FakeDirectory(ENTRIES), "p", "h"))
    assert facts.device == "vda"


def test_a_host_without_the_commands_is_said() -> None:
    facts = read_host_facts(FakeShell({}), read_facts(FakeDirectory(ENTRIES), "p", "h"))
    assert (facts.cores, facts.ram_bytes, facts.kernel, facts.device) == (None,) * 4
    assert str(facts.unknown["cores"]) == "nproc: not found"
    assert "df" in str(facts.unknown["device"])


def test_a_database_that_is_on_no_disk() -> None:
    host = HOST | {"df --output=source /var/lib/dirsrv/slapd-corp/db": "Filesystem\ntmpfs\n"}
    facts = read_host_facts(FakeShell(host), read_facts(FakeDirectory(ENTRIES), "p", "h"))
    assert facts.device is None
    assert "tmpfs" in str(facts.unknown["device"])


@pytest.mark.parametrize(
    ("chain", "device"),
    [
        ("vda1 part\nvda disk\n", "vda"),
        ("nvme0n1 disk\n", "nvme0n1"),
        ("dm-0 lvm\nsda2 part\nsda disk\n", "sda"),
        ("dm-1 crypt\ndm-0 lvm\nsda3 part\nsda disk\n", "sda"),
        ("md0 raid1\nsda1 part\nsda disk\nsdb1 part\nsdb disk\n", "md0"),
        ("dm-0 lvm\nsda disk\nsdb disk\n", "dm-0"),
        ("", None),
    ],
)
def test_the_device_to_watch(chain: str, device: str | None) -> None:
    assert whole_device(chain) == device


def test_times_of_a_server() -> None:
    assert generalized_time_ns("19700101000001Z") == 1_000_000_000
    assert generalized_time_ns("yesterday") is None
    assert generalized_time_ns(None) is None


class TestClock:
    def test_the_quickest_answer_is_believed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        ours = iter([0, 1000, 2000, 2010, 3000, 4000, 5000, 6000, 7000, 8000])
        monkeypatch.setattr(time, "time_ns", lambda: next(ours))
        clock = measure_clock(FakeShell({"date +%s%N": "5000000\n"}).run)
        assert (clock.our_ns, clock.error_ns) == (2005, 5)
        assert clock.offset_ns == 5_000_000 - 2005

    def test_a_host_that_does_not_tell(self) -> None:
        with pytest.raises(CommandError, match="does not report its time"):
            measure_clock(FakeShell({"date +%s%N": "1795234546N\n"}).run)

    def test_not_measured_is_no_offset_but_no_certainty_either(self) -> None:
        clock = same_clock()
        assert (clock.offset_ns, clock.error_ns) == (0, None)
        assert abs(clock.now_ns() - time.time_ns()) < 1_000_000_000


def test_a_server_of_another_product_is_told_what_can_be_done() -> None:
    entries = {
        "": {"vendorVersion": ["OpenDJ Server 4.6.5"], "vendorName": ["Open Identity Platform"]},
        "cn=config": {"ds-cfg-add-missing-rdn-attributes": ["true"]},
    }
    facts = read_facts(FakeDirectory(entries), "corp", "ldap1")
    assert facts.access_log is None
    assert "(Open Identity Platform) was asked as 389 DS" in str(facts.unknown["access_log"])
    assert "import its files" in str(facts.unknown["access_log"])
    assert "access_log" not in read_facts(FakeDirectory(ENTRIES), "corp", "ldap1").unknown
