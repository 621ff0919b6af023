"""What the knobs said in a window, kept with it: findings need not assume defaults."""

from __future__ import annotations

from typing import Any

from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.knob import KnobReading
from ldap_workbench.model.window import Source, SourceKind, SourceState, Window
from ldap_workbench.servers.configuration import read_configuration
from ldap_workbench.servers.target import UnansweringDirectory
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.tuner import Tuner


def remember_settings(writer: SessionWriter, tuner: Tuner, window: Window) -> Source:
    """Read every knob and store it as the CONFIG source of a window.

    A knob of several backends is stored as the first reads. A server that is gone leaves a failed
    source: the window stands without it.
    """
    number = writer.next_id("source")
    try:
        readings = _readings(tuner)
    except WorkbenchError as error:
        source = Source(
            number,
            window.id,
            SourceKind.CONFIG,
            "cn=config",
            SourceState.FAILED,
            why=error.what,
        )
    else:
        settings: dict[str, str] = {}
        for reading in readings:
            if reading.value is not None:
                settings.setdefault(reading.knob.name, reading.value)
        source = Source(
            number,
            window.id,
            SourceKind.CONFIG,
            "cn=config",
            SourceState.COMPLETE,
            samples=len(settings),
            details={"settings": settings} | _configuration(tuner),
        )
    writer.put_source(source)
    return source


def _readings(tuner: Tuner) -> list[KnobReading]:
    """Of every knob. A server that has not answered before the window is not waited for again."""
    if isinstance(tuner.directory, UnansweringDirectory):
        raise tuner.directory.why
    return tuner.readings()


def _configuration(tuner: Tuner) -> dict[str, Any]:
    """Indexes, plug-ins and limits; nothing where the bind may not read them all in one search."""
    try:
        configuration = read_configuration(tuner.directory, tuner.catalogue.product)
    except WorkbenchError:
        return {}
    return {"configuration": configuration.as_stored()} if configuration else {}
