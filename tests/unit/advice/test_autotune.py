"""What servers take by themselves, by version, and advice that names it beside its rivals."""

from dataclasses import replace

import pytest

from ldap_workbench.advice.evidence.autotune import autosize, published_threads
from ldap_workbench.advice.evidence.view import ErrorLine
from ldap_workbench.advice.families import errors
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.model.finding import Finding
from tests.unit.advice.material import FACTS, T0, at, only, view

GIB, MIB = 1024**3, 1024**2


def threads(cores, version="2.3.1"):
    return {rival.id: rival.threads for rival in published_threads(cores, version)}


@pytest.mark.parametrize(
    ("cores", "automatic", "table"),
    [
        *((1, 16, 16), (3, 16, 16), (4, 16, 24), (8, 16, 32), (15, 16, 32), (16, 16, 48)),
        *((32, 32, 64), (64, 64, 96), (128, 128, 192), (256, 256, 384), (512, 512, 512)),
        (1024, 512, 512),
    ],
)
def test_the_published_numbers_of_threads(cores, automatic, table):
    assert threads(cores) == {"automatic": automatic, "table": table}


@pytest.mark.parametrize(
    ("version", "own"),
    [
        *(("1.3.10", "table"), ("1.4.3", "table"), ("2.0.1", "automatic")),
        *(("3.1.2", "automatic"), ("", "automatic")),
    ],
)
def test_a_version_has_one_rule_of_its_own(version, own):
    rivals = published_threads(4, version)
    assert [rival.id for rival in rivals if rival.own] == [own]
    assert rivals[0].own


def found(which, **numbers):
    return Finding(which, "", "", 2, (), numbers)


def advised(*findings, facts=FACTS, **settings):
    settings = {name.replace("_", "-"): value for name, value in settings.items()}
    return {
        advice.id: advice.treatment.settings[0].value
        for advice in advise(findings, facts, settings=settings)
        if advice.id.startswith("threads-")
    }


def test_too_few_threads_have_three_rivals():
    """Four cores and 8 workers: twice as many is what the server takes by itself."""
    eight = found("work_queue", cpu_idle_percent=60.0, threads=8)
    assert advised(eight) == {"threads-more": "16", "threads-table": "24"}
    ten = found("work_queue", cpu_idle_percent=60.0, threads=10)
    assert advised(ten) == {
        "threads-more": "20",
        "threads-automatic": "16",
        "threads-table": "24",
    }
    busy = found("work_queue", cpu_idle_percent=5.0, threads=10)
    assert advised(busy) == {}


def test_too_many_threads_have_rivals_too():
    crowd = found("too_many_threads", cores=4, threads=64)
    assert advised(crowd) == {
        "threads-fewer": "4",
        "threads-automatic": "16",
        "threads-table": "24",
    }
    twenty = found("too_many_threads", cores=4, threads=20)
    assert advised(twenty) == {"threads-fewer": "4", "threads-automatic": "16"}


def test_the_rivals_are_said_with_their_numbers():
    (more,) = (
        each
        for each in advise([found("work_queue", threads=10)], FACTS)
        if each.id == "threads-more"
    )
    assert "For 4 hardware threads 389 DS 2 and later: 16, RHDS 10's table: 24." in str(
        more.disagree
    )
    (unknown,) = (
        each
        for each in advise([found("work_queue", threads=10)], replace(FACTS, cores=None))
        if each.id == "threads-more"
    )
    assert "at least 16" in str(unknown.disagree)


def test_an_exhausted_pool_alone_backs_more_threads():
    lines = (ErrorLine(T0, "ERR - pool - all threads are busy"),)
    samples = {"cn=monitor:threads": at([17] * 6), "iostat:cpu:idle": at([60.0] * 60)}
    seen = only(errors.find(view(errors=lines, samples=samples)), "threads_exhausted")
    assert (seen.numbers["threads"], seen.numbers["cpu_idle_percent"]) == (16, 60)
    assert advised(seen)["threads-more"] == "32"
    unsampled = only(errors.find(view(errors=lines)), "threads_exhausted")
    assert advised(unsampled) == {}
    assert advised(unsampled, nsslapd_threadnumber="24")["threads-more"] == "48"
    assert advised(unsampled, nsslapd_threadnumber="-1")["threads-more"] == "32"
    busy = {"cn=monitor:threads": at([17] * 6), "iostat:cpu:idle": at([10.0] * 60)}
    assert advised(only(errors.find(view(errors=lines, samples=busy)), "threads_exhausted")) == {}


def test_autosizing_has_a_rule_for_each_version():
    new, old = (autosize(24 * GIB, 25, version=version) for version in ("2.3.1", "1.3.10"))
    assert (new.db_cache, old.db_cache) == (1536 * MIB, 512 * MIB)
    small = [autosize(2 * GIB, 25, version=version).db_cache for version in ("2.3.1", "1.3.10")]
    assert small == [int(128 * MIB / 1.25), int(0.4 * 512 * MIB)]
    assert "design page" in str(old.arithmetic)
    assert "bdb_misc.c" in str(new.arithmetic)
    assert autosize(24 * GIB, 25) == new
