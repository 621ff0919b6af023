"""The journal of changes: `journal`, `journal close` and `revert`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ldap_workbench.cli.console import confirm, note, print_json, print_table, say
from ldap_workbench.cli.link import Writer, connected_to_revert, opened_journal
from ldap_workbench.cli.server import Json, Offline, ProfileName
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.experiment.history import remember_closed
from ldap_workbench.model.change import Change
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.tuning.place import describe_values
from ldap_workbench.tuning.tuner import Tuner


class _ListByDefault(TyperGroup):
    """`journal` and `journal PROFILE` list; another word for that would be one to remember."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or args[0] not in (*self.commands, *ctx.help_option_names):
            args = ["list", *args]
        return super().parse_args(ctx, args)


commands = typer.Typer(
    cls=_ListByDefault,
    help="List the changes made on servers, or close one whose server is gone. "
    "`journal [PROFILE]` lists.",
)


@commands.command("list")
def list_(
    profile: Annotated[
        str | None, typer.Argument(metavar="[PROFILE]", help="Only this profile's server.")
    ] = None,
    json: Json = False,
) -> None:
    """List the changes made on servers; the open ones are marked."""
    server = ProfileStore().get(profile).server_url if profile else None
    with opened_journal() as entries:
        changes = entries.changes(server)
    if json:
        print_json([asdict(change) for change in changes])
        return
    rows = [_change_row(change) for change in changes]
    where = ("id", "state", "profile", "server")
    print_table((*where, "knob", "before", "asked", "got", "proof"), rows)


def _change_row(change: Change) -> list[str]:
    values = [str(describe_values(value)) for value in (change.before, change.asked, change.got)]
    state = change.state.value + (" (OPEN)" if change.state.open else "")
    where = [change.profile, change.server]
    return [str(change.id), state, *where, change.knob, *values, str(change.proof)]


def revert(
    profile: ProfileName,
    number: Annotated[int | None, typer.Argument(metavar="[ID]", help="One change.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="All open changes.")] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Overwrite a value that another administrator has set since."),
    ] = False,
    offline: Offline = False,
    yes: Annotated[
        bool,
        typer.Option(
            "--yes",
            "-y",
            help="It is the server that was changed, though its identity is not known, or its "
            "certificate was renewed.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Revert one change with its group, or all open changes."""
    if (number is None) == (not all_):
        raise UsageError(
            Message("No change was named."),
            remedy=Message("Give an ID from the journal, or --all for all open changes."),
        )
    with (
        opened_journal(Writer.REVERT) as entries,
        connected_to_revert(profile, entries, offline) as target,
    ):
        tuner = Tuner(target, entries)
        tuner.may_stop = offline
        group = "" if number is None else entries.get(number).group
        # Also while nothing is open: a run in a window of arm A makes its change again.
        with tuner.locked():
            wanted = entries.group(group) if group else tuner.open_changes()
            if yes:
                tuner.accept_new_certificate()
            else:
                _agree_to_url(tuner, wanted)
            changes = tuner.revert(group, force=force) if group else tuner.recover(force=force)
    _print_reverted(changes, json=json)


def _agree_to_url(tuner: Tuner, changes: list[Change]) -> None:
    """Ask where nothing but the URL says which server was changed. Raises UsageError."""
    unknown = [change for change in changes if tuner.is_known_by_url_alone(change)]
    if not unknown:
        return
    for change in unknown:
        note(f"{change.knob} (no. {change.id}) was changed at {change.server}.")
    if not confirm(f"Is {tuner.server} still the server that was changed?"):
        raise UsageError(
            Message("Only the URL says which server was changed; its identity is not known."),
            safe=Message("Nothing was changed; the journal keeps it open."),
            remedy=Message("If it is still that server, answer yes or add --yes."),
        )


def _print_reverted(changes: list[Change], *, json: bool) -> None:
    if json:
        print_json([asdict(change) for change in changes])
        return
    if not changes:
        say("There was nothing to revert.")
    for change in changes:
        restart = " (takes effect at the next restart)" if change.needs_restart else ""
        before = describe_values(change.before)
        how = f": {change.message}" if change.origin else ""
        say(f"{change.knob}: {change.state.value}, is {before} again{restart}{how}")


@commands.command("close")
def close(
    number: Annotated[int, typer.Argument(metavar="ID", help="One change, with its group.")],
    because: Annotated[
        str, typer.Option(help="Why it cannot be reverted; kept in the journal and in history.")
    ],
    json: Json = False,
) -> None:
    """Close an open change whose server is gone for good. Nothing is written to any server."""
    with opened_journal() as entries:
        group = entries.get(number).group
        closed = entries.close_unreverted(group, because)
        remember_closed(entries.application(group), closed, because.strip())
    if json:
        print_json([asdict(change) for change in closed])
        return
    for change in closed:
        say(f"{change.knob} on {change.server_name}: closed, not reverted. {change.message}")
