"""Instants as an operator types them."""

from __future__ import annotations

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
