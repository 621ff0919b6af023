"""The eighteenth ten: three of 389 DS, four of OpenLDAP, three of OpenDJ and its kin."""

from __future__ import annotations

from tests.field.batch18 import ds389, opendj, openldap
from tests.field.case import Batch

BATCH = Batch(
    "batch18",
    cases=(*ds389.CASES, *openldap.CASES, *opendj.CASES),
    healthy=(*ds389.HEALTHY, *openldap.HEALTHY),
)
