"""Files are named for what they are."""

from __future__ import annotations

import gzip
import lzma
import os
from pathlib import Path

import pytest
import zstandard

from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.logs.reading.files import LogFile, gather
from ldap_workbench.model.errors import LogError, UsageError
from ldap_workbench.model.window import SourceKind
from tests.unit.logs.material import CORPUS

FOLDERS = {
    "389ds-1.2": {"389"},
    "389ds-1.3": {"389"},
    "389ds-1.4": {"389"},
    "389ds-2.x": {"389", "errors389"},
    "389ds-3.x": {"389"},
    "389ds-json": {"389-json"},
    "sun-dsee": {"sun", "dps", "errors389", "389"},
    "opendj-text": {"opendj", "unknown"},
    "opendj-json": {"opendj-json"},
    "unboundid": {"unboundid"},
    "openldap": {"openldap"},
    "iostat/sysstat-12.4": {"iostat-linux", "iostat-json"},
    "iostat/sysstat-12.7": {"iostat-linux", "iostat-json", "unknown"},
    "iostat/solaris": {"iostat-solaris", "vmstat-solaris", "vfsstat"},
    "iostat/real": {"iostat-linux", "iostat-json", "iostat-bsd", "vmstat-linux"},
    "pstack": {"stacks", "prstat"},
    "389ds-2.3.1-lab/conf": {"ldif"},
    "389ds-2.3.1-lab/bdb": {"ldif"},
}


@pytest.mark.skipif(not CORPUS.exists(), reason="the reference material is not there")
@pytest.mark.parametrize("folder", FOLDERS)
def test_every_reference_file_is_named_for_what_it_is(folder: str) -> None:
    found = {
        path.name: detect(path.read_bytes()[: 1 << 18]).dialect
        for path in (CORPUS / folder).iterdir()
        if path.is_file()
    }
    assert set(found.values()) == FOLDERS[folder], found


LINE = b'[21/Nov/2026:02:20:%02d +0000] conn=1 op=%d SRCH base="" scope=0 filter="(a=*)"\n'


def test_noise_before_the_log_does_not_hide_it() -> None:
    noise = b"".join(b"starting container %d\n" % i for i in range(1000))
    detection = detect(noise + LINE % (0, 1) * 30)
    assert (detection.dialect, detection.kind) == ("389", SourceKind.ACCESS_LOG)
    assert "30 of its first 1,030 lines" in str(detection.reason)


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        (b"", "unknown"),
        (b"\n\n\0\0\n", "unknown"),
        (b"hello\nworld\n", "unknown"),
        (LINE % (0, 1), "389"),
        (b"\xef\xbb\xbf" + LINE % (0, 1), "389"),
        ((LINE % (0, 1)).decode().encode("utf-16"), "389"),
        (b"LOGINFO:Log file created at: 20261121022000 (1795227600)\n", "rotationinfo"),
        (b"time: 20261121023559\ndn: cn=config\nresult: 0\nchangetype: modify\n", "audit389"),
    ],
)
def test_small_files(text: bytes, dialect: str) -> None:
    assert detect(text).dialect == dialect


def lines(first: int, n: int) -> bytes:
    return b"".join(LINE % (first + i, i) for i in range(n))


def test_rotated_sets_are_put_in_order(tmp_path: Path) -> None:
    (tmp_path / "access").write_bytes(lines(40, 9))
    (tmp_path / "access.20261121-022020.gz").write_bytes(gzip.compress(lines(20, 9)))
    (tmp_path / "access.20261121-022000").write_bytes(lines(0, 9))
    (tmp_path / "access.rotationinfo").write_bytes(b"LOGINFO:Previous Log File:x\n")
    (tmp_path / "errors").write_bytes(b"[21/Nov/2026:02:20:00 +0000] - INFO - main - up\n")
    gathered = gather([tmp_path])
    sets = {s.name: s for s in gathered.sets}
    assert set(sets) == {"access", "errors"}
    assert b"".join(sets["access"].pieces()) == lines(0, 9) + lines(20, 9) + lines(40, 9)
    assert sets["errors"].detection.kind == SourceKind.ERROR_LOG
    assert [path.name for path in gathered.left_out] == ["access.rotationinfo"]


def test_same_text_twice_counts_once(tmp_path: Path) -> None:
    text = lines(0, 9)
    (tmp_path / "access").write_bytes(text)
    (tmp_path / "copy").write_bytes(text)
    (tmp_path / "packed.xz").write_bytes(lzma.compress(text))
    (tmp_path / "longer").write_bytes(text * 2)
    os.link(tmp_path / "access", tmp_path / "hard")
    (tmp_path / "soft").symlink_to(tmp_path / "access")
    gathered = gather([tmp_path, tmp_path / "access"])
    assert [s.name for s in gathered.sets] == ["longer"]
    assert sum("same text" in str(why) for why in gathered.left_out.values()) == 2
    assert sum("the beginning of" in str(why) for why in gathered.left_out.values()) == 1
    assert sum("already" in str(why) for why in gathered.left_out.values()) >= 2


@pytest.mark.parametrize("name", ["plain", "gz", "gz2", "xz", "zst", "zst2"])
def test_compression_is_told_by_content(tmp_path: Path, name: str) -> None:
    text = lines(0, 30)
    half = len(text) // 2
    packer = zstandard.ZstdCompressor()
    packed = {
        "plain": text,
        "gz": gzip.compress(text),
        "gz2": gzip.compress(text[:half]) + gzip.compress(text[half:]),
        "xz": lzma.compress(text),
        "zst": packer.compress(text),
        "zst2": packer.compress(text[:half]) + packer.compress(text[half:]),
    }
    path = tmp_path / "access.gz"
    path.write_bytes(packed[name])
    file = LogFile(path)
    assert b"".join(file.pieces(100)) == text
    assert file.head(50) == text[:50]
    assert not file.truncated


def test_what_can_be_read_of_a_cut_gzip_is_kept(tmp_path: Path) -> None:
    text = os.urandom(100_000).hex().encode()
    path = tmp_path / "access.gz"
    path.write_bytes(gzip.compress(text)[:-20_000])
    file = LogFile(path)
    read = b"".join(file.pieces(1000))
    assert 1000 < len(read) < len(text)
    assert text.startswith(read)
    assert "cut off" in str(file.truncated)


def test_fifos_loops_and_missing_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    gathered = gather([tmp_path])
    assert gathered.sets == ()
    assert {path.name for path in gathered.left_out} == {"pipe", "loop"}
    with pytest.raises(LogError, match="does not exist"):
        gather([tmp_path / "nothing"])


def test_dialect_may_be_overridden(tmp_path: Path) -> None:
    (tmp_path / "access").write_bytes(lines(0, 1))
    assert gather([tmp_path], "sun").sets[0].detection.dialect == "sun"
    with pytest.raises(UsageError, match="klingon"):
        gather([tmp_path], "klingon")
