"""The database page that fits the entries, from an LDIF of them."""

import base64
from dataclasses import replace

import numpy as np
import pytest
import zstandard

from ldap_workbench.advice.families.disk import (
    page_size,
    size_findings,
    sizes_in,
    trimmed_mean,
)
from ldap_workbench.logs.reading import files
from ldap_workbench.model.errors import LogError
from tests.unit.advice.material import FACTS, only

ENTRY = "dn: uid=a\nuid: a\ncn: Ada"


def test_the_page_from_the_trimmed_mean():
    assert page_size([6_000] * 100) == 32 * 1024
    # the largest 5 % and the smallest 10 % do not count
    assert page_size([100] * 10 + [3_000] * 85 + [5_000_000] * 5) == 16 * 1024
    assert page_size([40_000] * 100) == 64 * 1024
    with pytest.raises(ValueError, match="no entries"):
        page_size([])


def test_what_is_trimmed():
    assert trimmed_mean([1] * 10 + [100] * 85 + [10_000] * 5) == 100
    assert trimmed_mean([1] * 11 + [100] * 84 + [10_000] * 5) < 100
    assert trimmed_mean([1] * 10 + [100] * 84 + [10_000] * 6) > 100


@pytest.mark.parametrize(
    "text",
    [
        ENTRY,
        f"version: 1\n\n{ENTRY}\n",
        f"version: 1\n{ENTRY}\n\n\n",
        f"# entry-id: 1\n{ENTRY}",
        f"# a comment\n that goes on\n\n{ENTRY}\n\n# the end\n",
        "dn: uid\n =a\nuid: a\ncn: A\n da\n",
        ENTRY.replace("\n", "\r\n") + "\r\n\r\n",
    ],
)
def test_an_entry_is_as_large_as_the_server_keeps_it(text, tmp_path):
    path = tmp_path / "e.ldif"
    path.write_bytes(text.encode())
    (size,) = sizes_in(path)
    assert size == len(ENTRY)


def test_values_are_kept_as_they_are_and_not_in_base64(tmp_path):
    path = tmp_path / "e.ldif"
    photo = base64.b64encode(bytes(3000)).decode()
    folded = "\n ".join(photo[at : at + 70] for at in range(0, len(photo), 70))
    path.write_text(f"{ENTRY}\njpegPhoto:: {folded}\n")
    (size,) = sizes_in(path)
    assert size == len(ENTRY) + len("\njpegPhoto:: ") + 3000


def test_a_packed_export_in_pieces(tmp_path, monkeypatch):
    path = tmp_path / "e.ldif.zst"
    path.write_bytes(zstandard.compress("\n\n".join([ENTRY] * 500).encode()))
    whole = files.LogFile.pieces
    monkeypatch.setattr(files.LogFile, "pieces", lambda self: whole(self, 37))
    assert sizes_in(path).tolist() == [len(ENTRY)] * 500


def test_a_file_without_entries_is_said(tmp_path):
    path = tmp_path / "e.ldif"
    path.write_text("version: 1\n\n# nothing\n")
    with pytest.raises(LogError, match="holds no entry"):
        sizes_in(path)


def told(size, page="", **facts):
    settings = {"nsslapd-db-page-size": page} if page else {}
    return size_findings(np.full(100, size), settings, replace(FACTS, **facts))


def test_entries_just_larger_than_a_quarter_of_the_page():
    found = only(told(2049), "entry_sizes")
    assert (found.numbers["page_bytes"], found.numbers["page_now_bytes"]) == (16384, 8192)
    assert "100 % of 100 entries are larger than 2 KiB." in str(found.evidence[0].text)
    assert told(2048) == []
    assert only(told(6_000, "0"), "entry_sizes").numbers["page_bytes"] == 32768
    assert told(6_000, "32768") == []
    assert told(60_000, "65536") == []  # there is no larger page
    assert told(6_000, db_library="mdb") == []
