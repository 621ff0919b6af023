"""Where values lie and how they get there: kernel files, attributes, and what refuses them."""

from __future__ import annotations

import pytest

from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.errors import CommandError, ConflictError, KnobError
from ldap_workbench.tuning.host_values import command_failure, in_force
from ldap_workbench.tuning.place import (
    KnobLocation,
    Places,
    describe_values,
)
from tests.unit.tuning.fakes import CONFIG, LDBM, READ_AHEAD, SCHEDULER, FakeShell, FakeTarget

LIMIT = KnobLocation("ldap://fake.example:389", LDBM, "nsslapd-idlistscanlimit")
AHEAD = KnobLocation("ssh://admin@fake.example:22", "", READ_AHEAD)


@pytest.fixture
def shell(target: FakeTarget) -> FakeShell:
    assert target.shell is not None
    return target.shell


def test_a_value_is_deleted_by_way_of_its_default_where_it_would_stay_in_force(
    target: FakeTarget,
) -> None:
    places = Places(target, {"nsslapd-idlistscanlimit": "4000"})
    assert places.before_absent(LIMIT) == ("4000",)
    target.directory.entries[LDBM]["nsslapd-idlistscanlimit"] = ("9000",)
    places.write(LIMIT, None, ("9000",))
    assert target.directory.written == [
        ("nsslapd-idlistscanlimit", ("4000",)),
        ("nsslapd-idlistscanlimit", None),
    ]
    places.write(LIMIT, ("7",), None)
    places.write(LIMIT, ("8",), ("7",))
    assert [values for _, values in target.directory.written[2:]] == [("7",), ("8",)]


def test_elsewhere_a_value_is_deleted_as_it_is(target: FakeTarget) -> None:
    Places(target).write(LIMIT, None, ("4000",))
    assert target.directory.written == [("nsslapd-idlistscanlimit", None)]
    Places(target, {"nsslapd-idlistscanlimit": "1"}).write(LIMIT, None, None)
    assert target.directory.written[1:] == [("nsslapd-idlistscanlimit", None)], "it was absent"


def test_an_absent_value_and_a_missing_entry_are_two_things(target: FakeTarget) -> None:
    places = Places(target)
    assert places.read(LIMIT) == ("4000",)
    assert places.read(KnobLocation(LIMIT.server, LDBM, "nsslapd-mode")) is None
    with pytest.raises(KnobError) as caught:
        places.read(KnobLocation(LIMIT.server, "cn=gone", "cn"))
    assert str(caught.value.what) == (
        "The server has no entry cn=gone, or this bind user may not read it."
    )


def test_a_kernel_file_is_written_only_over_what_is_expected(
    target: FakeTarget, shell: FakeShell
) -> None:
    places = Places(target)
    assert places.read(AHEAD) == ("128",)
    with pytest.raises(ConflictError) as caught:
        places.write(AHEAD, ("16",), ("64",))
    error = caught.value
    assert tuple(map(str, (error.before, error.ours, error.now))) == ("64", "16", "128")
    with pytest.raises(KnobError, match=f"{READ_AHEAD} cannot be removed"):
        places.write(AHEAD, None, ("128",))
    assert shell.files[READ_AHEAD] == "128"
    places.write(AHEAD, ("16",), ("128",))
    assert shell.files[READ_AHEAD] == "16"


def test_a_kernel_file_that_cannot_be_read_or_written_says_why(
    target: FakeTarget, shell: FakeShell
) -> None:
    gone = KnobLocation(AHEAD.server, "", "/sys/gone")
    with pytest.raises(CommandError) as caught:
        Places(target).read(gone)
    assert str(caught.value.what) == ("/sys/gone could not be read: cat: /sys/gone: No such file.")
    assert caught.value.status == 1
    assert "allow sudo in the profile" in str(caught.value.remedy)
    target.shell = FakeShell(target.directory, may_sudo=False)
    with pytest.raises(CommandError) as caught:
        Places(target).write(AHEAD, ("16",), ("128",))
    assert str(caught.value.what) == (
        f"{READ_AHEAD} could not be set to 16: sudo: a password is required."
    )
    target.shell = None
    with pytest.raises(KnobError, match="need a shell on it"):
        Places(target).read(AHEAD)


def test_what_the_kernel_lets_root_alone_read_is_read_with_sudo(
    target: FakeTarget, shell: FakeShell
) -> None:
    path = "/sys/kernel/debug/x"
    shell.files[path] = "7"
    places = Places(target)
    for file in (path, READ_AHEAD):
        places.read(KnobLocation(AHEAD.server, "", file))
    mounted = ["mountpoint", "-q", "/sys/kernel/debug"]
    assert shell.ran == [(mounted, False), (["cat", path], True), (["cat", READ_AHEAD], False)]
    shell.ran.clear()
    locations = [KnobLocation(AHEAD.server, "", file) for file in (path, READ_AHEAD)]
    assert places.kernel_texts([*locations, LIMIT]) == {READ_AHEAD: "128"}
    assert shell.ran == [(["grep", "-H", "", READ_AHEAD], False)]
    assert places.kernel_texts([LIMIT]) == {}
    assert len(shell.ran) == 1


def test_words_that_a_kernel_file_offers_are_those_of_a_list(
    target: FakeTarget, shell: FakeShell
) -> None:
    places = Places(target)
    assert places.offered(KnobLocation(AHEAD.server, "", SCHEDULER)) == (
        "none",
        "mq-deadline",
        "kyber",
    )
    assert places.offered(AHEAD) == ()
    assert in_force("none [mq-deadline] kyber") == "mq-deadline"
    assert in_force(" 128 \n") == "128"


def test_places_and_values_in_a_sentence() -> None:
    assert str(AHEAD.label) == READ_AHEAD
    assert str(LIMIT.label) == f"nsslapd-idlistscanlimit of {LDBM}"
    assert str(KnobLocation("", CONFIG, "cn").label) == "cn of cn=config"
    assert str(describe_values(None)) == "absent"
    assert str(describe_values(("60",))) == "60"
    assert str(describe_values(("a", "b"))) == "a, b"
    assert str(command_failure(CommandResult(3, b"", b" \n"))) == "exit status 3"
    assert str(command_failure(CommandResult(3, b"", b"denied\n"))) == "denied"
