"""The mail to the owner of a client has its own findings, queries and numbers, and no other's."""

from dataclasses import replace

import numpy as np
import pytest
from markdown_it import MarkdownIt

from ldap_workbench.advice.evidence.rows import evidence_of_rows
from ldap_workbench.advice.families.find import findings
from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import TYPES
from ldap_workbench.report.owner import owner_mail
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter

STAMP = "[05/Jan/2026:09:{minute:02d}:{second:02d}.{ns:09d} +0000] "


def log(portals=1, attribute="mail"):
    """Portals that open a connection for each page, and a client that keeps its own."""
    lines = []

    def say(at, text):
        whole, ns = divmod(at, 10**9)
        minute, second = divmod(whole, 60)
        lines.append((at, STAMP.format(minute=minute, second=second, ns=ns) + text))

    say(0, "conn=1 fd=64 slot=64 connection from 10.0.0.7 to 10.0.0.1")
    for page in range(200):
        at = page * 300_000_000 + 1000
        for portal in range(portals):
            number = "" if portal == 0 else portal + 1
            page_of_portal(say, at + portal * 1000, page * portals + portal + 2, number, attribute)
        say(
            at + 20_000_000,
            f'conn=1 op={page} SRCH base="dc=a" scope=2 filter="(uid=u{page})" attrs="cn"',
        )
        say(at + 21_000_000, f"conn=1 op={page} RESULT err=0 tag=101 nentries=1 etime=0.001000000")
    return "\n".join(text for _, text in sorted(lines, key=lambda line: line[0])) + "\n"


def page_of_portal(say, at, conn, number, attribute):
    dn = f"cn=portal{number},dc=a"
    say(at, f"conn={conn} fd=65 slot=65 connection from 10.0.{number or 0}.9 to 10.0.0.1")
    say(at + 1000, f'conn={conn} op=0 BIND dn="{dn}" method=128 version=3')
    end = "etime=0.009000000"
    say(at + 9_001_000, f'conn={conn} op=0 RESULT err=0 tag=97 nentries=0 {end} dn="{dn}"')
    query = f"({attribute}=u{conn}@a)"
    say(at + 10_000_000, f'conn={conn} op=1 SRCH base="dc=a" scope=2 filter="{query}" attrs=ALL')
    say(at + 11_000_000, f"conn={conn} op=1 RESULT err=0 tag=101 nentries=1 etime=0.001000000")
    say(at + 12_000_000, f"conn={conn} op=2 UNBIND")
    say(at + 12_001_000, f"conn={conn} op=2 fd=65 closed - U1")


@pytest.fixture(scope="module")
def session_of(tmp_path_factory):
    def make(*logs):
        folder = tmp_path_factory.mktemp("owner")
        with SessionWriter.create(folder / "s.ldapwb") as writer:
            for number, text in enumerate(logs):
                (folder / f"access{number}").write_text(text)
                import_logs([folder / f"access{number}"], writer)
        return Session.open(folder / "s.ldapwb")

    return make


@pytest.fixture(scope="module")
def mail(session_of):
    with session_of(log()) as session:
        results = findings(session)
        yield lambda client: owner_mail(session, results, client, session.windows())


@pytest.fixture(scope="module")
def portals(session_of):
    """Of 22 that do the same, a finding describes 20."""
    with session_of(log(22)) as session:
        yield session


@pytest.mark.parametrize("client", ["10.0.0.9", "CN=portal,dc=a"])
def test_the_owner_reads_what_was_seen_the_query_and_the_change(mail, client):
    text = mail(client)
    assert text.startswith("# Use of the directory by ")
    assert "the directory logged" in text
    assert "## Clients open a new connection for each piece of work" in text
    assert "What to change:\n\n- " in text
    assert "pool" in text.lower()


def test_a_query_is_quoted_with_its_count_and_waiting(mail):
    text = mail("10.0.0.9")
    assert "longest:\n\n- \\(mail=?\\): 200 times, waited for 200 ms in all\n" in text


def test_what_another_client_does_is_not_in_the_mail(mail):
    text = mail("10.0.0.7")
    assert "10.0.0.9" not in text
    assert "pool" not in text.lower()


def test_a_client_that_is_not_there_is_an_error_that_names_some(mail):
    with pytest.raises(UsageError, match=r"No operation of '10\.0\.0\.8'") as caught:
        mail("10.0.0.8")
    assert "10.0.0.9" in str(caught.value.remedy)


def test_of_a_habit_of_several_each_owner_reads_of_its_own_client_alone(portals):
    results = findings(portals)
    [habit] = [seen for seen in results if seen.id == "no_pooling"]
    assert "10.0.0.9 as cn=portal,dc=a" in str(habit.sentence)
    text = owner_mail(portals, results, "10.0.2.9", portals.windows())
    assert "200 operations of this client are among those it is about" in text
    assert "- 10.0.2.9 as cn=portal2,dc=a: 200 operations, 1.80 s together." in text
    assert "10.0.0.9" not in text
    assert "cn=portal," not in text


def test_a_client_beyond_those_that_a_finding_describes_is_not_called_fine(portals):
    text = owner_mail(portals, findings(portals), "10.0.22.9", portals.windows())
    assert text.endswith("No finding asks for a change of this client.\n")


def test_a_finding_concerns_whose_operations_are_in_its_evidence(portals):
    operations = portals.operations(portals.windows()[0])
    binds = np.flatnonzero(operations.kind == TYPES.index("BIND"))
    piece = evidence_of_rows(operations, Message("Those of 10.0.0.9 wait longest."), binds)
    seen = made("server_sort", piece)
    text = owner_mail(portals, [seen], "10.0.22.9", portals.windows())
    assert "\n## Title\n" in text
    assert (
        "200 operations of this client are among those it is about; the client waited 1.80 s"
        in (text)
    )
    assert "10.0.0.9" not in text
    assert "Sentence" not in text
    assert "## " not in owner_mail(portals, [seen], "10.0.0.7", portals.windows())


def test_where_no_words_find_the_operations_of_a_window_those_listed_count(portals):
    window = portals.windows()[0]
    operations = portals.operations(window)
    piece = evidence_of_rows(operations, Message("Some."), np.arange(1, len(operations), 3))
    seen = made("wide_filter", replace(piece, which=None, rows=None))
    assert "\n## Title\n" in owner_mail(portals, [seen], "10.0.0.9", [window])


def test_an_address_without_operations_that_a_finding_names_gets_a_mail(portals):
    of = [
        Evidence(Message("{client}: {n} times.", client=client, n=n))
        for client, n in (("192.0.2.1", 8), ("192.0.2.2", 5))
    ]
    seen = made("tls_failures", *of, addresses={"192.0.2.1": 8, "192.0.2.2": 5})
    text = owner_mail(portals, [seen], "192.0.2.2", portals.windows())
    assert "\n## Title\n\n- 192.0.2.2: 5 times.\n\nWhat to change:\n\n- Step" in text


def made(which, *evidence, **numbers):
    return Finding(
        which,
        Message("Title"),
        Message("Sentence"),
        2,
        evidence,
        numbers,
        owner_steps=(Message("Step"),),
    )


def test_the_mail_is_of_the_windows_of_its_findings(session_of):
    later = log(attribute="telephonenumber").replace(":09:", ":11:")
    with session_of(log(), later) as session:
        first, second = session.windows()
        text = owner_mail(session, [], "10.0.0.9", [second])
        both = owner_mail(session, [], "10.0.0.9", [first, second])
    assert "from 2026-01-05 11:00:00.000 UTC" in text
    assert "UTC: 400. The client waited 2.00 s for them, 91 %" in text
    assert "telephonenumber" in text
    assert "(mail" not in text
    assert "UTC: 800. " in both


def test_no_filter_or_name_of_a_stranger_becomes_a_link_or_html(session_of):
    hostile = "<img src=x>[win](https://evil.test)https://evil.test www.evil.test"
    with session_of(log(attribute=hostile).replace("cn=portal", f"cn={hostile}")) as session:
        text = owner_mail(session, findings(session), "10.0.0.9", session.windows())
    assert text.count("evil") > 5
    assert "## Clients open a new connection" in text
    page = MarkdownIt("commonmark").render(text)
    assert "<a" not in page
    assert "<img" not in page
    # Many programs make a link of a bare address.
    assert "https://" not in text
    assert "www.evil" not in text
