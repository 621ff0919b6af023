"""Logs of many servers -> counts that can be merged: one pure function, run wherever the logs are.

A `Unit` is a log file, or a range of a large one. `summarise` reads it and gives a `Summary`, and
its operations as Parquet. Summaries are merged in any order; once all are there, connections and
operations that lie in several files are joined by server, server run and connection. Submitters
run the same function in processes of this machine, or on the servers' own hosts.
"""
