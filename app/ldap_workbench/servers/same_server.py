"""Whether the server that answers is the one that was connected to, or that was changed.

A name may lead to another server from one link to the next: a virtual address that fails over, a
load balancer, a changed DNS entry. So every new link is asked who is behind it, and so is the link
before a write and before anything is noted as reverted.
"""

from __future__ import annotations

from ldap_workbench.connect.directory import Directory, Entry
from ldap_workbench.model.errors import AnotherServerError, ConnectError, DirectoryError
from ldap_workbench.model.message import Message, sentences
from ldap_workbench.model.server_identity import ServerIdentity
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.servers import opendj, openldap
from ldap_workbench.servers.entry import value_of
from ldap_workbench.servers.identity import (
    identity_of_389ds,
    identity_of_opendj,
    identity_of_openldap,
)

BUSY_OR_STARTING = (51, 52)
"""LDAP codes of a server that may answer later."""
_CONFIG = "cn=config"
_GONE = Message("If that server is gone for good: ldap-workbench journal close ID --because TEXT.")


def identity_in(facts: TargetFacts) -> ServerIdentity:
    """Of the server whose facts these are."""
    return ServerIdentity(facts.identity, facts.host)


def read_identity(directory: Directory) -> ServerIdentity:
    """Of the server that answers now: two small searches.

    Raises ConnectError, and DirectoryError from a server that is busy or starting; what this bind
    may not read is not known.
    """
    root = _entry(directory, "", "*", "+")
    if openldap.is_openldap(root):
        config = _entry(directory, _CONFIG, "*", "+")
        return ServerIdentity(identity_of_openldap(config))
    if opendj.is_opendj(root):
        system, certificate = (_entry(directory, dn) for dn in (opendj.SYSTEM, opendj.CERTIFICATE))
        return ServerIdentity(
            identity_of_opendj(system, certificate), value_of(system, "systemName") or ""
        )
    names = ("nsslapd-localhost", "nsslapd-port", "nsslapd-certdir")
    config = _entry(directory, _CONFIG, *names)
    return ServerIdentity(
        identity_of_389ds(root, config), value_of(config, "nsslapd-localhost") or ""
    )


def check_same_server(url: str, noted: ServerIdentity, now: ServerIdentity) -> None:
    """Raises AnotherServerError where both are known and differ: the one check there is.

    What is not known on one side is no proof of anything, and raises nothing here.
    """
    if not noted.differs_from(now):
        return
    raise AnotherServerError(
        Message(
            "{url} leads to another server now: {now}, not {noted}.",
            url=url,
            now=now.label,
            noted=noted.label,
        ),
        remedy=sentences(
            Message(
                "Connect to {noted} by a name of its own, not by one of a load balancer or a "
                "failover address, and revert there what the journal lists as open.",
                noted=noted.label,
            ),
            _GONE,
        ),
    )


def check_link(directory: Directory, facts: TargetFacts) -> None:
    """Raises AnotherServerError where a new link leads to another server than the facts are of.

    Raises ConnectError where the server does not say who it is and has said it before: it may be
    starting, so it is asked again for as long as anyone waits for it.
    """
    noted, now = identity_in(facts), read_identity(directory)
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


def _entry(directory: Directory, dn: str, *attributes: str) -> Entry | None:
    try:
        entries = directory.search(dn, attributes=attributes or ("*",))
    except DirectoryError as error:
        if error.code in BUSY_OR_STARTING:
            raise
        return None
    return entries[0] if entries else None
