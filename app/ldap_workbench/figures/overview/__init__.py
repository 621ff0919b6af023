"""A session at a glance, its findings, its knobs, and what was tried before."""
