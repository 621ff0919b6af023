"""What is said outside findings and advice is in no other product's words, either.

Findings and advice are held to it by advice/test_products.py. Here: knobs, as they are listed for a
product, and every message and text of the window in the code of the program.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import ldap_workbench
from ldap_workbench.resources import resource
from ldap_workbench.servers.product import words
from tests.unit.advice.test_every_finding import calls_of
from tests.unit.advice.test_products import foreign

ROOT = Path(ldap_workbench.__file__).parent
CATALOGUES = {
    "389ds": ("389ds",),
    "openldap": ("openldap",),
    "opendj": ("opendj",),
    "host-linux": (),
}

ONLY = {
    "advice/evidence/missing.py": "chosen by the product whose index is missing",
    "advice/rules/values.py": "a counter-argument of the advice on threads of 389 DS",
    "capture/importing/access_log.py": "the file was recognised as one of slapd",
    "capture/live/check.py": "each word beside its product: none is known yet; or slapd's log",
    "capture/scanned.py": "counts that only lines of slapd have",
    "connect/ldap_url.py": "an example of each form, beside its product",
    "connect/socket_relay.py": "each word beside its product: nobody has answered yet",
    "experiment/lag_watch.py": "each word beside its product",
    "figures/overview/account.py": "the kind of a source, which slapd does not have",
    "figures/operations/index_plan.py": "keys of an index that only these servers log",
    "gui/screens/capture/screen.py": "a box that is enabled for 389 DS alone",
    "gui/screens/connect/questions.py": "the path of a certificate, beside its product",
    "logs/reading/formats.py": "names of formats, and an example of a monitor entry",
    "model/remarks.py": "the kind of a line, which slapd does not have",
    "model/window.py": "the kind of a source, which slapd does not have",
    "servers/ds389.py": "389 DS",
    "servers/openldap.py": "OpenLDAP",
    "tuning/index_budget.py": "chosen by the product",
    "tuning/index_builds.py": "slapd or OpenDJ, whose build it is",
    "tuning/offline.py": "slapd's indexes, built while it is stopped",
    "tuning/place.py": "each word beside its product: cn=config cannot be read",
    "tuning/plan.py": "chosen by the product, or an entry that 389 DS alone has",
    "tuning/stopped_host.py": "slapd's indexes, built while it is stopped",
    "tuning/undo.py": "an entry that 389 DS alone has",
}
"""Modules that may use a product's words, and why only its administrators are told them."""
_DIALECTS = "logs/access/dialects/"
"""Each names its own products."""
_BY_PRODUCT = ("advice/families/", "practice/", _DIALECTS)
"""Rooms whose texts other tests hold to it, and a directory that plays 389 DS."""


def texts_of(source: str) -> Iterator[str]:
    """Templates of messages, and texts of widgets."""
    tree = ast.parse(source)
    calls = [*calls_of("Message", tree), *calls_of("count_of", tree)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            calls += [node] if node.func.attr == "tr" else []
    for call in calls:
        for argument in call.args:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield argument.value


def of_products(text: str) -> list[str]:
    """Words that not every product's administrators may be given."""
    found = (match[0] for word in words() if word.products for match in word.pattern.finditer(text))
    return list(found)


def test_messages_of_the_program_name_no_product_of_their_own_accord() -> None:
    named: dict[str, set[str]] = {}
    for file in sorted(ROOT.rglob("*.py")):
        where = file.relative_to(ROOT).as_posix()
        if not where.startswith(_BY_PRODUCT):
            for text in texts_of(file.read_text("utf-8")):
                if of_products(text):
                    named.setdefault(where, set()).add(text)
    assert {where: texts for where, texts in named.items() if where not in ONLY} == {}
    assert sorted(ONLY.keys() - named.keys()) == [], "nothing is left to explain there"


def test_a_message_with_a_products_word_is_seen() -> None:
    text = 'raise E(Message("Turn it on (nsslapd-security)."), self.tr("see the error log"))'
    assert [of_products(said) for said in texts_of(text)] == [["nsslapd-"], ["error log"]]


def of_knobs(catalogue: str) -> Iterator[tuple[str, str]]:
    """Each text of a knob that is shown, but its source, which names what was read."""
    listed = tomllib.loads(resource(f"knobs/{catalogue}.toml").read_text("utf-8"))
    for knob in listed.get("knob", ()):
        for field, value in knob.items():
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str) and field not in ("source", "name"):
                    yield f"{knob['name']}.{field}", text


@pytest.mark.parametrize("catalogue", CATALOGUES)
def test_knobs_are_described_in_the_words_of_their_product(catalogue: str) -> None:
    texts = list(of_knobs(catalogue))
    assert texts
    wrong = {
        where: bad
        for where, text in texts
        if (bad := foreign(text, CATALOGUES[catalogue], ("linux",)))
    }
    assert wrong == {}
    assert not any(re.search("DSMOLE", text) for _, text in texts)
