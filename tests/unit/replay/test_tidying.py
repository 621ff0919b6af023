"""What a replay writes is noted before, and removed to the last entry, also later."""

import json
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace

import pytest

from ldap_workbench.cli.link import warn_of_open_changes
from ldap_workbench.connect.directory import Entry
from ldap_workbench.model.configuration import normal_dn
from ldap_workbench.model.errors import AnotherServerError, ChangeError, DirectoryError, UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.progress import Cancel
from ldap_workbench.replay.player import Pace
from ldap_workbench.replay.tidying import PlannedWrites, container_under, leftovers, remove
from ldap_workbench.servers.same_server import read_identity
from ldap_workbench.tuning.journal import Journal
from tests.unit.replay.test_scratch import script, write

PARENT = "ou=tests,dc=example,dc=com"
PROFILE = Profile("lab", "ldap://lab", "cn=dm", test_server=True)


class FakeDirectory:
    """Entries by DN, on disk of nobody; `fails` are DNs that cannot be removed."""

    url = PROFILE.ldap_url
    host = ""

    def __init__(self):
        self.entries = {PARENT: {}}
        self.fails = set()
        self.noted_at_first_write = None

    def search(self, base, **_):
        if base == "":
            return [Entry("", {"namingContexts": ("dc=example, dc=com", "")})]
        if base == "cn=config" and self.host:
            names = {"nsslapd-localhost": (self.host,), "nsslapd-port": ("389",)}
            return [Entry(base, names)]
        return [Entry(base, {})] if base in self.entries else []

    def add(self, dn, attributes):
        if self.noted_at_first_write is None:
            self.noted_at_first_write = [each.container for each in leftovers()]
        self.entries[dn] = attributes

    def delete(self, dn):
        if dn in self.fails or self.children(dn, 1):
            raise DirectoryError(Message("refused"), code=66)
        self.entries.pop(dn, None)

    def children(self, dn, most):
        return [each for each in self.entries if each.endswith(f",{dn}")][: most or None]

    def close(self): ...


@pytest.fixture
def directory(monkeypatch, tmp_path):
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path))
    return FakeDirectory()


def target(directory, profile=PROFILE):
    return SimpleNamespace(
        profile=profile,
        server=profile.ldap_url,
        facts=SimpleNamespace(identity=read_identity(directory).instance, host=directory.host),
        directory=directory,
        another_directory=lambda: directory,
    )


NAMES = [f"e{number}" for number in range(1200)]


def test_all_of_it_is_noted_before_and_gone_after(directory):
    with container_under(target(directory), PARENT, NAMES) as container:
        assert directory.noted_at_first_write == [container]
        assert len(directory.children(container, 0)) == 1200
        assert container.endswith(f",{PARENT}")
        directory.add(f"cn=e7-0-0,{container}", {})  # by the replay itself
    assert [*directory.entries] == [PARENT]
    assert leftovers() == []


def test_a_replay_that_fails_leaves_nothing_either(directory):
    with pytest.raises(ZeroDivisionError), container_under(target(directory), PARENT, NAMES):
        raise ZeroDivisionError
    assert [*directory.entries] == [PARENT]
    assert leftovers() == []


def test_what_cannot_be_removed_stays_noted_and_goes_later(directory):
    with pytest.raises(ChangeError, match="could not be removed") as error:  # noqa: SIM117
        with container_under(target(directory), PARENT, NAMES) as container:
            directory.fails.add(f"cn=e5,{container}")
    assert "replay clean lab" in str(error.value.remedy)
    [left] = leftovers("lab")
    assert left.container == container
    assert leftovers("other") == []
    directory.fails.clear()
    assert remove(directory, left) == 1195
    assert [*directory.entries] == [PARENT]
    assert leftovers() == []


def test_a_command_that_changes_the_server_tells_of_it(directory, capsys):
    noted(directory)
    with closing(Journal()) as journal:
        warn_of_open_changes(PROFILE, journal)
        assert "ldap-workbench replay clean lab" in capsys.readouterr().err
        warn_of_open_changes(replace(PROFILE, name="other"), journal)
        assert capsys.readouterr().err == ""


def test_an_entry_of_somebody_else_is_never_removed(directory):
    with pytest.raises(ChangeError):  # noqa: SIM117
        with container_under(target(directory), PARENT, NAMES) as container:
            directory.add(f"cn=somebody,{container}", {})
    assert [*directory.entries] == [PARENT, container, f"cn=somebody,{container}"]
    assert len(leftovers()) == 1


def test_a_server_that_shows_what_it_removed_does_not_hold_us(directory):
    [left] = noted(directory)
    asked = []

    def children(dn, most):
        asked.append(dn)
        assert len(asked) < 10
        return [f"cn=e1,{dn}"] if dn == left.container else []

    directory.children = children
    directory.entries[f"cn=e1,{left.container}"] = {}
    with pytest.raises(DirectoryError):
        remove(directory, left)
    assert left in leftovers()


def another(host="", url="ldap://lab"):
    server = FakeDirectory()
    server.host, server.url = host, url
    return server


@pytest.mark.parametrize("url", ["ldap://lab", "ldap://elsewhere"])
def test_the_note_stays_where_the_profile_leads_to_another_server(directory, url):
    directory.host = "ldap1"
    [left] = noted(directory)
    with pytest.raises(AnotherServerError, match=r"ldap2 .*, not ldap1"):
        remove(another("ldap2", url), left)
    assert leftovers() == [left]
    directory.url = "ldap://another-name-of-it"
    remove(directory, left)
    assert leftovers() == []
    assert [*directory.entries] == [PARENT]


@pytest.mark.parametrize(("before", "now"), [("", ""), ("ldap1", ""), ("", "ldap1")])
def test_where_it_is_not_known_which_server_it_is_the_url_must_be_that_of_before(
    directory, before, now
):
    directory.host = before
    [left] = noted(directory)
    with pytest.raises(AnotherServerError, match="ldap://lab, and the profile leads to ldap://x"):
        remove(another(now, "ldap://x"), left)
    assert leftovers() == [left]


def test_the_note_stays_where_the_server_does_not_show_whether_it_is_gone(directory):
    """Another bind, for one, that may not read there."""
    [left] = noted(directory)
    directory.entries.clear()
    with pytest.raises(ChangeError, match=f"{PARENT} cannot be seen"):
        remove(directory, left)
    assert leftovers() == [left]


def test_a_note_of_an_earlier_version_is_read(directory):
    [left] = noted(directory)
    note = json.loads(left.path.read_text())
    del note["identity"], note["host"]
    left.path.write_text(json.dumps(note))
    assert leftovers() == [replace(left, identity="", host="")]


def noted(directory):
    with pytest.raises(ChangeError):  # noqa: SIM117
        with container_under(target(directory), PARENT, NAMES) as container:
            directory.fails.add(container)
    directory.fails.clear()
    return leftovers()


def test_cancelled_it_makes_no_more_entries(directory):
    cancel = Cancel()
    cancel.set()
    with container_under(target(directory), PARENT, NAMES, cancel=cancel) as container:
        assert directory.children(container, 0) == []


def planned(directory, parent=PARENT, profile=PROFILE, of=None):
    of = of or script([write("MOD", 1), write("ADD", 2), write("DEL", 3)])
    return PlannedWrites.of(of, Pace(), target(directory, profile), parent)


def test_the_plan_counts_the_writes_and_the_entries_they_need(directory):
    plan = planned(directory)
    assert plan.counts == {"MOD": 1, "ADD": 1, "DEL": 1}
    assert plan.names == ("e1", "e3-0-0")


@pytest.mark.parametrize(
    ("parent", "profile", "reason"),
    [
        (PARENT, Profile("lab", "ldap://lab", "cn=dm"), "does not allow replays to write"),
        (PARENT, Profile("lab", "ldap://lab", test_server=True), "no bind DN"),
        ("cn=config", PROFILE, "no entry 'cn=config' in the data"),
        ("dc=badexample,dc=com", PROFILE, "in the data of this server"),
        ("ou=absent,dc=example,dc=com", PROFILE, "in the data of this server"),
        ("", PROFILE, "in the data of this server"),
    ],
)
def test_where_it_may_not_write_nothing_is_planned(directory, parent, profile, reason):
    if normal_dn(parent) == "cn=config":
        directory.entries[parent] = {}
    with pytest.raises(UsageError, match=reason):
        planned(directory, parent, profile)
    assert directory.noted_at_first_write is None


def test_a_replay_without_writes_or_of_too_many_is_refused(directory, monkeypatch):
    with pytest.raises(UsageError, match="no change that could be sent"):
        planned(directory, of=script([]))
    monkeypatch.setattr("ldap_workbench.replay.tidying.MOST_ENTRIES", 1)
    with pytest.raises(UsageError, match="more than 1 entries"):
        planned(directory)
