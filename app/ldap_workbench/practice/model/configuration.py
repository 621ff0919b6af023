"""cn=config of the practice directory: takes, alters and refuses values as 389 DS 2.3.1 does."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ldap_workbench.practice.model.knobs import (
    ACCOUNT_POLICY,
    MEMBEROF,
    Knobs,
    autosized,
    effective_knobs,
    listed,
)
from ldap_workbench.practice.model.tree import Entry, normal, parent, parse_ldif
from ldap_workbench.resources import resource

VERSION = "389-Directory/2.3.1 B2025.016.1616"
"""The server and build it simulates."""
CONFIG = "cn=config"
LDBM = "cn=config,cn=ldbm database,cn=plugins,cn=config"
BDB = f"cn=bdb,{LDBM}"
BACKEND = "cn=userroot,cn=ldbm database,cn=plugins,cn=config"
REFERINT = "cn=referential integrity postoperation,cn=plugins,cn=config"
_PLUGIN = "cn={name},cn=plugins,cn=config"
_LOGINS_DN = f"cn=config,{_PLUGIN.format(name=ACCOUNT_POLICY)}"
_LOGINS = normal(_LOGINS_DN)
_MEMBERS = normal(_PLUGIN.format(name=MEMBEROF))
_HOMES = {
    "nsslapd-pluginenabled": REFERINT,
    "memberofskipnested": _MEMBERS,
    "alwaysrecordlogin": _LOGINS,
}
_BESIDE = ("read_ahead_kb", "plugins")
"""Settings of a scenario that are no attributes, beside index.NAME."""
INDEXES = f"cn=index,{BACKEND}"
_TASKS = "cn=index,cn=tasks,cn=config"
_INDEX = "index."
_TYPES = "nsIndexType"
BUILD_ENTRY_S = 100e-6
"""How long the build of an index takes for each entry, s."""
_LETTERS = {CONFIG: "C", LDBM: "L", BDB: "B", BACKEND: "U"}

SUCCESS, OPERATIONS_ERROR, NO_SUCH_ATTRIBUTE, NO_SUCH_OBJECT, UNWILLING, ALREADY_EXISTS = (
    0, 1, 16, 32, 53, 68,
)  # fmt: skip
_INT64 = 2**63


@dataclass(frozen=True)
class Answer:
    """What the server says to one change: a result code and a message, which success has too."""

    code: int = SUCCESS
    message: str = ""
    log: str = ""
    """A line for the errors log."""


class Refused(Exception):  # noqa: N818 - the field's word for it
    """A value the server does not take."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Configuration:
    """The entries below cn=config, and which of their values are in force."""

    def __init__(self, settings: Mapping[str, str], ram_bytes: int, users: int = 0) -> None:
        text = resource("practice/server/config.ldif").read_text(encoding="utf-8")
        self.entries = {normal(entry.dn): entry for entry in parse_ldif(text)}
        rules = tomllib.loads(resource("practice/server/attributes.toml").read_text("utf-8"))
        self._refusals: dict[str, str] = rules.pop("refusals")
        self._rules: dict[str, dict[str, dict[str, Any]]] = {
            letter: {name.lower(): rule for name, rule in table.items()}
            for letter, table in rules.items()
        }
        self._ram = ram_bytes
        self.host = {"read_ahead_kb": settings.get("read_ahead_kb", "128")}
        self._in_force: dict[str, str] = {}
        self._plugins = listed(settings.get("plugins", ""))
        self._build_s = users * BUILD_ENTRY_S
        self._builds: dict[str, float] = {}
        """When the tasks that build an index end, by their DN."""
        self._furnish(settings)
        for name, value in settings.items():
            if name not in _BESIDE and not name.startswith(_INDEX):
                self._home(name).put(name, [value])
        self._defaults = {dn: entry.copy() for dn, entry in self.entries.items()}
        self.start()

    def set_port(self, port: int) -> None:
        self.entries[CONFIG].put("nsslapd-port", [str(port)])

    def _furnish(self, settings: Mapping[str, str]) -> None:
        """Switch plug-ins on and add indexes that this server has and others have not."""
        for name in self._plugins:
            self.entries[normal(_PLUGIN.format(name=name))].put("nsslapd-pluginEnabled", ["on"])
        if ACCOUNT_POLICY in self._plugins:
            classes = [("objectClass", "top"), ("objectClass", "extensibleObject")]
            self.entries[_LOGINS] = Entry(_LOGINS_DN, [*classes, ("cn", "config")])
        for name in (name.removeprefix(_INDEX) for name in settings if name.startswith(_INDEX)):
            dn = f"cn={name},{INDEXES}"
            values = [("objectClass", "nsIndex"), ("cn", name), ("nsSystemIndex", "false")]
            types = [(_TYPES, kind) for kind in listed(settings[_INDEX + name])]
            self.entries[normal(dn)] = Entry(dn, [*values, *types])

    def _home(self, name: str) -> Entry:
        """The entry that has the attribute, cn=config where none has it."""
        if name in _HOMES:
            return self.entries[_HOMES[name]]
        homes = (BDB, BACKEND, REFERINT, LDBM)
        known = (
            dn for dn in homes if self.entries[dn].values(name) or name in self._rule_names(dn)
        )
        return self.entries[next(known, CONFIG)]

    def _rule_names(self, dn: str) -> Mapping[str, Any]:
        return self._rules.get(_LETTERS.get(dn, ""), {})

    def start(self) -> list[str]:
        """As the server starts: autotuning writes cache sizes, every value comes into force.

        Returns lines for the errors log.
        """
        lines = self._autotune()
        self._in_force = {"nsslapd-cache-autosize": "0"}
        for dn in (CONFIG, LDBM, BDB, BACKEND, REFERINT, _MEMBERS, _LOGINS):
            if dn not in self.entries:
                continue
            for name, values in self.entries[dn]:
                self._in_force.setdefault(name.lower(), values[0])
        self._in_force["nsslapd-pluginenabled"] = self.entries[REFERINT].first(
            "nsslapd-pluginEnabled"
        )
        on = (name for name in self._plugins if self._runs(name))
        self._in_force["plugins"] = ",".join(on)
        for dn in self._builds:
            del self.entries[dn]
        self._builds = {}
        for dn in [dn for dn in self.entries if parent(dn) == INDEXES]:
            self._serve(dn)
        return lines

    def _serve(self, dn: str) -> None:
        """From now on the index of an entry serves by the types it has, none where it is gone."""
        entry = self.entries.get(dn)
        types = entry.values(_TYPES) if entry else []
        self._in_force[_index_name(dn)] = ",".join(types)

    def add(self, dn: str, entry: Entry, now: float) -> Answer:
        """Take the entry of an index, or a task that begins to build one; `now` in s.

        Until the task has ended the index serves nobody, as on 389 DS.
        """
        if dn in self.entries:
            return Answer(ALREADY_EXISTS)
        if parent(dn) == _TASKS:
            index = f"cn={entry.first('nsIndexAttribute').lower()},{INDEXES}"
            if index not in self.entries:
                return Answer(NO_SUCH_OBJECT)
            self._in_force[_index_name(index)] = ""
            self._builds[dn] = now + self._build_s
        elif parent(dn) != INDEXES:
            return Answer(UNWILLING, "only indexes and their tasks can be added and deleted here")
        self.entries[dn] = entry
        return Answer()

    def delete(self, dn: str) -> Answer:
        """Remove the entry of an index, which serves nobody from now on."""
        if dn not in self.entries:
            return Answer(NO_SUCH_OBJECT)
        if parent(dn) != INDEXES:
            return Answer(UNWILLING, "only indexes and their tasks can be added and deleted here")
        del self.entries[dn]
        self._serve(dn)
        return Answer()

    def end_builds(self, now: float) -> bool:
        """Put those indexes into force whose build has ended by `now`; whether there is one."""
        ended = [
            task
            for task, end in self._builds.items()
            if end <= now and not self.entries[task].values("nsTaskExitCode")
        ]
        for task in ended:
            entry = self.entries[task]
            entry.put("nsTaskExitCode", ["0"])
            self._serve(f"cn={entry.first('nsIndexAttribute').lower()},{INDEXES}")
        return bool(ended)

    def _runs(self, plugin: str) -> bool:
        entry = self.entries[normal(_PLUGIN.format(name=plugin))]
        return entry.first("nsslapd-pluginEnabled") == "on"

    def _autotune(self) -> list[str]:
        values = {
            name.lower(): values[0] for dn in (BDB, BACKEND) for name, values in self.entries[dn]
        }
        entry, database, dn_cache = autosized(values, self._ram)
        self.entries[BACKEND].put("nsslapd-cachememsize", [str(entry)])
        self.entries[BACKEND].put("nsslapd-dncachememsize", [str(dn_cache)])
        self.entries[BDB].put("nsslapd-dbcachesize", [str(database)])
        if values.get("nsslapd-cache-autosize", "25") == "0":
            return []
        says = "NOTICE - bdb_start_autotune - "
        return [
            f"{says}found {self._ram // 1024}k physical memory",
            f"{says}cache autosizing: db cache: {database // 1024}k",
            f"{says}cache autosizing: userRoot entry cache (1 total): {entry // 1024}k",
            f"{says}cache autosizing: userRoot dn cache (1 total): {dn_cache // 1024}k",
        ]

    def in_force(self, name: str) -> str:
        """The value that works now; cn=config may already show another."""
        return self._in_force.get(name.lower(), "")

    def knobs(self) -> Knobs:
        """What the model computes with."""
        values = {**self._in_force, "nsslapd-cache-autosize": "0", **self.host}
        return effective_knobs(values, ram_bytes=self._ram)

    def replace(self, dn: str, name: str, values: Sequence[str]) -> Answer:
        """Set (or, with no values, reset) an attribute of an entry with this normal DN."""
        if dn == LDBM and self._moved(name):
            answer = self.replace(BDB, name, values)
            return replace(answer, message="") if answer.code else answer
        entry = self.entries[dn]
        if not values:
            return self._reset(dn, entry, name)
        try:
            stored, answer = self._taken(dn, entry, name, values[-1])
        except Refused as refused:
            return Answer(refused.code, str(refused))
        self._put(dn, name, [*values[:-1], stored])
        self._come_into_force(dn, name, stored)
        return answer

    def _put(self, dn: str, name: str, values: Sequence[str]) -> None:
        """Store values; those which the ldbm and the bdb entry both show are one and the same."""
        other = {LDBM: BDB, BDB: LDBM}.get(dn)
        if other and self._defaults[LDBM].values(name) and self._defaults[BDB].values(name):
            self.entries[other].put(name, values)
        self.entries[dn].put(name, values)

    def _moved(self, name: str) -> bool:
        return name.lower() in self._rules["B"] and name.lower() not in self._rules["L"]

    def _reset(self, dn: str, entry: Entry, name: str) -> Answer:
        """Deleting an attribute brings its default back."""
        if not entry.values(name):
            return Answer(NO_SUCH_ATTRIBUTE)
        if name.lower() == "nsslapd-maxdescriptors":
            return Answer(UNWILLING, f"Deleting config attribute {name} is not allowed")
        if self._rule_names(dn).get(name.lower(), {}).get("kind") == "offline":
            return Answer(UNWILLING, self._refusals["offline"].format(name=name))
        defaults = ["0"] if name.lower() == "nsslapd-dbcachesize" else []
        before = self._defaults.get(dn)
        defaults = defaults or (before.values(name) if before else [])
        self._put(dn, name, defaults)
        if defaults:
            self._come_into_force(dn, name, defaults[0])
        return Answer()

    def _taken(self, dn: str, entry: Entry, name: str, value: str) -> tuple[str, Answer]:
        """The value as it is stored and the server's answer; raises Refused."""
        letter = _LETTERS.get(dn, "")
        rule = self._rule_names(dn).get(name.lower())
        if rule is None:
            if letter == "C" and not entry.values(name):
                raise Refused(UNWILLING, self._refusals["unknown_on_config"].format(name=name))
            known = letter in ("", "C") or bool(entry.values(name))
            says = "" if known else self._refusals["unknown_elsewhere"].format(name=name)
            return value, Answer(message=says)
        stored = self._checked(letter, rule, name, value)
        says = self._refusals[rule["says"]].format(name=name) if "says" in rule else ""
        return stored, Answer(message=says, log=rule.get("log", ""))

    def _checked(self, letter: str, rule: Mapping[str, Any], name: str, value: str) -> str:
        code = rule.get("code", OPERATIONS_ERROR if letter == "C" else UNWILLING)
        kind = rule["kind"]
        if kind == "offline":
            raise self._refusal(UNWILLING, "offline", name, value)
        if kind == "switch":
            return self._switch(letter, rule, name, value)
        if kind == "choice" and value not in rule["choices"]:
            raise self._refusal(code, rule["refusal"], name, value)
        if kind in ("integer", "size"):
            return self._number(code, rule, name, value)
        return value

    def _switch(self, letter: str, rule: Mapping[str, Any], name: str, value: str) -> str:
        """On cn=config only on and off are taken; elsewhere any other word is off."""
        if value.lower() in ("on", "off"):
            return value.lower()
        if letter == "C":
            raise self._refusal(OPERATIONS_ERROR, rule.get("refusal", "switch"), name, value)
        return "off"

    def _number(self, code: int, rule: Mapping[str, Any], name: str, value: str) -> str:
        refusal = rule.get("refusal", "number")
        try:
            wanted = int(value)
        except ValueError:
            refusal = refusal if code == OPERATIONS_ERROR else "number"
            raise self._refusal(code, refusal, name, value) from None
        if rule["kind"] == "size" and wanted < 0:
            raise self._refusal(code, "range", name, value)
        if rule.get("autosized") and value not in ("0", "-1") and self._autosizing():
            raise self._refusal(UNWILLING, "autosized", name, value)
        low, high = rule.get("minimum", -_INT64), rule.get("maximum", _INT64)
        if not low <= wanted <= high and value not in rule.get("also", ()):
            raise self._refusal(code, refusal, name, value)
        return self._altered(rule, value, wanted)

    def _altered(self, rule: Mapping[str, Any], value: str, wanted: int) -> str:
        """What the server silently makes of it."""
        if value in rule.get("reads", {}):
            return str(rule["reads"][value])
        if wanted < rule.get("floor", -_INT64):
            return str(rule["below_floor"])
        if rule["kind"] == "size":
            return str(min(wanted, self._ram))
        return str(wanted)

    def _refusal(self, code: int, which: str, name: str, value: str) -> Refused:
        text = self._refusals.get(which, which)
        return Refused(code, text.format(name=name, value=value))

    def _autosizing(self) -> bool:
        return self.entries[BDB].first("nsslapd-cache-autosize", "0") != "0"

    def _come_into_force(self, dn: str, name: str, stored: str) -> None:
        if parent(dn) == INDEXES and self.in_force(_index_name(dn)):
            self._serve(dn)
        elif dn == REFERINT:
            self._referint(name, stored)
        elif self._rule_names(dn).get(name.lower(), {}).get("live"):
            self._in_force[name.lower()] = stored

    def _referint(self, name: str, stored: str) -> None:
        """A running train thread reads its delay anew; 0 to more, or back, waits for a start."""
        if name.lower() != "referint-update-delay":
            return
        running = not self.in_force(name).startswith(("0", "-"))
        if running and stored.lstrip("-").isdigit() and stored != "0":
            self._in_force[name.lower()] = stored


def _index_name(dn: str) -> str:
    """What the types of an index are called among the values in force: index.mail."""
    return _INDEX + dn.partition(",")[0].removeprefix("cn=")
