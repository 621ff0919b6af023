"""Operations become tails, counts and a verdict: pure functions on numpy arrays.

In come Operations or counts per second, type and log bucket; out go Tail rows, Cubes and a
Verdict. The window is the unit, the coin of the design is what the test rests on: operations of
one window are not independent, so they are never the sample size. No screen, no file.
"""
