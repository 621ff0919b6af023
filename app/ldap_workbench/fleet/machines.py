"""Which machine a host of a fleet is: noted at the first login after its file was agreed to.

A host key says less: cloned hosts show the same one, and a name may lead to any of them.
"""

from __future__ import annotations

import threading
from pathlib import Path

from ldap_workbench.connect.folders import state_folder, unwritable, write_atomically
from ldap_workbench.connect.host_keys import host_name
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.fleet.hosts import Host
from ldap_workbench.model.errors import AnotherServerError
from ldap_workbench.model.message import Message, sentences
from ldap_workbench.model.server_identity import ServerIdentity
from ldap_workbench.servers.host import read_machine

_NOTES = threading.Lock()
"""Workers of several hosts start at once, and each may add a line to the file."""


def check_machine(host: Host, shell: RemoteShell) -> None:
    """Compare the host's machine-id with the one on record, and note one that is new.

    Raises AnotherServerError where both are known and differ: the one that the file of hosts names
    counts, else that of the first login. Raises ChangeError where it cannot be noted.
    """
    assert host.address is not None
    place = host_name(host.address.host, host.address.port)
    now = ServerIdentity(host=place, machine=read_machine(shell))
    with _NOTES:
        noted = _noted_machines()
        expected = ServerIdentity(host=place, machine=host.machine or noted.get(place, ""))
        if expected.difference(now):
            raise _another_machine(host, expected, now)
        if now.machine and noted.get(place) != now.machine:
            _note({**noted, place: now.machine})


def _another_machine(
    host: Host, expected: ServerIdentity, now: ServerIdentity
) -> AnotherServerError:
    return AnotherServerError(
        Message(
            "{address} leads to another machine now, and its logs were not read: the host has the "
            "id {now}, not {expected}.",
            address=str(host.address),
            now=now.machine,
            expected=expected.machine,
        ),
        safe=Message("No program was started there."),
        remedy=sentences(
            Message(
                "If the name leads to the wrong host, correct the address of {name} in the file of "
                "hosts.",
                name=host.name,
            ),
            Message(
                "If the host was reinstalled or replaced, add machine = '{now}' to its table "
                "there, and agree to the file again.",
                now=now.machine,
            ),
        ),
    )


def _store() -> Path:
    return state_folder() / "fleet-machines"


def _noted_machines() -> dict[str, str]:
    """Host and port, as known_hosts has them -> digest of the machine-id."""
    try:
        lines = _store().read_text("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise unwritable(_store(), error) from error
    return dict(line.rsplit(" ", 1) for line in lines if " " in line)


def _note(machines: dict[str, str]) -> None:
    lines = [f"{place} {machine}\n" for place, machine in machines.items()]
    try:
        write_atomically(_store(), "".join(lines))
    except OSError as error:
        raise unwritable(_store(), error) from error
