"""The checker of the docs site finds what it is there for."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[3]
faults = runpy.run_path(str(ROOT / "packaging" / "check_links.py"))["faults"]


def test_links_that_lead_nowhere_or_outside_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<h1 id="top">A</h1><a href="b.html#there">b</a><a href="#top">up</a>'
        '<a href="https://example.com">elsewhere</a><script src="https://example.com/x.js"></script>'
        '<img src="gone.png"><a href="b.html#gone">b</a>'
    )
    (tmp_path / "b.html").write_text('<h2 id="there">B</h2>')
    assert list(faults(tmp_path)) == [
        "a.html: https://example.com/x.js is fetched from elsewhere",
        "a.html: gone.png leads nowhere",
        "a.html: b.html#gone has no such place",
    ]


def test_every_page_of_the_docs_is_on_the_site() -> None:
    said = (ROOT / "packaging" / "mkdocs.yml").read_text()
    pages = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    assert not {page for page in pages if page not in said}
