"""Access logs: one scanner for every dialect, compiled."""
