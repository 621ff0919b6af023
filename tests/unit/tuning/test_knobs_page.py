"""docs/knobs.md is written from the catalogue."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_page_of_knobs_is_current() -> None:
    written = runpy.run_path(str(ROOT / "packaging" / "knobs_page.py"))
    assert written["PAGE"].read_text() == written["page"](), "run packaging/knobs_page.py"


def test_the_page_tells_what_is_known_by_version() -> None:
    page = runpy.run_path(str(ROOT / "packaging" / "knobs_page.py"))["page"]()
    (listeners,) = [line for line in page.splitlines() if "`nsslapd-numlisteners`" in line]
    assert "| 2.3.8 and later |" in listeners
    (scans,) = [line for line in page.splitlines() if "`nsslapd-idlistscanlimit`" in line]
    assert "4000 from 1.4.4.11; 2147483646 from 3.1.2" in scans
    (lists,) = [line for line in page.splitlines() if "`olcDynListAttrSet`" in line]
    assert "`olcDlAttrSet` up to 2.4" in lists
    (system,) = [line for line in page.splitlines() if "`nsslapd-systemidlistscanlimit`" in line]
    assert system.endswith("| no version tried has it |")
