"""Which knobs called verified the live tests walk through, and the values they set them to.

A knob may be called verified only where one of these lists has it: see test_walks.py.
"""

from __future__ import annotations

from ldap_workbench.model.knob import Effect, Knob, ValueKind
from ldap_workbench.tuning import load_catalogue

_VERIFIED = [knob for knob in load_catalogue().knobs if knob.verified and not knob.steps]
_OF_SERVER = [knob for knob in _VERIFIED if not knob.on_host and knob.db_library != "mdb"]

LIVE = [knob for knob in _OF_SERVER if knob.effect is Effect.LIVE]
RESTART = [knob for knob in _OF_SERVER if knob.effect is Effect.RESTART]
OFFLINE = [knob for knob in _OF_SERVER if knob.effect is Effect.OFFLINE]
LMDB = [knob for knob in _VERIFIED if knob.db_library == "mdb"]
HOST = [knob for knob in _VERIFIED if knob.on_host]
OPENLDAP = [
    knob
    for knob in load_catalogue("openldap").knobs
    if knob.verified and knob.effect is Effect.LIVE and not knob.steps and not knob.on_host
]
_OPENDJ = [
    knob
    for knob in load_catalogue("opendj").knobs
    if knob.verified and not knob.steps and not knob.on_host
]
OPENDJ_LIVE = [knob for knob in _OPENDJ if knob.effect is Effect.LIVE]
OPENDJ_RESTART = [knob for knob in _OPENDJ if knob.effect is Effect.RESTART]
BY_ITSELF = ("nsslapd-cache-autosize", "nsslapd-ndn-cache-enabled")
"""Wait for a restart, and set like this they take away what proves others of RESTART."""

_WORDS = {
    "passwordStorageScheme": "SSHA512",
    "nsslapd-maxdescriptors": "8192",
    "nsslapd-db-logbuf-size": "1048576",
    "nsslapd-mdb-max-size": str(3 << 30),
    "nsslapd-mdb-max-readers": "200",
    "nsslapd-mdb-max-dbs": "600",
}
"""Where not every value that fits would do: a process may open so many files."""


def another_value(knob: Knob, now: str | None) -> str:
    """A value that fits the knob and is not what it has."""
    if knob.name in _WORDS:
        return _WORDS[knob.name]
    if knob.kind is ValueKind.SWITCH:
        return "off" if now == "on" else "on"
    if knob.kind is ValueKind.CHOICE:
        return next(choice for choice in knob.choices if choice != now)
    if knob.kind is ValueKind.SIZE:
        return str(max(knob.minimum or 0, 32 * 1024**2))
    number = max(int(now or 0), knob.minimum or 1)
    return str(number - 1 if number == knob.maximum else number + 1)
