"""Command lines and paths on a host: what a program gets is what was meant, word by word."""

from __future__ import annotations

import os
import posixpath
import shutil
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ldap_workbench.connect.commands import (
    PROGRAM,
    HostPath,
    HostScript,
    command_line,
    for_shell,
    host_path,
    is_host_path,
)
from ldap_workbench.connect.ssh import watched
from ldap_workbench.model.errors import CommandError
from tests.systems import IS_ROOT

PRINT = ("/usr/bin/printf", "%s\\0")
HOSTILE = [
    "-delete/access",
    "--help",
    "$(id >&2)",
    "`reboot`",
    "; rm -rf ~ #",
    "a\nb",
    "' \" \\ * ? [a] {b} ~",
    "!history",
    "-",
    "",
    "\udcff\udcfe not utf-8",
    "A=b",
    "%s",
]
WORDS = st.lists(
    st.one_of(
        st.sampled_from(HOSTILE),
        st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
        st.binary().map(lambda b: b.replace(b"\0", b"").decode("utf-8", "surrogateescape")),
    ),
    min_size=1,
    max_size=5,
)


def printed(command: list[str] | bytes) -> list[str]:
    """The words a program was given."""
    argv = ["sh", "-c", command] if isinstance(command, bytes) else command
    pipe = subprocess.PIPE
    # Of a watched command, what is left of its group is killed.
    own = {"start_new_session": True}
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, **own) as process:
        assert process.stdout
        assert process.stderr
        # Its input stays open until it has ended, as that of a channel does.
        found, said = process.stdout.read(), process.stderr.read()
    assert said == b""
    return [os.fsdecode(word) for word in found.split(b"\0")[:-1]]


@pytest.mark.posix("its shells are those of hosts")
@given(WORDS)
@example(HOSTILE)
@settings(max_examples=60, deadline=None)
def test_a_shell_gives_the_program_the_words_that_were_meant(words: list[str]) -> None:
    line = command_line([*PRINT, *words], sudo=False)
    assert printed(for_shell(line)) == words
    assert printed(for_shell(watched(line))) == words
    script = HostScript("test-print", '/usr/bin/printf "%s\\0" "$@"')
    assert printed(for_shell(script.argv(HostPath("/a b"), *words))) == ["/a b", *words]


@pytest.mark.skipif(
    not IS_ROOT or not shutil.which("sudo"), reason="only root may sudo without a password"
)
@given(WORDS)
@example(HOSTILE)
@settings(max_examples=20, deadline=None)
def test_sudo_gives_the_program_the_words_that_were_meant(words: list[str]) -> None:
    line = command_line([*PRINT, *words], sudo=True)
    assert line[:3] == ["sudo", "-n", "--"]
    assert printed(for_shell(line)) == words
    assert printed(line) == words


@given(st.one_of(WORDS.map("".join), WORDS.map("/".join), WORDS.map(lambda w: "/" + "/".join(w))))
@settings(max_examples=300)
def test_a_path_is_absolute_normal_and_without_control_characters_or_refused(value: str) -> None:
    if not is_host_path(value):
        with pytest.raises(CommandError):
            host_path(value)
        return
    assert host_path(value) == value
    assert value.startswith("/")
    assert posixpath.normpath(value) == value
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in value)


@pytest.mark.parametrize(
    ("value", "shows", "why"),
    [
        ("-delete/access", "-delete/access", "start with /"),
        ("access", "access", "start with /"),
        ("", "", "start with /"),
        ("/var/log/../../etc/shadow", "/var/log/../../etc/shadow", "empty parts"),
        ("/var//log/access", "/var//log/access", "empty parts"),
        ("/var/log/./access", "/var/log/./access", "empty parts"),
        ("/var/log/", "/var/log/", "empty parts"),
        ("/var/log/a\nb", r"/var/log/a\nb", "control"),
        ("/var/log/a\0b", r"/var/log/a\x00b", "control"),
        ("/var/log/\x1b[31mred", r"/var/log/\x1b[31mred", "control"),
        ("/var/log/\u202eexe", r"/var/log/\u202eexe", "control"),
        ("/" + "a" * 256, "/aaa", "too long"),
        ("/a" * 2048, "/a/a", "too long"),
    ],
)
def test_a_refused_path_is_shown_and_why(value: str, shows: str, why: str) -> None:
    with pytest.raises(CommandError) as caught:
        host_path(value)
    assert shows in str(caught.value.what)
    assert why in str(caught.value.what)
    assert str(caught.value.what).isprintable()
    assert len(str(caught.value.what)) < 400
    assert str(caught.value.safe) == "Nothing was run with it."
    assert "configuration" in str(caught.value.remedy)


@pytest.mark.parametrize(
    "value", ["/var/log/-x", "/srv/ldap logs/accès", "/a/\udcff", "/" + "a" * 255]
)
def test_odd_but_honest_paths_are_taken(value: str) -> None:
    assert host_path(value) == value


@pytest.mark.parametrize("argv", [[], [""], ["-n", "sh"], ["cat", "a\0b"]])
def test_what_is_no_command_is_refused(argv: list[str]) -> None:
    with pytest.raises(CommandError, match="not a command"):
        command_line(argv, sudo=True)


def test_a_script_is_run_by_its_name_where_the_host_has_its_own_program() -> None:
    script = HostScript("test-read", 'cat <"$1"')
    argv, program = script.argv(HostPath("/var/log/access"), 7), f"#!/bin/sh\n{script.text}\n"
    assert command_line(argv, sudo=True, installed=program) == [
        "sudo", "-n", "--", PROGRAM, "test-read", "/var/log/access", "7",
    ]  # fmt: skip
    assert command_line(argv, sudo=False, installed=program) == argv
    other = ["sh", "-c", "reboot", "test-read", "/var/log/access"]
    assert command_line(other, sudo=True, installed=program)[3:] == other, "only the very text"
    with pytest.raises(CommandError, match="does not have 'test-read' as this version") as error:
        command_line(argv, sudo=True, installed=program.replace("cat", "head"))
    assert "sudoers NAME --program" in str(error.value.remedy)
