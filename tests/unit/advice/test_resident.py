"""Memory of the server's process: what grows, what nears its limit, and slapd's table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.advice.families import pressure
from ldap_workbench.advice.rules.advise import advise
from tests.unit.advice.material import FACTS, USERROOT, at, only, view

MB = 1 << 20
OPENLDAP = replace(FACTS, product="OpenLDAP", version="2.5.13")


def found(facts=FACTS, seconds=600, **samples):
    named = {name.replace("__", ":"): at(values) for name, values in samples.items()}
    return pressure.find_resident(view(samples=named, facts=facts, seconds=seconds))


def growing(by_mb, seconds=600):
    return 1000 * MB + np.linspace(0, by_mb * MB, seconds)


def test_memory_that_grows_all_along():
    seen = only(found(process__memory__own=growing(100)), "memory_growth")
    assert seen.numbers["caches_bytes"] == 0
    assert seen.numbers["bytes_per_h"] == pytest.approx(600 * MB, rel=0.02)
    assert "reaches the 24 GiB it may have within 40 hours" in str(seen.sentence)
    assert {each.id for each in advise([seen], FACTS)} == {"memory-watch"}


def test_memory_that_its_caches_take():
    cache = {f"{USERROOT}:currententrycachesize": at(np.linspace(0, 90 * MB, 600))}
    own = {pressure.OWN: at(growing(100))}
    assert pressure.find_resident(view(samples=cache | own, seconds=600)) == []
    assert only(pressure.find_resident(view(samples=own, seconds=600)), "memory_growth")


def test_a_step_and_a_short_window_are_no_growth():
    step = np.r_[np.full(300, 1000 * MB), np.full(300, 1100 * MB)]
    assert found(process__memory__own=step) == []
    assert found(process__memory__own=growing(40)) == [], "4 % of it"
    assert found(process__memory__own=growing(100, 100), seconds=100) == []


def test_memory_near_what_the_host_or_the_group_has():
    full = [22 * 1024 * MB] * 60
    assert only(found(process__memory__own=full), "memory_limit").numbers["most_bytes"] == 24 << 30
    group = {"cgroup__memory__limit": [1024 * MB] * 60}
    seen = only(found(process__memory__own=[900 * MB] * 60, **group), "memory_limit")
    assert "1 GiB" in str(seen.sentence)
    # Most of what a group uses is the file-system cache, which the kernel takes back.
    cached = {"cgroup__memory__used": [1020 * MB] * 60}
    assert found(process__memory__own=[600 * MB] * 60, **cached, **group) == []


def test_the_table_of_connections_of_slapd():
    memory = {"process__memory__own": [720 * MB] * 60, "process__files__limit": [1_048_576] * 60}
    seen = only(found(OPENLDAP, **memory), "descriptor_memory")
    assert seen.numbers["table_bytes"] == 1_048_576 * 665
    assert "1,048,576 files" in str(seen.sentence)
    assert {each.id for each in advise([seen], OPENLDAP)} == {"olc-open-files"}
    assert found(FACTS, **memory) == [], "389 DS keeps none"


def test_a_limit_that_was_raised_later_or_is_usual():
    assert found(OPENLDAP, process__memory__own=[80 * MB] * 60,
                 process__files__limit=[1_048_576] * 60) == []  # fmt: skip
    assert found(OPENLDAP, process__memory__own=[720 * MB] * 60,
                 process__files__limit=[65_536] * 60) == []  # fmt: skip
