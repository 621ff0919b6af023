"""The changes of a session as LDIF files: one to make them again, one to undo them."""

from __future__ import annotations

from collections.abc import Sequence

from ldap_workbench.model.change import Change
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.report.trial import first_application
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.ldif import ldif_to_apply, ldif_to_undo


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
