"""Evidence like that of the published Sun DS case, in other numbers, times, zones and orders."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache

BEGIN = datetime(2009, 7, 14, 3, 11, 0)
"""Local time of the first line."""


@dataclass(frozen=True)
class Made:
    """A master that stalls `lag_s` after the last of some deletions; every part can be left out.

    `burst_s` is how long the deletions take, `flush_s` how long the flush is seen in stacks, whose
    dumps are `every_s` apart. Local times are `zone_h` hours east of UTC.
    """

    zone_h: int = 1
    delay_s: int = 180
    interval_s: int | None = 60
    deletions: int = 11
    burst_s: int = 50
    lag_s: int = 187
    stall_s: int = 220
    victims: int = 7
    spread_s: float = 5.0
    every_s: int = 36
    flush_s: int = 149
    seconds: int = 1200
    background: bool = True
    results: bool = True
    requests: bool = True
    updates: int = 0
    seed: int = 1

    @property
    def burst(self) -> float:
        """When the deletions begin, seconds after BEGIN."""
        return 240.0

    @property
    def stall(self) -> float:
        return self.burst + self.burst_s + self.lag_s

    def ns(self, second: float) -> int:
        """UTC, of a second after BEGIN."""
        moment = BEGIN.replace(tzinfo=timezone(timedelta(hours=self.zone_h)))
        return round((moment.timestamp() + second) * 1e9)

    def stamp(self, second: float) -> str:
        zone = f"{'-' if self.zone_h < 0 else '+'}{abs(self.zone_h):02d}00"
        return f"[{_local_time(int(second))} {zone}]"

    def access(self, *, shuffled: bool = False) -> str:
        """The log in the order of its times; `shuffled` within each second, as buffers do it."""
        lines = [*self._background(), *self._deletions(), *self._stalled(), *self._updates()]
        dice = random.Random(self.seed)
        order = (lambda line: (int(line[0]), dice.random())) if shuffled else (lambda line: line[0])
        return "".join(
            f"{self.stamp(second)} {text}\n" for second, text in sorted(lines, key=order)
        )

    def _operation(
        self, second: float, etime: float, head: str, request: str, result: str
    ) -> list[tuple[float, str]]:
        asked = [(second, f"{head} - {request}")] if self.requests else []
        told = f"{head} - RESULT err=0 {result} etime={etime:.6f}"
        return [*asked, (second + etime, told)]

    def _background(self) -> list[tuple[float, str]]:
        found: list[tuple[float, str]] = []
        for i in range(self.seconds * 3 if self.background else 0):
            second = i / 3
            if self.stall <= second < self.stall + self.stall_s:
                continue  # the server answers nobody
            request = f'SRCH base="o=shop" scope=2 filter="(uid=u{i})" attrs=ALL'
            head, etime = f"conn=9 op={i} msgId={i + 1}", 0.001 + i % 7 / 1000
            found += self._operation(second, etime, head, request, "tag=101 nentries=1")
        return found

    def _deletions(self) -> list[tuple[float, str]]:
        found: list[tuple[float, str]] = []
        for i in range(self.deletions):
            second = self.burst + self.burst_s * i / max(self.deletions - 1, 1)
            # Replicated or not: one number for all, told apart by the message.
            head, request = f"conn=77 op=0 msgId={100 + i}", f'DEL dn="cn=adm{i},o=shop"'
            if self.results:
                lines = self._operation(second, 0.002, head, request, "tag=107 nentries=0")
                found += lines
            else:
                found.append((second, f"{head} - {request}"))
        return found

    def _stalled(self) -> list[tuple[float, str]]:
        found: list[tuple[float, str]] = []
        for i in range(self.victims):
            share = i / max(self.victims - 1, 1)
            begin = self.stall + share
            etime = self.stall_s + self.spread_s * share - share
            head, result = f"conn={500 + i} op={3 + i} msgId={4 + i}", "tag=101 nentries=2"
            request = 'SRCH base="o=shop" scope=2 filter="(uid=x)" attrs=ALL'
            found += self._operation(begin, etime, head, request, result)
        return found

    def _updates(self) -> list[tuple[float, str]]:
        found: list[tuple[float, str]] = []
        for i in range(self.updates):
            second = self.stall - 4 + 3 * i / max(self.updates, 1)
            head, request = "conn=Internal op=-1 msgId=-1", f'MOD dn="cn=group{i},o=shop"'
            found.append((second, f"{head} - {request}"))
            found.append(
                (second + 0.01, f"{head} - RESULT err=0 tag=103 nentries=0 etime=0.010000")
            )
        return found

    def settings(self) -> str:
        """dse.ldif as Sun DS 5 keeps it."""
        interval = f"nsslapd-db-checkpoint-interval: {self.interval_s}\n" if self.interval_s else ""
        return (
            "dn: cn=Referential Integrity Postoperation,cn=plugins, cn=config\n"
            "objectClass: nsSlapdPlugin\nnsslapd-pluginEnabled: on\n"
            f"nsslapd-pluginarg0: {self.delay_s}\nnsslapd-pluginarg1: /ds/logs/referint\n"
            "nsslapd-pluginarg2: 0\nnsslapd-pluginarg10: manager\nnsslapd-pluginarg3: owner\n\n"
            "dn: cn=config,cn=ldbm database,cn=plugins,cn=config\nobjectClass: extensibleObject\n"
            f"{interval}nsslapd-dbcachesize: 2147483648\n"
            "nsslapd-db-home-directory: /ds/db\nnsslapd-db-page-size: 8192\n"
        )

    def dump_times(self) -> list[float]:
        """Of the dumps within the flush; the last one is at its end."""
        begin = self.stall + 3
        steps = [begin + n * self.every_s for n in range(self.flush_s // self.every_s + 1)]
        return steps if steps[-1] == begin + self.flush_s else [*steps, begin + self.flush_s]

    def dump(self, frame: str = "memp_sync") -> str:
        """All dumps are alike: nothing moved."""
        return (
            "4711:\tns-slapd -D /ds/slapd-shop\n"
            "-----------------  lwp# 7 / thread# 7  --------------------\n"
            f" 0000000100071eb0 {frame} (100d49400, 0, ffffffff6e61fce8) + 408\n"
            " 000000010006f2d4 checkpoint_threadmain (0, 0, 0, 0, 0, 0) + 1a4\n"
            "-----------------  lwp# 9 / thread# 9  --------------------\n"
            " ffffffff7dd1d5bc lwp_park (0, 0, 0)\n"
        )

    def stacks(self, named: str = "pstack.%y%m%d:%H%M%S") -> dict[str, str]:
        times = [BEGIN + timedelta(seconds=second) for second in self.dump_times()]
        return {time.strftime(named): self.dump() for time in times}

    def files(self) -> dict[str, str]:
        """All of it, as it lies in one folder."""
        return {"access": self.access(), "dse.ldif": self.settings(), **self.stacks()}


@cache
def _local_time(second: int) -> str:
    """As the log has it; six lines or more are of one second, and to write it takes a while."""
    return f"{BEGIN + timedelta(seconds=second):%d/%b/%Y:%H:%M:%S}"
