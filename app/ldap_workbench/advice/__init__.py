"""Findings in a window, and the advice each finding backs: the expert over the shoulder.

In come what a session holds of a window (operations, samples, sources, facts of the server); out go
Findings with their evidence, then Advice: treatments worth one experiment, ranked by what they may
do for the tail the operator cares about. Families are pure functions over arrays, one file each;
`view.py` alone reads a session. Wording, limits and advice are data: resources/advice/.
Nothing here changes a server.
"""
