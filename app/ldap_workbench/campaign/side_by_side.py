"""Several replicas captured at the same time, on one clock, with how far each was behind."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.experiment.capture_job import Captured, CaptureJob
from ldap_workbench.experiment.lag import Lag, lags, read_csns, store_lag
from ldap_workbench.model.progress import Cancel, OnProgress
from ldap_workbench.servers.replication import Agreement, read_agreements
from ldap_workbench.servers.target import Target
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.tuner import Tuner


@dataclass(frozen=True)
class Beside:
    """One replica of a capture: its window, how far it was behind, whom it replicates with."""

    profile: str
    captured: Captured
    lag: Lag
    agreements: tuple[Agreement, ...]
    offset_ns: int
    """The server's clock minus ours; no more than `error_ns` from the truth."""
    error_ns: int | None
    began_ns: int
    """When its window began, on our clock."""


def capture_side_by_side(
    servers: Sequence[tuple[Target, Tuner]],
    paths: Sequence[Path],
    plan: CapturePlan,
    *,
    progress: OnProgress,
    stop: Cancel,
) -> list[Beside]:
    """One window of each into its own session. Raises WorkbenchError when all have ended."""
    jobs = [CaptureJob(path, plan, stop=stop) for path in paths]
    with ThreadPoolExecutor(len(jobs), "beside") as pool:
        # The first one tells its progress: that of the others is the same.
        tell = [progress] + [_silent] * (len(jobs) - 1)
        futures = [
            pool.submit(job.run, target, tuner, heard)
            for job, (target, tuner), heard in zip(jobs, servers, tell, strict=True)
        ]
    captured = [future.result() for future in futures]
    series = []
    for (target, _), capture in zip(servers, captured, strict=True):
        with Session.open(capture.path) as session:
            series.append(read_csns(session, capture.window, target))
    measured = lags(series)
    for (target, _), capture, lag in zip(servers, captured, measured, strict=True):
        with SessionWriter.append(capture.path) as writer:
            store_lag(writer, capture.window, target, lag)
    return [
        _beside(target, capture, lag)
        for (target, _), capture, lag in zip(servers, captured, measured, strict=True)
    ]


def _silent(_: object) -> None:
    """Nobody listens."""


def _beside(target: Target, captured: Captured, lag: Lag) -> Beside:
    clock = target.clock
    return Beside(
        target.profile.name,
        captured,
        lag,
        read_agreements(target.directory, target.facts),
        clock.offset_ns,
        clock.error_ns,
        captured.window.start_ns - clock.offset_ns,
    )
