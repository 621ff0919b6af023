"""The catalogue of knobs: read from resources/knobs/*.toml, and settings checked against it."""

from __future__ import annotations

import difflib
import functools
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ldap_workbench.model.errors import KnobError, UsageError
from ldap_workbench.model.knob import (
    Effect,
    Group,
    Knob,
    Proof,
    Risk,
    Setting,
    SpecialValue,
    Treatment,
    ValueKind,
)
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.resources import resource
from ldap_workbench.servers.product import known_product
from ldap_workbench.tuning.values import plain
from ldap_workbench.tuning.versions import (
    at_version,
    lacks,
    missing_in,
    parsed,
    untried,
)

PREFIX = "nsslapd-"
"""May be left out when a knob is named: threadnumber."""
HOST = "host-linux"
# No other place has a = before its first comma, so these are a DN, and the last = is the setting's.
_AT_BIND_DN = re.compile(
    r"(?P<knob>[^@=]+)@(?P<dn>\s*[A-Za-z][\w.-]*\s*=[^=]+,.+)=(?P<value>[^=,]+)", re.ASCII
)
_ATTRIBUTE = re.compile(r"[A-Za-z][A-Za-z0-9-]*(;[A-Za-z0-9-]+)*", re.ASCII)


@dataclass(frozen=True)
class Catalogue:
    """The knobs of one product and of its host."""

    product: str
    knobs: tuple[Knob, ...]
    lacking: tuple[Knob, ...] = ()
    """What the version of this server does not have."""
    version: str = ""
    """Of the server this is the catalogue of; '' where it is that of all versions."""
    deleted_stays: str = ""
    """The newest version in which the value of a deleted attribute stays in force."""

    def knob(self, name: str) -> Knob:
        """The knob of that name, whatever its case and with or without 'nsslapd-'.

        Raises KnobError naming what comes near; an attribute that is not in the catalogue is
        refused, because the server accepts unknown ones and ignores them.
        """
        known = {
            name.lower(): knob
            for knob in reversed(self.knobs)
            for name in (*knob.also, *knob.former.values(), knob.name)
        }
        wanted = name.strip().lower()
        match = known.get(wanted) or known.get(PREFIX + wanted)
        if match is not None:
            return match
        base, _, attribute = name.strip().partition(".")
        of_all = known.get(base.lower())
        if of_all is None or not of_all.per_attribute:
            raise self._unknown(name, known)
        if not _ATTRIBUTE.fullmatch(attribute):
            raise KnobError(
                Message("'{attribute}' is not the name of an attribute.", attribute=attribute),
                safe=Message("Nothing was changed."),
                remedy=Message("Name the attribute, such as {knob}.mail.", knob=of_all.name),
            )
        return of_all.about_attribute(attribute)

    def of(self, facts: TargetFacts) -> Catalogue:
        """The part of the catalogue that exists on this server, proved as its version shows it."""
        version, library = facts.version, facts.db_library or "bdb"
        known = [knob for knob in self.knobs if knob.db_library in ("", library)]
        usable = [at_version(knob, version) for knob in known if not lacks(version, knob)]
        if known_product(facts) == "dsee":
            usable = list(map(_as_of_sun, usable))
        lacking = [knob for knob in known if lacks(version, knob)]
        return replace(
            self, knobs=tuple(usable), lacking=self.lacking + tuple(lacking), version=version
        )

    @property
    def remark(self) -> Message:
        """What a person has to know of this server's version; NOTHING where there is nothing."""
        return untried(self.version, (*self.knobs, *self.lacking))

    @property
    def by_way_of(self) -> dict[str, str]:
        """Attribute -> the default it must be set to before it is deleted.

        Only then this version works with the default at once.
        """
        if not self.deleted_stays or parsed(self.version) > parsed(self.deleted_stays):
            return {}
        live = (knob for knob in self.knobs if knob.effect is Effect.LIVE and not knob.on_host)
        return {knob.name: knob.default for knob in live if knob.default is not None}

    def treatment(self, settings: Iterable[str | Setting], facts: TargetFacts) -> Treatment:
        """Checked settings with plain values, and before each what it needs: an atomic group.

        A setting is 'KNOB=VALUE' or 'KNOB@PLACE=VALUE'. Raises KnobError for an unknown knob, a
        value that does not fit, a place that does not exist, or settings that exclude each other.
        """
        here = self.of(facts)
        chosen: dict[tuple[str, str], Setting] = {}
        for setting in settings:
            checked = here._checked(setting, facts)
            here._add(chosen, checked)
        if not chosen:
            raise UsageError(
                Message("A treatment needs at least one setting."),
                remedy=Message("Give at least one KNOB=VALUE."),
            )
        return here._with_needs(chosen, facts)

    def _checked(self, setting: str | Setting, facts: TargetFacts) -> Setting:
        wanted = parse_setting(setting) if isinstance(setting, str) else setting
        knob = self.knob(wanted.knob)
        _check_operator(knob, wanted)
        value = plain(knob, wanted.value, ram_bytes=facts.ram_bytes)
        return replace(
            wanted, knob=knob.name, value=value, place=place_of(knob, wanted.place, facts)
        )

    @staticmethod
    def _add(chosen: dict[tuple[str, str], Setting], setting: Setting) -> None:
        key = (setting.knob, setting.place)
        other = chosen.setdefault(key, setting)
        if (other.operator, other.value) != (setting.operator, setting.value):
            raise KnobError(
                Message(
                    "{knob} cannot be both {other} and {setting}.",
                    knob=setting.knob,
                    other=other.value,
                    setting=setting.value,
                ),
                safe=Message("Nothing was changed."),
                remedy=Message("Choose one value; another knob of the treatment may need it."),
            )

    def _with_needs(self, chosen: dict[tuple[str, str], Setting], facts: TargetFacts) -> Treatment:
        first: dict[tuple[str, str], Setting] = {}
        for setting in chosen.values():
            for needed in self.needs(self.knob(setting.knob)):
                checked = self._checked(needed, facts)
                self._add(chosen | first, checked)
                first[(checked.knob, checked.place)] = checked
        return Treatment(tuple((first | chosen).values()))

    def needs(self, knob: Knob) -> tuple[Setting, ...]:
        """What must be set for the knob to be accepted, as far as it exists on this server."""
        known = {other.name for other in self.knobs}
        return tuple(Setting(name, value) for name, value in knob.needs.items() if name in known)

    def user_data_ahead(self, treatments: Iterable[Treatment]) -> Message:
        """What all replicas will notice: a knob in user data. NOTHING where none is."""
        settings = [setting for treatment in treatments for setting in treatment.settings]
        dns = [setting.place for setting in settings if self.knob(setting.knob).of_bind_dn]
        if not dns:
            return NOTHING
        return Message(
            "This changes user data, {dns:list}: replication sends it to all replicas, so all of "
            "them change, and again when it is reverted.",
            dns=tuple(dict.fromkeys(dns)),
        )

    def _unknown(self, name: str, known: Mapping[str, Knob]) -> KnobError:
        wanted = name.strip().lower()
        for knob in self.lacking:
            if knob.name.lower() in (wanted, PREFIX + wanted):
                return KnobError(
                    missing_in(self.version, knob),
                    safe=Message("Nothing was changed."),
                    remedy=Message("Choose a knob of this server: ldap-workbench knobs PROFILE."),
                )
        head, _, attribute = name.strip().partition(".")
        of_attributes = [key for key, knob in known.items() if knob.per_attribute]
        near = difflib.get_close_matches(head.lower(), of_attributes, n=1) if attribute else []
        near += difflib.get_close_matches(wanted, known, n=3, cutoff=0.6)
        near += difflib.get_close_matches(PREFIX + wanted, known, n=3, cutoff=0.75)
        near += [key for key in known if wanted and wanted in key]
        names = [
            f"{known[key].name}.{attribute or 'NAME'}"
            if known[key].per_attribute
            else known[key].name
            for key in near
        ]
        names = list(dict.fromkeys(names))[:3]
        return KnobError(
            Message(
                "There is no knob '{name}' in the catalogue of {product}.",
                name=name,
                product=self.product,
            ),
            safe=Message("Nothing was changed."),
            remedy=_nearest(names),
        )


def _nearest(names: list[str]) -> Message:
    if names:
        return Message("Did you mean {names:or}?", names=tuple(names))
    return Message("To list the knobs, run: ldap-workbench knobs PROFILE")


def _check_operator(knob: Knob, setting: Setting) -> None:
    """Raises KnobError where = would replace a list of values, and += a single one."""
    if knob.per_attribute and not knob.of_attribute:
        what = Message("There is one {knob} for each attribute.", knob=knob.name)
        remedy = Message("Write {knob}.mail={value}.", knob=knob.name, value=setting.value)
        if knob.kind is ValueKind.SORTED_LIST:
            what = Message("Each {knob} has a name.", knob=knob.name)
            remedy = Message("Write {knob}.NAME={value}.", knob=knob.name, value=setting.value)
        raise KnobError(what, safe=Message("Nothing was changed."), remedy=remedy)
    if knob.many and setting.operator == "=":
        one_more = replace(setting, knob=knob.name, operator="+=").argument
        raise KnobError(
            Message("{knob} has many values: = would replace all of them.", knob=knob.name),
            safe=Message("Nothing was changed."),
            remedy=Message("To add one, write {one_more}; -= removes one.", one_more=one_more),
        )
    if not knob.many and setting.operator != "=":
        raise KnobError(
            Message("{knob} has one value.", knob=knob.name),
            safe=Message("Nothing was changed."),
            remedy=Message("Write {knob}={value}.", knob=knob.name, value=setting.value),
        )


def parse_setting(text: str) -> Setting:
    """'nsslapd-cachememsize@userRoot=200 MiB' in its three parts. Raises UsageError.

    += and -= add and remove one value of many: 'olcDbIndex+=mail eq'. A place may be the DN of an
    entry: 'nsSizeLimit@uid=portal,dc=example,dc=com=5000'.
    """
    if of_bind_dn := _AT_BIND_DN.fullmatch(text):
        return Setting(*(part.strip() for part in of_bind_dn.group("knob", "value", "dn")))
    left, equals, value = text.partition("=")
    operator = "="
    if left.endswith(("+", "-")):
        operator, left = f"{left[-1]}=", left[:-1]
    name, _, place = left.partition("@")
    if not equals or not name.strip() or not value.strip():
        raise UsageError(
            Message("'{text}' is not a setting.", text=text),
            remedy=Message("Write KNOB=VALUE, or KNOB@PLACE=VALUE for one backend or disk."),
        )
    return Setting(name.strip(), value.strip(), place.strip(), operator)


def place_of(knob: Knob, place: str, facts: TargetFacts) -> str:
    """The backend or device a knob is meant for: the given one if it exists, else the only one.

    '' for knobs that have one place only. Raises KnobError with the places to choose from.
    """
    where = knob.path or knob.dn
    if knob.of_backend:
        known = tuple(backend.name for backend in facts.backends)
        return _choose(knob, place, known, Message("backend"))
    if "{agreement}" in where:
        return place  # only the server knows its agreements
    if knob.of_bind_dn and not place:
        raise KnobError(
            Message("{knob} lies in the entry that a client binds as.", knob=knob.name),
            safe=Message("Nothing was changed."),
            remedy=Message("Write {knob}@uid=portal,dc=example,dc=com=VALUE.", knob=knob.name),
        )
    if knob.of_bind_dn:
        return place
    if "{device}" in where:
        return place or _choose(
            knob, "", (facts.device,) if facts.device else (), Message("device")
        )
    if place:
        raise KnobError(
            Message("{knob} exists once, not for '{place}'.", knob=knob.name, place=place),
            remedy=Message("Leave out the part after @."),
        )
    return ""


def _choose(knob: Knob, place: str, known: tuple[str, ...], noun: Message) -> str:
    for name in known:
        if name.lower() == place.lower() or (not place and len(known) == 1):
            return name
    if not known:
        what = Message("The {noun} for {knob} is not known.", noun=noun, knob=knob.name)
        remedy = Message("Test the profile: it says why it could not be found.")
    else:
        what = Message(
            "{knob} needs a {noun}, and this server has no '{place}'.",
            knob=knob.name,
            noun=noun,
            place=place,
        )
        names = tuple(f"{knob.name}@{name}" for name in known)
        remedy = Message("Write {names:or}.", names=names)
    raise KnobError(what, safe=Message("Nothing was changed."), remedy=remedy)


def _as_of_sun(knob: Knob) -> Knob:
    """The knob under the name and in the entry that Sun Directory Server has it in.

    It shares cn=config with 389 DS, from which it was parted before cn=bdb and named settings of
    plug-ins came; an attribute that its plug-in does not know would be stored and ignored.
    """
    document = _document(resource("knobs/389ds-former.toml"))
    today = _document(resource("knobs/389ds.toml"))["entries"]
    former = {today[entry]: dns[0] for entry, dns in document["entries"].items()}
    knob = replace(knob, dn=former.get(knob.dn, knob.dn))
    names = document["attributes"].get(knob.name)
    return replace(knob, name=names[0], also=(knob.name,)) if names else knob


@functools.cache
def load_catalogue(product: str = "389ds") -> Catalogue:
    """The knobs of a product and of a Linux host. Raises KnobError for an unknown product."""
    try:
        path = resource(f"knobs/{product}.toml")
    except FileNotFoundError:
        raise KnobError(
            Message("There is no catalogue of knobs for '{product}'.", product=product),
            remedy=Message("Servers of this product can be measured, but not changed."),
        ) from None
    document = _document(path)
    knobs = _knobs_of(document, path.name) + read_knobs(resource(f"knobs/{HOST}.toml"))
    return Catalogue(product, knobs, deleted_stays=document.get("deleted_stays", ""))


def read_knobs(path: Path) -> tuple[Knob, ...]:
    """The knobs of one file. Raises KnobError naming the knob that is not described well."""
    return _knobs_of(_document(path), path.name)


def _document(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return tomllib.load(file)


def _knobs_of(document: dict[str, Any], file: str) -> tuple[Knob, ...]:
    entries, computed = document.get("entries", {}), document.get("computed_entries", ())
    of_all = {"group": document["group"]} if "group" in document else {}
    rows = (of_all | row for row in document.get("knob", []))
    return tuple(
        _knob(row | {"computed": row.get("entry") in computed}, entries, file) for row in rows
    )


_TEXTS = ("title", "about", "trap", "lasting", "not_absent")
"""What a person reads of a knob: templates of the catalogue of translations."""


def _knob(row: dict[str, Any], entries: dict[str, str], file: str) -> Knob:
    name = row.get("name", "?")
    try:
        proof = dict(row.pop("proof", {}))
        if isinstance(proof.get("offset"), dict):
            proof["offsets"] = proof.pop("offset")
        if says := proof.pop("says", ""):
            proof["says"] = Message(says)
        if isinstance(row.get("default"), dict):
            row["defaults"] = row.pop("default")
        if entry := proof.pop("entry", ""):
            proof["dn"] = entries[entry]
        dn = entries[row.pop("entry")] if "entry" in row else ""
        if special := row.pop("special", {}):
            row["special"] = SpecialValue(**special | {"text": Message(special["text"])})
        words: dict[str, Any] = {
            "kind": ValueKind(row.pop("kind")),
            "group": Group(row.pop("group")),
            "effect": Effect(row.pop("effect")),
            "risk": Risk(row.pop("risk")),
            "choices": tuple(row.pop("choices", ())),
            "steps": tuple(map(Message, row.pop("steps", ()))),
            "live_values": tuple(row.pop("live_values", ())),
            "crashes": tuple(row.pop("crashes", ())),
            "broken": tuple(row.pop("broken", ())),
            "java_options": tuple(row.pop("java_options", ())),
            "verified": tuple(row.pop("verified", ())),
        }
        texts = {name: row.pop(name) for name in _TEXTS if name in row}
        words |= {name: Message(text) for name, text in texts.items()}
        return Knob(dn=dn, proof=Proof(**proof), **words, **row)
    except (KeyError, ValueError, TypeError) as error:
        raise KnobError(
            Message(
                "{file} does not describe knob {name} correctly: {reason}.",
                file=file,
                name=name,
                reason=str(error),
            ),
            remedy=Message("Install the workbench again: its own file is damaged."),
        ) from error
