"""LDIF to apply and to undo, as ldapmodify wants it."""

from __future__ import annotations

import base64

import pytest

from ldap_workbench.model.change import Change, ChangeState
from ldap_workbench.tuning.ldif import is_attribute, ldif_line, ldif_to_apply, ldif_to_undo


def change(id_: int, **fields: object) -> Change:
    values = {
        "id": id_,
        "group": "g",
        "server": "ldap://a:389",
        "profile": "p",
        "knob": "nsslapd-threadnumber",
        "dn": "cn=config",
        "attribute": "nsslapd-threadnumber",
        "before": ("16",),
        "asked": ("8",),
        "got": ("8",),
        "state": ChangeState.APPLIED,
        "needs_restart": False,
        "created_ns": 0,
        "updated_ns": 0,
    }
    return Change(**(values | fields))  # type: ignore[arg-type]


def test_apply_replaces() -> None:
    assert ldif_to_apply([change(1, needs_restart=True)]) == (
        "# Apply with: ldapmodify -H URL -D DN -W -f FILE\n"
        "version: 1\n\n"
        "# nsslapd-threadnumber: 16 -> 8\n"
        "# Works after a restart of the server.\n"
        "dn: cn=config\n"
        "changetype: modify\n"
        "replace: nsslapd-threadnumber\n"
        "nsslapd-threadnumber: 8\n"
        "-\n"
    )


def test_undo_goes_backwards_and_removes_what_was_absent() -> None:
    first = change(1)
    second = change(2, knob="x", attribute="x", before=None)
    text = ldif_to_undo([first, second])
    assert "delete: x\n-\n" in text
    assert text.index("delete: x") < text.index("nsslapd-threadnumber: 16\n-")


def test_kernel_files_are_comments() -> None:
    host = change(1, dn="", attribute="/sys/block/vda/queue/read_ahead_kb", server="ssh://a:22")
    text = ldif_to_apply([host])
    assert "# On ssh://a:22: echo 8 > /sys/block/vda/queue/read_ahead_kb\n" in text
    assert "dn:" not in text


def test_odd_values_are_base64_and_long_lines_folded() -> None:
    text = ldif_to_apply([change(1, asked=(" ü",)), change(2, asked=("x" * 200,))])
    assert "nsslapd-threadnumber:: IMO8\n" in text
    assert max(map(len, text.splitlines()[2:])) < 260
    folded = text[text.rindex("nsslapd-threadnumber: x") :]
    assert folded.splitlines()[1].startswith(" x")
    assert folded.replace("\n ", "").splitlines()[0] == "nsslapd-threadnumber: " + "x" * 200


def test_what_a_running_server_refuses_is_told_in_words() -> None:
    name, bdb = "nsslapd-db-trickle-percentage", "cn=bdb,cn=config"
    made = change(1, knob=name, attribute=name, dn=bdb, before=None, asked=("20",))
    for text, line in (
        (ldif_to_apply([made]), f"# set {name}: 20, start it.\n"),
        (ldif_to_undo([made]), f"# take out {name}, start it.\n"),
    ):
        assert line in text
        assert "changetype" not in text


@pytest.mark.parametrize("attribute", ["cn; echo", "a b", "-x", "", "cn\nchangetype: delete"])
def test_what_is_no_name_of_an_attribute_is_left_out(attribute: str) -> None:
    odd = change(1, attribute=attribute)
    assert not is_attribute(odd)
    for text in (ldif_to_apply([odd]), ldif_to_undo([odd])):
        assert "# Left out: '" in text
        assert all(not line or line.startswith("#") for line in text.splitlines()[2:])


def test_an_attribute_lies_in_an_entry_and_may_have_options() -> None:
    assert is_attribute(change(1))
    assert is_attribute(change(1, attribute="cn;lang-de;x-1"))
    assert not is_attribute(change(1, dn="")), "a file of the host"


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ("", True),
        ("8", True),
        ("a:<b", True),
        ("a b", True),
        (" a", False),
        (":a", False),
        ("<a", False),
        ("a ", False),
        ("ü", False),
        ("a\nb", False),
    ],
)
def test_a_value_stands_as_it_is_where_rfc_2849_lets_it(value: str, plain: bool) -> None:
    coded = f"cn:: {base64.b64encode(value.encode()).decode()}"
    assert ldif_line("cn", value) == (f"cn: {value}" if plain else coded)


@pytest.mark.parametrize(("length", "lines"), [(72, [76]), (73, [76, 2]), (148, [76, 76, 2])])
def test_a_line_is_folded_behind_76_characters(length: int, lines: list[int]) -> None:
    folded = ldif_line("cn", "x" * length).split("\n")
    assert [len(line) for line in folded] == lines
    assert all(line.startswith(" x") for line in folded[1:])


def test_changes_are_undone_last_first_and_values_all_put_back() -> None:
    several = change(3, before=("a", "b"), asked=("c",))
    text = ldif_to_undo([change(1, attribute="one"), several, change(2, attribute="two")])
    assert "nsslapd-threadnumber: a\nnsslapd-threadnumber: b\n-\n" in text
    order = [text.index(f"replace: {name}") for name in ("nsslapd-threadnumber", "two", "one")]
    assert order == sorted(order)


def test_an_index_is_an_entry_and_the_task_that_builds_it() -> None:
    dn = "cn=mail,cn=index,cn=userRoot,cn=ldbm database,cn=plugins,cn=config"
    lines = ("cn: mail", "nsIndexType: eq", "objectClass: top", "objectClass: nsIndex")
    index = change(7, knob="index.mail", dn=dn, attribute="*", before=None, asked=lines)
    added = ldif_to_apply([index])
    assert f"# index.mail: absent -> eq\ndn: {dn}\nchangetype: add\ncn: mail\n" in added
    task = "dn: cn=build-7,cn=index,cn=tasks,cn=config\nchangetype: add\nobjectClass: top\n"
    assert task in added
    assert "nsInstance: userRoot\nnsIndexAttribute: mail\n" in added
    assert ldif_to_undo([index]).endswith(f"dn: {dn}\nchangetype: delete\n")


def test_what_ends_a_running_slapd_is_no_record() -> None:
    setting = change(8, knob="olcListenerThreads", dn="cn=config", attribute="olcListenerThreads",
                     before=None, asked=("2",))  # fmt: skip
    for text in (ldif_to_apply([setting]), ldif_to_undo([setting])):
        assert "changetype" not in text
        assert "# Not while it runs: stop it, in its stored configuration cn=config" in text
