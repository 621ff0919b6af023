"""Imported histograms and companions on the tails screen: charts and a table, no log needed."""

import pytest

from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.session.writer import SessionWriter
from tests.gui.conftest import opened
from tests.unit.cases.test_histograms import HEAVY, LIGHT, stap
from tests.unit.cases.test_iostat_pasted import BANNER, solaris

pytestmark = pytest.mark.one_window


def imported(folder, files):
    for name, text in files.items():
        (folder / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "in" / name).write_text(text)
    path = folder / "case.ldapwb"
    with SessionWriter.create(path) as writer:
        import_logs([folder / "in"], writer)
    return path


@pytest.fixture
def probes(tmp_path):
    return imported(tmp_path, {"1thread.txt": stap(LIGHT), "16thread.txt": stap(HEAVY)})


@pytest.fixture
def reads(tmp_path):
    after = BANNER.replace("24 12:52:03", "25 12:52:03")
    files = {
        "a/iostat.txt": BANNER + solaris([(370, 112), (282, 107)]),
        "b/iostat.txt": after + solaris([(300, 22), (310, 23)]),
    }
    return imported(tmp_path, files)


def test_two_runs_of_a_probe_lie_over_each_other(qtbot, window, probes):
    screen = opened(qtbot, window, probes, "tails")
    assert screen._charts.currentWidget() is screen.probes
    assert "1 thread (434,750)" in screen.probes.buckets.legend_label.text()
    assert "16 threads (407,500)" in screen.probes.beyond.legend_label.text()
    told = [tuple(map(str, row)) for row in screen.probes.beyond.numbers().rows]
    rows = {row[0]: row[1:] for row in told}
    assert rows["262 µs"] == ("8,500 (2.01 %)", "18,000 (4.79 %)")
    assert len(screen.probes.buckets.plot.items_shown) == 2


def test_two_sets_of_iostat_are_a_table(qtbot, window, reads):
    screen = opened(qtbot, window, reads, "tails")
    windows = sorted(window.workbench.opened.summary.windows, key=lambda each: each.start_ns)
    screen._a.set_windows(windows, windows[:1])
    screen._b.set_windows(windows, windows[1:])
    screen._ask()
    qtbot.waitUntil(lambda: screen.host.rows.rowCount() > 0)
    first = [screen.host.rows.index(0, column).data() for column in range(6)]
    assert first[0] == "Size of a read"
    assert first[-1] == "apart"
    assert screen._tables.isTabVisible(3)
    assert not screen._charts.isTabVisible(screen._charts.indexOf(screen.probes))
