"""Reaching a server: the dialog for a profile, its test, host keys and passwords."""
