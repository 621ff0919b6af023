"""Reports are written whole or not at all, in the format their name asks for."""

import pytest

from ldap_workbench.model.errors import SessionError, UsageError
from ldap_workbench.report.write import write_report


def test_the_suffix_chooses_the_format(tmp_path, capture_path):
    html = write_report(capture_path, tmp_path / "r.HTML")
    markdown = write_report(str(capture_path), str(tmp_path / "r.md"))
    assert html.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert markdown.read_text("utf-8").startswith("# Measurement windows")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r.HTML", "r.md"]


def test_progress_ends_with_writing(tmp_path, capture_path):
    told = []
    write_report(capture_path, tmp_path / "r.md", progress=told.append)
    assert str(told[-1].text) == "Writing the report"


@pytest.mark.parametrize("name", ["r.docx", "r", "r.ldapwb"])
def test_another_suffix_is_refused(tmp_path, capture_path, name):
    with pytest.raises(UsageError, match=r"\.html, \.md or \.pdf"):
        write_report(capture_path, tmp_path / name)


def test_a_pdf_needs_a_renderer(tmp_path, capture_path):
    with pytest.raises(UsageError, match="print it"):
        write_report(capture_path, tmp_path / "r.pdf")


def test_a_pdf_is_drawn_from_the_html_for_print(tmp_path, capture_path):
    seen = []

    def render(html, path):
        seen.append(html)
        path.write_bytes(b"%PDF-1.4")

    out = write_report(capture_path, tmp_path / "r.pdf", render_pdf=render)
    assert out.read_bytes() == b"%PDF-1.4"
    assert "@media" not in seen[0]


def test_a_renderer_that_fails_leaves_the_old_report(tmp_path, capture_path):
    (tmp_path / "r.pdf").write_text("old")

    def render(html, path):
        raise OSError(28, "No space left on device")

    with pytest.raises(SessionError, match="No space left"):
        write_report(capture_path, tmp_path / "r.pdf", render_pdf=render)
    assert (tmp_path / "r.pdf").read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["r.pdf"]


def test_a_folder_that_is_not_there_is_said(tmp_path, capture_path):
    with pytest.raises(SessionError, match="cannot be written"):
        write_report(capture_path, tmp_path / "none" / "r.html")


def test_a_session_that_is_not_there_is_said(tmp_path):
    with pytest.raises(SessionError, match="does not exist"):
        write_report(tmp_path / "none.ldapwb", tmp_path / "r.html")
