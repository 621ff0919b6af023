"""What Windows has saved is read like any other text."""

import codecs
import gzip

import pytest

from ldap_workbench.logs.reading.files import LogFile, gather
from tests.unit.logs.lines389 import PAIR, rows, scan

TEXT = PAIR.replace("dc=com", "dc=cömß😀")
SAVED = {
    "utf-16-le": codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
    "utf-16-be": codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
    "utf-8-sig": TEXT.encode("utf-8-sig"),
    "utf-8": TEXT.encode(),
}


@pytest.mark.parametrize("encoding", SAVED)
@pytest.mark.parametrize("size", [1, 7, 1 << 20])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_any_encoding_gives_the_same_text(tmp_path, encoding, size, pack):
    path = tmp_path / "access"
    path.write_bytes(pack(SAVED[encoding]))
    assert b"".join(LogFile(path).pieces(size)) == TEXT.encode()


@pytest.mark.parametrize("encoding", SAVED)
def test_any_encoding_gives_the_same_operations(tmp_path, encoding):
    path = tmp_path / "access"
    path.write_bytes(SAVED[encoding])
    (one,) = gather([path]).sets
    assert one.detection.dialect == "389"
    scanner, operations = scan(b"".join(one.pieces()))
    assert rows(operations) == rows(scan(TEXT)[1])
    assert scanner.counts.unknown == 0


def test_the_same_text_in_two_encodings_counts_once(tmp_path):
    for name in ("utf-16-le", "utf-8"):
        (tmp_path / name).write_bytes(SAVED[name])
    assert len(gather([tmp_path]).left_out) == 1


def test_a_character_cut_in_two_at_the_end_is_shown_as_such(tmp_path):
    path = tmp_path / "access"
    path.write_bytes(SAVED["utf-16-le"] + b"x")
    assert b"".join(LogFile(path).pieces(64)) == (TEXT + "\ufffd").encode()
