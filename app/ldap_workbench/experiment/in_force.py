"""What the settings of a change say now, and what keeping or reverting it leaves.

Read back from the server where it can be asked, else as it was recorded last. Either way it is said
which, and when: a value that somebody decides by is never assumed.
"""

from __future__ import annotations

import time
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from ldap_workbench.model.change import WHOLE_ENTRY, Change, ChangeState
from ldap_workbench.model.errors import KnobError, WorkbenchError
from ldap_workbench.model.experiment import Experiment
from ldap_workbench.model.knob import Effect, KnobReading, Setting
from ldap_workbench.model.message import NOTHING, Message, sentences, verbatim
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.servers.product import product_of
from ldap_workbench.tuning.catalogue import Catalogue, load_catalogue
from ldap_workbench.tuning.indexes import describe_index, is_index
from ldap_workbench.tuning.java_args import option_in
from ldap_workbench.tuning.place import describe_values
from ldap_workbench.tuning.tuner import Tuner
from ldap_workbench.tuning.undo import is_at, ours
from ldap_workbench.tuning.values import shown

_BEFORE = (ChangeState.REVERTED, ChangeState.REFUSED)
_WITH_IT = (ChangeState.APPLIED, ChangeState.KEPT)


@dataclass(frozen=True)
class InForce:
    """A sentence for each setting of a change, and where and when its value was read."""

    settings: tuple[Message, ...] = ()
    read: Message = NOTHING

    @property
    def lines(self) -> tuple[Message, ...]:
        """All of it; () where no setting was ever written."""
        return tuple(line for line in (*self.settings, self.read) if line)


NOT_READ = InForce()


def read_in_force(
    tuner: Tuner, experiment: Experiment, *, deciding: bool, now_s: float | None = None
) -> InForce:
    """Ask the server, in the thread of its tuner.

    `deciding` is whether the change can still be kept or reverted. A server that does not answer is
    no error here, as this ends no experiment: it is said in place of the values.
    """
    if not experiment.change_groups:
        return NOT_READ
    try:
        changes = _made_for(experiment, tuner.journal.changes())
        settings = tuple(
            _asked(tuner, setting, changes, deciding=deciding)
            for setting in experiment.plan.treatment.settings
        )
    except WorkbenchError as error:
        return InForce((Message("The values in force now are not known: {why}", why=error.what),))
    at = _clock(time.time() if now_s is None else now_s)
    return InForce(settings, Message("Read back from the server at {time} (local time).", time=at))


def read_at_end(
    tuner: Tuner, settings: Iterable[Setting], sessions: Container[str], *, now_ns: int
) -> InForce:
    """What the settings that experiments of these sessions changed say, to be kept with its time.

    Ask the server, in the thread of its tuner; one that does not answer is no error.
    """
    try:
        made = [change for change in tuner.journal.changes() if change.session in sessions]
        made.sort(key=lambda change: (change.updated_ns, change.id))
        by_place = {tuner.locate(setting): setting for setting in settings} if made else {}
        first = {
            place: change for place in by_place for change in reversed(made) if is_at(change, place)
        }
        lines = tuple(
            sentences(
                _at_that_time(tuner.read(setting.knob, setting.place), setting),
                Message(
                    "Before, it was {before}.",
                    before=_values(first[place], first[place].before, tuner.catalogue),
                ),
            )
            for place, setting in by_place.items()
            if place in first
        )
    except WorkbenchError as error:
        return InForce((Message("The values in force are not known: {why}", why=error.what),))
    read = Message("Read back from the server at {time:time}.", time=now_ns)
    return InForce(lines, read) if lines else NOT_READ


def recorded_in_force(
    experiment: Experiment,
    changes: Iterable[Change],
    facts: TargetFacts | None,
    *,
    deciding: bool = False,
) -> InForce:
    """What was recorded last of a server that is not asked."""
    made = _made_for(experiment, changes)
    if not made:
        return NOT_READ
    settings = tuple(
        _recorded(setting, last, facts, deciding=deciding)
        for setting in experiment.plan.treatment.settings
        if (last := _last_of(setting, made)) is not None
    )
    recorded = Message(
        "Recorded at {time:time}; the server was not asked.",
        time=max(change.updated_ns for change in made),
    )
    return InForce(settings, recorded)


def _made_for(experiment: Experiment, changes: Iterable[Change]) -> list[Change]:
    """Those made for the experiment, as they were noted last at the end."""
    groups = experiment.change_groups
    return sorted(
        (change for change in changes if change.group in groups),
        key=lambda change: (change.updated_ns, change.id),
    )


def _asked(tuner: Tuner, setting: Setting, changes: Sequence[Change], *, deciding: bool) -> Message:
    location = tuner.locate(setting)
    made = [change for change in changes if is_at(change, location)]
    reading = tuner.read(setting.knob, setting.place)
    last = made[-1] if made else None
    return sentences(_now(reading, setting), _leaves(last, tuner.catalogue, deciding=deciding))


def _now(reading: KnobReading, setting: Setting) -> Message:
    """What it reads as. A restart may lie between what is stored and what is in force."""
    name, knob = _name(setting), reading.knob
    if reading.unknown:
        return Message("{name} could not be read: {why}", name=name, why=reading.unknown)
    stored = shown(knob, reading.value)
    in_force = None if reading.effective is None else shown(knob, reading.effective)
    if in_force is None and knob.effect is not Effect.LIVE:
        return Message(
            "{name}: stored now: {stored}; what is in force cannot be read.",
            name=name,
            stored=stored,
        )
    if in_force is None or in_force == stored:
        return Message("{name}: in force now: {value}.", name=name, value=stored)
    return Message(
        "{name}: in force now: {value}; stored: {stored}.",
        name=name,
        value=in_force,
        stored=stored,
    )


def _at_that_time(reading: KnobReading, setting: Setting) -> Message:
    """The same for who reads it later."""
    name, knob = _name(setting), reading.knob
    if reading.unknown:
        return Message("{name} could not be read: {why}", name=name, why=reading.unknown)
    stored = shown(knob, reading.value)
    if reading.effective is None:
        if knob.effect is Effect.LIVE:
            return Message("{name}: in force: {value}.", name=name, value=stored)
        return Message(
            "{name}: stored: {stored}; what is in force cannot be read.", name=name, stored=stored
        )
    in_force = shown(knob, reading.effective)
    if in_force == stored:
        return Message("{name}: in force: {value}.", name=name, value=stored)
    return Message(
        "{name}: in force: {value}; stored: {stored}.", name=name, value=in_force, stored=stored
    )


def _leaves(change: Change | None, catalogue: Catalogue | None, *, deciding: bool) -> Message:
    """What becomes of it; where nothing had to be written neither choice changes it."""
    if change is None:
        return (
            Message("It had this value before: neither Keep nor Revert changes it.")
            if deciding
            else NOTHING
        )
    asked = _values(change, ours(change), catalogue)
    before = _values(change, change.before, catalogue)
    if deciding:
        return Message("Keep leaves {asked}, Revert leaves {before}.", asked=asked, before=before)
    return Message("The change sets {asked}; before, it was {before}.", asked=asked, before=before)


def _recorded(
    setting: Setting, change: Change, facts: TargetFacts | None, *, deciding: bool
) -> Message:
    catalogue, name = _catalogue(facts), _name(setting)
    asked = _values(change, ours(change), catalogue)
    before = _values(change, change.before, catalogue)
    said = Message(
        "{name}: it was not recorded whether {asked} or {before} is in force.",
        name=name,
        asked=asked,
        before=before,
    )
    if change.state in (*_BEFORE, *_WITH_IT):
        value = before if change.state in _BEFORE else asked
        said = Message("{name}: recorded last: {value}.", name=name, value=value)
    return sentences(said, _leaves(change, catalogue, deciding=deciding))


def _last_of(setting: Setting, changes: Sequence[Change]) -> Change | None:
    """The last change of a setting, by its place where the knob was changed in several."""
    of_knob = [change for change in changes if change.knob == setting.knob]
    place = setting.place.lower()
    there = [change for change in of_knob if place in f"{change.dn} {change.attribute}".lower()]
    chosen = there or of_knob
    return chosen[-1] if chosen else None


def _values(change: Change, values: tuple[str, ...] | None, catalogue: Catalogue | None) -> Message:
    """As a person reads them: '209715200 (200 MiB)', 'absent'."""
    if is_index(change.dn, change.attribute):
        return describe_index(change.knob, change.attribute, values)
    if change.attribute == WHOLE_ENTRY:
        return describe_values(values)
    try:
        knob = None if catalogue is None else catalogue.knob(change.knob)
    except KnobError:
        knob = None  # of another version's catalogue: the value as it stands
    values = option_in(knob, values) if knob else values
    text = None if values is None else ", ".join(values)
    if knob:
        return shown(knob, text)
    return Message("absent") if text is None else verbatim(text)


def _catalogue(facts: TargetFacts | None) -> Catalogue | None:
    try:
        return load_catalogue(product_of(facts))
    except KnobError:
        return None


def _name(setting: Setting) -> str:
    return f"{setting.knob}@{setting.place}" if setting.place else setting.knob


def _clock(seconds: float) -> str:
    """By the clock of this machine; with its day where that is not today."""
    moment = datetime.fromtimestamp(seconds).astimezone()
    today = moment.date() == datetime.now().astimezone().date()
    return f"{moment:%H:%M:%S}" if today else f"{moment:%Y-%m-%d %H:%M:%S}"
