"""An A/B experiment: one treatment, windows with and without it, a verdict, keep or revert.

A state machine without a screen. In come a connected Target, a Tuner, a SessionWriter and a Plan;
every state is durable in the session before it is acted upon and every change in the journal
before it goes out, so that a crash at any point is continued or reverted at the next start.
"""
