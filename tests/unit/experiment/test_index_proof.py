"""Whether the log shows that searches used the index of an experiment."""

from contextlib import ExitStack
from dataclasses import replace
from types import SimpleNamespace

import pytest

from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.experiment.index_proof import seen_in_log, would_serve
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.sessions import FACTS

HEAD = "[05/Jan/2026:09:00:{second:02d}.000000000 +0000] conn=1 op={second} "
SEARCH = 'SRCH base="dc=example,dc=com" scope=2 filter="({filter})" attrs=ALL'
RESULT = "RESULT err=0 tag=101 nentries=1 etime=0.001100000{notes}"
LISTED = Treatment((Setting("vlv.names", "dc=example, dc=com sub (cn=*) cn", "userRoot"),))
TREATMENT = Treatment((Setting("index.mail", "eq", "userRoot"),))


@pytest.fixture
def said(tmp_path):
    """What is said of windows A and B; each is (filter, notes) of its searches."""

    def said(treatment=TREATMENT, **arms):
        with ExitStack() as stack:
            operations = {}
            for arm, searches in arms.items():
                log, file = tmp_path / f"access.{arm}", tmp_path / f"{arm}.ldapwb"
                lines = []
                for second, (filter_, notes) in enumerate(searches):
                    head = HEAD.format(second=second)
                    lines.append(head + SEARCH.format(filter=filter_))
                    if treatment is LISTED:
                        lines += [f"{head}SORT cn (5)", f"{head}VLV 0:9:0:0 1:5 (0)"]
                    lines.append(head + RESULT.format(notes=notes and f" notes={notes}"))
                log.write_text("\n".join(lines) + "\n")
                with SessionWriter.create(file) as writer:
                    import_logs([log], writer)
                session = stack.enter_context(Session.open(file))
                operations[arm] = session.operations(session.windows()[0])
            windows = [SimpleNamespace(arm=arm) for arm in arms]
            source = SimpleNamespace(operations=lambda window: operations[window.arm])
            (sentence,) = seen_in_log(source, treatment, windows)
            return str(sentence)

    return said


def configuration(backends):
    """Back ends of slapd, each {name: (suffix, lines of olcDbIndex)}."""
    rows = [
        {
            "dn": f"olcDatabase={name},cn=config",
            "attributes": {"olcsuffix": [suffix], "olcdbindex": lines},
        }
        for name, (suffix, lines) in backends.items()
    ]
    return {"configuration": rows}


@pytest.fixture
def serves(tmp_path):
    """What is said before an index is built; each search is (filter, notes)."""

    def serves(types, *searches, place="", backends=None, product="389-Directory"):
        log, file = tmp_path / "access", tmp_path / f"{types}{place}.ldapwb"
        lines = []
        for second, (filter_, notes) in enumerate(searches):
            head = HEAD.format(second=second)
            lines += [head + SEARCH.format(filter=filter_), head + RESULT.format(notes=notes)]
        log.write_text("\n".join(lines) + "\n")
        with SessionWriter.create(file) as writer:
            import_logs([log], writer)
        with Session.open(file) as session:
            source = SimpleNamespace(
                windows=session.windows,
                operations=session.operations,
                sources=lambda *_: [SimpleNamespace(details=configuration(backends or {}))],
                facts=replace(FACTS, product=product),
            )
            wanted = Treatment((Setting("index.mail", types, place),))
            (sentence,) = would_serve(source, wanted)
        return str(sentence)

    return serves


def test_what_an_index_would_serve_is_counted_with_the_waiting(serves):
    a, u = " notes=A", " notes=U"
    logged = [("mail=a", a), ("&(sn=x)(MAIL>=b)", u), ("mail=*b*", a), ("!(mail=c)", a),
              ("cn=x", a), ("mail=d", "")]  # fmt: skip
    assert serves("eq", *logged) == (
        "Logged searches that an index of mail (eq) could serve: 3, of which unindexed: 2. Clients "
        "waited 2.20 ms for the unindexed ones, 33 % of all their waiting."
    )
    assert "(eq, sub) could serve: 4, of which unindexed: 3" in serves("eq,sub", *logged)


def test_parts_of_a_substring_index_of_slapd_serve_substrings(serves):
    logged = [("mail=*b*", " notes=A"), ("mail=a", " notes=A")]
    assert "could serve: 1, of which unindexed: 1" in serves("subany,nolang", *logged)


def test_an_index_of_slapd_serves_what_is_in_its_back_end_and_has_no_other_gap(serves):
    a = " notes=A"
    logged = [
        ("mail=a", a),
        ("|(mail=a)(cn=b)", a),
        ("|(mail=a)(uid=b)", a),
        ("&(mail=a)(cn=b)", a),
    ]
    suffix, lines = "dc=example,dc=com", ["uid eq"]
    own = {"{1}mdb": (suffix, lines), "{2}mdb": ("dc=other", lines)}
    known = {"backends": own, "product": "OpenLDAP"}
    assert "could serve: 3, of which" in serves("eq", *logged, place="{1}mdb", **known)
    assert "could serve: 0; the log" in serves("eq", *logged, place="{2}mdb", **known)


def test_searches_that_are_not_unindexed_need_no_index(serves):
    said = serves("eq", ("mail=a", ""), ("cn=a", " notes=A"))
    assert said == (
        "Logged searches that an index of mail (eq) could serve: 1; the log marks none of them as "
        "unindexed."
    )


def test_notes_that_are_gone_prove_the_index(said):
    without = [("mail=a", "A"), ("&(sn=x)(MAIL=b*)", "U"), ("cn=x", "A")]
    text = said(A=without, B=[("mail=a", ""), ("cn=x", "A")])
    assert text == (
        "Mechanism verified: without the index of mail 2 of 2 searches were unindexed, "
        "with it none of 1."
    )


def test_notes_that_stay_are_counted(said):
    text = said(A=[("mail=a", "A")], B=[("mail=a", ""), ("mail=*b*", "U")])
    assert "of 2 with it 1 are unindexed all the same" in text


@pytest.mark.parametrize(
    "arms",
    [
        {"A": [("mail=a", "")], "B": [("mail=a", "")]},
        {"A": [("mail=a", "A")], "B": [("mailHost=a", "")]},
    ],
)
def test_without_searches_to_compare_nothing_is_proved(said, arms):
    assert "is not proved" in said(**arms)


def test_pages_of_a_sorted_list_are_proved_by_the_log(said):
    page = ("cn=*", "U")
    assert said(LISTED, A=[page, page], B=[("cn=*", "")]) == (
        "Mechanism verified: without the list names 2 of 2 pages were unindexed, with it none of 1."
    )


@pytest.mark.parametrize(
    ("before", "after"), [([("cn=*", "")], [("cn=*", "")]), ([("cn=*", "U")], [("cn=*", "U")])]
)
def test_pages_that_are_as_before_prove_nothing(said, before, after):
    assert "is not proved" in said(LISTED, A=before, B=after)
