"""While an index is built on one replica the lag of all of them is watched, over other links."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from ldap_workbench.campaign import build_lag
from ldap_workbench.campaign.build_lag import enter_watched
from ldap_workbench.connect.directory import Entry
from ldap_workbench.model.errors import ExperimentError
from ldap_workbench.model.target import Backend
from tests.unit.tuning.fakes import FACTS

SUFFIX = "dc=example,dc=com"


class Link:
    """Of a server that gets changes, or has come no further than its first."""

    def __init__(self, *, follows):
        self._follows, self._first = follows, time.time()
        self.closed = False

    def search(self, base, *, scope, filter="", attributes=()):  # noqa: A002
        assert (base, attributes) == (SUFFIX, ("contextCSN",))
        moment = datetime.fromtimestamp(time.time() if self._follows else self._first, UTC)
        return [Entry(base, {"contextCSN": (f"{moment:%Y%m%d%H%M%S.%f}Z#000000#001#000000",)})]

    def close(self):
        self.closed = True


class Arms:
    """Builds until it is stopped, or for as long as it takes."""

    def __init__(self, seconds):
        self.stop, self.treated, self._seconds = None, False, seconds

    def enter(self, arm):
        assert arm == "B"
        end = time.monotonic() + self._seconds
        while time.monotonic() < end:
            if self.stop is not None:
                raise self.stop
            time.sleep(0.005)
        self.treated = True


@pytest.fixture
def replicas(monkeypatch):
    """The second is the canary."""
    monkeypatch.setattr(build_lag, "_INTERVAL_S", 0.01)
    facts = replace(FACTS, product="OpenLDAP", backends=(Backend("{1}mdb", SUFFIX, "x"),))
    threads = []

    def replica(name, *, follows, seconds):
        link, thread = Link(follows=follows), ThreadPoolExecutor(1)
        threads.append(thread)
        target = SimpleNamespace(facts=facts, another_directory=lambda: link)
        return SimpleNamespace(
            name=name, target=target, arms=Arms(seconds), do=thread.submit, link=link
        )

    yield lambda *, follows, seconds: [
        replica("one", follows=True, seconds=0), replica("two", follows=follows, seconds=seconds)
    ]  # fmt: skip
    for thread in threads:
        thread.shutdown()


def test_a_replica_that_comes_too_far_behind_ends_the_build(replicas):
    both = replicas(follows=False, seconds=20)
    with pytest.raises(ExperimentError, match=r"two was [\d.]+ s behind the others"):
        enter_watched(both, 1, max_lag_s=0.1)
    assert not both[1].arms.treated
    assert [each.link.closed for each in both] == [True, True]


def test_a_build_that_keeps_up_ends_by_itself(replicas):
    both = replicas(follows=True, seconds=0.3)
    enter_watched(both, 1, max_lag_s=5)
    assert both[1].arms.treated
    assert both[1].arms.stop is None
    assert [each.link.closed for each in both] == [True, True]
