"""What the server writes beside its access log: errors, audits, stacks, configuration."""
