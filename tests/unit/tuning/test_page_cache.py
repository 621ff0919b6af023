"""One command that may be allowed alone drops a page cache, and the journal has each drop."""

import pytest

from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import CommandError, ExperimentError
from ldap_workbench.tuning.page_cache import DROP_CACHES, PageCache
from tests.unit.tuning.fakes import FakeShell

DROP = (["tee", DROP_CACHES], True)


@pytest.fixture
def shell(target):
    target.shell.files[DROP_CACHES] = "0"
    return target.shell


@pytest.fixture
def cache(target, journal):
    return PageCache(target, journal, session="s.ldapwb")


def without_sudo(target):
    target.shell = FakeShell(target.directory, may_sudo=False)
    target.shell.files[DROP_CACHES] = "0"


def test_a_check_asks_for_the_very_right_and_drops_nothing(cache, shell, journal):
    cache.check()
    assert shell.ran[-1] == DROP
    assert shell.files[DROP_CACHES] == "0"
    assert journal.changes() == []


def test_a_drop_writes_dirty_pages_first_and_is_journaled_as_done(cache, shell, target, journal):
    cache.drop()
    cache.drop()
    assert shell.ran == [(["sync"], False), DROP] * 2
    assert shell.files[DROP_CACHES] == "3"
    changes = journal.changes(target.directory.url)
    assert [(c.state, c.asked, c.got) for c in changes] == [(ChangeState.DONE, ("3",), ("3",))] * 2
    assert len({change.group for change in changes}) == 1
    assert {change.session for change in changes} == {"s.ldapwb"}


def test_a_drop_leaves_nothing_to_revert(cache, shell, tuner, journal):
    cache.drop()
    assert tuner.open_changes() == []
    assert tuner.revert(journal.changes()[0].group) == []
    assert shell.files[DROP_CACHES] == "3"


def test_it_is_in_the_journal_before_it_is_done(cache, shell, journal, monkeypatch):
    run = shell.run

    def noted_run(argv, **options):
        if argv[0] == "tee":
            assert [change.attribute for change in journal.changes()] == [DROP_CACHES]
        return run(argv, **options)

    monkeypatch.setattr(shell, "run", noted_run)
    cache.drop()


def test_without_a_shell_it_is_refused(cache, target):
    target.shell = None
    with pytest.raises(ExperimentError, match="no shell on it") as told:
        cache.check()
    assert (str(told.value.safe), "--cold" in str(told.value.remedy)) == (
        "Nothing was changed.",
        True,
    )


def test_a_host_that_is_no_linux_is_refused(cache):
    with pytest.raises(ExperimentError, match="not a Linux host"):
        cache.check()


def test_without_sudo_it_is_refused(cache, target, journal):
    without_sudo(target)
    with pytest.raises(ExperimentError, match="a password is required"):
        cache.check()
    assert target.shell.files[DROP_CACHES] == "0"
    assert journal.changes() == []


def test_a_refused_drop_is_said_and_journaled_as_refused(cache, target, journal):
    without_sudo(target)
    with pytest.raises(CommandError, match="a password is required"):
        cache.drop()
    assert [change.state for change in journal.changes()] == [ChangeState.REFUSED]
