"""A window that is connected to a fake server."""

from dataclasses import replace

from ldap_workbench.gui.workbench import Connection
from ldap_workbench.tuning import Tuner, load_catalogue
from tests import sessions
from tests.unit.tuning.fakes import FACTS, FakeTarget

HERE = replace(FACTS, identity="389ds:here")


def connect(window, facts=HERE) -> FakeTarget:
    """Connect the window to a fake of these facts, in place of the server before."""
    target = FakeTarget(facts=facts)
    target.close = target.directory.close
    target.now_ns = lambda: sessions.START_NS
    bench = window.workbench
    bench.connection = Connection(target, Tuner(target, bench.journal(), load_catalogue()))
    bench.connectionChanged.emit()
    return target
