"""The Markdown report: the same words, and no markup that is not ours."""

import re

from ldap_workbench.report.write import to_markdown

from .test_html import MAY_BE, judged_by_kind


def tables(text):
    """Rows of every table as lists of cells."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return [re.split(r"(?<!\\)\|", row)[1:-1] for row in rows]


def blocks(text):
    """Consecutive lines of a table."""
    return re.findall(r"(?:^\|.*\n)+", text, re.M)


def test_every_table_is_rectangular(experiment):
    text = to_markdown(experiment)
    assert len(blocks(text)) >= 8
    for block in blocks(text):
        widths = {len(row) for row in tables(block)}
        assert len(widths) == 1, block
        assert re.fullmatch(r"\|(---\|)+", block.splitlines()[1])


def test_headings_and_verdict_are_there(experiment):
    text = to_markdown(experiment)
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.S), re.M)
    headings = [heading for heading in headings if heading not in MAY_BE]
    assert headings[1:] == [
        r"Experiment: nsslapd\-cache\-autosize=0 \+ nsslapd\-cachememsize=268435456 \(userRoot\)",
        "What was changed",
        "How it was measured",
        "Metrics",
        "Tails of etime",
        "The slowest operations",
        "Sources and how complete they are",
        "To apply by hand",
        "To undo by hand",
        "Tails window by window",
        "Journal",
        "Marks",
        "The server",
        "Appendix: sources window by window",
    ]
    assert "**Better.** Better: p50 went from" in text
    assert "0.032 \\(6 pairs\\)" in text


def test_ldif_stands_in_a_fence(experiment):
    text = to_markdown(experiment)
    assert experiment.groups[0].experiment.ldif_apply.rstrip() in text
    assert text.count("```") == 4


def test_a_capture_reads_well(capture):
    text = to_markdown(capture)
    assert "## Captured windows" in text
    assert "## Where the time went" in text
    assert re.search(r"Users waited \S+ \S+ for [\d,]+ operations", text)
    assert "Journal" not in text
    assert "\n\n\n" not in text


def test_hostile_text_is_only_text(hostile):
    text = to_markdown(hostile)
    assert "<script" not in text
    assert "<b" not in text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", text)
    for block in blocks(text):
        assert len({len(row) for row in tables(block)}) == 1


def test_a_verdict_on_a_kind_of_operation_names_it_as_people_do(experiment):
    text = to_markdown(judged_by_kind(experiment)).replace("\\", "")
    [row] = [line for line in text.splitlines() if "searches (mail=?), p95 etime" in line]
    assert "×0.5 to ×1.3" in row
    assert "SRCH[" not in text
