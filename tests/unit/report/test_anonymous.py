"""A session without names: nothing of the original is left in the copy, and nothing is lost."""

from __future__ import annotations

import dataclasses
import re
import typing
from enum import Enum
from pathlib import Path

import duckdb
import pytest

from ldap_workbench.advice.evidence.view import view_window
from ldap_workbench.advice.families.find import findings_in
from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.experiment.plan import make_plan
from ldap_workbench.inference.counts.tails import tails
from ldap_workbench.inference.verdict.wording import sentence
from ldap_workbench.model.change import Change
from ldap_workbench.model.errors import CancelledError
from ldap_workbench.model.experiment import Design, Experiment
from ldap_workbench.model.kind import OperationKind
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import NOTHING, Message, verbatim
from ldap_workbench.model.operations import COLUMNS
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.remarks import remarks
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.verdict import MetricVerdict, Verdict
from ldap_workbench.model.window import Mark, Source, Window
from ldap_workbench.report.anonymous.copy import KEPT_COLUMNS, KEPT_META, REWRITTEN, anonymise
from ldap_workbench.report.anonymous.nouns import RULES, Nouns
from ldap_workbench.report.anonymous.pseudonyms import Pseudonyms
from ldap_workbench.report.anonymous.texts import Texts, is_harmless
from ldap_workbench.resources import case_files
from ldap_workbench.session.reader import Session
from ldap_workbench.session.schema import TABLES
from ldap_workbench.session.writer import SessionWriter
from tests.sessions import build_experiment_session

KEY = b"a key of the tests"
SECRETS = (
    *("hagebutte", "quendel", "zichorie", "borretsch", "estragon", "bibernelle", "waldmeister"),
    *("pimpinelle", "bohnenkraut", "majoran", "kresse", "kerbel", "sauerampfer", "wermut"),
    *(
        "fenchel",
        "oregano",
        "beifuss",
        "anissamen",
        "schafgarbe",
        "salbei",
        "rosmarin",
        "thymian",
        "koriander",
        "mueller",
    ),
    *("lavendel", "4711081517", "10.77.88.99", "2001:db8:77::4f5e", "198.51.100.37", "müller"),
)
"""Planted in every kind of file and field."""
T = "[21/Nov/2026:02:20:{:02d}.{:09d} +0000] "
LINES = [
    "conn={c} fd=64 slot=64 connection from 10.77.88.99 to 198.51.100.37",
    "conn={c} fd=65 slot=65 connection from 2001:db8:77::4f5e to local",
    'conn={c} op=0 BIND dn="uid=hagebutte{c},ou=quendel,dc=zichorie,dc=org" method=128 version=3',
    'conn={c} op=0 RESULT err=0 tag=97 nentries=0 wtime=0.0001 optime=0.1 etime=0.000270322 '
    'dn="uid=hagebutte{c},ou=quendel,dc=zichorie,dc=org"',
    'conn={c} op=1 SRCH base="ou=quendel,dc=zichorie,dc=org" scope=2 '
    'filter="(&(objectClass=person)(|(cn=Bor*etsch Müller)(employeeNumber=4711081517)))" '
    'attrs="cn"',
    "conn={c} op=1 RESULT err=0 tag=101 nentries=900 wtime=0.0001 optime=0.9 etime=0.900270322 "
    'notes=A details="Fully Unindexed Filter"',
    'conn={c} op=2 MOD dn="cn=Borretsch Mueller\\\\2C waldmeister,ou=quendel,dc=zichorie,dc=org"',
    "conn={c} op=2 RESULT err=53 tag=103 nentries=0 wtime=0.0001 optime=0.1 etime=0.1 - pimpinelle",
    "conn={c} op=3 UNBIND",
    "conn={c} op=3 fd=64 closed - U1",
]  # fmt: skip
ERRORS = (
    "[21/Nov/2026:02:20:01.1 +0000] - ERR - NSMMReplicationPlugin - send_updates - "
    'agmt="cn=to-estragon" (bibernelle:389): Unable to bind as uid=bohnenkraut, try later\n'
    "[21/Nov/2026:02:20:02.1 +0000] - NOTICE - bdb_start_autotune - found 16344k physical memory\n"
    "[21/Nov/2026:02:20:03.1 +0000] - WARN - slapd-majoran - host kresse.kerbel.example, wermut\n"
)
CONFIG = """dn: cn=config
cn: config
nsslapd-localhost: kresse.kerbel.example
nsslapd-threadnumber: 16

dn: cn=userRoot,cn=ldbm database,cn=plugins,cn=config
cn: userRoot
nsslapd-suffix: dc=zichorie,dc=org
nsslapd-cachememsize: 512000

dn: cn=to-estragon,cn=replica,cn=dc\\3Dzichorie\\2Cdc\\3Dorg,cn=mapping tree,cn=config
cn: to-estragon
nsDS5ReplicaHost: bibernelle.example
"""
AUDIT = (
    "time: 20261121022001\ndn: uid=hagebutte1,ou=quendel,dc=zichorie,dc=org\nresult: 0\n"
    "changetype: modify\nreplace: description\ndescription: johanniskraut\n-\n\n"
)
IOSTAT = (
    "Linux 5.14.0 (schafgarbe) \t11/21/2026 \t_x86_64_\t(4 CPU)\n\n11/21/2026 02:20:01 AM\n"
    "Device r/s w/s %util\nsda 1.00 2.00 3.00\n\n11/21/2026 02:20:02 AM\n"
    "Device r/s w/s %util\nsda 1.00 2.00 3.00\n\n"
)
STACKS = (
    'Thread 2 (Thread 0x7f6d (LWP 11) "ns-slapd"):\n#0  0x00007f6d in fsync () from libc.so.6\n'
    '#1  0x00007f6e in dblayer_txn_commit (dn=0x1 "uid=salbei,dc=zichorie") at x.c:1\n'
)


PROMETHEUS = (
    '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"up",'
    '"instance":"anissamen:9100","job":"fenchel"},"values":[[1795227601,"1"]]}]}}'
)
PMREP = 'Time,"filesys.used-/srv/oregano"\n1795227601,7\n'
JMETER = "timeStamp,elapsed,label,threadName\n1795227601000,5,search of beifuss,beifuss 1-1\n"


@pytest.fixture(scope="module")
def original(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("lavendel")
    logs = folder / "rosmarin"
    logs.mkdir()
    lines = (line.replace("{c}", str(c)) for c in range(1, 40) for line in LINES)
    log = [T.format(n // 20, n * 1000) + line for n, line in enumerate(lines)]
    (logs / "access").write_text("".join(f"{line}\n" for line in log))
    for name, text in (
        ("errors", ERRORS), ("dse.ldif", CONFIG), ("audit", AUDIT), ("iostat.txt", IOSTAT),
        ("pstack.txt", STACKS), ("up.json", PROMETHEUS), ("pcp.csv", PMREP), ("run.jtl", JMETER),
    ):  # fmt: skip
        (logs / name).write_text(text)
    path = folder / "original.ldapwb"
    facts = TargetFacts(
        "thymian", "389 Directory Server", "2.3.1", "koriander.example",
        access_log="/srv/sauerampfer/access",
    )  # fmt: skip
    with SessionWriter.create(path, facts) as writer:
        done = import_logs([logs], writer)
        writer.set_meta("note", "Ask thymian about lavendel")
        window = done.windows[0]
        writer.put_window(dataclasses.replace(window, name="Salbei", note="as rosmarin said"))
        writer.add_mark(Mark(window.start_ns, "mark", verbatim("Kerbel called")))
    return path


@pytest.fixture(scope="module")
def copy(original: Path) -> Path:
    path = original.with_name("copy.ldapwb")
    anonymise(original, path, KEY)
    return path


def texts_of(path: Path) -> str:
    """Every text of a session, of every table, and the raw text unpacked; in lower case."""
    with Session.open(path) as session:
        raw = [session.raw(source.id, 0, 1 << 26) for source in session.sources()]
        # A name in a path of the file that is read itself is none of its contents.
        tables = [name for (name,) in session.rows("SELECT table_name FROM duckdb_tables()")]
        rows = [session.rows(f"SELECT * FROM {name}") for name in tables if "raw" not in name]
    return (str(rows) + b"\n".join(raw).decode("utf-8", "replace")).lower()


def tokens_of(text: str) -> set[str]:
    """Words of five letters or more, long numbers, whole addresses."""
    return {
        *re.findall(r"[^\W\d_]{5,}", text),
        *re.findall(r"\d{9,}", text),
        *re.findall(r"(?:\d+\.){3}\d+", text),
    }


def test_nothing_that_was_planted_is_in_the_copy(original: Path, copy: Path) -> None:
    before, after = texts_of(original), texts_of(copy)
    file = copy.read_bytes().lower()
    for secret in SECRETS:
        assert secret in before, secret
        assert secret not in after, secret
        assert secret.encode() not in file, secret


def test_what_both_have_in_common_is_known_to_everybody(original: Path, copy: Path) -> None:
    common = tokens_of(texts_of(original)) & tokens_of(texts_of(copy))
    # Names of attributes, functions and fields of a noun.
    ours = {"employeenumber", "dblayer", "threadnumber", "rotational", "censored", "template"}
    ours |= {"orphan", "elapsed", "pmrep", "prometheus"}
    assert {token for token in common - ours if not is_harmless(token)} == set()


def test_a_name_in_what_is_sampled_is_none_in_the_copy(original: Path, copy: Path) -> None:
    names = []
    for path in (original, copy):
        with Session.open(path) as session:
            names.append({n for w in session.windows() for n in session.series_names(w)})
    kept = names[0] & names[1]
    assert "iostat:sda:util" in kept
    assert [*map(len, names)] == [len(names[0])] * 2
    assert not [name for name in kept if name.startswith(("prometheus:", "pcp:", "client:"))]
    assert any(re.fullmatch("client:search of .{7}:elapsed", name) for name in names[1])


def told(path: Path) -> list[object]:
    """Tails and findings of each window: what, how sure, what it cost, in their order."""
    found: list[object] = []
    with Session.open(path) as session:
        for window in session.windows():
            found.append(tails(session.operations(window), window="w"))
            for each in findings_in(view_window(session, window)):
                cost = (each.worker_ns, each.user_ns, each.over_ns)
                found.append((each.id, each.severity, each.confidence, cost, len(each.evidence)))
    return found


def test_what_a_source_was_read_as_is_in_our_words(original: Path, copy: Path) -> None:
    """Its details keep messages in messages, whose keys were taken for names."""

    def read_as(path: Path) -> list[str]:
        with Session.open(path) as session:
            said = [str(remark) for source in session.sources() for remark in remarks(source)]
        return [remark for remark in said if remark.startswith("Read as ")]

    assert "Read as 389 Directory Server access log: " in read_as(original)[0]
    assert read_as(copy) == read_as(original)


def test_tails_and_findings_are_the_same(original: Path, copy: Path) -> None:
    assert told(copy) == told(original)
    assert len(told(original)) >= 3


@pytest.mark.parametrize(
    "name", [pytest.param("master-stall", marks=pytest.mark.full), "io-scheduler", "read-ahead"]
)
def test_a_case_has_the_same_findings(tmp_path: Path, name: str) -> None:
    """More, and the sample: tests/bench/anonymous_sessions.py."""
    before, after = tmp_path / "before", tmp_path / "after"
    with SessionWriter.create(before) as writer:
        import_logs([case_files(name)], writer)
    anonymise(before, after, KEY)
    assert told(after) == told(before)


def test_an_experiment_keeps_its_verdict(tmp_path: Path) -> None:
    path, output = tmp_path / "a.ldapwb", tmp_path / "b.ldapwb"
    build_experiment_session(path, pairs=2, seconds=4, per_second=40)
    anonymise(path, output)
    with Session.open(path) as before, Session.open(output) as after:
        assert [w.arm for w in after.windows()] == [w.arm for w in before.windows()]
        [old], [new] = before.experiments(), after.experiments()
        assert new.verdict is not None
        assert old.verdict is not None
        assert str(new.verdict.sentence) == str(old.verdict.sentence)
        assert new.plan.treatment == old.plan.treatment
        assert new.change_groups != old.change_groups
        groups = {change.group for change in after.changes()}
        assert groups == set(new.change_groups)
        assert after.facts is not None
        assert "example" not in str(after.facts)
        window, other = before.windows()[0], after.windows()[0]
        assert before.series_names(window) == after.series_names(other)
    assert "example.com" not in texts_of(output)


def test_joins_stay_and_lines_keep_their_places(original: Path, copy: Path) -> None:
    with Session.open(original) as before, Session.open(copy) as after:
        window = before.windows()[0]
        old, new = before.operations(window), after.operations(after.windows()[0])
        assert (old.bind_dn == new.bind_dn).all()
        assert len(set(new.bind_dns)) == len(set(old.bind_dns))
        assert [len(each) for each in new.bases] == [len(each) for each in old.bases]
        source = before.operation_source(window)
        for at in old.result_at[:20].tolist():
            assert len(before.raw_line(source, at)) == len(after.raw_line(source, at))
        assert "objectClass=person" in after.raw(source, 0, 1 << 20).decode()


def test_two_keys_give_two_copies_and_one_key_the_same(copy: Path, tmp_path: Path) -> None:
    anonymise(copy, tmp_path / "again")
    with Session.open(copy) as one, Session.open(tmp_path / "again") as two:
        dns = [each.operations(each.windows()[0]).bind_dns for each in (one, two)]
    assert dns[0] != dns[1]
    words = [Pseudonyms(key).word("hagebutte") for key in (KEY, KEY, b"another")]
    assert words[0] == words[1] != words[2]


def test_a_cancelled_copy_leaves_no_file(original: Path, tmp_path: Path) -> None:
    cancel = Cancel()
    cancel.set()
    with pytest.raises(CancelledError):
        anonymise(original, tmp_path / "copy", cancel=cancel)
    assert list(tmp_path.iterdir()) == []


# --- What the schema may hold ---------------------------------------------------------------------


def test_every_column_is_kept_or_written_anew() -> None:
    """A new column of text has to be thought of before it leaves the house."""
    assert set(COLUMNS) == KEPT_COLUMNS
    with duckdb.connect() as db:
        for name, columns in TABLES.items():
            db.execute(f"CREATE TABLE {name} ({columns})")
        query = (
            "SELECT table_name || '.' || column_name FROM duckdb_columns() "
            "WHERE NOT internal AND data_type IN ('VARCHAR', 'BLOB')"
        )
        found = {name for (name,) in db.execute(query).fetchall()}
    # Kinds of sources and strings, and keys, are words of the workbench.
    assert found - {"string.kind", "source.kind", "meta.key"} == REWRITTEN


def test_of_the_session_itself_only_its_version_is_kept(original: Path, copy: Path) -> None:
    with Session.open(original) as before, Session.open(copy) as after:
        assert before.meta.keys() == {*KEPT_META, "facts", "note"}
        assert after.meta.keys() == {*KEPT_META, "facts"}


def test_every_field_that_may_hold_text_has_a_rule() -> None:
    found: dict[str, set[str]] = {}
    for noun in (Window, Source, Mark, Experiment, Change, TargetFacts):
        fields_with_text(noun, found)
    assert {name: set(rules) for name, rules in RULES.items()} == found


def fields_with_text(noun: type, found: dict[str, set[str]]) -> None:
    hints = typing.get_type_hints(noun)
    for each in dataclasses.fields(noun):
        for kind in kinds_in(hints[each.name]):
            if dataclasses.is_dataclass(kind) and kind is not Message:
                fields_with_text(kind, found)
            elif kind in (str, typing.Any, Message):
                found.setdefault(noun.__name__, set()).add(each.name)


def kinds_in(hint: object) -> list[typing.Any]:
    inner = typing.get_args(hint)
    if inner:
        return [kind for each in inner for kind in kinds_in(each)]
    return [] if isinstance(hint, type) and issubclass(hint, Enum) else [hint]


# --- Texts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kept",
    [
        "conn=5 op=1 RESULT err=0 tag=101 nentries=1 wtime=0.1 optime=0.2 etime=0.3 notes=U",
        "cn=userRoot,cn=ldbm database,cn=plugins,cn=config",
        "nsslapd-cachememsize=268435456",
        "(objectClass=person)",
        "iostat:nvme0n1",
        "127.0.0.1 ::1 0.0.0.0",
        "389-Directory/1.4.3.39 B2023.061.0000",
    ],
)
def test_what_every_server_has_stays(kept: str) -> None:
    assert Texts(Pseudonyms(KEY)).text(kept) == kept


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('conn=5 op=0 BIND dn="1234567890" method=128 version=3', "1234567890"),
        ('conn=5 op=0 BIND dn="4711" method=128 version=3', "4711"),
        ('{"op_id": 0, "etime": "0.1", "bind_dn": "1234567890"}', "1234567890"),
        ("uid=1234567890,ou=people", "1234567890"),
        ("(telephoneNumber=+49 170 1234567)", "1234567"),
        ("telephoneNumber: 4917012345", "4917012345"),
        ("- ERR - plugin - user 123456 has no entry", "123456"),
        ("krbPrincipalName=host/10.44.55.66@X", "10.44.55.66"),
        ("host/10.44.55.66", "10.44.55.66"),
        ("\\\\10.44.55.69", "10.44.55.69"),
        ("connection from cafe1234 to local", "cafe1234"),
        ("5f1a2b3c.0a1b2c3d 0x7f6d conn=1 op=1 text of cafe1234", "cafe1234"),
    ],
)
def test_names_made_of_digits_become_pseudonyms(text: str, name: str) -> None:
    copied = Texts(Pseudonyms(KEY)).text(text)
    assert name in text
    assert name not in copied
    assert len(copied) == len(text)


@pytest.mark.parametrize(
    "kept",
    [
        "conn=123456 op=234567 RESULT err=0 tag=101 nentries=345678 etime=12.5",
        "conn=Internal(123456) op=0(234567)(0) RESULT err=0",
        '{"conn_id": 123456, "etime": "0.000270322", "csn": "5f1a2b3c000000010000"}',
        "5f1a2b3c.0a1b2c3d 0x7f6d conn=100000 fd=12",
        "5f1a2b3c conn=100000 fd=12",
        "[21/Nov/2026:02:20:01.123456789 +0000] conn=7",
        "time: 20261121022001",
        "nsslapd-cachememsize: 536870912",
        "536870912 bytes, 16344k",
        "0.0.0.0:54321",
    ],
)
def test_numbers_of_the_server_stay(kept: str) -> None:
    assert Texts(Pseudonyms(KEY)).text(kept) == kept


def test_numbers_of_a_table_stay() -> None:
    texts = Texts(Pseudonyms(KEY), of_numbers=True)
    assert texts.text("sda 123456 7891011") == "sda 123456 7891011"


@pytest.mark.parametrize(
    "text",
    [
        "uid=anna",
        "Ärztekammer",
        "(mail=*@x.org)",
        "zoé\\2C 12",
        '{"a": "\\u00e9l\\u00e8ve"}',
        "€uro",
    ],
)
def test_a_text_keeps_its_bytes(text: str) -> None:
    found = Texts(Pseudonyms(KEY)).text(text)
    assert found != text
    assert len(found.encode()) == len(text.encode())


def test_pseudonyms_are_a_bijection_that_keeps_the_case() -> None:
    names = Pseudonyms(KEY)
    short = [names.word(a + b) for a in "abcdefghijklmnopqrstuvwxyz" for b in "0123456789"]
    assert len(set(short)) == 260
    assert names.word("Smith").lower() == names.word("SMITH").lower()
    assert names.word("Smith")[0].isupper()
    long = "Dampfschifffahrtsgesellschaftskapitaen"  # in two parts, the second under the first
    assert names.word(long).lower() == names.word(long.upper()).lower()
    assert len({names.word(f"{long}{a}") for a in "abcdefghijklmnopqrstuvwxyz"}) == 26


def test_each_part_of_a_long_name_is_under_all_before_it() -> None:
    names = Pseudonyms(KEY)
    parts = ["a" * 32, "b" * 32, "c" * 32, "d" * 32]
    for place in range(3):
        others = [*parts]
        others[place] = "x" * 32
        first, second = names.word("".join(parts)), names.word("".join(others))
        assert first[: 32 * place] == second[: 32 * place]
        assert first[96:] != second[96:]


@pytest.mark.timeout(60)
def test_a_giant_name_takes_a_time_in_proportion_to_its_length() -> None:
    """Half a second; with all that is before a part read for each part 500,000 took two minutes."""
    assert len(Pseudonyms(KEY).word("n" * 150_000)) == 150_000


def test_neighbours_stay_neighbours() -> None:
    names = Pseudonyms(KEY)
    found = {names.address(f"10.77.88.{n}") for n in range(256)}
    assert len(found) == 256
    assert len({each.rpartition(".")[0] for each in found}) == 1
    assert names.address("10.77.89.1").rpartition(".")[0] != next(iter(found)).rpartition(".")[0]
    # What is behind the first octet depends on it: nobody sees that two nets are numbered alike.
    behind = {names.address(f"10.{n}.88.1").split(".")[2] for n in range(10, 100)}
    assert len(behind) > 10


@pytest.mark.parametrize(
    ("primary", "secret"),
    [
        ("SRCH[client=198.51.100.37]:p50", "198.51.100.37"),
        ("BIND[dn=uid=hagebutte,dc=zichorie]:p50", "hagebutte"),
    ],
)
def test_a_metric_of_one_client_or_bind_dn_names_nobody(primary: str, secret: str) -> None:
    nouns = Nouns(Texts(Pseudonyms(KEY), of_numbers=True))
    treatment = Treatment((Setting("nsslapd-threadnumber", "24"),))
    plan = make_plan(treatment, Design("pairs", 8), window_s=20, seed=1, primary=primary)
    kind = plan.primary_metric.type
    judged = nouns.noun(MetricVerdict("p50", "better", type=kind))
    for text in (nouns.noun(plan).primary, judged.type):
        assert secret not in text
        assert OperationKind.parse(text.removesuffix(":p50"))
    told = sentence(MetricVerdict("p50", "better", 0.5, type=kind), {}, NOTHING)
    verdict = Verdict(judged, {}, comparable=True, why=NOTHING, design="pairs:8", sentence=told)
    assert secret in str(told)
    assert secret not in str(nouns.noun(verdict).sentence)
    whole = nouns.noun(dataclasses.replace(plan, primary="BIND:p50"))
    assert whole.primary == "BIND:p50"
