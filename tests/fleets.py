"""A fleet of three servers, made without a log that anybody wrote: for tests and pictures."""

from __future__ import annotations

import re
from pathlib import Path

from ldap_workbench.fleet.answers import summary_of
from ldap_workbench.fleet.engine import Failure, Outcome
from ldap_workbench.fleet.mapping import summarise
from ldap_workbench.fleet.store import fleet_of, write_fleet
from ldap_workbench.fleet.summary import Summary
from ldap_workbench.fleet.units import Unit
from ldap_workbench.model.message import Message
from tests.unit.fleet.logs import log_of

_SPARSE = log_of([17, *[3 + 16 * i for i in range(300)], *[9 + 16 * i for i in range(300)]])
LOG = re.sub(rb"(\d:\d\d:\d)\d\.", rb"\g<1>0.", _SPARSE)
"""All of ten seconds in one, for a second tells something only if it is busy."""
LATER = LOG.replace(b"[21/Nov/2026:02", b"[21/Nov/2026:05")
NEXT = LOG.replace(b"[21/Nov", b"[22/Nov")
SLOW = LATER.replace(b"etime=0.001", b"etime=0.241")
TEXTS = {"ldap1": LOG + LATER + NEXT, "ldap2": LOG + LATER, "ldap3": LOG + SLOW}


def units_of(folder: Path) -> list[Unit]:
    units = []
    for name, text in TEXTS.items():
        (folder / name).write_bytes(text)
        units.append(Unit(name, str(folder / name), 0, "389"))
    return units


def three_servers(folder: Path) -> Path:
    """The third one is slow for some minutes from five o'clock on; a fourth failed."""
    units = units_of(folder)
    parts = [summary_of(summarise(unit).to_bytes(), unit) for unit in units]
    failure = Failure("ldap4", Message("ldap4 cannot be reached."))
    copy = {"ldap1: access.old": Message("It holds the beginning of {longer}.", longer="access")}
    write_fleet(folder / "fleet", fleet_of(Outcome(Summary.total(parts), (failure,)), copy))
    return folder / "fleet"
