"""Readers of what a support archive tells of a host: packages, database files, health checks."""

from __future__ import annotations

from dataclasses import asdict

from ldap_workbench.capture.importing.companion import Companion, Keep, forget, texts
from ldap_workbench.logs.host.inventory import read_database_files, read_packages
from ldap_workbench.logs.reading.files import LogSet
from ldap_workbench.logs.reading.reports import Clock, Tally
from ldap_workbench.logs.server.healthcheck import HealthIssue, read_healthcheck
from ldap_workbench.model.message import Message, count_of


def packages(logs: LogSet, _clock: Clock, _keep: Keep, companion: Companion) -> None:
    """Packages installed on the host."""
    known: dict[str, str] = {}
    tally = Tally()
    for text in texts(logs, forget, companion):
        known |= read_packages(text, tally)
    companion.add_lines(tally.counts)
    companion.count = len(known)
    companion.details["packages"] = known


def database_files(logs: LogSet, _clock: Clock, _keep: Keep, companion: Companion) -> None:
    """Sizes of the files of the database."""
    files: dict[str, int] = {}
    tally = Tally()
    for text in texts(logs, forget, companion):
        files |= read_database_files(text, tally)
    companion.add_lines(tally.counts)
    companion.count = len(files)
    companion.details["database_files"] = files


def healthcheck(logs: LogSet, _clock: Clock, _keep: Keep, companion: Companion) -> None:
    """What the server's own health check found."""
    issues: list[HealthIssue] = []
    tally = Tally()
    for text in texts(logs, forget, companion):
        report = read_healthcheck(text, tally)
        issues += report.issues
        if not report.whole:
            companion.why.append(Message("It breaks off: issues may be missing."))
    companion.add_lines(tally.counts)
    companion.count = max(len(issues), 1)  # that it found nothing is a result as well
    companion.details["healthcheck"] = [asdict(issue) for issue in issues]
    companion.notes.append(
        count_of("It reports {n} issue.", "It reports {n} issues.", n=len(issues))
    )
