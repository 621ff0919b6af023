"""What was changed on which server: durable before a write goes out, so that it can be undone."""

from __future__ import annotations

import dataclasses
import errno
import json
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, TypeVar, Unpack
from urllib.parse import urlsplit

from ldap_workbench.connect.folders import state_folder
from ldap_workbench.model.change import Change, ChangeState, Origin, left_stored
from ldap_workbench.model.errors import ChangeError, UsageError
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import Message, from_json, is_message, verbatim
from ldap_workbench.model.server_identity import FORMULA, ServerIdentity
from ldap_workbench.model.stored import as_stored
from ldap_workbench.tuning.journal_room import take_room
from ldap_workbench.tuning.locks import ServerLock, ServerTakenError

VERSION = 6
"""6: changes of whole entries, which earlier versions would not know how to undo."""
_PORTS = {"ldap": 389, "ldaps": 636, "ssh": 22}
_SCHEMA = """
CREATE TABLE IF NOT EXISTS application (
    id TEXT PRIMARY KEY, server TEXT NOT NULL, treatment TEXT NOT NULL, starttime TEXT NOT NULL,
    created_ns INTEGER NOT NULL, identity TEXT NOT NULL DEFAULT '',
    host TEXT NOT NULL DEFAULT '', machine TEXT NOT NULL DEFAULT '',
    certificate TEXT NOT NULL DEFAULT '', formula TEXT NOT NULL DEFAULT '1') STRICT;
CREATE TABLE IF NOT EXISTS change (
    id INTEGER PRIMARY KEY AUTOINCREMENT, "group" TEXT NOT NULL, server TEXT NOT NULL,
    profile TEXT NOT NULL, knob TEXT NOT NULL, dn TEXT NOT NULL, attribute TEXT NOT NULL,
    before TEXT, asked TEXT, got TEXT, state TEXT NOT NULL, needs_restart INTEGER NOT NULL,
    created_ns INTEGER NOT NULL, updated_ns INTEGER NOT NULL, message TEXT NOT NULL,
    proof TEXT NOT NULL, session TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS offline_edit (
    change INTEGER PRIMARY KEY, path TEXT NOT NULL, stop TEXT NOT NULL, start TEXT NOT NULL,
    before TEXT) STRICT;
CREATE TABLE IF NOT EXISTS origin (
    change INTEGER PRIMARY KEY, origin TEXT NOT NULL, stored TEXT) STRICT;
CREATE INDEX IF NOT EXISTS change_server ON change (server, state);
"""
_CHANGES = """SELECT change.*, coalesce(origin.origin, '') AS origin, origin.stored FROM change
    LEFT JOIN origin ON origin.change = change.id"""
"""What has no row in `origin` was stored, or noted by a version that knew nothing else."""
_OF_SERVER = """ LEFT JOIN application ON application.id = change."group"
    WHERE ((change.server = :server OR application.server = :server)
        AND (:identity = '' OR coalesce(application.identity, '') = ''
            OR application.formula != :formula))
    OR (:identity != '' AND application.identity = :identity AND application.formula = :formula)"""
"""The URL counts only where the identity of one side is not known, or was made by another formula.

A name may lead elsewhere."""
_ADDED = {"identity": "", "host": "", "machine": "", "certificate": "", "formula": "1"}
"""Columns of `application` that journals of earlier versions lack, and what they hold there."""
_NOT_KNOWN = ServerIdentity()
_VALUES = ("before", "asked", "got", "stored")
_MESSAGES = ("message", "proof")
Entry = TypeVar("Entry")


@dataclass(frozen=True)
class Application:
    """One application of a treatment to a server; `starttime` is the server's when applied."""

    id: str
    server: str
    treatment: Treatment
    starttime: str
    created_ns: int
    identity: str = ""
    """Of the server instance, by whatever URL it was reached; '' where it was not known."""


@dataclass(frozen=True)
class OfflineEdit:
    """What undoing a change made in a stopped server's files needs when nothing answers."""

    path: str
    """Of the file on the host."""
    stop: str
    start: str
    before: tuple[str, ...] | None
    """What the file said, None for absent; the server may show a default for that."""


class Noted(TypedDict, total=False):
    """What becomes of a change."""

    state: ChangeState
    got: Sequence[str] | None
    message: Message
    proof: Message
    needs_restart: bool


def server_name(url: str) -> str:
    """One name per server: lower case, with its port, without a trailing slash."""
    parts = urlsplit(url)
    if parts.scheme.lower() not in _PORTS or not parts.hostname:
        return url.rstrip("/")
    user = f"{parts.username}@" if parts.username else ""
    scheme = parts.scheme.lower()
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{scheme}://{user}{host}:{parts.port or _PORTS[scheme]}"


class Journal:
    """The journal of this user. May be used from several threads and several processes.

    Every method returns after the database has synced its log to disk; a full disk raises
    ChangeError, and then nothing may be written to the server.
    """

    def __init__(self, path: Path | None = None, *, read_only: bool = False) -> None:
        """`read_only` is for who changes no server: nothing is begun, and nothing reverted."""
        self.path = path or state_folder() / "journal.sqlite"
        self._read_only = read_only
        self._lock = threading.Lock()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.path.touch(mode=0o600)
            self._db = sqlite3.connect(self.path, timeout=10, check_same_thread=False)
            self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise self._broken(error) from error

    def _prepare(self) -> None:
        self._db.row_factory = sqlite3.Row
        if self._version() > VERSION:
            self._db.close()
            raise ChangeError(
                Message(
                    "The journal {path} was written by a newer workbench.", path=str(self.path)
                ),
                safe=Message("Nothing was changed."),
                remedy=Message("Use the newer version for servers that have open changes."),
            )
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.executescript(_SCHEMA)
        if self._version() < VERSION:
            self._upgrade()

    def _version(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])

    def _upgrade(self) -> None:
        """In one transaction: who is killed in it leaves a journal of the earlier version.

        There is no copy of the earlier journal: what is in force on servers is told in one place.
        """
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            known = {row["name"] for row in self._db.execute("PRAGMA table_info(application)")}
            for name, value in _ADDED.items():
                if name not in known:
                    column = f"{name} TEXT NOT NULL DEFAULT '{value}'"
                    self._db.execute(f"ALTER TABLE application ADD {column}")
            self._db.execute(f"PRAGMA user_version = {VERSION}")

    def begin(
        self,
        server: str,
        treatment: Treatment,
        starttime: str,
        identity: ServerIdentity = _NOT_KNOWN,
    ) -> str:
        """Note a new application of a treatment; returns the id its changes share.

        Room on the disk is taken first for all that is noted until the changes are closed.
        """
        self._check_writer()
        self._take_room()
        group = uuid.uuid4().hex[:12]
        settings = json.dumps([dataclasses.asdict(setting) for setting in treatment.settings])
        row = {
            "id": group,
            "server": server_name(server),
            "treatment": settings,
            "starttime": starttime,
            "created_ns": time.time_ns(),
            "identity": identity.instance,
            "host": identity.host,
            "machine": identity.machine,
            "certificate": identity.certificate,
            "formula": str(identity.formula),
        }
        self._insert("application", row)
        return group

    def intend(
        self,
        *,
        group: str,
        server: str,
        knob: str,
        dn: str,
        attribute: str,
        before: Sequence[str] | None,
        asked: Sequence[str] | None,
        profile: str = "",
        needs_restart: bool = False,
        session: str = "",
        state: ChangeState = ChangeState.INTENDED,
        origin: Origin = Origin.STORED,
        stored: Sequence[str] | None = None,
    ) -> Change:
        """Note a change that is about to be written. Durable when this returns.

        `state` is DONE for what leaves nothing in force: nobody has to put it back after a crash.
        """
        now = time.time_ns()
        row = {
            "group": group,
            "server": server_name(server),
            "profile": profile,
            "knob": knob,
            "dn": dn,
            "attribute": attribute,
            "before": _encode(before),
            "asked": _encode(asked),
            "got": None,
            "state": state.value,
            "needs_restart": int(needs_restart),
            "created_ns": now,
            "updated_ns": now,
            "message": "",
            "proof": "",
            "session": session,
        }
        id_ = self._insert("change", row)
        if origin or stored:  # still before the write: who is killed here has changed nothing
            row = {"change": id_, "origin": origin.value, "stored": _encode(stored)}
            self._insert("origin", row)
        return self.get(id_)

    def update(self, change: Change | int, **fields: Unpack[Noted]) -> Change:
        """Note what became of a change."""
        if fields.get("state") is ChangeState.REVERTING:
            self._check_writer()
        id_ = change if isinstance(change, int) else change.id
        stored = {name: _store(name, value) for name, value in fields.items()}
        stored["updated_ns"] = time.time_ns()
        columns = ", ".join(f"{name} = ?" for name in stored)
        sql = f"UPDATE change SET {columns} WHERE id = ?"  # noqa: S608 - names are ours
        self._write(sql, (*stored.values(), id_))
        return self.get(id_)

    def note_pinned(self, change: Change) -> Change:
        """Note that the server did not delete what was not stored: the value before is stored."""
        row = (change.id, Origin.PINNED.value, _encode(change.stored))
        self._write("INSERT OR REPLACE INTO origin VALUES (?, ?, ?)", row)
        return self.get(change.id)

    def left_stored(self, sessions: Collection[str]) -> tuple[Message, ...]:
        """What reverts of the changes made for these sessions left stored that was not."""
        return left_stored(change for change in self.changes() if change.session in sessions)

    def close_unreverted(self, group: str, because: str) -> list[Change]:
        """Close the open changes of a group on the operator's word, whatever is in force.

        For a server that is gone. Raises UsageError without a reason, where none is open, and while
        another workbench is at work on the server ChangeError.
        """
        changes = [change for change in self.group(group) if change.state.open]
        if not because.strip() or not changes:
            what = Message("The reason is missing.")
            if not changes:
                what = Message("None of the changes made together with this one is open.")
            raise UsageError(
                what,
                safe=Message("Nothing was changed."),
                remedy=Message("Only an open change is closed, and its reason is kept: --because."),
            )
        application = self.application(group)
        lock = self.lock(application.server, application.identity)
        lock.acquire()
        try:
            why = Message("Closed without a revert: {because}", because=because.strip())
            return [
                self.update(change, state=ChangeState.CLOSED, message=why) for change in changes
            ]
        finally:
            lock.release()

    def note_edit(self, change: Change, edit: OfflineEdit) -> None:
        """Note that a change is made in a file. Durable when this returns."""
        row = (change.id, edit.path, edit.stop, edit.start, _encode(edit.before))
        self._write("INSERT INTO offline_edit VALUES (?, ?, ?, ?, ?)", row)

    def edit(self, change: Change) -> OfflineEdit | None:
        """How a change was made in a file; None for one made over LDAP."""
        rows = self._read("SELECT * FROM offline_edit WHERE change = ?", (change.id,))
        if not rows:
            return None
        return self._understood(rows[0], _offline_edit, change.id)

    def get(self, id_: int) -> Change:
        """One change. Raises UsageError when there is none of that number."""
        rows = self._read(f"{_CHANGES} WHERE id = ?", (id_,))
        if not rows:
            raise UsageError(
                Message("The journal has no change {id}.", id=id_),
                remedy=Message("To list them, run: ldap-workbench journal"),
            )
        return self._change(rows[0])

    def group(self, group: str) -> list[Change]:
        """The changes of one application, in the order they were made. Raises UsageError."""
        rows = self._read(f'{_CHANGES} WHERE "group" = ? ORDER BY id', (group,))
        if not rows:
            raise UsageError(
                Message("The journal has no changes of group {group}.", group=group),
                remedy=Message("To list them, run: ldap-workbench journal"),
            )
        return [self._change(row) for row in rows]

    def application(self, group: str) -> Application:
        """What was applied, and the server's start time then. Raises UsageError."""
        rows = self._read("SELECT * FROM application WHERE id = ?", (group,))
        if not rows:
            raise UsageError(
                Message("The journal has no group {group}.", group=group),
                remedy=Message("To list them, run: ldap-workbench journal"),
            )
        return self._understood(rows[0], _application, group)

    def changes(
        self, server: str | None = None, *, identity: str = "", open_only: bool = False
    ) -> list[Change]:
        """All changes, oldest first; those of one server; those that may be in force.

        Knobs of the host that were changed for a directory server count as its own, too, and so
        does what was changed by another URL on the instance that `identity` names; what was changed
        by this URL on another instance does not.
        """
        sql = _CHANGES
        values: dict[str, str] = {}
        if server is not None:
            sql += _OF_SERVER
            values = {
                "server": server_name(server),
                "identity": identity,
                "formula": str(FORMULA),
            }
        changes = (self._change(row) for row in self._read(sql + " ORDER BY change.id", values))
        return [change for change in changes if change.state.open or not open_only]

    def open_changes(self, server: str, identity: str = "") -> list[Change]:
        """The changes of a server that may be in force: to revert or keep, newest last."""
        return self.changes(server, identity=identity, open_only=True)

    def open_elsewhere(self, server: str, identity: str) -> list[Change]:
        """Open changes made by this URL on another instance than the one it leads to now."""
        here = {change.id for change in self.open_changes(server, identity)}
        return [change for change in self.open_changes(server) if change.id not in here]

    def identity_of(self, change: Change) -> ServerIdentity:
        """Of the server that was changed; not known in entries of the first version."""
        rows = self._read("SELECT * FROM application WHERE id = ?", (change.group,))
        if not rows:
            return _NOT_KNOWN
        return self._understood(rows[0], _identity, change.group)

    def lock(self, server: str, identity: str = "") -> ServerLock:
        """The right to change a server, by whatever URL it was reached; not taken yet."""
        name = server_name(server)
        return ServerLock(state_folder() / "locks", name, identity or self._last_identity(name))

    def runs_elsewhere(self, changes: Iterable[Change]) -> dict[str, ServerTakenError]:
        """Servers with an open change that another process, alive, is at work on, and which."""
        servers = {change.server for change in changes if change.state.open}
        holders = {server: self.lock(server).holder() for server in sorted(servers)}
        return {server: taken for server, taken in holders.items() if taken is not None}

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def _last_identity(self, server: str) -> str:
        """Of a server that does not answer now: which instance was changed there the last time."""
        query = """SELECT identity FROM application WHERE server = ? AND identity != ''
            ORDER BY created_ns DESC LIMIT 1"""
        rows = self._read(query, (server,))
        return str(rows[0]["identity"]) if rows else ""

    def _check_writer(self) -> None:
        """Raises ChangeError where a command that only reads is about to change a server."""
        if self._read_only:
            raise ChangeError(
                Message("This command only reads: it changes no server."),
                safe=Message("Nothing was changed."),
                remedy=Message("This is a fault of the workbench. Report it."),
            )

    def _take_room(self) -> None:
        try:
            with self._lock:
                take_room(self._db, self.path)
        except (OSError, sqlite3.Error) as error:
            raise self._broken(error) from error

    def _insert(self, table: str, row: dict[str, Any]) -> int:
        columns = ", ".join(f'"{name}"' for name in row)
        marks = ", ".join("?" for _ in row)
        sql = f"INSERT INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608 - names are ours
        return self._write(sql, tuple(row.values()))

    def _write(self, sql: str, values: Sequence[Any]) -> int:
        try:
            with self._lock, self._db:
                return int(self._db.execute(sql, values).lastrowid or 0)
        except sqlite3.Error as error:
            raise self._broken(error) from error

    def _read(self, sql: str, values: Sequence[Any] | dict[str, str]) -> list[sqlite3.Row]:
        try:
            with self._lock:
                return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise self._broken(error) from error

    def _change(self, row: sqlite3.Row) -> Change:
        return self._understood(row, _change, row["id"])

    def _understood(
        self, row: sqlite3.Row, read: Callable[[sqlite3.Row], Entry], entry: int | str
    ) -> Entry:
        """What a row means. Raises ChangeError where it holds what no workbench writes."""
        try:
            return read(row)
        except (ValueError, TypeError) as error:
            raise ChangeError(
                Message(
                    "The journal {path} is damaged: entry {entry} cannot be read ({reason}).",
                    path=str(self.path),
                    entry=str(entry),
                    reason=str(error),
                ),
                safe=Message("Nothing was written to a server, and the journal is as it was."),
                remedy=_set_aside(self.path),
            ) from error

    def _broken(self, error: Exception) -> ChangeError:
        return ChangeError(
            Message(
                "The journal {path} cannot be used: {reason}.",
                path=str(self.path),
                reason=str(error),
            ),
            safe=Message("Nothing is written to a server without it."),
            remedy=_remedy(error, self.path),
        )


def _remedy(error: Exception, path: Path) -> Message:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # above it lies which kind of the error
    if code == sqlite3.SQLITE_FULL or getattr(error, "errno", 0) in (errno.ENOSPC, errno.EDQUOT):
        return Message("Make room on the disk, then try again.")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return _set_aside(path)
    return Message("Check the permissions of the file and its folder, and that the disk has room.")


def _set_aside(path: Path) -> Message:
    return Message(
        "The file is damaged. Move {file} away with the files beside it, keep it, and check on "
        "each server which changes it may have listed as open.",
        file=path.name,
    )


def _encode(values: Sequence[str] | None) -> str | None:
    return None if values is None else json.dumps(list(values))


def _decode(stored: str | None) -> tuple[str, ...] | None:
    """The values `_encode` stored. Raises ValueError for anything else."""
    if stored is None:
        return None
    values = json.loads(stored)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(f"{stored} is not a list of values")
    return tuple(values)


def _message(text: str) -> Message:
    """A message as `_store` wrote it; a server's own words and old entries are plain text."""
    try:
        content = json.loads(text) if text.startswith("{") else None
    except ValueError:
        content = None
    return from_json(content) if is_message(content) else verbatim(text)


def _store(name: str, value: Any) -> Any:
    if name in _VALUES:
        return _encode(value)
    if isinstance(value, Message):
        stored = as_stored(value)
        return stored if isinstance(stored, str) else json.dumps(stored)
    return value.value if isinstance(value, ChangeState) else value


def _change(row: sqlite3.Row) -> Change:
    fields = {name: row[name] for name in row.keys()}  # noqa: SIM118 - a Row yields values
    for name in _VALUES:
        fields[name] = _decode(fields[name])
    for name in _MESSAGES:
        fields[name] = _message(fields[name])
    fields["state"] = ChangeState(fields["state"])
    fields["needs_restart"] = bool(fields["needs_restart"])
    fields["origin"] = Origin(fields["origin"])
    return Change(**fields)


def _application(row: sqlite3.Row) -> Application:
    settings = tuple(Setting(**setting) for setting in json.loads(row["treatment"]))
    names = ("id", "server", "starttime", "created_ns", "identity")
    return Application(treatment=Treatment(settings), **{name: row[name] for name in names})


def _offline_edit(row: sqlite3.Row) -> OfflineEdit:
    return OfflineEdit(row["path"], row["stop"], row["start"], _decode(row["before"]))


def _identity(row: sqlite3.Row) -> ServerIdentity:
    return ServerIdentity(
        row["identity"],
        row["host"],
        row["machine"],
        row["certificate"],
        row["server"],
        int(row["formula"]),
    )
