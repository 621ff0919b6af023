"""A file of the directory server, read and replaced on its host without root being led astray.

The server's account owns the folder, so it may put a link at any name there. Hence nothing here is
done with rights which that account has not: root becomes the owner of the file first. What is
written goes to a new file of an unguessable name (O_EXCL), is flushed and then renamed into place:
a rename replaces a link and does not follow it. A file that is not there reads as empty, and one
that is put empty is removed; of an absent file the copy is empty.
"""

from __future__ import annotations

from collections.abc import Callable

from ldap_workbench.connect.commands import HostScript, host_path

# Run as the file's owner. $1 path, $2 what to do, $3 suffix of the copy or bytes that will come.
_AS_OWNER = """\
umask 077
at=${1%/*}
there() { [ -e "$1" ] || [ -L "$1" ]; }
draft() { draft=$(mktemp -- "$at/.ldap-workbench.XXXXXXXXXX"); }
place() {
  { ! there "$1" || chmod --reference="$1" -- "$draft"; } && sync -- "$draft" &&
    mv -fT -- "$draft" "$2" && sync -- "$at"
}
gone() { rm -f -- "$1" && sync -- "$at"; exit; }
drop() { rm -f -- "$draft"; exit 1; }
case $2 in
read) there "$1" || exit 0; exec cat -- "$1";;
keep) draft && { { ! there "$1" || cat -- "$1"; } >"$draft" && place "$1" "$1.$3" || drop; };;
put)
  [ "$3" != 0 ] || gone "$1"
  draft && { cat >"$draft" && [ "$(stat -c %s -- "$draft")" = "$3" ] && place "$1" "$1" || drop; };;
restore)
  [ -s "$1.$3" ] || [ ! -f "$1.$3" ] || gone "$1"
  draft && { cat -- "$1.$3" >"$draft" && place "$1" "$1" || drop; };;
forget) exec rm -f -- "$1.$3";;
java)
  tool=${1%/config/*}/bin/dsjavaproperties
  [ ! -x "$tool" ] || [ "$(stat -c %u -- "$tool")" != "$(id -u)" ] || exec "$tool" >/dev/null;;
*) exit 2;;
esac
"""


def as_owner(script: str) -> str:
    """A script for `sh` that runs `script`, which has no single quotes, as the owner of $1."""
    return f"""\
as=
if [ "$(id -u)" = 0 ]; then
  form="setpriv --reuid=%u --regid=%g --clear-groups --"
  as=$(stat -c "$form" -- "$1" 2>/dev/null || stat -c "$form" -- "${{1%/*}}/") || exit
  case $as in *--reuid=0\\ *)
    case $(stat -c "%u %A" -- "${{1%/*}}/") in
    0\\ d????-??-?*) ;;
    *) echo "$1 is of root, in a folder that others may write to" >&2; exit 1;;
    esac;;
  esac
fi
exec $as sh -c '{script}' "$0" "$@"
"""


SERVER_FILE = HostScript("server-file", as_owner(_AS_OWNER))

Run = Callable[[list[str], bytes], bytes]
"""Runs a command on the host with some input; raises where it fails."""


class ServerFile:
    """One file of the server; `run` runs a command line on its host, as root where allowed."""

    def __init__(self, path: str, run: Run) -> None:
        self._path = host_path(path)
        self._run = run

    def read(self) -> bytes:
        return self._do("read")

    def put(self, data: bytes) -> None:
        """Replace it in one step, with the same owner and rights; not at all if the link breaks."""
        self._do("put", len(data), stdin=data)

    def keep(self, copy: str) -> None:
        """Make the copy `copy`, a path beside the file."""
        self._do("keep", self._suffix(copy))

    def restore(self, copy: str) -> None:
        """Put the copy back in one step; it stays."""
        self._do("restore", self._suffix(copy))

    def forget(self, copy: str) -> None:
        """Remove the copy."""
        self._do("forget", self._suffix(copy))

    def apply_java(self) -> None:
        """Let OpenDJ take its java.properties over, in versions with a tool for that."""
        self._do("java")

    def _suffix(self, copy: str) -> str:
        return host_path(copy).removeprefix(f"{self._path}.")

    def _do(self, what: str, *words: str | int, stdin: bytes = b"") -> bytes:
        return self._run(SERVER_FILE.argv(self._path, what, *words), stdin)
