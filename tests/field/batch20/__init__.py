"""The twentieth ten: three of 389 DS, three of OpenLDAP, three of OpenDJ, one of PingDirectory.

Chosen by title and link before the findings were looked at, and written from the threads alone.
"""

from __future__ import annotations

from tests.field.batch20 import ds389, opendj, openldap
from tests.field.case import Batch

BATCH = Batch(
    "batch20",
    cases=(*ds389.CASES, *openldap.CASES, *opendj.CASES),
    healthy=(*openldap.HEALTHY, *opendj.HEALTHY),
)
