"""Where things are in the arrays that the compiled scanner and its Python side share."""

from __future__ import annotations

# --- state: int64, one value each, kept across feeds -------------------------------------------
(
    UNDERSTOOD,
    SET_ASIDE,
    UNKNOWN,
    LAST_TIME,
    MAX_TIME,
    STEPS_BACK,
    BOOT,
    MAX_CONN,
    HEADER_SEEN,
    OPEN_USED,
    CONN_USED,
    ORPHANS,
    ROWS,
    STATUS,
    WHOLE_SECONDS,
    QUANTISED,
    MICROSECONDS,
    NANOSECONDS,
    LAST_DIGITS,
    CACHED_SECOND,
    OWN_CONNECTIONS,
    FIRST_TIME,
    STATE_SIZE,
) = range(23)

# --- why the scanner came back before the end of the block ------------------------------------
DONE, NEED_ROWS, NEED_OPEN, NEED_CONN, NEED_OWN = range(5)

# --- one line, as its grammar read it ---------------------------------------------------------
(
    TIME,
    CLASS,
    KIND,
    REASON,
    CONN,
    INTERNAL,
    OP,
    INTERNAL_OP,
    NESTING,
    ERR,
    TAG,
    NENTRIES,
    WTIME,
    OPTIME,
    ETIME,
    ETIME_DIGITS,
    NOTES,
    BASE_FROM,
    BASE_TO,
    FILTER_FROM,
    FILTER_TO,
    BIND_FROM,
    BIND_TO,
    CLIENT_FROM,
    CLIENT_TO,
    GARBAGE_WTIME,
    GARBAGE_OPTIME,
    CUT,
    LINE_SIZE,
) = range(29)

# --- classes of a line ------------------------------------------------------------------------
(
    NOT_KNOWN,
    ASIDE,
    EXTRA,
    REQUEST,
    RESULT,
    ABANDON,
    OPENED,
    CLOSED,
    UNPROCESSED,
    BOUND,
    HEADER,
    UNBIND,
    SOCKET,
) = range(13)

# --- reasons; the text is what people read ----------------------------------------------------
REASONS = (
    "header",
    "blank line",
    "error log line",
    "cut line",
    "NUL bytes",
    "overlong line",
    "result without etime",
    "garbage etime",
    "garbage wtime",
    "garbage optime",
    "request seen twice",
    "two records glued",
)
(
    R_HEADER,
    R_BLANK,
    R_ERROR_LOG,
    R_CUT,
    R_NUL,
    R_OVERLONG,
    R_NO_ETIME,
    R_GARBAGE_ETIME,
    R_GARBAGE_WTIME,
    R_GARBAGE_OPTIME,
    R_TWICE,
    R_GLUED,
) = range(12)

# --- what a key=value token means -------------------------------------------------------------
(
    F_SKIP,
    F_ERR,
    F_TAG,
    F_NENTRIES,
    F_WTIME,
    F_OPTIME,
    F_ETIME,
    F_NOTES,
    F_BASE,
    F_FILTER,
    F_OID,
    F_DN,
    F_STOP,
) = range(13)

# --- columns of a row -------------------------------------------------------------------------
C_END, C_ETIME, C_WTIME, C_OPTIME, C_NENTRIES, C_CONN, C_REQUEST, C_RESULT, WIDE = range(9)
(
    C_ERR,
    C_BOOT,
    C_OP,
    C_INTERNAL_OP,
    C_NESTING,
    C_CLIENT,
    C_FINGERPRINT,
    C_BASE,
    C_BIND,
    MIDDLE,
) = range(10)
C_KIND, C_INTERNAL, C_OWN, C_NOTES, NARROW = range(5)

# --- the table of open requests: int64[slots, O_SIZE], a slot is free where O_K1 is 0 ---------
O_K1, O_K2, O_K3, O_START, O_AT, O_KIND, O_BASE, O_FINGERPRINT, O_BIND, O_SIZE = range(10)

# --- the table of connections: int64[slots, N_SIZE] -------------------------------------------
N_KEY, N_CLIENT, N_BIND, N_FLAGS, N_CLOSED_AT, N_SIZE = range(6)
N_OPENED, N_CLOSED, N_OWN = 1, 2, 4

# --- kinds: indexes into model.operations.TYPES -----------------------------------------------
K_SRCH, K_BIND, K_MOD, K_ADD, K_DEL, K_MODRDN, K_CMP, K_EXT, K_ABANDON, K_UNKNOWN = range(10)

ABSENT = -(2**63)
MAX_LINE = 1 << 20
"""Longer lines are set aside: no server writes them."""
PAD = 40
"""Bytes that must be readable behind a block, so that the scanner may load whole words."""
