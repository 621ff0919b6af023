"""Odd names of files never end a command in a stack of lines, nor steer the terminal."""

import io
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from ldap_workbench.cli import main
from tests.sessions import build_experiment_session

ODD = [b"two\nlines.ldapwb", b"-x.ldapwb", b"latin-\xe4\xff.ldapwb", b"\x1b[2J.ldapwb", b" .ldapwb"]
NOT_UTF8 = ODD[2]
READERS = [
    *(["windows"], ["tails"], ["slowest"], ["groups"], ["findings"], ["stalls"]),
    *(["tails", "--json"], ["windows", "--json"]),
    ["compare", "--a", "1", "--b", "2"],
]


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    return build_experiment_session(
        tmp_path_factory.mktemp("s") / "s.ldapwb", pairs=1, seconds=3, per_second=20
    )


@dataclass
class Done:
    returncode: int
    stdout: bytes
    stderr: bytes


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The command in this process, which starts a hundred times as fast; its output as bytes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO())

    def run(*words, home=tmp_path / "home"):
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        with monkeypatch.context() as process:
            process.setenv("LDAP_WORKBENCH_HOME", str(home))
            process.setattr(sys, "argv", ["ldap-workbench", *map(os.fsdecode, words)])
            process.setattr(sys, "stdout", out)
            process.setattr(sys, "stderr", err)
            with pytest.raises(SystemExit) as ended:
                main()
        return checked(Done(ended.value.code or 0, out.buffer.getvalue(), err.buffer.getvalue()))

    return run


def checked(done):
    said = done.stdout + done.stderr
    assert b"Traceback" not in said, said.decode()
    assert b"bug of its own" not in said, said.decode()
    assert b"\x1b[2J" not in said
    assert done.returncode in (0, 1, 2)
    return done


def test_a_name_that_is_not_utf8_in_a_process_of_its_own(session, tmp_path):
    shutil.copy(session, os.path.join(os.fsencode(tmp_path), NOT_UTF8))
    argv = [sys.executable, "-m", "ldap_workbench", "windows", "--", NOT_UTF8]
    done = checked(subprocess.run(argv, capture_output=True, check=False, cwd=tmp_path))
    assert done.returncode == 1
    assert b"not UTF-8" in done.stderr


@pytest.mark.parametrize("name", ODD, ids=repr)
def test_a_session_with_an_odd_name_is_read(run, session, tmp_path, name):
    shutil.copy(session, os.path.join(os.fsencode(tmp_path), name))
    for command, *options in READERS[:2] if name != ODD[0] else READERS:
        done = run(command, *options, "--", name)
        assert done.returncode == (1 if name == NOT_UTF8 else 0), (command, done.stderr.decode())


@pytest.mark.parametrize("name", ODD, ids=repr)
def test_what_is_written_under_an_odd_name_is_there(run, session, tmp_path, name):
    folder = os.path.join(os.fsencode(tmp_path), b"to-" + name)
    report = os.path.join(os.fsencode(tmp_path), name + b".html")
    assert run("report", session, b"--output=" + report).returncode == 0
    done = run("export", "--csv", session, folder)
    assert os.path.exists(report)
    if name == NOT_UTF8:
        assert b"not UTF-8" in done.stderr
    else:
        assert os.listdir(folder)


@pytest.mark.parametrize("name", [*ODD, b"\n", b"/", b"/dev/null/x", b"x" * 300, b"."], ids=repr)
def test_what_is_not_there_or_no_session_is_a_sentence(run, name):
    assert run("windows", "--", name).returncode in (1, 2)
    assert run("report", "--output=o.html", "--", name).returncode in (1, 2)


@pytest.mark.parametrize("name", ODD, ids=repr)
def test_logs_with_odd_names_are_imported(run, tmp_path, name):
    line = (
        b'[20/Nov/2026:08:00:00.000000001 +0000] conn=1 op=1 SRCH base="" scope=0 filter="(x=1)"\n'
        b"[20/Nov/2026:08:00:00.100000001 +0000] conn=1 op=1 RESULT err=0 tag=101 nentries=1 "
        b"etime=0.1\n"
    )
    Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), b"log-" + name))).write_bytes(line)
    os.mkdir(os.path.join(os.fsencode(tmp_path), b"d" + name))
    output = b"out.ldapwb" if name == NOT_UTF8 else b"out-" + name
    done = run("import", b"log-" + name, b"d" + name, b"--output=" + output)
    assert done.returncode == 0, done.stderr.decode()


WORDS = [
    *(["profile", "show"], ["profile", "remove"], ["profile", "test"], ["knobs"], ["journal"]),
    *(
        ["capture", "-o", "x.ldapwb"],
        ["experiment", "-o", "x.ldapwb", "--set", "a=b"],
        ["revert", "--all"],
    ),
    ["experiment", "--resume", "-o", "x.ldapwb"],
]


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_profiles_with_odd_names_are_a_sentence(run, words):
    for name in (b"two\nlines", b"\xff", b"\x1b[2J"):
        assert run(*words, "--", name).returncode in (1, 2)


def test_a_profile_with_an_odd_name_or_file(run):
    assert run("profile", "add", b"\xff", "--ldap", "ldap://x").returncode in (0, 1, 2)
    assert run("profile", "add", "a", "--ldap", "ldap://x", b"--ca=/x\n\xff").returncode in (0, 1)
    run("profile", "list")
    run("profile", "show", "a")


def test_a_home_that_cannot_be_written_is_a_sentence(run, tmp_path):
    (tmp_path / "file").write_text("no folder")
    for words in (["profile", "list"], ["journal"], ["knobs", "x"]):
        done = run(*words, home=tmp_path / "file" / "home")
        assert done.returncode == 1
        assert b"LDAP_WORKBENCH_HOME" in done.stderr


WRONG_PROFILES = [
    "version = 1\nprofiles = 3",
    "version = 1\n[profiles]\na = 3",
    'version = 1\n[profiles.a]\nldap_url = "ldap://x"\nstarttls = "yes"',
    "version = 1\n[profiles.a]\nldap_url = 3",
    'version = 1\n[profiles.a]\nldap_url = "ldap://x"\nssh = "a@b"',
    'version = 1\n[profiles.a]\nldap_url = "ldap://x"\n[profiles.a.ssh]\nhost="h"\nuser="u"\nport="2"',
    'version = 1\n[profiles.a]\nldap_url = "ldap://[x"',
    'version = "1"',
    "profiles = []",
    "\x00",
]


@pytest.mark.parametrize("text", WRONG_PROFILES, ids=range(len(WRONG_PROFILES)))
def test_wrong_types_in_the_profiles_are_a_sentence(run, tmp_path, text):
    (tmp_path / "home" / "config").mkdir(parents=True)
    (tmp_path / "home" / "config" / "profiles.toml").write_text(text)
    for words in (["profile", "list"], ["profile", "show", "a"], ["knobs", "a"]):
        run(*words)
    assert run("knobs", "a").returncode == 1
