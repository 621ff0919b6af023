"""Which note is meant at a moment: the operator's own, and only one that is drawn close to it."""

from ldap_workbench.figures.timeline.view import note_near
from ldap_workbench.model.message import verbatim
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import MARK, Mark

EARLY, LATE = (Mark(second * NS_PER_S, MARK, verbatim(f"at {second}")) for second in (100, 103))
APPLIED = Mark(101 * NS_PER_S, "applied", verbatim("nsslapd-cachememsize"))
MARKS = (EARLY, APPLIED, LATE)


def test_the_nearest_note_is_meant_as_long_as_it_is_close():
    assert note_near(MARKS, 101.4, 200.0) is EARLY
    assert note_near(MARKS, 101.6, 200.0) is LATE
    assert note_near(MARKS, 101.4, 100.0) is None
    assert note_near((APPLIED,), 101.0, 200.0) is None
    assert note_near((), 101.0, 200.0) is None
