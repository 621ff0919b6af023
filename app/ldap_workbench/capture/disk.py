"""iostat on the server's host, streamed while the window lasts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ldap_workbench.capture.source import SourceMissingError
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.logs.iostat import IostatReader
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.window import Sample, Source, SourceState

# Without -t there is no time, without -y the first report covers the time since boot.
IOSTAT = ("env", "S_TIME_FORMAT=ISO", "LC_ALL=C", "iostat", "-x", "-y", "-t", "-o", "JSON", "1")
_NOT_FOUND = 127


def sample_iostat(
    shell: RemoteShell,
    source: Source,
    on_samples: Callable[[list[Sample]], None],
    stop: Cancel,
) -> Source:
    """Hand on the reports of iostat until stopped. Returns the finished source."""
    reader = IostatReader()
    reports: set[int] = set()

    def take(data: bytes) -> None:
        samples = reader.feed(data)
        reports.update(sample.time_ns for sample in samples)
        on_samples(samples)

    result = shell.stream(IOSTAT, take, cancel=stop)
    if result.status == _NOT_FOUND:
        raise SourceMissingError("iostat is not installed on the host (package sysstat).")
    source = replace(source, samples=len(reports))
    if stop:
        return replace(source, state=SourceState.COMPLETE)
    stderr = result.stderr.decode("utf-8", "replace").strip()
    return replace(source, state=SourceState.FAILED, why=f"iostat ended by itself: {stderr}")
