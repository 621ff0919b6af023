"""While one replica is changed or measured the lag of all is watched, over links of its own."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from ldap_workbench.connect.directory import Entry
from ldap_workbench.experiment import lag_watch
from ldap_workbench.experiment.lag_watch import LagWatch
from ldap_workbench.model.errors import AnotherServerError, DirectoryError, ExperimentError
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
        both[1].arms.stop = watch.crossed
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
    assert (watch.crossed(), watch.unread) == (NOTHING, ())
    assert [each.link.closed for each in both] == [True, True]


def eventually(true):
    end = time.monotonic() + 5
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    assert true()


def watched(both, limit_s):
    return LagWatch({each.name: each.target for each in both}, limit_s)


def test_a_server_that_does_not_answer_is_asked_again_over_a_new_link(replicas):
    """Its replication is not looked for again: it seems to have none while it starts."""
    both = replicas(follows=True, seconds=0)
    search, answers = both[1].link.search, iter([False] * 5)
    asked = []

    def cut(*words, **how):
        asked.append(how)
        if not next(answers, True):
            raise DirectoryError(Message("busy"), code=51)
        return search(*words, **how)

    with watched(both, 0.5) as watch:
        both[1].link.search = cut
        eventually(lambda: len(asked) > 20)
        assert watch.crossed() == NOTHING
        time.sleep(0.6)
        assert watch.crossed() == NOTHING, "it is read again"


def with_another(entries):
    """As they are, with a second supplier."""
    (entry,) = entries
    (csn,) = entry.values("contextCSN")
    return [Entry(entry.dn, {"contextCSN": (csn, csn.replace("#001#", "#002#"))})]


def test_a_server_that_shows_less_than_before_is_not_read(replicas):
    both = replicas(follows=True, seconds=0)
    fewer, search = both[1].link.search, both[0].link.search
    for each in both:
        each.link.search = lambda *asked, **how: with_another(search(*asked, **how))
    with watched(both, 0.2) as watch:
        both[1].link.search = fewer
        time.sleep(0.4)
        with pytest.raises(ExperimentError, match="How far two is behind has not been known"):
            watch.crossed()


def test_a_server_that_hangs_ends_it_and_delays_no_other(replicas):
    both, end = replicas(follows=True, seconds=0), threading.Event()
    search, others = both[1].link.search, []
    with watched(both, 0.3) as watch:
        both[0].link.search = lambda *_, **__: end.wait(5) and []
        both[1].link.search = lambda *a, **how: others.append(1) or search(*a, **how)
        time.sleep(0.6)
        with pytest.raises(ExperimentError, match="How far one is behind has not been known"):
            watch.crossed()
        assert len(others) > 10
        end.set()


def test_a_server_that_is_stopped_on_purpose_has_as_long_to_catch_up(replicas):
    both = replicas(follows=False, seconds=0)
    with watched(both, 0.5) as watch:
        with watch.on_purpose(), watch.on_purpose():
            time.sleep(0.8)
        time.sleep(0.7)
        assert watch.crossed() == NOTHING
        eventually(watch.crossed)


def test_what_was_crossed_is_forgotten_once_it_has_caught_up(replicas):
    both = replicas(follows=False, seconds=0)
    with watched(both, 0.1) as watch:
        eventually(watch.crossed)
        watch.begin()
        assert watch.crossed(), "by the newest reading"
        both[1].link.search = both[0].link.search
        time.sleep(0.1)
        assert watch.crossed(), "it was"
        watch.begin()
        assert not watch.crossed()


def test_a_supplier_that_only_one_server_shows_makes_none_late(replicas):
    both = replicas(follows=True, seconds=0)
    search = both[0].link.search

    both[0].link.search = lambda *asked, **how: with_another(search(*asked, **how))
    with watched(both, 0.2) as watch:
        time.sleep(0.5)
        assert watch.crossed() == NOTHING
        assert watch.common == {f"replication:csn[{SUFFIX} 1]"}


def test_a_suffix_that_is_spelled_otherwise_is_the_same(replicas):
    both = replicas(follows=True, seconds=0)
    spelled = (Backend("{1}mdb", "DC=example, dc=com", "x"),)
    both[1].target.facts = replace(both[1].target.facts, backends=spelled)
    search = both[1].link.search
    both[1].link.search = lambda _, **how: search(SUFFIX, **how)
    with watched(both, 5) as watch:
        assert watch.common == {f"replication:csn[{SUFFIX} 1]"}


def test_another_server_at_the_address_of_one_is_said(replicas):
    both = replicas(follows=True, seconds=0)

    def refuse(*_, **__):
        raise AnotherServerError(Message("ldap://two is another server now."))

    with watched(both, 5) as watch:
        both[1].target.another_directory = refuse
        both[1].link.search = lambda *_, **__: []
        time.sleep(0.3)
        with pytest.raises(AnotherServerError, match="is another server now"):
            watch.crossed()


def test_a_defect_of_the_watch_is_called_one(replicas):
    both = replicas(follows=True, seconds=0)
    with watched(both, 5) as watch:
        both[0].link.search = lambda *_, **__: 1 / 0
        time.sleep(0.3)
        with pytest.raises(ExperimentError, match="A defect in the workbench: ZeroDivisionError"):
            watch.crossed()
