"""A host at ease says nothing, whatever its tool prints."""

from __future__ import annotations

from pathlib import Path

from tests.unit.cases.published import case, tell


def test_iostat_with_a_heading_before_each_report_is_at_ease(tmp_path: Path) -> None:
    told = tell(case("s0u-real-iostat"), tmp_path)
    assert told.findings == {}
    samples = {source.name: source.samples for source in told.imported.sources}
    assert samples["iostat.txt"] == 24
