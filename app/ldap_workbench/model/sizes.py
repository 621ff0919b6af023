"""Sizes as people type them."""

from __future__ import annotations

import re

from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message

_SIZES = {"": 1, "B": 1}
for _power, _letter in enumerate("KMGT", start=1):
    _SIZES |= {
        f"{_letter}IB": 1024**_power,
        f"{_letter}I": 1024**_power,
        _letter: 1024**_power,
        f"{_letter}B": 1000**_power,
    }


def parse_size(text: str) -> int:
    """Bytes of '1.5 GiB', '200M' (binary), '10 MB' (decimal) or '1048576'."""
    match = re.fullmatch(r"\s*(-?\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", text)
    scale = _SIZES.get(match.group(2).upper()) if match else None
    if match is None or scale is None:
        raise UsageError(
            Message("'{text}' is not a size.", text=text),
            remedy=Message("Write bytes, or 512 KiB, 1.5 GiB, 10 MB."),
        )
    if "." not in match.group(1):
        return int(match.group(1)) * scale
    return round(float(match.group(1)) * scale)
