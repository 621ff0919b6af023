"""Numbers as people read them: durations, sizes, instants. Every number has its unit."""

from __future__ import annotations

from datetime import UTC, datetime

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000
_LONG_DEVICE = 16
"""Longer names are shortened for reading."""


def format_device(name: str) -> str:
    """A block device as people can read it: a LUN of a storage network carries its whole address.

    c7t600C0FF000000000083D437AA64B8900d0 -> c7t600…8900d0.
    """
    return name if len(name) <= _LONG_DEVICE else f"{name[:6]}…{name[-6:]}"


def format_duration(ns: int) -> str:
    """Three significant digits with the unit a person would choose: 371 ns, 1.25 ms, 42.0 s."""
    if ns < 0:
        return "-" + format_duration(-ns)
    for unit, size in (("s", NS_PER_S), ("ms", 1_000_000), ("µs", 1_000)):
        if ns >= size * 0.9995:
            value = ns / size
            return f"{value:,.{_digits(value)}f} {unit}"
    return f"{ns} ns"


def _digits(value: float) -> int:
    """Decimal places that make three significant digits of 1 to 999."""
    if value >= 99.95:
        return 0
    return 1 if value >= 9.995 else 2


def format_latency(ns: int, resolution_ns: int = 1) -> str:
    """Like format_duration; near what a log can show, the range the latency lies in.

    Whole seconds are the difference of two readings of the clock, so a printed 3 is anything
    between 2 and 4 s and 0 anything below 1 s; finer steps are cut off: 0 to 1 ms.
    """
    if (bounds := latency_range(ns, resolution_ns)) is None:
        return format_duration(ns)
    low, high, unit = bounds
    return f"{low} to {high} {unit}"


def latency_range(ns: int, resolution_ns: int) -> tuple[int, int, str] | None:
    """The range a latency lies in and its unit; None where the log shows it exactly enough."""
    if resolution_ns <= 1 or ns >= 100 * resolution_ns:
        return None
    units = (("s", NS_PER_S), ("ms", 1_000_000), ("µs", 1_000), ("ns", 1))
    unit, size = next((name, size) for name, size in units if resolution_ns >= size)
    low = ns // resolution_ns * resolution_ns
    high = low + resolution_ns
    if resolution_ns >= NS_PER_S:
        low = max(0, low - resolution_ns)
    return low // size, high // size, unit


def format_size(size: int) -> str:
    """Binary units: 512 B, 10.0 MiB; exact multiples stay whole: 4 GiB."""
    for power, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        scale = 1024**power
        if size >= scale:
            return f"{size // scale} {unit}" if size % scale == 0 else f"{size / scale:.1f} {unit}"
    return f"{size} B"


def exact_size(size: int) -> str:
    """Like format_size, but never rounded: 1229 MiB, 1288699905 B."""
    for power, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if size and size % 1024**power == 0:
            return f"{size // 1024**power} {unit}"
    return f"{size} B"


def format_ratio(ratio: float) -> str:
    """A ratio B/A as people say it: ×0.26. Beyond a factor of a thousand the digits say nothing."""
    if ratio < 0.001:
        return "<×0.001"
    if ratio > 1000:
        return ">×1,000"
    return f"×{ratio:.3g}" if ratio < 100 else f"×{ratio:,.0f}"


def format_share(share: float) -> str:
    """A share from 0 to 1: 0.0512 -> 5.1 %, 0.93 -> 93 %."""
    return f"{share * 100:.0f} %" if share >= 0.1 else f"{share * 100:.2g} %"


def format_time(ns: int) -> str:
    """An instant in UTC with its zone: 2026-11-21 04:15:46.123 UTC."""
    moment = datetime.fromtimestamp(ns // NS_PER_S, tz=UTC)
    return f"{moment:%Y-%m-%d %H:%M:%S}.{ns % NS_PER_S // 1_000_000:03d} UTC"
