"""A case: how to write its files, and the truth about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.field.simulation import Waited

DS, OPENLDAP, OPENDJ = "389 DS", "OpenLDAP", "OpenDJ"

FOREIGN = {
    DS: r"\bolc[A-Z]\w+|\bslapd\.conf\b|\bslapindex\b|\bdsconfig\b|\bds-cfg-",
    OPENLDAP: r"\bnsslapd-|\bdsconf\b|\bdsconfig\b|\bdsctl\b|\bnsIndexType\b|\bds-cfg-",
    OPENDJ: r"\bnsslapd-|\bdsconf\b|\bdsctl\b|\bolc[A-Z]\w+|\bslapd\.conf\b|\bslapindex\b",
}
"""Settings and commands of other products, by product."""

UNINDEXED = r"unindexed|not indexed|no(t an)? index|without an? (\w+ )?index|missing index|lacks"
HANGS = (
    r"\bhang|\bhung\b|unanswered|no(t| longer) answer|never answer|without an? (answer|result)|"
    r"stop(s|ped) answering|no result"
)
STANDS_OUT = r"unexplained|\d ?% of (all |the |its )*(time|wait|worker|operation|search|cost)"
"""One group of operations with its share of the time, where no better cause has a name."""
FOLLOWS = (
    r"n ?\+ ?1|look-?ups?|one (search|request|read|operation) (per|for each|after)|"
    r"one (at a time|by one|after another)|for (each|every) (user|member|entry|person)|in a loop"
)
AGAIN = r"again and again|repeat|poll|same (search|request|question)|every \d|at regular|period"
NEW_CONNECTIONS = (
    r"pool|new connection|connection (per|for each|for every)|opens? a|re-?bind|bind(s|ing)? "
    r"(again|before|per|for each)|binds? are|same (user|entry|password)|repeated bind"
)
INDEX_ADVICE = r"create-backend-index|rebuild-index|backend index add|olcDbIndex"
DISK = r"checkpoint|the disk|slow disk|flush(es)? "
THREADS = r"nsslapd-threadnumber|more (worker )?threads|olcThreads|num-worker-threads"


@dataclass(frozen=True)
class Truth:
    """What is wrong with a server, and what names it.

    Patterns are searched without regard to case. A finding names the cause where `mechanism` is in
    its title or sentence, and each of `names` anywhere in it or in the findings of its group.
    """

    name: str
    title: str
    source: str
    product: str
    cause: str
    mechanism: str
    names: tuple[str, ...]
    remedy: str
    accused: tuple[str, ...] = field(default=(), kw_only=True)
    """What a finding must not blame (title, sentence), and what no advice may ask for."""


@dataclass(frozen=True)
class Case(Truth):
    """One case of a batch."""

    write: Callable[[Path], Waited] = field(repr=False)
    """Writes the files into an empty folder, and returns what the users waited."""
    share: float | None = None
    """The culprit's share of what users waited; None where the case is not about waiting."""


@dataclass(frozen=True)
class Healthy:
    """A window in which nothing is wrong: neither a warning nor any advice may be given."""

    name: str
    title: str
    product: str
    write: Callable[[Path], Waited] = field(repr=False)


@dataclass(frozen=True)
class Batch:
    """Ten cases and two healthy windows."""

    name: str
    cases: tuple[Case, ...]
    healthy: tuple[Healthy, ...]
