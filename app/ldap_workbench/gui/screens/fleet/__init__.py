"""Logs of many servers: servers as rows, days as columns, and the way to the session of an hour."""
