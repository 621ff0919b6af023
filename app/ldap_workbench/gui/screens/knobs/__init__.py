"""The catalogue of knobs: what each says now, what it does, what it may be set to."""
