"""A name that leads to another server: nothing is written there, and no entry is closed by it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.campaign.canary import Canary, Seat, make_canary, refuse_other_servers
from ldap_workbench.campaign.plan import Candidate, Limits, make_campaign
from ldap_workbench.campaign.state import CAMPAIGNS, new_campaign, resumable
from ldap_workbench.connect import ldap
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.experiment.plan import make_plan, parse_design
from ldap_workbench.model.change import Change, ChangeState
from ldap_workbench.model.errors import AnotherServerError, ChangeError, ConnectError, UsageError
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.servers.host import read_machine
from ldap_workbench.servers.same_server import certificate_of, read_identity
from ldap_workbench.servers.target import Target, same_clock
from ldap_workbench.tuning.config_file import identity_in_file
from ldap_workbench.tuning.journal import Journal, OfflineEdit
from ldap_workbench.tuning.revive import revive
from ldap_workbench.tuning.tuner import Tuner
from tests.unit.tuning.fakes import (
    BDB,
    CONFIG,
    FACTS,
    READ_AHEAD,
    FakeDirectory,
    FakeShell,
    FakeTarget,
)

HASH = "nsslapd-enable-upgrade-hash"
OFF = Treatment((Setting(HASH, "off"),))


def server(host: str) -> FakeDirectory:
    """A server that says who it is."""
    directory = FakeDirectory()
    directory.entries[""] = {"createTimestamp": (f"of {host}",)}
    directory.entries[CONFIG] |= {
        "nsslapd-localhost": (host,),
        "nsslapd-port": ("389",),
        "nsslapd-certdir": ("/etc/dirsrv/slapd-corp",),
    }
    return directory


def connected(directory: FakeDirectory) -> FakeTarget:
    """By the one URL that all servers here have."""
    now = read_identity(directory)
    target = FakeTarget(facts=replace(FACTS, identity=now.instance, host=now.host))
    target.directory = directory
    return target


def value(directory: FakeDirectory) -> str:
    return directory.entries[CONFIG][HASH][0]


@pytest.fixture
def first() -> FakeDirectory:
    return server("ldap1.example.com")


@pytest.fixture
def second() -> FakeDirectory:
    return server("ldap2.example.com")


@pytest.fixture
def change(first: FakeDirectory, journal: Journal) -> Change:
    """In force on the first server, whose workbench was killed."""
    with closing(Tuner(connected(first), journal)) as tuner:
        return tuner.apply(OFF).changes[0]


def test_revert_all_on_another_server_leaves_the_entry_open(
    first: FakeDirectory, second: FakeDirectory, change: Change, journal: Journal
) -> None:
    second.entries[CONFIG][HASH] = ("off",)  # a value of its own, equal to what we set elsewhere
    with (
        closing(Tuner(connected(second), journal)) as tuner,
        pytest.raises(AnotherServerError) as refused,
    ):
        tuner.recover()
    assert "ldap1.example.com" in str(refused.value)
    assert "ldap2.example.com" in str(refused.value)
    assert HASH in str(refused.value.safe)
    assert journal.get(change.id).state is ChangeState.APPLIED
    assert (value(first), value(second), second.written) == ("off", "off", [])


@pytest.mark.parametrize("its_own", ["on", "off"])
@pytest.mark.parametrize("force", [False, True])
def test_one_change_is_not_reverted_on_another_server(
    second: FakeDirectory, change: Change, journal: Journal, its_own: str, force: bool
) -> None:
    """Also where its value is what was there before: that says nothing of the first."""
    second.entries[CONFIG][HASH] = (its_own,)
    with closing(Tuner(connected(second), journal)) as tuner, pytest.raises(AnotherServerError):
        tuner.revert(change.group, force=force)
    assert journal.get(change.id).state is ChangeState.APPLIED
    assert second.written == []


def test_a_kept_change_is_not_reverted_on_another_server(
    first: FakeDirectory, second: FakeDirectory, journal: Journal
) -> None:
    with closing(Tuner(connected(first), journal)) as tuner:
        tuner.keep(tuner.apply(OFF).group)
    (kept,) = journal.changes()
    with closing(Tuner(connected(second), journal)) as tuner, pytest.raises(AnotherServerError):
        tuner.revert(kept.group)
    assert journal.get(kept.id).state is ChangeState.KEPT


def test_what_is_open_on_the_second_server_is_reverted_all_the_same(
    second: FakeDirectory, change: Change, journal: Journal
) -> None:
    with closing(Tuner(connected(second), journal)) as tuner:
        its_own = tuner.apply(Treatment((Setting("nsslapd-threadnumber", "32"),))).changes[0]
        with pytest.raises(AnotherServerError):
            tuner.recover()
    assert journal.get(its_own.id).state is ChangeState.REVERTED
    assert journal.get(change.id).state is ChangeState.APPLIED


def test_a_change_is_looked_up_by_identity_whatever_the_url(
    first: FakeDirectory, change: Change, journal: Journal
) -> None:
    first.url = "ldap://10.0.0.1"  # type: ignore[misc]
    with closing(Tuner(connected(first), journal)) as tuner:
        assert [each.id for each in tuner.recover()] == [change.id]
    assert value(first) == "on"


def test_a_campaign_goes_on_by_another_url_and_on_no_other_server(
    first: FakeDirectory, second: FakeDirectory, journal: Journal, tmp_path: Path
) -> None:
    candidate = Candidate(OFF, restart=False)
    trial = make_plan(Treatment(()), parse_design("pairs:12"), window_s=60, seed=1)
    plan = make_campaign((candidate,), trial, Limits(budget_s=1e6))
    target, output = connected(first), tmp_path / "c.ldapwb"
    with closing(Tuner(target, journal)) as tuner:
        CAMPAIGNS.write(new_campaign(plan, target, tuner, output))  # type: ignore[arg-type]
    with closing(Tuner(connected(second), journal)) as tuner:
        with pytest.raises(AnotherServerError, match="leads to another server now"):
            resumable(output, tuner)
        second.url = "ldap://ldap2"  # type: ignore[misc]
        with pytest.raises(UsageError, match="is on another server"):
            resumable(output, tuner)
    first.url = "ldap://ldap1"  # type: ignore[misc]
    with closing(Tuner(connected(first), journal)) as tuner:
        assert resumable(output, tuner).plan == plan


def test_a_canary_goes_on_by_another_url_and_on_no_other_server(
    first: FakeDirectory, second: FakeDirectory, journal: Journal
) -> None:
    target = connected(first)
    seat = Seat("fake", "ldap://fake.example:389", target.facts.identity, "s.ldapwb", ())
    canary = Canary(make_canary(OFF, 2, 8, window_s=60, seed=1), (seat,), 5)
    with (
        closing(Tuner(connected(second), journal)) as tuner,
        pytest.raises(AnotherServerError),
    ):
        refuse_other_servers(canary, [(target, tuner)])  # type: ignore[list-item]
    first.url = "ldap://ldap1"  # type: ignore[misc]
    with closing(Tuner(target, journal)) as tuner:
        refuse_other_servers(canary, [(target, tuner)])  # type: ignore[list-item]


class Failover:
    """A target whose name leads elsewhere from the next link on."""

    def __init__(self, directory: FakeDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
        self.leads_to = directory
        monkeypatch.setattr(ldap, "open_directory", lambda *_: self.leads_to)
        fake = connected(directory)
        self.target = Target(fake.profile, Secrets(), fake.facts, directory, None, same_clock())

    def to(self, directory: FakeDirectory) -> None:
        """The old link breaks and a new one reaches another server."""
        self.leads_to = directory
        self.target.directory.close()
        directory.broken = False


@pytest.fixture
def failover(first: FakeDirectory, monkeypatch: pytest.MonkeyPatch) -> Failover:
    return Failover(first, monkeypatch)


@pytest.mark.parametrize("its_own", ["on", "off"])
def test_a_link_made_anew_to_another_server_reverts_nothing(
    failover: Failover,
    first: FakeDirectory,
    second: FakeDirectory,
    journal: Journal,
    its_own: str,
) -> None:
    second.entries[CONFIG][HASH] = (its_own,)
    with closing(Tuner(failover.target, journal)) as tuner:
        (made,) = tuner.apply(OFF).changes
        failover.to(second)
        with pytest.raises(AnotherServerError, match=r"ldap2\.example\.com .*, not ldap1"):
            tuner.put_back()
        assert journal.get(made.id).state is ChangeState.APPLIED
        assert (value(first), value(second), second.written) == ("off", its_own, [])
        failover.to(first)
        assert [each.state for each in tuner.put_back()] == [ChangeState.REVERTED]
    assert value(first) == "on"


def test_nothing_is_written_once_the_answers_come_from_another_server(
    first: FakeDirectory, second: FakeDirectory, journal: Journal
) -> None:
    """Behind a proxy that speaks LDAP one link leads to several servers."""
    target = connected(first)
    with closing(Tuner(target, journal)) as tuner:
        (made,) = tuner.apply(OFF).changes
        target.directory = second
        with pytest.raises(AnotherServerError):
            tuner.put_back()
        with pytest.raises(AnotherServerError):
            tuner.revert(made.group)
        first.entries[CONFIG][HASH] = ("on",)
        target.directory = first
        tuner.revert(made.group)
        target.directory = second
        with pytest.raises(AnotherServerError):
            tuner.apply(OFF)
    assert second.written == []
    assert [each.state for each in journal.changes()] == [ChangeState.REVERTED]


def test_a_server_that_does_not_say_who_it_is_any_more_is_asked_again(
    failover: Failover, second: FakeDirectory
) -> None:
    """It may be starting; what is asked again has an end, and no link is made to it."""
    second.entries[CONFIG].pop("nsslapd-port")
    second.entries[CONFIG].pop("nsslapd-certdir")
    failover.leads_to = second
    with pytest.raises(ConnectError, match="does not say whether it is still ldap1"):
        failover.target.reconnect()
    assert second.broken, "closed again"


def test_nothing_is_put_back_where_the_journal_cannot_be_read_and_the_name_has_moved(
    first: FakeDirectory,
    second: FakeDirectory,
    journal: Journal,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise ChangeError("The journal cannot be used: input/output error.")

    target = connected(first)
    with closing(Tuner(target, journal)) as tuner:
        tuner.apply(OFF)
        for name in ("update", "open_changes", "identity_of"):
            monkeypatch.setattr(journal, name, gone)
        target.directory = second
        with pytest.raises(AnotherServerError):
            tuner.put_back()
    assert second.written == []


DURABLE = "nsslapd-db-durable-transaction"


def dse_of(directory: FakeDirectory) -> str:
    """The file that the server has of itself."""
    blocks = []
    for dn, attributes in directory.entries.items():
        lines = [f"{name}: {value}" for name, values in attributes.items() for value in values]
        blocks.append("\n".join([f"dn: {dn}".rstrip(), *lines]) + "\n")
    return "\n".join(blocks)


class Host:
    """Runs one server: what it is told, and the dse.ldif there."""

    name = "ssh://admin@ldap.example.com:22"

    def __init__(self, directory: FakeDirectory) -> None:
        self.directory = directory
        self.ran: list[str] = []

    def run(self, argv: Sequence[str], **_: object) -> CommandResult:
        word = argv[1] if argv[0] == "systemctl" else argv[-1]
        self.ran.append(word)
        return CommandResult(0, dse_of(self.directory).encode() if word == "read" else b"", b"")

    def close(self) -> None:
        """Nothing to close."""


def edited_on(directory: FakeDirectory, journal: Journal) -> Change:
    """An edit of its dse.ldif that was interrupted: the server may be stopped."""
    now = read_identity(directory)
    treatment = Treatment((Setting(DURABLE, "off"),))
    group = journal.begin("ldap://fake.example", treatment, "", now)
    change = journal.intend(
        group=group,
        server="ldap://fake.example",
        knob=DURABLE,
        dn=BDB,
        attribute=DURABLE,
        before=("on",),
        asked=("off",),
    )
    journal.note_edit(change, OfflineEdit("/etc/dirsrv/slapd-corp/dse.ldif", *STOP, ("on",)))
    return change


STOP = ("systemctl stop dirsrv@corp", "systemctl start dirsrv@corp")


def test_a_dse_ldif_says_whose_it_is(first: FakeDirectory, second: FakeDirectory) -> None:
    assert identity_in_file(dse_of(first)).instance == read_identity(first).instance
    assert identity_in_file(dse_of(first)).difference(identity_in_file(dse_of(second)))
    assert not identity_in_file("dn: cn=config\nnsslapd-port: 389\n").known


def test_an_interrupted_edit_stops_no_other_server(
    first: FakeDirectory, second: FakeDirectory, journal: Journal
) -> None:
    """Nothing answers over LDAP, and SSH leads to the host of another server."""
    change = edited_on(first, journal)
    host = Host(second)
    with pytest.raises(AnotherServerError, match="ldap2"):
        revive("ldap://fake.example", host, journal, lambda: None)
    assert host.ran == ["read"]
    assert journal.get(change.id).state is ChangeState.INTENDED
    host = Host(first)
    revive("ldap://fake.example", host, journal, lambda: None)
    assert [word for word in host.ran if word in ("stop", "start")] == ["stop", "start"]


def test_an_edit_stops_no_other_server_than_ldap_reaches(
    first: FakeDirectory, second: FakeDirectory, journal: Journal
) -> None:
    change = edited_on(first, journal)
    target = connected(first)
    first.entries[BDB][DURABLE] = ("off",)
    host = Host(second)
    target.shell = host  # type: ignore[assignment]
    with closing(Tuner(target, journal)) as tuner:
        tuner.may_stop = True
        with pytest.raises(AnotherServerError, match="ldap2"):
            tuner.revert(change.group)
    assert host.ran == ["read"]
    assert journal.get(change.id).state.open


def as_noted(**parts: str) -> FakeTarget:
    """A server with these parts of an identity; the instance is that of a copied configuration."""
    directory = server("ldap1.example.com")
    target = connected(directory)
    target.facts = replace(target.facts, **parts)
    directory.certificate = parts.get("certificate", "").encode()  # type: ignore[attr-defined]
    if directory.certificate:  # type: ignore[attr-defined]
        shown = certificate_of(directory)
        target.facts = replace(target.facts, certificate=shown)
    return target


@pytest.mark.parametrize(
    ("part", "named"),
    [("machine", "the machine-id of the host"), ("certificate", "the certificate")],
)
def test_a_copy_with_the_same_instance_is_another_server(
    journal: Journal, part: str, named: str
) -> None:
    with closing(Tuner(as_noted(**{part: "one"}), journal)) as tuner:
        (made,) = tuner.apply(OFF).changes
    copy = as_noted(**{part: "other"})
    with closing(Tuner(copy, journal)) as tuner:
        with pytest.raises(AnotherServerError, match=f"What differs is {named}"):
            tuner.recover()
        with pytest.raises(AnotherServerError):
            tuner.revert(made.group)
    assert copy.directory.written == []
    assert journal.get(made.id).state is ChangeState.APPLIED


def test_the_operator_says_that_a_certificate_was_renewed(journal: Journal) -> None:
    first = as_noted(certificate="one")
    with closing(Tuner(first, journal)) as tuner:
        tuner.apply(OFF)
    renewed = as_noted(certificate="other")
    renewed.directory.entries = first.directory.entries
    with closing(Tuner(renewed, journal)) as tuner:
        with pytest.raises(AnotherServerError) as refused:
            tuner.recover()
        assert "--yes" in str(refused.value.remedy)
        tuner.accept_new_certificate()
        assert [each.state for each in tuner.recover()] == [ChangeState.REVERTED]
    copy = as_noted(certificate="third", machine="m")
    with closing(Tuner(as_noted(certificate="third", machine="n"), journal)) as tuner:
        tuner.apply(OFF)
    with closing(Tuner(copy, journal)) as tuner:
        tuner.accept_new_certificate()
        with pytest.raises(AnotherServerError, match="machine-id"):
            tuner.recover()


@pytest.mark.parametrize("part", ["machine", "certificate"])
def test_a_part_that_one_side_does_not_know_is_no_difference(journal: Journal, part: str) -> None:
    first = as_noted(**{part: "one"})
    with closing(Tuner(first, journal)) as tuner:
        tuner.apply(OFF)
    plain = as_noted()
    plain.directory.entries = first.directory.entries
    with closing(Tuner(plain, journal)) as tuner:
        assert [each.state for each in tuner.recover()] == [ChangeState.REVERTED]


def test_another_port_of_one_server_may_show_another_certificate(journal: Journal) -> None:
    first = as_noted(certificate="one")
    with closing(Tuner(first, journal)) as tuner:
        tuner.apply(OFF)
    admin = as_noted(certificate="other")
    admin.directory.entries = first.directory.entries
    admin.directory.url = "ldaps://fake.example:4444"  # type: ignore[misc]
    with closing(Tuner(admin, journal)) as tuner:
        assert [each.state for each in tuner.recover()] == [ChangeState.REVERTED]


def test_an_identity_by_another_formula_is_compared_with_none(
    first: FakeDirectory, journal: Journal
) -> None:
    """What it was made of is not known here: then the URL counts, and the operator is asked."""
    target = connected(first)
    now = read_identity(first)
    group = journal.begin("ldap://fake.example", OFF, "", replace(now, instance="x", formula=99))
    change = journal.intend(
        group=group,
        server="ldap://fake.example",
        knob=HASH,
        dn=CONFIG,
        attribute=HASH,
        before=("on",),
        asked=("off",),
    )
    assert journal.identity_of(change).formula == 99
    with closing(Tuner(target, journal)) as tuner:
        assert [each.id for each in tuner.open_changes()] == [change.id]
        assert tuner.is_known_by_url_alone(change)
        tuner.recover()
    assert journal.get(change.id).state is ChangeState.REVERTED


def test_a_knob_of_the_host_is_set_on_the_host_of_before(
    target: FakeTarget, journal: Journal
) -> None:
    assert target.shell is not None
    target.shell.files["/etc/machine-id"] = "a1"
    target.facts = replace(target.facts, machine=read_machine(target.shell))
    treatment = Treatment((Setting("read_ahead_kb", "256", "vda"),))
    with closing(Tuner(target, journal)) as tuner:
        (made,) = tuner.apply(treatment).changes
        target.shell.files["/etc/machine-id"] = "b2"
        with pytest.raises(AnotherServerError, match="machine-id"):
            tuner.revert(made.group)
    assert target.shell.files[READ_AHEAD] == "256"
    assert journal.get(made.id).state.open


def test_a_shell_made_anew_leads_to_the_same_host(
    failover: Failover, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = failover.target
    one, other = FakeShell(failover.leads_to), FakeShell(failover.leads_to)
    one.files["/etc/machine-id"], other.files["/etc/machine-id"] = "a1", "b2"
    target.shell, target.facts = one, replace(target.facts, machine=read_machine(one))
    monkeypatch.setattr(target, "another_shell", lambda: other)
    failover.to(server("ldap1.example.com"))
    one.run = broken  # type: ignore[assignment]
    with pytest.raises(AnotherServerError, match="machine-id"):
        target.reconnect()


def broken(*_: object, **__: object) -> CommandResult:
    raise ConnectError(Message("The connection to the host broke."))
