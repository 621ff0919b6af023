"""Every file of the reference material goes through the reader it is named for."""

from __future__ import annotations

import pytest

from ldap_workbench.logs.access.dialects import DIALECTS
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.client.ldclt import read_ldclt
from ldap_workbench.logs.host.histograms import read_histograms
from ldap_workbench.logs.host.inventory import read_host_settings
from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.logs.reading.files import LogFile
from ldap_workbench.logs.reading.reports import Clock, Tally
from ldap_workbench.logs.server.audit389 import read_audit_log
from ldap_workbench.logs.server.errors389 import read_error_log
from ldap_workbench.logs.server.ldif import read_ldif
from ldap_workbench.logs.server.logconv import read_logconv
from ldap_workbench.logs.server.stacks import read_stacks
from ldap_workbench.model.window import SourceKind
from tests.unit.logs.material import CORPUS, read_reports

READERS = {
    SourceKind.ERROR_LOG: read_error_log,
    SourceKind.AUDIT_LOG: read_audit_log,
    SourceKind.IOSTAT: lambda data: read_reports(data, Clock(start_ns=0)),
    SourceKind.VMSTAT: lambda data: read_reports(data, Clock(start_ns=0)),
    SourceKind.MONITOR: read_ldif,
    SourceKind.HISTOGRAM: read_histograms,
    SourceKind.STACKS: read_stacks,
    SourceKind.CONFIG: lambda data: read_host_settings(data, Tally()),
    SourceKind.SUMMARY: lambda data: read_logconv(data, 0, Tally()),
}
BY_DIALECT = {
    "ldclt": lambda data: read_ldclt(data, Clock(start_ns=0)),
}
"""The rates of a client are of the kind of a monitor and read in another way."""


@pytest.mark.skipif(not CORPUS.exists(), reason="the reference material is not there")
def test_every_reference_file_is_read() -> None:
    seen = set()
    for path in sorted(CORPUS.rglob("*")):
        if not path.is_file() or "access-1M" in path.name:
            continue
        data = b"".join(LogFile(path).pieces())
        found = detect(data[: 1 << 18])
        seen.add(found.kind)
        if found.dialect in DIALECTS:
            scanner = Scanner(found.dialect)
            scanner.feed(data)
            scanner.finish()
            counts = scanner.counts
            total = counts.understood + counts.set_aside + counts.unknown
            assert total >= data.count(b"\n"), path
        elif found.kind is not None:
            BY_DIALECT.get(found.dialect, READERS[found.kind])(data)
    assert seen == {SourceKind.ACCESS_LOG, None, *READERS}
