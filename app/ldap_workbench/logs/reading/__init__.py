"""Files of any kind: opened, unpacked, unwrapped, named by content, and their times."""
