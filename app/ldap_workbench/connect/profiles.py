"""The profiles of this user: one versioned TOML file, written whole and atomically."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import tomli_w

from ldap_workbench.connect.folders import config_folder, write_atomically
from ldap_workbench.connect.ldap_url import parse_ldap_url
from ldap_workbench.model.errors import ProfileError
from ldap_workbench.model.passwords import holds_password
from ldap_workbench.model.profile import Profile, SshAddress

VERSION = 1
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
            known = ", ".join(sorted(profiles)) or "none yet"
            raise ProfileError(
                f"There is no profile '{name}'.",
                remedy=f"Known are: {known}. Add one: ldap-workbench profile add {name} --ldap URL",
            )
        return _profile(name, profiles[name])

    def add(self, profile: Profile) -> None:
        """Store a profile, in place of one of the same name. Raises ProfileError."""
        if not profile.name or profile.name != profile.name.strip():
            raise ProfileError("A profile needs a name without blanks around it.")
        parse_ldap_url(profile.ldap_url)
        _check_no_password(profile)
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
            raise self._broken(f"is not valid TOML: {error}") from error
        except OSError as error:
            raise self._broken(f"cannot be read: {error.strerror}") from error
        if content.get("version") != VERSION:
            raise self._broken(f"has version {content.get('version')}, known is {VERSION}")
        profiles = content.get("profiles", {})
        if not isinstance(profiles, dict) or not all(
            isinstance(p, dict) for p in profiles.values()
        ):
            raise self._broken("holds something else than profiles")
        return profiles

    def _write(self, profiles: dict[str, dict[str, Any]]) -> None:
        content = {"version": VERSION, "profiles": dict(sorted(profiles.items()))}
        try:
            write_atomically(self.path, tomli_w.dumps(content))
        except UnicodeEncodeError as error:
            raise ProfileError(
                "Something in the profile is not in UTF-8.",
                safe="The file of profiles is as it was.",
                remedy="Type it again, or give the file it names another name.",
            ) from error
        except OSError as error:
            raise ProfileError(
                f"The file of profiles, {self.path}, cannot be written: {error.strerror}.",
                safe="It is as it was.",
            ) from error

    def _broken(self, why: str) -> ProfileError:
        return ProfileError(
            f"The file of profiles, {self.path}, {why}.",
            safe="It was not changed.",
            remedy="Mend it in an editor, or move it away and add the profiles again.",
        )


def _check_no_password(profile: Profile) -> None:
    """No password is kept in a profile: the commands of it are shown, and run by lists of words."""
    for named, text in (
        ("restart command", profile.restart_command),
        ("LDAP URL", profile.ldap_url),
    ):
        if text and holds_password(text):
            raise ProfileError(
                f"The {named} of profile '{profile.name}' holds a password.",
                safe="Nothing was stored.",
                remedy="Leave it out: let sudo or a file that root alone reads give it on the "
                "host.",
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
    if "ssh" in values:
        values["ssh"] = SshAddress(**_checked(f"{name}.ssh", values["ssh"], SshAddress))
    return Profile(**{**_checked(name, values, Profile), "name": name})


def _checked(name: str, table: Any, kind: type[Profile | SshAddress]) -> dict[str, Any]:
    """The table itself if each setting is known and of its type and none needed is missing."""
    known = {field.name: field for field in fields(kind)}
    if not isinstance(table, dict):
        raise _unfit(name, "is not a table")
    if unknown := sorted(table.keys() - known.keys()):
        raise _unfit(name, f"has settings this version does not know: {', '.join(unknown)}")
    needed = {"ldap_url"} if kind is Profile else {"host", "user"}
    if lacking := sorted(needed - table.keys()):
        raise _unfit(name, f"lacks {', '.join(lacking)}")
    for setting, value in table.items():
        wanted = SshAddress if setting == "ssh" else _TYPES.get(str(known[setting].type), str)
        if type(value) is not wanted:
            raise _unfit(name, f"has {setting} = {value!r}, which should be a {wanted.__name__}")
    return table


def _unfit(name: str, why: str) -> ProfileError:
    return ProfileError(
        f"The profile '{name}' {why}.",
        safe="Nothing was changed.",
        remedy="Correct it in profiles.toml, or add the profile again.",
    )
