"""What a support archive holds beside logs: health check, database files, logconv, ldclt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase, search_words
from ldap_workbench.advice.families.errors import matching
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message, count_of, verbatim
from ldap_workbench.model.units import NS_PER_S

_ID2ENTRY = re.compile(r"(?:^|/)(?P<backend>[^/]+)/id2entry\.db4?$")
_BACKEND = r"cn=([^,]+),cn=ldbm database,cn=plugins,cn=config"
_GRAVE = ("high", "error", "critical")


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return [*_healthcheck(view), *_small_caches(view), *_summaries(view), *_clients(view)]


def _healthcheck(view: WindowView) -> Iterator[Finding]:
    """Issues that cost time; and all others, which are not ours, but somebody's."""
    slow = search_words("healthcheck", "words")
    every = [issue for source in view.sources for issue in source.details.get("healthcheck", ())]
    costly = [issue for issue in every if issue["code"] in slow]
    others = [issue for issue in every if issue["code"] not in slow]
    if costly:
        grave = any(_is_grave(issue) for issue in costly)
        yield finding("healthcheck", severity=2 if grave else 1, **_described(costly))
    if others:
        yield finding("healthcheck_other", **_described(others))


def _described(issues: list[dict[str, str]]) -> dict[str, Any]:
    """Arguments of either finding: the codes, and the text of each, the grave ones first."""
    codes = list(dict.fromkeys(issue["code"] for issue in issues))
    evidence = []
    for issue in sorted(issues, key=_is_grave, reverse=True)[:20]:
        code, severity, text = issue["code"], issue["severity"], verbatim(issue["text"])
        said = Message("{code} ({severity}): {text}", code=code, severity=severity, text=text)
        evidence.append(Evidence(said))
    return {
        "numbers": {"codes": codes},
        "evidence": evidence,
        "issues": count_of("{n} issue", "{n} issues", n=len(issues)),
        "named": tuple(codes),
    }


def _is_grave(issue: dict[str, str]) -> bool:
    return issue["severity"].lower() in _GRAVE


def _small_caches(view: WindowView) -> Iterator[Finding]:
    """By the files of the databases; else by what the server says when it starts."""
    below = {backend: (cache, database) for backend, cache, database in _below(view)}
    where = tuple(
        phrase("cache_below_database", "where", backend=backend, cache=cache, database=database)
        for backend, (cache, database) in below.items()
    )
    lines = matching(view.errors, "cache_below_database")
    texts = dict.fromkeys(line.text.rpartition(" - ")[2].partition("; ")[0] for line in lines)
    where = where or tuple(map(verbatim, texts))
    evidence = [Evidence(Message("{what}.", what=place)) for place in where]
    if where:
        numbers = {"databases": below}
        yield finding("cache_below_database", numbers=numbers, evidence=evidence, where=where)


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


def _summaries(view: WindowView) -> Iterator[Finding]:
    """What logconv counted, where its access log is not beside it, which tells more."""
    if len(view.operations):
        return
    for source in view.sources:
        if summary := source.details.get("logconv"):
            yield from _unindexed(summary["figures"])
            yield from _restarts(summary)
            yield from _unanswered(summary["figures"])
            yield from _slow(summary)


def _unindexed(figures: dict[str, float]) -> Iterator[Finding]:
    limit = limits("summary_unindexed")
    fully, partly, searches = (
        int(figures.get(name, 0))
        for name in ("Unindexed Searches", "Unindexed Components", "Searches")
    )
    share = min(fully / searches, 1.0) if searches else None
    if fully < limit["searches"] or (share is not None and share < limit["share"]):
        return
    evidence = [_counted("Unindexed Searches", fully), _counted("Unindexed Components", partly)]
    evidence += [
        _counted(name, figures[name])
        for name in ("VLV Unindexed Searches", "VLV Unindexed Components")
        if figures.get(name)
    ]
    yield finding(
        "summary_unindexed",
        numbers={"unindexed": fully, "partly": partly, "searches": searches, "share": share},
        evidence=evidence,
    )


def _restarts(summary: dict[str, Any]) -> Iterator[Finding]:
    limit = limits("summary_restarts")
    restarts = int(summary["figures"].get("Restarts", 0))
    begin, end = summary["start_ns"], summary["end_ns"]
    span_ns = end - begin if begin is not None and end is not None and end > begin else None
    rare = span_ns is not None and restarts * limit["hours"] * 3600 * NS_PER_S < span_ns
    if restarts < limit["restarts"] or rare:
        return
    over = NOTHING
    if span_ns is not None:
        minutes = span_ns / (60 * NS_PER_S)
        unit = "minutes" if minutes < 180 else "hours"
        over = phrase("summary_restarts", unit, minutes=minutes, hours=minutes / 60)
    yield finding(
        "summary_restarts",
        numbers={"restarts": restarts, "span_ns": span_ns},
        evidence=[_counted("Restarts", restarts)],
        over=over,
    )


_ENDED = ("Resource Unavailable", "Broken Pipes", "Connections Reset By Peer",
          "Max BER Size Exceeded")  # fmt: skip
"""Ends of connections that no client and no server wants, as logconv prints them."""


def _unanswered(figures: dict[str, float]) -> Iterator[Finding]:
    limit = limits("summary_unanswered")
    operations = int(figures.get("Total Operations", 0))
    without = operations - int(figures.get("Total Results", operations))
    abandoned = int(figures.get("Abandoned Requests", 0))
    least = max(limit["requests"], limit["share"] * operations)
    facts = []
    if without >= least:
        facts.append(phrase("summary_unanswered", "without", without=without, of=operations))
    if abandoned >= least:
        facts.append(phrase("summary_unanswered", "abandoned", n=abandoned))
    ended = {name: int(figures[name]) for name in _ENDED if figures.get(name)}
    if sum(ended.values()) >= limit["connections"]:
        facts += [
            phrase("summary_unanswered", "ended", n=n, reason=name) for name, n in ended.items()
        ]
    numbers = {"without_result": without, "abandoned": abandoned, "operations": operations}
    yield from _with_facts("summary_unanswered", numbers | ended, facts)


def _slow(summary: dict[str, Any]) -> Iterator[Finding]:
    """Operations of a second and more in its list of etimes, or workers that nobody waits for."""
    limit, figures = limits("summary_slow"), summary["figures"]
    etimes = {float(etime): n for etime, n in summary.get("etimes", {}).items()}
    slow = {etime: n for etime, n in etimes.items() if etime >= limit["etime_s"]}
    means = {name: _mean(figures, name) for name in ("etime", "wtime", "optime")}
    etime, wait, work = (mean or 0.0 for mean in means.values())
    facts = []
    if slow:
        facts.append(
            phrase(
                "summary_slow",
                "slow",
                n=sum(slow.values()),
                least=round(limit["etime_s"] * NS_PER_S),
                most=round(max(slow) * NS_PER_S),
            )
        )
    if etime >= limit["mean_s"]:
        facts.append(phrase("summary_slow", "mean", etime=round(etime * NS_PER_S)))
    if wait >= max(limit["wait_s"], work):
        waited, worked = round(wait * NS_PER_S), round(work * NS_PER_S)
        facts.append(phrase("summary_slow", "waited", wait=waited, work=worked))
    numbers = {"slow": sum(slow.values()), "longest_s": max(etimes, default=None), **means}
    yield from _with_facts("summary_slow", numbers, facts)


def _with_facts(which: str, numbers: dict[str, Any], facts: Sequence[Message]) -> Iterator[Finding]:
    evidence = [Evidence(Message("{fact:capital}.", fact=fact)) for fact in facts]
    if facts:
        yield finding(which, numbers=numbers, evidence=evidence, facts=tuple(facts))


def _mean(figures: dict[str, float], name: str) -> float | None:
    """'Average etime (elapsed time)' and its like; None where it is not printed."""
    printed = (value for key, value in figures.items() if key.startswith(f"Average {name}"))
    return next(printed, None)


def _counted(name: str, count: float) -> Evidence:
    return Evidence(Message("{name}: {count}.", name=name, count=int(count)))


def _clients(view: WindowView) -> Iterator[Finding]:
    """The rate of ldclt that falls far below its median, and its errors."""
    limit = limits("client_rate_falls")
    rates = series.get(view.samples, "ldclt", "rate")
    if rates is not None and len(rates[1]) >= limit["intervals"]:
        usual, least = float(np.median(rates[1])), float(rates[1].min())
        low = int((rates[1] <= limit["share"] * usual).sum())
        if usual > 0 and low:
            yield finding(
                "client_rate_falls",
                numbers={"intervals": len(rates[1]), "low": low, "usual": usual},
                window=view.window,
                series="ldclt:rate",
                least=least,
            )
    errors = series.last(series.get(view.samples, "ldclt", "errors"))
    if errors:
        yield finding(
            "client_errors",
            numbers={"errors": int(errors)},
            window=view.window,
            series="ldclt:errors",
            n=int(errors),
            failed=count_of("{n} request", "{n} requests", n=int(errors)),
        )
