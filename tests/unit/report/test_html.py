"""The HTML report: one file, nothing that runs, every number with its unit."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from ldap_workbench.experiment.plan import make_plan, parse_design
from ldap_workbench.figures.overview.findings import WORTH_A_TEST
from ldap_workbench.inference.verdict.headline import headline
from ldap_workbench.model.experiment import Experiment, State
from ldap_workbench.model.finding import Advice, Evidence, Finding
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.verdict import MetricVerdict
from ldap_workbench.model.visible import printable
from ldap_workbench.report import words
from ldap_workbench.report.html import to_html
from ldap_workbench.report.write import to_markdown
from tests.sessions import HOSTILE, TREATMENT

MAY_BE = {"On the host: B against A", "Stalls", "What stands out", str(WORTH_A_TEST)}
"""Headings that depend on what the verdict and the findings tell."""
VOID = {"meta", "br"}
ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "header", "section", "footer", "h1", "h2",
    "h3", "p", "div", "ul", "li", "b", "span", "code", "pre", "table", "caption", "thead", "tr",
    "th", "td", "br", "figure", "figcaption", "svg", "line", "polyline", "polygon", "rect",
    "circle", "text",
}  # fmt: skip


class Page(HTMLParser):
    """Tags, attributes and text of a page; fails where tags do not close in order."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.attributes, self.text = [], [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def html(experiment):
    return to_html(experiment)


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


def test_it_is_whole_and_simple(page):
    assert set(page.tags) <= ALLOWED
    assert not [name for name, _ in page.attributes if name.startswith("on")]


def test_nothing_is_fetched(html, page):
    assert {name for name, _ in page.attributes} & {"src", "href", "srcset", "data"} == set()
    outside = re.findall(r"https?://[^\"'\s<]+", html)
    assert set(outside) <= {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in html
    assert "@import" not in html
    assert "url(" not in html


def test_the_sections_stand_in_order(html):
    headings = re.findall(r"<h[23]>([^<]+)</h[23]>", html)
    headings = [heading for heading in headings if heading not in MAY_BE]
    assert headings == [
        "Summary",
        "Experiment: nsslapd-cache-autosize=0 + nsslapd-cachememsize=268435456 (userRoot)",
        "What was changed",
        "How it was measured",
        "By operation type",
        "Tails of etime",
        "The slowest operations",
        "Over time",
        "Sources and how complete they are",
        "To apply by hand",
        "To undo by hand",
        "Tails window by window",
        "Journal",
        "Marks",
        "The server",
        "Appendix: sources window by window",
    ]


def test_the_summary_says_verdict_picture_change_and_what_became_of_it(html, experiment):
    summary = html[html.index("<h2>Summary") : html.index("<h2>Experiment")]
    told = experiment.groups[0].experiment
    assert str(headline(told.verdict.primary)) in summary
    assert summary.count("<svg") == 1
    assert 'aria-label="p50 etime: ' in summary
    assert "nsslapd-cachememsize</code> (userRoot): " in summary
    assert told.state in summary


def test_the_labels_of_the_bars_fit_beside_them(html):
    summary = html[html.index("<h2>Summary") : html.index("<h2>Experiment")]
    labels = re.findall(r'<text x="([\d.]+)"[^>]*text-anchor="end"[^>]*>([^<]+)<', summary)
    assert [words for _, words in labels] == ["A, as it was", "B, with the change"]
    widest = 7.6  # points for a letter in the widest font of a report
    assert all(float(end) >= widest * len(words) for end, words in labels)


def test_the_values_recorded_last_say_that_nobody_was_asked(html, experiment):
    text = to_markdown(experiment)
    for said in (html, text.replace("\\", "")):
        assert "nsslapd-cache-autosize: recorded last: absent." in said
        assert "the server was not asked." in said


def test_without_an_experiment_the_summary_says_what_costs_most(capture):
    html = to_html(capture)
    summary = html[html.index("<h2>Summary") : html.index("<h2>Captured")]
    assert "What costs most:" in summary
    assert "Operations stalled together. Cost: " in summary


def test_the_verdict_comes_with_its_word_and_pairs(html, experiment):
    sentence = experiment.groups[0].experiment.verdict.sentence
    assert '<div class="verdict better">' in html
    assert str(sentence) in html
    assert re.search(r"0\.032 \(6 pairs\)", html)


@pytest.mark.parametrize(
    ("level", "heading"),
    [(0.05, "95 % interval"), (0.01, "Interval (first 99 %, others 95 %)")],
)
def test_an_interval_is_called_as_wide_as_it_is(experiment, level, heading):
    """In a campaign and with interim analyses the primary metric is tested at another level."""
    [group] = experiment.groups
    told = group.experiment
    verdict = replace(told.verdict, details=replace(told.verdict.details, alpha=level))
    group = replace(group, experiment=replace(told, verdict=verdict))
    report = replace(experiment, groups=(group,))
    assert f">{heading}</th>" in to_html(report)
    assert f"| {heading} |" in to_markdown(report)


@pytest.mark.parametrize(
    "word", ["inconclusive", "not enough data", "not settled", "not comparable"]
)
def test_what_is_open_never_looks_good(experiment, word):
    [group] = experiment.groups
    told = group.experiment
    primary = MetricVerdict("p50", word, takes=verbatim("24 pairs"))
    verdict = replace(
        told.verdict,
        primary=primary,
        metrics={"p50": primary},
        types={},
        sentence=verbatim("Nobody knows."),
        dropped=(verbatim("Pair 3 was skipped: one of its windows is missing or empty."),),
        warnings=(verbatim("Arm B had ×1.1 the load of arm A"),),
    )
    group = replace(group, experiment=replace(told, verdict=verdict))
    html = to_html(replace(experiment, groups=(group,)))
    assert '<div class="verdict open">' in html
    assert 'class="verdict better"' not in html
    assert "Data needed:</b> 24 pairs" in html
    assert "Pair 3 was skipped" in html
    assert "the load of arm A" in html


def judged_by_kind(experiment):
    """The same report where the verdict rests on the searches with one filter."""
    [group] = experiment.groups
    told = group.experiment
    kind = {"type": "SRCH[(mail=?)]"}
    primary = MetricVerdict("p50", "better", 0.3, 0.2, 0.4, n_pairs=6, **kind)
    slower = MetricVerdict("p95", "inconclusive", 0.8, 0.5, 1.3, n_pairs=6, **kind)
    binds = MetricVerdict("p50", "inconclusive", 1.0, 0.9, 1.1, n_pairs=6, type="BIND")
    verdict = replace(
        told.verdict,
        primary=primary,
        types={kind["type"]: {"p50": primary, "p95": slower}, "BIND": {"p50": binds}},
    )
    group = replace(group, experiment=replace(told, verdict=verdict))
    return replace(experiment, groups=(group,))


def test_a_verdict_on_a_kind_of_operation_begins_with_its_metrics_by_plain_names(experiment):
    html = to_html(judged_by_kind(experiment))
    table = html[html.index("<caption>Every metric.") :]
    rows = re.findall(r"<tr><td>(.*?)</td>.*?</tr>", table[: table.index("</table>")])
    assert rows[:2] == ["searches (mail=?), p50 etime", "searches (mail=?), p95 etime"]
    assert "×0.2 to ×0.4" in table
    assert "SRCH[" not in html
    by_type = html[html.index("<h3>By operation type") :]
    assert "BIND p50 etime" in by_type[: by_type.index("</table>")]
    assert "(mail=?)" not in by_type[: by_type.index("</table>")]


def test_durations_have_units(html):
    start = html.index("<table>", html.index("<h3>Tails of etime"))
    table = html[start : html.index("</table>", start)]
    cells = re.findall(r'<td class="number">([^<]+)</td>', table)
    assert len(cells) > 50
    bare = [cell for cell in cells if not re.search(r" (ns|µs|ms|s)$", cell)]
    assert all(re.fullmatch(r"[\d,]+", cell) for cell in bare)  # counts of operations
    assert len(bare) == len(cells) / 7


def test_times_are_said_to_be_utc(page):
    text = " ".join(page.text)
    assert "All times are UTC" in text
    assert "2026-11-20 08:00:00.000" in text


def test_completeness_is_told(html):
    assert "600 operations" in html
    assert "1,200" in html
    assert "header: 3" in html


def test_a_capture_tells_what_is_missing(capture):
    html = to_html(capture)
    Page(html)
    assert "iostat is not installed" in html
    assert "What was changed" not in html
    assert "Journal" not in html
    assert "The iostat source is missing in 2 windows (window 1, window 2)." in html


def test_a_simulation_says_so(experiment):
    assert "Simulated" not in to_html(experiment)
    assert "<b>Simulated.</b>" in to_html(replace(experiment, simulated=True))


def test_findings_are_told_with_their_evidence(capture):
    evidence = tuple(Evidence(f"place {i} <i>", start_ns=10**18) for i in range(5))
    finding = Finding("stalls", "Operations <b> stalled", "They did.", 3, evidence)
    advice = Advice(
        "a", "Try it", ("stalls",), TREATMENT, "why", "less", "none", "A little.", "low",
        tried=(Message("Tried on 3 <May>."),),
    )  # fmt: skip
    html = to_html(replace(capture, findings=(finding,), advice=(advice,)))
    page = Page(html)
    assert "Operations &lt;b&gt; stalled" in html
    assert "(likely the cause)" in html
    assert "2001-09-09 01:46:40.000 UTC: place 2 &lt;i&gt;" in html
    assert "place 3" not in html
    assert "and 2 more" in html
    assert "nsslapd-cache-autosize=0 + nsslapd-cachememsize=268435456 (userRoot)" in page.text
    assert str(WORTH_A_TEST) in html
    assert "Tried on 3 &lt;May&gt;." in html


def test_the_same_session_gives_the_same_bytes(experiment, html):
    assert to_html(experiment) == html


def test_dark_mode_and_print_are_styled(html, experiment):
    assert "prefers-color-scheme: dark" in html
    assert "@media print" in html
    printed = to_html(experiment, for_print=True)
    assert "@media" not in printed
    assert "var(" not in printed
    assert printed.count("<svg") == html.count("<svg")


def test_hostile_text_does_nothing(hostile):
    html = to_html(hostile)
    page = Page(html)
    assert set(page.tags) <= ALLOWED
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert "&lt;script&gt;alert" in html
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", html)
    assert "\\x1b[2J" in html


@pytest.mark.parametrize("request_text", HOSTILE)
def test_a_hostile_filter_is_shown_and_cut(capture, request_text):
    [group] = capture.groups
    slow = replace(group.slowest[0], fingerprint=request_text, client="<b>10.0.0.1")
    html = to_html(replace(capture, groups=(replace(group, slowest=(slow,)),)))
    page = Page(html)
    assert set(page.tags) <= ALLOWED
    shown = next(text for text in page.text if text.startswith(printable(request_text)[:20]))
    assert len(shown) < 250
    assert ("characters)" in shown) == (len(request_text) > 160)
    assert "<b>10.0.0.1" in page.text


def test_a_hostile_server_does_nothing(capture):
    evil = '"><img src=x onerror=alert(1)>\u202e{{ 7 * 7 }}'
    facts = tuple(replace(fact, value=evil, note=evil) for fact in capture.facts)
    html = to_html(replace(capture, title=evil, subtitle=evil, facts=facts, warnings=(evil,)))
    page = Page(html)
    assert set(page.tags) <= ALLOWED
    assert "img" not in page.tags
    assert "\u202e" not in html
    assert "{{ 7 * 7 }}" in html


def test_the_print_variant_keeps_notes_and_widths_apart(experiment, html):
    printed = to_html(experiment, for_print=True)
    assert '<br><span class="note">' in printed
    assert 'width="100%"' in printed
    assert '<br><span class="note">' not in html
    Page(printed)


def test_an_experiment_that_left_a_value_stored_is_not_said_to_be_as_before():
    left = Message("a was automatic; reverted, it is stored as 1.")
    plan = make_plan(TREATMENT, parse_design("ab"), window_s=1, seed=1)
    ended = Experiment(1, plan, State.REVERTED, 2)
    assert words.state(ended) == "The change was reverted: the server is as it was before."
    said = words.state(replace(ended, left_stored=(left,)))
    assert said == f"The change was reverted. {left} All else is as it was before."
    early = Experiment(1, plan, State.ABORTED, 2, why=Message("It may still be in force."))
    assert words.state(early) == "The experiment was aborted. Reason: It may still be in force."


def test_a_message_is_as_harmless_as_a_text(capture):
    """Its parameters come from a session, too: no control character reaches the page."""
    hostile = Message("{name} is odd.", name="<b>\x1b[2J")
    html = to_html(replace(capture, subtitle=hostile, warnings=(hostile,)))
    assert "\x1b" not in html
    assert html.count("&lt;b&gt;\\x1b[2J is odd.") == 2
