"""Archives and standard input are read like folders, and a hostile one does no harm."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import tarfile
import zipfile
from pathlib import Path

import pytest
import zstandard

from ldap_workbench.capture.importing.logs import Imported, import_logs
from ldap_workbench.logs.reading import archives
from ldap_workbench.logs.reading.files import gather
from ldap_workbench.model.errors import CancelledError, LogError
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.window import SourceKind, SourceState
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter

LINE = "[21/Nov/2026:02:{:02d}:00.000000001 +0000] conn={} op=1 "
DSE = """dn: cn=config
objectClass: top
nsslapd-threadnumber: 16

dn: cn=config,cn=ldbm database,cn=plugins,cn=config
objectClass: top
nsslapd-dbcachesize: 33554432
"""
ERRORS = "[21/Nov/2026:01:00:00.000000001 +0000] - INFO - main - 389-Directory/2.3.1 starting up\n"
IOSTAT = """Linux 5.1 (h) \t11/21/26 \t_x86_64_\t(4 CPU)

Device            r/s     w/s     rkB/s     wkB/s  %util
sda              1.00    2.00      3.00      4.00   0.10
sda              1.00    2.00      3.00      4.00   0.10
"""


def log(first: int, count: int) -> bytes:
    lines = []
    for n in range(first, first + count):
        head = LINE.format(n, n)
        lines.append(f'{head}SRCH base="dc=a" scope=2 filter="(a=b)"\n')
        lines.append(f"{head}RESULT err=0 tag=101 nentries=1 etime=0.00{n:07d}\n")
    return "".join(lines).encode()


FILES = {
    "logs/access": log(20, 10),
    "logs/access.20261121-000000.gz": gzip.compress(log(0, 20)),
    "logs/errors": ERRORS.encode(),
    "README": b"nothing of interest\n",
    "bin/program": b"\x7fELF\0\0\0" * 100,
}


def tarred(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            member.mtime = 1795230000
            tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return out.getvalue()


def imported(tmp_path: Path, *paths: Path) -> Imported:
    with SessionWriter.create(tmp_path / "s.ldapwb") as writer:
        return import_logs(paths, writer)


def etimes(tmp_path: Path) -> list[int]:
    with Session.open(tmp_path / "s.ldapwb") as session:
        windows = session.windows()
        return sorted(n for w in windows for n in session.operations(w).etime_ns.tolist())


ARCHIVES = {
    "tar": tarred(FILES),
    "tar.gz": gzip.compress(tarred(FILES)),
    "tar.xz": lzma.compress(tarred(FILES)),
    "tar.bz2": bz2.compress(tarred(FILES)),
    "tar.zst": zstandard.ZstdCompressor().compress(tarred(FILES)),
    "zip": zipped(FILES),
    "tar in zip": zipped({"case/host.tar.gz": gzip.compress(tarred(FILES))}),
}


@pytest.mark.parametrize("kind", ARCHIVES)
def test_an_archive_is_read_like_a_folder(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "upload"
    path.write_bytes(ARCHIVES[kind])
    done = imported(tmp_path, path)
    assert etimes(tmp_path) == list(range(30))
    (access,) = [s for s in done.sources if s.kind is SourceKind.ACCESS_LOG]
    assert access.state is SourceState.COMPLETE
    assert access.details["files"] == ["access.20261121-000000.gz", "access"]
    assert len(done.windows) == 1
    left_out = {str(path.relative_to(tmp_path)): str(why) for path, why in done.left_out.items()}
    inside = "upload/case/host.tar.gz" if kind == "tar in zip" else "upload"
    assert set(left_out) == {f"{inside}/README", f"{inside}/bin/program"}
    assert "not text" in left_out[f"{inside}/bin/program"]


def test_bz2_alone(tmp_path: Path) -> None:
    (tmp_path / "access.bz2").write_bytes(bz2.compress(log(0, 9)))
    imported(tmp_path, tmp_path / "access.bz2")
    assert etimes(tmp_path) == list(range(9))


@pytest.mark.parametrize("data", [log(0, 9), gzip.compress(log(0, 9)), ARCHIVES["tar.xz"]])
def test_standard_input(tmp_path: Path, data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    done = imported(tmp_path, Path("-"))
    assert len(etimes(tmp_path)) >= 9
    assert done.windows[0].name in ("standard input", "access")


def sosreport() -> dict[str, bytes]:
    root = "sosreport-ldap1-2026-11-21-abcdefg/"
    slapd = root + "var/log/dirsrv/slapd-a/"
    config = root + "etc/dirsrv/slapd-a/"
    return {
        slapd + "access": log(20, 10),
        slapd + "access.20261121-000000": log(0, 20),
        slapd + "errors": ERRORS.encode(),
        config + "dse.ldif": DSE.encode(),
        config + "dse.ldif.bak": DSE.replace("16", "8").encode(),
        config + "schema/00core.ldif": b"dn: cn=schema\nattributeTypes: ( 1.2 NAME 'a' )\n" * 9,
        root + "sos_commands/kernel/sysctl_-a": b"vm.swappiness = 10\nkernel.numa_balancing = 1\n",
        root + "sos_commands/block/lsblk": b"NAME MAJ:MIN RM SIZE RO TYPE\nsda 8:0 0 40G 0 disk\n",
        root + "proc/meminfo": b"MemTotal: 16000000 kB\n",
    }


@pytest.mark.parametrize("packed", [True, False])
def test_a_sosreport_is_one_window_with_its_configuration(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "sosreport.tar.xz"
    if packed:
        path.write_bytes(lzma.compress(tarred(sosreport())))
    else:
        path = tmp_path / "unpacked"
        for name, data in sosreport().items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_bytes(data)
    done = imported(tmp_path, path)
    (window,) = done.windows
    assert window.start_ns == 1795226400 * 10**9 + 1
    assert window.end_ns == 1795226400 * 10**9 + 29 * 60 * 10**9 + 2
    assert {s.window for s in done.sources} == {window.id}
    settings = [s.details["settings"] for s in done.sources if s.kind is SourceKind.CONFIG]
    threads = [s["nsslapd-threadnumber"] for s in settings if "nsslapd-threadnumber" in s]
    assert threads == ["16"]
    assert any("swappiness" in key for s in settings for key in s)


def test_names_that_lead_out_and_links_are_not_followed(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name in ("../escaped", "/tmp/absolute", "a/../../b", "fine/access"):
            member = tarfile.TarInfo(name)
            member.size = len(log(0, 9))
            tar.addfile(member, io.BytesIO(log(0, 9)))
        for kind, name in ((tarfile.SYMTYPE, "fine"), (tarfile.LNKTYPE, "hard")):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc"
            tar.addfile(member)
        member = tarfile.TarInfo("device")
        member.type = tarfile.CHRTYPE
        tar.addfile(member)
    path = tmp_path / "hostile.tar"
    path.write_bytes(out.getvalue())
    done = imported(tmp_path, path)
    assert etimes(tmp_path) == list(range(9))
    assert not (tmp_path.parent / "escaped").exists()
    reasons = [str(why) for why in done.left_out.values()]
    assert sum("leads out" in why for why in reasons) == 3
    assert any("3 links and devices" in why for why in reasons)


def odd_members() -> bytes:
    """A name twice, a file that is also a folder, times and names that no disk has; then a log."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, written in (
            ("logs/access", "1795230000"),
            ("logs/access", "1795230000"),
            ("logs/access/below", "1795230000"),
            ("x" * 300, "1795230000"),
            ("logs/errors", "nan"),
            ("logs/access.20261121-000000", "99999999999999999999"),
        ):
            data = {"logs/access": log(20, 10), "logs/errors": ERRORS.encode()}.get(
                name, log(0, 20)
            )
            member = tarfile.TarInfo(name)
            member.size = len(data)
            member.pax_headers = {"mtime": written}
            tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


def test_an_odd_member_costs_no_other(tmp_path: Path) -> None:
    path = tmp_path / "odd.tar"
    path.write_bytes(odd_members())
    done = imported(tmp_path, path)
    assert etimes(tmp_path) == list(range(30))
    assert {source.kind for source in done.sources} == {SourceKind.ACCESS_LOG, SourceKind.ERROR_LOG}
    left_out = {p.name: str(why) for p, why in done.left_out.items()}
    assert left_out["access (2)"] == "Another member of the archive has the same name."
    assert "under its name" in left_out["below"]
    assert "under its name" in left_out["x" * 300]
    assert done.damaged == ()


@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_a_full_disk_is_no_damage_of_the_archive(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(archives._Unpacking, "_copy", full)
    path = tmp_path / "upload"
    path.write_bytes(ARCHIVES[kind])
    with pytest.raises(LogError, match="There is no room to unpack"):
        imported(tmp_path, path)


def test_a_damaged_member_of_a_zip_costs_no_other(tmp_path: Path) -> None:
    data = bytearray(zipped({"first": log(50, 40), "logs/access": log(0, 9)}))
    broken = data.index(b"first") + 60  # in the packed bytes of the first member
    data[broken : broken + 8] = b"\0" * 8
    path = tmp_path / "damaged.zip"
    path.write_bytes(data)
    done = imported(tmp_path, path)
    assert set(range(9)) <= set(etimes(tmp_path))
    assert [p.name for p in done.damaged] == ["first"]
    assert "damaged or cut off" in str(done.left_out[path / "first"])


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_RATIO_FROM", 1 << 20)
    monkeypatch.setattr(archives, "_RATIO", 100)
    line = log(0, 1)
    path = tmp_path / "bomb.tar.xz"
    path.write_bytes(lzma.compress(tarred({"access": line * 40_000})))
    with pytest.raises(LogError, match="times its own size"):
        imported(tmp_path, path)


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_MEMBERS", 3)
    path = tmp_path / "many.tar"
    path.write_bytes(tarred({str(n): b"" for n in range(4)}))
    with pytest.raises(LogError, match="more than 3 files"):
        imported(tmp_path, path)


def test_the_bounds_are_those_of_the_whole_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "_MEMBERS", 5)
    paths = [tmp_path / f"{n}.tar" for n in range(2)]
    for path in paths:
        path.write_bytes(tarred({f"{path.stem}-{n}": b"" for n in range(3)}))
    with pytest.raises(LogError, match="more than 5 files"):
        imported(tmp_path, *paths)


def test_an_archive_in_an_archive_is_no_way_around_the_ratio(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is a few times larger than what it was packed in, the text many times the outermost."""
    monkeypatch.setattr(archives, "_RATIO_FROM", 1 << 16)
    monkeypatch.setattr(archives, "_RATIO", 300)
    text = log(0, 1) * 20_000
    inner = gzip.compress(tarred({"access": text}))
    path = tmp_path / "outer.tgz"
    path.write_bytes(gzip.compress(tarred({f"{n}.tgz": inner for n in range(4)})))
    assert len(text) < 300 * len(inner)
    with pytest.raises(LogError, match="times its own size"):
        imported(tmp_path, path)


class CancelledAfter(Cancel):
    """Set once it was looked at so many times."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self.looks = looks

    def check(self) -> None:
        self.looks -= 1
        if self.looks < 0:
            self.set()
        super().check()


def test_cancel_is_looked_at_while_a_member_is_skipped(tmp_path: Path) -> None:
    """One large member that nobody reads, which used to take no look at all."""
    path = tmp_path / "big.tgz"
    path.write_bytes(gzip.compress(tarred({"core": b"\x7fELF\0\0\0\0" * (512 << 10)})))
    with pytest.raises(CancelledError), archives.opened([path], CancelledAfter(looks=20)):
        pass


def test_cancel_is_looked_at_while_a_packed_file_is_looked_at(tmp_path: Path) -> None:
    """A journal in which no directory server speaks is read to its end to know it."""
    path = tmp_path / "journal.gz"
    path.write_bytes(gzip.compress(b"Nov 21 02:00:00 host cron[1]: nothing\n" * 300_000))
    with pytest.raises(CancelledError):
        gather([path], cancel=CancelledAfter(looks=3))


def test_a_header_without_end_is_damage(tmp_path: Path) -> None:
    """tarfile takes an extended header apart at one go: minutes, if it has hundreds of MB."""
    record = b"30 comment=aaaaaaaaaaaaaaaaaa\n"
    header = record * ((2 << 20) // len(record))
    whole = tarred({"access": log(0, 9)})
    long = tarfile.TarInfo("x")
    long.type, long.size = tarfile.XHDTYPE, len(header)
    body = whole[: whole.rindex(b"\n") + 1]
    body += bytes(-len(body) % 512)
    out = body + long.tobuf() + header + bytes(-len(header) % 512) + tarred({"late": log(20, 2)})
    path = tmp_path / "pax.tgz"
    path.write_bytes(gzip.compress(out))
    done = imported(tmp_path, path)
    assert etimes(tmp_path) == list(range(9))
    assert "an extended header is too long" in str(done.left_out[path])
    assert done.damaged == (path,)


def test_archives_in_archives_have_an_end(tmp_path: Path) -> None:
    data = tarred({"access": log(0, 9)})
    for depth in range(4):
        data = tarred({f"{depth}.tar": data, f"access-{depth}": log(10 + depth, 1)})
    (tmp_path / "deep.tar").write_bytes(data)
    done = imported(tmp_path, tmp_path / "deep.tar")
    assert any("archive in archives" in str(why) for why in done.left_out.values())


def test_what_came_before_the_damage_is_read(tmp_path: Path) -> None:
    whole = gzip.compress(tarred({"access": log(0, 50), "z": os.urandom(500_000)}))
    path = tmp_path / "cut.tgz"
    path.write_bytes(whole[: len(whole) // 2])
    done = imported(tmp_path, path)
    assert etimes(tmp_path) == list(range(50))
    assert any("damaged or cut off" in str(why) for why in done.left_out.values())


def test_encrypted_and_unknown_packers_are_named(tmp_path: Path) -> None:
    path = tmp_path / "logs.7z"
    path.write_bytes(b"7z\xbc\xaf\x27\x1c" + bytes(99))
    with pytest.raises(LogError, match="7-Zip"):
        imported(tmp_path, path)
