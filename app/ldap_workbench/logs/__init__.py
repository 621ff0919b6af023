"""Logs and companion files: bytes in, operations and samples out.

In come pieces of access logs, error logs, iostat and vmstat output, histograms, stacks and LDIF.
Out go `Operations` (columns), `LineCounts`, `Sample` rows and small records. Nothing here opens a
connection or knows what a window is.
"""
