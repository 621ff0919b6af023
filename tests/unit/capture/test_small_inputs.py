"""What administrators paste, cut and mail: a few lines of a log, parts of a configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ldap_workbench.advice.families.find import findings
from ldap_workbench.capture.importing.logs import Imported, import_logs
from ldap_workbench.figures.operations.index_plan import explain
from ldap_workbench.figures.operations.view import Listing
from ldap_workbench.model.errors import LogError, SessionError
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.operations import Operations
from ldap_workbench.model.window import Source, SourceKind, SourceState, Window
from ldap_workbench.report.anonymous.copy import anonymise
from ldap_workbench.session.reader import Session
from ldap_workbench.session.search import Search
from ldap_workbench.session.writer import SessionWriter

Read = Callable[..., tuple[Imported, Session]]

LOG389 = """\
[02/Mar/2022:15:05:22.218125170 -0500] conn=471 op=1 BIND dn="cn=app,dc=example,dc=com" method=128 version=3
[02/Mar/2022:15:05:22.223049484 -0500] conn=471 op=1 RESULT err=49 tag=97 nentries=0 wtime=0.000068907 optime=0.004932884 etime=0.005000319
[02/Mar/2022:15:05:22.391383520 -0500] conn=471 op=3 SRCH base="cn=app,dc=example,dc=com" scope=2 filter="(objectClass=*)" attrs="* + aci"
[02/Mar/2022:15:05:22.625998010 -0500] conn=471 op=3 RESULT err=0 tag=101 nentries=1 wtime=0.000164145 optime=0.234615089 etime=0.234772592 notes=U
"""  # noqa: E501
SLAPD = """\
Aug 10 12:17:01 ldap1 slapd[6269]: conn=1005 op=1 SRCH base="ou=people,dc=example,dc=com" scope=2 deref=0 filter="(&(objectClass=posixAccount)(uid=a))"
Aug 10 12:17:03 ldap1 slapd[6269]: conn=1005 op=1 SEARCH RESULT tag=101 err=0 qtime=0.000015 etime=2.000200 nentries=1 text=
"""  # noqa: E501
DATABASE = """\
# AUTO-GENERATED FILE - DO NOT EDIT!! Use ldapmodify.
dn: {dn}
objectClass: olcDatabaseConfig
objectClass: olcMdbConfig
olcDatabase: {{1}}mdb
olcDbDirectory: /var/lib/ldap
olcSuffix: dc=example,dc=com
olcDbIndex: objectClass eq
olcDbIndex: cn,uid eq,sub
olcDbIndex: member eq
olcDbMaxSize: 1073741824
"""
OVERLAY = """\
dn: olcOverlay={0}memberof
objectClass: olcOverlayConfig
objectClass: olcMemberOf
olcOverlay: {0}memberof
"""
GLOBAL = """\
dn: cn=config
objectClass: olcGlobal
cn: config
olcThreads: 32
olcLogLevel: stats
olcLogLevel: sync
"""


@pytest.fixture
def read(tmp_path: Path) -> Read:
    return lambda **texts: imported(tmp_path, texts)


def imported(root: Path, texts: dict[str, str]) -> tuple[Imported, Session]:
    """Import texts by name, each a file in a folder."""
    folder = root / f"in{len(list(root.iterdir()))}"
    for name, text in texts.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    session = root / f"{folder.name}.ldapwb"
    with SessionWriter.create(session) as writer:
        done = import_logs([folder], writer)
    return done, Session.open(session)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Operations]:
    """The operations of a log as it was written; each log is imported once."""

    @cache
    def known(text: str) -> Operations:
        _, session = imported(tmp_path_factory.mktemp("plain"), {"access": text})
        return operations_of(session)

    return known


def operations_of(session: Session) -> Operations:
    (window,) = session.windows()
    return session.operations(window)


def etimes(operations: Operations) -> list[int]:
    return sorted(operations.etime_ns.tolist())


def only(done: Imported) -> Source:
    (source,) = done.sources
    return source


def pasted(text: str) -> str:
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def curly(text: str) -> str:
    """As a word processor has it: the first of two quotes is another one."""
    parts = text.split('"')
    return "".join(part + ("“" if n % 2 == 0 else "”") for n, part in enumerate(parts))[:-1]


def mailed(text: str, width: int = 76, prefix: str = "") -> str:
    """Broken at blanks, as mail programs do it; a word that is longer has a line of its own."""
    out = []
    for line in text.splitlines():
        part = ""
        for word in line.split(" "):
            if part and len(part) + 1 + len(word) > width:
                out.append(prefix + part)
                part = word
            else:
                part = f"{part} {word}" if part else word
        out.append(prefix + part)
    return "\n".join(out) + "\n"


def in_terminal(text: str, width: int = 80) -> str:
    """Broken in the last column, wherever that is."""
    lines = (
        line[at : at + width] for line in text.splitlines() for at in range(0, len(line), width)
    )
    return "\n".join(lines) + "\n"


def coloured(text: str) -> str:
    """As grep --color=always marks what it has found: not in every line."""
    return text.replace("etime=", "\x1b[01;31m\x1b[Ketime=\x1b[m\x1b[K")


@pytest.mark.parametrize("text", [LOG389, SLAPD], ids=["389", "slapd"])
@pytest.mark.parametrize(
    "wrap",
    [
        pasted, curly, lambda text: curly(pasted(text)), mailed, coloured, in_terminal,
        lambda text: mailed(text, 72), lambda text: mailed(text, 72, "> "),
        lambda text: mailed(text).replace("\n", "\r\n"),
        lambda text: "Hello,\n\nour log says:\n\n" + mailed(text) + "\nRegards\nA. Admin\n",
    ],
    ids=[
        "no-break spaces", "curly quotes", "both", "mail", "grep --color", "terminal",
        "mail of 72 columns", "reply", "mail of Windows", "letter",
    ],
)  # fmt: skip
def test_a_log_reads_the_same_whatever_it_was_pasted_through(
    read: Read, plain: Callable[[str], Operations], text: str, wrap: Callable[[str], str]
) -> None:
    done, session = read(access=wrap(text))
    expected, operations = plain(text), operations_of(session)
    assert etimes(operations) == etimes(expected) != []
    assert sorted(operations.fingerprints) == sorted(expected.fingerprints)
    assert only(done).details["notes"], "what was taken off is said"


def test_a_value_with_a_no_break_space_stays_as_it_is(read: Read) -> None:
    text = LOG389.replace("(objectClass=*)", "(cn=A\N{NO-BREAK SPACE}B)")
    done, session = read(access=text)
    assert len(etimes(operations_of(session))) == 2
    assert "Taken off" not in str(only(done).details["notes"])


LOGIN = """\
Jul  8 01:47:19 ldap slapd[1183]: conn=1022 fd=21 TLS established tls_ssf=256 ssf=256
Jul  8 01:47:20 ldap slapd[1183]: conn=1022 op=1 BIND dn="uid=g,ou=people,dc=example,dc=com" method=128
Jul  8 01:47:20 ldap slapd[1183]: conn=1022 op=1 RESULT tag=97 err=49 qtime=0.000015 etime=0.000200 text=
Jul  8 01:47:20 ldap slapd[1183]: conn=1022 fd=21 closed
"""  # noqa: E501


NOISE = ["starting the job\n", "# a comment\n", "...\n", "SASL SSF: 0\n", "a=1 b=2\n"]


def with_noise() -> Iterator[Any]:
    """Every log and every noise is in every run, not each log with each noise."""
    for number, text in enumerate((LOG389, SLAPD, LOGIN)):
        for place, noise in enumerate(NOISE):
            few = [] if place % 3 == number else [pytest.mark.full]
            yield pytest.param(text, noise, marks=few)


@pytest.mark.parametrize(("text", "noise"), [*with_noise()])
def test_lines_of_others_between_those_of_the_log_are_not_joined(
    read: Read, text: str, noise: str
) -> None:
    done, session = read(access=noise.join([*text.splitlines(keepends=True), ""]))
    assert len(etimes(operations_of(session))) == text.count("RESULT")
    assert "broken" not in " ".join(map(str, only(done).details["notes"]))


def test_short_lines_of_the_log_are_not_taken_for_broken_ones(read: Read) -> None:
    text = "".join(
        f"Aug 10 12:17:0{n} ldap1 slapd[6269]: conn=100{n} fd=12 closed\nthe job {n} went on\n"
        for n in range(9)
    )
    done, _ = read(access=SLAPD.replace("tag=101 ", "").replace("deref=0 ", "") + text)
    assert "broken" not in " ".join(map(str, only(done).details["notes"]))


def test_a_semicolon_in_a_line_of_syslog_makes_no_stack(read: Read) -> None:
    for stamp in ("Feb 26 14:46:10", "2026-02-26T14:46:10.123456+01:00"):
        text = (
            f"{stamp} ldap1 slapd[1981]: ppm: get line: class-special <>,?;.:/! 0 1\n"
            f"{stamp} ldap1 slapd[1981]: ppm: Param = class-special, value = ;.:, minForPoint= 1\n"
            f"{stamp} ldap1 slapd[1981]: conn=1000 op=16 RESULT tag=103 err=19 qtime=0.000020 "
            "etime=0.001496 text=rejected\n"
        )
        done, session = read(slapd=text)
        assert only(done).dialect == "openldap"
        assert etimes(operations_of(session)) == [1_496_000]


def test_every_value_of_a_setting_is_kept(read: Read) -> None:
    done, _ = read(config=DATABASE.format(dn="olcDatabase={1}mdb,cn=config"))
    settings = only(done).details["settings"]
    assert settings["olcDbIndex"] == "objectClass eq; cn,uid eq,sub; member eq"
    assert settings["olcDbMaxSize"] == "1073741824"


def test_a_database_out_of_slapd_d_has_its_settings(read: Read) -> None:
    done, _ = read(mdb=DATABASE.format(dn="olcDatabase={1}mdb"))
    source = only(done)
    assert source.details["settings"]["olcDbMaxSize"] == "1073741824"
    (entry,) = source.details["configuration"]
    assert entry["dn"] == "olcDatabase={1}mdb,cn=config"


def test_a_folder_of_slapd_d_is_one_configuration(read: Read) -> None:
    done, _ = read(
        **{
            "slapd.d__cn=config.ldif": GLOBAL,
            "slapd.d__cn=config__olcDatabase={1}mdb.ldif": DATABASE.format(dn="olcDatabase={1}mdb"),
            "slapd.d__cn=config__olcDatabase={1}mdb__olcOverlay={0}memberof.ldif": OVERLAY,
        }
    )
    source = only(done)
    assert source.details["settings"]["olcThreads"] == "32"
    assert source.details["settings"]["olcDbMaxSize"] == "1073741824"
    assert [entry["dn"] for entry in source.details["configuration"]] == [
        "cn=config",
        "olcDatabase={1}mdb,cn=config",
        "olcOverlay={0}memberof,olcDatabase={1}mdb,cn=config",
    ]


def test_entries_of_slapd_d_in_one_text_belong_to_the_database_before(read: Read) -> None:
    done, _ = read(all=GLOBAL + "\n" + DATABASE.format(dn="olcDatabase={1}mdb") + "\n" + OVERLAY)
    last = only(done).details["configuration"][-1]
    assert last["dn"] == "olcOverlay={0}memberof,olcDatabase={1}mdb,cn=config"


@pytest.mark.parametrize(
    ("text", "look", "format_"),
    [
        ("Once upon a time\n", "text", "389 Directory Server access log"),
        ('{"a": 1}\n{"a": 2}\n', "JSON", "JSON access log"),
        ("<html>\n<body>\n", "XML or HTML", "JMeter"),
        ("maxthreads: 32\ncurrent: 7\n", "without the dn: line", "LDIF"),
        ("1 2 3 4 5\n6 7 8 9 10\n", "table of numbers", "iostat"),
        ("Aug 10 12:17:01 web httpd: hello\n", "syslog", "OpenLDAP slapd log"),
        ("\x7fELF\0\1\2\n", "binary file", "access logs"),
    ],
)
def test_a_refusal_names_what_a_file_looks_like_and_a_few_formats(
    tmp_path: Path, text: str, look: str, format_: str
) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    with (
        SessionWriter.create(tmp_path / "s.ldapwb") as writer,
        pytest.raises(LogError) as caught,
    ):
        import_logs([path], writer)
    details = str(caught.value.details)
    assert look in details
    assert format_ in details
    assert len(details) < 400, "three formats, not fifty"


STAMP = "Aug 10 12:{:02d}:{:02d} ldap1 slapd[6269]: "


def search_of_slapd(op: int, second: int, text: str, notice: str = "") -> str:
    head, end = STAMP.format(17, second), STAMP.format(17, second + 2)
    said = f"{head}{notice}\n" if notice else ""
    return (
        f'{head}conn=7 op={op} SRCH base="dc=a" scope=2 deref=0 filter="{text}"\n{said}'
        f"{end}conn=7 op={op} SEARCH RESULT tag=101 err=0 qtime=0.00001 etime=2.{op}0 nentries=1 "
        "text=\n"
    )


def findings_of(session: Session) -> dict[str, Finding]:
    return {finding.id: finding for finding in findings(session)}


def test_what_slapd_calls_not_indexed_is_the_finding_and_its_attribute(read: Read) -> None:
    notice = "<= mdb_equality_candidates: (memberUid) not indexed"
    text = "".join(search_of_slapd(n, 5 * n, f"(memberUid=u{n})", notice) for n in range(1, 4))
    done, session = read(slapd=text + search_of_slapd(4, 30, "(uid=x)"))
    seen = findings_of(session)["unindexed"]
    assert (seen.numbers["searches"], seen.numbers["fully"]) == (3, 3)
    assert seen.numbers["not_indexed"] == [{"attribute": "memberUid", "kind": "eq", "searches": 3}]
    assert "no index for: memberUid (equality)" in str(seen.sentence)
    (missing,) = seen.numbers["missing_indexes"]
    assert (missing["attribute"], missing["types"], missing["known"]) == (
        "memberUid", ("eq",), True,
    )  # fmt: skip
    assert only(done).details["not_indexed"][0]["lines"] == 3
    rows = Listing(session, Search(tuple(session.windows())), "etime", descending=True).first
    slow = [explain(session, row) for row in rows]
    reasons = [" ".join(map(str, each.reasons)) for each in slow]
    assert "no index for memberUid (eq)" in reasons[1]
    assert not any("nsslapd" in reason for reason in reasons), "slapd has no such setting"
    assert not any(each.lacks_plan for each in slow)


def test_a_log_of_slapd_without_statistics_says_what_to_set(read: Read) -> None:
    text = (
        f"{STAMP.format(12, 55)}@(#) $OpenLDAP: slapd 2.5.13 $\n"
        f"{STAMP.format(13, 11)}slapd starting\n"
        f"{STAMP.format(17, 32)}connection_input: conn=5 deferring operation: binding\n"
        f"{STAMP.format(17, 33)}<= mdb_substring_candidates: (cn) not indexed\n"
        f"{STAMP.format(17, 34)}<= mdb_substring_candidates: (cn) not indexed\n"
    )
    done, session = read(slapd=text)
    source = only(done)
    assert source.state is SourceState.PARTIAL
    assert "olcLogLevel: stats" in str(source.why)
    assert "deferred 1 operation" in " ".join(map(str, source.details["notes"]))
    seen = findings_of(session)["unindexed"]
    assert seen.numbers["not_indexed"] == [{"attribute": "cn", "kind": "sub", "searches": 2}]
    assert "cn (substring)" in str(seen.sentence)
    assert seen.severity == 1


def test_requests_without_a_result_say_what_is_missing(read: Read) -> None:
    request = LOG389.splitlines(keepends=True)[2]
    stat = request.replace("SRCH base", "STAT read index: attribute=cn key(eq)=x --> count 3 base")
    done, session = read(access=request + stat)
    assert "no RESULT line" in str(only(done).why)
    assert etimes(operations_of(session)) == []


def test_deferred_operations_are_a_finding_with_its_connection(read: Read) -> None:
    text = ""
    for n in range(1, 61):
        text += search_of_slapd(n, n % 50, "(uid=x)")
        text += f"{STAMP.format(17, n % 50 + 2)}connection_input: conn=7 deferring operation: "
        text += "pending operations\n"
    _, session = read(slapd=text)
    seen = findings_of(session)["connection_threads"]
    assert seen.numbers["hits"] == 60
    assert seen.numbers["connections"] == [{"conn": 7, "client": ""}]
    assert "conn=7" in str(seen.sentence)
    assert "olcConnMaxPending" in str(seen.sentence)
    assert "nsslapd" not in str(seen.sentence)


NOTICE = (
    "[15/Dec/2022:08:28:{second:02d}.100000000 +0000] - NOTICE - ldbm_back_search - {words}: "
    'search base="dc=example,dc=com" scope=2 filter="{text}" conn={conn} op=3\n'
)


def test_notices_of_unindexed_searches_in_the_error_log_are_a_finding(read: Read) -> None:
    words = "Unindexed search"
    text = "".join(
        NOTICE.format(second=n, words=words, text=f"(&(objectClass=a)(uidNumber={n}))", conn=n % 3)
        for n in range(12)
    )
    text += NOTICE.format(second=20, words=words, text="(cn=*a*)", conn=9)
    text += NOTICE.format(second=21, words="Internal unindexed search", text="(x=y)", conn=0)
    _, session = read(errors=text)
    seen = findings_of(session)["unindexed"]
    assert seen.numbers["searches"] == 13, "the server's own do not count"
    assert seen.numbers["filters"] == ["(&(objectclass=?)(uidnumber=?))", "(cn=*?*)"]
    assert seen.numbers["bases"] == ["dc=example,dc=com"]
    assert seen.numbers["connections"] == 4
    assert [(i["attribute"], i["types"]) for i in seen.numbers["missing_indexes"]] == [
        ("uidNumber", ("eq",)),
        ("cn", ("sub",)),
    ]
    assert seen.severity == 2
    assert "13 searches" in str(seen.sentence)


def test_slapd_conf_gives_settings_and_indexes_and_no_secret(read: Read) -> None:
    text = (
        "include /etc/ldap/schema/core.schema\nthreads 32\ndatabase hdb\n"
        'suffix "dc=example,dc=com"\nrootpw {SSHA}secret\ncachesize 75000\n'
        "checkpoint 0 10\nindex objectClass eq\nindex uid sub,eq\n"
    )
    done, session = read(conf=text)
    source = only(done)
    assert source.details["settings"]["olcDbCacheSize"] == "75000"
    assert source.details["settings"]["olcThreads"] == "32"
    assert source.details["settings"]["olcDbIndex"] == "objectClass eq; uid sub,eq"
    stored = session.sources()[0].details["configuration"]
    assert stored[-1]["dn"] == "olcDatabase={1}hdb,cn=config"
    assert "secret" not in str(stored)


def test_a_copy_without_names_keeps_the_attribute_that_lacks_an_index(
    read: Read, tmp_path: Path
) -> None:
    notice = "<= mdb_equality_candidates: (memberUid) not indexed"
    client = f"{STAMP.format(17, 1)}conn=7 fd=12 ACCEPT from IP=10.77.88.99:4000 (IP=0.0.0.0:389)\n"
    put_off = f"{STAMP.format(17, 4)}connection_input: conn=7 deferring operation: binding\n"
    text = client + search_of_slapd(1, 3, "(memberUid=somebody)", notice) + put_off
    _, session = read(slapd=text)
    copy = tmp_path / "copy.ldapwb"
    session.close()
    anonymise(session.path, copy)
    with Session.open(copy) as other:
        seen = findings_of(other)["unindexed"]
        assert "memberUid (equality)" in str(seen.sentence)
        (source,) = other.sources()
        assert source.details["deferred"][0]["n"] == 1
        assert "10.77.88.99" not in str(source.details)


@pytest.mark.parametrize(
    "details",
    [
        {"deferred": [{"conn": 1, "n": 3}]},
        {"deferred": [{"conn": 1, "client": "", "n": "x", "reasons": {}, "first_ns": 0}]},
        {"not_indexed": [{"attribute": "mail"}]},
        {"not_indexed": {"attribute": "mail"}},
    ],
)
def test_a_file_with_other_shapes_of_them_is_refused(
    tmp_path: Path, details: dict[str, Any]
) -> None:
    path = tmp_path / "s.ldapwb"
    with SessionWriter.create(path) as writer:
        writer.put_window(Window(1, "w", 0, 10**9))
        kind, state = SourceKind.ACCESS_LOG, SourceState.COMPLETE
        writer.put_source(Source(1, 1, kind, "log", state, details=details))
    with Session.open(path) as session, pytest.raises(SessionError):
        session.sources()
