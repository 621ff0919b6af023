"""Replication: late changes, waiting suppliers, agreements that fail, changelogs.

A supplier of 389 DS begins a session with one extended operation, sends its changes on the same
connection and ends it with another; only one supplier at a time may send to a replica. What an
agreement reports is computed when cn=config is read from the running server; a dse.ldif holds none
of it. nsds5agmtmaxcsn is no help: it follows the supplier also where nothing was sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.clients import Habit, finding_of_habits
from ldap_workbench.advice.evidence.cost import user_ns, worker_ns
from ldap_workbench.advice.evidence.inside import client_writes, sample
from ldap_workbench.advice.evidence.period import match_setting
from ldap_workbench.advice.evidence.rows import evidence_of_rows
from ldap_workbench.advice.evidence.stalls import Rows, Stall
from ldap_workbench.advice.evidence.view import ErrorLine, WindowView
from ldap_workbench.advice.evidence.wording import (
    finding,
    limits,
    once_or_more,
    phrase,
    search_words,
)
from ldap_workbench.advice.families.configuration import entries_of
from ldap_workbench.advice.families.errors import matching, said_before
from ldap_workbench.model.configuration import Configuration, ConfigurationEntry, normal_dn
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message, count_of, verbatim
from ldap_workbench.model.operations import NO_ERROR, TYPES, Operations, text_at
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.session.unanswered import is_of_consumer

_BEGINS = ("2.16.840.1.113730.3.5.3", "2.16.840.1.113730.3.5.12")
_ENDS = "2.16.840.1.113730.3.5.5"
"""389 DS repl5.h: REPL_START_NSDS50, START_NSDS90 and END_NSDS50_REPLICATION_REQUEST."""
_NO_ACCESS = 50
_CSN = re.compile(r"\bcsn[\"']?[=:]\s*[\"']?([0-9a-fA-F]{8})")
"""A csn begins with the second of the change, by the clock of the server where it was made."""
_LINES = 500
"""Lines read for their csn."""
_EVERYTHING = "(objectclass=*)"
_SAMPLE = 5
"""Searches of a client whose attributes are read, to know a consumer of slapd."""
_AGREEMENT = r"cn=([^,]+),(cn=replica,cn=.*,cn=mapping tree,cn=config)"
_STATUS = re.compile(r"(?:Error )?\(?(-?\d+)\)? ")
"""'Error (18) Replication error ...' since 1.3.6, '18 Replication error ...' before."""
_BUSY = 1
"""Another supplier has the replica: it is asked again, REPL5 "Can't acquire busy replica"."""
_RUV = re.compile(r"\{replica \d+[^}]*\} \w{20} (\w{8})\w{12}")
"""The newest change of one server: the first word of its csn is the second it was made in."""
_CONSUMER = re.compile(r"replication:consumer\[(\d+)\]:connected")
_REPLICA = re.compile(
    r"(cn=([^,]*directory server[^,]*),.*cn=((?:[^,\\]|\\.)+),cn=replication,cn=monitor)"
    r":missing-changes"
)
"""Entry, replica and suffix, in whose value a comma has a backslash."""
_RID = re.compile(r"\brid=0*(\d+)\b")


@dataclass(frozen=True)
class Session:
    """One session of a supplier; `refused` where it never ended: the replica was taken."""

    supplier: str
    start_ns: int
    end_ns: int
    refused: bool

    @property
    def length_ns(self) -> int:
        return self.end_ns - self.start_ns


@dataclass(frozen=True)
class Agreement:
    """`sent_s` the end of the last session that sent changes, `newest_s` the newest change here.

    Seconds since 1970 by the supplier's clock; 0 where there is none.
    """

    name: str
    status: str
    code: int
    sent_s: int
    newest_s: int
    sending: bool

    @property
    def behind_s(self) -> int:
        """For how long changes have been made since the last were sent; 0 while it sends."""
        return 0 if self.sending or not self.sent_s else max(self.newest_s - self.sent_s, 0)


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    in_log = list(sessions(view.operations))
    return [
        *late_changes(view, in_log),
        *refused_changes(view),
        *_waiting_suppliers(in_log),
        *_failing(view),
        *refresh_storm(view),
        *consumers_out_of_step(view),
        *replicas_behind(view),
    ]


def refresh_storm(view: WindowView) -> list[Finding]:
    """Consumers of OpenLDAP that ask for the whole database again and again."""
    habits = _refreshes(view) if view.product == "openldap" and view.line_at else ()
    return finding_of_habits("refresh_storm", view.asked, habits, counted="refreshes")


def _refreshes(view: WindowView) -> Iterator[Habit]:
    asked, limit, operations = view.asked, limits("refresh_storm"), view.operations
    forgetful = entries_of("syncrepl_no_session_log", view.configuration)
    everything = [n for n, text in enumerate(operations.fingerprints) if text == _EVERYTHING]
    rows = asked.rows
    chosen = asked.searches & np.isin(operations.fingerprint[rows], everything)
    for places in asked.groups(np.flatnonzero(chosen & (operations.request_at[rows] >= 0))):
        work = int(asked.worker_ns[places].sum())
        if (
            len(places) < limit["refreshes"]
            or work < limit["share"] * asked.total_worker_ns
            or work < limit["of_time"] * view.window.seconds * NS_PER_S
            or not all(_is_refresh(view, int(row)) for row in rows[sample(places, _SAMPLE)])
        ):
            continue
        mine = rows[places]
        yield Habit(
            places,
            worker_ns=work,
            says={
                "count": once_or_more(len(places)),
                "base": text_at(operations.bases, int(operations.base[mine[0]])),
                "usual": int(np.median(operations.etime_ns[mine])),
                "entries": round(float(np.median(np.maximum(operations.nentries[mine], 0)))),
                "forgets": tuple(name for name, _ in forgetful),
            },
        )


def _is_refresh(view: WindowView, row: int) -> bool:
    operations = view.operations
    place = int(operations.conn[row]), int(operations.op[row]), int(operations.request_at[row])
    return view.line_at is not None and is_of_consumer(*place, view.line_at)


def consumers_out_of_step(view: WindowView) -> Iterator[Finding]:
    """Consumers of slapd that do not reach their provider, read it all, or have to catch up."""
    named = [match for name in view.samples if (match := _CONSUMER.fullmatch(name))]
    states = {match[1]: _consumer_state(view, match[1]) for match in named}
    wrong = {rid: state for rid, state in states.items() if state is not None}
    if wrong:
        yield finding(
            "consumer_out_of_step",
            numbers={"consumers": list(wrong)},
            evidence=[
                view.evidence(
                    Message("{what}.", what=state), f"replication:consumer[{rid}]:contact_s"
                )
                for rid, state in wrong.items()
            ],
            what=tuple(wrong.values()),
        )


def _consumer_state(view: WindowView, rid: str) -> Message | None:
    """What is wrong with a consumer, None where nothing is."""
    limit = limits("consumer_out_of_step")

    def values(name: str) -> NDArray[np.float64]:
        known = series.get(view.samples, f"replication:consumer[{rid}]", name)
        return known[1] if known is not None else np.empty(0)

    connected, persist, contact, attempt = map(
        values, ("connected", "persist", "contact_s", "attempt_s")
    )
    if len(connected) < limit["readings"]:
        return None
    silent = (connected == 0) & (attempt - contact >= limit["silent_s"])
    if silent.mean() >= limit["share"]:
        since = int(contact[-1])
        which = "silent" if since else "never"
        return phrase("consumer_out_of_step", which, rid=rid, since=since * NS_PER_S)
    reading = (connected == 1) & (persist == 0)
    if reading.mean() >= limit["share"]:
        share = float(reading.mean())
        return phrase("consumer_out_of_step", "reading", rid=rid, share=share)
    ahead = _cookie_ahead_s(view, rid)
    behind = ahead[ahead >= limit["behind_s"]]
    if len(ahead) >= limit["readings"] and len(behind) >= limit["share"] * len(ahead):
        behind_ns = round(float(np.median(behind)) * NS_PER_S)
        return phrase("consumer_out_of_step", "behind", rid=rid, behind=behind_ns)
    return None


def _cookie_ahead_s(view: WindowView, rid: str) -> NDArray[np.float64]:
    """By how much the newest change its provider named is newer than the newest in its suffix.

    Of each reading of the cookie that a reading of the suffix follows: one read before it lacks
    what came in between, hours of it after a quiet night. Empty where its suffix is not known.
    """
    known = series.get(view.samples, f"replication:consumer[{rid}]", "cookie_s")
    own: dict[str, list[series.Series]] = {}
    for name, values in view.samples.items():
        if name.startswith("replication:csn[") and len(values[1]):
            own.setdefault(normal_dn(name[16:-1].rpartition(" ")[0]), []).append(values)
    suffix = _suffix_of(view.configuration, rid) or (next(iter(own)) if len(own) == 1 else "")
    if known is None or suffix not in own:
        return np.empty(0)
    times, cookie = known
    newest = np.full(len(times), -np.inf)
    for when, csn in own[suffix]:
        at = np.searchsorted(when, times)
        read = at < len(when)
        newest[read] = np.maximum(newest[read], csn[at[read]])
    ahead: NDArray[np.float64] = (cookie - newest)[np.isfinite(newest)]
    return ahead


def _suffix_of(configuration: Configuration, rid: str) -> str:
    """The suffix of the database that a consumer fills; "" where that is not known."""
    for _, entry in configuration.matching(r"olcDatabase=.*,cn=config"):
        for value in entry.values("olcSyncrepl"):
            if (match := _RID.search(value)) and int(match[1]) == int(rid):
                return normal_dn(entry.first("olcSuffix"))
    return ""


def replicas_behind(view: WindowView) -> Iterator[Finding]:
    """Replicas of OpenDJ that lack changes for long, by its replication server."""
    limit = limits("replica_behind")
    late: dict[str, tuple[re.Match[str], float, float]] = {}
    for name in view.samples:
        if match := _REPLICA.fullmatch(name.lower()):
            missing, delay = (
                series.get(view.samples, match[1], which)
                for which in ("missing-changes", "approximate-delay")
            )
            if delay is None or missing is None:
                continue
            times, here, there = np.intersect1d(delay[0], missing[0], return_indices=True)
            delays, lacking = delay[1][here], missing[1][there]
            # One reading may have met a busy second, but no hours.
            late_s = limit["late_s" if len(times) >= limit["readings"] else "late_alone_s"]
            behind = (delays >= late_s) & (lacking > 0)
            if len(times) and behind.mean() >= limit["share"]:
                late[match[1]] = (match, float(delays[behind].max()), float(lacking[behind].max()))
    texts = {
        entry: phrase(
            "replica_behind",
            replica=match[2],
            suffix=re.sub(r"\\2c|\\,", ",", match[3]),
            missing=round(missing),
            late=round(delay * NS_PER_S),
        )
        for entry, (match, delay, missing) in late.items()
    }
    if late:
        yield finding(
            "replica_behind",
            numbers={
                "replicas": list(dict.fromkeys(match[2] for match, _, _ in late.values())),
                "late_s": max(delay for _, delay, _ in late.values()),
            },
            evidence=[
                view.evidence(text, f"{entry}:missing-changes") for entry, text in texts.items()
            ],
            what=tuple(texts.values()),
        )


def sessions(operations: Operations) -> Iterator[Session]:
    """The sessions of suppliers whose beginning the log holds, connection by connection."""
    begins, ends = (_asks(operations, oids) for oids in (_BEGINS, (_ENDS,)))
    rows = np.flatnonzero(begins | ends)
    order = np.lexsort((operations.start_ns[rows], operations.conn[rows], operations.boot[rows]))
    rows = rows[order]
    for at, row in enumerate(rows):
        if not begins[row]:
            continue
        after = int(rows[at + 1]) if at + 1 < len(rows) else -1
        same = after >= 0 and operations.conn[after] == operations.conn[row]
        ended = same and bool(ends[after])
        yield Session(
            text_at(operations.clients, int(operations.client[row])),
            int(operations.start_ns[row]),
            int(operations.end_ns[after if ended else row]),
            # The last session of a connection may go on behind the end of the log.
            refused=same and not ended,
        )


def _asks(operations: Operations, oids: tuple[str, ...]) -> NDArray[np.bool_]:
    """Mask of extended operations; 389 DS logs the OID, which stands where filters do."""
    places = [i for i, text in enumerate(operations.fingerprints) if text in oids]
    extended = operations.kind == TYPES.index("EXT")
    asked: NDArray[np.bool_] = extended & np.isin(operations.fingerprint, places)
    return asked


def late_changes(view: WindowView, in_log: list[Session]) -> Iterator[Finding]:
    """Changes that suppliers send long after they were made: the queue before this server."""
    limit, operations = limits("replication_queue"), view.operations
    if view.line_of is None or not in_log:
        return
    rows, lags = _lags(view, sample(_replicated(operations), _LINES))
    if len(rows) < limit["changes"] or np.median(lags) < limit["late_s"]:
        return
    began_s = operations.start_ns[rows] // NS_PER_S
    if not np.ptp(began_s - lags) and np.ptp(began_s) >= limit["late_s"]:
        return  # the clock of their csn stands still, and says nothing of when they were made
    every = _replicated(operations)
    usual, longest = round(float(np.median(lags)) * NS_PER_S), int(lags.max()) * NS_PER_S
    yield finding(
        "replication_queue",
        numbers={"changes": len(every), "late_ns": usual, "latest_ns": longest},
        operations=operations,
        rows=rows[np.argsort(-lags, kind="stable")],
        worker_ns=worker_ns(operations, every),
        n=len(rows),
    )


def refused_changes(view: WindowView) -> Iterator[Finding]:
    """Changes of suppliers that end with an error, though these may change everything here."""
    operations, sent = view.operations, _replicated(view.operations)
    failing = ~np.isin(operations.err[sent], NO_ERROR)
    rows = sent[failing]
    if len(rows) < limits("replication_refused")["changes"]:
        return
    codes, counts = np.unique(operations.err[rows], return_counts=True)
    code = int(codes[np.argmax(counts)])
    last_taken = np.full(len(operations.bases) + 1, -1, np.int64)
    taken = sent[~failing]
    np.maximum.at(last_taken, operations.base[taken], operations.start_ns[taken])
    again = int((last_taken[operations.base[rows]] > operations.end_ns[rows]).sum())
    yield finding(
        "replication_refused",
        numbers={"refused": len(rows), "of": len(sent), "code": code, "taken": again},
        operations=operations,
        rows=rows,
        suppliers=tuple(
            text_at(operations.clients, int(client))
            for client in np.unique(operations.client[rows])
        ),
        again=phrase("replication_refused", "again", n=again) if again else None,
        unchecked=code == _NO_ACCESS,
    )


def _replicated(operations: Operations) -> Rows:
    """Changes on connections on which a supplier begins sessions."""
    begins = _asks(operations, _BEGINS)
    suppliers = operations.conn[begins] * 1_000 + operations.boot[begins]
    keys = operations.conn * 1_000 + operations.boot
    return np.flatnonzero(client_writes(operations) & np.isin(keys, suppliers))


def _lags(view: WindowView, rows: Rows) -> tuple[Rows, NDArray[np.int64]]:
    """Rows whose line has a csn, and how many seconds after their change they began here."""
    assert view.line_of is not None
    stamped = [(int(row), _CSN.search(view.line_of(int(row)))) for row in rows]
    having = np.array([row for row, csn in stamped if csn], np.intp)
    made = np.array([int(csn[1], 16) for _, csn in stamped if csn], np.int64)
    return having, view.operations.start_ns[having] // NS_PER_S - made


def _waiting_suppliers(in_log: list[Session]) -> Iterator[Finding]:
    """Suppliers that are refused while another one keeps the replica."""
    limit = limits("replication_sessions")
    refused = [session for session in in_log if session.refused]
    holding = [session for session in in_log if session.length_ns >= limit["held_s"] * NS_PER_S]
    others = {session.supplier for session in refused} - {session.supplier for session in holding}
    if len(refused) < limit["refused"] or not holding or not others:
        return
    holding.sort(key=lambda session: -session.length_ns)
    evidence = []
    for session in holding[:20]:
        start, length = session.start_ns, session.length_ns
        sends = phrase(
            "replication_sessions", supplier=session.supplier, start=start, length=length
        )
        evidence.append(Evidence(sends, session.start_ns, session.end_ns))
    yield finding(
        "replication_sessions",
        numbers={"refused": len(refused), "sessions": len(holding)},
        evidence=evidence,
        supplier=holding[0].supplier,
        longest=holding[0].length_ns,
        others=count_of("{n} attempt", "{n} attempts", n=len(refused)),
        waiting=tuple(sorted(others)),
    )


def _failing(view: WindowView) -> Iterator[Finding]:
    """Agreements that fail or lag by what the supplier reports, or by its error log."""
    lines = _still_failing(view.errors)
    bad = [agreement for agreement in agreements(view.configuration) if _is_bad(agreement)]
    evidence = [_evidence(agreement) for agreement in bad]
    evidence += [Evidence(verbatim(line.text), line.time_ns) for line in lines[:20]]
    if evidence:
        named = tuple(agreement.name for agreement in bad)
        yield finding(
            "agreement_failing",
            numbers={
                "agreements": list(named),
                "codes": [agreement.code for agreement in bad],
                "behind_s": [agreement.behind_s for agreement in bad],
                "lines": len(lines),
            },
            evidence=evidence,
            named=phrase("agreement_failing", "named", n=len(named), names=named)
            if named
            else NOTHING,
            line=lines[0].text if lines else "",
            before=said_before(view.errors, lines[0]) if lines else NOTHING,
            is_unreached=any(matching(tuple(lines), "agreement_failing", "unreached")),
        )


def _still_failing(lines: tuple[ErrorLine, ...]) -> list[ErrorLine]:
    """Lines that report a failure, from the last one on that says it is over."""
    over = search_words("agreement_failing", "over")
    ends = [at for at, line in enumerate(lines) if any(w in line.text.lower() for w in over)]
    return matching(lines[max(ends, default=-1) + 1 :], "agreement_failing")


def agreements(configuration: Configuration) -> Iterator[Agreement]:
    """The agreements that report how their last session went."""
    for match, entry in configuration.matching(_AGREEMENT):
        status = entry.first("nsds5replicaLastUpdateStatus")
        if status and (code := _STATUS.match(status)):
            yield Agreement(
                match[1],
                status,
                int(code[1]),
                _seconds(entry.first("nsds5replicaLastUpdateEnd")),
                _newest(configuration.at(match[2])),
                entry.is_on("nsds5replicaUpdateInProgress"),
            )


def _is_bad(agreement: Agreement) -> bool:
    limit = limits("agreement_failing")
    if agreement.code not in (0, _BUSY):
        return True
    return agreement.behind_s >= limit["behind_s"]


def _seconds(stamp: str) -> int:
    """Of a generalised time, 20261123165241Z; 0 for none."""
    try:
        return int(datetime.strptime(stamp, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC).timestamp())
    except ValueError:
        return 0


def _newest(replica: ConfigurationEntry | None) -> int:
    texts = replica.values("nsds50ruv") if replica else ()
    return max((int(match[1], 16) for text in texts if (match := _RUV.match(text))), default=0)


def _evidence(agreement: Agreement) -> Evidence:
    text = phrase(
        "agreement_failing",
        "sent" if agreement.sent_s else "silent",
        name=agreement.name,
        sent=agreement.sent_s * NS_PER_S,
        behind=agreement.behind_s * NS_PER_S,
        status=agreement.status,
    )
    return Evidence(text)


_SPAN = re.compile(r"(?:(\d+)\+)?(\d+):(\d+)(?::(\d+))?")
"""Spans of slapo-accesslog(5): [days+]hours:minutes[:seconds]."""


def find_purges(view: WindowView) -> list[Finding]:
    """Stalls of writes that come as often as slapo-accesslog deletes what is old."""
    intervals = list(_purge_intervals(view.configuration))
    if not intervals:
        return []
    limit, writes = limits("accesslog_purge"), client_writes(view.operations)
    stopped = [
        stall
        for stall in view.stalls
        if writes[stall.rows].sum() >= limit["writes"]
        and stall.length_ns >= limit["longest_s"] * NS_PER_S
    ]
    times = np.array([stall.start_ns for stall in stopped], np.int64)
    for value, interval_s in intervals:
        period = match_setting(times, interval_s)
        if period and period.matched >= limit["fitting"] and period.sure:
            return [_finding(view, stopped, value, interval_s)]
    return []


def _purge_intervals(configuration: Configuration) -> Iterator[tuple[str, float]]:
    """Each olcAccessLogPurge with the seconds between two purges."""
    for _, entry in configuration.overlays("accesslog"):
        value = entry.first("olcAccessLogPurge")
        age, _, interval = value.partition(" ")
        if age and (span := _SPAN.fullmatch(interval.strip())):
            days, hours, minutes, seconds = (int(part or 0) for part in span.groups())
            yield value, 86400.0 * days + 3600 * hours + 60 * minutes + seconds


def _finding(view: WindowView, stopped: list[Stall], value: str, interval_s: float) -> Finding:
    evidence = []
    for stall in stopped:
        n, start, length = len(stall.rows), stall.start_ns, stall.length_ns
        waits = phrase("accesslog_purge", n=n, start=start, length=length)
        evidence.append(evidence_of_rows(view.operations, waits, stall.rows))
    return finding(
        "accesslog_purge",
        numbers={
            "stalls": len(stopped),
            "interval_s": interval_s,
            "age": value.partition(" ")[0],
        },
        evidence=evidence,
        user_ns=sum(user_ns(view.operations, stall.rows) for stall in stopped),
        longest=max(stall.length_ns for stall in stopped),
        value=value,
        interval=round(interval_s * NS_PER_S),
    )
