"""Binds behind PAM's one lock end at equal distances; others do not."""

import numpy as np
import pytest

from ldap_workbench.advice.families import binds
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
    found = only(binds.serial_binds(view(bursts(True), configuration=pam())), "serial_binds")
    assert found.numbers["alone_ns"] == 50_000_000
    assert "20.0 a second" in str(found.sentence)
    assert found.user_ns == 12 * 50_000_000 * sum(range(8))


def again_and_again(service, clients=10, count=80):
    """Clients that bind again at once, so that none is ever alone; `service` gives each its time.

    As 389 DS 2.3 logged it for ten clients and a module of PAM that takes some 80 ms: the first
    binds took less, all others 0.8 to 1 s.
    """
    log, random, now = Log(), np.random.default_rng(7), 0.0
    since = [0.0] * clients
    for n in range(count):
        now += service(random)
        log.add("BIND", since[n % clients], now - since[n % clients])
        since[n % clients] = now
    return log


def test_binds_none_of_which_is_alone():
    log = again_and_again(lambda random: random.normal(0.08, 0.012))
    found = only(binds.serial_binds(view(log, configuration=pam())), "serial_binds")
    assert found.numbers["alone_ns"] == pytest.approx(80e6, rel=0.1)
    irregular = again_and_again(lambda random: random.exponential(0.08))
    assert binds.serial_binds(view(irregular, configuration=pam())) == []


def test_slow_binds_are_not_called_hashing_where_pam_checks_them():
    log = again_and_again(lambda random: 0.08)
    asked = only(binds.find(view(log, configuration=pam())), "slow_binds")
    assert "PAM and the services it calls" in str(asked.sentence)
    [hashed] = binds.find(view(log, configuration=pam("off")))
    assert "Password hashing is the likely reason;" in str(hashed.sentence)


def chaining(suffix):
    entry = ConfigurationEntry(
        "cn=chain,cn=chaining database,cn=plugins,cn=config",
        {"nsslapd-suffix": (suffix,), "nsfarmserverurl": ("ldap://master:389/",)},
    )
    return Configuration((entry,))


def test_slow_binds_are_not_called_hashing_where_another_server_has_the_entries():
    log = Log().background(300)
    for n in range(60):
        log.add("BIND", 4 * n, 0.08, base=f"uid={n},ou=people,dc=a")
    asked = only(binds.find(view(log, configuration=chaining("dc=a"))), "slow_binds")
    assert "it may check the passwords, and" in str(asked.sentence)
    other = only(binds.find(view(log, configuration=chaining("dc=b"))), "slow_binds")
    assert "Password hashing is the likely reason;" in str(other.sentence)


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
    assert binds.serial_binds(view(log, configuration=configuration)) == []
