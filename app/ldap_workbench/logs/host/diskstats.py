"""/proc/diskstats and /proc/stat, twice -> the samples that iostat -x would give.

For hosts whose iostat cannot print JSON: busybox, and sysstat before 11.5.1. Blocks of lines stand
between '@ UPTIME' and '.', as capture/live/host_state.py prints them; 'block:' lists the whole
disks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ldap_workbench.model.window import Sample

_LONGEST = 1 << 20
_MOST_DISKS = 256
_CPU = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
_SHOWN = ("user", "nice", "system", "iowait", "steal", "idle")


@dataclass
class _Tick:
    up_s: float
    whole: frozenset[str] = frozenset()
    disks: dict[str, list[int]] = field(default_factory=dict)
    cpu: dict[str, int] = field(default_factory=dict)


class DiskstatsReader:
    """Turns the blocks into samples 'iostat:DEVICE:column'; what does not fit is left out.

    `clock` gives the server's time, ns, of an uptime in s.
    """

    def __init__(self, clock: Callable[[float], int]) -> None:
        self._clock = clock
        self._rest = b""
        self._tick: _Tick | None = None
        self._before: _Tick | None = None

    def feed(self, data: bytes) -> list[Sample]:
        """The samples of the ticks that `data` completes; the first tick has none."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._rest = self._rest[-_LONGEST:]
        samples: list[Sample] = []
        for line in lines:
            if line.startswith(b"@ "):
                self._tick = _begun(line)
            elif self._tick is not None and line == b".":
                samples += self._finished(self._tick)
                self._before, self._tick = self._tick, None
            elif self._tick is not None:
                _take(self._tick, line.decode("ascii", "replace").split())
        return samples

    def _finished(self, tick: _Tick) -> list[Sample]:
        before = self._before
        seconds = tick.up_s - before.up_s if before else 0.0
        if before is None or seconds <= 0:
            return []
        rates = _processors(before.cpu, tick.cpu)
        for name in tick.whole & tick.disks.keys() & before.disks.keys():
            grown = [b - a for a, b in zip(before.disks[name], tick.disks[name], strict=True)]
            if min(grown[:8] + grown[9:]) >= 0:
                rates |= {f"{name}:{k}": v for k, v in _disk(grown, seconds).items()}
        time_ns = self._clock(tick.up_s)
        return [Sample(time_ns, f"iostat:{name}", value) for name, value in rates.items()]


def _begun(line: bytes) -> _Tick | None:
    try:
        return _Tick(float(line[2:]))
    except ValueError:
        return None


def _take(tick: _Tick, words: list[str]) -> None:
    if words[:1] == ["block:"]:
        tick.whole = frozenset(words[1 : _MOST_DISKS + 1])
    elif words[:1] == ["cpu"] and all(word.isdigit() for word in words[1:]):
        tick.cpu = dict(zip(_CPU, map(int, words[1:]), strict=False))
    elif len(words) >= 14 and all(word.isdigit() for word in words[3:14]):
        tick.disks[words[2]] = [int(word) for word in words[3:14]]


def _processors(before: dict[str, int], now: dict[str, int]) -> dict[str, float]:
    passed = sum(now.values()) - sum(before.values())
    if passed <= 0 or before.keys() != now.keys():
        return {}
    return {
        f"cpu:{name}": 100 * (now[name] - before[name]) / passed for name in _SHOWN if name in now
    }


def _disk(grown: list[int], seconds: float) -> dict[str, float]:
    """Linux Documentation/admin-guide/iostats.rst: sectors of 512 bytes, times in ms."""
    reads, _, read_sectors, read_ms, writes, _, written, write_ms, _, busy_ms, queue_ms = grown
    return {
        "r/s": reads / seconds,
        "w/s": writes / seconds,
        "rkB/s": read_sectors / 2 / seconds,
        "wkB/s": written / 2 / seconds,
        "r_await": read_ms / reads if reads else 0.0,
        "w_await": write_ms / writes if writes else 0.0,
        "rareq-sz": read_sectors / 2 / reads if reads else 0.0,
        "wareq-sz": written / 2 / writes if writes else 0.0,
        "aqu-sz": queue_ms / 1000 / seconds,
        "util": min(busy_ms / 10 / seconds, 100.0),
    }
