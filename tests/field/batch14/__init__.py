"""The fourteenth ten: five of 389 DS, three of OpenLDAP, two of OpenDJ."""

from __future__ import annotations

from tests.field.batch14 import ds389, others
from tests.field.case import Batch

BATCH = Batch(
    "batch14",
    cases=(*ds389.CASES, *others.CASES),
    healthy=(*ds389.HEALTHY, *others.HEALTHY),
)
