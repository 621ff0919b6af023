"""A file a family of findings: pure functions from a `WindowView` to Findings with evidence.

`find.py` runs them all, over one window or over all windows of a session.
"""
