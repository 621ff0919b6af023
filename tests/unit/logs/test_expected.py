"""The tails of every reference file, against numbers computed by another program."""

from __future__ import annotations

import pytest

from ldap_workbench.logs.scanner import Scanner
from tests.unit.logs.material import expected, material, tails

FILES = sorted(name for name in expected() if name.startswith("389ds-"))


@pytest.mark.skipif(not FILES, reason="the reference material is not beside the checkout")
@pytest.mark.parametrize("name", FILES)
def test_tails_of_389ds_files(name: str) -> None:
    scanner = Scanner()
    data = material(name).read_bytes()
    if data.endswith(b"\n"):
        operations = scanner.feed(data)
        assert len(scanner.finish()) == 0
    else:
        operations = scanner.feed(data + b"\n")
    assert tails(operations) == expected()[name]
