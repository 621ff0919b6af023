"""The ways a person goes most often, by mouse and keys alone, and how many clicks each takes."""

from pathlib import Path

import pytest

from ldap_workbench.gui.parts.widgets.bands import VerdictBand
from ldap_workbench.practice.samples import samples
from tests.bench.walks import Walker, to_the_cause, to_the_pdf, to_the_verdict

STALLED_LOG = Path(__file__).parents[2] / "docs/cases/data/master-stall/access.zst"


@pytest.fixture
def walker(window, monkeypatch, tmp_path):
    """A hand at the window as it is used on a laptop."""
    monkeypatch.setenv("XDG_DOCUMENTS_DIR", str(tmp_path))
    window.resize(1400, 900)
    return Walker(window)


@pytest.mark.stall_allowed  # tests of each screen measure that
def test_a_dropped_log_is_three_clicks_from_the_operations_of_its_cause(walker, tmp_path):
    log = tmp_path / "access.zst"
    log.write_bytes(STALLED_LOG.read_bytes())
    to_the_cause(walker, log)
    assert (walker.clicks, walker.keys) == (3, 0)
    window = walker.window
    cause = window.overview.findings.seen.groups[0].lead
    evidence = next(piece for piece in cause.evidence if piece.which is not None)
    assert window.operations.model.rowCount() == evidence.which.count


@pytest.mark.stall_allowed
def test_a_session_is_three_clicks_from_its_pdf(walker, tmp_path):
    session = samples()[0].copy()
    to_the_pdf(walker, session)
    assert walker.clicks == 3
    assert session.with_name("walk.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.full  # its experiment takes 84 s on an idle machine
@pytest.mark.stall_allowed
@pytest.mark.timeout(2100)  # the waits of the walk together
@pytest.mark.clock("windows of the practice directory, which runs twenty times faster than life")
def test_a_complaint_is_seven_clicks_from_its_verdict(walker):
    to_the_verdict(walker, Path())
    assert (walker.clicks, walker.keys) == (7, 0)
    bands = walker.window.experiment.findChildren(VerdictBand)
    [said] = [band.heading.text() for band in bands if band.isVisible()]
    assert said.startswith("Binds are ")
    walker.press("Revert", walker.window.experiment)
    walker.until(lambda: not walker.window.experiment.running(), 120)
