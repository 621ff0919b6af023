"""The in-memory directory server of the UnboundID LDAP SDK, as test suites start it.

It has neither configuration nor monitor: it answers, and logs where it was started with a log.
"""

from __future__ import annotations

import re

from ldap_workbench.connect.directory import Entry
from ldap_workbench.model.message import Message
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.servers.entry import value_of

_NO_CONFIG = Message(
    "The in-memory server of the UnboundID LDAP SDK has no cn=config: nothing can be tuned "
    "while it runs, only started with other arguments."
)
_NO_MONITOR = Message("It has no cn=monitor: no counters, and a restart goes unnoticed.")
_NO_LOG = Message(
    "It does not say whether it logs. Start it with --accessLogFile and name that file in the "
    "profile (--access-log)."
)
_NO_DATABASE = Message("It keeps its entries in memory: there is no database and no disk under it.")


def is_in_memory(root: Entry | None) -> bool:
    """Whether a root DSE is that of the in-memory server."""
    return (value_of(root, "vendorVersion") or "").startswith("UnboundID LDAP SDK")


def read_facts(root: Entry | None, profile: str, host: str) -> TargetFacts:
    """What the root DSE tells, and why the rest is unknown."""
    match = re.search(r"\d+(?:\.\d+)*", value_of(root, "vendorVersion") or "")
    return TargetFacts(
        profile=profile,
        product="UnboundID in-memory",
        version=match.group() if match else "unknown",
        host=host,
        unknown={
            "cn=config": _NO_CONFIG,
            "cn=monitor": _NO_MONITOR,
            "access_log": _NO_LOG,
            "db_directory": _NO_DATABASE,
        },
    )
