"""The session file.

One DuckDB database with windows, sources, operations, samples, raw text, marks, experiments and the
changes they made.

A SessionWriter is the only one that writes a file, from one thread of its own, and may be called
from many. A Session reads it back, also offline, also after a crash in mid-capture; the file may
come from a stranger and is opened read-only with external access off.
"""
