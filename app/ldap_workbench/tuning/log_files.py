"""The transaction log of Berkeley DB follows its setting: its files, moved with the server stopped.

They are copied before the configuration names their new folder, and removed from the old one when
the server has started with it: whichever folder the configuration names, all of them are there. A
server that has written nothing since an import may have none (1.4.4.11).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ldap_workbench.connect.commands import HostScript, host_path
from ldap_workbench.model.errors import ChangeError
from ldap_workbench.tuning.config_file import values_in
from ldap_workbench.tuning.server_file import as_owner

LOG_FOLDER = "nsslapd-db-logdirectory"
_LDBM = "cn=config,cn=ldbm database,cn=plugins,cn=config"
_PLACES = ((f"cn=bdb,{_LDBM}", LOG_FOLDER), (_LDBM, LOG_FOLDER), (_LDBM, "nsslapd-directory"))
"""Where dse.ldif says it: servers older than 1.4.2 have no cn=bdb."""

# Run as the owner of $1. $2 what to do, $3 another folder; a copy keeps four times its room free.
_SCRIPT = """\
case $2 in
check)
  if ! [ -d "$3" ] || ! [ -w "$3" ] || ! [ -x "$3" ]; then
    echo "$(id -un) may not write to $3" >&2; exit 1
  fi
  # Links and what they lead to: whose they are says as whom they are copied, either way.
  if [ "$(stat -c %u -- "$1" "$1/" "$3" "$3/" | sort -u | wc -l)" -ne 1 ]; then
    echo "$1 and $3 do not belong to the same account" >&2; exit 1
  fi
  for at in "$3"/log.*; do
    if [ -e "$at" ]; then echo "$at is there already" >&2; exit 1; fi
  done
  need=$(du -cB1 -- "$1"/log.?????????? | tail -n 1 | cut -f 1) || exit
  free=$(df --output=avail -B1 -- "$3" | tail -n 1) || exit
  if [ "$free" -lt $((4 * need)) ]; then
    echo "$3 has $free bytes free, and the log files take $need" >&2; exit 1
  fi;;
copy)
  if [ "$1" -ef "$3" ]; then exit 0; fi
  rm -f -- "$3"/log.?????????? || exit
  for at in "$1"/log.??????????; do
    if [ -L "$at" ] || ! [ -f "$at" ]; then continue; fi
    cp -pP --remove-destination -- "$at" "$3/" && sync -- "$3/${at##*/}" || exit
  done
  exec sync -- "$3";;
drop)
  if [ "$1" -ef "$3" ]; then exit 0; fi
  exec rm -f -- "$1"/log.??????????;;
*) exit 2;;
esac
"""
LOG_FILES = HostScript("transaction-files", as_owner(_SCRIPT))

Run = Callable[[list[str]], bytes]


@dataclass(frozen=True)
class LogMove:
    """The folder the log files are in, and the one they are to be in."""

    old: str
    new: str


def folder_in(dse: str) -> str:
    """The folder of the transaction log by a dse.ldif; '' where it says none."""
    for dn, attribute in _PLACES:
        try:
            values = values_in(dse, dn, attribute)
        except ChangeError:  # it has no such entry
            continue
        if values and values[0].startswith("/"):
            return values[0]
    return ""


def log_move(now: str, then: str) -> LogMove | None:
    """What another dse.ldif asks of the log files; None where they stay."""
    old, new = folder_in(now), folder_in(then)
    return LogMove(old, new) if old and new and old != new else None


class LogFiles:
    """The log files on a host; `run` runs a command line there, as root where allowed."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def check(self, move: LogMove) -> None:
        """Raises ChangeError where the new folder cannot take them."""
        self._do(move.old, "check", move.new)

    def copy(self, move: LogMove) -> None:
        """Copy them, flushed; older copies there are removed first."""
        self._do(move.old, "copy", move.new)

    def drop(self, folder: str, in_force: str) -> None:
        """Remove those of a folder, unless it is the one in force."""
        self._do(folder, "drop", in_force)

    def _do(self, folder: str, what: str, other: str) -> None:
        self._run(LOG_FILES.argv(host_path(folder), what, host_path(other)))
