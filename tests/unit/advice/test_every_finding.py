"""What every finding has, whichever family makes it: the table of all of them, and their code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from ldap_workbench.advice.evidence.wording import current_id, definitions, families, former_ids
from ldap_workbench.advice.families import find as families_of_code
from ldap_workbench.figures.overview.findings import cost_of
from ldap_workbench.model.finding import CONFIDENCES, Finding
from ldap_workbench.model.message import Message
from ldap_workbench.servers.product import PRODUCTS
from tests.unit.advice.material import load_rules

Made = tuple[str, dict[str, ast.expr]]
"""The id of a finding, and the arguments it is made with at one place of the code."""

CODE = Path(families_of_code.__file__).parent
BACKED = {which for product in PRODUCTS for rule in load_rules(product) for which in rule.findings}
OF_ITS_OWN = dict.fromkeys(("evidence", "worker_ns"), ast.Constant(1))
MAKERS = {"finding": {}, "finding_of_habits": OF_ITS_OWN, "finding_of_rows": OF_ITS_OWN}
"""What makes a finding, with the arguments that it has of its own accord."""
SAY_SO = {*families()["The window itself"], "server_tasks", "consumer_ratio", "load_changed",
          "no_unit"}  # fmt: skip
"""They say how far the window can be trusted: there is nothing to treat."""


def calls() -> Iterator[Made]:
    """Each place of the code that makes a finding: its id, and what it is made with."""
    for file in CODE.glob("*.py"):
        tree = ast.parse(file.read_text("utf-8"))
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef):
                for maker, of_its_own in MAKERS.items():
                    for node in calls_of(maker, function):
                        made = {keyword.arg or "**": keyword.value for keyword in node.keywords}
                        for which in ids_of(node.args[0], function, tree):
                            yield which, of_its_own | made


def calls_of(name: str, within: ast.AST) -> list[ast.Call]:
    nodes = [node for node in ast.walk(within) if isinstance(node, ast.Call)]
    return [node for node in nodes if getattr(node.func, "id", "") == name]


def ids_of(told: ast.expr, function: ast.FunctionDef, tree: ast.Module) -> set[str]:
    """The ids in an expression; those that callers hand on, and theirs, where it is a parameter."""
    names = [parameter.arg for parameter in function.args.args]
    if not isinstance(told, ast.Name) or told.id not in names:
        return {str(each.value) for each in ast.walk(told) if isinstance(each, ast.Constant)}
    place = names.index(told.id)
    return {
        which
        for caller in ast.walk(tree)
        if isinstance(caller, ast.FunctionDef)
        for call in calls_of(function.name, caller)
        for which in ids_of(call.args[place], caller, tree)
    }


@pytest.fixture(scope="module")
def made() -> list[Made]:
    return list(calls())


@pytest.fixture(scope="module")
def uncosted(made: list[Made]) -> set[str]:
    """Made without a cost in at least one place, or with one that the sources may not tell."""
    return {which for which, arguments in made if not any(map(costs, prices(arguments)))}


def prices(arguments: dict[str, ast.expr]) -> list[ast.expr]:
    return [arguments[name] for name in ("worker_ns", "user_ns") if name in arguments]


def costs(price: ast.expr) -> bool:
    return "None" not in ast.unparse(price)


@pytest.mark.parametrize("file", sorted(CODE.glob("*.py")), ids=lambda file: file.stem)
def test_evidence_that_names_operations_has_the_filter_that_finds_them(file):
    """Their rows are the fourth argument; `evidence_of_rows` has the filter of its own accord."""
    tree = ast.parse(file.read_text("utf-8"))
    for call in [*calls_of("Evidence", tree), *calls_of("Link", tree)]:
        names = {keyword.arg for keyword in call.keywords}
        assert len(call.args) < 4 or "which" in names, ast.unparse(call)
        assert "operations" not in names or "which" in names, ast.unparse(call)


@pytest.mark.parametrize("which", sorted(definitions()))
def test_it_says_when_it_is_made_how_sure_it_is_and_what_would_disprove_it(which):
    definition = definitions()[which]
    for name in ("title", "sentence", "seen", "evidence", "disproof"):
        assert definition[name].strip(), name
    assert definition["severity"] in (1, 2, 3)
    assert definition["confidence"] in CONFIDENCES


@pytest.mark.parametrize("which", sorted(definitions()))
def test_it_has_a_cost_or_says_why_not(which, uncosted):
    if which in uncosted:
        assert definitions()[which].get("uncosted"), "neither a cost nor why it has none"
        assert not definitions()[which]["uncosted"].endswith("."), "it ends a sentence"


@pytest.mark.parametrize("which", sorted(definitions()))
def test_it_leads_to_an_experiment_to_an_owner_or_says_what_instead(which):
    definition = definitions()[which]
    ways = [which in BACKED, bool(definition.get("owner")), bool(definition.get("instead"))]
    assert any(ways) or which in SAY_SO


def test_each_of_the_table_is_made_by_the_code_and_with_evidence(made):
    text = "".join(file.read_text("utf-8") for file in CODE.glob("*.py"))
    by_data = {which for which, table in definitions().items() if "entries" in table}
    by_code = set(definitions()) - by_data
    assert [which for which in by_code if f'"{which}"' not in text] == []
    assert {which for which, _ in made} == by_code
    named = {name for table in definitions().values() for name in table.get("texts", {})}
    assert [name for name in sorted(named) if f'"{name}"' not in text] == []
    says = {which for which, definition in definitions().items() if "says" in definition}
    assert all({"evidence", "**"} & arguments.keys() or which in says for which, arguments in made)
    assert len({which for which, arguments in made if prices(arguments)}) > 40


def test_a_card_says_why_a_cost_is_not_known():
    def made(**cost):
        return Finding(
            "x", Message("a"), Message("b"), 1, (), uncosted=Message("counters show it"), **cost
        )

    assert str(cost_of(made())) == "Cost unknown: counters show it."
    known = str(cost_of(made(worker_ns=1, over_ns=1)))
    assert known == "Cost: 3,600 s of worker threads an hour."


def test_the_id_of_before_leads_to_one_that_is_made():
    every = definitions()
    before = former_ids()
    assert set(before.values()) <= every.keys()
    assert not before.keys() & every.keys(), "an id of before is no other finding now"
    assert sum(len(table.get("formerly", ())) for table in every.values()) == len(before)
    assert current_id("look_ups") == "n_plus_one"
    assert current_id("tail_filter") == "heavy_filter"
    assert current_id("stall") == "stall"


def test_the_clients_that_a_finding_names_are_rows_of_the_clients_screen():
    """Address and DN of each; how many there are, or addresses alone, have other names."""
    wrong = [
        f"{file.name}:{value.lineno}"
        for file in [*CODE.glob("*.py"), *CODE.parent.glob("evidence/*.py")]
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "clients"
        if "as_numbers()" not in ast.unparse(value)
    ]
    assert wrong == []
