"""What is known of the server and of the file, as rows of a table."""

from __future__ import annotations

from ldap_workbench import __version__
from ldap_workbench.figures.formats import number
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.units import format_duration, format_size, format_time
from ldap_workbench.report.parts import Fact
from ldap_workbench.session.reader import Session


def server_facts(facts: TargetFacts | None) -> tuple[Fact, ...]:
    """Rows in the order a reader asks for them; what is not known says why where that is known."""
    if facts is None:
        return ()
    rows = [
        ("Server", f"{facts.product} {facts.version}", "version"),
        ("Host", facts.host, "host"),
        ("Instance", facts.instance, "instance"),
        ("Started", _time(facts.started_ns), "started_ns"),
        ("Backends", _backends(facts), "backends"),
        ("Database library", facts.db_library, "db_library"),
        ("Database directory", facts.db_directory, "db_directory"),
        ("Disk under the database", facts.device, "device"),
        ("CPU", "" if number(facts.cores) is None else f"{facts.cores} cores", "cores"),
        ("Memory", _size(facts.ram_bytes), "ram_bytes"),
        ("Kernel", facts.kernel, "kernel"),
        ("Access log", facts.access_log, "access_log"),
        ("Server clock", _clock(facts), "clock_offset_ns"),
        ("Profile", facts.profile, "profile"),
    ]
    known = []
    for name, value, key in rows:
        if value:
            known.append(Fact(name, value))
        elif key in facts.unknown:
            known.append(Fact(name, "not known", str(facts.unknown[key])))
    return tuple(known)


def version_facts(session: Session) -> tuple[Fact, ...]:
    """Who wrote the session and who the report."""
    return (
        Fact("Session written by", session.meta.get("written_by", "not known")),
        Fact("Session schema", session.meta.get("schema", "not known")),
        Fact("Report written by", f"ldap-workbench {__version__}"),
    )


def is_simulated(session: Session, facts: TargetFacts | None) -> bool:
    """Whether the server was the practice directory, which only behaves like a real one."""
    marked = session.meta.get("simulated", "").lower() not in ("", "0", "no", "false")
    return marked or bool(facts and facts.simulated)


def _time(ns: int | None) -> str:
    return "" if number(ns) is None or ns is None else format_time(ns)


def _size(value: int | None) -> str:
    return "" if number(value) is None or value is None else format_size(value)


def _backends(facts: TargetFacts) -> str:
    return ", ".join(f"{backend.name} ({backend.suffix})" for backend in facts.backends)


def _clock(facts: TargetFacts) -> str:
    offset = facts.clock_offset_ns
    if number(offset) is None or facts.clock_error_ns is None:
        return ""
    side = "ahead of" if offset > 0 else "behind"
    error = format_duration(facts.clock_error_ns)
    return f"{format_duration(abs(offset))} {side} the workbench's clock (± {error})"
