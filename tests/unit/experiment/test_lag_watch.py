"""While one replica is changed or measured the lag of all is watched, over links of its own."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from ldap_workbench.connect.directory import Entry
from ldap_workbench.experiment import lag_watch
from ldap_workbench.experiment.lag_watch import LagWatch
from ldap_workbench.model.errors import ConnectError, ExperimentError
from ldap_workbench.model.message import NOTHING, Message
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
        self.stop, self.treated, self._seconds = lambda: NOTHING, False, seconds

    def enter(self, arm):
        assert arm == "B"
        end = time.monotonic() + self._seconds
        while time.monotonic() < end:
            if what := self.stop():
                raise ExperimentError(what)
            time.sleep(0.005)
        self.treated = True


@pytest.fixture
def replicas(monkeypatch):
    """The second is the canary."""
    monkeypatch.setattr(lag_watch, "_INTERVAL_S", 0.01)
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


def enter_watched(both, limit_s):
    """As a canary does it."""
    with LagWatch({each.name: each.target for each in both}, limit_s) as watch:
        both[1].arms.stop = lambda: watch.behind
        both[1].do(both[1].arms.enter, "B").result()
    return watch


def test_a_replica_that_comes_too_far_behind_ends_the_build(replicas):
    both = replicas(follows=False, seconds=20)
    with pytest.raises(ExperimentError, match=r"two was [\d.]+ s behind the others"):
        enter_watched(both, 0.1)
    assert not both[1].arms.treated
    assert [each.link.closed for each in both] == [True, True]


def test_a_build_that_keeps_up_ends_by_itself(replicas):
    both = replicas(follows=True, seconds=0.3)
    watch = enter_watched(both, 5)
    assert both[1].arms.treated
    assert (watch.behind, watch.unread) == (NOTHING, ())
    assert [each.link.closed for each in both] == [True, True]


def test_a_server_that_does_not_answer_is_asked_again_over_a_new_link(replicas):
    """One that is down for a change in its files, for one."""
    both = replicas(follows=True, seconds=0.3)
    search, answers = both[1].link.search, iter([False] * 5)

    def cut(*asked, **how):
        if not next(answers, True):
            raise ConnectError(Message("The connection broke."))
        return search(*asked, **how)

    watch = LagWatch({each.name: each.target for each in both}, 5)
    both[1].link.search = cut
    with watch:
        assert watch.unread == ("two",)
        end = time.monotonic() + 5
        while watch.unread and time.monotonic() < end:
            time.sleep(0.01)
    assert (watch.behind, watch.unread) == (NOTHING, ())


def test_a_lag_that_can_no_longer_be_read_is_no_limit_that_holds(replicas):
    both = replicas(follows=True, seconds=0.3)
    with LagWatch({each.name: each.target for each in both}, 5) as watch:
        both[0].link.search = lambda *_, **__: 1 / 0
        end = time.monotonic() + 5
        while not watch.behind and time.monotonic() < end:
            time.sleep(0.01)
    assert "could not be read: ZeroDivisionError" in str(watch.behind)
