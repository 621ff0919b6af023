"""The mail to the owner of a client has its own findings, queries and numbers, and no other's."""

import pytest

from ldap_workbench.advice.families.find import findings
from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.model.errors import UsageError
from ldap_workbench.report.owner import owner_mail
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter

STAMP = "[05/Jan/2026:09:{minute:02d}:{second:02d}.{ns:09d} +0000] "


def log():
    """A portal that opens a connection for each page, and a client that keeps its own."""
    lines = []

    def say(at, text):
        whole, ns = divmod(at, 10**9)
        minute, second = divmod(whole, 60)
        lines.append((at, STAMP.format(minute=minute, second=second, ns=ns) + text))

    say(0, "conn=1 fd=64 slot=64 connection from 10.0.0.7 to 10.0.0.1")
    for page in range(200):
        at, conn = page * 300_000_000 + 1000, page + 2
        say(at, f"conn={conn} fd=65 slot=65 connection from 10.0.0.9 to 10.0.0.1")
        say(at + 1000, f'conn={conn} op=0 BIND dn="cn=portal,dc=a" method=128 version=3')
        end = "etime=0.009000000"
        say(
            at + 9_001_000,
            f'conn={conn} op=0 RESULT err=0 tag=97 nentries=0 {end} dn="cn=portal,dc=a"',
        )
        say(
            at + 10_000_000,
            f'conn={conn} op=1 SRCH base="dc=a" scope=2 filter="(mail=u{page}@a)" attrs=ALL',
        )
        say(at + 11_000_000, f"conn={conn} op=1 RESULT err=0 tag=101 nentries=1 etime=0.001000000")
        say(at + 12_000_000, f"conn={conn} op=2 UNBIND")
        say(at + 12_001_000, f"conn={conn} op=2 fd=65 closed - U1")
        say(
            at + 20_000_000,
            f'conn=1 op={page} SRCH base="dc=a" scope=2 filter="(uid=u{page})" attrs="cn"',
        )
        say(at + 21_000_000, f"conn=1 op={page} RESULT err=0 tag=101 nentries=1 etime=0.001000000")
    return "\n".join(text for _, text in sorted(lines, key=lambda line: line[0])) + "\n"


@pytest.fixture(scope="module")
def mail(tmp_path_factory):
    folder = tmp_path_factory.mktemp("owner")
    (folder / "access").write_text(log())
    with SessionWriter.create(folder / "s.ldapwb") as writer:
        import_logs([folder / "access"], writer)
    with Session.open(folder / "s.ldapwb") as session:
        results = findings(session)
        yield lambda client: owner_mail(session, results, client)


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
