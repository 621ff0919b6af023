"""What can be asked of windows at all.

How many pairs an effect takes, which windows may be compared, at which load, and what must hold
before.
"""
