"""The disk under the database: reads larger than pages, waits, scheduler; memory running out."""

from __future__ import annotations

import numpy as np

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.disk_waits import longest, mean_of, waits_of
from ldap_workbench.advice.evidence.series import Samples, Series
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.advice.families.checkpoint import LOG_BYTES, resets, together, write_bursts
from ldap_workbench.model.finding import LOW, Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.operations import TYPES, client_operations
from ldap_workbench.model.units import format_device

PAGE_SIZE = "nsslapd-db-page-size"
SCHEDULER = "io-scheduler"
DEFAULT_PAGE_KB = 8.0
LMDB_PAGE_KB = 4.0
"""A page of memory: LMDB maps its file, and its page is no setting of 389 DS."""
_VIRTUAL = ("vd", "xvd", "nvme", "dm-", "md")
_MOD = TYPES.index("MOD")


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    findings = []
    for device in _devices(view):
        findings += large_reads(view, device)
        queued = scheduler(view, device)
        findings += [] if _waits_in_queue_alone(queued) else slow_device(view, device)
        findings += queued
        findings += slow_flush(view, device)
    return findings + memory(view.samples, view.facts.cores if view.facts else None)


def _waits_in_queue_alone(queued: list[Finding]) -> bool:
    """Whether requests wait for the scheduler while the disk is idle: it is no bottleneck then."""
    return any(item.numbers["queue_alone"] for item in queued)


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


def large_reads(view: WindowView, device: str) -> list[Finding]:
    """Reads several times the page of the database: read-ahead fetches what nobody asked for."""
    limit = limits("large_reads")
    measured = read_size_kb(view.samples, device)
    page = page_kb(view)
    if not measured:
        return []
    size, rate = measured
    known = page_is_known(view)
    least = limit["times_page"] if known else limit["times_usual_page"]
    if rate < limit["reads_per_s"] or size < least * page:
        return []
    counted = series.get(view.samples, series.LDBM, "dbcachepagein")
    pages = series.growth(counted) / view.seconds
    if counted is not None and view.counted_per_second and pages < limit["pages_per_read"] * rate:
        return []  # somebody else reads from this device
    from_cache = 1 - min(rate / pages, 1.0) if pages > 0 and view.counted_per_second else None
    numbers = {
        "device": device,
        "kb_per_read": round(size, 1),
        "page_kb": page,
        "page_known": known,
        "reads_per_s": round(rate, 1),
        "pages_in_per_s": round(pages, 1),
        "file_cache_hit_estimate": from_cache,
    }
    return [
        finding(
            "large_reads",
            numbers=numbers,
            confidence="" if known else LOW,
            evidence=[
                view.evidence(
                    Message(
                        "{size} KB a read, {rate} reads/s.", size=round(size), rate=round(rate)
                    ),
                    f"iostat:{device}:rkB/s",
                )
            ],
            device=format_device(device),
            size=round(size),
            page=page,
            whose=NOTHING if known else Message(" (the default, as yours is not known)"),
            times=size / page,
            cached=_cached(from_cache),
        )
    ]


def _cached(share: float | None) -> Message:
    if share is None:
        return NOTHING
    return Message(
        " The file-system cache answered about {share:percent} of the page reads.", share=share
    )


def page_is_known(view: WindowView) -> bool:
    """Whether the database's page was read, or is none of its settings (LMDB)."""
    is_lmdb = bool(view.facts and view.facts.db_library == "mdb")
    return is_lmdb or bool(view.number(PAGE_SIZE) or view.number("olcDbPageSize"))


def page_kb(view: WindowView) -> float:
    """KB of a page of the database: as set, else as its library has it."""
    library = view.facts.db_library if view.facts else None
    usual = LMDB_PAGE_KB if library == "mdb" else DEFAULT_PAGE_KB
    return (view.number(PAGE_SIZE) or view.number("olcDbPageSize") or 0) / 1024 or usual


def slow_device(view: WindowView, device: str) -> list[Finding]:
    """The device is busy nearly all the time, or requests wait in it."""
    limit = limits("slow_device")
    busy = series.iostat(view.samples, device, "util", "%b")
    least = limit["least_util"]
    kinds = [
        (waits.share_over(limit["await_ms"], busy, least), waits.while_busy(busy, least))
        for waits in waits_of(view.samples, device)
    ]
    wait_share, worst = max(kinds, key=lambda kind: (kind[0], kind[1].mean_ms), default=(0.0, None))
    busy_share = _share_over(busy, limit["util"])
    if max(busy_share, wait_share) < limit["share_of_time"]:
        return []
    util, await_ms = series.mean(busy), worst.mean_ms if worst else None
    numbers = {
        "device": device,
        "util_percent": round(util, 1) if util is not None else None,
        "await_ms": round(await_ms, 2) if await_ms is not None else None,
        "busy_share": busy_share,
        "waiting_share": wait_share,
        "write_share": write_share(view.samples, device),
        "service_ms": _rounded(service_ms(view.samples, device)),
        "bursts_at_checkpoints": 0,
    }
    facts = []
    if util is not None:
        facts.append(Message("busy {util:.0f} % of the time", util=util))
    if worst is not None:
        took = Message("{kind} took {wait:.1f} ms on average", kind=worst.kind, wait=worst.mean_ms)
        facts.append(took)
    evidence = [
        view.evidence(Message("{facts:list}.", facts=tuple(facts)), f"iostat:{device}:util")
    ]
    if at_once := at_checkpoints(view):
        numbers["bursts_at_checkpoints"], coincide = at_once
        evidence.append(view.evidence(Message("{fact}.", fact=coincide), f"iostat:{device}:wkB/s"))
        facts.append(coincide)
    return [
        finding(
            "slow_device",
            numbers=numbers,
            evidence=evidence,
            device=format_device(device),
            text=tuple(facts),
        )
    ]


def at_checkpoints(view: WindowView) -> tuple[int, Message] | None:
    """How many bursts of writing come with checkpoints, in words; None where it may be chance."""
    bursts, _ = write_bursts(view.samples)
    emptied = resets(series.get(view.samples, series.DATABASE, LOG_BYTES))
    count = together(bursts, emptied, view.window.end_ns - view.window.start_ns)
    if not count:
        return None
    return count, Message(
        "{n} of {bursts} bursts of writing came with a checkpoint", n=count, bursts=len(bursts)
    )


def scheduler(view: WindowView, device: str) -> list[Finding]:
    """Requests wait in the queue of a scheduler.

    Above a disk that sorts by itself, or far longer than any disk takes for one.
    """
    limit, busy_limit = limits("scheduler"), limits("slow_device")
    active = active_scheduler(view, device)
    busy = series.iostat(view.samples, device, "util", "%b")
    wait = longest(view.samples, device, busy, busy_limit["least_util"]) or 0.0
    util = series.mean(busy) or 0.0
    service = service_ms(view.samples, device)
    solid = bool(view.facts and device == view.facts.device and view.facts.rotational is False)
    sorts_itself = device.startswith(_VIRTUAL) or solid
    queues = bool(service and wait >= max(limit["await_ms"], limit["times_service"] * service))
    if active in ("", "none", "noop"):
        return []
    if not queues and not (sorts_itself and (wait >= limit["await_ms"] or util >= limit["util"])):
        return []
    numbers = {
        "device": device,
        "scheduler": active,
        "await_ms": round(wait, 2),
        "service_ms": _rounded(service),
        "queue_alone": queues
        and _share_over(busy, busy_limit["util"]) < busy_limit["share_of_time"],
    }
    uses = Message("{device} uses {scheduler}.", device=format_device(device), scheduler=active)
    evidence = [view.evidence(uses, f"iostat:{device}:util")]
    if queues and service:
        text = Message(
            "{wait:.1f} ms a request, {service:.1f} ms of them in the disk.",
            wait=wait,
            service=service,
        )
        evidence.append(view.evidence(text, f"iostat:{device}:await"))
    return [
        finding(
            "scheduler",
            numbers=numbers,
            evidence=evidence,
            severity=2 if queues else None,
            device=format_device(device),
            wait=wait,
            inside=_inside(service if queues else None),
        )
    ]


def _inside(service: float | None) -> Message:
    if service is None:
        return NOTHING
    return Message(", {service:.1f} ms of them in the disk", service=service)


def active_scheduler(view: WindowView, device: str) -> str:
    """The scheduler in force, in brackets where the kernel lists all; "" where it is not known."""
    setting = view.setting(f"{SCHEDULER}@{device}") or view.setting(SCHEDULER) or ""
    return setting.partition("[")[2].partition("]")[0] or setting


def write_share(samples: Samples, device: str) -> float | None:
    """Writes of all requests; None where either is not known."""
    reads = series.mean(series.iostat(samples, device, "r/s"))
    writes = series.mean(series.iostat(samples, device, "w/s"))
    if reads is None or writes is None or reads + writes <= 0:
        return None
    return round(writes / (reads + writes), 3)


def service_ms(samples: Samples, device: str) -> float | None:
    """Milliseconds the disk takes for a request: as printed, else its busy time by its requests."""
    printed = mean_of(samples, device, "svctm", "tps", "r/s", "w/s")
    if printed:
        return printed
    rates = [series.mean(series.iostat(samples, device, column)) for column in ("r/s", "w/s")]
    requests = sum(rate for rate in rates if rate is not None)
    util = series.mean(series.iostat(samples, device, "util"))
    return util * 10 / requests if util and requests else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def slow_flush(view: WindowView, device: str) -> list[Finding]:
    """Every durable write waits for a flush of the log, and flushes are slow here."""
    limit = limits("slow_flush")
    mods = client_operations(view.operations) & (view.operations.kind == _MOD)
    wait = mean_of(view.samples, device, "f_await", "f/s")
    rate = series.mean(series.iostat(view.samples, device, "f/s"))
    if wait is None or rate is None or int(mods.sum()) / view.seconds < limit["mods_per_s"]:
        return []
    etime = int(np.median(view.operations.etime_ns[mods]))
    if wait < limit["flush_ms"] or rate < limit["flushes_per_s"] or etime < wait * 500_000:
        return []
    numbers = {
        "device": device,
        "flush_ms": round(wait, 2),
        "flushes_per_s": round(rate, 1),
        "mods_per_s": round(int(mods.sum()) / view.seconds, 1),
        "mod_p50_ns": etime,
    }
    flush = Message("{wait:.1f} ms a flush.", wait=wait)
    return [
        finding(
            "slow_flush",
            numbers=numbers,
            evidence=[view.evidence(flush, f"iostat:{device}:f_await")],
            user_ns=int(np.minimum(view.operations.etime_ns[mods], wait * 1e6).sum()),
            usual=etime,
        )
    ]


def memory(samples: Samples, cores: int | None) -> list[Finding]:
    """Swapping, the page scanner of Solaris at work, or a long run queue."""
    limit = limits("memory")
    out, scan = series.vmstat(samples, "so"), series.vmstat(samples, "sr")
    back = series.vmstat(samples, "si")
    swaps = max(_share_over(out, limit["swap_kb_s"]), _share_over(back, limit["swap_kb_s"]))
    scans = _share_over(scan, limit["scan_rate"])
    queue = series.median(series.vmstat(samples, "r"))
    crowded = bool(cores and queue and queue >= limit["run_queue_times_cores"] * cores)
    if max(swaps, scans) < limit["share_of_time"] and not crowded:
        return []
    numbers = {
        "swapping_share": swaps,
        "scanning_share": scans,
        "run_queue": queue,
        "cores": cores,
    }
    shortages = []
    if max(swaps, scans) >= limit["share_of_time"]:
        shortages.append(
            Message("memory was short in {share:percent} of the samples", share=max(swaps, scans))
        )
    if crowded:
        shortages.append(
            Message(
                "{processes:.0f} processes were ready to run on {cores} cores",
                processes=queue,
                cores=cores,
            )
        )
    return [
        finding(
            "memory",
            numbers=numbers,
            evidence=[
                Evidence(
                    Message("{shortages:and}.", shortages=tuple(shortages)),
                    series="vmstat:r" if crowded else "vmstat:so",
                )
            ],
            text=tuple(shortages),
        )
    ]


def _share_over(values: Series | None, limit: float) -> float:
    return float((values[1] >= limit).mean()) if values is not None and len(values[1]) else 0.0
