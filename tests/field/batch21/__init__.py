"""The twenty-first ten: four of 389 DS, four of OpenLDAP, two of OpenDJ.

Chosen by title and link, and written from the threads alone, by somebody who had mended the misses
of the batch before, and knew the detectors of that.
"""

from __future__ import annotations

from tests.field.batch21 import ds389, opendj, openldap
from tests.field.case import Batch

BATCH = Batch(
    "batch21",
    cases=(*ds389.CASES, *openldap.CASES, *opendj.CASES),
    healthy=(*ds389.HEALTHY, *opendj.HEALTHY),
)
