"""What the screens share.

The open session, the connected server, the journal, background jobs, settings, and the base class
of a screen.
"""
