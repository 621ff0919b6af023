"""Advice is in the words of the product at hand, and an unknown one gets what holds for all."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from ldap_workbench.advice.evidence.period import load_timers
from ldap_workbench.advice.evidence.wording import can_be_of, definitions, on_server, step_of
from ldap_workbench.advice.families.find import findings_in
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.advice.rules.rule import Rule, every_rule
from ldap_workbench.model.configuration import Configuration, ConfigurationEntry
from ldap_workbench.model.finding import Deployment, Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.window import Source, SourceKind, SourceState
from ldap_workbench.servers.product import Wording, known_product, products, words
from tests.unit.advice.material import FACTS, Log, view
from tests.unit.advice.test_every_finding import CODE, calls_of, ids_of

Passage = tuple[str, str, tuple[str, ...], tuple[str, ...]]
"""Where it stands, its text, and the products and systems it is for; () is all."""


def of_rules() -> Iterator[Passage]:
    """Every text of a rule but `disagree`, which may name what others do."""
    for rule in every_rule():
        system = tuple(filter(None, [(rule.only or {}).get("system", "")]))
        plain = (rule.title, rule.why, rule.expected, rule.cost, rule.risk_words, *rule.settings)
        uses = any("{indexes}" in step.text for step in rule.steps)
        commands = [text for text in rule.commands.values() if isinstance(text, str)]
        for text in (*plain, *(commands if uses else ())):
            yield rule.id, text, rule.products, system
        for step in (*rule.steps, *rule.needs):
            yield rule.id, step.text, step.products or rule.products, step.systems or system


def of_findings() -> Iterator[Passage]:
    for which, definition in definitions().items():
        whose = tuple(definition.get("products", ()))
        for name in ("title", "sentence", "disproof", "uncosted", "instead"):
            yield which, definition.get(name, ""), whose, ()
        read = {constant for file in CODE.glob("*.py") for constant in constants_of(file)}
        for text in (definition.get("says", ""), *definition.get("texts", {}).values()):
            for template in (text,) if isinstance(text, str) else text.values():
                yield which, without_readings(template, read), whose, ()
        for part in definition.get("parts", {}).values():
            for name in ("text", "otherwise"):
                yield which, without_readings(part.get(name, ""), read), whose, ()
        for step in map(step_of, definition.get("owner", ())):
            yield which, step.text, step.products or whose, step.systems


def of_timers() -> Iterator[Passage]:
    for timer in load_timers():
        yield timer.id, timer.meaning, timer.products, ()


def of_code() -> Iterator[Passage]:
    """Messages in the code of families: for the products that their module asks for by name.

    A module asks by the product, or its findings declare theirs. What names a setting that the
    module itself reads is a reading of it, and speaks of nobody else's server.
    """
    for file in sorted(CODE.glob("*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        declared = {
            product
            for function in ast.walk(tree)
            if isinstance(function, ast.FunctionDef)
            for call in calls_of("finding", function)
            for which in ids_of(call.args[0], function, tree)
            for product in definitions()[which].get("products", ())
        }
        messages = [*calls_of("Message", tree), *calls_of("count_of", tree)]
        texts = [a.value for call in messages for a in call.args if isinstance(a, ast.Constant)]
        constants = constants_of(file)
        whose = tuple(sorted(declared or (constants & products().keys())))
        for text in filter(lambda text: isinstance(text, str), texts):
            yield file.name, without_readings(text, constants), whose, ()


@cache
def constants_of(file: Path) -> frozenset[str]:
    """Texts that stand in the code of a file."""
    nodes = ast.walk(ast.parse(file.read_text("utf-8")))
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    return frozenset(constant for constant in constants if isinstance(constant, str))


def without_readings(text: str, constants: Collection[str]) -> str:
    """Without the settings and counters that the code reads by name."""
    read = [token for token in re.findall(r"[\w-]+", text) if token in constants]
    return re.sub("|".join(map(re.escape, read)) or r"(?!)", "", text)


def foreign(text: str, whose: tuple[str, ...], systems: tuple[str, ...]) -> list[str]:
    """Words in a text that not all of its readers may be given."""
    return [
        match[0]
        for word in words()
        for match in word.pattern.finditer(text)
        if not _may_read(word, whose, systems)
    ]


def _may_read(word: Wording, whose: tuple[str, ...], systems: tuple[str, ...]) -> bool:
    known = systems or {system for product in whose for system in products()[product].systems}
    fits = not word.products or (bool(whose) and set(whose) <= set(word.products))
    return fits and (not word.systems or (bool(known) and set(known) <= set(word.systems)))


@pytest.mark.parametrize("source", [of_rules, of_findings, of_timers, of_code])
def test_who_uses_the_words_of_a_product_declares_it(source) -> None:
    wrong = {
        (where, word, text)
        for where, text, whose, systems in source()
        for word in foreign(text, whose, systems)
    }
    assert sorted(wrong) == []


def test_every_declared_product_is_one() -> None:
    declared = {product for *_, whose, _ in (*of_rules(), *of_findings()) for product in whose}
    declared |= {product for word in words() for product in word.products}
    assert declared <= products().keys()


def test_a_foreign_word_is_seen() -> None:
    """The walk above would pass if it saw nothing."""
    assert foreign("set nsslapd-x to 1", ("openldap",), ()) == ["nsslapd-"]
    assert foreign("set nsslapd-x to 1", (), ()) == ["nsslapd-"]
    assert foreign("set nsslapd-x to 1", ("389ds",), ()) == []
    assert foreign("vm.dirty_bytes", (), ("solaris",)) == ["vm.dirty_bytes"]
    assert foreign("olcDbIndex: cn eq", ("389ds",), ()) == ["olcDbIndex"]


EVERY = [
    Finding(
        which,
        Message("t"),
        Message("s."),
        2,
        (),
        {"filters": ["(cn=?)"], "device": "sda", "kb_per_read": 100.0, "page_kb": 8.0,
         "filter": "(cn=?)", "wanted_bytes": 10**9, "entries": 10, "mean_entry_bytes": 10,
         "backend": "b", "unindexed": ["member"], "period_s": 60.0, "scanning_share": 0.5,
         "swapping_share": 0.5, "like_a_timeout": True, "map_share": 1.0, "reader_share": 0.5,
         "map_max_bytes": 10**9, "readers_max": 100, "threads": 16, "cores": 4,
         "virtual": ["nsrole"], "cpu_idle_percent": 50.0, "size_bytes": 10**8, "max_bytes": 10**8},
        owner_steps=tuple(Message(step_of(step).text) for step in definition.get("owner", ())),
    )
    for which, definition in definitions().items()
]  # fmt: skip
"""Every finding at once, with the numbers that advice asks for."""


@pytest.mark.parametrize("system", ["", "linux", "solaris"])
@pytest.mark.parametrize("product", ["", *products()])
def test_nobody_is_given_advice_for_another_server(product: str, system: str) -> None:
    """Every finding there is, of one product: no advice, step or need has a foreign word."""
    server = Deployment(product, "bdb", (system,) if system else ())
    seen = [on_server(f, server) for f in EVERY]
    whose, systems = (product,) if product else (), server.systems
    texts = [str(step) for f in seen for step in f.owner_steps]
    for advice in advise(seen, None):
        parts = (advice.title, advice.why, advice.expected, advice.cost, advice.risk)
        texts += [str(part) for part in (*parts, *advice.steps, *advice.needs)]
        texts += [setting.knob for setting in advice.treatment.settings]
    assert {text: bad for text in texts if (bad := foreign(text, whose, systems))} == {}
    assert product not in ("389ds", "openldap") or any("INSTANCE" in t or "olc" in t for t in texts)


def test_nothing_of_berkeley_db_while_the_library_is_unknown() -> None:
    checkpoint = [f for f in EVERY if f.id in ("checkpoint", "deletion_chain", "db_cache")]
    for library, given in (("", False), ("mdb", False), ("bdb", True)):
        server = Deployment("389ds", library)
        seen = [replace(f, server=server) for f in checkpoint]
        assert ("checkpoint-shorter" in {a.id for a in advise(seen, None)}) is given


def source(dialect: str, kind: SourceKind = SourceKind.ACCESS_LOG, **details: object) -> Source:
    return Source(1, 1, kind, "file", SourceState.COMPLETE, dialect=dialect, details=dict(details))


def configuration(*dns: str, **attributes: str) -> Configuration:
    values = {name.replace("_", "-"): (value,) for name, value in attributes.items()}
    return Configuration(tuple(ConfigurationEntry(dn, values) for dn in dns))


OPENLDAP = replace(FACTS, product="OpenLDAP", db_library="mdb")
LDBM = "cn=config,cn=ldbm database,cn=plugins,cn=config"


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ({}, Deployment()),
        ({"facts": FACTS}, Deployment("389ds", "bdb", ("linux",))),
        ({"facts": OPENLDAP}, Deployment("openldap", "mdb", ("linux",))),
        ({"facts": replace(FACTS, product="Novell", device=None)}, Deployment("", "bdb")),
        ({"sources": (source("openldap"),)}, Deployment("openldap")),
        ({"sources": (source("opendj-json"),)}, Deployment("opendj")),
        ({"sources": (source("unboundid"),)}, Deployment("unboundid")),
        ({"sources": (source("sun"),)}, Deployment("dsee", "bdb")),
        ({"sources": (source("389"),)}, Deployment("389ds", "", ("linux",))),
        ({"sources": (source("389", version="1.4.3"),)}, Deployment("389ds", "bdb", ("linux",))),
        ({"sources": (source("389", version="2.3.1"),)}, Deployment("389ds", "", ("linux",))),
        # the log is of the window, the facts are of the session
        ({"facts": FACTS, "sources": (source("opendj"),)}, Deployment("opendj", "bdb", ("linux",))),
        # what relatives share counts last
        (
            {"sources": (source("sun"), source("errors389", SourceKind.ERROR_LOG))},
            Deployment("dsee", "bdb"),
        ),
        ({"settings": {"olcThreads": "16"}}, Deployment("openldap")),
        (
            {"settings": {"nsslapd-db-checkpoint-interval": "60"}},
            Deployment("389ds", "bdb", ("linux",)),
        ),
        (
            {"configuration": configuration("olcDatabase={1}mdb,cn=config", olcSuffix="o=x")},
            Deployment("openldap", "mdb"),
        ),
        (
            {"configuration": configuration(LDBM, nsslapd_backend_implement="mdb")},
            Deployment("389ds", "mdb", ("linux",)),
        ),
        (
            {"sources": (source("iostat-solaris", SourceKind.IOSTAT),)},
            Deployment("", "", ("solaris",)),
        ),
    ],
)  # fmt: skip
def test_what_a_window_is_of(shown: dict[str, object], expected: Deployment) -> None:
    seen = view(**({"facts": None} | shown))
    if isinstance(shown.get("configuration"), Configuration):
        lower = {k.lower(): v for e in seen.configuration.entries for k, v in e.attributes.items()}
        entries = [replace(entry, attributes=lower) for entry in seen.configuration.entries]
        seen = replace(seen, configuration=Configuration(tuple(entries)))
    assert seen.server == expected


def test_a_log_of_openldap_gets_the_advice_of_openldap() -> None:
    log = Log()
    for second in range(60):
        log.add("SRCH", second * 10, 6.0, filter="(x=?)", notes="A", nentries=1, client="10.0.0.4")
    seen = findings_in(view(log, seconds=600, facts=None, sources=(source("openldap"),)))
    assert {finding.server.product for finding in seen} == {"openldap"}
    advised = " ".join(str(step) for advice in advise(seen, None) for step in advice.steps)
    assert set(re.findall("olcDbIndex|nsslapd|dsconf", advised)) == {"olcDbIndex"}


def test_a_finding_of_one_product_is_not_made_of_another() -> None:
    assert can_be_of("reverse_lookup", "openldap")
    assert not can_be_of("reverse_lookup", "389ds")
    assert can_be_of("reverse_lookup", ""), "what the configuration says is a finding"
    assert can_be_of("stall", "ibm")


def test_a_step_that_a_server_does_not_have_is_left_out(monkeypatch) -> None:
    steps = ["Ask for less.", {"text": "dsctl healthcheck", "products": ["389ds"]}]
    monkeypatch.setitem(definitions()["polling"], "owner", steps)
    seen = replace(
        EVERY[0],
        id="polling",
        owner_steps=tuple(map(Message, ["Ask for less.", "dsctl healthcheck"])),
    )
    assert len(on_server(seen, Deployment("389ds")).owner_steps) == 2
    for product in ("openldap", ""):
        assert list(map(str, on_server(seen, Deployment(product)).owner_steps)) == ["Ask for less."]


@pytest.mark.parametrize(
    ("name", "product"),
    [
        ("389 Project", "389ds"),
        ("389-Directory", "389ds"),
        ("Red Hat, Inc.", "389ds"),
        ("Sun Microsystems, Inc.", "dsee"),
        ("OpenLDAP", "openldap"),
        ("OpenDJ", "opendj"),
        ("UnboundID in-memory", "unboundid"),
        ("Novell", ""),
        ("unknown", ""),
    ],
)
def test_what_servers_call_themselves(name: str, product: str) -> None:
    assert known_product(replace(FACTS, product=name)) == product


def test_every_rule_says_whose_it_is() -> None:
    assert all(isinstance(rule, Rule) for rule in every_rule())
    of_hosts = {rule.id for rule in every_rule() if not rule.products}
    assert {"read-ahead", "dirty-pages", "host-alone"} <= of_hosts
    assert "index-filter" not in of_hosts
