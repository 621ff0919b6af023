"""What an operator's login needs of root on a host, as a sudoers file and a program, no more.

sudo matches the words of a command as one text, so nothing here has wildcards: each command line is
the very one that is run. What varies (which file of a log, from which byte) goes to the program,
which checks it, and works with the rights of the file's owner.
"""

from __future__ import annotations

import getpass
import posixpath
import re
import shlex
from collections.abc import Iterable
from contextlib import suppress

from ldap_workbench.connect.commands import PROGRAM, SCRIPTS, HostPath, host_path
from ldap_workbench.connect.socket_relay import DIRECTORY_SOCKET, asks_as_root, socket_on
from ldap_workbench.model.errors import ChangeError, KnobError, UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.servers.product import product_of
from ldap_workbench.servers.target import Target
from ldap_workbench.tuning.catalogue import load_catalogue
from ldap_workbench.tuning.config_file import config_file
from ldap_workbench.tuning.entries import Entries
from ldap_workbench.tuning.host_values import DEBUGFS, ROOTS_ALONE, share_beside
from ldap_workbench.tuning.index_budget import folder_of
from ldap_workbench.tuning.log_files import LOG_FILES
from ldap_workbench.tuning.page_cache import DROP_CACHES
from ldap_workbench.tuning.server_file import SERVER_FILE
from ldap_workbench.tuning.slapd_index import SLAPD_INDEX
from ldap_workbench.tuning.stopped_host import service_commands
from ldap_workbench.tuning.stored import STORED_NAMES, shows_what_is_not_stored
from ldap_workbench.tuning.unit_file import UNIT_LIMIT, unit_file

_BIN = "/usr/bin"


def sudoers(target: Target, *, offline: bool) -> str:
    """The sudoers file for the profile of a connected server.

    `offline` adds what stops the server and edits its configuration. Raises UsageError for a path
    that sudoers cannot name, CommandError for one that no command may have.
    """
    user = target.profile.ssh.user if target.profile.ssh else getpass.getuser()
    user = re.sub(r"([\\ ,:=!()#])", r"\\\1", user)
    alias = "LDAP_WORKBENCH_" + re.sub(r"\W", "_", target.profile.name.upper())
    commands = [_line(argv) for argv in _commands(target, offline=offline)]
    listed = ", \\\n    ".join([f'{_BIN}/true ""', *dict.fromkeys(commands), PROGRAM])
    return (
        f"# LDAP Tuning Workbench, profile {target.profile.name}: what it runs as root, no more.\n"
        f"# /etc/sudoers.d/ldap-workbench, root, 0440; visudo -cf FILE checks it.\n"
        f"# {PROGRAM}: see --program.\n"
        f"Cmnd_Alias {alias} = \\\n    {listed}\n"
        f"Defaults:{user} !requiretty\n"
        f"{user} ALL=(root) NOPASSWD: {alias}\n"
    )


def program(target: Target, *, offline: bool) -> str:
    """The program that reads the server's logs, for PROGRAM on its host."""
    readers = sorted(name for name, script in SCRIPTS.items() if not script.as_login)
    of_one_file = (STORED_NAMES, SERVER_FILE, UNIT_LIMIT, SLAPD_INDEX, DIRECTORY_SOCKET)
    exact = [script.name for script in of_one_file]
    # The program takes no second folder: whoever moves the transaction log needs sudo for sh.
    files = {name: _logs(target) for name in readers if name not in (*exact, LOG_FILES.name)}
    if shows_what_is_not_stored(target):
        files[STORED_NAMES.name] = _dse(target)
    if offline:
        files[SERVER_FILE.name] = _edited(target)
        if product_of(target.facts) == "openldap":
            files[SLAPD_INDEX.name] = files[SERVER_FILE.name][:1]
    with suppress(KnobError):  # no unit of systemd starts it
        files[UNIT_LIMIT.name] = [host_path(unit_file(target.profile))]
    if target.shell and asks_as_root(target.profile):
        files[DIRECTORY_SOCKET.name] = [socket_on(target.shell, target.profile)]
    parts = [_part(name, paths, more=name not in exact) for name, paths in files.items()]
    return _HEAD.format(program=PROGRAM, profile=target.profile.name) + "".join(parts) + _FOOT


_HEAD = """\
#!/bin/sh
# LDAP Tuning Workbench, profile {profile}: reads the files named below, as their owner.
# Belongs at {program}, owned by root, mode 0755.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL
cd / || exit
name=$1 path=$2
refuse() {{ echo "${{0##*/}}: $name $path is not allowed here" >&2; exit 77; }}
case $path in
*[[:cntrl:]]*|*//*|*/./*|*/../*|*/.|*/..) refuse;;
/*) ;;
*) refuse;;
esac
first=2
for word; do
  case $first in 0) case $word in *[!0-9A-Za-z.-]*) refuse;; esac;; *) first=$((first - 1));; esac
done
"""
_PART = """
if [ "$name" = {name} ]; then
  case $path in
{allowed}
  *) refuse;;
  esac
  case $rest in {unwanted}) refuse;; esac
{owner}  shift
{text}
  exit
fi
"""
# Links are the reason to be the owner: whoever owns the folder could lay one to a file of root.
_AS_OWNER = """\
  if [ "$(id -u)" = 0 ]; then
    form="setpriv --reuid=%u --regid=%g --clear-groups --"
    as=$(stat -c "$form" -- "$path" 2>/dev/null)
    case $as in ""|*--reuid=0\\ *) as=$(stat -c "$form" -- "${path%/*}/") || exit;; esac
    case $as in *--reuid=0\\ *) ;; *) exec $as "$0" "$@";; esac
  fi
"""
_FOOT = "\nrefuse\n"


def _part(name: str, paths: Iterable[HostPath], *, more: bool) -> str:
    star = "*" if more else ""
    allowed = "\n".join(
        f"  {shlex.quote(path)}{star}) rest=${{path#{shlex.quote(path)}}};;" for path in paths
    )
    unwanted = "*/*" if more else "?*"
    script = SCRIPTS[name]
    owner = "" if script.as_root else _AS_OWNER
    return _PART.format(
        name=name, allowed=allowed, unwanted=unwanted, owner=owner, text=script.text
    )


def _logs(target: Target) -> list[HostPath]:
    facts = target.facts
    named = (target.profile.access_log or facts.access_log, facts.error_log)
    return [host_path(path) for path in named if path]


def _dse(target: Target) -> list[HostPath]:
    """The server's dse.ldif; none where this bind may not read where it is."""
    try:
        return [host_path(config_file(target))]
    except ChangeError:
        return []


def _edited(target: Target) -> list[HostPath]:
    """Files of the configuration that are edited; all but OpenDJ's while the server is stopped."""
    if product_of(target.facts) == "opendj":
        folder = target.facts.config_folder
        return [host_path(f"{folder}/config/java.properties")] if folder else []
    dns = ["cn=config"]
    if product_of(target.facts) == "openldap":
        dns.append(Entries(target).locate(load_catalogue("openldap").knob("olcBkMdbIdlExp"), ""))
    for database in target.facts.backends if product_of(target.facts) == "openldap" else ():
        overlays = target.directory.search(
            database.dn, scope="one", filter="(objectClass=olcOverlayConfig)", attributes=("cn",)
        )
        dns += [database.dn, *(overlay.dn for overlay in overlays)]
    return [host_path(config_file(target, dn)) for dn in dns]


def _commands(target: Target, *, offline: bool) -> list[list[str]]:
    facts, restart = target.facts, target.profile.restart_command
    commands: list[list[str]] = [["head", "-c", "1", log] for log in _logs(target)[:1]]
    audit = posixpath.dirname(facts.audit_log) if facts.audit_log else None
    commands += [["df", "--output=source", host_path(f)] for f in (facts.db_directory, audit) if f]
    for path in dict.fromkeys(folder_of(target, backend.dn) for backend in facts.backends):
        if path:
            folder = host_path(path)
            commands += [["df", "--output=avail", "-B1", folder], ["du", "-sB1", folder]]
    commands += [["tee", path] for path in (*_kernel_files(facts.device), DROP_CACHES)]
    commands += [["cat", path] for path in _files_of_root_alone()]
    commands += [["mount", "-t", "debugfs", "none", DEBUGFS], ["umount", DEBUGFS]]
    if restart:
        commands.append(shlex.split(restart))
    if target.profile.log_command:
        commands.append(shlex.split(target.profile.log_command))
    if offline:
        commands += [shlex.split(command) for command in service_commands(target.profile)]
    return commands


def _kernel_files(device: str | None) -> list[HostPath]:
    paths = [knob.path for knob in load_catalogue().knobs if knob.on_host and not knob.steps]
    paths = [path for path in paths if "{unit}" not in path]  # by the program
    paths = [path for path in paths if device or "{device}" not in path]
    paths += [beside for path in paths if (beside := share_beside(path))]
    return [host_path(path.replace("{device}", device or "")) for path in paths]


def _files_of_root_alone() -> list[HostPath]:
    """Kernel files that are read through sudo, whoever changes them."""
    paths = [knob.path for knob in load_catalogue().knobs if knob.path.startswith(ROOTS_ALONE)]
    return [host_path(path) for path in paths]


def _line(argv: list[str]) -> str:
    if any(re.search(r"\s", word) for word in argv if word.startswith("/")):
        raise UsageError(
            Message(
                "sudoers cannot tell '{command}' from another command: it has a space.",
                command=shlex.join(argv),
            ),
            remedy=Message("Allow it by hand, or give the file a path without spaces."),
        )
    program = argv[0] if argv[0].startswith("/") else f"{_BIN}/{argv[0]}"
    return " ".join([_escaped(program), *map(_escaped, argv[1:])])


def _escaped(word: str) -> str:
    """As sudoers has it: first for its patterns, then for its words."""
    pattern = re.sub(r"([][*?!])", r"\\\1", word.replace("\\", "\\\\\\\\"))
    return re.sub(r"([:,=#])", r"\\\1", pattern)
