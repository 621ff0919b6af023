"""The seventeenth ten: four of 389 DS, three of OpenLDAP, three of OpenDJ and its kin."""

from __future__ import annotations

from tests.field.batch17 import ds389, others
from tests.field.case import Batch

BATCH = Batch(
    "batch17",
    cases=(*ds389.CASES, *others.CASES),
    healthy=(*ds389.HEALTHY, *others.HEALTHY),
)
