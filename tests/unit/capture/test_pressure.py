"""Pressure stall information as head prints it of three files."""

from ldap_workbench.capture.pressure import pressures
from ldap_workbench.model.window import Sample

TEXT = """\
==> /proc/pressure/cpu <==
some avg10=12.34 avg60=5.00 avg300=1.00 total=424242
full avg10=0.00 avg60=0.00 avg300=0.00 total=0

==> /proc/pressure/io <==
some avg10=0.00 avg60=0.00 avg300=0.00 total=99
full avg10=0.00 avg60=0.00 avg300=0.00 total=77

==> /proc/pressure/memory <==
some avg10=0.00 avg60=0.00 avg300=0.00 total=5
"""


def test_totals_by_resource():
    assert pressures(TEXT, 9) == [
        Sample(9, "pressure:cpu:some", 424242.0),
        Sample(9, "pressure:cpu:full", 0.0),
        Sample(9, "pressure:io:some", 99.0),
        Sample(9, "pressure:io:full", 77.0),
        Sample(9, "pressure:memory:some", 5.0),
    ]


def test_a_host_without_it_tells_nothing():
    assert pressures("head: cannot open '/proc/pressure/cpu': No such file or directory\n", 9) == []
    assert pressures("some avg10=1 total=5\n", 9) == []
