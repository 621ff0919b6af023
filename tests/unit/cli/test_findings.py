"""`findings`: what stands out, what may be tried, what excludes what, and who names whom."""

import json
import sys
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest

from ldap_workbench.cli import findings, link, main
from ldap_workbench.connect.directory import Entry
from ldap_workbench.model.target import Backend
from ldap_workbench.session.reader import Session
from tests.sessions import build_experiment_session
from tests.unit.advice.material import FACTS

GROUPS = {
    "cn=a,ou=groups": ("cn=b,ou=groups", "uid=boss"),
    "cn=b,ou=groups": ("cn=a,ou=groups", "uid=boss"),
    **{f"cn=g{n},ou=groups": ("uid=boss",) for n in range(19)},
}


class Groups:
    """Answers `(member=*)` with groups; nothing for the other attributes, and how it is set."""

    def __init__(self, groups):
        self.groups = groups

    def search(self, base, *, scope="base", filter="", attributes=("*",)):  # noqa: A002
        if base.startswith("cn=referential integrity"):
            on = {
                "referint-membership-attr": ("member", "manager"),
                "nsslapd-pluginEnabled": ("on",),
            }
            return [Entry(base, on)]
        if base.startswith("cn=MemberOf Plugin"):
            on = {"nsslapd-pluginEnabled": ("on",), "memberOfGroupAttr": ("member",)}
            return [Entry(base, on)]
        if base == "cn=index,cn=userRoot":
            return [Entry(f"cn=member,{base}", {"cn": ("member",), "nsIndexType": ("eq",)})]
        assert (base, scope) == ("dc=example,dc=com", "sub")
        if filter != "(member=*)":
            return []
        return [Entry(dn, {"member": members}) for dn, members in self.groups.items()]


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    path = tmp_path_factory.mktemp("session") / "s.ldapwb"
    build_experiment_session(path, pairs=2, seconds=3, per_second=40)
    return path


@pytest.fixture
def asked(session, monkeypatch, capsys):
    def asked(groups, *words):
        backend = Backend("userRoot", "dc=example,dc=com", "cn=userRoot")
        target = SimpleNamespace(
            directory=Groups(groups), facts=replace(FACTS, backends=(backend,))
        )

        @contextmanager
        def connected(name):
            assert name == "ldap1"
            yield target

        monkeypatch.setattr(link, "connected", connected)
        command = ["ldap-workbench", "findings", str(session), "--references", "ldap1", *words]
        monkeypatch.setattr(sys, "argv", command)
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        return capsys.readouterr().out

    return asked


def test_the_server_is_asked_who_names_whom(asked):
    told = json.loads(asked(GROUPS, "--json"))
    found = {each["id"]: each for each in told["findings"]}
    assert found["referred"]["numbers"]["most"] == 21
    assert found["group_ring"]["numbers"]["rings"] == 1
    assert "break-rings" in [each["id"] for each in told["advice"]]
    assert found["referint_unindexed"]["numbers"]["backends"] == {"userRoot": ["manager"]}
    index = next(each for each in told["advice"] if each["id"] == "referint-index")
    assert "Not indexed here: manager." in index["why"]


def test_twenty_references_and_a_chain_are_nothing(asked):
    chain = dict(GROUPS, **{"cn=b,ou=groups": ("uid=other",)})
    told = json.loads(asked(chain, "--json"))
    assert {"referred", "group_ring"} & {each["id"] for each in told["findings"]} == set()


def test_a_person_reads_the_finding_and_what_may_be_tried(asked):
    out = asked(GROUPS)
    assert "Groups that contain each other" in out
    assert "Try: Break rings of groups" in out
    assert "cn=a,ou=groups" in out


def test_what_excludes_what_is_said_in_words(asked, monkeypatch):
    monkeypatch.setattr(
        findings, "conflicts", lambda advice: [f"{len(advice)} exclude each other."]
    )
    assert "exclude each other." in asked({})
    assert len(json.loads(asked({}, "--json"))["conflicts"]) == 1


def test_the_page_is_reckoned_from_an_export(asked, tmp_path):
    export = tmp_path / "export.ldif"
    entry = "dn: uid=u{}\nuid: u{}\ndescription: " + "x" * 6000 + "\n\n"
    export.write_text("version: 1\n\n" + "".join(entry.format(n, n) for n in range(40)))
    told = json.loads(asked({}, "--entries", str(export), "--json"))
    found = {each["id"]: each for each in told["findings"]}["entry_sizes"]
    assert (found["numbers"]["entries"], found["numbers"]["page_bytes"]) == (40, 32768)
    advice = next(each for each in told["advice"] if each["id"] == "page-size")
    steps = " ".join(advice["steps"])
    assert "computes it: 32768 (32 KiB, by the sizes of your entries)." in steps
    assert "nsslapd-db-page-size: 32768/'" in steps


def test_a_mail_for_an_owner_is_all_that_is_printed(session, monkeypatch, capsys):
    with Session.open(session) as opened:
        operations = opened.operations(opened.windows()[0])
    client = next(name for name in operations.clients if name)
    command = ["ldap-workbench", "findings", str(session), "--for-owner", client]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert capsys.readouterr().out.startswith(f"# Use of the directory by {client}\n")


@pytest.mark.parametrize("option", [["--json"], ["--references", "lab"], ["--entries", __file__]])
def test_a_mail_for_an_owner_refuses_what_it_would_ignore(session, option, monkeypatch, capsys):
    command = ["ldap-workbench", "findings", str(session), "--for-owner", "10.0.0.1", *option]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code
    shown = capsys.readouterr()
    assert "--for-owner writes a mail, without --json" in shown.err
    assert not shown.out
