"""One measurement window: cn=monitor, iostat, access and error log, sampled together.

In come a connected Target, a SessionWriter and a CapturePlan; out comes a Window in the session
with one Source for everything sampled, each with how complete it is and why. Nothing is changed on
the server. The window goes on when a source fails, and keeps what there is when cancelled.
Log files that lie about already become windows through `import_logs`; `fetch` brings a past window
from the server, reading only its stretch of the log.
"""

from ldap_workbench.capture.fetch import fetch
from ldap_workbench.capture.importing import Imported, import_logs
from ldap_workbench.capture.plan import CapturePlan, LiveBatch
from ldap_workbench.capture.window import capture
from ldap_workbench.logs.reports import Clock

__all__ = ["CapturePlan", "Clock", "Imported", "LiveBatch", "capture", "fetch", "import_logs"]
