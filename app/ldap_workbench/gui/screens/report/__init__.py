"""The report of a session: preview and export."""
