"""Why lines of a source were skipped, as a person reads it.

Readers count lines by reason, and a session keeps the reason as it is named here; a part of a
reason stands behind ': '.
"""

from __future__ import annotations

from ldap_workbench.model.message import Message, verbatim

OTHER_HOST = Message("line of another host")
WRAPPER = Message("line of the wrapper")
REPEATED = Message("line that the previous file already holds")
NO_REQUEST = Message("kind of a result without a request")
_NAMED = (
    *(OTHER_HOST, WRAPPER, REPEATED, NO_REQUEST),
    Message("header"),
    Message("blank line"),
    Message("error log line"),
    Message("cut line"),
    Message("NUL bytes"),
    Message("overlong line"),
    Message("result without etime"),
    Message("garbage etime"),
    Message("garbage wtime"),
    Message("garbage optime"),
    Message("request seen twice"),
    Message("two records joined"),
    Message("line without a time"),
    Message("message of the server"),
    Message("repeated by syslog"),
    Message("request forgotten, as too many have no result"),
    Message("connection forgotten, as too many never close"),
    Message("report since boot"),
    Message("report cut off"),
    Message("report that cannot be placed in time"),
    Message("pause without a time of day"),
    Message("text between histograms"),
    Message("group of disks"),
    Message("notice of a device"),
    Message("counted already"),
    Message("comment"),
    Message("value behind a URL"),
    Message("remark of the debugger"),
    Message("key that is not a DN"),
    Message("list that the access log shows better"),
    Message("average of all rows"),
    Message("server start"),
    Message("row without a date"),
    Message("package of something else"),
    Message("file of something else"),
    Message("more samples than are kept"),
    Message("value that is no number"),
    Message("statistics that are not used"),
)
_WORDS = {str(message): message for message in _NAMED}


def skipped_as(reason: str) -> Message:
    """A reason as a message; one of another version as it is."""
    first, colon, second = reason.partition(": ")
    if not colon:
        return _WORDS.get(reason) or verbatim(reason)
    return Message("{reason}: {why}", reason=skipped_as(first), why=skipped_as(second))
