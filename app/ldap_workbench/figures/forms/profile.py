"""The fields of a profile and back."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import Profile, SshAddress

TLS_CHOICES = ("none", "starttls", "ldaps")
HOST_CHOICES = ("ssh", "local", "none")


@dataclass(frozen=True)
class ProfileForm:
    """What stands in the dialog, as text and ticks."""

    name: str = ""
    host: str = ""
    port: str = "389"
    tls: str = "starttls"
    allow_plain: bool = False
    ca_file: str = ""
    bind_dn: str = "cn=Directory Manager"
    where: str = "ssh"
    ssh_host: str = ""
    ssh_port: str = "22"
    ssh_user: str = ""
    identity: str = ""
    sudo: bool = True
    access_log: str = ""
    restart_command: str = ""
    log_command: str = ""


def form_of(profile: Profile) -> ProfileForm:
    """The dialog's text for a stored profile."""
    match = re.fullmatch(r"(ldaps?|ldapi)://(\[[^\]]*\]|[^:/]*)(?::(\d+))?/?", profile.ldap_url)
    scheme, host, port = match.groups() if match else ("ldapi", profile.ldap_url, None)
    ssh = profile.ssh
    return ProfileForm(
        name=profile.name,
        host=profile.ldap_url if scheme == "ldapi" else host.strip("[]"),
        port=port or ("636" if scheme == "ldaps" else "389"),
        tls=_tls_of(profile, scheme),
        allow_plain=profile.allow_plain,
        ca_file=profile.ca_file or "",
        bind_dn=profile.bind_dn or "",
        where=_host_access(profile),
        ssh_host=ssh.host if ssh else "",
        ssh_port=str(ssh.port) if ssh else "22",
        ssh_user=ssh.user if ssh else "",
        identity=(ssh.identity or "") if ssh else "",
        sudo=profile.sudo,
        access_log=profile.access_log or "",
        restart_command=profile.restart_command or "",
        log_command=profile.log_command or "",
    )


def _tls_of(profile: Profile, scheme: str) -> str:
    if scheme == "ldaps":
        return "ldaps"
    return "starttls" if profile.starttls else "none"


def _host_access(profile: Profile) -> str:
    if profile.ssh:
        return "ssh"
    return "local" if profile.local else "none"


def profile_of(form: ProfileForm, stored: Profile | None = None) -> Profile:
    """The profile a filled-in dialog describes. Raises UsageError naming the field.

    What the dialog does not show (environment variables, instance) is taken from `stored`.
    """
    _wanted(form.name, Message("a name for this server"))
    _wanted(form.host, Message("the LDAP host"))
    return Profile(
        name=form.name.strip(),
        ldap_url=_url(form),
        bind_dn=form.bind_dn.strip() or None,
        password_env=stored.password_env if stored else None,
        password_fd=stored.password_fd if stored else None,
        ca_file=form.ca_file.strip() or None,
        starttls=form.tls == "starttls" and not is_socket(form.host),
        allow_plain=form.allow_plain,
        ssh=_ssh(form) if form.where == "ssh" else None,
        ssh_password_env=stored.ssh_password_env if stored else None,
        local=form.where == "local",
        sudo=form.sudo and form.where != "none",
        instance=stored.instance if stored else None,
        access_log=form.access_log.strip() or None,
        restart_command=form.restart_command.strip() or None,
        log_command=form.log_command.strip() or None,
        test_server=stored.test_server if stored else False,
    )


def is_socket(host: str) -> bool:
    """Whether what was typed as host is a socket: it has no port and no TLS, and knows who asks."""
    return host.strip().lower().startswith("ldapi://")


def _url(form: ProfileForm) -> str:
    host = form.host.strip()
    if is_socket(host):
        return host
    scheme = "ldaps" if form.tls == "ldaps" else "ldap"
    shown = f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown}:{_port(form.port, 'LDAP')}"


def _ssh(form: ProfileForm) -> SshAddress:
    _wanted(form.ssh_user, Message("the SSH user"))
    host = form.ssh_host.strip() or ("" if is_socket(form.host) else form.host.strip())
    _wanted(host, Message("the SSH host"))
    identity = form.identity.strip() or None
    return SshAddress(host, form.ssh_user.strip(), _port(form.ssh_port, "SSH"), identity)


def _port(text: str, protocol: str) -> int:
    if not text.strip().isdigit() or not 0 < int(text) < 65536:
        raise UsageError(
            Message("'{text}' is not a port.", text=text),
            remedy=Message("The {protocol} port is a number from 1 to 65535.", protocol=protocol),
        )
    return int(text)


def _wanted(text: str, what: Message) -> None:
    if not text.strip():
        raise UsageError(
            Message("The profile is not complete."), remedy=Message("Give {what}.", what=what)
        )
