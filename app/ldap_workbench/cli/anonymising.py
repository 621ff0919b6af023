"""`anonymise`: a session without names, to hand on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from ldap_workbench.cli.console import long_work, say
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message


def anonymise(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A session file (*.ldapwb).")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Session file to write.")],
    key_env: Annotated[
        str,
        typer.Option(
            help="Environment variable with a secret key: the same key gives the same pseudonyms. "
            "Without it the key is random and not kept."
        ),
    ] = "",
) -> None:
    """Copy a session without its names.

    Names, DNs, filter values, hosts and addresses become pseudonyms; tails and findings stay.
    """
    from ldap_workbench.report.anonymous.copy import anonymise as write_copy

    with long_work() as (tell, cancel):
        write_copy(file, output, _key(key_env), progress=tell, cancel=cancel)
    say(f"Session without names: {output}")


def _key(variable: str) -> bytes | None:
    if not variable:
        return None
    if not (text := os.environ.get(variable, "")):
        raise UsageError(
            Message("The environment variable {name} is not set.", name=variable),
            remedy=Message("Put a long random text into it, or leave out --key-env."),
        )
    return text.encode()
