"""The limit on open files of a server that systemd starts: a drop-in file of ours for its unit.

systemd reads UNIT.d/*.conf in the order of their names, so ours is the last, and no file of an
administrator or of the package is touched. It is read by `systemctl daemon-reload`, and the limit
is that of the process from its next start on (systemd.unit(5), systemd.exec(5)).
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Sequence

from ldap_workbench.connect.commands import HostScript, host_path
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.model.errors import CommandError, KnobError
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.profile import Profile
from ldap_workbench.tuning.tunable import Tunable

PROCESS = "/proc/PID/limits"
"""In place of an entry, where the evidence of a knob is a limit of the server's process."""
FOLDER = "/etc/systemd/system"
_DROP_IN = ".d/zz-ldap-workbench.conf"
_UNIT = re.compile(r"[A-Za-z0-9][A-Za-z0-9:_.@-]*", re.ASCII)
_FORM = re.compile(
    r"# LDAP Tuning Workbench: a revert removes it\.\n"
    r"(?:# The folder was made for this file: it goes with it\.\n)?"
    r"\[Service\]\nLimitNOFILE=(\d+)\n"
)
# $1 the unit's own place in /etc, $2 the limit or absent. What makes the file absent again knows
# from the file itself whether its folder was made for it, and a file that never came there is
# beside the folder with the same words: an end halfway, at any line, leaves what a repetition ends.
UNIT_LIMIT = HostScript(
    "unit-limit",
    """\
umask 022
file=$1.d/zz-ldap-workbench.conf
made="# The folder was made for this file: it goes with it."
case $2 in
absent)
  if [ -e "$file" ]; then mv -fT -- "$file" "$1.ldap-workbench.undone" || exit; fi
  if [ -d "$1.d" ] && grep -qsxF "$made" "$1".ldap-workbench.*; then
    rmdir --ignore-fail-on-non-empty -- "$1.d" || exit
  fi
  rm -f -- "$1".ldap-workbench.* || exit;;
""|*[!0-9]*) echo "$2 is no limit" >&2; exit 2;;
*)
  systemctl daemon-reload || exit  # where systemd does not run nothing is written
  [ ! -d "$1.d" ] || grep -qsxF "$made" "$file" || made=
  draft=$(mktemp -- "$1.ldap-workbench.XXXXXXXXXX") || exit
  {
    printf "%s\\n" "# LDAP Tuning Workbench: a revert removes it."
    [ -z "$made" ] || printf "%s\\n" "$made"
    printf "%s\\n" "[Service]" "LimitNOFILE=$2"
  } >"$draft" && chmod 644 -- "$draft" && sync -- "$draft" &&
    { [ -d "$1.d" ] || mkdir -- "$1.d"; } && mv -fT -- "$draft" "$file" || {
    rm -f -- "$draft"; [ -z "$made" ] || rmdir -- "$1.d" 2>/dev/null; exit 1; };;
esac
exec systemctl daemon-reload
""",
)


def unit_file(profile: Profile) -> str:
    """The place of the server's unit in /etc, by the profile's restart command.

    There need be no such file: the package's is elsewhere. Raises KnobError without a unit.
    """
    argv = shlex.split(profile.restart_command or "")
    programs = [posixpath.basename(word) for word in argv]
    unit = argv[-1] if "systemctl" in programs and "restart" in argv[:-1] else ""
    if not _UNIT.fullmatch(unit):
        raise KnobError(
            Message("The unit of systemd that starts the server is not known."),
            safe=Message("Nothing was changed."),
            remedy=Message(
                "Set a restart command that names it, such as 'systemctl restart NAME'. Without "
                "systemd set the limit where the server is started: ulimit -n, docker run --ulimit."
            ),
        )
    unit = unit if unit.endswith(".service") else f"{unit}.service"
    return f"{FOLDER}/{unit}"


def is_drop_in(path: str) -> bool:
    """Whether a file of the host is our drop-in of a unit."""
    return path.endswith(_DROP_IN)


def read_limit(shell: RemoteShell, drop_in: str) -> tuple[str, ...] | None:
    """What our drop-in sets, None where there is none. Raises CommandError."""
    path = host_path(drop_in)
    result = shell.run(["test", "-e", path])
    if result.status == 1:
        return None
    if not result.status:
        result = shell.run(["cat", path])
    if result.status:
        said = result.stderr.decode(errors="replace").strip()
        what = Message("{path} could not be read", path=path)
        raise CommandError(
            Message("{what}: {reason}.", what=what, reason=verbatim(said)),
            status=result.status,
            stderr=said,
            safe=Message("Nothing was changed."),
            remedy=Message("Let the user of the shell read it, then try again."),
        )
    return limit_in(result.stdout.decode(errors="replace"))


def limit_argv(drop_in: str, values: Sequence[str] | None) -> list[str]:
    """The command line that sets the limit; None has the drop-in removed."""
    unit = host_path(drop_in.removesuffix(_DROP_IN))
    return UNIT_LIMIT.argv(unit, values[0] if values else "absent")


def limit_in(text: str) -> tuple[str, ...]:
    """What a drop-in sets; all of its text where it is not as we write it."""
    ours = _FORM.fullmatch(text)
    return (ours[1] if ours else text.strip(),)


def process_limit(target: Tunable, name: str) -> tuple[str, ...] | None:
    """The soft limit of the server's process by its name in /proc; None where it is not seen."""
    if target.shell is None or not target.facts.pid_file:
        return None
    said = target.shell.run(["cat", host_path(target.facts.pid_file)]).stdout.decode().strip()
    if not said.isdigit():
        return None
    limits = target.shell.run(["cat", f"/proc/{said}/limits"]).stdout.decode(errors="replace")
    row = re.search(rf"^{re.escape(name)}\s+(\S+)", limits, re.MULTILINE)
    return (row[1],) if row else None
