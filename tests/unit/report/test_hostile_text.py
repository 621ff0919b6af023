"""Names, filters, paths and diagnostics of others stay text in every format, as readers have it."""

from __future__ import annotations

import base64
import csv
import json
import re
import shutil
from html.parser import HTMLParser

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ldap_workbench.model.change import Change, ChangeState
from ldap_workbench.report.export import export
from ldap_workbench.report.html import to_html
from ldap_workbench.report.model import report_model
from ldap_workbench.report.text import cell
from ldap_workbench.report.write import to_markdown, write_page
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.ldif import ldif_to_apply, ldif_to_undo
from tests.sessions import build_experiment_session

TEXTS = (
    "<script>alert(1)</script>",
    "<img src=//evil/x onerror=alert(1)>",
    "\"><svg/onload=alert(1)>' onmouseover='x",
    "![x](http://evil/x.png) [y](javascript:alert(1)) <http://evil> https://evil/z",
    "| a | b |\n|---|---|\n| `x` | **y** |\n\n# head\n\n```\nfence\n",
    "x\n-\n\ndn: cn=config\nchangetype: modify\nreplace: nsslapd-rootpw\nnsslapd-rootpw: x\n",
    "=cmd|'/C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    ' "quoted",=1+1\r\n=2+2',
    "\x1b[2J\x1b]8;;http://evil\x07 \u202e\u2028\x85\x0b\x00red",
    "&lt;b&gt; &amp; {{ 7*7 }} {% raw %}",
)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "s.ldapwb"
    return build_experiment_session(path, pairs=1, seconds=3, per_second=20)


OFTEN = (0, 4, 5, 6, 14, 15)
"""Of texts that are meant for the same reader, one is enough in every run."""


def in_tiers():
    for number in range(len(TEXTS)):
        marks = [] if number in OFTEN else [pytest.mark.full]
        yield pytest.param(number, id=f"text {number}", marks=marks)


@pytest.fixture(scope="module", params=[*in_tiers()])
def session(request, good, tmp_path_factory):
    """All texts of others in a session are the hostile one."""
    path = shutil.copy(good, tmp_path_factory.mktemp("text") / "s.ldapwb")
    text = TEXTS[request.param]
    with duckdb.connect(str(path)) as db:
        patches = {
            "capture_window": {"name": text, "note": text},
            "source": {"name": text, "why": text, "details": {"title": text, "reason": text}},
            "mark": {"text": text},
            "change": {"server": text, "message": text, "proof": text, "dn": text, "knob": text},
        }
        for table, patch in patches.items():
            db.execute(f"UPDATE {table} SET body = json_merge_patch(body, ?)", [json.dumps(patch)])
        facts = {"host": text, "product": text, "version": text, "unknown": {text: text}}
        query = "UPDATE meta SET value = json_merge_patch(value, ?) WHERE key = 'facts'"
        db.execute(query, [json.dumps(facts)])
        db.execute("UPDATE string SET value = ?", [text.replace("\x00", "")])
    return path


@pytest.fixture(scope="module")
def report(session, tmp_path_factory):
    """Its report by the suffix of the format; the session is read once for all of them."""
    with Session.open(session) as opened:
        model = report_model(opened)

    def of(suffix):
        path = tmp_path_factory.mktemp("report") / f"r{suffix}"
        write_page(
            path,
            markdown=lambda: to_markdown(model),
            html=lambda for_print: to_html(model, for_print=for_print),
            render_pdf=None,
        )
        return path.read_text("utf-8")

    return of


@pytest.fixture(scope="module")
def exported(session, tmp_path_factory):
    """Its tables and changes as files, by the suffix of the format."""
    paths = export(session, tmp_path_factory.mktemp("exported") / "x", ["csv", "ldif"])
    return lambda suffix: [path for path in paths if path.suffix == suffix]


class Tags(HTMLParser):
    """What a browser would make of a document."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]


ACTIVE = {"script", "img", "iframe", "object", "embed", "link", "base", "form", "video", "image"}


def assert_harmless(html, *, links):
    seen = Tags(html)
    assert not seen.tags & ACTIVE
    assert links or "a" not in seen.tags
    for tag, name, value in seen.attributes:
        assert not name.startswith("on"), (tag, name, value)
        if name in ("href", "src", "xlink:href"):
            assert value.startswith("#"), (tag, name, value)
    assert "\x1b" not in html
    assert "\u202e" not in html


def test_a_report_in_html_shows_text_as_text(report):
    assert_harmless(report(".html"), links=True)


def test_a_report_in_markdown_shows_text_as_text(report):
    text = report(".md")
    renderer = MarkdownIt("commonmark", {"html": True}).enable("table")
    html = renderer.render(text)
    assert_harmless(html, links=False)
    assert html.count("<h1>") == 1


RUNS = re.compile(r"\s*[=+\-@]|[\t\r]")
"""What a spreadsheet takes for a formula."""


@pytest.mark.parametrize("text", TEXTS)
def test_no_text_runs_in_a_cell(text):
    assert not RUNS.match(cell(text))
    assert "\x1b" not in cell(text)


def test_no_cell_of_a_csv_runs(exported):
    tables = exported(".csv")
    assert tables
    for path in tables:
        with path.open(newline="", encoding="utf-8") as file:
            head, *rows = csv.reader(file)
        assert rows
        assert {len(row) for row in rows} == {len(head)}
        for row in rows:
            for said in row:
                number = re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", said)
                assert number or not RUNS.match(said), said
                assert "\x1b" not in said


def test_an_ldif_holds_the_changes_and_no_more(exported):
    changes = exported(".ldif")
    assert changes
    for path in changes:
        for record in records(path.read_text("utf-8")):
            assert [name for name, _ in record] in (
                ["version"],
                ["dn", "changetype", "replace", record[-1][0]],
                ["dn", "changetype", "delete"],
            )


def records(text):
    """LDIF read as RFC 2849 has it: unfolded, without comments, values decoded."""
    found = []
    for part in re.split(r"\n{2,}", text.replace("\n ", "")):
        lines = [line for line in part.split("\n") if line and line[0] != "#" and line != "-"]
        record = []
        for line in lines:
            name, _, value = line.partition(":")
            packed = value.startswith(":")
            value = value[1:].strip(" ") if packed else value.removeprefix(" ")
            record.append((name, base64.b64decode(value).decode() if packed else value))
        found += [record] if record else []
    return found


texts = st.text(min_size=1, max_size=30) | st.sampled_from(TEXTS)


@given(dn=texts, attribute=texts, before=texts, asked=texts, server=texts, knob=texts)
def test_any_change_comes_back_from_its_ldif(dn, attribute, before, asked, server, knob):
    change = Change(
        id=1, group="g", server=server, profile="p", knob=knob, dn=dn, attribute=attribute,
        before=(before,), asked=(asked,), got=None, state=ChangeState.APPLIED,
        needs_restart=False, created_ns=0, updated_ns=0,
    )  # fmt: skip
    plain = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.;-]*", attribute, re.ASCII)
    for text, value in ((ldif_to_apply([change]), asked), (ldif_to_undo([change]), before)):
        [version, *rest] = records(text)
        assert version == [("version", "1")]
        for record in rest:
            assert plain
            wanted = [("dn", dn), ("changetype", "modify"), ("replace", attribute)]
            assert record == [*wanted, (attribute, value)]
        assert all(letter.isprintable() or letter == "\n" for letter in text)


def test_a_file_of_the_kernel_is_only_told(tmp_path):
    """What stands in a comment may be copied to a shell: it is quoted for one."""
    change = Change(
        id=1, group="g", server="ssh://h", profile="p", knob="k", dn="", attribute="/proc/x; id",
        before=("1",), asked=("$(id)",), got=None, state=ChangeState.APPLIED,
        needs_restart=False, created_ns=0, updated_ns=0,
    )  # fmt: skip
    assert "# On ssh://h: echo '$(id)' > '/proc/x; id'\n" in ldif_to_apply([change])
