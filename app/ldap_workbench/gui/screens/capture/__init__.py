"""Capturing one window: what, how long, where to; live strips while it runs."""
