"""The profiles of this user: one versioned TOML file, written whole and atomically."""

from __future__ import annotations

import os
import tomllib
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import tomli_w

from ldap_workbench.connect.folders import config_folder
from ldap_workbench.model.errors import ProfileError
from ldap_workbench.model.profile import Profile, SshAddress

VERSION = 1


class ProfileStore:
    """Reads the file at each call, so that two workbenches see each other's profiles."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or config_folder() / "profiles.toml"

    def names(self) -> list[str]:
        return sorted(self._read())

    def all(self) -> list[Profile]:
        return [self.get(name) for name in self.names()]

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
        """Store a profile, in place of one of the same name."""
        if not profile.name or profile.name != profile.name.strip():
            raise ProfileError("A profile needs a name without blanks around it.")
        self._write(self._read() | {profile.name: _table(profile)})

    def remove(self, name: str) -> None:
        """Forget a profile. Raises ProfileError where there is none of this name."""
        self.get(name)
        profiles = self._read()
        del profiles[name]
        self._write(profiles)

    def _read(self) -> dict[str, dict[str, Any]]:
        if not self.path.exists():
            return {}
        try:
            content = tomllib.loads(self.path.read_text("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise self._broken(f"is not valid TOML: {error}") from error
        if content.get("version") != VERSION:
            raise self._broken(f"has version {content.get('version')}, known is {VERSION}")
        profiles: dict[str, dict[str, Any]] = content.get("profiles", {})
        return profiles

    def _write(self, profiles: dict[str, dict[str, Any]]) -> None:
        text = tomli_w.dumps({"version": VERSION, "profiles": profiles})
        new = self.path.with_suffix(".new")
        with new.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.path)

    def _broken(self, why: str) -> ProfileError:
        return ProfileError(
            f"The file of profiles, {self.path}, {why}.",
            safe="It was not changed.",
            remedy="Mend it in an editor, or move it away and add the profiles again.",
        )


def _table(profile: Profile) -> dict[str, Any]:
    table = {k: v for k, v in asdict(profile).items() if v not in (None, False) and k != "name"}
    if profile.ssh:
        table["ssh"] = {k: v for k, v in asdict(profile.ssh).items() if v is not None}
    return table


def _profile(name: str, table: dict[str, Any]) -> Profile:
    unknown = table.keys() - {f.name for f in fields(Profile)}
    if unknown:
        raise ProfileError(
            f"Profile '{name}' has settings this version does not know: {', '.join(unknown)}.",
            safe="Nothing was changed.",
        )
    values = dict(table)
    try:
        if "ssh" in values:
            values["ssh"] = SshAddress(**values["ssh"])
        return Profile(name=name, **values)
    except TypeError as error:
        raise ProfileError(f"Profile '{name}' is incomplete: {error}.") from error
