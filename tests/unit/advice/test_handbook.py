"""The page about findings says what the code does: its limits, its titles, its advice."""

import ast
import re
import runpy
from pathlib import Path

import pytest

import ldap_workbench.advice.rules
from ldap_workbench.advice.evidence.wording import definitions, limits
from ldap_workbench.advice.rules.rule import BY_HAND, every_rule
from ldap_workbench.model.finding import CONFIDENCES
from tests.unit.advice.material import load_rules

ROOT = Path(__file__).parents[3]
WRITER = runpy.run_path(str(ROOT / "packaging" / "findings_page.py"))
handbook, usual_title = WRITER["handbook"], WRITER["usual_title"]


@pytest.fixture(scope="module")
def page():
    return handbook()


def section(text, which):
    (found,) = re.findall(rf"(?ms)^## [^\n]*\(`{which}`.*?(?=^##? |\Z)", text)
    return found


def test_the_page_is_the_one_that_the_data_make():
    assert WRITER["PAGE"].read_text("utf-8") == handbook(), "run packaging/findings_page.py"


@pytest.mark.parametrize("which", list(definitions()))
def test_every_finding_has_a_few_lines(page, which):
    lines = section(page, which).strip().splitlines()
    assert len(lines) == 8 if definitions()[which].get("owner") else 7
    assert lines[2].startswith("- *Seen:* ")
    assert lines[3].startswith("- *Evidence:* ")
    assert lines[4].startswith("- *May be advised:* ")
    assert lines[5].startswith("- *Cost:* ")
    assert lines[6].startswith("- *Confidence:* ")
    assert definitions()[which]["disproof"] in lines[6]
    assert definitions()[which]["confidence"] in CONFIDENCES
    assert "{" not in "".join(lines)


@pytest.mark.parametrize("product", ["389ds", "openldap", "host-linux"])
def test_every_advice_is_named_where_it_is_given(page, product):
    for rule in load_rules(product):
        for which in rule.findings:
            assert usual_title(rule) in section(page, which), rule.id


def test_a_limit_that_changes_changes_the_page(monkeypatch):
    monkeypatch.setitem(limits("memory"), "scan_rate", 777.0)
    assert "777 pages/s" in section(handbook(), "memory")


def test_every_advice_is_tried_or_stays_by_hand_for_a_reason_of_the_list():
    for rule in every_rule():
        assert bool(rule.by_hand) != rule.is_tried, rule.id
        assert rule.by_hand in ("", *BY_HAND), rule.id
        assert bool(rule.because) == bool(rule.by_hand), rule.id
    # The four that the table may name: there is no advice whose gain an experiment cannot show.
    assert BY_HAND.keys() == {"another_party", "import", "system", "restart"}
    tried = {(rule.id, rule.products) for rule in every_rule() if rule.is_tried}
    assert ("index-filter", ("389ds",)) in tried
    assert ("ask-for-less", ("389ds",)) not in tried
    # Settings of the supplier; and what is not replicated meanwhile is not sent after a revert.
    assert not {"replication-timeout", "replicate-less"} & {name for name, _ in tried}


def test_advice_that_counts_as_tried_can_give_a_setting(page):
    rules, computed = every_rule(), computed_settings()
    assert {rule.settings_from for rule in rules} - {""} == computed.keys()
    assert all(computed.values()), "a list that is always empty is no setting"
    named = {rule.id for rule in rules if rule.you_name}
    assert named == {"log-directory", "audit-elsewhere"}, "only a person knows another disk"
    able = [rule for rule in rules if rule.settings or rule.settings_from or rule.plan_option]
    assert f"tries {len(able)} of {len(rules)} pieces of advice" in page
    assert f"and {len(named)} more once you name a folder or file" in page


def computed_settings():
    """Whether each list of computed settings is more than the constant (), by its name."""
    [room] = ldap_workbench.advice.rules.__path__
    nodes = [
        node
        for file in sorted(Path(room).glob("*.py"))
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Dict)
    ]
    return {
        key.value: bool(getattr(value, "elts", True))
        for node in nodes
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and str(key.value).endswith("_settings")
    }


def test_the_table_says_what_is_tried_on_which_versions(page):
    rows = page.partition("# Which advice is tried")[2].strip().splitlines()
    cells = {tuple(cell.strip() for cell in row.strip("|").split("|"))[:2]: row for row in rows}
    assert "on | OpenDJ 4.6.5 |" in cells["A larger Java heap", "OpenDJ"].replace("SIZE`", "on")
    assert "Linux 6.1, 6.18 |" in cells["A shorter queue above the disk", "all"]
    assert (
        "by hand | another party's decision: the owner of the groups"
        in cells["Break rings of groups", "389, DSEE"]
    )
    assert "`--cold` of the experiment" in cells["Equalise cache state", "all"]
    filters = "Index the attributes of the most expensive filters"
    assert (filters, "UnboundID") not in cells, "its settings are neither read nor changed"
    assert "no real server yet" in cells[filters, "DSEE"]


def test_every_finding_has_a_column_a_product(page):
    table = page.partition("# Which finding is made of which server")[2].partition("\n# ")[0]
    rows = [row.strip("| ").split(" | ") for row in table.splitlines() if row.startswith("| [")]
    assert len(rows) == len(definitions())
    cells = {row[0].split("`")[1]: row[1:] for row in rows}
    for which, definition in definitions().items():
        never = [cell == "—" for cell in cells[which]]
        whose = definition.get("products", _COLUMNS)
        assert never == [product not in whose for product in _COLUMNS], which
        if "0" in cells[which]:
            assert definition.get("instead") or definition.get("owner"), which
    assert cells["clock"] == ["only seen"] * 5
    assert cells["je_cache"] == ["—", "—", "—", "3", "—"]
    assert cells["work_queue"][2] == "1"


_COLUMNS = ("389ds", "dsee", "openldap", "opendj", "unboundid")


def test_what_computed_settings_are_of_is_known():
    named = {rule.settings_from for rule in every_rule()} - {""}
    assert named == WRITER["SETTINGS_FROM"].keys()
