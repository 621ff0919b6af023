"""Notes of the operator on a session, its windows and moments: all a finished file takes."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ldap_workbench.model.errors import SessionError
from ldap_workbench.model.message import Message
from ldap_workbench.model.window import Mark
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter

NOTE = "note"


def session_note(session: Session) -> str:
    """What was noted on the session as a whole; '' where nothing was."""
    return session.meta.get(NOTE, "")


def may_note(path: Path) -> bool:
    """Whether the file may be written: a sample, or one put aside for good, is not."""
    try:
        return bool(path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    except OSError:
        return False


def write_notes(path: Path, note: str, windows: Mapping[int, str]) -> None:
    """Write the note of a session and those of windows by their id; others stay.

    No Session may have the file open. Raises SessionError where the file cannot be written.
    """
    _check_writable(path)
    with SessionWriter.append(path) as writer:
        with writer.reader() as session:
            known = session.windows()
        writer.set_meta(NOTE, note)
        for window in known:
            if windows.get(window.id, window.note) != window.note:
                writer.put_window(replace(window, note=windows[window.id]))


def change_mark(path: Path, before: Mark | None, after: Mark | None) -> None:
    """Put a mark in the place of another: of none to add it, none to take it out.

    No Session may have the file open. Raises SessionError where the file cannot be written.
    """
    _check_writable(path)
    with SessionWriter.append(path) as writer:
        if before:
            writer.remove_mark(before)
        if after:
            writer.add_mark(after)


def _check_writable(path: Path) -> None:
    if not may_note(path):
        raise SessionError(
            Message("{path} is read-only: no note can be written into it.", path=path.name),
            safe=Message("The file was not changed."),
            remedy=Message("Save a copy of it and write the note there."),
        )
