"""The compiled part of the log engine: bytes in, columns out, with the GIL released.

One scanner serves every text dialect; what differs between them comes in as tables (`grammar.py`).
Nothing here allocates or raises: the Python side (`scanner.py`) reserves room before each block.
"""
