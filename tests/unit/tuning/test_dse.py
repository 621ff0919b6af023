"""dse.ldif: one attribute of one entry is read and replaced, all other bytes stay."""

from __future__ import annotations

import pytest

from ldap_workbench.model.errors import ChangeError, ConflictError
from ldap_workbench.model.profile import Profile
from ldap_workbench.tuning.dse import values_in, with_values
from ldap_workbench.tuning.offline import FileChange, edited, service_commands
from ldap_workbench.tuning.place import KnobLocation

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
