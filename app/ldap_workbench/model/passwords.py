"""Passwords in commands: refused where they stand there, named where they do not.

A command is kept in sessions, reports and profiles and seen in lists of processes. In it
`{password:NAME}` stands for a password that is looked up when it starts, and is kept nowhere.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from typing import AnyStr

_NAMED = re.compile(r"\{password:([A-Za-z0-9_.-]+)\}")
_LONG = ("password", "passwd", "passphrase", "secret")
_SHORT = {"pass", "pw", "pwd", "token", "bindpw", "rootpw", "userpw", "adminpw"}
"""What names of options and variables end in that hold a password; short ones are whole parts."""
_LONGEST_LINE = 1 << 20
_LDAP_TOOL = re.compile(r"(?:.*/)?(?:ldap\w*|ldclt|dsconf|dsidm|rsearch|\w+rate)(?:\.exe)?")
"""Programs whose -w is the password to bind with."""
# Names in a process's command line that a password follows: -Djavax.net.ssl.keyStorePassword=...,
# --pin=..., also inside an argument (-javaagent:x.jar=user=a,password=...). A name that ends in
# file has a path. All is bounded, as the text may be a stranger's.
_NAME = (
    r"(?:(?i:passw|passphrase|secret|credential)[\w.:-]{0,200}(?<!(?i:file))"
    r"|(?:(?<![A-Za-z])|(?<=-D))(?i:pass|pw|pwd|pin|token)|(?<=[a-z])(?:Pass|Pw|Pwd|Pin|Token)"
    r"|(?i:key|store|trust|bind|root|user|admin)(?i:pass|pw|pwd))="
)
_VALUE = r"""(?:\\.|"[^"\n]*"|'[^'\n]*'|[^\s"'\\])+"""
_QUOTED = rf"""((?<=")(?<![\w=]")-{{1,2}}[\w.:-]{{0,200}}?{_NAME})([^"\n]+)"""
_OPTION = r"(?<!\S)--?[\w-]{0,60}(?i:password|passwd|bindpw|rootpw)[ \t]+(?!-)"
_PASSED = rf"{_QUOTED}|({_NAME})({_VALUE})|({_OPTION})({_VALUE})"
_PASSED_TEXT, _PASSED_BYTES = re.compile(_PASSED), re.compile(_PASSED.encode())
_FILE = re.compile(r"@|/|~|\./|file:|-$")


def named_passwords(command: str) -> tuple[str, ...]:
    """The names in `{password:NAME}`, in their order."""
    return tuple(dict.fromkeys(_NAMED.findall(command)))


def with_passwords(word: str, find: Callable[[str], str]) -> str:
    """A word of a command with the passwords its names stand for."""
    return _NAMED.sub(lambda named: find(named[1]), word)


def holds_password(command: str) -> bool:
    """Whether a password seems to stand in a command as it is."""
    try:
        words = shlex.split(command)
    except ValueError:
        return False  # it is refused for that
    return any(map(_is_literal, _passwords_in(words)))


def without_passwords(line: str) -> str:
    """The command line of a process as it may be kept: `...` for each password in it."""
    return _PASSED_TEXT.sub(lambda match: f"{_name_and_value(match)[0]}...", line)


class ProcessLines:
    """Passes a log on in whole lines, with asterisks for passwords in command lines of processes.

    A server in Java logs how it was started. What is passed on is as long as what came.
    """

    def __init__(self, keep: Callable[[bytes], None]) -> None:
        self._keep = keep
        self._unfinished = b""

    def __call__(self, data: bytes) -> None:
        text = self._unfinished + data
        whole = len(text) if len(text) > _LONGEST_LINE else text.rfind(b"\n") + 1
        self._unfinished = text[whole:]
        self._pass_on(text[:whole])

    def finish(self) -> None:
        """Pass on the line that has no end yet."""
        text, self._unfinished = self._unfinished, b""
        self._pass_on(text)

    def _pass_on(self, text: bytes) -> None:
        if b"-D" in text or b"--" in text:
            text = _PASSED_BYTES.sub(_starred, text)
        if text:
            self._keep(text)


def _starred(match: re.Match[bytes]) -> bytes:
    name, value = _name_and_value(match)
    return name + b"*" * len(value)


def _name_and_value(match: re.Match[AnyStr]) -> tuple[AnyStr, AnyStr]:
    name, value = (group for group in match.groups() if group is not None)
    return name, value


def _passwords_in(words: list[str]) -> Iterator[str]:
    """Every word that is passed as a password, also in a command inside a word (sh -c)."""
    tool = any(_LDAP_TOOL.fullmatch(word) for word in words)
    for word, following in zip(words, [*words[1:], ""], strict=False):
        name, sign, value = word.partition("=")
        if name.startswith("-") and _names_one(name):
            yield value if sign else following
        elif tool and word.startswith("-w"):
            yield word[2:] or following
        elif sign and _names_one(name):
            yield value
        yield _in_url(word)
        if re.search(r"\s", word) and len(words) > 1:
            yield from _inner(word)


def _names_one(name: str) -> bool:
    parts = re.split(r"[-_]", name.lower())
    return any(part.endswith(_LONG) or part in _SHORT for part in parts if part)


def _in_url(word: str) -> str:
    """The password in scheme://user:password@host; '' where there is none."""
    user, _, _ = word.partition("://")[2].partition("/")[0].rpartition("@")
    return user.partition(":")[2]


def _inner(word: str) -> Iterator[str]:
    try:
        yield from _passwords_in(shlex.split(word))
    except ValueError:
        return


def _is_literal(value: str) -> bool:
    """Not a name, a variable of a shell, a file, nor nothing."""
    return bool(value) and not (
        _NAMED.fullmatch(value) or value.startswith(("$", "-")) or _FILE.match(value)
    )
