"""LDIF to do by hand what the workbench did, and to undo it."""

from __future__ import annotations

import base64
import re
import shlex
from collections.abc import Iterable
from contextlib import suppress

from ldap_workbench.model.change import WHOLE_ENTRY, Change
from ldap_workbench.model.errors import KnobError
from ldap_workbench.model.knob import Effect
from ldap_workbench.tuning.catalogue import load_catalogue
from ldap_workbench.tuning.host_values import SWITCHES, switches_to_write, to_write
from ldap_workbench.tuning.index_builds import task_of
from ldap_workbench.tuning.indexes import (
    LINES,
    OPENDJ,
    attribute_and_backend,
    attributes_of,
    entries_at,
    must_build,
)
from ldap_workbench.tuning.java_args import is_java_args
from ldap_workbench.tuning.place import Values, describe_values
from ldap_workbench.tuning.unit_file import is_drop_in

_WIDTH = 76
_ATTRIBUTE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*(;[A-Za-z0-9-]+)*", re.ASCII)
"""An attribute description of RFC 4512; it stands in LDIF as it is."""


def ldif_to_apply(changes: Iterable[Change]) -> str:
    """LDIF (RFC 2849) that makes the changes again, in their order. Kernel files are comments."""
    return _document("Apply", [_record(change, change.before, change.asked) for change in changes])


def ldif_to_undo(changes: Iterable[Change]) -> str:
    """LDIF that puts back what was before, last change first, removing what was absent."""
    backwards = sorted(changes, key=lambda change: -change.id)
    return _document(
        "Undo", [_record(change, change.asked, change.stored_before) for change in backwards]
    )


def is_attribute(change: Change) -> bool:
    """Whether a change is of an attribute of an entry: no file of a host, and no other text."""
    return change.dn[:1] not in ("", "/") and _ATTRIBUTE.fullmatch(change.attribute) is not None


def _document(verb: str, records: list[str]) -> str:
    head = f"# {verb} with: ldapmodify -H URL -D DN -W -f FILE\nversion: 1\n\n"
    return head + "\n".join(records)


def _record(change: Change, old: Values, new: Values) -> str:
    restart = "# Works after a restart of the server.\n" if change.needs_restart else ""
    head = _said(f"{change.knob}: {describe_values(old)} -> {describe_values(new)}") + restart
    if is_drop_in(change.attribute):
        todo = "remove it, and its folder if that is empty"
        if new:
            todo = f"its lines are [Service] and LimitNOFILE={new[0]}"
        where = _said(f"On {change.server}, {change.attribute}: {todo}.")
        return head + where + _said("Then: systemctl daemon-reload")
    if not change.dn:
        path, text = to_write(change.attribute, str(describe_values(new)))
        texts = switches_to_write(" ".join(old or ()), text) if path in SWITCHES else [text]
        return head + "".join(
            _said(f"On {change.server}: echo {shlex.quote(part)} > {shlex.quote(path)}")
            for part in texts
        )
    if is_java_args(change.dn, change.attribute):
        line = "take out the line" if new is None else f"{change.attribute}={new[0]}"
        return head + _said(f"In {change.dn} of the host: {line}")
    if change.attribute == WHOLE_ENTRY:
        return head + _entry(change.dn, new) + _build(change, old, new)
    if not _ATTRIBUTE.fullmatch(change.attribute):
        return head + _said(f"Left out: '{change.attribute}' is no name of an attribute.")
    if is_offline(change):
        where = _said(f"Not while it runs: stop it, in its stored configuration {change.dn}")
        line = f"take out {change.attribute}" if new is None else f"set {change.attribute}"
        value = "" if new is None else f": {describe_values(new)}"
        return head + where + _said(f"{line}{value}, start it.")
    lines = [ldif_line("dn", change.dn), "changetype: modify"]
    lines.append(f"{'delete' if new is None else 'replace'}: {change.attribute}")
    lines += [ldif_line(change.attribute, value) for value in new or ()]
    return head + "\n".join([*lines, "-"]) + "\n" + _build(change, old, new)


def _entry(dn: str, lines: Values) -> str:
    """A record that adds an entry of these lines, None: that removes it."""
    if lines is None:
        return ldif_line("dn", dn) + "\nchangetype: delete\n"
    record = [ldif_line("dn", dn), "changetype: add"]
    for name, values in attributes_of(lines).items():
        if _ATTRIBUTE.fullmatch(name):
            record += [ldif_line(name, value) for value in values]
    return "\n".join(record) + "\n"


def _build(change: Change, old: Values, new: Values) -> str:
    """The record of the task by which 389 DS builds an index; slapd does it by itself."""
    if change.attribute.lower() == LINES.lower() or not must_build(change, old, new):
        return ""
    if entries_at(change.dn) is OPENDJ:
        attribute, backend = attribute_and_backend(change.dn)
        return _said(f"Then build it: rebuild-index --index {attribute} --baseDN <of {backend}>")
    dn, task = task_of(change.dn, "", f"build-{change.id}")
    lines = [
        f"{name}: {value}"
        for name, values in task.items()
        for value in ([values] if isinstance(values, str) else values)
    ]
    return "\n" + _entry(dn, tuple(lines))


def is_offline(change: Change) -> bool:
    """Whether it is not set while the server runs: its stored configuration is edited instead."""
    for product in ("389ds", "openldap"):
        with suppress(KnobError):  # a knob of another product, or of an older catalogue
            knob = load_catalogue(product).knob(change.knob)
            return knob.effect is Effect.OFFLINE or bool(knob.crashes)
    return False


def _said(text: str) -> str:
    """A comment, whatever is in the text.

    A line that begins with a blank goes on the one before, any other would be a command of a
    stranger's session.
    """
    lines = text.splitlines() or [""]
    return "".join(f"# {_printable(line)}\n" for line in lines)


def _printable(line: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in line)


def ldif_line(name: str, value: str) -> str:
    """One line of LDIF, in base64 where RFC 2849 wants it, folded at 76 characters."""
    if _is_safe(value):
        line = f"{name}: {value}"
    else:
        line = f"{name}:: {base64.b64encode(value.encode()).decode()}"
    first, rest = line[:_WIDTH], line[_WIDTH:]
    folded = [rest[at : at + _WIDTH - 1] for at in range(0, len(rest), _WIDTH - 1)]
    return "\n ".join([first, *folded])


def _is_safe(value: str) -> bool:
    if not value:
        return True
    if value[0] in " :<" or value.endswith(" "):
        return False
    return value.isascii() and value.isprintable()
