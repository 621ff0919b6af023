"""A server that takes connections and does not answer."""

from __future__ import annotations

from typing import NoReturn

from ldap_workbench.connect.directory import Directory
from ldap_workbench.model.errors import NoAnswerError
from ldap_workbench.model.message import Message

HOST_ALONE = Message("Only its host is captured: its log, its disks and its processes.")
"""What is left of such a server."""


class UnansweringDirectory:
    """A Directory of which every question fails at once, for each would wait as long again."""

    def __init__(self, url: str, why: NoAnswerError) -> None:
        self.url = url
        self.why = why

    def _fail(self, *_: object, **__: object) -> NoReturn:
        raise NoAnswerError(self.why.what, safe=self.why.safe, remedy=self.why.remedy)

    search = replace = add = delete = children = _fail

    def close(self) -> None: ...


def silence_of(directory: Directory) -> NoAnswerError | None:
    """Why only the host of a connected server can be asked; None where the server answers."""
    return directory.why if isinstance(directory, UnansweringDirectory) else None
