"""What applying a treatment would do: read-only, for a person to agree to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypedDict

from ldap_workbench.model.change import Change, Origin
from ldap_workbench.model.errors import KnobError
from ldap_workbench.model.knob import Effect, Knob, Setting, Treatment, ValueKind
from ldap_workbench.model.message import NOTHING, Message, sentences
from ldap_workbench.model.target import names_in_commands
from ldap_workbench.servers.product import product_of
from ldap_workbench.tuning.catalogue import Catalogue
from ldap_workbench.tuning.host_values import SWITCHES, switch_in
from ldap_workbench.tuning.index_budget import IndexRoom
from ldap_workbench.tuning.indexes import (
    DS389,
    OPENDJ,
    builds_again,
    entries_at,
    is_index,
    is_obsolete,
    lost,
    must_build,
    schema_names,
    types_at,
    unused,
)
from ldap_workbench.tuning.java_args import option_in
from ldap_workbench.tuning.log_files import LOG_FOLDER
from ldap_workbench.tuning.place import KnobLocation, Places, Values, describe_values
from ldap_workbench.tuning.slapd_index import built_for, database_of
from ldap_workbench.tuning.stored import (
    StoredNames,
    origin_of,
    read_stored,
    shows_what_is_not_stored,
)
from ldap_workbench.tuning.tunable import Tunable
from ldap_workbench.tuning.values import numbered, shown
from ldap_workbench.tuning.wanted import wanted


@dataclass(frozen=True)
class PlannedChange:
    """One setting against what the server says now."""

    setting: Setting
    knob: Knob
    location: KnobLocation
    before: Values
    asked: Values
    needs_restart: bool
    operator: Message = NOTHING
    """What the operator must do because the workbench cannot."""
    note: Message = NOTHING
    """Why a setting is in the group that nobody asked for; or that its attribute may not exist."""
    origin: Origin = Origin.STORED
    stored: Values = None
    """What is stored where it reads as another value."""
    not_read: Message = NOTHING
    """Why the stored configuration is not known."""
    budget: Message = NOTHING
    """Room and time that the build of an index needs."""

    @property
    def offline(self) -> bool:
        """It is not set while the server runs: its stored configuration is edited."""
        return self.knob.effect is Effect.OFFLINE

    @property
    def cannot_be_absent_again(self) -> bool:
        """Whether a revert could not bring back what is there now: nothing."""
        return bool(self.knob.not_absent) and self.before is None

    @property
    def writes(self) -> bool:
        """False where the value is already as asked."""
        return self.before != self.asked

    def describe(self) -> Message:
        """What is changed from what to what, when it works, and what the operator must do."""
        now, asked = self._shown(self.before), self._shown(self.asked)
        where = f"{self.knob.name}@{self.setting.place}" if self.setting.place else self.knob.name
        if not self.writes:
            return Message("{where} is {now} already: nothing is written.", where=where, now=now)
        restart = self.needs_restart and not self.offline
        return sentences(
            Message("{where}: {now} → {asked}.", where=where, now=now, asked=asked),
            self.note,
            self.build,
            self.budget,
            self.revert,
            Message("Takes effect after a restart.") if restart else NOTHING,
            self.operator,
        )

    @property
    def build(self) -> Message:
        """What the server has to build for it, or for the revert; NOTHING where nothing."""
        if self.offline and built_for(self.location):
            stopped = Message(
                "slapd stays stopped while slapindex builds its indexes, which needs room for a "
                "copy of each database; a revert builds them again."
            )
            return sentences(stopped, self._left_in_file)
        if self.location.attribute == LOG_FOLDER:
            return Message(
                "The log files are copied while the server is stopped and removed from the old "
                "folder; a revert does so the other way."
            )
        if builds_again(self.location):
            return sentences(self._first_build, Message("A revert builds it again."))
        if not is_index(self.location.dn, self.location.attribute) or is_obsolete(self.location.dn):
            return NOTHING
        first = must_build(self.location, self.before, self.asked)
        again = must_build(self.location, self.asked, self.before)
        retyped = first and self.before and entries_at(self.location.dn) is DS389
        return sentences(
            self._first_build if first else NOTHING,
            Message(
                "All its types are built, also those that are there, and until that ends the old "
                "index serves nobody. A revert, a cancel and a safety limit do the same again."
            )
            if retyped
            else NOTHING,
            Message("A revert builds it again.") if again and not retyped else NOTHING,
            self._left_in_file,
        )

    @property
    def _left_in_file(self) -> Message:
        """What slapd never drops; NOTHING for other servers, and for what is no index.

        back-mdb forgets the named database of an index (mdb_attr_flush): the 11,390 keys of 500
        descriptions were still in data.mdb after the index was taken out (2.5.13).
        """
        if not database_of(self.location):
            return NOTHING
        return Message(
            "slapd drops no index from data.mdb: one that is taken out or reverted stays in the "
            "file, unused."
        )

    @property
    def _first_build(self) -> Message:
        way = entries_at(self.location.dn)
        if way is OPENDJ:
            # RebuildTask disables the back end, and enables it when it has succeeded (tried on
            # 4.6.5): 3.5 s for 5,000 entries, in which every search ended with noSuchObject.
            return Message(
                "OpenDJ disables the back end while it builds the index: until it ends clients "
                "are told that its entries do not exist (err=32)."
            )
        load = Message(
            "The server builds the index while it runs, which adds load until the build ends."
        )
        if way is None:
            return load
        # All 3,000 changes that came while 2.3.1 built an index of 4,000 entries ended with 53,
        # "database is read-only", and so did those beside a sorted list, on 1.4.4.11 as well.
        return sentences(
            load,
            Message(
                "Until then it refuses every change in this back end (err=53, the database is "
                "read-only)."
            ),
            Message(
                "Do not restart the server meanwhile: it would use the index as if it were "
                "complete."
            ),
            Message(
                "Once it is kept, its use can be switched off and on at once, for pairs without a "
                "further build: {setting}. That shows what searches gain, not what writes pay.",
                setting=unused(self.location.dn),
            )
            if unused(self.location.dn)
            else NOTHING,
        )

    def _shown(self, values: Values) -> tuple[Message, ...]:
        if self.knob.kind is ValueKind.SORTED_LIST:
            return (describe_values(values),)
        if self.knob.kind is ValueKind.INDEX:
            values = types_at(self.location.attribute, values, self.knob.of_attribute)
        values = option_in(self.knob, values)
        if self.knob.path in SWITCHES and values is not None:
            word = switch_in(values[0], self.setting.value)
            values = (word,) if word else None
        return tuple(shown(self.knob, value) for value in values or (None,))

    @property
    def revert(self) -> Message:
        """What a revert leaves that a person may not expect; NOTHING where it is as before."""
        now = describe_values(self.before)
        match self.origin:
            case Origin.AUTOMATIC:
                return Message("{now} is automatic: a revert removes the setting again.", now=now)
            case Origin.PINNED:
                return Message(
                    "{now} is automatic, and it will be restored as {now}, which is then stored: "
                    "this server does not remove the setting again.",
                    now=now,
                )
            case Origin.UNKNOWN:
                return Message(
                    "It will be restored as {now}, and is then stored, also if {now} is automatic "
                    "now: whether it is stored is not known. {why}",
                    now=now,
                    why=self.not_read,
                )
        return NOTHING


def plan_changes(
    target: Tunable,
    places: Places,
    catalogue: Catalogue,
    treatment: Treatment,
    earlier: Iterable[Change] = (),
) -> list[PlannedChange]:
    """Each setting of a treatment against the server as it is now, in the order of writing.

    `earlier` are the changes of this server: how long an index took to build is known from them.
    Raises KnobError when a place cannot be read, a kernel file does not offer the value, or the
    disk has no room for its indexes.
    """
    restart_list = _awaiting_restart(target)
    stored = read_stored(target) if shows_what_is_not_stored(target) else None
    planned: list[PlannedChange] = []
    room = IndexRoom(target, earlier)
    for setting in treatment.settings:
        knob = catalogue.knob(setting.knob)
        location = places.locate(knob, setting.place)
        needs_restart = _needs_restart(knob, setting, restart_list)
        _check_offered(places, knob, location, setting)
        for place, before, asked in wanted(places, knob, setting, location):
            _check_alone(planned, knob, place)
            if is_obsolete(place.dn) or (before != asked and places.builds_unseen(place)):
                knob = replace(knob, effect=Effect.OFFLINE)
            _check_index(target, places, place, before, asked)
            planned.append(
                PlannedChange(
                    setting,
                    knob,
                    place,
                    before=before,
                    asked=asked,
                    needs_restart=needs_restart,
                    operator=_operator(target, knob, place, setting, before, needs_restart),
                    note=_note(catalogue, setting, treatment)
                    or _unseen(target, knob, place, before),
                    budget=room.describe(place, before, asked),
                    **_stored_before(knob, place, before, stored, catalogue.version),
                )
            )
    room.check()
    return planned


def _check_alone(planned: list[PlannedChange], knob: Knob, location: KnobLocation) -> None:
    """Raises KnobError for a second change of one line: the first would be taken for another's."""
    for other in planned:
        if knob.java_options and other.location == location:
            raise KnobError(
                Message(
                    "{knob} and {other} stand on one line.", knob=knob.name, other=other.knob.name
                ),
                safe=Message("Nothing was changed."),
                remedy=Message("Try one of them after the other."),
            )


def _check_index(
    target: Tunable, places: Places, location: KnobLocation, before: Values, asked: Values
) -> None:
    """Raises KnobError where an index cannot be watched, or one that clients use would be lost."""
    index = is_index(location.dn, location.attribute)
    if before == asked or not (index or builds_again(location)):
        return
    places.check_build(location)
    if not index:
        return
    gone = [] if is_obsolete(location.dn) else lost(location.attribute, before, asked)
    if gone and not target.profile.test_server:
        other = unused(location.dn)
        raise KnobError(
            Message("The index {index:list} would be removed.", index=tuple(gone)),
            safe=Message("Nothing was changed."),
            remedy=sentences(
                Message(
                    "Searches of clients may need it: that is tried on a test server only. If this "
                    "is one, add the profile again with --test-server."
                ),
                Message(
                    "To see what it serves without removing it, switch off its use: {setting}.",
                    setting=other,
                )
                if other
                else NOTHING,
            ),
        )


class _StoredBefore(TypedDict, total=False):
    origin: Origin
    stored: Values
    not_read: Message


def _stored_before(
    knob: Knob, location: KnobLocation, before: Values, names: StoredNames | None, version: str
) -> _StoredBefore:
    if names is None:
        return {}
    origin = origin_of(knob, location, before, names, version)
    if origin is Origin.STORED and location.dn and before is not None:
        return {"stored": names.otherwise(location, before)}
    return {"origin": origin, "not_read": names.why}


def _needs_restart(knob: Knob, setting: Setting, restart_list: set[str]) -> bool:
    """The server's own list is incomplete and partly wrong: it counts for unmeasured knobs only."""
    if knob.effect is Effect.OFFLINE:
        return True
    if knob.effect is Effect.RESTART:
        return setting.value not in knob.live_values
    return not knob.verified and knob.name.lower() in restart_list


def _awaiting_restart(target: Tunable) -> set[str]:
    """Attributes that 389 DS itself lists as taking effect after a restart, in lower case."""
    if product_of(target.facts) != "389ds":
        return set()
    entries = target.directory.search("cn=config", attributes=("nsslapd-requiresrestart",))
    listed = entries[0].values("nsslapd-requiresrestart") if entries else None
    return {text.rpartition(":")[2].lower() for text in listed or ()}


def _check_offered(places: Places, knob: Knob, location: KnobLocation, setting: Setting) -> None:
    offered = places.offered(location) if knob.on_host else ()
    if offered and setting.value not in offered:
        raise KnobError(
            Message(
                "The kernel does not offer '{setting}' for {knob} ({spot}).",
                setting=setting.value,
                knob=knob.name,
                spot=location.label,
            ),
            safe=Message("Nothing was changed."),
            remedy=Message("Choose one of {offered:list}.", offered=tuple(offered)),
        )


def _operator(
    target: Tunable,
    knob: Knob,
    location: KnobLocation,
    setting: Setting,
    before: Values,
    needs_restart: bool,
) -> Message:
    if knob.steps:
        names = names_in_commands(target.facts)
        names |= {"value": setting.value, "before": (before or (knob.default or "",))[0]}
        steps = [Message(step.template, **names) for step in knob.steps]
        return Message("This is not automated. {steps}", steps=numbered(steps))
    if knob.not_absent and before is None:
        return Message(
            "This is not automated while {knob} is absent: {why}",
            knob=knob.name,
            why=knob.not_absent,
        )
    if is_obsolete(location.dn):
        return Message(
            "This is not done while the server runs: stop it, take the entry '{dn}' out of its "
            "dse.ldif, and start it. With your consent the workbench does so, and keeps a backup "
            "of dse.ldif. The file of the index stays where it is, for a revert.",
            dn=location.dn,
        )
    if knob.effect is Effect.OFFLINE and is_index(location.dn, location.attribute):
        return Message(
            "When slapd has built an index is seen in cn=Monitor alone, which this bind user does "
            "not see: stop slapd, edit {attribute} in slapd.d, run slapindex, and start it. With "
            "your consent the workbench does so, and keeps a backup of the file.",
            attribute=location.attribute,
        )
    if knob.effect is Effect.OFFLINE:
        return Message(
            "This is not set while the server runs: stop it, set '{knob}: {value}' in the entry "
            "'{dn}' of its {file}, and start it. With your consent the workbench does so, and "
            "keeps a backup of the file.",
            knob=knob.name,
            value=setting.value,
            dn=location.dn,
            file="slapd.d" if product_of(target.facts) == "openldap" else "dse.ldif",
        )
    if needs_restart and not target.profile.restart_command:
        return Message("You must restart the server: the profile has no restart command.")
    return NOTHING


def _note(catalogue: Catalogue, setting: Setting, treatment: Treatment) -> Message:
    for other in treatment.settings:
        knob = catalogue.knob(other.knob)
        if knob.needs.get(setting.knob) == setting.value:
            return Message("Needed by {knob}, which the server refuses otherwise.", knob=knob.name)
    return NOTHING


def _unseen(target: Tunable, knob: Knob, location: KnobLocation, before: Values) -> Message:
    """That no schema shows the attribute of a new index: its name may be mistyped."""
    name = knob.of_attribute
    if knob.kind is not ValueKind.INDEX or types_at(location.attribute, before, name):
        return NOTHING
    if name == "default" or schema_names(target.directory):
        return NOTHING
    return Message(
        "The server shows no schema: whether it has the attribute {name} is not known.", name=name
    )
