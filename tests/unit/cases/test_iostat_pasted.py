"""iostat and vmstat as people paste them: parts of what was printed, and no two alike."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.unit.cases.published import Told, case, tell, tell_files

BANNER = """Fri Aug 24 12:52:03 2007
extended device statistics
r/s w/s Mr/s Mw/s wait actv wsvc_t asvc_t %w %b device

"""
LUN = "c7t600C0FF000000000083D437AA64B8900d0"
BOOT = "2.0 1.0 0.0 0.0 0.0 0.0 0.0 5.0 0 1"
VMSTAT = "kthr memory page disk faults cpu\n"
VMSTAT += " r b w swap free re mf pi po fr de sr s0 s1 in sy cs us sy id\n"


def page(size: int) -> str:
    return (
        "dn: cn=config,cn=ldbm database,cn=plugins,cn=config\ncn: config\n"
        f"nsslapd-db-page-size: {size}\n"
    )


def solaris(rows: list[tuple[float, float]], device: str = LUN, unit: str = "M") -> str:
    """Rows of (reads a second, KB a read) as iostat -xn prints them, behind that since boot."""
    lines = [f"{BOOT} {device}"]
    for reads, kilobytes in rows:
        moved = reads * kilobytes / (1024 if unit == "M" else 1)
        lines.append(f"{reads:.1f} 36.6 {moved:.1f} 0.9 0.0 3.8 0.0 11.9 0 94 {device}")
    return "\n".join(lines) + "\n"


def kb_per_read(told: Told) -> float:
    return float(told.findings["large_reads"].numbers["kb_per_read"])


def test_rows_below_one_heading_are_intervals(tmp_path: Path) -> None:
    told = tell(case("s2a-before"), tmp_path)
    (source,) = told.imported.sources
    assert source.samples == 3
    assert source.lines.reasons["report since boot"] == 1
    assert 105 <= kb_per_read(told) <= 112
    assert "Reads far larger than a page" in told.report


def test_a_known_page_makes_it_read_ahead(tmp_path: Path) -> None:
    found = tell(case("s2d-before-32k"), tmp_path).findings["large_reads"]
    assert (found.numbers["page_kb"], found.numbers["page_known"]) == (32, True)
    assert "3.5 times the database page of 32 KB: read-ahead" in str(found.sentence)


def test_the_page_of_an_old_server_is_known(tmp_path: Path) -> None:
    told = tell(case("s2g-real-before"), tmp_path)
    found = told.findings["large_reads"]
    assert (found.numbers["kb_per_read"], found.numbers["page_kb"]) == (
        pytest.approx(112, 0.01),
        32,
    )
    assert "3.5 times" in str(found.sentence)
    assert told.advised[0] == "read-ahead-ufs"


def test_a_page_that_is_not_known_is_said_to_be_the_default(tmp_path: Path) -> None:
    found = tell(case("s2a-before"), tmp_path).findings["large_reads"]
    assert (found.numbers["page_kb"], found.numbers["page_known"]) == (8, False)
    assert "8 KB (the default, as yours is not known)" in str(found.sentence)


def test_a_lun_is_named_so_that_it_can_be_read(tmp_path: Path) -> None:
    told = tell(case("s2a-before"), tmp_path)
    sentences = [str(finding.sentence) for finding in told.findings.values()]
    assert any("c7t600…8900d0" in sentence for sentence in sentences)
    assert not any(LUN in sentence for sentence in sentences)
    assert told.findings["large_reads"].numbers["device"] == LUN


@pytest.mark.parametrize("unit", ["M", "k"])
@pytest.mark.parametrize("heading", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_any_rows_with_or_without_a_heading(
    unit: str, heading: bool, seed: int, tmp_path: Path
) -> None:
    rng = random.Random(seed)
    kilobytes = rng.choice([70, 110, 250])
    rows = [(rng.uniform(150, 400), kilobytes * rng.uniform(0.95, 1.05)) for _ in range(5)]
    text = solaris(rows, f"c{seed}t5006d{seed}s2", unit)
    if heading:
        text = BANNER.replace("Mr/s Mw/s", f"{unit}r/s {unit}w/s") + text
    told = tell_files({"iostat.out": text}, tmp_path)
    assert told.imported.sources[0].samples == 5
    assert kb_per_read(told) == pytest.approx(kilobytes, rel=0.06)


def test_two_devices_below_one_heading_take_turns(tmp_path: Path) -> None:
    rows = [f"{BOOT} c0t0d0", f"{BOOT} c1t0d0"]
    for _ in range(3):
        rows.append("300.0 1.0 30000.0 8.0 0.0 1.0 0.0 3.0 0 90 c0t0d0")
        rows.append("5.0 1.0 40.0 8.0 0.0 0.0 0.0 1.0 0 2 c1t0d0")
    told = tell_files({"a": BANNER.replace("M", "k") + "\n".join(rows) + "\n"}, tmp_path)
    assert told.imported.sources[0].samples == 3
    assert told.findings["large_reads"].numbers["device"] == "c0t0d0"
    assert kb_per_read(told) == 100


def test_a_single_row_is_used_and_may_be_since_boot(tmp_path: Path) -> None:
    files = {"a": BANNER + f"371.7 29.4 41.8 0.7 0.0 9.6 0.0 24.0 0 100 {LUN}\n"}
    told = tell_files(files, tmp_path)
    assert told.imported.sources[0].details["may_be_since_boot"]
    slow = told.findings["slow_device"]
    assert slow.confidence == "low"
    assert "may cover all the time since boot" in str(slow.evidence[-1].text)
    rows = BANNER + f"371.7 29.4 41.8 0.7 0.0 9.6 0.0 24.0 0 100 {LUN}\n" * 2
    sure = tell_files({"a": rows}, tmp_path / "two")
    assert "may_be_since_boot" not in sure.imported.sources[0].details
    assert sure.findings["slow_device"].confidence == "medium"


def test_rows_of_linux_without_their_heading(tmp_path: Path) -> None:
    """Sectors or KB: the size of a request, printed beside, tells."""
    row = "sda 0.00 12.00 {r:.2f} 20.00 {s:.2f} {w:.2f} {q:.2f} 3.00 12.00 1.30 68.00"
    for number, a_kb in enumerate((1, 2)):
        rows = [
            row.format(r=r, s=r * 120 * a_kb, w=20 * 120 * a_kb, q=240) for r in (5, 200, 210, 220)
        ]
        told = tell_files({"a": "\n".join(rows) + "\n"}, tmp_path / str(number))
        assert told.imported.sources[0].samples == 3
        assert kb_per_read(told) == pytest.approx(120)


def test_vmstat_of_a_host_at_ease(tmp_path: Path) -> None:
    told = tell(case("s0i-vmstat"), tmp_path)
    (source,) = told.imported.sources
    assert (source.samples, source.lines.reasons) == (18, {"report since boot": 1})
    assert told.findings == {}


@pytest.mark.parametrize("heading", [True, False])
def test_vmstat_of_a_host_that_scans_for_pages(heading: bool, tmp_path: Path) -> None:
    rows = [
        f" 0 0 0 31065408 287800 27 187 2 0 0 0 {scan} 0 1 428 877 563 10 6 84"
        for scan in (9999, 900, 800, 0, 700)
    ]
    text = (VMSTAT if heading else "") + "\n".join(rows) + "\n"
    told = tell_files({"vm.out": text}, tmp_path)
    assert told.imported.sources[0].samples == 4
    assert told.findings["memory"].numbers["scanning_share"] == 0.75


def test_vmstat_of_linux_without_its_heading_is_told_from_solaris(tmp_path: Path) -> None:
    rows = [f" 1 0 0 5000 10 20 0 {out} 5 6 300 400 10 5 {80 - i} {5 + i} 0" for i, out in
            enumerate((0, 500, 600, 0))]  # fmt: skip
    told = tell_files({"vm.out": "\n".join(rows) + "\n"}, tmp_path)
    assert told.findings["memory"].numbers["swapping_share"] == pytest.approx(2 / 3)


def test_what_has_no_time_stands_apart_and_says_how_to_place_it(tmp_path: Path) -> None:
    told = tell(case("s4a-cfq"), tmp_path)
    (window,) = told.imported.windows
    assert "--began and --interval" in str(window.remark)
    assert "--began and --interval" in told.report
