"""What came of a replay: times by type, how late the generator was, whether the answers agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.operations import CHANGES, TYPES

LATE_NS = 10_000_000
LATE_SHARE = 0.01
"""More than this share later than LATE_NS: the generator, not the server, made the times."""
AGREE_SHARE = 0.99
LOST_SHARE = 0.01
"""More than this share of the requests lost with their connections: another load than captured."""
EDGES_NS = (100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000)
"""Upper edges of the lateness histogram; a last class has what is above."""


@dataclass
class Outcome:
    """One replay; it is added to while it runs, and outcomes of several processes are added up."""

    planned: int = 0
    sent: int = 0
    not_sent: int = 0
    """Requests of connections that broke, or that were not due yet at the end, and pages of
    searches that have fewer here."""
    agreed: Counter[str] = field(default_factory=Counter)
    """By type: answers with the result code, and for searches the number of entries, of the
    capture."""
    codes: Counter[int] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    """Connections that ended early, by reason."""
    lost: int = 0
    """Requests of these, not sent or not answered."""
    connect_ns: list[int] = field(default_factory=list)
    """What connecting took, with TLS where it is used, ns."""
    taken_ns: dict[str, list[int]] = field(default_factory=dict)
    """By type: from when a request was due to its last answer, ns."""
    late_ns: list[int] = field(default_factory=list)
    """How long after it was due a request was sent, ns."""

    @property
    def answered(self) -> int:
        return sum(map(len, self.taken_ns.values()))

    @property
    def written(self) -> int:
        """Writes that were answered."""
        return sum(len(self.taken_ns.get(kind, ())) for kind in CHANGES)

    @property
    def late_share(self) -> float:
        """0 to 1."""
        late = np.asarray(self.late_ns, np.int64)
        return float(np.mean(late > LATE_NS)) if len(late) else 0.0

    @property
    def agreement(self) -> float:
        """0 to 1: of the answers to searches and binds; 1 where only writes were answered."""
        reads = self.answered - self.written
        agreed = self.agreed.total() - self._succeeded
        return agreed / reads if reads else float(self.written > 0)

    @property
    def write_agreement(self) -> float:
        """0 to 1: of the answers to writes, all of which succeeded in the capture."""
        return self._succeeded / self.written if self.written else 1.0

    @property
    def _succeeded(self) -> int:
        return sum(self.agreed[kind] for kind in CHANGES)

    @property
    def fault(self) -> Message:
        """Why its times are not to be used; nothing where they are."""
        if self.lost > LOST_SHARE * self.planned:
            return Message(
                "{share:percent} of the requests were lost with {n} broken connections: {reason}.",
                share=self.lost / self.planned,
                n=self.broken.total(),
                reason=self.broken.most_common(1)[0][0].rstrip("."),
            )
        if self.late_share > LATE_SHARE:
            return Message(
                "The replay fell behind: {share:percent} of its requests left more than "
                "{limit:duration} late. The times are this machine's, not the server's.",
                share=self.late_share,
                limit=LATE_NS,
            )
        if self.agreement < AGREE_SHARE:
            return Message(
                "Only {share:percent} of the answers are those of the capture: this server has "
                "other entries or limits, or lets the bind identity read other entries.",
                share=self.agreement,
            )
        if self.write_agreement < AGREE_SHARE:
            return Message(
                "Only {share:percent} of the writes succeeded, as all of them did in the capture: "
                "the bind identity may not make them, or they came in another order.",
                share=self.write_agreement,
            )
        return NOTHING

    def add(self, other: Outcome) -> None:
        """What another process played of the same script."""
        self.planned += other.planned
        self.sent += other.sent
        self.not_sent += other.not_sent
        self.agreed += other.agreed
        self.codes += other.codes
        self.broken += other.broken
        self.lost += other.lost
        self.connect_ns += other.connect_ns
        for kind, taken in other.taken_ns.items():
            self.taken_ns.setdefault(kind, []).extend(taken)
        self.late_ns += other.late_ns

    def lateness(self) -> dict[str, int]:
        """How many requests left up to so late: '<= 0.1 ms', ..., '> 1000 ms'."""
        late = np.asarray(self.late_ns, np.int64)
        classes = np.searchsorted(EDGES_NS, late, side="left")
        counts = np.bincount(classes, minlength=len(EDGES_NS) + 1)
        names = [f"<= {edge / 1e6:g} ms" for edge in EDGES_NS] + [f"> {EDGES_NS[-1] / 1e6:g} ms"]
        return dict(zip(names, counts.tolist(), strict=True))

    def tails(self) -> list[dict[str, Any]]:
        """As `tails --json`, by type and for connecting: quantiles by nearest rank, ns."""
        timed = [(kind, self.taken_ns.get(kind)) for kind in TYPES] + [("CONNECT", self.connect_ns)]
        return [{"type": name, **_tail(np.sort(np.asarray(ns)))} for name, ns in timed if ns]

    def to_json(self) -> dict[str, Any]:
        """All of it, for the process that started this one."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def of_json(cls, stored: dict[str, Any]) -> Outcome:
        """What `to_json` gave."""
        codes = Counter({int(code): n for code, n in stored["codes"].items()})
        counted = {name: Counter(stored[name]) for name in ("broken", "agreed")}
        return cls(**stored | counted | {"codes": codes})

    def as_json(self, skipped: Mapping[str, int]) -> dict[str, Any]:
        return {
            "planned": self.planned,
            "sent": self.sent,
            "not_sent": self.not_sent,
            "answered": self.answered,
            "agreement": self.agreement,
            "written": self.written,
            "write_agreement": self.write_agreement,
            "codes": {str(code): n for code, n in sorted(self.codes.items())},
            "broken": dict(self.broken),
            "lost": self.lost,
            "late_share": self.late_share,
            "lateness": self.lateness(),
            "tails": self.tails(),
            "skipped": dict(skipped),
            "fault": str(self.fault),
        }


def _tail(ns: NDArray[np.int64]) -> dict[str, int]:
    n = len(ns)

    def at(thousandths: int) -> int:
        return int(ns[max(-(-n * thousandths // 1000), 1) - 1])

    return {
        "n": n,
        "p50_ns": at(500),
        "p90_ns": at(900),
        "p95_ns": at(950),
        "p99_ns": at(990),
        "p999_ns": at(999),
        "max_ns": int(ns[-1]),
    }
