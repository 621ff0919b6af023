"""The commands that add the indexes findings name, as the table [index] of a product has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ldap_workbench.advice.evidence.autotune import version_of
from ldap_workbench.advice.evidence.wording import filled
from ldap_workbench.advice.rules.basis import Basis
from ldap_workbench.model.message import Message, Value, count_of, verbatim

Index = Mapping[str, Any]
"""An index that is missing: the fields of evidence.missing.MissingIndex."""
_HIGHER = 20_000
"""Entries of the limit that opendj.toml asks for; 0 is none at all."""
_UNKNOWN = {"instance": "INSTANCE", "database": "BACKEND", "suffix": "SUFFIX"}
"""What stands in a command for a name that neither the server nor its files gave."""


def index_values(
    commands: Mapping[str, Any], basis: Basis, backing: Sequence[str]
) -> dict[str, Value]:
    """What stands in the texts of advice on indexes; nothing where no finding names an index."""
    numbers = [basis.findings[which].numbers for which in backing if which in basis.findings]
    indexes = _merged([index for of_one in numbers for index in of_one.get("missing_indexes", ())])
    if not indexes or not commands:
        return {}
    release = next((n["release"] for n in numbers if n.get("release")), basis.version)
    former = commands.get("former")
    if former and release and version_of(release) < version_of(former["before"]):
        commands = {**commands, **former}
    instance = next((n["instance"] for n in numbers if n.get("instance")), "")
    changes = max(int(n.get("changes", 0)) for n in numbers)
    # One that is there and not used has no types to add: it is built again.
    lacking = [index for index in indexes if index["types"]]
    look = _look(commands, indexes, instance)
    return {
        "missing": tuple(_need(index) for index in lacking),
        "indexes": (*look, *(_command(commands, index, instance) for index in lacking)),
        "index_settings": _settings(lacking),
        "limit_settings": _limits(commands, indexes, basis),
        "removal_settings": _without_substrings(indexes),
        "limits": _for_every(commands.get("limit", ""), indexes, instance),
        "removals": _for_every(commands.get("remove", ""), indexes, instance),
        "builds": _builds(commands, indexes, instance),
        "negations": tuple(
            Message(
                "No index serves {negation}: the rest of the filter must narrow the search. Ask "
                "the owner of the client whether it can do without.",
                negation=negation,
            )
            for negation in dict.fromkeys(text for n in numbers for text in n.get("negations", ()))
        ),
        "indexed": tuple(dict.fromkeys(index["attribute"] for index in indexes)),
        "changes": count_of("{n} change was logged", "{n} changes were logged", n=changes),
    }


def _merged(indexes: Sequence[Index]) -> list[Index]:
    """Each attribute of a back end once, with the types that any finding names.

    A log may show an index to be missing, not where; the configuration says it.
    """
    merged: dict[tuple[str, str], Index] = {}
    for index in indexes:
        key = index["database"], index["attribute"].lower()
        if before := merged.get(key):
            types = tuple(dict.fromkeys((*before["types"], *index["types"])))
            index = {**before, "types": types, "known": before["known"] or index["known"]}
        merged[key] = index
    placed = {attribute for database, attribute in merged if database}
    return [
        index
        for (database, attribute), index in merged.items()
        if database or attribute not in placed
    ]


def _need(index: Index) -> Message:
    """An index in words, with the searches it would serve."""
    parts: dict[str, Value] = {
        "attribute": index["attribute"],
        "types": tuple(index["types"]),
        "searches": count_of("{n} search", "{n} searches", n=index["searches"]),
        "share": index["share_of_time"],
    }
    if index["known"] and not index["share_of_time"]:
        # Only notices of the server name them: how long they took is not known.
        return Message(
            "{attribute} lacks {types:list} ({searches})",
            attribute=parts["attribute"],
            types=parts["types"],
            searches=parts["searches"],
        )
    if index["known"]:
        return Message(
            "{attribute} lacks {types:list} ({searches}, {share:percent} of all etime)", **parts
        )
    return Message(
        "{attribute} may lack {types:list} ({searches}, {share:percent} of all etime)", **parts
    )


def _look(
    commands: Mapping[str, Any], indexes: Sequence[Index], instance: str
) -> tuple[Message, ...]:
    """What has to be looked up first: the name of the back end, and what it has."""
    steps = []
    unnamed = next((index for index in indexes if not index["database"]), None)
    if unnamed and "names" in commands:
        command = _filled(commands["names"], unnamed, instance)
        steps.append(Message("The back ends, for BACKEND below: {command}", command=command))
    if not all(index["known"] for index in indexes):
        command = _filled(commands["look"], indexes[0], instance)
        steps.append(
            Message("Look which of these exist, and leave them out: {command}", command=command)
        )
    return tuple(steps)


def _command(commands: Mapping[str, Any], index: Index, instance: str) -> Message:
    """The command that adds an index, or types to the one the attribute has."""
    names = commands.get("types", {})
    # A value of olcDbIndex has all types; other commands add those that are missing.
    before = tuple(index["existing"]) if index["line"] else ()
    how, what = ("extend", "more") if index["existing"] else ("add", "type")
    types = [names.get(name, name) for name in (*before, *index["types"])]
    words = commands.get("join", " ").join(commands[what].replace("{type}", name) for name in types)
    return verbatim(
        _filled(commands[how], index, instance, types=words, lines=_lines(index, words))
    )


def _settings(indexes: Sequence[Index]) -> tuple[str, ...]:
    """The indexes as settings of an experiment: index.mail@userRoot=eq,sub.

    Only those that are known to be missing, in a back end that is known.
    """
    return tuple(
        f"index.{index['attribute']}@{index['database']}="
        + ",".join(dict.fromkeys((*index["existing"], *index["types"])))
        for index in indexes
        if index["known"] and index["database"]
    )


def _limits(commands: Mapping[str, Any], indexes: Sequence[Index], basis: Basis) -> tuple[str, ...]:
    """A higher limit of each index as a setting, in a back end that is known."""
    now = basis.setting("index-entry-limit")
    if "limit_setting" not in commands or now == 0 or (now or 0) >= _HIGHER:
        return ()
    known = [index for index in indexes if index["database"]]
    return tuple(_filled(commands["limit_setting"], index, "") for index in known)


def _without_substrings(indexes: Sequence[Index]) -> tuple[str, ...]:
    """The indexes without substrings as settings; those of nothing else are left to a person."""
    stay = {
        f"index.{index['attribute']}@{index['database']}": [
            name for name in index["existing"] if name != "sub"
        ]
        for index in indexes
        if index["known"] and index["database"]
    }
    return tuple(f"{name}={','.join(types)}" for name, types in stay.items() if types)


def _for_every(command: str, indexes: Sequence[Index], instance: str) -> tuple[Message, ...]:
    """A command for each index, where the product has it."""
    if not command:
        return ()
    return tuple(verbatim(_filled(command, index, instance)) for index in indexes)


def _lines(index: Index, types: str) -> str:
    """The values of olcDbIndex in place of the one that has the attribute, perhaps among others."""
    names, _, before = index["line"].partition(" ")
    others = [name for name in names.split(",") if name.lower() != index["attribute"].lower()]
    values = [f"{','.join(others)} {before}".strip()] if index["line"] and others else []
    return " ".join(
        f"'olcDbIndex: {value}'" for value in (*values, f"{index['attribute']} {types}")
    )


def _builds(
    commands: Mapping[str, Any], indexes: Sequence[Index], instance: str
) -> tuple[Message, ...]:
    """The command that builds what was added, for each back end."""
    builds = []
    for database in dict.fromkeys(index["database"] for index in indexes):
        here = [index for index in indexes if index["database"] == database]
        words = (commands["each"].replace("{attribute}", index["attribute"]) for index in here)
        builds.append(verbatim(_filled(commands["build"], here[0], instance, each=" ".join(words))))
    return tuple(builds)


def _filled(template: str, index: Index, instance: str, **more: str) -> str:
    known = {
        "attribute": index["attribute"],
        "backend": index["database"] or _UNKNOWN["database"],
        "suffix": index["suffix"] or _UNKNOWN["suffix"],
        "instance": instance or _UNKNOWN["instance"],
        "line": index["line"],
    }
    return str(filled(template, known | more))
