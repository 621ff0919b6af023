"""Stored configurations: one attribute of one entry is replaced, all other bytes stay."""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import Any, cast

import pytest

from ldap_workbench.connect.directory import Entry
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.change import WHOLE_ENTRY
from ldap_workbench.model.errors import AnotherServerError, ChangeError, ConflictError
from ldap_workbench.model.profile import Profile
from ldap_workbench.servers.entry import identity_of_openldap
from ldap_workbench.tuning.config_file import (
    config_file,
    identity_file,
    values_in,
    with_values,
)
from ldap_workbench.tuning.offline import OfflineEditor
from ldap_workbench.tuning.place import KnobLocation
from ldap_workbench.tuning.stopped_host import FileChange, edited, service_commands
from tests.unit.tuning.fakes import FakeTarget

BDB = "cn=bdb,cn=config,cn=ldbm database,cn=plugins,cn=config"
DSE = """dn: cn=config
cn: config
nsslapd-port: 389

dn: cn=bdb, cn=config,cn=ldbm database,
 cn=plugins,cn=config
cn: bdb
nsslapd-db-durable-transaction: on
nsslapd-db-home-directory:: L2Rldi9zaG0vw6Q=
aci: (targetattr = "*")(version 3.0; acl "a long rule that the server folds at its
 width"; allow (read) userdn = "ldap:///all";)

dn: cn=last,cn=config
cn: last
"""
TRICKLE = "nsslapd-db-trickle-percentage"


def test_reads_folded_names_and_base64() -> None:
    assert values_in(DSE, BDB, "NSSLAPD-db-durable-transaction") == ("on",)
    assert values_in(DSE, BDB, "nsslapd-db-home-directory") == ("/dev/shm/ä",)
    assert values_in(DSE, BDB, TRICKLE) is None
    assert values_in(DSE, "cn=last,cn=config", "cn") == ("last",)


def test_replaces_one_line_and_nothing_else() -> None:
    new = with_values(DSE, BDB, "nsslapd-db-durable-transaction", ("off",))
    assert new == DSE.replace("transaction: on", "transaction: off")


def test_adds_and_takes_out_again_to_the_byte() -> None:
    for dn in (BDB, "cn=last,cn=config"):
        new = with_values(DSE, dn, TRICKLE, ("20",))
        assert values_in(new, dn, TRICKLE) == ("20",)
        assert "\n\n\n" not in new, "two empty lines are an entry without a name to the server"
        assert with_values(new, dn, TRICKLE, None) == DSE


def test_another_servers_file_is_refused() -> None:
    with pytest.raises(ChangeError, match="no entry cn=mdb"):
        values_in(DSE, BDB.replace("bdb", "mdb"), TRICKLE)


def test_somebody_elses_value_is_a_conflict_unless_forced() -> None:
    location = KnobLocation("ldap://a:389", BDB, "nsslapd-db-durable-transaction")
    with pytest.raises(ConflictError):
        edited(DSE, [FileChange(location, (None,), ("off",))])
    assert "transaction: off" in edited(DSE, [FileChange(location, (None,), ("off",), force=True)])
    assert "transaction: off" in edited(DSE, [FileChange(location, (("on",),), ("off",))])


@pytest.mark.parametrize(
    ("restart", "stop"),
    [
        ("systemctl restart dirsrv@a", "systemctl stop dirsrv@a"),
        ("'/opt/my ds/control' restart", "'/opt/my ds/control' stop"),
    ],
)
def test_stop_and_start_take_the_place_of_restart(restart: str, stop: str) -> None:
    commands = service_commands(Profile("a", "ldap://a", restart_command=restart))
    assert commands == (stop, stop.replace("stop", "start"))


@pytest.mark.parametrize("command", [None, "/usr/local/bin/bounce-it", "restart restart"])
def test_a_command_that_does_not_tell_how_to_stop_is_refused(command: str | None) -> None:
    with pytest.raises(ChangeError, match="does not say how"):
        service_commands(Profile("a", "ldap://a", restart_command=command))


SLAPD = """# AUTO-GENERATED FILE - DO NOT EDIT!! Use ldapmodify.
# CRC32 {checksum}
dn: olcDatabase={{1}}mdb
objectClass: olcDatabaseConfig
olcDatabase: {{1}}mdb
olcDbMaxReaders: 126
entryUUID: 6d1c5e2e-61c5-1041-9b0a-4d3a7a1b2c3d
"""
DATABASE = "olcDatabase={1}mdb,cn=config"


def of_slapd() -> str:
    text = SLAPD.format(checksum="0" * 8)
    return SLAPD.format(checksum=f"{zlib.crc32(text.split(chr(10), 2)[2].encode()):08x}")


def test_a_file_of_slapd_names_its_entry_by_the_first_part_and_keeps_its_checksum() -> None:
    text = of_slapd()
    assert values_in(text, DATABASE, "olcdbmaxreaders") == ("126",)
    new = with_values(text, DATABASE, "olcDbMaxReaders", ("200",))
    assert values_in(new, DATABASE, "olcDbMaxReaders") == ("200",)
    assert new.splitlines()[1] != text.splitlines()[1]
    assert with_values(new, DATABASE, "olcDbMaxReaders", ("126",)) == text
    added = with_values(text, DATABASE, "olcDbMaxSize", ("1",))
    assert with_values(added, DATABASE, "olcDbMaxSize", None) == text
    with pytest.raises(ChangeError, match="no entry cn=config"):
        values_in(text, "cn=config", "olcThreads")


def test_whose_files_are_is_said_by_the_one_above_them() -> None:
    folder = "/etc/ldap/slapd.d"
    assert identity_file(f"{folder}/cn=config/olcDatabase={{1}}mdb.ldif") == (
        f"{folder}/cn=config.ldif"
    )
    assert identity_file(f"{folder}/cn=config.ldif") == f"{folder}/cn=config.ldif"
    assert identity_file("/etc/dirsrv/slapd-a/dse.ldif") == "/etc/dirsrv/slapd-a/dse.ldif"


class Hosts:
    """A host that has these files, and these folders."""

    def __init__(self, files: dict[str, str], folders: tuple[str, ...]) -> None:
        self.files, self.folders = files, folders

    def run(self, argv: list[str], **_: object) -> CommandResult:
        there = argv[-1] in (self.folders if argv[0] == "test" else self.files)
        return CommandResult(0 if there else 1, self.files.get(argv[-1], "").encode(), b"")


@pytest.mark.parametrize(
    ("says", "files", "folders", "folder"),
    [
        ({"olcConfigDir": ("/srv/slapd.d",)}, {}, (), "/srv/slapd.d"),
        ({"olcConfigDir": ("slapd.d",)}, {}, ("/etc/ldap/slapd.d",), "/etc/ldap/slapd.d"),
        ({"olcConfigDir": ("/root/slapd.d",), "olcArgsFile": ("/run/slapd.args",)},
         {"/run/slapd.args": "/usr/sbin/slapd -F/opt/slapd.d -u openldap"}, (), "/opt/slapd.d"),
        ({"olcArgsFile": ("/run/slapd.args",)},
         {"/run/slapd.args": "/usr/sbin/slapd -h ldap:/// -F /opt/slapd.d -u openldap"}, (),
         "/opt/slapd.d"),
        ({}, {}, ("/etc/openldap/slapd.d",), "/etc/openldap/slapd.d"),
        ({"olcArgsFile": ("/run/gone",)}, {}, ("/etc/ldap/slapd.d",), "/etc/ldap/slapd.d"),
        ({}, {}, (), ""),
    ],
)  # fmt: skip
def test_where_the_files_of_slapd_are(
    says: dict[str, tuple[str, ...]], files: dict[str, str], folders: tuple[str, ...], folder: str
) -> None:
    target = FakeTarget()
    target.facts = replace(target.facts, product="OpenLDAP")
    target.directory.entries["cn=config"] = {"cn": ("config",), **says}
    target.shell = cast(Any, Hosts(files, folders))
    if not folder:
        with pytest.raises(ChangeError, match=r"in which folder its slapd\.d is"):
            config_file(target, DATABASE)
        return
    assert config_file(target, DATABASE) == f"{folder}/cn=config/olcDatabase={{1}}mdb.ldif"
    assert config_file(target) == f"{folder}/cn=config.ldif"


GLOBAL = """# AUTO-GENERATED FILE - DO NOT EDIT!! Use ldapmodify.
# CRC32 00000000
dn: cn=config
objectClass: olcGlobal
cn: config
olcPidFile: /run/slapd.pid
entryUUID: 4b2f
createTimestamp: 20260101000000Z
entryCSN: 20260101000000.000000Z#000000#000#000000
"""
FOLDER = "/etc/ldap/slapd.d"
CSN = "20260102000000.000000Z#000000#000#000000"


class SlapdHost(Hosts):
    """One that reads files by the script for them, too."""

    def run(self, argv: list[str], **how: object) -> CommandResult:
        if argv[0] != "sh":
            return super().run(argv, **how)
        path, what = argv[4:6]
        assert what == "read", "nothing is written, nothing stopped"
        return CommandResult(0, self.files[path].encode(), b"")


def slapd(header: bool = True, csn: str = CSN, **said: tuple[str, ...]) -> FakeTarget:
    """A server and its files; `said` is what cn=config shows of the database."""
    target = FakeTarget(restart_command="systemctl restart slapd")
    config = Entry("cn=config", {"entryUUID": ("4b2f",), "olcPidFile": ("/run/slapd.pid",),
                                 "createTimestamp": ("20260101000000Z",)})  # fmt: skip
    identity = identity_of_openldap(config)
    target.facts = replace(target.facts, product="OpenLDAP", identity=identity, host="")
    target.directory.entries["cn=config"] = {"cn": ("config",)}
    target.directory.entries[DATABASE] = {"olcDatabase": ("{1}mdb",), **said}
    above = GLOBAL if header else GLOBAL.split("\n", 2)[2]
    files = {
        f"{FOLDER}/cn=config.ldif": above,
        f"{FOLDER}/cn=config/olcDatabase={{1}}mdb.ldif": f"{of_slapd()}entryCSN: {csn}\n",
    }
    target.shell = cast(Any, SlapdHost(files, (FOLDER,)))
    return target


AT = KnobLocation("ldap://a:389", DATABASE, "olcDbMaxReaders")


@pytest.mark.parametrize("header", [True, False])
def test_files_that_slapd_uses_may_be_edited(header: bool) -> None:
    (edit,) = OfflineEditor(slapd(header, entryCSN=(CSN,))).prepare([AT])
    assert edit.path == f"{FOLDER}/cn=config/olcDatabase={{1}}mdb.ldif"
    assert edit.before == ("126",)
    assert edit.stop == "systemctl stop slapd"


@pytest.mark.parametrize("said", [{}, {"entryCSN": ("20260103000000.000000Z#0#0#0",)}])
def test_a_copy_that_was_left_behind_is_not_edited(said: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(ChangeError, match=r"It is not known whether slapd uses /etc/ldap/slapd\.d"):
        OfflineEditor(slapd(**said)).prepare([AT])


def test_the_files_of_another_slapd_are_not_edited() -> None:
    target = slapd(entryCSN=(CSN,))
    target.facts = replace(target.facts, identity="openldap:another")
    with pytest.raises(AnotherServerError):
        OfflineEditor(target).prepare([AT])


def test_a_whole_entry_is_taken_out_and_comes_back_with_its_lines() -> None:
    first, gone, last = (
        "dn: cn=a\ncn: a",
        "dn: cn=b,cn=a\ncn: b\nlong: x\n y\ncn:: w6Q=",
        "dn: cn=c\ncn: c",
    )
    text = "\n\n".join((first, gone, last)) + "\n\n"
    lines = values_in(text, "cn=b,cn=a", WHOLE_ENTRY)
    assert lines == ("cn: b", "long: xy", "cn:: w6Q=")
    without = with_values(text, "cn=b,cn=a", WHOLE_ENTRY, None)
    assert without == f"{first}\n\n{last}\n\n"
    assert values_in(without, "cn=b,cn=a", WHOLE_ENTRY) is None
    again = with_values(without, "cn=b,cn=a", WHOLE_ENTRY, lines)
    assert values_in(again, "cn=b,cn=a", WHOLE_ENTRY) == lines
    assert values_in(again, "cn=c", "cn") == ("c",)
    assert with_values(again, "cn=b,cn=a", WHOLE_ENTRY, None) == f"{first}\n\n{last}\n"
    whole = KnobLocation("ldap://a:389", "cn=b,cn=a", WHOLE_ENTRY)
    back = FileChange(whole, (lines, None), lines)
    assert edited(without, [back]) == again
    assert edited(text, [back]) == text, "not twice, where an undoing is done again"
