"""What is said of logs others wrote: python -m tests.bench.corpus_findings [--json] [PATH...]

Imports each file below the paths (the corpus of recorded logs beside the checkout without any) by
itself, as an operator would, and lists the findings it gets: read them, for a wrong or useless one
is a defect. At the end a table, a finding a row, with the files that got it: docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ldap_workbench.advice.families.find import findings
from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.finding import Finding
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter

CORPUS = Path(
    os.environ.get("LDAP_WORKBENCH_CORPUS", Path(__file__).parents[3] / "shared" / "corpus")
)


@dataclass(frozen=True)
class Read:
    """One file, the findings it got, or why it could not be used."""

    file: Path
    found: tuple[Finding, ...] = ()
    refused: str = ""


def read(file: Path) -> Read:
    """Import one file into a session of its own, and ask for its findings."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.ldapwb"
        try:
            with SessionWriter.create(path) as writer:
                import_logs([file], writer)
        except WorkbenchError as error:
            return Read(file, refused=str(error))
        with Session.open(path) as session:
            return Read(file, tuple(findings(session)))


def files_below(paths: list[Path]) -> Iterator[Path]:
    """Files in the order of their names; a path may be a file itself."""
    for path in paths:
        yield from sorted(f for f in path.rglob("*") if f.is_file()) if path.is_dir() else [path]


def told(one: Read, root: Path) -> str:
    """A file with what is said of it."""
    name = one.file.relative_to(root) if one.file.is_relative_to(root) else one.file
    if one.refused:
        return f"{name}\n    not used: {one.refused}"
    said = [
        f"{each.id} ({each.severity}, {each.confidence}): {each.sentence}" for each in one.found
    ]
    return "\n    ".join([str(name), *(said or ["no finding"])])


def summary(every: list[Read]) -> str:
    """A table: each finding with the number of files that got it."""
    files = defaultdict(list)
    for one in every:
        for each in one.found:
            files[each.id].append(one.file.name)
    used = [one for one in every if not one.refused]
    lines = [
        f"{len(every)} files: {len(used)} imported, {sum(not o.found for o in used)} of them "
        f"without a finding, {sum(map(len, files.values()))} findings.",
        "",
        "| finding | files | for example |",
        "|---|---|---|",
    ]
    for which, names in sorted(files.items(), key=lambda each: (-len(each[1]), each[0])):
        lines.append(f"| `{which}` | {len(names)} | {', '.join(names[:2])} |")
    return "\n".join(lines)


def as_json(every: list[Read]) -> str:
    """File -> ids of its findings."""
    return json.dumps({str(one.file): [each.id for each in one.found] for one in every}, indent=1)


def main() -> None:
    """Read every file, say what is found, then the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, default=[CORPUS])
    parser.add_argument("--json", action="store_true", help="file -> ids of findings alone")
    arguments = parser.parse_args()
    every = []
    for file in files_below(arguments.paths):
        every.append(read(file))
        if not arguments.json:
            print(told(every[-1], arguments.paths[0]), flush=True)
    print(as_json(every) if arguments.json else "\n" + summary(every))


if __name__ == "__main__":
    main()
