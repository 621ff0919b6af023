"""A column is defined once: a command prints it under its key, and otherwise only where it says."""

import pytest

from ldap_workbench.cli.console import print_columns
from ldap_workbench.figures.operations import clients, table
from ldap_workbench.figures.table import Column, by_keys
from ldap_workbench.figures.tails import table as tails_table
from ldap_workbench.figures.verdict import view
from ldap_workbench.model.message import Message
from ldap_workbench.model.tail import Tail

TABLES = {
    "tails": tails_table.COLUMNS,
    "clients": clients.columns({}),
    "metrics": view.COLUMNS,
    "groups": (table.GROUP_NAME, *table.GROUP_NUMBERS),
}
EMPTY = Tail("window", "SRCH", 0, None, None, None, None, None, None, 0)


@pytest.mark.parametrize("columns", TABLES.values(), ids=TABLES)
def test_every_column_has_a_key_of_its_own(columns):
    keys = [column.key for column in columns]
    assert all(keys)
    assert len(set(keys)) == len(keys)


def test_columns_are_chosen_by_key_and_in_that_order():
    chosen = by_keys(tails_table.COLUMNS, "p99", "window")
    assert [column.key for column in chosen] == ["p99", "window"]


def test_a_command_prints_what_a_column_says_under_its_key(capsys):
    columns = (
        Column[int](Message("Square"), lambda n: Message("{n}", n=n * n), number=True, key="n²"),
        Column[int](Message("Name"), str, key="name", printed=lambda n: f"no. {n}"),
    )
    print_columns(columns, [7, 40])
    assert capsys.readouterr().out.splitlines() == [
        "   n²  name  ",
        "   49  no. 7 ",
        "1,600  no. 40",
    ]


def test_a_quantile_of_no_operation_is_a_dash_that_every_terminal_has():
    cells = [column.cell(EMPTY) for column in tails_table.QUANTILES]
    assert cells == ["-"] * len(tails_table.QUANTILES)
    assert {str(column.text(EMPTY)) for column in tails_table.QUANTILES} == {"–"}
