"""The operations of a captured window, sent again to a test server as they came.

In comes a session with the raw lines of its requests; out goes a Script, a file of its own, and
from playing it an Outcome. Connections arrive when they did (open); inside a connection a request
that waited for the answer before it keeps its think time (partly open), so a slow server is not
spared, and no client sends what a real one could not have sent.

Binds are made as the one identity of the profile. Reads alone are sent, unless the operator names
an entry to write below: then each write goes to an entry of the replay's own in a container there,
at its time and of its type, for no access log has what was written. What is left out is counted
by its reason.

Source: Schroeder, Wierman, Harchol-Balter (2006), Open versus closed: a cautionary tale, NSDI.
"""
