"""What stands around the lines of a log, taken off by one mechanism before any dialect sees them.

People send logs as grep, a container runtime, a log shipper, a journal or a mail program left them.
`find_document` tells an export of a log store, which becomes a record a line. `find_wrapping` tells
from many lines which layers there are, outermost first; a `Peeler` takes them off and keeps lines
of several hosts, containers or files apart. Layers are data: fixed prefixes in `prefixes`, JSON
records in `records`. What has its newest line first is turned round (`newest_first`).
"""

from ldap_workbench.logs.wrapping.detection import Wrapping, find_wrapping
from ldap_workbench.logs.wrapping.documents import Document, find_document
from ldap_workbench.logs.wrapping.newest_first import is_newest_first, oldest_first
from ldap_workbench.logs.wrapping.peeler import Peeler

__all__ = [
    "Document", "Peeler", "Wrapping", "find_document", "find_wrapping", "is_newest_first",
    "oldest_first",
]  # fmt: skip
