"""Pages for users: each of their commands is typed here as it stands."""
