"""The nineteenth ten: four of 389 DS, three of OpenLDAP, three of OpenDJ."""

from __future__ import annotations

from tests.field.batch19 import ds389, opendj, openldap
from tests.field.case import Batch

BATCH = Batch(
    "batch19",
    cases=(*ds389.CASES, *openldap.CASES, *opendj.CASES),
    healthy=(*ds389.HEALTHY, *openldap.HEALTHY),
)
