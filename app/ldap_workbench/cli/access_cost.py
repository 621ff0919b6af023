"""The command that asks the same search as two identities: what access control costs."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from ldap_workbench.cli.console import long_work, print_json, print_table, say
from ldap_workbench.cli.link import say_what_is_open, secrets_of_operator
from ldap_workbench.connect.directory import announce
from ldap_workbench.connect.ldap import open_directory
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.experiment.identities import (
    FEWEST_PAIRS,
    IdentityComparison,
    SearchQuestion,
    compare_identities,
)
from ldap_workbench.model.stored import as_stored
from ldap_workbench.model.units import format_duration


def access_cost(
    profile: Annotated[
        str,
        typer.Argument(
            metavar="PROFILE", help="Profile bound as a user that bypasses access control."
        ),
    ],
    other: Annotated[
        str,
        typer.Argument(metavar="OTHER", help="Profile of the same server, bound as a client."),
    ],
    base: Annotated[str, typer.Option(help="Base of the search.")],
    filter: Annotated[str, typer.Option(help="Filter of the search.")] = "(objectClass=*)",  # noqa: A002
    scope: Annotated[str, typer.Option(help="base, one or sub.")] = "sub",
    pairs: Annotated[int, typer.Option(min=FEWEST_PAIRS, max=1000, help="Pairs of searches.")] = 20,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Measure what access control costs: the same search as two identities, in turn. Read only."""
    store = ProfileStore()
    say_what_is_open(store.get(profile))
    with secrets_of_operator() as secrets:
        first = open_directory(store.get(profile), secrets)
        with closing(first), closing(open_directory(store.get(other), secrets)) as second:
            for directory in (first, second):
                announce(
                    directory
                )  # a capture meanwhile does not take these searches for a client's
            question = SearchQuestion(base, filter, scope)
            with long_work() as (progress, stop):
                comparison = compare_identities(
                    first, second, question, pairs, progress=progress, cancel=stop
                )
    if json:
        print_json(as_stored(comparison) | {"established": comparison.established})
        return
    _print_comparison(comparison, profile, other)


def _print_comparison(comparison: IdentityComparison, profile: str, other: str) -> None:
    rows = [
        [profile, format_duration(comparison.first_ns), f"{comparison.first_entries:,}"],
        [other, format_duration(comparison.second_ns), f"{comparison.second_entries:,}"],
    ]
    print_table(("asked as", "median", "entries"), rows, numbers=("median", "entries"))
    say(str(comparison.sentence))
    if comparison.first_entries != comparison.second_entries:
        say("They are shown different numbers of entries: part of the difference is that.")
