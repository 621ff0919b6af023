"""One measurement window: cn=monitor, iostat, access and error log, sampled together.

In come a connected Target, a SessionWriter and a CapturePlan; out comes a Window in the session
with one Source for everything sampled, each with how complete it is and why. Nothing is changed on
the server. The window goes on when a source fails, and keeps what there is when cancelled.
Log files that lie about already become windows through `import_logs`; `fetch` brings a past window
from the server, reading only its stretch of the log.
"""
