"""Where the time of a window went: what users waited, what workers worked, and who made whom wait.

In come the operations of a window and its findings; out goes an `Account` in which every nanosecond
of waiting is counted once: claimed by one finding, or unexplained. It is an account, not a cause:
what would have been without a group of operations is a matter for an experiment or a replay.
"""
