"""What was not stored is not stored after a revert, and where that cannot be it is said before."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.connect.directory import Entry
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.change import Change, ChangeState, Origin, left_stored
from ldap_workbench.model.errors import ChangeError, ConflictError, ConnectError, DirectoryError
from ldap_workbench.model.message import Message
from ldap_workbench.servers.entry import identity_of_389ds
from ldap_workbench.tuning.catalogue import load_catalogue
from ldap_workbench.tuning.config_file import with_values
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.ldif import ldif_to_undo
from ldap_workbench.tuning.stored import STORED_NAMES
from ldap_workbench.tuning.tuner import Tuner
from tests.systems import IS_ROOT
from tests.unit.tuning.fakes import CONFIG, FACTS, FakeDirectory, FakeShell, FakeTarget

THREADS, STATLOG = "nsslapd-threadnumber", "nsslapd-statlog-level"
COMPUTED = {THREADS: ("16",), STATLOG: ("0",), "nsslapd-sizelimit": ("2000",)}
ROOT = {"createTimestamp": ("20261121010000Z",)}


class Server(FakeDirectory):
    """A 389 DS that shows a value for what its dse.ldif, a real file, does not have."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.file = folder / "dse.ldif"
        self.pinned = {STATLOG}
        self.host = {
            "nsslapd-localhost": ("fake.example",),
            "nsslapd-port": ("389",),
            "nsslapd-certdir": (str(folder),),
        }
        self.entries[CONFIG] |= COMPUTED | self.host
        self.entries[""] = dict(ROOT)
        lines = [f"{name}: {value[0]}" for name, value in self.host.items()]
        secret = "nsslapd-rootpw: {PBKDF2-SHA512}secret\n and more of it"
        self.file.write_text(
            "dn:\nobjectClass: top\ncreateTimestamp: 20261121010000Z\n\n"
            f"dn: cn=config\ncn: config\n{secret}\n" + "\n".join(lines) + "\n"
        )
        self.facts = replace(
            FACTS,
            host="fake.example",
            identity=identity_of_389ds(Entry("", ROOT), Entry(CONFIG, self.host)),
        )

    def store(self, attribute: str, values: tuple[str, ...] | None) -> None:
        self.file.write_text(with_values(self.file.read_text(), CONFIG, attribute, values))

    def _set(self, dn: str, attribute: str, values: tuple[str, ...] | None) -> str:
        if values is None and attribute in self.pinned:
            raise DirectoryError(Message("Deleting it was refused."), code=53, message="no")
        said = super()._set(dn, attribute, values)
        if dn == CONFIG:
            self.store(attribute, values)
            if values is None:
                self.entries[CONFIG][attribute] = COMPUTED[attribute]
        return said


class Shell(FakeShell):
    """Runs the script that reads dse.ldif, and nothing else, on this machine."""

    broken = False

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        sudo: bool = False,
        timeout: float = 30.0,
    ) -> CommandResult:
        if list(argv[:4]) != ["sh", "-c", STORED_NAMES.text, "stored-names"]:
            return super().run(argv, stdin=stdin, sudo=sudo, timeout=timeout)
        if self.broken:
            raise ConnectError(Message("The host does not answer."))
        self.ran.append((list(argv), sudo))
        done = subprocess.run(argv, capture_output=True, check=False)
        return CommandResult(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    tmp_path.chmod(0o700)
    return Server(tmp_path)


@pytest.fixture
def target(server: Server) -> FakeTarget:
    target = FakeTarget(facts=server.facts)
    target.directory = server
    target.shell = Shell(server)
    return target


@pytest.fixture
def tuner(target: FakeTarget) -> Iterator[Tuner]:
    with_journal = Tuner(target, Journal())
    yield with_journal
    with_journal.close()
    with_journal.journal.close()


def apply(tuner: Tuner, target: FakeTarget, setting: str) -> Change:
    treatment = tuner.catalogue.treatment([setting], target.facts)
    return tuner.apply(treatment).changes[-1]


def question(tuner: Tuner, target: FakeTarget, setting: str) -> str:
    (planned,) = tuner.plan(tuner.catalogue.treatment([setting], target.facts))
    return str(planned.describe())


def test_what_was_not_stored_is_not_stored_after_a_revert(
    tuner: Tuner, target: FakeTarget, server: Server
) -> None:
    before = server.file.read_bytes()
    assert "16 is automatic: a revert removes" in question(tuner, target, f"{THREADS}=32")
    change = apply(tuner, target, f"{THREADS}=32")
    assert (change.before, change.got, change.origin) == (("16",), ("32",), Origin.AUTOMATIC)
    assert f"{THREADS}: 32" in server.file.read_text()
    (reverted,) = tuner.revert(change.group)
    assert server.file.read_bytes() == before
    assert reverted.state is ChangeState.REVERTED
    assert "nothing is stored, as before" in str(reverted.message)
    assert tuner.journal.get(change.id) == reverted, "another process has to know, too"


def test_what_was_stored_is_stored_after_a_revert(
    tuner: Tuner, target: FakeTarget, server: Server
) -> None:
    server.store(THREADS, ("16",))
    before = server.file.read_bytes()
    change = apply(tuner, target, f"{THREADS}=32")
    assert change.origin is Origin.STORED
    tuner.revert(change.group)
    assert server.file.read_bytes() == before


def test_minus_one_that_reads_as_16_is_minus_one_again(
    tuner: Tuner, target: FakeTarget, server: Server
) -> None:
    server.store(THREADS, ("-1",))
    before = server.file.read_bytes()
    change = apply(tuner, target, f"{THREADS}=32")
    assert (change.before, change.stored) == (("16",), ("-1",))
    tuner.revert(change.group)
    assert server.file.read_bytes() == before


def test_a_value_that_reads_as_before_is_taken_out_again(
    tuner: Tuner, target: FakeTarget, server: Server
) -> None:
    before = server.file.read_bytes()
    with pytest.raises(ChangeError, match="still reads 16"):
        apply(tuner, target, f"{THREADS}=-1")
    assert server.file.read_bytes() == before
    assert tuner.journal.changes(open_only=True) == []


def test_what_the_server_does_not_delete_is_said_before_and_after(
    tuner: Tuner, target: FakeTarget, server: Server
) -> None:
    asked = question(tuner, target, f"{STATLOG}=1")
    assert "0 is automatic, and it will be restored as 0, which is then stored" in asked
    change = apply(tuner, target, f"{STATLOG}=1")
    assert change.origin is Origin.PINNED
    (reverted,) = tuner.revert(change.group)
    assert "0 is stored now, it was automatic" in str(reverted.message)
    assert f"{STATLOG}: 0" in server.file.read_text()


def test_a_treatment_that_is_taken_back_does_not_claim_what_is_not_so(
    tuner: Tuner, target: FakeTarget, server: Server
) -> None:
    """The first setting was written and put back before the second was refused."""

    def refuse(attribute: str) -> None:
        if attribute == THREADS:
            raise DirectoryError(Message("It was refused."), code=53, message="no")

    server.before_write = refuse
    treatment = tuner.catalogue.treatment([f"{STATLOG}=1", f"{THREADS}=32"], target.facts)
    with pytest.raises(ChangeError) as caught:
        tuner.apply(treatment)
    assert (
        f"Put back: {STATLOG}. {STATLOG} was automatic; reverted, it is stored as 0. "
        "All else is as it was before."
    ) in str(caught.value.safe)


def test_a_deletion_that_is_refused_leaves_the_value_that_was_read(
    tuner: Tuner, target: FakeTarget, server: Server
) -> None:
    change = apply(tuner, target, f"{THREADS}=32")
    server.pinned = {THREADS}
    (reverted,) = tuner.revert(change.group)
    assert server.entries[CONFIG][THREADS] == ("16",)
    assert "16 is stored now, it was automatic: Deleting it was refused" in str(reverted.message)
    assert reverted.origin is tuner.journal.get(change.id).origin is Origin.PINNED
    (left,) = tuner.journal.left_stored({change.session})
    assert str(left) == f"{THREADS} was automatic; reverted, it is stored as 16."
    assert tuner.journal.left_stored({"another.ldapwb"}) == ()


def test_what_an_earlier_revert_had_to_store_is_named_when_a_kept_change_is_reverted(
    tuner: Tuner, target: FakeTarget, server: Server
) -> None:
    """The second application finds stored what the first one's revert has left."""
    server.pinned = {THREADS}
    tuner.revert(apply(tuner, target, f"{THREADS}=32").group)
    refused = tuner.catalogue.treatment([f"{THREADS}=-1"], target.facts)
    with pytest.raises(ChangeError, match="still reads 16"):
        tuner.apply(refused)
    kept = apply(tuner, target, f"{THREADS}=32")
    assert kept.origin is Origin.PINNED
    tuner.keep(kept.group)
    reverted = tuner.revert(kept.group)
    stays = f"{THREADS} was automatic; reverted, it is stored as 16."
    assert [str(each) for each in left_stored(reverted)] == [stays]
    assert "16 is stored now, it was automatic" in str(reverted[0].message)


@pytest.mark.parametrize("later", ["set by another", "kept in between"])
def test_a_value_that_nobody_pinned_is_reverted_without_a_word(
    tuner: Tuner, target: FakeTarget, server: Server, later: str
) -> None:
    server.pinned = {THREADS}
    tuner.revert(apply(tuner, target, f"{THREADS}=32").group)
    if later == "set by another":
        server.replace(CONFIG, THREADS, ("24",), expected=("16",))
    else:
        tuner.keep(apply(tuner, target, f"{THREADS}=24").group)
    change = apply(tuner, target, f"{THREADS}=32")
    assert (change.before, change.origin) == (("24",), Origin.STORED)
    assert left_stored(tuner.revert(change.group)) == ()


@pytest.mark.parametrize("why", ["no shell", "not readable", "of another server"])
def test_what_cannot_be_looked_at_is_said_before_and_after(
    tuner: Tuner, target: FakeTarget, server: Server, why: str
) -> None:
    if why == "no shell":
        target.shell = None
    elif why == "not readable":
        server.file.rename(server.file.with_suffix(".gone"))
    else:
        other = server.file.read_text().replace("20261121010000Z", "20250101000000Z")
        server.file.write_text(other)
    asked = question(tuner, target, f"{THREADS}=32")
    assert "It will be restored as 16, and is then stored, also if 16 is automatic" in asked
    if why == "not readable":
        server.file.with_suffix(".gone").rename(server.file)
        server.file.chmod(0o600)
        target.shell = None
    change = apply(tuner, target, f"{THREADS}=32")
    assert change.origin is Origin.UNKNOWN
    (reverted,) = tuner.revert(change.group)
    assert "16 is stored now; whether it was is not known" in str(reverted.message)


def test_what_is_always_stored_is_put_back_without_a_word(
    tuner: Tuner, target: FakeTarget, server: Server
) -> None:
    target.shell = None
    assert "restored" not in question(tuner, target, "nsslapd-lookthroughlimit=9000")


def test_a_host_that_is_gone_holds_up_no_revert(
    tuner: Tuner, target: FakeTarget, server: Server
) -> None:
    before = server.file.read_bytes()
    change = apply(tuner, target, f"{THREADS}=32")
    assert isinstance(target.shell, Shell)
    target.shell.broken = True
    (reverted,) = tuner.revert(change.group)
    assert server.file.read_bytes() == before
    assert "could not be looked at: The host does not answer" in str(reverted.message)


def test_a_setting_that_is_still_stored_stays_open(
    tuner: Tuner, target: FakeTarget, server: Server
) -> None:
    change = apply(tuner, target, f"{THREADS}=32")
    server.after_write = lambda name: server.store(name, ("16",))
    with pytest.raises(ChangeError, match="was removed, but is still stored"):
        tuner.revert(change.group)
    assert tuner.journal.get(change.id).state is ChangeState.REVERTING
    server.after_write = None
    tuner.recover()
    assert THREADS not in server.file.read_text()


def test_killed_between_deletion_and_note_it_is_only_noted(
    tuner: Tuner, target: FakeTarget, server: Server
) -> None:
    change = apply(tuner, target, f"{THREADS}=32")
    tuner.journal.update(change, state=ChangeState.REVERTING)
    server.replace(CONFIG, THREADS, None, expected=("32",))
    server.entries[CONFIG][THREADS] = ("18",)
    written = len(server.written)
    (recovered,) = tuner.recover()
    assert recovered.state is ChangeState.REVERTED
    assert len(server.written) == written


def test_a_value_that_somebody_else_has_stored_is_left(
    tuner: Tuner, target: FakeTarget, server: Server
) -> None:
    change = apply(tuner, target, f"{THREADS}=32")
    server.replace(CONFIG, THREADS, ("16",), expected=("32",))
    with pytest.raises(ConflictError):
        tuner.revert(change.group)
    assert f"{THREADS}: 16" in server.file.read_text()
    tuner.revert(change.group, force=True)
    assert THREADS not in server.file.read_text()


def test_a_change_of_an_earlier_version_is_reverted_as_it_was(
    tuner: Tuner, target: FakeTarget, server: Server
) -> None:
    change = apply(tuner, target, f"{THREADS}=32")
    with closing(sqlite3.connect(tuner.journal.path)) as database, database:
        database.execute("DELETE FROM origin")  # as an upgrade leaves it
    (reverted,) = tuner.revert(change.group)
    assert reverted.state is ChangeState.REVERTED
    assert f"{THREADS}: 16" in server.file.read_text()


def test_the_ldif_that_undoes_it_deletes(tuner: Tuner, target: FakeTarget) -> None:
    change = apply(tuner, target, f"{THREADS}=32")
    assert f"delete: {THREADS}\n-\n" in ldif_to_undo([change])


def test_no_value_but_what_says_whose_file_it_is_leaves_the_host(server: Server) -> None:
    server.store(THREADS, ("-1",))
    argv = STORED_NAMES.argv(server.file)  # type: ignore[arg-type]
    said = subprocess.run(argv, capture_output=True, check=True).stdout.decode()
    assert "secret" not in said
    assert "more of it" not in said
    assert said.splitlines() == [
        "dn:", "objectClass:", "createTimestamp: 20261121010000Z", "",
        "dn: cn=config", "cn:", "nsslapd-rootpw:", "nsslapd-localhost: fake.example",
        "nsslapd-port: 389", f"nsslapd-certdir: {server.file.parent}", f"{THREADS}: -1",
    ]  # fmt: skip


def test_a_file_with_names_in_small_letters_is_read_too(
    tuner: Tuner, target: FakeTarget, server: Server
) -> None:
    """As 389 DS writes it after a start with nsslapd-return-exact-case off."""
    server.file.write_text(server.file.read_text().replace("createTimestamp", "createtimestamp"))
    assert apply(tuner, target, f"{THREADS}=32").origin is Origin.AUTOMATIC


def test_a_long_dn_is_printed_whole(tmp_path: Path) -> None:
    file = tmp_path / "dse.ldif"
    file.write_text("dn: cn=one,cn=two,\n cn=three\ncn: one,\n two\n\ndn: cn=four\ncn: four\n")
    tmp_path.chmod(0o700)
    said = subprocess.run(STORED_NAMES.argv(file), capture_output=True, check=True)  # type: ignore[arg-type]
    assert said.stdout == b"dn: cn=one,cn=two,\n cn=three\ncn:\n\ndn: cn=four\ncn:\n"


def test_the_catalogue_says_which_attributes_are_shown_though_not_stored() -> None:
    knobs = load_catalogue("389ds").knobs
    assert {knob.dn for knob in knobs if knob.computed} == {CONFIG}
    assert {knob.dn for knob in load_catalogue("openldap").knobs if knob.computed} == set()
    assert {knob.name for knob in knobs if knob.pinned == "any"} == {
        "nsslapd-maxdescriptors", STATLOG, "passwordStorageScheme", "nsslapd-connection-buffer",
        "nsslapd-auditlog",
    }  # fmt: skip


@pytest.mark.skipif(not IS_ROOT, reason="only root becomes the owner of a file")
def test_a_link_to_a_file_of_root_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "slapd-x"
    folder.mkdir()
    folder.chmod(0o777)
    link = folder / "dse.ldif"
    link.symlink_to("/etc/shadow")
    done = subprocess.run(STORED_NAMES.argv(link), capture_output=True, check=False)  # type: ignore[arg-type]
    assert done.returncode != 0
    assert done.stdout == b""
