"""The profiles of this user: one versioned TOML file, written whole and atomically."""

from __future__ import annotations

import re
import shlex
import tomllib
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import tomli_w

from ldap_workbench.connect.folders import config_folder, write_atomically
from ldap_workbench.connect.ldap_url import parse_ldap_url
from ldap_workbench.model.errors import ProfileError
from ldap_workbench.model.message import Message
from ldap_workbench.model.passwords import holds_password
from ldap_workbench.model.profile import Profile, SshAddress

VERSION = 1
_EARLIER = "replay_writes"
"""What `test_server` was called while it allowed the writes of a replay alone."""
_TYPES = {"bool": bool, "int": int, "int | None": int}


class ProfileStore:
    """Reads the file at each call, so that two workbenches see each other's profiles."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or config_folder() / "profiles.toml"

    def names(self) -> list[str]:
        """In alphabetical order."""
        return sorted(self._read())

    def all(self) -> list[Profile]:
        """Every profile, by name. Raises ProfileError where one cannot be understood."""
        return [_profile(name, table) for name, table in sorted(self._read().items())]

    def get(self, name: str) -> Profile:
        """The profile of this name. Raises ProfileError with those there are."""
        profiles = self._read()
        if name not in profiles:
            raise ProfileError(
                Message("There is no profile '{name}'.", name=name),
                remedy=_add_one(name, sorted(profiles)),
            )
        return _profile(name, profiles[name])

    def add(self, profile: Profile) -> None:
        """Store a profile, in place of one of the same name. Raises ProfileError."""
        if not profile.name or profile.name != profile.name.strip():
            raise ProfileError(
                Message("A profile needs a name without spaces around it."),
                remedy=Message("Choose another name."),
            )
        parse_ldap_url(profile.address)
        _check_no_password(profile)
        _check_no_shell(profile)
        self._write(self._read() | {profile.name: _table(profile)})

    def remove(self, name: str) -> None:
        """Forget a profile. Raises ProfileError where there is none of this name."""
        profiles = self._read()
        if name not in profiles:
            self.get(name)
        del profiles[name]
        self._write(profiles)

    def _read(self) -> dict[str, dict[str, Any]]:
        try:
            content = tomllib.loads(self.path.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise self._broken(Message("is not valid TOML: {reason}", reason=str(error))) from error
        except OSError as error:
            raise self._broken(
                Message("cannot be read: {reason}", reason=error.strerror)
            ) from error
        if content.get("version") != VERSION:
            raise self._broken(
                Message(
                    "has version {version}, and this workbench knows {known:plain}",
                    version=str(content.get("version")),
                    known=VERSION,
                )
            )
        profiles = content.get("profiles", {})
        if not isinstance(profiles, dict) or not all(
            isinstance(p, dict) for p in profiles.values()
        ):
            raise self._broken(Message("holds something other than profiles"))
        return profiles

    def _write(self, profiles: dict[str, dict[str, Any]]) -> None:
        content = {"version": VERSION, "profiles": dict(sorted(profiles.items()))}
        try:
            write_atomically(self.path, tomli_w.dumps(content))
        except UnicodeEncodeError as error:
            raise ProfileError(
                Message("The profile contains text that is not UTF-8."),
                safe=Message("The file of profiles is as it was."),
                remedy=Message("Type it again, or rename the file it refers to."),
            ) from error
        except OSError as error:
            raise ProfileError(
                Message(
                    "The file of profiles, {path}, cannot be written: {reason}.",
                    path=str(self.path),
                    reason=error.strerror,
                ),
                safe=Message("The file of profiles is as it was."),
                remedy=Message("Make room on the disk, or make the file and its folder writable."),
            ) from error

    def _broken(self, why: Message) -> ProfileError:
        return ProfileError(
            Message("The file of profiles, {path}, {why}.", path=str(self.path), why=why),
            safe=Message("It was not changed."),
            remedy=Message("Repair it in an editor, or move it away and add the profiles again."),
        )


def _add_one(name: str, known: list[str]) -> Message:
    if not known:
        return Message("Add it: ldap-workbench profile add {name} --ldap URL", name=name)
    return Message(
        "The profiles are: {known}. Add one: ldap-workbench profile add {name} --ldap URL",
        known=tuple(known),
        name=name,
    )


def _check_no_password(profile: Profile) -> None:
    """No password is kept in a profile: the commands of it are shown, and run by lists of words."""
    for named, text in (
        (Message("restart command"), profile.restart_command),
        (Message("log command"), profile.log_command),
        (Message("LDAP URL"), profile.ldap_url),
    ):
        if text and holds_password(text):
            raise ProfileError(
                Message(
                    "The {named} of profile '{profile}' holds a password.",
                    named=named,
                    profile=profile.name,
                ),
                safe=Message("Nothing was stored."),
                remedy=Message(
                    "Leave it out: use sudo on the host, or a file there that only root can read."
                ),
            )


_QUOTED = re.compile(r"""'[^']*'|"(?:[^"\\$`]|\\.)*"|\\.""", re.DOTALL)
"""What a shell would leave as it is; within double quotes it still fills in $NAME and `command`."""
_SHELL_SYNTAX = re.compile(r"[|&;<>()`]|\$[\w{(]")


def _check_no_shell(profile: Profile) -> None:
    """The log command is run by its words: what a shell would do with a pipe does not happen."""
    text = profile.log_command or ""
    try:
        shlex.split(text)
        for_a_shell = _SHELL_SYNTAX.search(_QUOTED.sub("", text)) is not None
    except ValueError:  # a quote that does not end
        for_a_shell = True
    if for_a_shell:
        raise ProfileError(
            Message("'{command}' contains shell syntax: it is run without a shell.", command=text),
            safe=Message("Nothing was stored."),
            remedy=Message(
                "Name one command that prints the log and goes on: lines of other programs are "
                "ignored. Or put the pipe into a script on the host, and name that."
            ),
        )


def _table(profile: Profile) -> dict[str, Any]:
    """Without the name and what is as it is by default; TOML has no null."""
    table = _without_defaults(asdict(profile))
    del table["name"]
    if profile.ssh:
        table["ssh"] = _without_defaults(asdict(profile.ssh))
    return table


def _without_defaults(values: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value for name, value in values.items() if value is not None and value is not False
    }


def _profile(name: str, table: dict[str, Any]) -> Profile:
    values = dict(table)
    if _EARLIER in values:
        values["test_server"] = values.pop(_EARLIER)
    if "ssh" in values:
        values["ssh"] = SshAddress(**_checked(f"{name}.ssh", values["ssh"], SshAddress))
    return Profile(**{**_checked(name, values, Profile), "name": name})


def _checked(name: str, table: Any, kind: type[Profile | SshAddress]) -> dict[str, Any]:
    """The table itself if each setting is known and of its type and none needed is missing."""
    known = {field.name: field for field in fields(kind)}
    if not isinstance(table, dict):
        raise _unfit(name, Message("is not a table"))
    if unknown := sorted(table.keys() - known.keys()):
        what = Message(
            "has settings that this version does not know: {unknown}", unknown=tuple(unknown)
        )
        raise _unfit(name, what)
    needed = {"ldap_url"} if kind is Profile else {"host", "user"}
    if lacking := sorted(needed - table.keys()):
        raise _unfit(name, Message("lacks {settings}", settings=tuple(lacking)))
    for setting, value in table.items():
        wanted = SshAddress if setting == "ssh" else _TYPES.get(str(known[setting].type), str)
        if type(value) is not wanted:
            what = Message(
                "has {setting} = {value}, which should be a {kind}",
                setting=setting,
                value=repr(value),
                kind=wanted.__name__,
            )
            raise _unfit(name, what)
    return table


def _unfit(name: str, why: Message) -> ProfileError:
    return ProfileError(
        Message("The profile '{name}' {why}.", name=name, why=why),
        safe=Message("Nothing was changed."),
        remedy=Message("Correct it in profiles.toml, or add the profile again."),
    )
