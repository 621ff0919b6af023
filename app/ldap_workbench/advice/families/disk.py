"""The disk under the database, and how large its entries are beside a page.

Berkeley DB keeps an entry of 389 DS as its LDIF, so that an export tells the sizes. Not a finding
of a window: the operator names the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.series import (
    Samples,
    longest,
    mean_of,
    rounded,
    share_over,
    waits_of,
)
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.advice.families.caches import used_bytes
from ldap_workbench.advice.families.checkpoint import LOG_BYTES, resets, together, write_bursts
from ldap_workbench.logs.reading.files import LogFile
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.finding import HIGH, LOW, Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import TYPES, Int64, client_operations
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.units import NS_PER_S, format_device

PAGE_SIZE = "nsslapd-db-page-size"
SCHEDULER = "io-scheduler"
DEFAULT_PAGE_KB = 8.0
LMDB_PAGE_KB = 4.0
"""A page of memory: LMDB maps its file, and its page is no setting of 389 DS."""
_VIRTUAL = ("vd", "xvd", "nvme", "dm-", "md")
_KIB = 1024
_MOVED = (("rkB/s", "kr/s"), ("r/s",), ("wkB/s", "kw/s"), ("w/s",))
_BUSY = ("util", "%b")
_MOD = TYPES.index("MOD")


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    findings: list[Finding] = []
    for device in _devices(view):
        queued = list(scheduler(view, device))
        # Where requests wait for the scheduler while the disk is idle, the disk is no bottleneck.
        alone = any(item.numbers["queue_alone"] for item in queued)
        slow = [] if alone else list(slow_device(view, device))
        own = slow and not of_somebody_else(view, device)
        outgrown = list(outgrown_memory(view, device)) if own else []
        # Read-ahead makes it worse; without it the same would still be read again and again.
        large = list(large_reads(view, device))
        if outgrown:
            large = [replace(item, severity=1) for item in large]
        findings += [*outgrown, *large, *slow, *queued, *slow_flush(view, device)]
    return findings


def _devices(view: WindowView) -> tuple[str, ...]:
    """The device below the database where it is known, else all of them."""
    seen = series.devices(view.samples)
    known = view.facts.device if view.facts else None
    return (known,) if known in seen and known else seen


def read_size_kb(samples: Samples, device: str) -> tuple[float, float] | None:
    """Mean KB of a read and reads a second, weighted by the reads."""
    reads = series.iostat(samples, device, "r/s")
    read = series.iostat(samples, device, "rkB/s", "kr/s")
    if reads is None or read is None or len(reads[1]) != len(read[1]) or not reads[1].sum():
        return None
    return float(read[1].sum() / reads[1].sum()), float(reads[1].mean())


def large_reads(view: WindowView, device: str) -> Iterator[Finding]:
    """Reads several times the page of the database: read-ahead fetches what nobody asked for."""
    limit, page, known = limits("large_reads"), page_kb(view), page_is_known(view)
    size, rate = read_size_kb(view.samples, device) or (0.0, 0.0)
    least = limit["times_page"] if known else limit["times_usual_page"]
    if rate < limit["reads_per_s"] or size < least * page:
        return
    if of_somebody_else(view, device):
        return
    pages = series.growth(series.get(view.samples, series.LDBM, "dbcachepagein")) / view.seconds
    from_cache = 1 - min(rate / pages, 1.0) if pages > 0 and view.counted_per_second else None
    yield finding(
        "large_reads",
        numbers={
            "device": device,
            "kb_per_read": round(size, 1),
            "page_kb": page,
            "page_known": known,
            "reads_per_s": round(rate, 1),
            "pages_in_per_s": round(pages, 1),
            "file_cache_hit_estimate": from_cache,
        },
        window=view.window,
        series=f"iostat:{device}:rkB/s",
        confidence="" if known else LOW,
        device=format_device(device),
        size=round(size),
        rate=round(rate),
        times=size / page,
    )


def of_somebody_else(view: WindowView, device: str) -> bool:
    """Whether the server counts the pages it reads in, and they are few beside the reads."""
    counted = series.get(view.samples, series.LDBM, "dbcachepagein")
    _, rate = read_size_kb(view.samples, device) or (0.0, 0.0)
    least = limits("large_reads")["pages_per_read"] * rate
    few = series.growth(counted) / view.seconds < least
    return counted is not None and view.counted_per_second and few


def page_is_known(view: WindowView) -> bool:
    """Whether the database's page was read, or is none of its settings (LMDB)."""
    return _is_lmdb(view) or bool(view.number(PAGE_SIZE) or view.number("olcDbPageSize"))


def page_kb(view: WindowView) -> float:
    """KB of a page of the database: as set, else as its library has it."""
    usual = LMDB_PAGE_KB if _is_lmdb(view) else DEFAULT_PAGE_KB
    return (view.number(PAGE_SIZE) or view.number("olcDbPageSize") or 0) / 1024 or usual


def _is_lmdb(view: WindowView) -> bool:
    return bool(view.facts and view.facts.db_library == "mdb")


def slow_device(view: WindowView, device: str) -> Iterator[Finding]:
    """The device is busy nearly all the time, or requests wait in it."""
    limit = limits("slow_device")
    busy, least = series.iostat(view.samples, device, *_BUSY), limit["least_util"]
    kinds = [
        (waits.share_over(limit["await_ms"], busy, least), waits.while_busy(busy, least))
        for waits in waits_of(view.samples, device)
    ]
    wait_share, worst = max(
        kinds,
        key=lambda kind: (kind[0], kind[1].requests or 0.0, kind[1].mean_ms),
        default=(0.0, None),
    )
    busy_share = share_over(busy, limit["util"])
    if max(busy_share, wait_share) < limit["share_of_time"]:
        return
    util, await_ms = series.mean(busy), worst.mean_ms if worst else None
    facts = []
    if util is not None:
        facts.append(Message("busy {util:.0f} % of the time", util=util))
    if worst is not None:
        took = Message("{kind} took {wait:.1f} ms on average", kind=worst.kind, wait=worst.mean_ms)
        facts.append(took)
    if moved := transfer(view.samples, device):
        facts.append(moved.text)
    evidence = [
        view.evidence(Message("{facts:list}.", facts=tuple(facts)), f"iostat:{device}:util")
    ]
    bursts, coincide = at_checkpoints(view)
    if bursts:
        evidence.append(view.evidence(Message("{fact}.", fact=coincide), f"iostat:{device}:wkB/s"))
        facts.append(coincide)
    yield finding(
        "slow_device",
        numbers={
            "device": device,
            "util_percent": rounded(util),
            "await_ms": rounded(await_ms, 2),
            "busy_share": busy_share,
            "waiting_share": wait_share,
            "write_share": round(moved.write_share, 3) if moved else None,
            "service_ms": rounded(service_ms(view.samples, device), 2),
            "bursts_at_checkpoints": bursts,
        },
        evidence=evidence,
        device=format_device(device),
        text=tuple(facts),
    )


def at_checkpoints(view: WindowView) -> tuple[int, Message]:
    """How many bursts of writing come with checkpoints, also in words; 0 where it may be chance."""
    bursts, _ = write_bursts(view.samples)
    emptied = resets(series.get(view.samples, series.DATABASE, LOG_BYTES))
    count = together(bursts, emptied, view.window.end_ns - view.window.start_ns)
    return count, Message(
        "{n} of {bursts} bursts of writing came with a checkpoint", n=count, bursts=len(bursts)
    )


class Transfer(NamedTuple):
    """What a disk moved: in words, bytes read, their part of all, and that of write requests."""

    text: Message
    read_bytes: float
    read_share: float
    write_share: float


def transfer(samples: Samples, device: str) -> Transfer | None:
    """What a disk moved; None where it moved nothing, or a column is not there."""
    sampled = [series.iostat(samples, device, *names) for names in _MOVED]
    known = [values for values in sampled if values is not None and len(values[1])]
    if len(known) < len(_MOVED) or not (known[0][1].sum() + known[2][1].sum()):
        return None
    read, reads, written, writes = (float(values.mean()) for _, values in known)
    text = phrase(
        "slow_device",
        "moved",
        read=round(read * _KIB),
        reads=round(reads),
        written=round(written * _KIB),
        writes=round(writes),
    )
    times = known[0][0]
    seconds = float(np.median(np.diff(times))) / NS_PER_S * len(times) if len(times) > 1 else 1.0
    share = writes / max(reads + writes, 1e-9)
    return Transfer(text, read * _KIB * seconds, read / (read + written), share)


def outgrown_memory(view: WindowView, device: str) -> Iterator[Finding]:
    """A busy disk reads several times what memory can hold, so the same is read again and again."""
    limit, moved, memory = limits("outgrown_memory"), transfer(view.samples, device), _memory(view)
    if moved is None or not memory or moved.read_share < limit["read_share"]:
        return
    database = used_bytes(view)
    most = (entry.first("olcDbMaxSize") for entry in view.configuration.entries)
    if 0 < (database or sum(int(size) for size in most if size.isdigit())) <= memory:
        return  # it fits, so somebody else reads
    if moved.read_bytes < (1 if database else limit["times_memory"]) * memory:
        return  # a cache that fills reads all once
    yield finding(
        "outgrown_memory",
        numbers={
            "device": device,
            "read_bytes": round(moved.read_bytes),
            "memory_bytes": round(memory),
            "database_bytes": round(database) if database else None,
        },
        window=view.window,
        series=f"iostat:{device}:rkB/s",
        confidence=HIGH if database else "",
        device=format_device(device),
        moved=moved.text,
        times=moved.read_bytes / memory,
    )


def _memory(view: WindowView) -> float | None:
    """Bytes the host has for what it reads from files; None where unknown, or much of it is free.

    With free memory left, what was read stays in it: then memory is not what is missing.
    """
    samples = view.samples if "vmstat:free" in view.samples else view.vmstat_apart
    columns = [series.median(series.vmstat(samples, name)) for name in ("free", "buff", "cache")]
    known = [column for column in columns if column is not None]
    if len(known) < len(columns):
        return view.facts.ram_bytes if view.facts else None
    limit, size = limits("outgrown_memory"), sum(known) * _KIB
    # vmstat -S M prints the same columns in MB.
    plausible = size >= limit["least_mib"] * _KIB**2
    return size if plausible and known[0] * _KIB <= limit["free_share"] * size else None


def scheduler(view: WindowView, device: str) -> Iterator[Finding]:
    """Requests wait in the queue of a scheduler.

    Above a disk that sorts by itself, or far longer than any disk takes for one.
    """
    limit, of_device = limits("scheduler"), limits("slow_device")
    active = active_scheduler(view, device)
    busy = series.iostat(view.samples, device, *_BUSY)
    wait = longest(view.samples, device, busy, of_device["least_util"]) or 0.0
    service = service_ms(view.samples, device)
    solid = bool(view.facts and device == view.facts.device and view.facts.rotational is False)
    sorts_itself = device.startswith(_VIRTUAL) or solid
    queues = bool(service and wait >= max(limit["await_ms"], limit["times_service"] * service))
    waits = wait >= limit["await_ms"] or (series.mean(busy) or 0.0) >= limit["util"]
    if active in ("", "none", "noop") or not (queues or (sorts_itself and waits)):
        return
    idle = share_over(busy, of_device["util"]) < of_device["share_of_time"]
    named = format_device(device)
    uses = Message("{device} uses {scheduler}.", device=named, scheduler=active)
    evidence = [view.evidence(uses, f"iostat:{device}:util")]
    if queues and service:
        took = phrase("scheduler", "took", wait=wait, service=service)
        evidence.append(view.evidence(took, f"iostat:{device}:await"))
    yield finding(
        "scheduler",
        numbers={
            "device": device,
            "scheduler": active,
            "await_ms": round(wait, 2),
            "service_ms": rounded(service, 2),
            "queue_alone": queues and idle,
        },
        evidence=evidence,
        severity=2 if queues else None,
        device=named,
        service=service if queues and service else 0.0,
        queues=queues,
    )


def active_scheduler(view: WindowView, device: str) -> str:
    """The scheduler in force, in brackets where the kernel lists all; "" where it is not known."""
    setting = view.setting(f"{SCHEDULER}@{device}") or view.setting(SCHEDULER) or ""
    return setting.partition("[")[2].partition("]")[0] or setting


def service_ms(samples: Samples, device: str) -> float | None:
    """Milliseconds the disk takes for a request: as printed, else its busy time by its requests."""
    printed = mean_of(samples, device, "svctm", "tps", "r/s", "w/s")
    if printed:
        return printed
    rates = [series.mean(series.iostat(samples, device, column)) for column in ("r/s", "w/s")]
    requests = sum(rate for rate in rates if rate is not None)
    util = series.mean(series.iostat(samples, device, "util"))
    return util * 10 / requests if util and requests else None


def slow_flush(view: WindowView, device: str) -> Iterator[Finding]:
    """Every durable write waits for a flush of the log, and flushes are slow here."""
    limit = limits("slow_flush")
    etimes = view.operations.etime_ns[
        client_operations(view.operations) & (view.operations.kind == _MOD)
    ]
    wait = mean_of(view.samples, device, "f_await", "f/s")
    rate = series.mean(series.iostat(view.samples, device, "f/s"))
    if wait is None or rate is None or len(etimes) / view.seconds < limit["mods_per_s"]:
        return
    usual = int(np.median(etimes))
    if wait < limit["flush_ms"] or rate < limit["flushes_per_s"] or usual < wait * 500_000:
        return
    yield finding(
        "slow_flush",
        numbers={
            "device": device,
            "flush_ms": round(wait, 2),
            "flushes_per_s": round(rate, 1),
            "mods_per_s": round(len(etimes) / view.seconds, 1),
            "mod_p50_ns": usual,
        },
        window=view.window,
        series=f"iostat:{device}:f_await",
        user_ns=int(np.minimum(etimes, wait * 1e6).sum()),
        wait=wait,
    )


PAGES_KB = (16, 32, 64)
PAGES_AN_ENTRY = 4
"""A larger entry than this part of a page goes to overflow pages."""
_BLANK = re.compile(rb"\n\s*\n")
_COMMENT = re.compile(rb"(?m)^#.*\n?(?: .*\n?)*")
_ENCODED = re.compile(rb"(?m)^([^:\s]+):: *([A-Za-z0-9+/=]*)$")


def page_size(entry_bytes: Sequence[int] | Int64) -> int:
    """Database page for entries of these sizes: 4 x trimmed mean, as 16, 32 or 64 KB.

    A page is never above 64 KB. Raises ValueError without entries.
    """
    wanted = PAGES_AN_ENTRY * trimmed_mean(entry_bytes)
    return next((kb for kb in PAGES_KB if kb * 1024 >= wanted), PAGES_KB[-1]) * 1024


def trimmed_mean(entry_bytes: Sequence[int] | Int64) -> float:
    """Mean without the largest 5 % and the smallest 10 %. Raises ValueError without entries."""
    if not len(entry_bytes):
        raise ValueError("no entries")
    sizes = np.sort(np.asarray(entry_bytes))
    return float(sizes[len(sizes) // 10 : len(sizes) - len(sizes) // 20].mean())


def sizes_in(path: Path) -> Int64:
    """Bytes of each entry of an LDIF, packed or not. Raises LogError where it holds none."""
    sizes = [size for block in _blocks(path) if (size := _size(block))]
    if not sizes:
        raise LogError(
            Message("{path} holds no entry.", path=str(path)),
            remedy=Message(
                "Name an LDIF with the entries, as an export of the database writes it."
            ),
        )
    return np.array(sizes, np.int64)


def _blocks(path: Path) -> Iterator[bytes]:
    """The text between blank lines; the file is read piece by piece."""
    rest = b""
    for piece in LogFile(path).pieces():
        *whole, rest = _BLANK.split(rest + piece.replace(b"\r", b""))
        yield from whole
    yield rest


def _size(block: bytes) -> int:
    """Bytes of an entry as the server keeps it: unfolded, base64 decoded; 0 for anything else."""
    text = _COMMENT.sub(b"", block).strip(b"\n").replace(b"\n ", b"").removeprefix(b"version: 1\n")
    if not text.lower().startswith(b"dn:"):
        return 0
    encoded = sum(len(match[2]) - len(match[2]) // 4 * 3 for match in _ENCODED.finditer(text))
    return len(text) - encoded


def size_findings(
    sizes: Int64, settings: Mapping[str, str], facts: TargetFacts | None
) -> list[Finding]:
    """Told where a quarter of the database page does not hold the trimmed mean entry."""
    if facts and facts.db_library == "mdb":
        return []  # LMDB's page is that of memory
    text = settings.get(PAGE_SIZE, "")
    now = (int(text) if text.isdigit() else 0) or round(DEFAULT_PAGE_KB * 1024)
    mean, page = trimmed_mean(sizes), page_size(sizes)
    if PAGES_AN_ENTRY * mean <= now or page <= now:
        return []
    overflowing = float((PAGES_AN_ENTRY * sizes > now).mean())
    numbers = {
        "entries": len(sizes),
        "trimmed_mean_bytes": round(mean),
        "page_bytes": page,
        "page_now_bytes": now,
        "overflowing_share": overflowing,
    }
    return [
        finding(
            "entry_sizes",
            numbers=numbers,
            quarter=now // 4,
        )
    ]
