"""The pages of a PDF: a chart is on one page with its caption, and page one is the summary."""

import re

import pytest
from PySide6.QtCore import QSizeF

from ldap_workbench.gui.report.pdf import document_of, keep_together, print_pdf
from ldap_workbench.report import report_model, to_html
from ldap_workbench.session import Session

HEIGHT = 600
CHART = '<svg viewBox="0 0 300 200"><rect x="0" y="0" width="300" height="200"/></svg>'


def pages_of(html, *, kept=True):
    """For each block of text, its words and the pages of its first line's top and bottom."""
    document = document_of(html, margin=0.0)
    document.setPageSize(QSizeF(400, HEIGHT))
    document.setLayoutEnabled(True)
    if kept:
        keep_together(document)
    layout, block = document.documentLayout(), document.begin()
    while block.isValid():
        top = layout.blockBoundingRect(block).top() + block.layout().lineAt(0).y()
        bottom = top + block.layout().lineAt(0).height() - 1
        yield block.text(), int(top / HEIGHT), int(bottom / HEIGHT)
        block = block.next()


def parted(html, **how):
    """Headings and captions of which the chart begins or ends on another page."""
    told = list(pages_of(html, **how))
    chart = {"Heading": 2, "Caption": 1}  # blocks further on
    return [
        number
        for number, (text, page, _) in enumerate(told)
        if text in chart and told[number + chart[text]][2] != page
    ]


def report(lines):
    filler = "".join(f"<p>line {number}</p>" for number in range(lines))
    return f"<body>{filler}<h3>Heading</h3><p>Caption</p><p>{CHART}</p><p>after</p></body>"


@pytest.mark.stall_allowed  # forty documents are laid out
def test_no_chart_is_parted_from_its_caption(qapp):
    assert any(parted(report(lines), kept=False) for lines in range(40))
    assert [lines for lines in range(40) if parted(report(lines))] == []


@pytest.mark.stall_allowed
def test_page_one_is_the_summary(qapp, session_file):
    with Session.open(session_file) as session:
        html = to_html(report_model(session), for_print=True)
    document = document_of(html, margin=0.0)
    document.setPageSize(QSizeF(680, 1008))  # A4
    document.setLayoutEnabled(True)
    keep_together(document)
    begins = document.find("Experiment: ").block()
    layout = document.documentLayout()
    assert layout.blockBoundingRect(begins).top() == pytest.approx(1008, abs=40)
    first = document.toPlainText()[: begins.position()]
    assert "Operations are 2.1 times faster: p50 " in first
    assert "Before and after." in first
    assert "The change was reverted" in first
    assert "\ufffc" in first, "the picture"


@pytest.mark.stall_allowed
@pytest.mark.parametrize(
    ("language", "points"), [("en_US.UTF-8", (612, 792)), ("de_DE.UTF-8", (595, 842))]
)
def test_the_paper_is_that_of_the_readers_country(monkeypatch, tmp_path, language, points):
    monkeypatch.setenv("LC_ALL", language)
    print_pdf("<title>t</title><p>text</p>", tmp_path / "report.pdf")
    (box,) = re.findall(
        rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", (tmp_path / "report.pdf").read_bytes()
    )
    assert tuple(round(float(side)) for side in box) == points
