"""What a support archive holds beside logs: the health check and the database files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, search_words
from ldap_workbench.advice.families.errors import matching
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, count_of, verbatim

_ID2ENTRY = re.compile(r"(?:^|/)(?P<backend>[^/]+)/id2entry\.db4?$")
_BACKEND = r"cn=([^,]+),cn=ldbm database,cn=plugins,cn=config"
_GRAVE = ("high", "error", "critical")


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return [*_healthcheck(view), *_small_caches(view)]


def _healthcheck(view: WindowView) -> list[Finding]:
    """Issues that cost time; those of certificates, passwords and the like are not ours."""
    slow = search_words("healthcheck", "words")
    issues = [
        issue
        for source in view.sources
        for issue in source.details.get("healthcheck", ())
        if issue["code"] in slow
    ]
    if not issues:
        return []
    grave = any(issue["severity"].lower() in _GRAVE for issue in issues)
    evidence = [
        Evidence(
            Message(
                "{code} ({severity}): {text}",
                code=issue["code"],
                severity=issue["severity"],
                text=verbatim(issue["text"]),
            )
        )
        for issue in issues[:20]
    ]
    codes = list(dict.fromkeys(issue["code"] for issue in issues))
    return [
        finding(
            "healthcheck",
            numbers={"codes": codes},
            evidence=evidence,
            severity=2 if grave else 1,
            issues=count_of("{n} issue", "{n} issues", n=len(issues)),
            named=tuple(codes),
        )
    ]


def _small_caches(view: WindowView) -> list[Finding]:
    """By the files of the databases; else by what the server says when it starts."""
    where = tuple(
        Message(
            "{backend}: entry cache {cache:size}, id2entry {database:size}",
            backend=backend,
            cache=cache,
            database=database,
        )
        for backend, cache, database in _below(view)
    )
    where = where or _said(view)
    if not where:
        return []
    evidence = [Evidence(Message("{what}.", what=place)) for place in where]
    return [finding("cache_below_database", numbers={}, evidence=evidence, where=where)]


def _said(view: WindowView) -> tuple[Message, ...]:
    lines = matching(view.errors, "cache_below_database")
    texts = dict.fromkeys(line.text.rpartition(" - ")[2].partition("; ")[0] for line in lines)
    return tuple(verbatim(text) for text in texts)


def _below(view: WindowView) -> Iterator[tuple[str, int, int]]:
    """Back ends whose entries take more on the disk than their cache may hold: name, both sizes."""
    sizes: dict[str, int] = {}
    for source in view.sources:
        for path, size in source.details.get("database_files", {}).items():
            if match := _ID2ENTRY.search(path):
                sizes[match["backend"].lower()] = size
    for match, entry in view.configuration.matching(_BACKEND):
        cache = entry.first("nsslapd-cachememsize")
        database = sizes.get(match[1].lower(), 0)
        if cache.isdecimal() and database > int(cache):
            yield match[1], int(cache), database
