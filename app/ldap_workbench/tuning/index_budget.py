"""What the build of an index needs before it begins: room on disk, and time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ldap_workbench.connect.commands import HostPath, host_path
from ldap_workbench.model.change import Change
from ldap_workbench.model.errors import CommandError, DirectoryError, KnobError
from ldap_workbench.model.message import NOTHING, Message, sentences
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.servers import opendj
from ldap_workbench.servers.product import product_of
from ldap_workbench.tuning.indexes import (
    DS389,
    Place,
    Values,
    back_end_of,
    entries_at,
    is_index,
    lost,
    must_build,
    suffix_of,
)
from ldap_workbench.tuning.tunable import Tunable

_SHARES = {"pres": 0.02, "eq": 0.1, "approx": 0.1, "sub": 0.5}
"""How much of the size of the database an index of a type may take: bounds, not measurements. For
sub of 20,000 descriptions 389 DS 2.3 wrote a third of it, most of that to its transaction log."""
_OTHER_SHARE = 0.1
_FLAGS = ("nolang", "nosubtypes")
"""Words of olcDbIndex that make no index of their own."""
_LOG_SHARE = 1.0
"""A build is written to the transaction log or to free pages as well, at most once more."""
_ENTRY_NS = 3_000_000
"""How long a build takes for each entry until one was timed on the server: 389 DS 2.3 built 20,000
in 60 s on a busy host, for it commits each."""
_PAGE = 4096
_BUILT = re.compile(r"Index built in ([\d.]+) s")


@dataclass(frozen=True)
class IndexBudget:
    """Sizes in bytes; None where they cannot be read, and the two messages say why."""

    database: int | None
    free: int | None
    free_map: int | None = None
    """What is left of the largest size of an LMDB database."""
    entries: int | None = None
    at_least: bool = False
    """Whether there may be more entries."""
    no_database: Message = NOTHING
    no_free: Message = NOTHING
    disk: str = ""
    """Where the free space is: a mount point, or the folder where that is not known."""
    map_unchecked: bool = False

    def growth(self, types: Iterable[str]) -> int | None:
        """What the indexes of these types may add to the database."""
        if self.database is None:
            return None
        # slapd keeps subinitial, subany and subfinal as parts of what 'sub' is.
        kinds = {"sub" if kind.startswith("sub") else kind for kind in types} - set(_FLAGS)
        return round(self.database * sum(_SHARES.get(kind, _OTHER_SHARE) for kind in kinds))

    def describe(self, types: Iterable[str], timed_s: float | None) -> Message:
        """The sentences of a plan."""
        growth, time = self.growth(types), self._time(timed_s)
        if growth is None or self.database is None:
            why = self.no_database
            return sentences(
                Message("How much room the index needs is not known: {why}", why=why), time
            )
        room = Message(
            "The database has {size:size}; the index may add {growth:size}, and its build may "
            "write as much again to the transaction log or to free pages.",
            size=self.database,
            growth=growth,
        )
        free = Message("{free:size} is free.", free=self.free) if self.free is not None else (
            Message("How much is free is not known: {why}", why=self.no_free)
        )  # fmt: skip
        free_map = NOTHING
        if self.free_map is not None:
            free_map = Message("olcDbMaxSize leaves {free:size}.", free=self.free_map)
        if self.map_unchecked:
            free_map = Message("Whether nsslapd-mdb-max-size leaves as much is not checked.")
        return sentences(room, free, free_map, time)

    def _time(self, timed_s: float | None) -> Message:
        if timed_s is not None:
            return Message(
                "The last build here took {length:duration}: each switch to the index takes about "
                "as long.",
                length=round(timed_s * NS_PER_S),
            )
        if self.entries is None:
            return Message("How long the build takes is known when the first one here has ended.")
        if self.at_least:
            return Message(
                "The build may take {length:duration} or longer: 3 ms for each of at least "
                "{entries} entries, until the first one here is timed.",
                length=self.entries * _ENTRY_NS,
                entries=self.entries,
            )
        return Message(
            "The build may take {length:duration}: 3 ms for each of {entries} entries, until the "
            "first one here is timed.",
            length=self.entries * _ENTRY_NS,
            entries=self.entries,
        )

    def check(self, growth: int) -> None:
        """Raise KnobError where there is too little room to grow by so many bytes."""
        need = round(growth * (1 + _LOG_SHARE))
        if self.free is not None and self.free < need:
            raise _too_little(
                Message(
                    "The build may need {need:size}, and the disk of the database has {free:size}.",
                    need=need,
                    free=self.free,
                ),
                Message("Free disk space, or choose fewer types of index."),
            )
        if self.free_map is not None and self.free_map < need:
            raise _too_little(
                Message(
                    "The build may need {need:size}, and olcDbMaxSize leaves {free:size}.",
                    need=need,
                    free=self.free_map,
                ),
                Message("Raise olcDbMaxSize, or choose fewer types of index."),
            )


class IndexRoom:
    """The room that the indexes of one treatment need: each for itself, and all together."""

    def __init__(self, target: Tunable, earlier: Iterable[Change]) -> None:
        self._target = target
        self._earlier = tuple(earlier)
        self._budgets: dict[str, IndexBudget] = {}
        self._growth: dict[str, int] = {}

    def describe(self, place: Place, before: Values, asked: Values) -> Message:
        """What the build needs; NOTHING where none is to be made."""
        if not is_index(place.dn, place.attribute) or not must_build(place, before, asked):
            return NOTHING
        new = _types(lost(place.attribute, asked, before))
        anew = entries_at(place.dn) is DS389
        types = _types(lost(place.attribute, asked, None)) if anew else new
        dn = place.dn
        if place.attribute.lower() != "olcdbindex":
            dn = dn.split(",", 2)[2]  # cn=mail,cn=index,cn=userRoot,...
        if dn not in self._budgets:
            self._budgets[dn] = read_budget(self._target, dn)
        budget = self._budgets[dn]
        self._growth[dn] = self._growth.get(dn, 0) + (budget.growth(new) or 0)
        return budget.describe(types, last_build_s(self._earlier, place))

    def check(self) -> None:
        """Raise KnobError where all that were described have too little room together."""
        for budget in self._budgets.values():
            beside = [dn for dn, other in self._budgets.items() if other.disk == budget.disk]
            budget.check(sum(self._growth[dn] for dn in beside))


def _types(indexes: Iterable[str]) -> list[str]:
    """eq of 'mail eq'."""
    return [name.rpartition(" ")[2] for name in indexes]


def read_budget(target: Tunable, dn: str) -> IndexBudget:
    """Of the database with this entry: over LDAP what the server shows, the rest by du and df."""
    suffix = suffix_of(target, dn)
    database, free_map, entries = _of_slapd(target, suffix)
    at_least = entries is None
    entries = _subordinates(target, suffix) if entries is None else entries
    folder = folder_of(target, dn)
    if folder is None:
        why = Message("where the database lies could not be read.")
        return IndexBudget(database, None, free_map, entries, at_least, why, why, disk=dn)
    no_database = no_free = NOTHING
    disk, free = _disk_space(target, folder)
    if free is None:
        free, no_free = _number(target, ["df", "--output=avail", "-B1", host_path(folder)])
    if database is None:
        database, no_database = _number(target, ["du", "-sB1", host_path(folder)])
    return IndexBudget(
        database, free, free_map, entries, at_least, no_database, no_free, disk, _shares_map(target)
    )


def folder_of(target: Tunable, dn: str) -> str | None:
    """Where the database with this entry has its files; None where that cannot be read."""
    if _shares_map(target):
        return target.facts.db_directory
    names = ("olcDbDirectory", "nsslapd-directory")
    entries = target.directory.search(dn, attributes=(*names, *opendj.OF_FOLDER))
    if entries and product_of(target.facts) == "opendj":
        return opendj.database_folder(entries[0], target.facts.config_folder)
    values = [entry.first(name) for entry in entries for name in names]
    return next(filter(None, values), None)


def _shares_map(target: Tunable) -> bool:
    """Whether all back ends are in one file: 389 DS on LMDB."""
    return target.facts.db_library == "mdb" and product_of(target.facts) == "389ds"


def last_build_s(changes: Iterable[Change], place: Place) -> float | None:
    """How long the newest build of an index took in the back end that has this place, in s."""
    for change in sorted(changes, key=lambda change: change.created_ns, reverse=True):
        timed = _BUILT.search(f"{change.message} {change.proof}")
        if timed and back_end_of(change) == back_end_of(place):
            return float(timed[1])
    return None


def _of_slapd(target: Tunable, suffix: str) -> tuple[int | None, int | None, int | None]:
    """Bytes used and left of an LMDB database, and its entries, as slapd's monitor shows them."""
    names = (
        "namingContexts", "olmMDBEntries", "olmMDBPagesMax", "olmMDBPagesUsed", "olmMDBPagesFree",
    )  # fmt: skip
    below = target.directory.search("cn=Databases,cn=Monitor", scope="one", attributes=names)
    for entry in below:
        if suffix in (entry.values("namingContexts") or ()) and entry.first("olmMDBPagesMax"):
            count, most, used, unused = (int(entry.first(name) or 0) for name in names[1:])
            return (used - unused) * _PAGE, (most - used + unused) * _PAGE, count or None
    return None, None, None


def _subordinates(target: Tunable, suffix: str) -> int | None:
    """Entries of a suffix and those two levels below it: where there are more, it is fewer.

    The filter spares the server reading people who are right below the suffix.
    """
    if not suffix:
        return None
    name, counts = "numSubordinates", []
    try:
        for scope in ("base", "one"):
            entries = target.directory.search(
                suffix, scope=scope, filter=f"({name}=*)", attributes=(name,)
            )
            counts += [int(entry.first(name) or 0) for entry in entries]
    except DirectoryError:  # a size limit of this bind, for one
        return None
    return 1 + sum(counts) if any(counts) else None


def _disk_space(target: Tunable, folder: str) -> tuple[str, int | None]:
    """The file system of a folder and what 389 DS says is available there; else the folder."""
    entries = target.directory.search("cn=disk space,cn=monitor", attributes=("dsDisk",))
    free: dict[str, int] = {}
    for line in (entries[0].values("dsDisk") or ()) if entries else ():
        words = dict(re.findall(r'([\w%]+)="([^"]*)"', line))
        if words.get("available", "").isdigit():
            free[words["partition"]] = int(words["available"])
    mounts = [mount for mount in free if f"{folder}/".startswith(f"{mount.rstrip('/')}/")]
    mount = max(mounts, key=len, default=folder)
    return mount, free.get(mount)


def _number(target: Tunable, argv: list[str | HostPath]) -> tuple[int | None, Message]:
    """The number a command says; None, and why not."""
    if target.shell is None:
        return None, Message("the profile has no shell on the host.")
    try:
        result = target.shell.run(argv, sudo=True)
    except CommandError as error:
        return None, error.what
    number = re.search(rb"^\s*(\d+)", result.stdout, re.MULTILINE)
    if result.status != 0 or number is None:
        command = " ".join(map(str, argv))
        return None, Message(
            "'{command}' failed on the host (status {status}).",
            command=command,
            status=result.status,
        )
    return int(number[1]), NOTHING


def _too_little(what: Message, remedy: Message) -> KnobError:
    return KnobError(what, safe=Message("Nothing was changed."), remedy=remedy)
