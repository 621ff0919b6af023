"""A folder of evidence imported as an operator would, and all that is said of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ldap_workbench.advice.evidence.view import settings_now
from ldap_workbench.advice.families.find import findings
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.capture.importing.logs import Imported, import_logs
from ldap_workbench.logs.reading.reports import Clock
from ldap_workbench.model.finding import Advice, Finding
from ldap_workbench.report.write import write_report
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.unit.logs.material import material


@dataclass(frozen=True)
class Told:
    """What the workbench makes of a folder."""

    path: Path
    imported: Imported

    @cached_property
    def findings(self) -> dict[str, Finding]:
        with Session.open(self.path) as session:
            return {finding.id: finding for finding in findings(session)}

    @cached_property
    def advice(self) -> list[Advice]:
        with Session.open(self.path) as session:
            now, facts = settings_now(session), session.facts
        return advise(list(self.findings.values()), facts, settings=now)

    @property
    def advised(self) -> list[str]:
        return [each.id for each in self.advice]

    @cached_property
    def report(self) -> str:
        """The report as Markdown, without the marks that keep signs as they are."""
        output = self.path.with_suffix(".md")
        write_report(self.path, output)
        return output.read_text(encoding="utf-8").replace("\\", "")


def case(name: str) -> Path:
    """A folder of the published cases; skips the test where the material is absent."""
    return material(f"cases/{name}")


def tell(folder: Path, where: Path, clock: Clock | None = None) -> Told:
    """Import `folder` into a session in `where`."""
    path = where / "case.ldapwb"
    with SessionWriter.create(path) as writer:
        imported = import_logs([folder], writer, clock=clock)
    return Told(path, imported)


def tell_files(files: Mapping[str, str], where: Path, clock: Clock | None = None) -> Told:
    """The same of files by name, '/' in it for folders below."""
    folder = where / "evidence"
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tell(folder, where, clock)
