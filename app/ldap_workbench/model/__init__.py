"""The nouns of the workbench, one meaning each.

Frozen dataclasses and enumerations without I/O; nothing third-party but numpy. Times are integer
nanoseconds since 1970 UTC on the *server's* clock, durations are integer nanoseconds, sizes bytes.
Every other room imports from here; this room imports from none.
"""
