"""What the practice directory answers, without the wire: find entries, take changes."""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable, Iterator, Sequence

from ldap_workbench.practice.ldap.filters import Test
from ldap_workbench.practice.model.configuration import CONFIG, LDBM, VERSION, Answer
from ldap_workbench.practice.model.engine import Engine
from ldap_workbench.practice.model.monitor import MONITOR, Monitor
from ldap_workbench.practice.model.tree import PEOPLE, SUFFIX, Entry, normal, parent

MANAGER = "cn=directory manager"
USER_PASSWORD = "password"  # noqa: S105 - of every made-up person, on loopback
BASE, ONE, SUB = 0, 1, 2
START_TLS = "1.3.6.1.4.1.1466.20037"
WHO_AM_I = "1.3.6.1.4.1.4203.1.11.3"

(SUCCESS, SIZE_LIMIT, COMPARE_FALSE, COMPARE_TRUE, ADMIN_LIMIT, NO_SUCH_ATTRIBUTE, VALUE_EXISTS,
 NO_SUCH_OBJECT, INVALID_CREDENTIALS, INSUFFICIENT_ACCESS, UNWILLING) = (
    0, 4, 5, 6, 11, 16, 20, 32, 49, 50, 53,
)  # fmt: skip
ADD, DELETE, REPLACE = 0, 1, 2
_UID = re.compile(r"\(uid=(user\d+)\)")
_UIDS = re.compile(r"\(uid=([^*()]+)\*\)")
_MOVED = "at least one required attribute has been moved to the DB scecific configuration entry"


class Failure(Exception):  # noqa: N818 - a result code is not always an error
    """An LDAP result other than success."""

    def __init__(self, code: int, message: str = "", matched: str = "") -> None:
        super().__init__(message)
        self.code, self.matched = code, matched


class PracticeDirectory:
    """The entries one server has; safe to use from the threads of many connections."""

    def __init__(self, engine: Engine, password: str) -> None:
        self._engine = engine
        self._password = password
        self._monitor = Monitor(engine)

    def bind(self, dn: str, password: bytes) -> str:
        """The normal DN that is bound from now on, '' for anonymous; raises Failure."""
        who = normal(dn)
        if not who or not password:
            return ""
        wanted = self._password if who == MANAGER else USER_PASSWORD
        known = who == MANAGER or self._engine.people.get(who) is not None
        if not known or not hmac.compare_digest(password, wanted.encode()):
            raise Failure(INVALID_CREDENTIALS)
        return who

    def get(self, dn: str) -> Entry | None:
        """The entry with this normal DN as of now."""
        engine = self._engine
        if not dn:
            return self._root()
        with engine.lock:
            engine.advance()
            if entry := self._monitor.get(dn):
                return entry
            if dn == CONFIG:
                return self._config()
            if entry := engine.configuration.entries.get(dn):
                return entry.copy()
        return engine.people.get(dn)

    def search(
        self, who: str, base: str, scope: int, text: str, test: Test, limit: int
    ) -> Iterator[Entry]:
        """Entries that match; raises Failure for a missing base or a limit, after what it found."""
        dn = normal(base)
        top = self.get(dn)
        if top is None:
            raise Failure(NO_SUCH_OBJECT, matched=self._nearest(dn))
        matches = 0
        for entry in self._visible(who, self._candidates(top, dn, scope, text, who)):
            if test(entry.values):
                matches += 1
                if matches > limit:
                    raise Failure(SIZE_LIMIT)
                yield entry

    def limit(self, who: str, asked: int) -> int:
        """How many entries this client may get."""
        own = int(self._engine.configuration.in_force("nsslapd-sizelimit"))
        unlimited = who == MANAGER or own < 0
        limits = [n for n in (asked, 0 if unlimited else own) if n > 0]
        return min(limits, default=2**31)

    def diagnostic(self, base: str, attributes: Sequence[str]) -> str:
        """What a search says with its success."""
        moved = "nsslapd-cache-autosize" in (name.lower() for name in attributes)
        return _MOVED if moved and normal(base) == LDBM else ""

    def compare(self, dn: str, name: str, value: str) -> int:
        entry = self.get(normal(dn))
        if entry is None:
            raise Failure(NO_SUCH_OBJECT, matched=self._nearest(normal(dn)))
        equal = value.lower() in (own.lower() for own in entry.values(name))
        return COMPARE_TRUE if equal else COMPARE_FALSE

    def modify(self, who: str, dn: str, changes: Iterable[tuple[int, str, list[str]]]) -> str:
        """Take changes (kind, attribute, values) in order; the message sent with success."""
        self._check_manager(who, dn)
        where = normal(dn)
        with self._engine.lock:
            entry = self.get(where)
            if entry is None:
                raise Failure(NO_SUCH_OBJECT, matched=self._nearest(where))
            if where in self._monitor.dns() or not where:
                raise Failure(UNWILLING, "the entry is computed")
            touched = _applied(entry, changes)
            if where in self._engine.configuration.entries:
                return self._configure(where, entry, touched)
            self._engine.people.keep(where, entry)
        return ""

    def add(self, who: str, dn: str, attributes: list[tuple[str, str]]) -> None:
        """Take an index or the task that builds one; raises Failure for any other entry."""
        self._check_manager(who, dn)
        _raise_refusal(self._engine.add(normal(dn), Entry(dn, attributes)))

    def delete(self, who: str, dn: str) -> None:
        """Remove an index; raises Failure for any other entry."""
        self._check_manager(who, dn)
        _raise_refusal(self._engine.delete(normal(dn)))

    def _check_manager(self, who: str, dn: str) -> None:
        if who != MANAGER:
            raise Failure(INSUFFICIENT_ACCESS, f"Insufficient privilege for entry '{dn}'.")

    def _configure(self, dn: str, entry: Entry, touched: Iterable[str]) -> str:
        messages = []
        for name in touched:
            answer: Answer = self._engine.replace(dn, name, entry.values(name))
            _raise_refusal(answer)
            messages.append(answer.message)
        return "".join(filter(None, messages))

    def _root(self) -> Entry:
        engine = self._engine
        return Entry(
            "",
            [
                ("objectClass", "top"),
                ("namingContexts", SUFFIX),
                ("defaultnamingcontext", SUFFIX),
                ("supportedLDAPVersion", "3"),
                ("supportedExtension", START_TLS),
                ("supportedExtension", WHO_AM_I),
                ("supportedSASLMechanisms", "EXTERNAL"),
                ("vendorName", "389 Project"),
                ("vendorVersion", VERSION),
                ("practiceSimulation", "TRUE"),
                ("practiceScenario", engine.scenario.name),
                ("practiceClockRate", f"{engine.clock.speed:g}"),
            ],
        )

    def _config(self) -> Entry:
        engine = self._engine
        entry = engine.configuration.entries[CONFIG].copy()
        folder = "/var/log/dirsrv/slapd-practice"
        entry.put("nsslapd-accesslog-list", (f"{folder}/{n}" for n in engine.access.rotated))
        return entry

    def _candidates(self, top: Entry, dn: str, scope: int, text: str, who: str) -> Iterator[Entry]:
        if scope in (BASE, SUB):
            yield top
        if scope == BASE:
            return
        known = [*self._engine.configuration.entries, *self._monitor.dns()]
        for other in dict.fromkeys(known):
            below = parent(other) == dn if scope == ONE else other.endswith(f",{dn}")
            if dn and below and (entry := self.get(other)):
                yield entry
        yield from self._people(dn, scope, text, who)

    def _people(self, dn: str, scope: int, text: str, who: str) -> Iterator[Entry]:
        people = self._engine.people
        if dn != SUFFIX and not dn.endswith(f",{SUFFIX}"):
            return
        if (named := _UID.search(text)) and not text.startswith(("(|", "(!")):
            entry = people.get(f"uid={named[1].lower()},ou=people,{SUFFIX}")
            candidates = (
                iter([entry]) if entry and normal(entry.dn).endswith(f",{dn}") else iter(())
            )
        elif (
            dn in (SUFFIX, PEOPLE)
            and (begin := _UIDS.fullmatch(text.lower()))
            and not "user".startswith(begin[1])  # that is all of them
        ):
            candidates = people.named(begin[1])  # by the index, as the server would
        elif scope == ONE and dn == SUFFIX:
            candidates = people.units()  # not by way of everybody in them
        else:
            candidates = self._all(dn, who)
        for entry in candidates:
            if scope == SUB or parent(normal(entry.dn)) == dn:
                yield entry

    def _all(self, dn: str, who: str) -> Iterator[Entry]:
        """Every entry below: only the manager may look through more than the limit."""
        limit = int(self._engine.configuration.in_force("nsslapd-lookthroughlimit"))
        for n, entry in enumerate(self._engine.people.below(dn)):
            if who != MANAGER and 0 <= limit < n:
                raise Failure(ADMIN_LIMIT)
            yield entry

    def _visible(self, who: str, entries: Iterable[Entry]) -> Iterator[Entry]:
        """Everybody reads people and cn=monitor; cn=config is the manager's."""
        for entry in entries:
            dn = normal(entry.dn)
            if who == MANAGER or not dn.endswith(CONFIG):
                if who != MANAGER and dn == MONITOR:
                    entry.put("connection", ())
                yield entry

    def _nearest(self, dn: str) -> str:
        """The DN of the closest entry above that exists."""
        while dn := parent(dn):
            if entry := self.get(dn):
                return entry.dn
        return ""


def _raise_refusal(answer: Answer) -> None:
    if answer.code:
        raise Failure(answer.code, answer.message)


def _applied(entry: Entry, changes: Iterable[tuple[int, str, list[str]]]) -> list[str]:
    """Make the changes in `entry`; the names it touched, in order."""
    touched: dict[str, str] = {}
    for kind, name, values in changes:
        now = entry.values(name)
        if kind == DELETE:
            gone = {value.lower() for value in values}
            if not now or not gone <= {value.lower() for value in now}:
                raise Failure(NO_SUCH_ATTRIBUTE)
            values = [value for value in now if values and value.lower() not in gone]
        elif kind == ADD:
            if {v.lower() for v in values} & {v.lower() for v in now}:
                raise Failure(VALUE_EXISTS)
            values = now + values
        entry.put(name, values)
        touched.setdefault(name.lower(), name)
    return list(touched.values())
