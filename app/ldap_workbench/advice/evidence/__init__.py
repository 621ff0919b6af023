"""What was seen in a window, made ready for the families.

Its view, its series, imported files, stalls, periods, and what servers do by themselves. Only
`view.py` reads a session.
"""
