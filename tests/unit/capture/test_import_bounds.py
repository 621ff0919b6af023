"""What lies beside an access log is read within the bounds of its import, and up to a cancel."""

import gzip
import json
import tarfile

import pytest

from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.logs.reading import archives, time_limit
from ldap_workbench.logs.reading.files import PIECE
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.window import SourceKind, SourceState
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.unit.capture.test_importing import lines

ERROR = b"[21/Nov/2026:04:00:05.000000000 +0000] - ERR - libdb - DB_LOCK_DEADLOCK\n"
IOSTAT = b"""Linux 5.14.0 (ldap1)  11/21/2026  _x86_64_  (8 CPU)

11/21/2026 04:00:10 AM
Device            r/s     w/s     rkB/s     wkB/s   await  %util
vda              1.00    2.00      3.00      4.00    0.50   1.00
"""


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "access").write_bytes(lines(0, 60))
    return folder


def imported(tmp_path, folder, **options):
    tmp_path.mkdir(exist_ok=True)
    path = tmp_path / "imported.ldapwb"
    with SessionWriter.create(path) as writer:
        done = import_logs([folder], writer, **options)
    with Session.open(path) as session:
        return done, {source.kind: source for source in session.sources()}


def cancel_when(cancel, name):
    """A progress that cancels when the file of this name is begun."""

    def progress(now):
        if now.text == Message("Reading {name}", name=name):
            cancel.set()

    return progress


@pytest.mark.parametrize("name", ["errors", "iostat.txt"])
def test_a_cancel_ends_what_is_read_beside_the_log(tmp_path, folder, name):
    texts = {"errors": ERROR * 1000, "iostat.txt": IOSTAT * 1000}
    (folder / name).write_bytes(texts[name])
    cancel = Cancel()
    done, sources = imported(tmp_path, folder, cancel=cancel, progress=cancel_when(cancel, name))
    assert done.cancelled
    assert sources[SourceKind.ACCESS_LOG].samples == 60, "what was read before it is there"
    (beside,) = [each for kind, each in sources.items() if kind is not SourceKind.ACCESS_LOG]
    assert beside.state is not SourceState.COMPLETE
    assert beside.samples == 0
    assert "cancelled" in str(beside.why)


def test_a_cancel_with_nothing_but_counters_keeps_those_that_were_read(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "errors").write_bytes(ERROR * 1000)
    (folder / "iostat.txt").write_bytes(IOSTAT * 1000)
    cancel = Cancel()
    progress = cancel_when(cancel, "iostat.txt")
    done, sources = imported(tmp_path, folder, cancel=cancel, progress=progress)
    assert done.cancelled
    assert sources[SourceKind.ERROR_LOG].state is SourceState.COMPLETE


@pytest.mark.parametrize("name", ["errors.gz", "access.1.gz"])
def test_packed_text_far_larger_than_its_file_is_not_read_on(tmp_path, folder, name, monkeypatch):
    monkeypatch.setattr(archives, "_RATIO_FROM", 1 << 20)
    monkeypatch.setattr(archives, "_RATIO", 20)
    text = {"errors.gz": ERROR * 200_000, "access.1.gz": lines(60, 60) * 800}[name]
    (folder / name).write_bytes(gzip.compress(text))
    _, sources = imported(tmp_path, folder)
    kind = SourceKind.ERROR_LOG if name == "errors.gz" else SourceKind.ACCESS_LOG
    assert sources[kind].state is not SourceState.COMPLETE
    assert sources[kind].samples < (200_000 if name == "errors.gz" else 60 * 800)
    assert "20 times its own size" in str(sources[kind].why)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("access.1.gz", SourceKind.ACCESS_LOG), ("errors.gz", SourceKind.ERROR_LOG)],
)
def test_a_damaged_file_of_an_archive_has_the_name_it_has_there(tmp_path, folder, name, kind):
    """Not that of the folder it was unpacked into, which is gone."""
    text = gzip.compress(lines(60, 600) if kind is SourceKind.ACCESS_LOG else ERROR * 20_000)
    (folder / name).write_bytes(text[: len(text) * 3 // 4])
    case = tmp_path / "case.tar"
    with tarfile.open(case, "w") as archive:
        archive.add(folder, "logs")
    _, sources = imported(tmp_path, case)
    assert f"{case}/logs/{name} is damaged or cut off" in str(sources[kind].why)


def test_packed_text_within_the_bounds_is_read_whole(tmp_path, folder):
    (folder / "errors.gz").write_bytes(gzip.compress(ERROR * 20_000))
    _, sources = imported(tmp_path, folder)
    assert sources[SourceKind.ERROR_LOG].samples == 20_000
    assert sources[SourceKind.ERROR_LOG].state is SourceState.COMPLETE


@pytest.fixture
def spend(monkeypatch):
    """Spends more processor time than any import has."""
    spent = []
    monkeypatch.setattr(time_limit, "process_time", lambda: float(sum(spent)))
    return lambda: spent.append(1e6)


def test_an_import_that_takes_too_long_ends_and_keeps_what_was_read(tmp_path, folder, spend):
    (folder / "errors").write_bytes(ERROR * 1000)

    def progress(now):
        if now.text == Message("Reading {name}", name="errors"):
            spend()

    done, sources = imported(tmp_path, folder, progress=progress)
    assert not done.cancelled, "nobody asked for it"
    assert sources[SourceKind.ACCESS_LOG].samples == 60
    assert sources[SourceKind.ERROR_LOG].state is not SourceState.COMPLETE
    assert "processor time" in str(sources[SourceKind.ERROR_LOG].why)
    assert str(done.out_of_time) in str(sources[SourceKind.ERROR_LOG].why)
    error = done.out_of_time_error(tmp_path / "imported.ldapwb")
    assert "imported.ldapwb" in str(error.safe)


def test_of_an_archive_that_takes_too_long_what_was_unpacked_is_read(
    tmp_path, folder, spend, monkeypatch
):
    slow = b"[21/Nov/2026:04:00:05.000000000 +0000] - ERR - slow - as can be\n"
    useless = archives._useless

    def looked_at(head):
        if head.startswith(slow):
            spend()
        return useless(head)

    monkeypatch.setattr(archives, "_useless", looked_at)
    case = tmp_path / "case.tar"
    (folder / "errors").write_bytes(slow * 1000)
    (folder / "iostat.txt").write_bytes(IOSTAT * 1000)
    with tarfile.open(case, "w") as archive:
        for name in ("access", "errors", "iostat.txt"):
            archive.add(folder / name, name)
    done, sources = imported(tmp_path, case)
    assert "processor time" in str(done.out_of_time)
    assert done.left_out[case] == done.out_of_time, "a fleet, too, names what was left out"
    assert list(sources) == [SourceKind.ACCESS_LOG], "of the errors no part is taken for all"
    assert sources[SourceKind.ACCESS_LOG].samples == 60


def test_an_import_in_time_says_nothing_of_it(tmp_path, folder):
    done, _ = imported(tmp_path, folder)
    assert not done.out_of_time


class CountedCancel(Cancel):
    """Counts how often it is looked at."""

    def __init__(self):
        super().__init__()
        self.looks = 0

    def __bool__(self):
        self.looks += 1
        return super().__bool__()


def test_cancel_is_looked_at_with_every_piece_also_where_no_line_comes_out(tmp_path, folder):
    """A JSON document goes on for long after its last record."""
    records = [{"message": line} for line in lines(0, 2000).decode().splitlines()]
    head = json.dumps(records).encode().removesuffix(b"]")
    looks = {}
    for pieces in (1, 4):
        (folder / "access").write_bytes(head + b" " * (pieces * PIECE) + b"]")
        cancel = CountedCancel()
        _, sources = imported(tmp_path / str(pieces), folder, cancel=cancel)
        assert sources[SourceKind.ACCESS_LOG].samples == 2000
        looks[pieces] = cancel.looks
    assert looks[4] - looks[1] >= 3
