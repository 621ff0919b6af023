"""A window that is over already, read from the logs on the host."""
