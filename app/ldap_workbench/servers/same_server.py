"""Whether the server that answers is the one that was connected to, or that was changed.

A name may lead to another server from one link to the next: a virtual address that fails over, a
load balancer, a changed DNS entry. So every new link is asked who is behind it, and so is the link
before a write and before anything is noted as reverted.
"""

from __future__ import annotations

from ldap_workbench.connect.directory import Directory, Entry, ShowsCertificate
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.model.errors import AnotherServerError, ConnectError, DirectoryError
from ldap_workbench.model.message import Message, sentences
from ldap_workbench.model.server_identity import CERTIFICATE, ServerIdentity
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.servers import opendj, openldap
from ldap_workbench.servers.entry import (
    digest_of_certificate,
    identity_of_389ds,
    identity_of_opendj,
    identity_of_openldap,
    value_of,
)
from ldap_workbench.servers.host import read_machine

BUSY_OR_STARTING = (51, 52)
"""LDAP codes of a server that may answer later."""
_CONFIG = "cn=config"
_RENEWED = Message(
    "If it is that server with a renewed certificate: ldap-workbench revert PROFILE --all --yes."
)
_GONE = Message("If that server is gone for good: ldap-workbench journal close ID --because TEXT.")


def identity_in(facts: TargetFacts, url: str = "") -> ServerIdentity:
    """Of the server whose facts these are, reached by that URL."""
    return ServerIdentity(facts.identity, facts.host, facts.machine, facts.certificate, url)


def certificate_of(directory: Directory) -> str:
    """Digest of the certificate that the server showed; '' on a plain link."""
    shown = directory.certificate if isinstance(directory, ShowsCertificate) else b""
    return digest_of_certificate(shown)


def read_identity(directory: Directory) -> ServerIdentity:
    """Of the server that answers now, without its host: two or three small searches.

    Raises ConnectError, and DirectoryError from a server that is busy or starting; what this bind
    may not read is not known.
    """
    instance, host = _instance(directory)
    certificate = certificate_of(directory)
    return ServerIdentity(instance, host, certificate=certificate, url=directory.url)


def _instance(directory: Directory) -> tuple[str, str]:
    """What the instance says of itself, and the name of its host."""
    root = _entry(directory, "", "*", "+")
    if openldap.is_openldap(root):
        config = _entry(directory, _CONFIG, "*", "+")
        return identity_of_openldap(config), ""
    if opendj.is_opendj(root):
        system, certificate = (_entry(directory, dn) for dn in (opendj.SYSTEM, opendj.CERTIFICATE))
        return identity_of_opendj(system, certificate), value_of(system, "systemName") or ""
    names = ("nsslapd-localhost", "nsslapd-port", "nsslapd-certdir")
    config = _entry(directory, _CONFIG, *names)
    return identity_of_389ds(root, config), value_of(config, "nsslapd-localhost") or ""


def check_same_server(url: str, noted: ServerIdentity, now: ServerIdentity) -> None:
    """Raises AnotherServerError where a part that both know differs: the one check there is.

    What is not known on one side is no proof of anything, and raises nothing here.
    """
    difference = noted.difference(now)
    if not difference:
        return
    remedy = sentences(
        Message(
            "Connect to {noted} by a name of its own, not by one of a load balancer or a failover "
            "address, and revert there what the journal lists as open.",
            noted=noted.label,
        ),
        _GONE,
    )
    if difference == CERTIFICATE:
        remedy = sentences(_RENEWED, remedy)
    raise AnotherServerError(
        Message(
            "{url} leads to another server now: {now}, not {noted}. What differs is {part}.",
            url=url,
            now=now.label,
            noted=noted.label,
            part=difference,
        ),
        remedy=remedy,
    )


def check_link(directory: Directory, facts: TargetFacts) -> None:
    """Raises AnotherServerError where a new link leads to another server than the facts are of.

    Raises ConnectError where the server does not say who it is and has said it before: it may be
    starting, so it is asked again for as long as anyone waits for it.
    """
    noted, now = identity_in(facts, directory.url), read_identity(directory)
    check_same_server(directory.url, noted, now)
    if noted.known and not now.known:
        raise ConnectError(
            Message(
                "{url} does not say whether it is still {noted}.",
                url=directory.url,
                noted=noted.label,
            ),
            safe=Message("Nothing was written to it."),
            remedy=Message("Check where the name leads, and that this bind may read cn=config."),
        )


def check_host(shell: RemoteShell, facts: TargetFacts) -> None:
    """Raises AnotherServerError where a shell leads to another host than the facts are of."""
    if facts.machine:
        now = ServerIdentity(machine=read_machine(shell))
        check_same_server(shell.name, ServerIdentity(machine=facts.machine), now)


def _entry(directory: Directory, dn: str, *attributes: str) -> Entry | None:
    try:
        entries = directory.search(dn, attributes=attributes or ("*",))
    except DirectoryError as error:
        if error.code in BUSY_OR_STARTING:
            raise
        return None
    return entries[0] if entries else None
