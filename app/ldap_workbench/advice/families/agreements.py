"""Replication agreements that fail or lag, by what the supplier reports.

389 DS computes these attributes when cn=config is read from the running server; a dse.ldif holds
none of them. nsds5agmtmaxcsn is no help: it follows the supplier also where nothing was sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from ldap_workbench.advice.evidence.view import ErrorLine, WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, search_words
from ldap_workbench.advice.families.errors import matching
from ldap_workbench.model.configuration import Configuration, ConfigurationEntry
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, count_of, verbatim
from ldap_workbench.model.units import NS_PER_S

_AGREEMENT = r"cn=([^,]+),(cn=replica,cn=.*,cn=mapping tree,cn=config)"
_STATUS = re.compile(r"(?:Error )?\(?(-?\d+)\)? ")
"""'Error (18) Replication error ...' since 1.3.6, '18 Replication error ...' before."""
_BUSY = 1
"""Another supplier has the replica: it is asked again, REPL5 "Can't acquire busy replica"."""
_RUV = re.compile(r"\{replica \d+[^}]*\} \w{20} (\w{8})\w{12}")
"""The newest change of one server: the first word of its csn is the second it was made in."""


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
    lines = _still_failing(view.errors)
    bad = [agreement for agreement in agreements(view.configuration) if _is_bad(agreement)]
    evidence = [_evidence(agreement) for agreement in bad]
    evidence += [Evidence(verbatim(line.text), line.time_ns) for line in lines[:20]]
    if not evidence:
        return []
    named = tuple(agreement.name for agreement in bad)
    return [
        finding(
            "agreement_failing",
            numbers={
                "agreements": list(named),
                "codes": [agreement.code for agreement in bad],
                "behind_s": [agreement.behind_s for agreement in bad],
                "lines": len(lines),
            },
            evidence=evidence,
            what=_what(named, lines[0].text if lines else ""),
        )
    ]


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


def _what(named: tuple[str, ...], line: str) -> Message:
    if not named:
        return Message("The error log reports failing replication: {line}.", line=line)
    return count_of(
        "The agreement {names:list} does not get its changes through.",
        "{n} agreements do not get their changes through: {names:list}.",
        n=len(named),
        names=named,
    )


def _evidence(agreement: Agreement) -> Evidence:
    if not agreement.sent_s:
        return Evidence(
            Message(
                "{name} has sent nothing since the server started: {status}",
                name=agreement.name,
                status=agreement.status,
            )
        )
    return Evidence(
        Message(
            "{name} last sent changes at {sent:time}; the newest change here is "
            "{behind:duration} newer: {status}",
            name=agreement.name,
            sent=agreement.sent_s * NS_PER_S,
            behind=agreement.behind_s * NS_PER_S,
            status=agreement.status,
        )
    )
