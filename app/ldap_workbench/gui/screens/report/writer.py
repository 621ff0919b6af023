"""Writing and previewing a report; called in the thread of the session."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ldap_workbench.gui.screens.report.pdf import print_pdf
from ldap_workbench.model.message import Message
from ldap_workbench.resources import resource
from ldap_workbench.session.reader import Session


@dataclass(frozen=True)
class Format:
    """One kind of report file: its button, its ending, its line in the file dialog."""

    button: Message
    suffix: str
    files: str
    tip: Message


FORMATS = (
    Format(
        Message("Export &Markdown …"), ".md", "Markdown (*.md)", Message("For a ticket or a wiki")
    ),
    Format(Message("Export &PDF …"), ".pdf", "PDF (*.pdf)", Message("For print")),
    Format(
        Message("E&xport HTML …"),
        ".html",
        "HTML (*.html)",
        Message("One self-contained file with its charts"),
    ),
)


def preview(session: Session) -> str:
    """The report as HTML that Qt's documents understand."""
    from ldap_workbench.report.html import to_html
    from ldap_workbench.report.model import report_model

    html = to_html(report_model(session), for_print=True)
    larger = resource("report/screen.css").read_text("utf-8")  # paper has smaller tables
    html = html.replace("</style>", f"{larger}</style>", 1)
    # Qt lays out a table as wide as the page a pixel wider, and would scroll sideways for it.
    return re.sub(r'(<table[^>]* width=)"100%"', r'\1"99%"', html)


def write(path: Path, session: Session) -> Path:
    """Write the report of a session; its kind is the path's ending."""
    from ldap_workbench.report.write import write_report

    return write_report(session.path, path, render_pdf=print_pdf)
