"""Sizes and instants as people type them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def instant(text: str) -> int | None:
    """ISO time as ns since 1970, whole microseconds; without a zone it is UTC; None for no text.

    Raises UsageError.
    """
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(
            Message("'{text}' is not an ISO time.", text=text),
            remedy=Message("Write 2026-11-21T04:15."),
        ) from error
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1000


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
