"""Several real 389 DS that replicate to each other, each a lab of its own on loopback."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import ldap3

from ldap_workbench.connect.profiles import ProfileStore
from tests.live.lab.ds389 import PASSWORD_VARIABLE, SSH_PASSWORD_VARIABLE, Lab
from tests.live.lab.users import SUFFIX

REPLICA = f'cn=replica,cn="{SUFFIX}",cn=mapping tree,cn=config'
_MANAGER = "cn=replication manager,cn=config"
_MANAGER_PASSWORD = "replicate-on-loopback"
_INITIALISED_S = 60.0
_UNBUFFERED = "nsslapd-accesslog-logbuffering: off\n"
"""Else every window waits up to 30 s for its log."""


@contextmanager
def replicating(count: int, users: int = 500, version: str = "") -> Iterator[list[Lab]]:
    """`count` suppliers, each with an agreement to all others, filled from the first."""
    with ExitStack() as stack:
        labs = [Lab(version, config=_UNBUFFERED) for _ in range(count)]
        labs = [stack.enter_context(lab.start(users)) for lab in labs]
        for number, lab in enumerate(labs, start=1):
            _make_supplier(lab, number)
        for one, other in itertools.permutations(labs, 2):
            _agree(one, other, refresh=one is labs[0])
        yield labs


def settled(labs: Sequence[Lab], home: Path) -> dict[str, str]:
    """Profiles ds1, ds2, ... in a home of their own; the environment that a process needs."""
    environment = {"LDAP_WORKBENCH_HOME": str(home)}
    config = home / "config"
    config.mkdir(parents=True, exist_ok=True)
    keys = (f"[127.0.0.1]:{lab.sshd.port} {lab.sshd.host_key}\n" for lab in labs)
    (config / "known_hosts").write_text("".join(keys))
    for number, lab in enumerate(labs, start=1):
        variables = {
            PASSWORD_VARIABLE: lab.slapd.password,
            SSH_PASSWORD_VARIABLE: lab.sshd.password,
        }
        named = {f"{name}_{number}": value for name, value in variables.items() if value}
        profile = replace(
            lab.profile,
            name=f"ds{number}",
            password_env=f"{PASSWORD_VARIABLE}_{number}",
            ssh_password_env=f"{SSH_PASSWORD_VARIABLE}_{number}" if lab.sshd.password else None,
        )
        ProfileStore(config / "profiles.toml").add(profile)
        environment |= named
    return environment


def _add(lab: Lab, dn: str, kind: str, attributes: dict[str, str]) -> None:
    link = lab.slapd.link()
    link.add(dn, kind, attributes)
    assert link.result["description"] == "success", link.result
    link.unbind()


def _make_supplier(lab: Lab, number: int) -> None:
    _add(
        lab,
        _MANAGER,
        "netscapeServer",
        {"cn": "replication manager", "userPassword": _MANAGER_PASSWORD},
    )
    _add(
        lab,
        REPLICA,
        "nsds5replica",
        {
            "cn": "replica", "nsDS5ReplicaRoot": SUFFIX, "nsDS5ReplicaType": "3",
            "nsDS5ReplicaId": str(number), "nsDS5Flags": "1", "nsDS5ReplicaBindDN": _MANAGER,
        },
    )  # fmt: skip


def _agree(lab: Lab, other: Lab, *, refresh: bool) -> None:
    dn = f"cn=to-{other.slapd.port},{REPLICA}"
    _add(
        lab,
        dn,
        "nsds5replicationagreement",
        {
            "nsDS5ReplicaRoot": SUFFIX, "nsDS5ReplicaHost": "127.0.0.1",
            "nsDS5ReplicaPort": str(other.slapd.port), "nsDS5ReplicaBindDN": _MANAGER,
            "nsDS5ReplicaCredentials": _MANAGER_PASSWORD, "nsDS5ReplicaBindMethod": "SIMPLE",
            "nsDS5ReplicaTransportInfo": "LDAP", "nsds5ReplicaEnabled": "on",
            **({"nsDS5BeginReplicaRefresh": "start"} if refresh else {}),
        },
    )  # fmt: skip
    if refresh:
        _await_refresh(lab, dn)


def _await_refresh(lab: Lab, dn: str) -> None:
    link, end = lab.slapd.link(), time.monotonic() + _INITIALISED_S
    status: Sequence[str] = ()
    while time.monotonic() < end:
        link.search(dn, "(objectClass=*)", ldap3.BASE, attributes=["*"])
        found = link.response[0]["attributes"]
        status = found.get("nsds5replicaLastInitStatus", ())
        if "Error (0)" in str(status) and not found.get("nsds5BeginReplicaRefresh"):
            link.unbind()
            return
        time.sleep(0.2)
    raise AssertionError(f"the replica was not filled: {status}")


@contextmanager
def written(lab: Lab) -> Iterator[None]:
    """Changes on one of them, a few each second."""
    over = threading.Event()

    def write() -> None:
        link = lab.slapd.link()
        person = f"uid=user000003,ou=people,{SUFFIX}"
        while not over.wait(0.2):
            link.modify(person, {"description": [(ldap3.MODIFY_REPLACE, [str(time.time_ns())])]})
        link.unbind()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def switch(labs: Sequence[Lab], state: str) -> None:
    """The agreement of the second with the first."""
    one, other = labs
    link = other.slapd.link()
    agreement = f"cn=to-{one.slapd.port},{REPLICA}"
    link.modify(agreement, {"nsds5ReplicaEnabled": [(ldap3.MODIFY_REPLACE, [state])]})
    assert link.result["description"] == "success", link.result
    link.unbind()
