"""SFTP into the practice host's root, with the rights of the user who logs in."""

from __future__ import annotations

import io
import posixpath
from typing import Any

import paramiko
from paramiko import SFTPAttributes

from ldap_workbench.practice.host.files import HostError, PracticeHost


class PracticeSftp(paramiko.SFTPServerInterface):  # type: ignore[misc]
    """Reads what a plain user may read; writes nothing."""

    def __init__(self, server: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(server, *args, **kwargs)
        self._host: PracticeHost = server.host

    def list_folder(self, path: str) -> Any:
        names = self._host.names(path)
        if not names:
            return paramiko.SFTP_NO_SUCH_FILE
        entries = [self.stat(posixpath.join(path, name)) for name in names]
        return [entry for entry in entries if isinstance(entry, SFTPAttributes)]

    def stat(self, path: str) -> Any:
        try:
            status = self._host.status(path, root=False)
        except HostError as error:
            return _code(error)
        attributes = SFTPAttributes()
        attributes.filename = posixpath.basename(path)
        attributes.st_size, attributes.st_mode = status.size, status.mode
        attributes.st_mtime = attributes.st_atime = status.modified
        attributes.st_uid = attributes.st_gid = 0
        return attributes

    lstat = stat

    def open(self, path: str, flags: int, attr: Any) -> Any:  # noqa: ARG002 - paramiko calls it so
        try:
            data = self._host.read(path, root=False)
        except HostError as error:
            return _code(error)
        handle = paramiko.SFTPHandle(flags)
        handle.readfile = io.BytesIO(data)
        handle.stat = lambda: self.stat(path)
        return handle

    def canonicalize(self, path: str) -> str:
        return posixpath.normpath(posixpath.join("/", path))


def _code(error: HostError) -> int:
    denied = "denied" in str(error)
    return int(paramiko.SFTP_PERMISSION_DENIED if denied else paramiko.SFTP_NO_SUCH_FILE)
