"""The journal: durable, shared by processes, strict about its version; and the server's lock."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ldap_workbench.files import seize
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import ChangeError, UsageError
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import NOTHING, Message, count_of, verbatim
from ldap_workbench.model.server_identity import ServerIdentity
from ldap_workbench.tuning import locks
from ldap_workbench.tuning.journal import VERSION, Journal, server_name
from ldap_workbench.tuning.journal_room import ROOM
from ldap_workbench.tuning.locks import ServerLock
from tests.systems import KILLED

TREATMENT = Treatment((Setting("nsslapd-threadnumber", "8"),))


def intend(journal: Journal, server: str = "ldap://a.example", group: str = "g"):
    return journal.intend(
        group=group,
        server=server,
        profile="p",
        knob="nsslapd-threadnumber",
        dn="cn=config",
        attribute="nsslapd-threadnumber",
        before=("16",),
        asked=("8",),
    )


def test_an_intended_change_is_on_disk_before_anything_else_happens(journal: Journal) -> None:
    intend(journal)
    with sqlite3.connect(journal.path) as other:
        assert other.execute("SELECT state, asked FROM change").fetchall() == [
            ("intended", '["8"]')
        ]
    other.close()


def test_every_write_is_synced(journal: Journal) -> None:
    assert journal._db.execute("PRAGMA synchronous").fetchone()[0] == 2
    assert journal._db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_survives_kill_9(home: Path) -> None:
    code = (
        "import os, signal\n"
        "from ldap_workbench.tuning.journal import Journal\n"
        "j = Journal()\n"
        "j.intend(group='g', server='ldap://a', knob='k', dn='d', attribute='a',"
        " before=None, asked=('1',))\n"
        "os.kill(os.getpid(), 9)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == KILLED
    (change,) = Journal().open_changes("ldap://a")
    assert (change.before, change.asked, change.got) == (None, ("1",), None)


def test_absent_and_values_come_back_as_they_went(journal: Journal) -> None:
    change = intend(journal)
    updated = journal.update(
        change,
        state=ChangeState.APPLIED,
        got=("8", 'q"ü'),
        message=verbatim("m"),
        needs_restart=True,
    )
    assert updated.got == ("8", 'q"ü')
    assert updated.state is ChangeState.APPLIED
    assert updated.needs_restart
    assert updated.updated_ns >= change.updated_ns
    assert journal.get(change.id) == updated


@pytest.mark.parametrize(
    "message",
    [
        NOTHING,
        verbatim("the server's own words"),
        verbatim('{"error": "in JSON"}'),
        count_of("{n} search", "{n} searches", n=3),
        Message("{where} reads {now}.", where="nsslapd-threadnumber", now=Message("absent")),
    ],
)
def test_a_message_keeps_its_parts(journal: Journal, message: Message) -> None:
    change = intend(journal)
    journal.update(change, message=message, proof=message)
    again = Journal().get(change.id)
    assert (again.message, again.proof) == (message, message)


def test_open_changes_are_those_that_may_be_in_force(journal: Journal) -> None:
    first, second = intend(journal), intend(journal, "ldap://b.example")
    journal.update(first, state=ChangeState.REVERTED)
    assert [each.id for each in journal.changes()] == [first.id, second.id]
    assert journal.changes(open_only=True) == [journal.get(second.id)]
    assert journal.open_changes("ldap://a.example") == []
    assert journal.open_changes("LDAP://B.example:389/") == [second]


def test_host_knobs_belong_to_the_server_they_were_changed_for(journal: Journal) -> None:
    group = journal.begin("ldap://a.example", TREATMENT, "then")
    change = intend(journal, "ssh://admin@a.example:22", group)
    assert journal.open_changes("ldap://a.example") == [change]
    assert journal.open_changes("ssh://admin@a.example") == [change]
    assert journal.open_changes("ldap://b.example") == []


def test_an_application_keeps_its_treatment(journal: Journal) -> None:
    group = journal.begin("ldap://a.example", TREATMENT, "20261121010000Z")
    application = journal.application(group)
    assert application.treatment == TREATMENT
    assert application.starttime == "20261121010000Z"


def test_unknown_numbers_are_refused(journal: Journal) -> None:
    with pytest.raises(UsageError):
        journal.get(99)
    with pytest.raises(UsageError):
        journal.group("nosuch")
    with pytest.raises(UsageError):
        journal.application("nosuch")


def test_only_its_owner_may_read_it(journal: Journal) -> None:
    assert stat.S_IMODE(journal.path.stat().st_mode) == 0o600


def test_a_newer_journal_is_refused(home: Path) -> None:
    journal = Journal()
    journal.close()
    with sqlite3.connect(journal.path) as other:
        other.execute("PRAGMA user_version = 99")
    other.close()
    with pytest.raises(ChangeError, match="newer"):
        Journal()


def test_a_file_that_is_no_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(b"not a database, " * 100)
    with pytest.raises(ChangeError, match="cannot be used"):
        Journal(path)


DAMAGES = (
    "UPDATE change SET state = 'half applied'",
    "UPDATE change SET before = '[\"16'",
    "UPDATE change SET asked = '8'",
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_word_no_workbench_writes_is_damage_and_no_bug(journal: Journal, damage: str) -> None:
    change = intend(journal)
    with sqlite3.connect(journal.path) as other:
        other.execute(damage)
    other.close()
    for read in (
        lambda: journal.get(change.id),
        lambda: journal.group("g"),
        lambda: journal.changes(),
        lambda: journal.open_changes("ldap://a.example"),
    ):
        with pytest.raises(ChangeError) as caught:
            read()
        assert f"is damaged: entry {change.id} cannot be read" in str(caught.value)
        assert "Nothing was written to a server" in str(caught.value.safe)
        assert "Move journal.sqlite away" in str(caught.value.remedy)


@pytest.mark.parametrize("treatment", ["[{", '[{"knob": "a", "worth": "8"}]', "8"])
def test_an_application_that_cannot_be_read_is_damage(journal: Journal, treatment: str) -> None:
    group = journal.begin("ldap://a.example", TREATMENT, "")
    with sqlite3.connect(journal.path) as other:
        other.execute("UPDATE application SET treatment = ?", (treatment,))
    other.close()
    with pytest.raises(ChangeError, match=f"is damaged: entry {group} cannot be read"):
        journal.application(group)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("ldap://Host.example", "ldap://host.example:389"),
        ("LDAPS://host.example/", "ldaps://host.example:636"),
        ("ldap://[::1]:1389", "ldap://[::1]:1389"),
        ("ssh://bob@host:2222", "ssh://bob@host:2222"),
        ("ldapi://%2frun%2fSlapd.socket", "ldapi://%2frun%2fSlapd.socket"),
        ("local://Laptop", "local://Laptop"),
    ],
)
def test_a_server_has_one_name(url: str, name: str) -> None:
    assert server_name(url) == name


HOLD = (
    "import sys\n"
    "from ldap_workbench.tuning.journal import Journal\n"
    "lock = Journal().lock('ldap://a.example')\n"
    "lock.acquire()\n"
    "print('held', flush=True)\n"
    "sys.stdin.read()\n"
)


def test_another_process_keeps_the_server_until_it_dies(journal: Journal) -> None:
    lock = journal.lock("ldap://a.example")
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(ChangeError, match=f"process {other.pid} since"):
            lock.acquire()
        journal.lock("ldap://b.example").acquire()
        other.kill()
        other.wait()
    lock.acquire()
    lock.release()


def test_a_lock_is_had_beside_a_process_that_only_asks_who_has_it(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To learn that nobody has it, a window takes it for a moment."""
    lock = journal.lock("ldap://a.example")
    lock.acquire()
    lock.release()
    asks = lock._path.open("r+b")
    seize(asks)
    monkeypatch.setattr(locks.time, "sleep", lambda _: asks.close())
    lock.acquire()
    assert asks.closed
    lock.release()


def test_one_process_may_take_a_lock_twice(journal: Journal) -> None:
    first, second = journal.lock("ldap://a.example"), journal.lock("ldap://a.example")
    first.acquire()
    second.acquire()
    first.release()
    code = HOLD.replace("sys.stdin.read()", "")
    environment = dict(os.environ)
    refused = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    assert b"Another workbench is running" in refused.stderr
    second.release()
    taken = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    assert taken.stdout == b"held\n"


@pytest.mark.parametrize("obstacle", ["/dev/full", "/nowhere/file"])
def test_a_lock_that_cannot_be_written_is_said_and_not_held(
    journal: Journal, home: Path, obstacle: str
) -> None:
    lock = journal.lock("ldap://a.example")
    lock._path.parent.mkdir(parents=True, exist_ok=True)
    lock._path.symlink_to(obstacle)
    with pytest.raises(ChangeError, match="cannot be written") as caught:
        lock.acquire()
    assert str(caught.value.safe) == "Nothing was changed."
    lock._path.unlink()
    lock.acquire()
    lock.release()


def test_an_open_change_is_closed_on_the_operators_word_and_says_why(journal: Journal) -> None:
    group = journal.begin("ldap://a.example", TREATMENT, "")
    kept, opened = (intend(journal, "ldap://a.example", group) for _ in range(2))
    journal.update(kept, state=ChangeState.KEPT)
    (closed,) = journal.close_unreverted(group, "  the server was scrapped ")
    assert (closed.id, closed.state) == (opened.id, ChangeState.CLOSED)
    assert str(closed.message) == "Closed without a revert: the server was scrapped"
    assert journal.get(kept.id).state is ChangeState.KEPT
    with pytest.raises(UsageError, match="None of the changes made together with this one is open"):
        journal.close_unreverted(group, "again")


@pytest.mark.parametrize("because", ["", "  "])
def test_a_change_is_not_closed_without_a_reason(journal: Journal, because: str) -> None:
    group = journal.begin("ldap://a.example", TREATMENT, "")
    change = intend(journal, "ldap://a.example", group)
    with pytest.raises(UsageError, match="The reason is missing"):
        journal.close_unreverted(group, because)
    assert journal.get(change.id).state.open


def test_a_change_is_not_closed_while_another_workbench_is_at_work(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = journal.begin("ldap://a.example", TREATMENT, "")
    change = intend(journal, "ldap://a.example", group)
    released: list[object] = []

    def taken(lock: ServerLock) -> None:
        raise ChangeError(Message("Another workbench is at work."))

    with monkeypatch.context() as patch:
        patch.setattr(ServerLock, "acquire", taken)
        with pytest.raises(ChangeError, match="Another workbench"):
            journal.close_unreverted(group, "gone")
    assert journal.get(change.id).state.open
    monkeypatch.setattr(ServerLock, "release", lambda lock: released.append(lock))
    journal.close_unreverted(group, "gone")
    assert len(released) == 1


def test_the_server_of_a_change_without_its_application_is_not_known(journal: Journal) -> None:
    change = intend(journal, group="none")
    assert not journal.identity_of(change).known
    assert journal.identity_of(change).url == ""


def test_an_earlier_journal_gets_what_it_lacks_and_loses_nothing(home: Path) -> None:
    first = Journal()
    group = first.begin("ldap://a.example", TREATMENT, "then")
    change = intend(first, "ldap://a.example", group)
    first.close()
    with sqlite3.connect(first.path) as earlier:
        for column in ("identity", "host", "machine", "certificate", "formula"):
            earlier.execute(f"ALTER TABLE application DROP COLUMN {column}")
        earlier.execute("PRAGMA user_version = 1")
    earlier.close()
    second = Journal()
    assert second.open_changes("ldap://a.example") == [change]
    assert second.application(group).treatment == TREATMENT
    assert not second.identity_of(change).known
    identity = ServerIdentity("one", "host", "machine", "certificate", "ldap://b.example:389")
    noted = second.begin("ldap://b.example", TREATMENT, "", identity)
    assert second.identity_of(intend(second, "ldap://b.example", noted)) == identity
    second.close()
    with sqlite3.connect(first.path) as now:
        assert now.execute("PRAGMA user_version").fetchone() == (VERSION,)
    now.close()


def test_a_change_is_found_by_the_instance_whatever_the_url(journal: Journal) -> None:
    identity = ServerIdentity("one", "host")
    group = journal.begin("ldap://a.example", TREATMENT, "", identity)
    change = intend(journal, "ldap://a.example", group)
    assert journal.open_changes("ldap://alias.example", "one") == [change]
    assert journal.open_changes("ldap://alias.example") == []
    assert journal.open_changes("ldap://a.example", "two") == []
    assert journal.open_elsewhere("ldap://a.example", "two") == [change]
    assert journal.open_elsewhere("ldap://a.example", "one") == []


def test_a_full_disk_and_a_file_nobody_may_write_have_their_remedies(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def remedy(error: Exception) -> str:
        def fail(*_: object) -> None:
            raise error

        monkeypatch.setattr("ldap_workbench.tuning.journal.take_room", fail)
        with pytest.raises(ChangeError) as caught:
            journal.begin("ldap://a.example", TREATMENT, "")
        assert "cannot be used" in str(caught.value.what)
        assert str(caught.value.safe) == "Nothing is written to a server without it."
        return str(caught.value.remedy)

    room = "Make room on the disk, then try again."
    assert remedy(OSError(errno.ENOSPC, "full")) == room
    assert remedy(OSError(errno.EDQUOT, "quota")) == room
    assert remedy(OSError(errno.EACCES, "denied")).startswith("Check the permissions")
    assert remedy(sqlite3.OperationalError("locked")).startswith("Check the permissions")
    full = sqlite3.OperationalError("full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL | 1 << 8
    assert remedy(full) == room
    for code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        damaged = sqlite3.DatabaseError("malformed")
        damaged.sqlite_errorcode = code
        assert remedy(damaged).startswith("The file is damaged. Move journal.sqlite away")


def test_room_is_taken_before_a_change_and_does_not_add_up(journal: Journal) -> None:
    log = Path(f"{journal.path}-wal")
    sizes = []
    for _ in range(3):
        intend(journal, group=journal.begin("ldap://a.example", TREATMENT, ""))
        sizes.append(log.stat().st_size)
    assert min(sizes) >= ROOM
    assert max(sizes) < 2 * ROOM


def test_a_journal_lies_in_a_folder_of_its_owner(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "new" / "journal.sqlite")
    assert stat.S_IMODE(journal.path.parent.stat().st_mode) == 0o700
    journal.close()


def test_a_change_remembers_what_was_asked_of_it(journal: Journal) -> None:
    change = journal.intend(
        group="g",
        server="LDAP://A.example/",
        knob="k",
        dn="d",
        attribute="a",
        before=None,
        asked=(),
        profile="lab",
        session="s.ldapwb",
        needs_restart=True,
    )
    assert (change.server, change.profile, change.session) == (
        "ldap://a.example:389",
        "lab",
        "s.ldapwb",
    )
    assert (change.needs_restart, change.state) == (True, ChangeState.INTENDED)
    assert (change.before, change.asked, change.got) == (None, (), None)
    assert (change.message, change.proof) == (NOTHING, NOTHING)
    assert change.created_ns == change.updated_ns
    assert not intend(journal).needs_restart


def test_a_server_that_does_not_answer_is_locked_as_the_instance_it_was_last(
    journal: Journal,
) -> None:
    for instance in ("first", "second"):
        journal.begin("ldap://a.example", TREATMENT, "", ServerIdentity(instance))
    journal.begin("ldap://a.example", TREATMENT, "")
    journal.begin("ldap://b.example", TREATMENT, "", ServerIdentity("third"))

    def path(*arguments: str) -> Path:
        return journal.lock(*arguments)._path

    assert path("ldap://a.example") == path("ldap://elsewhere", "second")
    assert path("ldap://a.example", "first") == path("ldap://elsewhere", "first")
    assert path("ldap://c.example") not in (path("ldap://a.example"), path("ldap://b.example"))


def test_an_upgrade_that_fails_half_way_changes_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Journal()
    first.close()
    with sqlite3.connect(first.path) as earlier:
        for column in ("identity", "host"):
            earlier.execute(f"ALTER TABLE application DROP COLUMN {column}")
        earlier.execute("PRAGMA user_version = 1")
    earlier.close()
    added = {"identity": "", "host": "", "odd)name": ""}
    with monkeypatch.context() as patch:
        patch.setattr("ldap_workbench.tuning.journal._ADDED", added)
        with pytest.raises(ChangeError, match="cannot be used"):
            Journal()
    with sqlite3.connect(first.path) as left:
        columns = {row[1] for row in left.execute("PRAGMA table_info(application)")}
        assert left.execute("PRAGMA user_version").fetchone() == (1,)
    left.close()
    assert not columns & {"identity", "host"}
    Journal().close()
