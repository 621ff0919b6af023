"""The screen a session opens on: what it is about, and where to go from there."""
