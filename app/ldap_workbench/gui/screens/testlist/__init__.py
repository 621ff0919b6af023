"""All tests: planned, running, interrupted and done, and the way to a new one."""
