"""The sixteenth ten: four of 389 DS, four of OpenLDAP, two of OpenDJ and its kin."""

from __future__ import annotations

from tests.field.batch16 import ds389, others
from tests.field.case import Batch

BATCH = Batch(
    "batch16",
    cases=(*ds389.CASES, *others.CASES),
    healthy=(*ds389.HEALTHY, *others.HEALTHY),
)
