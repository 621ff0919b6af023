"""Every change on every server; the open ones shout."""
