"""What has been counted since the start: for cn=monitor, iostat and vmstat."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np

from ldap_workbench.model.operations import TYPES
from ldap_workbench.practice.model.costs import kilobytes
from ldap_workbench.practice.model.operations import Batch
from ldap_workbench.practice.model.scenario import Host
from ldap_workbench.practice.model.workload import BIND, SRCH

ENTRY_BYTES_SENT = 420
_PAGES_IN_ONE_WRITE = 8


@dataclass
class Device:
    """Totals of the block device and the processors since boot; times in s, sizes in KiB."""

    reads: float = 0.0
    read_kb: float = 0.0
    read_s: float = 0.0
    writes: float = 0.0
    write_kb: float = 0.0
    write_s: float = 0.0
    flushes: float = 0.0
    flush_s: float = 0.0
    busy_s: float = 0.0
    cpu_s: float = 0.0
    wait_s: float = 0.0

    def since(self, before: Device) -> Device:
        """What was added after an earlier copy of these totals."""
        added = {f.name: getattr(self, f.name) - getattr(before, f.name) for f in fields(self)}
        return Device(**added)

    def add(self, batch: Batch, host: Host) -> None:
        rows, size = batch.rows, kilobytes(batch.knobs)
        reads = float(rows["reads"].sum())
        flush = float(rows["flush"].sum()) if batch.knobs.durable else 0.0
        pages = sum(e.work for e in batch.episodes if e.cause == "checkpoint")
        stalled = sum(e.length for e in batch.episodes if e.cause == "checkpoint")
        self.reads += reads
        self.read_kb += reads * size
        self.read_s += float(rows["io"].sum())
        self.flushes += float(np.count_nonzero(rows["flush"])) if flush else 0.0
        self.flush_s += flush
        self.writes += 3 * np.count_nonzero(rows["flush"]) + pages / _PAGES_IN_ONE_WRITE
        self.write_kb += 8 * np.count_nonzero(rows["flush"]) + pages * 8 + 0.33 * len(rows)
        self.write_s += 0.5 * flush + stalled
        self.busy_s += reads * (host.seek_s + size * 1024 / host.bandwidth) + 0.4 * flush + stalled
        self.cpu_s += float(rows["cpu"].sum())
        self.wait_s += float(rows["io"].sum()) + 0.3 * stalled


@dataclass
class Counters:
    """Totals since the directory server's start."""

    operations: np.ndarray[tuple[int], np.dtype[np.int64]] = field(
        default_factory=lambda: np.zeros(len(TYPES), dtype=np.int64)
    )
    entries_sent: int = 0
    bytes_sent: int = 0
    entry_tries: int = 0
    entry_misses: int = 0
    page_tries: int = 0
    page_misses: int = 0
    pages_written: int = 0
    commits: int = 0
    log_bytes: int = 0
    log_bytes_since_checkpoint: int = 0
    own_operations: int = 0
    """Of real clients."""

    def add(self, batch: Batch) -> None:
        rows = batch.rows
        kinds = np.bincount(rows["kind"], minlength=len(TYPES))
        writes = int(np.count_nonzero(rows["flush"]))  # a login that is noted is one, too
        self.operations += kinds
        self.entries_sent += int(kinds[SRCH])
        self.bytes_sent += int(kinds[SRCH]) * ENTRY_BYTES_SENT + len(rows) * 14
        self.entry_tries += len(rows)
        self.entry_misses += int(rows["entry_miss"].sum())
        self.page_tries += 9 * len(rows) + 30 * writes
        self.page_misses += int(rows["page_misses"].sum())
        self.commits += writes
        self.log_bytes += writes * 640
        self._checkpoints(batch, writes)

    def _checkpoints(self, batch: Batch, writes: int) -> None:
        checkpoints = [e for e in batch.episodes if e.cause == "checkpoint"]
        self.log_bytes_since_checkpoint += writes * 640
        if checkpoints:
            self.pages_written += int(sum(e.work for e in checkpoints))
            span = max(1e-9, batch.end - batch.start)
            share = min(1.0, (batch.end - checkpoints[-1].start) / span)
            self.log_bytes_since_checkpoint = int(writes * 640 * share)

    @property
    def initiated(self) -> int:
        """Every operation of every connection, an UNBIND for each BIND included."""
        return int(self.operations.sum() + self.operations[BIND]) + self.own_operations
