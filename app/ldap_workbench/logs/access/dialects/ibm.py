"""IBM Security (Tivoli, Verify) Directory Server: its audit log, of audit version 1 to 3.

A record is a header and a line for each detail; the latency is the time from its 'received' to the
time it was written, in whole milliseconds. There is no operation number.
"""

from __future__ import annotations

from ldap_workbench.logs.access.grammar import (
    ADD,
    BIND,
    CMP,
    DEL,
    EXT,
    MOD,
    MODRDN,
    SRCH,
    Dialect,
    Field,
    Line,
    Look,
    Style,
)
from ldap_workbench.model.message import Message

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


IBM = Dialect(
    name="ibm",
    title=Message("IBM Security Directory Server, audit log"),
    log=Message("IBM Security Directory Server audit log"),
    looks=(
        Look(
            rb"(?:AuditV\d--)?\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d+\S*--V\d .*--",
            weight=20.0,
        ),
    ),
    style=Style.AUDIT,
    words={},
    operations={
        "Search": (Line.REQUEST, SRCH),
        "Bind": (Line.REQUEST, BIND),
        "Modify": (Line.REQUEST, MOD),
        "Add": (Line.REQUEST, ADD),
        "Delete": (Line.REQUEST, DEL),
        "ModifyDN": (Line.REQUEST, MODRDN),
        "ModifyRDN": (Line.REQUEST, MODRDN),
        "ModDN": (Line.REQUEST, MODRDN),
        "Compare": (Line.REQUEST, CMP),
        "operation": (Line.REQUEST, EXT),
        "Operation": (Line.REQUEST, EXT),
        "ExtendedOp": (Line.REQUEST, EXT),
        "Unbind": (Line.EXTRA, 0),
        "Abandon": (Line.EXTRA, 0),
        **{
            name.replace("_", " "): (Line.EXTRA, code)
            for code, names in _RESULTS.items()
            for name in names.split()
        },
    },
    keys={
        "bindDN": Field.BIND,
        "client": Field.CLIENT,
        "connectionID": Field.CONN,
        "ConnectionID": Field.CONN,
        "received": Field.RECEIVED,
        "base": Field.BASE,
        "name": Field.BASE,
        "entry": Field.BASE,
        "object": Field.BASE,
        "filter": Field.FILTER,
        "derefAliases": Field.DEREF,
        "OID": Field.FILTER,
        "oid": Field.FILTER,
        "numberOfEntriesReturned": Field.NENTRIES,
        "timeOnWorkQ": Field.MILLISECONDS,
    },
)
