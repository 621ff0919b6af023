"""Live values as charts."""

from ldap_workbench.figures.timeline.live import LiveFeed
from ldap_workbench.gui.parts.charts.strip import StripChart
from ldap_workbench.model.units import NS_PER_S
from tests.unit.figures.test_live import START, samples, strip


def test_live_strips_stand_on_one_stretch_of_time(qtbot):
    feed = LiveFeed("vda")
    feed.put(samples(0, ops=1000))
    feed.put(samples(1, ops=1250, util=20.0))
    feed.put(samples(9, util=30.0))
    feed.drain()
    charts = [StripChart(strip(feed, title)) for title in ("Operations", "Disk busy")]
    ranges = []
    for chart in charts:
        qtbot.addWidget(chart)
        chart.draw_now()
        ranges.append(chart.plot.getViewBox().viewRange()[0])
    assert ranges[0] == ranges[1]
    assert ranges[0] == [START / NS_PER_S + 1, START / NS_PER_S + 9]
