"""Complaints of administrators of OpenLDAP and OpenDJ, each set up on a real server and captured.

    python -m tests.live.complaints [--only NAME] [--all]

prints the table of docs/benchmarks.md; with --all also what was said of each. Root only.
"""
