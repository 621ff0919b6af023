"""A fleet's folder: the counts of each server, what could not be read, and the Parquet files.

fleet.json              servers, failures, what was left out
counts/SERVER.zst       see `summary.joined_bytes`
operations/host=SERVER/*.parquet
reviews.json            see `reviews.write_reviews`; not there before the first review
"""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ldap_workbench.connect.folders import write_atomically, writing
from ldap_workbench.fleet.engine import Outcome
from ldap_workbench.fleet.fragments import Joined
from ldap_workbench.fleet.packing import NOT_OURS
from ldap_workbench.fleet.parts import file_name
from ldap_workbench.fleet.reviews import Review, read_reviews
from ldap_workbench.fleet.summary import joined_bytes, joined_from_bytes
from ldap_workbench.model.errors import SessionError
from ldap_workbench.model.message import Message, as_json, from_json

SCHEMA = 1
OPERATIONS = "operations"
_INDEX = "fleet.json"
_LARGEST_INDEX, _LARGEST_COUNTS = 64 << 20, 1 << 30
"""Bytes of a file of a fleet, which may come from a stranger."""


@dataclass(frozen=True)
class Missing:
    """Something that is not in the counts, and why."""

    what: str
    why: Message


@dataclass(frozen=True)
class LogPart:
    """A file of a server's log, and the times it is known to hold; 0 where it shows none."""

    path: str
    first_ns: int
    last_ns: int


@dataclass(frozen=True)
class Fleet:
    """Servers by name; `failures` should be in their counts and are not, `left_out` is no log.

    `logs`: by server, where its logs are, oldest first: `here` on this machine, else on its host.
    """

    servers: Mapping[str, Joined]
    failures: tuple[Missing, ...] = ()
    left_out: tuple[Missing, ...] = ()
    logs: Mapping[str, tuple[LogPart, ...]] = field(default_factory=dict)
    here: bool = True
    reviews: tuple[Review, ...] = ()

    def files(self, server: str, start_ns: int, end_ns: int) -> list[Path]:
        """The files of a server's log that may say something of [start_ns, end_ns).

        Of what lies in an archive, the archive.
        """
        files = [
            _outside(Path(part.path))
            for part in self.logs.get(server, ())
            if not part.last_ns or (part.first_ns < end_ns and part.last_ns >= start_ns)
        ]
        return list(dict.fromkeys(files))

    def doubts(self) -> list[Message]:
        """What may be in the counts twice."""
        return [
            Message(
                "{server}: {file} begins before an earlier file ends: lines may count twice.",
                server=name,
                file=file,
            )
            for name, server in self.servers.items()
            for file in server.overlaps
        ]


def _outside(path: Path) -> Path:
    """The file, or the archive in which it lies under this name."""
    return next((place for place in (path, *path.parents) if place.is_file()), path)


def fleet_of(outcome: Outcome, left_out: Mapping[str, Message], *, here: bool = True) -> Fleet:
    """What an import has found."""
    logs: dict[str, list[LogPart]] = {}
    for fragment in outcome.summary.fragments:
        logs.setdefault(fragment.host, []).append(
            LogPart(fragment.file, fragment.first_ns, fragment.last_ns)
        )
    return Fleet(
        outcome.summary.servers(),
        tuple(Missing(failure.name, failure.why) for failure in outcome.failures),
        tuple(Missing(what, why) for what, why in left_out.items()),
        {host: tuple(parts) for host, parts in logs.items()},
        here,
    )


def refuse_existing(folder: Path) -> None:
    """Raises SessionError: added to other counts, the same log could be counted twice."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SessionError(
            Message("{path} already exists.", path=str(folder)),
            safe=Message("It was not touched."),
            remedy=Message("Choose another name, or remove the file first."),
        )


def write_fleet(folder: Path, fleet: Fleet) -> None:
    """Write the counts, the index last. Raises SessionError."""
    servers = []
    with writing(folder):
        for place, (name, server) in enumerate(sorted(fleet.servers.items())):
            path = Path("counts") / f"{place:04}-{file_name(name)}.zst"
            write_atomically(folder / path, joined_bytes(server))
            servers.append({"name": name, "counts": path.name})
        index = {
            "schema": SCHEMA,
            "servers": servers,
            "failures": [{"what": m.what, "why": as_json(m.why)} for m in fleet.failures],
            "left_out": [{"what": m.what, "why": as_json(m.why)} for m in fleet.left_out],
            "logs": {host: [asdict(p) for p in parts] for host, parts in fleet.logs.items()},
            "here": fleet.here,
        }
        write_atomically(folder / _INDEX, json.dumps(index, indent=1))


def read_fleet(folder: Path) -> Fleet:
    """What `write_fleet` wrote. Raises SessionError: no fleet, or damaged."""
    try:
        index = json.loads(_read(folder / _INDEX, _LARGEST_INDEX).decode("utf-8"))
        if index["schema"] != SCHEMA:
            raise _broken(folder, f"schema {index['schema']}")
        servers = {
            # A name and no path: what the index says may not lead out of the folder.
            str(server["name"]): joined_from_bytes(
                _read(folder / "counts" / Path(server["counts"]).name, _LARGEST_COUNTS)
            )
            for server in index["servers"]
        }
        missing = _missing(index["failures"]), _missing(index["left_out"])
        logs = {str(host): _parts(parts) for host, parts in index.get("logs", {}).items()}
        reviews = read_reviews(folder)
        return Fleet(servers, *missing, logs, index.get("here") is True, reviews)
    except (OSError, *NOT_OURS) as error:
        raise _broken(folder, str(error)) from error


def _read(path: Path, largest: int) -> bytes:
    """A regular file of at most so many bytes. Raises OSError, ValueError."""
    about = path.stat()
    if not stat.S_ISREG(about.st_mode) or about.st_size > largest:
        raise ValueError(f"{path.name} is no file of a fleet")
    return path.read_bytes()


def _missing(rows: Any) -> tuple[Missing, ...]:
    return tuple(Missing(str(row["what"]), from_json(row["why"])) for row in rows)


def _parts(rows: Any) -> tuple[LogPart, ...]:
    parts = tuple(LogPart(str(p["path"]), int(p["first_ns"]), int(p["last_ns"])) for p in rows)
    return tuple(part for part in parts if "\0" not in part.path)


def _broken(folder: Path, why: str) -> SessionError:
    return SessionError(
        Message("{path} is not the folder of a fleet: {why}", path=str(folder), why=why),
        safe=Message("The file was not changed."),
        remedy=Message("Make one: ldap-workbench fleet import FOLDER... -o FOLDER."),
    )
