"""The pages of a PDF: a chart is on one page with its caption, and page one is the summary."""

import re
import subprocess
from html import unescape

import pytest
import zstandard
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QFont, QFontMetricsF

from ldap_workbench.gui.screens.report.pdf import document_of, keep_together, print_pdf
from ldap_workbench.practice.samples import samples
from ldap_workbench.report.html import to_html
from ldap_workbench.report.model import report_model
from ldap_workbench.report.svg import Sheet
from ldap_workbench.resources import resource
from ldap_workbench.session.reader import Session

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


def report_with_table(lines):
    filler = "".join(f"<p>line {number}</p>" for number in range(lines))
    table = "<table><thead><tr><th>Name</th></tr></thead><tr><td>value</td></tr></table>"
    return f"<body>{filler}<h3>Heading</h3>{table}<p>after</p></body>"


@pytest.mark.stall_allowed
def test_no_heading_is_parted_from_its_table(qapp):
    def parted_at(lines):
        blocks = list(pages_of(report_with_table(lines)))
        texts = [text for text, _, _ in blocks]
        heading, head = blocks[texts.index("Heading")], blocks[texts.index("Name")]
        return heading[1] != head[2]

    assert [lines for lines in range(40) if parted_at(lines)] == []


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


def text_of(pdf):
    """All text of a PDF in reading order, as another program finds it."""
    command = ["pdftotext", "-enc", "UTF-8", str(pdf), "-"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def words(text):
    return re.findall(r"\w+", text)


def plain(html):
    return unescape(re.sub(r"<[^>]+>", " ", html))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The session of a real server that comes with the program."""
    path = tmp_path_factory.mktemp("recorded") / "sample.ldapwb"
    path.write_bytes(zstandard.decompress(resource(f"samples/{samples()[0].file}").read_bytes()))
    return path


@pytest.mark.stall_allowed  # the report is made in this thread
@pytest.mark.parametrize(
    ("sample", "paper"),
    [
        ("session_file", "en_US.UTF-8"),
        ("recorded", "de_DE.UTF-8"),
        # Every sample and every paper once is enough for a day.
        pytest.param("session_file", "de_DE.UTF-8", marks=pytest.mark.full),
        pytest.param("capture_file", "en_US.UTF-8", marks=pytest.mark.full),
        pytest.param("capture_file", "de_DE.UTF-8", marks=pytest.mark.full),
        pytest.param("recorded", "en_US.UTF-8", marks=pytest.mark.full),
    ],
)
def test_every_heading_chart_and_table_is_in_the_pdf(request, monkeypatch, tmp_path, sample, paper):
    monkeypatch.setenv("LC_ALL", paper)
    with Session.open(request.getfixturevalue(sample)) as session:
        html = to_html(report_model(session), for_print=True)
    body = re.sub(r"<(style|title|desc)\b.*?</\1>", "", html, flags=re.DOTALL)
    print_pdf(html, tmp_path / "report.pdf")
    printed = set(words(text_of(tmp_path / "report.pdf")))

    headings = re.findall(r"<h[1-6]\b[^>]*>(.*?)</h[1-6]>", body, flags=re.DOTALL)
    assert len(headings) > 5
    assert [text for text in map(plain, headings) if not set(words(text)) <= printed] == []

    charts = re.findall(r"<svg\b.*?</svg>", body, flags=re.DOTALL)
    assert charts
    labels = [re.findall(r"<text\b.*?</text>", chart, flags=re.DOTALL) for chart in charts]
    lost = [
        n for n, texts in enumerate(labels) if not set(words(plain(" ".join(texts)))) <= printed
    ]
    assert lost == []

    cells = set(words(plain(" ".join(re.findall(r"<t[hd]\b.*?</t[hd]>", body, flags=re.DOTALL)))))
    # A few long names are broken over two lines.
    assert len(cells - printed) < len(cells) / 50


@pytest.mark.stall_allowed
def test_copied_text_has_no_ligatures(tmp_path):
    """Nor has the title above every page but the first."""
    following = '<p style="page-break-before: always">more</p>'
    html = f"<title>title=off, filters fine</title><p>nsslapd-cache=off fine</p>{following}"
    print_pdf(html, tmp_path / "report.pdf")
    printed = text_of(tmp_path / "report.pdf")
    assert "nsslapd-cache=off fine" in printed
    assert "title=off, filters fine" in printed


@pytest.mark.stall_allowed  # the report is made in this thread
def test_no_entry_of_a_legend_begins_in_the_words_of_the_one_before(qapp, capture_file):
    with Session.open(capture_file) as session:
        html = to_html(report_model(session), for_print=True)
    [chart] = [each for each in re.findall(r"<svg\b.*?</svg>", html, re.DOTALL)
               if "measurement window</text>" in each]  # fmt: skip
    word = re.search(r'<text x="([\d.]+)"[^>]*>measurement window</text>', chart)
    begins = float(re.search(r'<line x1="([\d.]+)"', chart[word.end() :])[1])
    font = QFont("sans-serif")
    font.setPixelSize(12)
    room = begins - float(word[1]) - QFontMetricsF(font).horizontalAdvance("measurement window")
    assert room > 12


@pytest.mark.stall_allowed
def test_text_copied_from_a_chart_has_no_ligatures(tmp_path):
    sheet = Sheet(300, 60, "a chart")
    for place, look in enumerate(("word", "strong")):
        sheet.word((8, 18 + 20 * place), f"{look}=off, filters fine", look=look)
    print_pdf(f"<title>t</title><p>text</p>{sheet.svg()}", tmp_path / "report.pdf")
    printed = text_of(tmp_path / "report.pdf")
    assert "word=off, filters fine" in printed
    assert "strong=off, filters fine" in printed
