"""Pages of the site that are not in docs/: the start, and those of the root."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
_CSS = (
    ":root { --md-primary-fg-color: #0b3a5c; --md-primary-bg-color: #fff; "
    "--md-accent-fg-color: #1f78b4 }\n"
)
_PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
# What a page of the repository links to and the site has not: the text stays, the link goes.
_OUTSIDE = re.compile(r"\[([^\]]*)\]\((?:(?:\.\./)+(?:tests|app|packaging)/|data)[^)]*\)")


def on_files(files: Files, config: Any) -> Files:
    """Add them."""
    made = {"index.md": _moved("README.md"), "site.css": _CSS}
    made |= {name: _moved(name) for name in _PAGES}
    made["images/logo.svg"] = (ROOT / "resources/icons/ldap-workbench.svg").read_text()
    made["iframe-worker.js"] = (ROOT / "packaging/iframe-worker.js").read_text()
    for name, text in made.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Links to the root become links to the site's own copies."""
    return _OUTSIDE.sub(r"\1", markdown).replace("](../SECURITY.md)", "](SECURITY.md)")


def _moved(name: str) -> str:
    """A page of the root: what it calls docs/x is x on the site."""
    return (ROOT / name).read_text().replace("](docs/", "](")
