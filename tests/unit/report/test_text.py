"""A stranger's text is shown as it is and never acts."""

import pytest

from ldap_workbench.model.visible import one_line, printable
from ldap_workbench.report.text import cell, fence, markdown, short


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain (uid=ä)", "plain (uid=ä)"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\x00b\x7f", "a\\x00b\\x7f"),
        ("abc\u202edef", "abc\\u202edef"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_does_not_print_is_an_escape(text, shown):
    assert printable(text) == shown


def test_no_text_passes_for_the_line_after_it():
    assert one_line("a\nError: b\t") == "a\\x0aError: b\\x09"


def test_long_text_is_cut_and_says_so():
    assert short("x" * 5_000, 10) == "xxxxxxxxxx… (5,000 characters)"
    assert short("xxxxxxxxxx", 10) == "xxxxxxxxxx"


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "|calc", "%0", "\t=1", "\r=1", "  =1", "＝1"]
)
def test_a_cell_never_begins_as_a_formula(text):
    assert cell(text).startswith("'")


def test_a_harmless_cell_is_left_alone():
    assert cell("(cn==cmd|x)") == "(cn==cmd|x)"
    assert cell("10.0.0.1") == "10.0.0.1"


def test_markdown_has_no_markup_left():
    found = markdown("a|b `c` <img src=x> [l](u) *b* &lt; \n# head")
    assert found == ("a\\|b \\`c\\` &lt;img src=x\\> \\[l\\]\\(u\\) \\*b\\* &amp;lt; \\# head")


def test_a_fence_is_longer_than_what_is_in_it():
    assert fence("````\nx") == "`````\n````\nx\n`````"
    assert fence("x\n") == "```\nx\n```"
