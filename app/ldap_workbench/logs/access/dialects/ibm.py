"""IBM Security (Tivoli, Verify) Directory Server: its audit log, of audit version 1 to 3.

A record is a header and a line for each detail; the latency is the time from its 'received' to the
time it was written, in whole milliseconds. There is no operation number.
"""

from __future__ import annotations

import re

from ldap_workbench.logs.access.grammar import Dialect
from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.model.message import Message

_INSIDE = re.compile(rb"\n(?!AuditV\d|\d{4}-\d\d-\d\d[-T])")
_JOIN = bytes([int(layout.JOIN)])
_RESULTS = {
    0: "Success success",
    1: "Operations_error operationsError",
    2: "Protocol_error protocolError",
    3: "Timelimit_exceeded timeLimitExceeded",
    4: "Sizelimit_exceeded sizeLimitExceeded",
    5: "Compare_false compareFalse",
    6: "Compare_true compareTrue",
    10: "Referral referral",
    11: "Adminlimit_exceeded adminLimitExceeded",
    14: "SASL_bind_in_progress saslBindInProgress",
    16: "No_such_attribute noSuchAttribute",
    17: "Undefined_attribute_type undefinedAttributeType",
    19: "Constraint_violation constraintViolation",
    20: "Type_or_value_exists attributeOrValueExists",
    21: "Invalid_syntax invalidAttributeSyntax",
    32: "No_such_object noSuchObject",
    34: "Invalid_DN_syntax invalidDNSyntax",
    48: "Inappropriate_authentication inappropriateAuthentication",
    49: "Invalid_credentials invalidCredentials",
    50: "Insufficient_access insufficientAccessRights",
    51: "DSA_is_busy busy",
    52: "DSA_is_unavailable unavailable",
    53: "DSA_is_unwilling_to_perform unwillingToPerform",
    64: "Naming_violation namingViolation",
    65: "Object_class_violation objectClassViolation",
    66: "Operation_not_allowed_on_nonleaf notAllowedOnNonLeaf",
    68: "Already_exists entryAlreadyExists",
    80: "Unknown_error other",
}
"""What a header says of the result, in the words of version 3 and of version 1."""


def _joined(data: bytes) -> bytes:
    return _INSIDE.sub(_JOIN, data)


IBM = Dialect(
    name="ibm",
    title=Message("IBM Security Directory Server, audit log"),
    style=layout.AUDIT,
    joined=_joined,
    words={},
    operations={
        "Search": (layout.REQUEST, layout.K_SRCH),
        "Bind": (layout.REQUEST, layout.K_BIND),
        "Modify": (layout.REQUEST, layout.K_MOD),
        "Add": (layout.REQUEST, layout.K_ADD),
        "Delete": (layout.REQUEST, layout.K_DEL),
        "ModifyDN": (layout.REQUEST, layout.K_MODRDN),
        "ModifyRDN": (layout.REQUEST, layout.K_MODRDN),
        "ModDN": (layout.REQUEST, layout.K_MODRDN),
        "Compare": (layout.REQUEST, layout.K_CMP),
        "operation": (layout.REQUEST, layout.K_EXT),
        "Operation": (layout.REQUEST, layout.K_EXT),
        "ExtendedOp": (layout.REQUEST, layout.K_EXT),
        "Unbind": (layout.EXTRA, 0),
        "Abandon": (layout.EXTRA, 0),
        **{
            name.replace("_", " "): (layout.EXTRA, code)
            for code, names in _RESULTS.items()
            for name in names.split()
        },
    },
    keys={
        "bindDN": layout.F_BIND,
        "client": layout.F_CLIENT,
        "connectionID": layout.F_CONN,
        "ConnectionID": layout.F_CONN,
        "received": layout.F_RECEIVED,
        "base": layout.F_BASE,
        "name": layout.F_BASE,
        "entry": layout.F_BASE,
        "object": layout.F_BASE,
        "filter": layout.F_FILTER,
        "derefAliases": layout.F_DEREF,
        "OID": layout.F_FILTER,
        "oid": layout.F_FILTER,
        "numberOfEntriesReturned": layout.F_NENTRIES,
        "timeOnWorkQ": layout.F_MILLISECONDS,
    },
)
