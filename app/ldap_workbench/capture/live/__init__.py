"""A window while it lasts: sources that sample, followed logs, their links."""
