"""What a chart or a table shows, as plain numbers: each quantity defined once, with its unit.

In come the session, findings and verdicts; out go curves, bands, strips, grids, rows and ticks. The
window, the report and the command all read them here and only draw. No Qt, no HTML, no paper: a
number that can be computed without a screen is computed in this room.
"""
