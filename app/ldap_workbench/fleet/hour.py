"""One hour of a server of a fleet as a session, from logs of this machine or of its host."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ldap_workbench.capture.importing.logs import Imported, import_logs
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.fleet.excerpts import Hour
from ldap_workbench.fleet.hosts import read_hosts
from ldap_workbench.fleet.remote import fetch_hour
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.progress import Cancel, OnProgress
from ldap_workbench.session.writer import SessionWriter


@dataclass(frozen=True)
class HourSource:
    """Where the lines of an hour are: files here, or logs of the hosts of a file."""

    hour: Hour
    paths: Sequence[Path] = ()
    hosts: Path | None = None


def read_hour(
    source: HourSource, output: Path, secrets: Secrets, progress: OnProgress, cancel: Cancel
) -> Imported:
    """Write the session of an hour. Raises WorkbenchError; then no file is left behind."""
    if source.hosts is None:
        return _read(source.paths, source.hour, output, progress, cancel)
    hosts = read_hosts(source.hosts)
    with tempfile.TemporaryDirectory(prefix="ldap-workbench-") as folder:
        paths = fetch_hour(hosts, source.hour, Path(folder), secrets, progress, cancel)
        return _read(paths, source.hour, output, progress, cancel)


def _read(
    paths: Sequence[Path], hour: Hour, output: Path, progress: OnProgress, cancel: Cancel
) -> Imported:
    try:
        with SessionWriter.create(output) as writer:
            return import_logs(
                paths,
                writer,
                start_ns=hour.start_ns,
                end_ns=hour.end_ns,
                progress=progress,
                cancel=cancel,
            )
    except WorkbenchError:
        output.unlink(missing_ok=True)
        raise
