"""The report of a session as Markdown, and each report in a file, in the format of its name."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ldap_workbench.connect.folders import writing
from ldap_workbench.figures import formats
from ldap_workbench.files import replace
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import OnProgress, Progress, no_progress
from ldap_workbench.report import tables
from ldap_workbench.report.html import to_html
from ldap_workbench.report.model import report_model
from ldap_workbench.report.parts import ReportModel
from ldap_workbench.report.summary import where_the_time_went
from ldap_workbench.report.text import fence, markdown, short
from ldap_workbench.resources import resource
from ldap_workbench.session.reader import Session


def to_markdown(model: ReportModel) -> str:
    """The whole document, in CommonMark with GitHub's tables."""
    template = _environment().get_template("report.md.j2")
    text = template.render(
        model=model,
        groups=[tables.group_tables(group) for group in model.groups],
        times=where_the_time_went(model),
        changes=tables.change_rows(model.changes),
        findings=tables.finding_rows(model.findings),
        advice=tables.advice_rows(model.advice),
    )
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


@cache
def _environment() -> Environment:
    environment = Environment(  # noqa: S701 - Markdown: every text goes through `line` or `fence`
        loader=FileSystemLoader(resource("report")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"line": _line, "fence": fence, "clock": formats.clock}
    return environment


def _line(value: object) -> str:
    text = formats.DASH if value in (None, "") else str(value)
    return markdown(short(text, 600))


SUFFIXES = (".html", ".htm", ".md", ".pdf")

RenderPdf = Callable[[str, Path], None]
"""Draws the report's HTML (the variant for print) as a PDF file; needs Qt, so it is handed in."""

_NO_SUFFIX = Message("a file without a suffix")


def write_report(
    session_path: str | Path,
    out_path: str | Path,
    *,
    progress: OnProgress = no_progress,
    render_pdf: RenderPdf | None = None,
) -> Path:
    """Write OUT.html, OUT.md or OUT.pdf; an older report of that name is replaced at the end.

    Raises UsageError for another suffix or a PDF without a renderer, SessionError where the
    session cannot be read or the file not be written.
    """
    out = Path(out_path)
    kind = out.suffix.lower()
    _check(kind, render_pdf)
    with Session.open(session_path) as session:
        model = report_model(session, progress)
    progress(Progress(Message("Writing the report"), 0.95))
    return write_page(
        out,
        markdown=lambda: to_markdown(model),
        html=lambda for_print: to_html(model, for_print=for_print),
        render_pdf=render_pdf,
    )


def write_page(
    out: Path,
    *,
    markdown: Callable[[], str],
    html: Callable[[bool], str],
    render_pdf: RenderPdf | None,
) -> Path:
    """Write OUT.html, OUT.md or OUT.pdf; `html` is asked for the variant for print or not.

    Raises as `write_report` does.
    """
    kind = out.suffix.lower()
    _check(kind, render_pdf)
    if kind == ".md":
        _write(out, lambda path: _save(path, markdown()))
    elif kind == ".pdf" and render_pdf is not None:
        render, text = render_pdf, html(True)
        _write(out, lambda path: render(text, path))
    else:
        text = html(False)
        _write(out, lambda path: _save(path, text))
    return out


def _check(kind: str, render_pdf: RenderPdf | None) -> None:
    if kind not in SUFFIXES:
        raise UsageError(
            Message("A report cannot be written as '{kind}'.", kind=kind or _NO_SUFFIX),
            safe=Message("Nothing was written."),
            remedy=Message("Name a file that ends in .html, .md or .pdf."),
        )
    if kind == ".pdf" and render_pdf is None:
        raise UsageError(
            Message("A PDF is drawn by the window's own toolkit, which is not loaded here."),
            safe=Message("Nothing was written."),
            remedy=Message(
                "Write OUT.html and print it, or use: ldap-workbench report FILE -o OUT.pdf."
            ),
        )


def _write(out: Path, write: Callable[[Path], None]) -> None:
    """Write beside the target, then move: a reader never sees half a report."""
    with (
        writing(out, Message("The session was not changed.")),
        tempfile.TemporaryDirectory(prefix=".report-", dir=out.parent) as room,
    ):
        draft = Path(room) / out.name
        draft.touch(0o600)
        write(draft)
        replace(draft, out)


def _save(path: Path, text: str) -> None:
    path.write_text(text, "utf-8", newline="\n")
