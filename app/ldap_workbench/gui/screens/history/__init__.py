"""What was tried on each server over all sessions, and what came of it."""
