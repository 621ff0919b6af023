"""The tails of every reference file, against numbers computed by another program."""

from __future__ import annotations

import pytest

from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.model.operations import TYPES
from tests.unit.logs.material import CORPUS, expected, tail, tails

FILES = sorted(expected())
NAMES = {"SEARCH": "SRCH", "MODIFY": "MOD", "DELETE": "DEL", "MODIFYDN": "MODRDN"}
NAMES |= {"MODDN": "MODRDN", "COMPARE": "CMP", "EXTENDED": "EXT"}


@pytest.mark.skipif(not FILES, reason="the reference material is not beside the checkout")
@pytest.mark.parametrize("name", FILES)
def test_tails_of_reference_files(name: str) -> None:
    assert (CORPUS / name).is_file(), "the reference tails name a file that is not there"
    data = (CORPUS / name).read_bytes()
    scanner = Scanner(detect(data).dialect)
    operations = scanner.feed(data if data.endswith(b"\n") else data + b"\n")
    assert len(scanner.finish()) == 0
    found = tails(operations)
    for kind in {TYPES[kind] for kind in operations.kind}:
        waits = operations.wtime_ns[operations.kind == TYPES.index(kind)]
        found[f"qtime:{kind}"] = tail(waits)
    wanted = expected()[name]
    assert {NAMES.get(row, row) for row in wanted} >= {
        row for row in found if not row.startswith("qtime:")
    }
    for row, values in wanted.items():
        assert found[NAMES.get(row, row)] == values, row


@pytest.mark.skipif(not FILES, reason="the reference material is not beside the checkout")
def test_every_reference_tail_has_a_test() -> None:
    rows = [
        line.split("\t")[:2]
        for line in (CORPUS / "EXPECTED.tsv").read_text().splitlines()
        if line.strip() and not line.startswith("#")
    ]
    assert len(rows) > 60
    assert sorted(rows) == sorted([file, row] for file in FILES for row in expected()[file])
