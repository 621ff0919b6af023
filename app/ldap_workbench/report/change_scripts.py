"""The changes of a session for configuration management: a dsconf script and Ansible tasks.

What stands in a session is a stranger's. In a script every word is quoted for sh; in tasks every
value is marked `!unsafe`, so that Ansible never takes it for a template.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import Protocol

from ldap_workbench.model.change import Change
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.visible import one_line
from ldap_workbench.report.trial import first_application
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.ldif import is_attribute, is_offline, ldif_to_apply, ldif_to_undo
from ldap_workbench.tuning.place import Values, describe_values

_CONFIG = "cn=config"
_HEAD = """#!/bin/sh
# Usage: URL=ldap://host DN='cn=Directory Manager' sh FILE
# Asks for the password at every change, or takes it from the file PASSWORD_FILE, which must not
# end with a line break.
set -eu
: "${URL:?the address of the server, ldap://host}" "${DN:?the bind DN}"
if [ -n "${PASSWORD_FILE:-}" ]; then set -- -y "$PASSWORD_FILE"; else set -- -W; fi
""".splitlines()
_DSCONF = 'dsconf -D "$DN" "$@" "$URL" config'


def dsconf_files(session: Session) -> dict[str, str]:
    """Scripts by file name: apply-dsconf.sh and undo-dsconf.sh. Raises UsageError without any."""
    return _files(session, "{}-dsconf{}.sh", _script)


def ansible_files(session: Session) -> dict[str, str]:
    """Playbooks by file name: apply-ansible.yml and undo-ansible.yml. Raises UsageError."""
    return _files(session, "{}-ansible{}.yml", _playbook)


class _Writer(Protocol):
    def __call__(self, changes: Sequence[Change], *, undo: bool) -> str: ...


def _files(session: Session, name: str, write: _Writer) -> dict[str, str]:
    files: dict[str, str] = {}
    kinds = changes_by_experiment(session)
    for number, changes in enumerate(kinds, start=1):
        suffix = f"-{number}" if len(kinds) > 1 else ""
        backwards = sorted(changes, key=lambda change: -change.id)
        files[name.format("apply", suffix)] = write(changes, undo=False)
        files[name.format("undo", suffix)] = write(backwards, undo=True)
    return files


def _script(changes: Sequence[Change], *, undo: bool) -> str:
    """cn=config by dsconf, every other entry by ldapmodify: dsconf has no word for each of them."""
    lines = [*_HEAD]
    for change in changes:
        new = change.stored_before if undo else change.asked
        live = is_attribute(change) and not is_offline(change)
        if live and change.dn.lower() == _CONFIG:
            lines.append(_dsconf(change.attribute, new))
        else:
            text = ldif_to_undo([change]) if undo else ldif_to_apply([change])
            quoted = shlex.quote(text)
            lines.append(f'printf %s {quoted} | ldapmodify -H "$URL" -D "$DN" "$@"')
        if change.needs_restart:
            lines.append("echo 'It takes effect after a restart of the server.' >&2")
    return "\n".join(lines) + "\n"


def _dsconf(attribute: str, new: Values) -> str:
    if new is None:
        return f"{_DSCONF} delete {shlex.quote(attribute)}"
    pairs = " ".join(shlex.quote(f"{attribute}={value}") for value in new)
    return f"{_DSCONF} replace {pairs}"


def _playbook(changes: Sequence[Change], *, undo: bool) -> str:
    """JSON is YAML; only the tag that keeps Ansible from reading templates is not JSON."""
    lines = ["- hosts: directory", "  gather_facts: false", "  tasks:"]
    for change in changes:
        lines += _task(change, change.stored_before if undo else change.asked)
    return "\n".join(lines) + "\n"


def _task(change: Change, new: Values) -> list[str]:
    name = f"{change.knob}: {describe_values(new)}"
    if is_attribute(change) and is_offline(change):
        what = one_line(f"{change.knob}: the server refuses it while it runs")
        return [f"    # Left out, see the LDIF: {what}"]
    if not is_attribute(change):
        # As in LDIF: a file of the host is a person's to write, after reading its name. Its value
        # is not told: whoever reads a playbook must not meet a template, in a comment either.
        what = one_line(f"{change.knob} ({change.attribute})")
        return [f"    # Left out, to be done by hand: {what}"]
    restart = ["    # It takes effect after a restart of the server."] * change.needs_restart
    values = ", ".join(map(_unsafe, new or ()))
    return [
        *restart,
        f"    - name: {_unsafe(name)}",
        "      community.general.ldap_attrs:",
        f"        dn: {_unsafe(change.dn)}",
        f"        attributes: {{{json.dumps(change.attribute)}: [{values}]}}",
        "        state: exact",
        '        server_uri: "{{ ldap_uri }}"',
        '        bind_dn: "{{ ldap_bind_dn }}"',
        '        bind_pw: "{{ ldap_bind_password }}"',
    ]


def _unsafe(text: str) -> str:
    return f"!unsafe {json.dumps(text)}"


def ldif_files(session: Session) -> dict[str, str]:
    """Texts by file name: apply.ldif and undo.ldif, numbered where there are several experiments.

    Raises UsageError where nothing was changed.
    """
    files: dict[str, str] = {}
    kinds = changes_by_experiment(session)
    for number, changes in enumerate(kinds, start=1):
        suffix = f"-{number}" if len(kinds) > 1 else ""
        files[f"apply{suffix}.ldif"] = ldif_to_apply(changes)
        files[f"undo{suffix}.ldif"] = ldif_to_undo(changes)
    return files


def changes_by_experiment(session: Session) -> list[Sequence[Change]]:
    """The changes of each experiment once, then those that belong to none.

    Raises UsageError where there is none.
    """
    changes = session.changes()
    parts: list[Sequence[Change]] = []
    groups: set[str] = set()
    for experiment in session.experiments():
        groups.update(experiment.change_groups)
        parts.append(first_application(c for c in changes if c.group in experiment.change_groups))
    parts.append(first_application(c for c in changes if c.group not in groups))
    if not any(parts):
        raise UsageError(
            Message("The session has no change to write down."),
            safe=Message("Nothing was written."),
            remedy=Message("Choose another format; a capture alone changes nothing."),
        )
    return [part for part in parts if part]
