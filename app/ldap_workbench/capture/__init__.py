"""One measurement window: cn=monitor, iostat, access and error log, sampled together.

In come a connected Target, a SessionWriter and a CapturePlan; out comes a Window in the session
with one Source for everything sampled, each with how complete it is and why. Nothing is changed on
the server. The window goes on when a source fails, and keeps what there is when cancelled.
Log files that lie about already become windows through `import_logs`; `fetch` brings a past window
from the server, reading only its stretch of the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldap_workbench.model.loading import on_demand

if TYPE_CHECKING:
    from ldap_workbench.capture.fetching import fetch
    from ldap_workbench.capture.importing import Imported, add_stacks, import_logs
    from ldap_workbench.capture.plan import CapturePlan, LiveBatch
    from ldap_workbench.capture.window import capture
    from ldap_workbench.logs.reports import Clock

__all__ = [
    "CapturePlan",
    "Clock",
    "Imported",
    "LiveBatch",
    "add_stacks",
    "capture",
    "fetch",
    "import_logs",
]

# An import of files needs no server, and no link to one.
__getattr__ = on_demand(
    {
        "CapturePlan": "ldap_workbench.capture.plan",
        "Clock": "ldap_workbench.logs.reports",
        "Imported": "ldap_workbench.capture.importing",
        "add_stacks": "ldap_workbench.capture.importing",
        "LiveBatch": "ldap_workbench.capture.plan",
        "capture": "ldap_workbench.capture.window",
        "fetch": "ldap_workbench.capture.fetching",
        "import_logs": "ldap_workbench.capture.importing",
    }
)
