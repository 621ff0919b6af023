"""Why lines were skipped: each reason a reader gives has a name that can be translated."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from ldap_workbench_kernel import REASONS

import ldap_workbench
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.remarks import skipped_as

READERS = sorted((Path(ldap_workbench.__file__).parent / "logs").rglob("*.py"))


def reasons_in(reader: Path) -> Iterator[str]:
    """What a reader gives to `set_aside`, as text or by the name of a constant in its file."""
    text = reader.read_text("utf-8")
    if "set_aside" not in text:
        return
    tree = ast.parse(text)
    names = {
        each.targets[0].id: each.value.value
        for each in tree.body
        if isinstance(each, ast.Assign)
        and isinstance(each.targets[0], ast.Name)
        and isinstance(each.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "set_aside":
            for each in ast.walk(node.args[0]):
                if isinstance(each, ast.Constant):
                    yield str(each.value)
                elif isinstance(each, ast.Name) and isinstance(names.get(each.id), str):
                    yield str(names[each.id])


GIVEN = {reason.removeprefix(": ") for reader in READERS for reason in reasons_in(reader)}


def test_readers_give_reasons() -> None:
    assert {"blank line", "report since boot", "counted already"} <= GIVEN


@pytest.mark.parametrize("reason", sorted({*REASONS, *GIVEN}))
def test_every_reason_is_known(reason: str) -> None:
    assert skipped_as(reason) != verbatim(reason)
    assert str(skipped_as(reason)) == reason


def test_a_reason_of_another_version_stays_as_it_is() -> None:
    assert skipped_as("line of a new kind") == verbatim("line of a new kind")


def test_a_part_of_a_reason_is_known_by_itself() -> None:
    assert skipped_as("blank line: counted already") == Message(
        "{reason}: {why}", reason=Message("blank line"), why=Message("counted already")
    )
