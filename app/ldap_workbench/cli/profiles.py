"""Commands on profiles: add, list, show, test, remove."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import asdict, replace
from typing import Annotated, Any

import typer

from ldap_workbench.capture.live.check import StepResult, by_urgency, summary, try_profile
from ldap_workbench.capture.live.network_share import PAIRS, measure_network_share
from ldap_workbench.cli.console import (
    long_work,
    note,
    print_json,
    print_table,
    say,
    say_text,
)
from ldap_workbench.cli.link import agree_to_key, say_what_is_open, secrets_of_operator
from ldap_workbench.cli.server import Json
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.ssh import accept_fingerprint, open_shell
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import Profile, SshAddress
from ldap_workbench.servers.target import connect

commands = typer.Typer(
    no_args_is_help=True, help="Manage profiles: how to connect to servers, without secrets."
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the profile.")]


def parse_ssh(text: str, identity: str | None = None) -> SshAddress:
    """USER@HOST[:PORT]; an IPv6 address stands in brackets. Raises UsageError."""
    match = re.fullmatch(r"([^@\s]+)@(\[[^\]]+\]|[^:\s]+)(?::(\d+))?", text)
    if not match:
        raise UsageError(
            Message("'{text}' is not USER@HOST:PORT.", text=text),
            remedy=Message("For example admin@ldap1:22."),
        )
    user, host, port = match.groups()
    return SshAddress(host.strip("[]"), user, int(port or 22), identity)


@commands.command()
def add(
    name: Name,
    ldap: Annotated[
        str, typer.Option(help="ldap://, ldaps:// or ldapi:// URL (ldapi:/// for slapd).")
    ],
    bind_dn: Annotated[str | None, typer.Option(help="DN to bind as; anonymous without.")] = None,
    password_env: Annotated[
        str | None, typer.Option(help="Environment variable that holds the password.")
    ] = None,
    password_fd: Annotated[
        int | None, typer.Option(help="File descriptor to read the password from.")
    ] = None,
    ca: Annotated[str | None, typer.Option(help="File with the CA certificate.")] = None,
    starttls: Annotated[bool, typer.Option("--starttls", help="Use StartTLS.")] = False,
    allow_plain: Annotated[
        bool,
        typer.Option("--allow-plain", help="Allow the password over an unencrypted connection."),
    ] = False,
    ssh: Annotated[
        str | None,
        typer.Option(help="USER@HOST:PORT of the server's host, where the socket of ldapi:// is."),
    ] = None,
    identity: Annotated[str | None, typer.Option(help="Private key file for SSH.")] = None,
    ssh_password_env: Annotated[
        str | None, typer.Option(help="Environment variable with the SSH password.")
    ] = None,
    host_key: Annotated[
        str | None, typer.Option(help="Fingerprint of the host key (SHA256:...) to accept now.")
    ] = None,
    local: Annotated[
        bool, typer.Option("--local", help="The server runs on this machine.")
    ] = False,
    sudo: Annotated[bool, typer.Option("--sudo", help="Allow sudo -n on the host.")] = False,
    instance: Annotated[str | None, typer.Option(help="Instance name.")] = None,
    access_log: Annotated[
        str | None, typer.Option(help="Path of the access log, if the server reports a wrong one.")
    ] = None,
    restart_command: Annotated[
        str | None, typer.Option(help="Command on the host that restarts the server.")
    ] = None,
    log_command: Annotated[
        str | None,
        typer.Option(help="Command on the host that prints the access log as it is written."),
    ] = None,
    test: Annotated[
        bool,
        typer.Option("--test", help="Test it at once, as `profile test NAME --store` does."),
    ] = False,
    test_server: Annotated[
        bool,
        typer.Option(
            "--test-server",
            "--replay-writes",
            help="A test server: replays of any origin, and `replay run --writes-under`.",
        ),
    ] = False,
) -> None:
    """Add a profile, or replace the one of that name."""
    profile = Profile(
        name=name,
        ldap_url=ldap,
        bind_dn=bind_dn,
        password_env=password_env,
        password_fd=password_fd,
        ca_file=ca,
        starttls=starttls,
        allow_plain=allow_plain,
        ssh=parse_ssh(ssh, identity) if ssh else None,
        ssh_password_env=ssh_password_env,
        local=local,
        sudo=sudo,
        instance=instance,
        access_log=access_log,
        restart_command=restart_command,
        log_command=log_command,
        test_server=test_server,
    )
    if host_key and profile.ssh:
        accept_fingerprint(profile.ssh, host_key)
    ProfileStore().add(profile)
    if test:
        say(f"Profile '{name}' saved.")
        try_(name, store=True)
    else:
        say(f"Profile '{name}' saved. Try it: ldap-workbench profile test {name}")


@commands.command("list")
def list_(json: Json = False) -> None:
    """List the profiles."""
    profiles = ProfileStore().all()
    if json:
        print_json([asdict(profile) for profile in profiles])
        return
    rows = [(p.name, p.server_url, p.bind_dn or "", str(p.ssh or "")) for p in profiles]
    print_table(("name", "LDAP", "binds as", "SSH"), rows)


@commands.command()
def show(name: Name, json: Json = False) -> None:
    """Show one profile."""
    profile = asdict(ProfileStore().get(name))
    if json:
        print_json(profile)
        return
    for key, value in profile.items():
        if value not in (None, False):
            say(f"{key.replace('_', ' '):>16}: {value}")


@commands.command()
def remove(name: Name) -> None:
    """Remove a profile; sessions and the journal keep what they know of its server."""
    ProfileStore().remove(name)
    say(f"Profile '{name}' removed.")


@commands.command()
def sudoers(
    name: Name,
    program: Annotated[
        bool, typer.Option("--program", help="Print the program that the file allows.")
    ] = False,
    offline: Annotated[
        bool,
        typer.Option(
            "--offline", help="Also allow stopping the server and editing its configuration."
        ),
    ] = False,
) -> None:
    """Print the sudoers file that allows what this profile runs as root, and nothing else."""
    from ldap_workbench.experiment import sudoers as rights

    with secrets_of_operator() as secrets, closing(connect(ProfileStore().get(name), secrets)) as t:
        printed = rights.program if program else rights.sudoers
        say_text(printed(t, offline=offline))


@commands.command("test")
def try_(
    name: Name,
    store: Annotated[
        bool,
        typer.Option(
            "--store",
            help="Store in the profile what the test found: the log of a slapd behind syslog or "
            "the journal, the socket of ldapi:///.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Test every step of the connection: what works, what does not and why."""
    profile = ProfileStore().get(name)
    with secrets_of_operator() as secrets:
        steps = try_profile(profile, secrets, accept_key=agree_to_key)
        named: dict[str, Any] = {
            setting: value for step in steps for setting, value in step.settings.items()
        }
        if store and named:
            profile = replace(profile, **named)
            ProfileStore().add(profile)
            for setting, value in named.items():
                note(f"Stored in profile '{name}': {setting.replace('_', ' ')} {value}")
            steps = try_profile(profile, secrets, accept_key=agree_to_key)
    say_what_is_open(profile)
    if json:
        print_json([_step_json(step) for step in steps])
    else:
        rows = [
            (_state_of(step), str(step.name), str(step.text), str(step.remedy))
            for step in by_urgency(steps)
        ]
        print_table(("", "step", "what was seen", "what to do"), rows)
        say("", str(summary(steps)))
    if not all(step.ok for step in steps):
        raise typer.Exit(1)


def _state_of(step: StepResult) -> str:
    if step.failed:
        return "FAILS"
    return "works" if step.tried else "not tried"


def _step_json(step: StepResult) -> dict[str, Any]:
    shown = {"name": step.name, "ok": step.ok, "text": step.text, "remedy": step.remedy}
    return {**shown, "tried": step.tried, "settings": dict(step.settings)}


@commands.command()
def network(
    name: Name,
    pairs: Annotated[int, typer.Option(help="Number of pairs.")] = PAIRS,
    json: Json = False,
) -> None:
    """Measure how much of the response time is network: one search from here and on the host."""
    profile = ProfileStore().get(name)
    say_what_is_open(profile)
    with secrets_of_operator() as secrets, long_work() as (progress, cancel):
        shell = open_shell(profile, secrets)
        if shell is None:
            raise UsageError(
                Message("Profile {name} names no host to ask on.", name=name),
                remedy=Message("Add SSH to the profile."),
            )
        with closing(shell):
            share = measure_network_share(
                profile, shell, pairs=pairs, progress=progress, cancel=cancel
            )
    if json:
        print_json(asdict(share))
    else:
        say(str(share.sentence()))
