"""What stands around the lines of a log, taken off by one mechanism before any dialect sees them.

People send logs as grep, a container runtime, a log shipper, a journal or a mail program left them.
`find_document` tells an export of a log store, which becomes a record a line. `find_wrapping` tells
from many lines which layers there are, outermost first; a `Peeler` takes them off and keeps lines
of several hosts, containers or files apart. Layers are data: fixed prefixes in `prefixes`, JSON
records in `records`. What has its newest line first is turned round (`newest_first`).
"""
