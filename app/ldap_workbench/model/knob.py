"""Knobs and treatments: what can be changed, and the one change under test."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from ldap_workbench.model.message import NOTHING, Message


class ValueKind(StrEnum):
    """What a knob takes."""

    INTEGER = "integer"
    SIZE = "size"
    SECONDS = "seconds"
    PERCENT = "percent"
    SWITCH = "switch"
    """on or off."""
    CHOICE = "choice"
    TEXT = "text"
    INDEX = "index"
    """Types of index of one attribute: eq,sub; absent is none."""
    SORTED_LIST = "sorted_list"
    """Base, scope, filter and order of a list that is kept sorted; absent is none."""


class Group(StrEnum):
    """What a knob is about, in the order in which they are listed."""

    THREADS = "threads"
    CACHES = "caches"
    INDEXES = "indexes"
    DATABASE = "database"
    LOGS = "logs"
    LIMITS = "limits"
    REPLICATION = "replication"
    OTHERS = "others"
    HOST = "host"


class Effect(StrEnum):
    """When a new value works."""

    LIVE = "live"
    RESTART = "restart"
    OFFLINE = "offline"
    """Not set while the server runs: stop, edit its stored configuration, start."""


BIND_DN = "{bind_dn}"
"""The `dn` of a knob that lies in the entry a client binds as."""


class Risk(StrEnum):
    """What may go wrong with a change."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True)
class Proof:
    """Independent evidence that a value works, not only that it is stored.

    kind: 'monitor' reads `attribute` of `dn` and compares (with `offset` added to the value asked);
    'option' looks in it for the option of the JVM; 'sysfs' reads back the kernel's own file;
    'stored' means that no proof but read-back is known.
    """

    kind: str = "stored"
    dn: str = ""
    attribute: str = ""
    offset: int = 0
    offsets: dict[str, int] = field(default_factory=dict)
    """`offset` by the version it was measured on; the catalogue of a server has chosen from it."""
    plus: str = ""
    """An attribute of cn=config whose number is counted, too, where the server has it."""
    slack: int = 0
    """How much more than `offset` may be there: on versions that nobody measured."""
    scale: int = 1
    """What one of the evidence's units is of the value's: 4096 where bytes show as pages."""
    tolerance: float = 0.0
    """Share of the value by which the evidence may differ: 0.3 is 30 %."""
    counting: str = ""
    """Text of the values to count, where the number of such values is the evidence."""
    says: Message = NOTHING


@dataclass(frozen=True)
class SpecialValue:
    """A value that is no number of the unit: -1 for no limit. `text` says what it means."""

    value: str
    text: Message
    automatic: bool = False
    """The server chooses the number itself."""
    reads_as_number: bool = False
    """Set, it reads back as the number the server chose: which of the two is set is not known."""


@dataclass(frozen=True)
class Knob:
    """A tunable of a server or its host, as the catalogue (resources/knobs/*.toml) describes it.

    `dn` may hold {backend}; host knobs have an empty dn and a `path` that may hold {device}.
    `choices` are all values of a choice, and for numbers the values allowed besides the range.
    """

    name: str
    title: Message
    kind: ValueKind
    effect: Effect
    risk: Risk
    group: Group = Group.OTHERS
    dn: str = ""
    attribute: str = ""
    """The attribute of `dn` that holds it, where that is not its name."""
    path: str = ""
    of_attribute: str = ""
    """The attribute of people's entries it is about: mail of index.mail; the setting names it."""
    many: bool = False
    """Holds values of which each says something of its own: they are added and removed singly."""
    java_options: tuple[str, ...] = ()
    """Options of the JVM that it sets, {} for the value; they stand on one line with others."""
    rebuilds: bool = False
    """Whether slapd's indexes must be built before it serves with another value."""
    ordered: bool = False
    """The order of its values counts, and the server numbers them: {0}first, {1}second."""
    unit: str = ""
    stored_unit: str = ""
    """What the server wants behind the number: ' s' of '60 s'."""
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] = ()
    special: SpecialValue | None = None
    default: str | None = None
    defaults: dict[str, str] = field(default_factory=dict)
    """`default` by the first version that has it; the catalogue of a server has chosen from it."""
    needs: dict[str, str] = field(default_factory=dict)
    """Knobs that must have a value for this one to be accepted: {"nsslapd-cache-autosize": "0"}."""
    proof: Proof = field(default_factory=Proof)
    live_values: tuple[str, ...] = ()
    """Values that work at once although others wait for a restart: autosize 0."""
    in_memory: bool = False
    """The value takes that much of the server's RAM."""
    db_library: str = ""
    """bdb or mdb where the knob exists for that library only."""
    since: str = ""
    """The oldest version known to have the knob; '' where every version met had it."""
    until: str = ""
    """The newest version that has it (2.4 is any 2.4); '' where it was not taken away."""
    lacking: str = ""
    """The newest version known to lack it, where no version that has it was met."""
    former: dict[str, str] = field(default_factory=dict)
    """The name it has up to a version (2.4 is any 2.4); the catalogue of a server has chosen."""
    also: tuple[str, ...] = ()
    """Other names it is found by."""
    not_absent: Message = NOTHING
    """Why an absent value is not changed: removed again, the server would not work as before."""
    computed: bool = False
    """The server shows a value for it also where nothing is stored."""
    pinned: str = ""
    """The newest version that refuses to delete it: set once, it stays stored; any is all."""
    about: Message = NOTHING
    trap: Message = NOTHING
    lasting: Message = NOTHING
    """What of its effect outlives the revert, so that windows of A may have it as well as B."""
    steps: tuple[Message, ...] = ()
    """What a person does to change it, where that is not automated: a re-import."""
    crashes: tuple[str, ...] = ()
    """Versions of the server that were seen to end when it was set while they ran."""
    broken: tuple[str, ...] = ()
    """Versions that take it and do not do what it says: it is not offered there."""
    source: str = ""
    verified: tuple[str, ...] = ()
    """Versions of the server on which it was set, read back, proved and restored; of a knob of
    the host, the kernel."""
    nearest: str = ""
    """The version whose facts serve the one at hand, on which it was not tried itself; the
    catalogue of a server has chosen."""

    def chosen_by_server(self, value: str) -> bool:
        """Whether this value may be the server's own choice: it is no deviation then."""
        special = self.special
        if special is None or not special.automatic:
            return False
        return value == special.value or (special.reads_as_number and self.default == special.value)

    @property
    def stored_as(self) -> str:
        """The attribute that holds its value."""
        return self.attribute or self.name

    @property
    def per_attribute(self) -> bool:
        """Whether there is one for each attribute, and a setting has to name it: index.mail."""
        return self.kind is ValueKind.INDEX or "{attribute}" in self.dn

    def about_attribute(self, attribute: str) -> Knob:
        """The knob of one attribute: index.mail."""
        dn = self.dn.replace("{attribute}", attribute)
        return replace(self, name=f"{self.name}.{attribute}", dn=dn, of_attribute=attribute,
                       attribute=self.stored_as)  # fmt: skip

    @property
    def on_host(self) -> bool:
        return bool(self.path)

    @property
    def unit_label(self) -> Message:
        """The unit as a person reads it."""
        return Message(self.unit) if self.unit else NOTHING

    @property
    def of_backend(self) -> bool:
        """Whether each back end has one of its own."""
        return any(part in self.dn for part in ("{backend}", "{suffix}"))

    @property
    def of_bind_dn(self) -> bool:
        """Whether it lies in user data: each identity that binds may have one of its own."""
        return self.dn == BIND_DN

    @property
    def optional(self) -> bool:
        """Whether it is there only where something is set up: replication, an overlay, a unit."""
        if "{unit}" in self.path or self.of_bind_dn:
            return True
        return any(
            part in self.dn for part in ("{suffix}", "{agreement}", "olcOverlay=", "cn=changelog,")
        )


@dataclass(frozen=True)
class Setting:
    """One knob and the value asked for; `place` is a back end, agreement, device or bind DN.

    `operator` += adds the value to those that are there, -= removes it.
    """

    knob: str
    value: str
    place: str = ""
    operator: str = "="

    def __str__(self) -> str:
        place = f" ({self.place})" if self.place else ""
        return f"{self.knob}{self.operator}{self.value}{place}"

    @property
    def argument(self) -> str:
        """'KNOB=VALUE' or 'KNOB@PLACE=VALUE', as a person types it."""
        place = f"@{self.place}" if self.place else ""
        return f"{self.knob}{place}{self.operator}{self.value}"


@dataclass(frozen=True)
class Treatment:
    """The one change under test: one setting, or an atomic group that only works together.

    Settings are applied in order and reverted in the opposite order.
    """

    settings: tuple[Setting, ...]

    def __str__(self) -> str:
        return " + ".join(map(str, self.settings))


@dataclass(frozen=True)
class KnobReading:
    """What a knob says now: `value` None is 'absent'; `effective` is the value its proof shows."""

    knob: Knob
    place: str
    value: str | None
    effective: str | None = None
    unknown: Message = NOTHING
    """Why it could not be read."""
