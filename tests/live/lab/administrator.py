"""Somebody who does what a checklist says, line by line, as root on the server's host."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ldap_workbench.model.message import Message
from tests.live.lab.ds389 import Lab
from tests.live.lab.openldap import OpenLdap

_PROGRAMS = (
    "chown|cp|diff|dsconf|dsctl|ldapsearch|mdb_copy|mkdir|mv|rm|sed|slapadd|slapcat|systemctl|test"
)
"""A list of commands begins with one of these after a colon, and goes to the end of the step."""
# A namespace has no systemd: what it would be asked is asked of the lab's own script, and it comes
# back when the server answers, as systemd does for one that tells it.
_SYSTEMCTL = """\
#!/bin/sh
case $1 in
is-active) kill -0 "$(cat {pidfile} 2>/dev/null)" 2>/dev/null ;;
stop) exec {control} stop ;;
start)
    {control} start
    waited=0
    until ldapsearch -x -H ldap://127.0.0.1:{port} -s base -b "" 1.1 >/dev/null 2>&1; do
        [ "$waited" -lt 600 ] || exit 1
        waited=$((waited + 1))
        sleep 0.1
    done
    ;;
*) exit 1 ;;
esac
"""


def commands_of(step: str) -> str:
    """The commands that stand in a step, as one line of a shell; '' where there are none."""
    listed = re.search(rf": ((?:{_PROGRAMS}) .*)$", step)
    return listed[1].removesuffix(".") if listed else ""


def steps_in(plan: Message) -> list[str]:
    """The steps of a change by hand, taken from the sentence of a plan: '... 1. Stop. 2. ...'."""
    rest, steps = str(plan), []
    while match := re.search(rf"(?:^| ){len(steps) + 1}\. ", rest):
        steps.append(rest[: match.start()])
        rest = rest[match.end() :]
    return [*steps, rest][1:]


class Administrator:
    """Works in a folder of the host; BACKUP in a command is a folder in there."""

    def __init__(self, server: Lab | OpenLdap) -> None:
        self._host = server.host
        self.folder = Path(tempfile.mkdtemp(dir=server.folder))
        self.folder.chmod(0o755)
        control = server.slapd.control if isinstance(server, Lab) else server.control
        pidfile = control.parent / "run" / "slapd.pid"
        stand_in = self._host.path("/usr/local/bin/systemctl")
        stand_in.write_text(_SYSTEMCTL.format(pidfile=pidfile, control=control, port=server.port))
        stand_in.chmod(0o755)
        self._place(server)

    def do(self, steps: Sequence[str]) -> None:
        """Give each line of commands to the shell as it is printed; it has to end with status 0.

        Whether states of replication differ is the reader's to judge.
        """
        for printed in filter(None, map(commands_of, steps)):
            line = printed.replace("BACKUP", str(self.folder / "BACKUP"))
            done = self._host.run(
                "env", "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "sh", "-c", f"cd {self.folder} && {line}", timeout=300,
            )  # fmt: skip
            judged = line.endswith("diff ruv-before ruv-after") and done.returncode == 1
            assert done.returncode == 0 or judged, f"{line}: {done.stdout}{done.stderr}"

    def _place(self, server: Lab | OpenLdap) -> None:
        """Where the programs of the product look for their server, when no option names it."""
        if isinstance(server, OpenLdap):
            client = self._host.path("/etc/ldap/ldap.conf")
            client.write_text(f"URI ldap://127.0.0.1:{server.port}\n")
            return
        config = server.slapd.config
        known = self._host.path(f"/etc/dirsrv/{config.name}")
        if not known.is_symlink():
            known.symlink_to(config)


def page_size(file: Path) -> int:
    """Bytes of a page of a file of Berkeley DB, by its head."""
    return int.from_bytes(file.read_bytes()[20:24], "little")
