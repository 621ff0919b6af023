"""Formats are one registry: each that is used has one reader, and a file is opened once for it."""

from pathlib import Path

from ldap_workbench.capture.importing.companions import READERS, read_companion
from ldap_workbench.logs.access.dialects import DIALECTS
from ldap_workbench.logs.reading.files import gather
from ldap_workbench.logs.reading.formats import FORMATS
from ldap_workbench.logs.reading.reports import Clock
from ldap_workbench.model.window import SourceKind
from tests.unit.logs.lines389 import PAIR

IOSTAT_JSON = (
    '{"sysstat": {"hosts": [{"statistics": [{"timestamp": "2026-11-21T02:00:00+0000",'
    ' "disk": [{"disk_device": "sda", "r/s": 7.0}]}]}]}}\n'
)
VMSTAT = " r  b   swpd   free\n 3  0      0 500000\n"


def read(folder: Path, text: str, dialect: str):
    file = folder / "host.txt"
    file.write_text(text)
    [logs] = gather([file], dialect).sets
    return read_companion(logs, Clock(since_boot=False, start_ns=0), lambda _: None)


def test_every_format_that_is_used_has_a_reader():
    used = {format_.dialect for format_ in FORMATS if format_.kind is not None}
    assert used == READERS.keys() | DIALECTS.keys()


def test_dialects_of_the_scanner_are_access_logs():
    kinds = {format_.kind for format_ in FORMATS if format_.dialect in DIALECTS}
    assert kinds == {SourceKind.ACCESS_LOG}


def test_what_is_said_to_be_iostat_is_read_as_the_format_of_iostat_that_it_has(tmp_path):
    companion = read(tmp_path, IOSTAT_JSON, "iostat-linux")
    assert [(sample.series, sample.value) for sample in companion.samples] == [
        ("iostat:sda:r/s", 7.0)
    ]


def test_what_is_said_to_be_of_another_kind_is_read_as_that(tmp_path):
    companion = read(tmp_path, VMSTAT, "iostat-linux")
    assert not companion.samples
    assert companion.lines.unknown == 2


def test_a_file_is_opened_once_to_see_what_it_is(tmp_path, monkeypatch):
    (tmp_path / "access").write_text(PAIR)
    (tmp_path / "other").write_text(PAIR.replace("conn=7", "conn=8"))
    opened = []
    real = Path.open

    def count(path, *arguments, **options):
        if path.parent == tmp_path:
            opened.append(path.name)
        return real(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", count)
    gather([tmp_path])
    assert sorted(opened) == ["access", "other"]
