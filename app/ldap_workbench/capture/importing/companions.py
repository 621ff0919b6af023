"""What lies beside an access log -> samples, notes and texts a session keeps.

| kind | samples | `Source.details` | raw text |
|---|---|---|---|
| iostat, vmstat | 'iostat:DEVICE:column', 'vmstat:column' | `reports` | as it is |
| monitor (LDIF) | 'ENTRY DN:attribute' | `dumps`, `entries`, `settings` | none: secrets |
| config (LDIF, slapd.conf, dsconf) | none | `settings`, `configuration`, below | none: secrets |
| client (JMeter) | 'client:LABEL:elapsed', see logs/client/jtl.py | `reports` | as it is |
| monitor (Java collector) | 'gc:pause' | `reports` | as it is |
| monitor (Prometheus) | 'prometheus:NAME{labels}' | `reports` | none: it is in the samples |
| iostat (PCP) | 'pcp:METRIC:INSTANCE', of disks as iostat | `reports` | as it is |
| histogram | none | `histograms`, see below | as it is |
| stacks | none | `dumps`, `held`, `top`, see below | as it is, read with `read_stacks` |
| stacks (folded) | none | `stacks`, `profiles`: how many | within bounds, read with `profiles_in` |
| audit log | none | `records`, `first_ns`, `last_ns` | without values, `read_audit_log` |
| summary (logconv) | none | `logconv`, see below | none: DNs and filters |
| summary (dbscan -r) | none | `referred`: a list of {dn, entries} | none |
| packages (rpm, dpkg), database files (ls -l) | none | `packages`, `database_files` | none |
| summary (health check) | none | `healthcheck`: a list of {code, severity, text} | none: DNs |
| error log | none | `records`, `notices`, `version` | as it is, read with `read_error_log` |

All have `files`, `title` (what it is), `reason` (why it was taken for that), `notes` (corrections).

`histograms`: a list of {name, unit ("ns", "us", "ms", "" where none is printed), probe, threads,
mean, most, least (in its unit, null where not printed), note (what was corrected), low, high,
counts}; low and high are the bounds of the buckets, null where open.
`dumps`: a list of {time_ns or null, threads: {thread id: [calls, innermost first]}}.
`held`: a list of {thread, call, first, dumps, seconds or null}: the same call of the same thread
over consecutive dumps, `first` counts them from 0. `top`: a list of {calls, threads}.
`logconv`: {start_ns, end_ns, figures (printed name -> value), errors (result code -> count) or
null, longest_s or null, etimes (seconds -> operations)}; null is what a short summary does not
print.
`notices`: how many records of each kind in resources/logs/notices389.toml.
`settings`: knob name -> value. `configuration`: a list of {dn, attributes (name -> values)} of what
servers/configuration.py lets pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from ldap_workbench.capture.importing.companion import (
    Companion,
    Keep,
    folded_stacks,
    forget,
    pieces,
    stacks,
    texts,
)
from ldap_workbench.capture.importing.placement import has_counters
from ldap_workbench.capture.importing.settings import PROPERTY, properties_in, settings_in
from ldap_workbench.capture.live.monitor import numbers
from ldap_workbench.connect.directory import Entry
from ldap_workbench.logs.client.jtl import read_jtl
from ldap_workbench.logs.client.ldclt import read_ldclt
from ldap_workbench.logs.host.histograms import Histogram, read_histograms
from ldap_workbench.logs.host.inventory import (
    read_database_files,
    read_host_settings,
    read_packages,
)
from ldap_workbench.logs.host.iostat_text import (
    read_iostat_aix,
    read_iostat_json,
    read_iostat_linux,
    read_iostat_solaris,
)
from ldap_workbench.logs.host.pcp import read_pmrep
from ldap_workbench.logs.host.prometheus import read_prometheus
from ldap_workbench.logs.host.sar import read_sadf_json, read_sadf_table, read_sar
from ldap_workbench.logs.host.vmstat import read_vmstat
from ldap_workbench.logs.reading.detect import Detection
from ldap_workbench.logs.reading.files import Budget, LogSet
from ldap_workbench.logs.reading.reports import Clock, Readings, Tally
from ldap_workbench.logs.server.audit389 import AuditLogReader, JsonAuditReader, redacted
from ldap_workbench.logs.server.collector import read_collector_log
from ldap_workbench.logs.server.dbscan import read_dbscan
from ldap_workbench.logs.server.dsconf_monitor import (
    entries_in,
    read_db_stat,
    read_monitor_report,
)
from ldap_workbench.logs.server.errors389 import (
    ErrorLogReader,
    counted,
    describe_notices,
    started_as,
)
from ldap_workbench.logs.server.healthcheck import HealthIssue, read_healthcheck
from ldap_workbench.logs.server.ldif import Entry as LdifEntry
from ldap_workbench.logs.server.ldif import (
    count_lines,
    dumps_of,
    folder_of_slapd,
    monitor_time,
    read_ldif,
    with_whole_names,
    without_margin,
)
from ldap_workbench.logs.server.logconv import read_logconv
from ldap_workbench.logs.server.slapd_conf import read_slapd_conf
from ldap_workbench.model.configuration import Configuration, ConfigurationEntry
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message, count_of, sentences
from ldap_workbench.model.passwords import ProcessLines
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.window import LineCounts, SourceKind
from ldap_workbench.servers.configuration import select_configuration

_MOST_KEYS = 1000
"""Keys of an index that are kept, those with the most entries first."""
_NO_INTERVAL = Message(
    "It holds no report of an interval, only those since boot. Print several in one run, for "
    "example: iostat -xt 1 10."
)
_NO_VALUE = Message("It holds no report with a value in it.")
_MONITOR = ("cn=monitor", "cn=snmp", "cn=disk space")


def read_companion(
    logs: LogSet,
    clock: Clock,
    keep: Keep,
    cancel: Cancel | None = None,
    budget: Budget | None = None,
    shown: Callable[[Path], Path] = lambda path: path,
) -> Companion:
    """Read a set of files of one format, whatever it is but an access log.

    `shown` gives the name that a person knows a file by. Files that cannot be placed in time keep
    their text and say so in `why`. Cancelled, or beyond the budget, it keeps what was read and says
    so there too.
    """
    companion = Companion(
        logs.detection.kind or SourceKind.MONITOR,
        cancel=cancel if cancel is not None else Cancel(),
        budget=budget,
        shown=shown,
    )
    read = READERS[_format_to_read(logs.detection)]
    masked = ProcessLines(keep)
    read(logs, clock, masked, companion)
    masked.finish()
    return companion


def _format_to_read(detection: Detection) -> str:
    """The dialect as which a file is read.

    Who says that files are iostat's means those of a host: which of its formats one has, and which
    tool wrote it, its content knows better.
    """
    content = detection.content
    if content is not None and content.kind is detection.kind in _REPORTS_OF_HOSTS:
        return content.dialect
    return detection.dialect


def _host_settings(logs: LogSet, _: Clock, keep: Keep, companion: Companion) -> None:
    tally = Tally()
    settings: dict[str, str] = {}
    for text in texts(logs, keep, companion):
        settings = read_host_settings(text, tally) | settings
    companion.add_lines(tally.counts)
    companion.count = len(settings)
    companion.details = {"settings": settings}


def _reports(
    read: Callable[[bytes, Clock], Readings],
    logs: LogSet,
    clock: Clock,
    keep: Keep,
    companion: Companion,
) -> None:
    undated_ns = min(file.path.stat().st_mtime_ns for file in logs.files)
    for text in texts(logs, keep, companion):
        try:
            readings = read(text, replace(clock, undated_ns=undated_ns))
        except LogError as error:
            companion.why.append(sentences(error.what, error.remedy))
            companion.add_lines(_all_aside(text, "report that cannot be placed in time"))
            continue
        _take_readings(readings, companion)


def _prometheus(logs: LogSet, _: Clock, __: Keep, companion: Companion) -> None:
    for file, text in zip(logs.files, texts(logs, forget, companion), strict=False):
        try:
            readings = read_prometheus(text, file.path.stem)
        except LogError as error:
            companion.why.append(sentences(error.what, error.remedy))
            companion.add_lines(_all_aside(text, "answer without samples"))
            continue
        _take_readings(readings, companion, Message("It holds no value that is a number."))


def _take_readings(readings: Readings, companion: Companion, nothing: Message = _NO_VALUE) -> None:
    companion.samples += readings.samples
    companion.add_lines(readings.lines)
    companion.count += readings.reports
    companion.details["reports"] = companion.count
    companion.notes += [note for note in readings.notes if note not in companion.notes]
    companion.dated = companion.dated and readings.dated
    if readings.may_be_since_boot:
        companion.details["may_be_since_boot"] = True
    for sample in readings.samples:
        companion.see(sample.time_ns)
    if not readings.samples:
        companion.why.append(_NO_INTERVAL if "report since boot" in readings.left_out else nothing)


def _all_aside(text: bytes, why: str) -> LineCounts:
    lines = len(text.splitlines())
    return LineCounts(set_aside=lines, reasons={why: lines})


def _ldif(logs: LogSet, clock: Clock, _keep: Keep, companion: Companion) -> None:
    settings: dict[str, str] = {}
    entries_of_config: list[ConfigurationEntry] = []
    dumps = entries = 0
    # The text is not kept: an LDIF of the configuration holds passwords and keys.
    for file, text in zip(logs.files, texts(logs, forget, companion), strict=False):
        text = without_margin(text)
        is_slapd_d = folder_of_slapd(file.path) is not None
        read, lines = _entries_of(text, file.path, logs.detection.dialect)
        companion.add_lines(lines)
        time_ns: int | None = None
        for dump in dumps_of(read):
            entries += len(dump)
            settings = settings_in(dump) | settings  # the first one of each
            if is_slapd_d or not entries_of_config:
                entries_of_config += kept_of(dump).entries
            watched = [entry for entry in dump if any(dn in entry.dn.lower() for dn in _MONITOR)]
            # What follows in a file without a time of its own was read in the same go.
            time_ns = monitor_time(watched) or time_ns
            dumps += bool(watched)
            _take_counters(watched, time_ns, companion)
    companion.count = dumps
    companion.details = {"dumps": dumps, "entries": entries, "settings": settings}
    if entries_of_config:
        companion.details["configuration"] = Configuration(tuple(entries_of_config)).as_stored()
    if settings:
        companion.readings = [reading for reading in companion.readings if has_counters(reading)]
    if (settings or entries_of_config) and not companion.samples and not companion.readings:
        # dse.ldif names the monitor entries, but their counters live in memory only.
        companion.kind, companion.count, companion.why = (
            SourceKind.CONFIG,
            len(settings) or len(entries_of_config),
            [],
        )
    elif not dumps:
        companion.why.append(_nothing_known(entries))
    companion.dated = not companion.readings or clock.start_ns is not None


def _entries_of(text: bytes, path: Path, dialect: str) -> tuple[list[LdifEntry], LineCounts]:
    """The entries of a file, whatever it writes them in, and what its lines are."""
    if dialect == "slapd-conf":
        tally = Tally()
        entries = read_slapd_conf(text, tally)
        return entries, tally.counts
    if dialect == "dsconf-json" and (entries := entries_in(text)):
        return entries, LineCounts(understood=len(text.splitlines()))
    return with_whole_names(read_ldif(text), path), count_lines(text)


def kept_of(dump: Sequence[LdifEntry]) -> Configuration:
    """What a session keeps of the configuration among some entries."""
    texts = (_entry(entry) for entry in dump if entry.dn.lower().rstrip().endswith("cn=config"))
    return select_configuration((entry.dn, entry.attributes) for entry in texts)


def _nothing_known(entries: int) -> Message:
    return count_of(
        "Its only entry is neither a known monitor entry nor a known entry of settings.",
        "None of its {n} entries is a known monitor entry or a known entry of settings.",
        n=entries,
    )


def _properties(logs: LogSet, _: Clock, __: Keep, companion: Companion) -> None:
    settings: dict[str, str] = {}
    tally = Tally()
    for text in texts(logs, forget, companion):
        lines = text.decode("utf-8", "replace")
        settings = properties_in(lines) | settings
        for line in lines.splitlines():
            if PROPERTY.match(line):
                tally.understood()
            elif not line.strip():
                tally.set_aside("blank line")
            else:
                tally.unknown()
    companion.add_lines(tally.counts)
    companion.count = len(settings)
    companion.details["settings"] = settings


def _take_counters(watched: list[LdifEntry], time_ns: int | None, companion: Companion) -> None:
    samples = [sample for entry in watched for sample in numbers(_entry(entry), time_ns or 0)]
    if time_ns is not None and watched:
        companion.see(time_ns)
        companion.samples += samples
    elif samples:
        companion.readings.append(samples)


def _entry(entry: LdifEntry) -> Entry:
    texts = {
        name: tuple(value.decode("utf-8", "replace") for value in values)
        for name, values in entry.attributes.items()
    }
    return Entry(entry.dn, texts)


def _histograms(logs: LogSet, clock: Clock, keep: Keep, companion: Companion) -> None:
    histograms: list[Histogram] = []
    tally = Tally()
    for file, text in zip(logs.files, texts(logs, keep, companion), strict=False):
        histograms += read_histograms(text, tally, file.path.name)
    companion.add_lines(tally.counts)
    companion.count = len(histograms)
    companion.details["histograms"] = [_histogram(histogram) for histogram in histograms]
    companion.notes += list(dict.fromkeys(h.note for h in histograms if h.note))
    if not histograms:
        companion.why.append(Message("It holds no histogram with a count in it."))
    if clock.start_ns is not None:
        companion.see(clock.start_ns)


def _histogram(histogram: Histogram) -> dict[str, Any]:
    return {
        "name": histogram.title,
        "unit": histogram.unit,
        "probe": histogram.probe,
        "threads": histogram.threads,
        "mean": histogram.mean,
        "most": histogram.most,
        "least": histogram.least,
        "note": histogram.note,
        "low": [bucket.low for bucket in histogram.buckets],
        "high": [bucket.high for bucket in histogram.buckets],
        "counts": [bucket.count for bucket in histogram.buckets],
    }


def _summary(logs: LogSet, clock: Clock, _: Keep, companion: Companion) -> None:
    tally = Tally()
    for text in texts(logs, forget, companion):
        summary = read_logconv(text, clock.zone_offset_ns, tally)
        companion.count += len(summary.figures) + len(summary.etimes)
        companion.details["logconv"] = asdict(summary)
        for time_ns in filter(None, (summary.start_ns, summary.end_ns)):
            companion.see(time_ns)
    companion.add_lines(tally.counts)
    if not companion.count:
        companion.why.append(Message("It holds no figure."))


def _index_keys(logs: LogSet, _clock: Clock, _keep: Keep, companion: Companion) -> None:
    tally = Tally()
    for text in texts(logs, forget, companion):
        keys = read_dbscan(text, tally)
        companion.count += len(keys)
        most = sorted(keys.items(), key=lambda item: -item[1])[:_MOST_KEYS]
        companion.details["referred"] = [{"dn": dn, "entries": n} for dn, n in most]
    companion.add_lines(tally.counts)
    if not companion.count:
        companion.why.append(Message("It holds no key that is a DN."))


def _audit_log(logs: LogSet, clock: Clock, keep: Keep, companion: Companion) -> None:
    is_json = logs.detection.dialect == "audit389-json"
    reader = (JsonAuditReader if is_json else AuditLogReader)(clock.zone_offset_ns)
    for piece in chain(pieces(logs, companion), [None]):
        records = reader.finish() if piece is None else reader.feed(piece)
        keep(redacted(records))
        companion.count += len(records)
        for record in records:
            companion.see(record.time_ns)
    companion.add_lines(reader.counts)
    companion.details = {
        "records": companion.count,
        "first_ns": companion.first_ns,
        "last_ns": companion.last_ns,
    }


def _error_log(logs: LogSet, _: Clock, keep: Keep, companion: Companion) -> None:
    reader = ErrorLogReader()
    notices: Counter[str] = Counter()
    version = ""
    for piece in chain(pieces(logs, companion), [None]):
        records = reader.finish() if piece is None else reader.feed(piece)
        keep(piece or b"")
        companion.count += len(records)
        notices += counted(records)
        version = started_as(records) or version
        for record in records:
            companion.see(record.time_ns)
    companion.add_lines(reader.counts)
    companion.details |= {"records": companion.count, "notices": dict(notices)}
    if version:
        companion.details["version"] = version
    companion.notes += describe_notices(notices)


def _inventory(
    key: str,
    read: Callable[[bytes, Tally], Mapping[str, Any]],
    logs: LogSet,
    _clock: Clock,
    _keep: Keep,
    companion: Companion,
) -> None:
    """What a support archive lists of a host, by name, into `details[key]`."""
    listed: dict[str, Any] = {}
    tally = Tally()
    for text in texts(logs, forget, companion):
        listed |= read(text, tally)
    companion.add_lines(tally.counts)
    companion.count = len(listed)
    companion.details[key] = listed


def _healthcheck(logs: LogSet, _clock: Clock, _keep: Keep, companion: Companion) -> None:
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


_Read = Callable[[LogSet, Clock, Keep, Companion], None]
_REPORTS_OF_HOSTS = (SourceKind.IOSTAT, SourceKind.VMSTAT)
READERS: dict[str, _Read] = {
    "audit389": _audit_log,
    "audit389-json": _audit_log,
    "database-files": partial(_inventory, "database_files", read_database_files),
    "db-stat": partial(_reports, read_db_stat),
    "dbmon": partial(_reports, read_monitor_report),
    "dbscan": _index_keys,
    "dsconf": _properties,
    "dsconf-json": _ldif,
    "errors-opendj": _error_log,
    "errors389": _error_log,
    "errors389-json": _error_log,
    "healthcheck": _healthcheck,
    "histogram-bcc": _histograms,
    "histogram-bpftrace": _histograms,
    "histogram-stap": _histograms,
    "iostat-aix": partial(_reports, read_iostat_aix),
    "iostat-json": partial(_reports, read_iostat_json),
    "iostat-linux": partial(_reports, read_iostat_linux),
    "iostat-solaris": partial(_reports, read_iostat_solaris),
    "java-collector": partial(_reports, read_collector_log),
    "jtl-csv": partial(_reports, read_jtl),
    "jtl-xml": partial(_reports, read_jtl),
    "ldclt": partial(_reports, read_ldclt),
    "ldif": _ldif,
    "logconv": _summary,
    "packages": partial(_inventory, "packages", read_packages),
    "pmrep": partial(_reports, read_pmrep),
    "prometheus": _prometheus,
    "sadf-d": partial(_reports, read_sadf_table),
    "sadf-j": partial(_reports, read_sadf_json),
    "sar": partial(_reports, read_sar),
    "slapd-conf": _ldif,
    "sched-features": _host_settings,
    "scheduler-linux": _host_settings,
    "stacks": stacks,
    "stacks-folded": folded_stacks,
    "sysctl": _host_settings,
    "vmstat-aix": partial(_reports, read_vmstat),
    "vmstat-linux": partial(_reports, read_vmstat),
    "vmstat-solaris": partial(_reports, read_vmstat),
}
"""Dialect -> its reader, for every format of logs/reading/formats.py but access logs."""
