"""Binds behind PAM's one lock end at equal distances; others do not."""

import numpy as np
import pytest

from ldap_workbench.advice.families import serial_binds
from ldap_workbench.model.configuration import Configuration, ConfigurationEntry
from tests.unit.advice.material import Log, only, view


def pam(enabled="on", **more):
    attributes = {
        "nsslapd-pluginpath": ("libpam-passthru-plugin",),
        "nsslapd-pluginenabled": (enabled,),
    }
    return Configuration(
        (ConfigurationEntry("cn=PAM Pass Through Auth,cn=plugins,cn=config", attributes | more),)
    )


def bursts(serial, together=8, service=0.05, bursts_=12):
    """Bursts of binds that come at once, with some alone between them."""
    log, random = Log(), np.random.default_rng(4)
    for burst in range(bursts_):
        for n in range(together):
            took = service * (n + 1) if serial else service * random.uniform(1.0, 1.3)
            log.add("BIND", 10 * burst, took)
        log.add("BIND", 10 * burst + 5, service)
        log.add("BIND", 10 * burst + 7, service)
    return log


def test_a_staircase_of_binds():
    found = only(serial_binds.find(view(bursts(True), configuration=pam())), "serial_binds")
    assert found.numbers["alone_ns"] == 50_000_000
    assert "20.0 a second" in str(found.sentence)
    assert found.user_ns == 12 * 50_000_000 * sum(range(8))


@pytest.mark.parametrize(
    ("log", "configuration"),
    [
        (bursts(False), pam()),
        (bursts(True), pam("off")),
        (bursts(True), pam(pammoduleisthreadsafe=("TRUE",))),
        (bursts(True), Configuration()),
        (bursts(True, service=0.001), pam()),
        (bursts(True, together=2), pam()),
        (bursts(True, bursts_=3), pam()),
    ],
)
def test_binds_that_do_not_wait_for_pam(log, configuration):
    assert serial_binds.find(view(log, configuration=configuration)) == []
