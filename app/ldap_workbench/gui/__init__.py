"""The window: what an operator sees and does; the only room that knows Qt.

In come sessions, profiles and the calls of every room below; nothing leaves but what the operator
asked for. One folder a screen, its model beside its view. A call that may take longer than a blink
goes through `jobs.JobRunner`; nothing here decides what a number means or changes a server by
itself.
"""
