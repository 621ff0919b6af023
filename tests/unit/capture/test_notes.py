"""What was assumed or found in files beside an access log is said beside their numbers."""

import pytest

from ldap_workbench.capture import Clock, import_logs
from ldap_workbench.model.remarks import remarks
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.session import SessionWriter

START = 1795227500 * NS_PER_S


@pytest.fixture
def said(tmp_path):
    """The remarks about the only source that a text makes."""

    def said(text, **options):
        path = tmp_path / "file"
        path.write_text(text)
        with SessionWriter.create(tmp_path / "s.ldapwb") as writer:
            (source,) = import_logs([path], writer, **options).sources
        return " ".join(remarks(source))

    return said


SOLARIS = """                  extended device statistics
device       r/i    w/i   kr/i   kw/i wait actv  svc_t  %w  %b
md10      60.0 120.0 0.0 0.0  0.0  0.0   30.0   1   2
"""


def test_an_interval_that_was_assumed(said):
    clock = Clock(start_ns=START, interval_ns=10 * NS_PER_S)
    assert "how long 2 of them lasted: taken for 10 s" in said(SOLARIS * 3, clock=clock)
