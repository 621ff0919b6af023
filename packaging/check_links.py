"""Check a built site: every link leads to something, and nothing is fetched from elsewhere.

packaging/check_links.py FOLDER
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links and the anchors of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append((tag, value))
            elif name in ("id", "name") and value:
                self.anchors.add(value)


def faults(site: Path) -> Iterator[str]:
    """One line for every link that leads nowhere or outside."""
    pages = {path.resolve(): Page(path.read_text()) for path in site.rglob("*.html")}
    for path, page in pages.items():
        for tag, link in page.links:
            said = f"{path.relative_to(site.resolve())}: {link}"
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if tag != "a" and parts.scheme != "data":
                    yield f"{said} is fetched from elsewhere"
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{said} leads nowhere"
            elif (
                parts.fragment
                and target in pages
                and unquote(parts.fragment) not in pages[target].anchors
            ):
                yield f"{said} has no such place"


if __name__ == "__main__":
    found = [line for line in faults(Path(sys.argv[1])) if "404.html" not in line]
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(bool(found))
