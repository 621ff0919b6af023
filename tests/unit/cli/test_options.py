"""All commands name their options and arguments in one way."""

import pytest
import typer.main

from ldap_workbench.cli.app import app


def commands(group, *names):
    context = typer.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        if hasattr(found, "list_commands"):
            yield from commands(found, *names, name)
        else:
            yield pytest.param(found, id=" ".join((*names, name)))


EACH = list(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("command", EACH)
def test_a_switch_has_one_name(command):
    """What is off by default needs no second option that switches it off."""
    assert {option.name for option in command.params if option.secondary_opts} == set()


@pytest.mark.parametrize("command", EACH)
def test_arguments_are_in_capitals(command):
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    for each in arguments:
        assert each.metavar
        assert each.metavar == each.metavar.upper()
