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
    "advice/evidence/missing.py": (
        "chosen by the product whose index is missing",
        "Indexes: {terms:list}. The workbench does not se",
    ),
    "advice/rules/values.py": (
        "a counter-argument of the advice on threads of 389 DS",
        "389 DS 2 takes one per hardware thread, at least",
    ),
    "capture/importing/access_log.py": (
        "the file was recognised as one of slapd",
        "It is a slapd log without loglevel stats, so it ",
    ),
    "capture/live/check.py": (
        "each word beside its product: none is known yet; or slapd's log",
        "Bind as a user who may read it: cn=Directory Man",
        "Check that the server is running, and where it l",
        "The journal has lines of slapd, and can be follo",
        "{path} has lines of slapd, and can be followed.",
    ),
    "capture/scanned.py": (
        "counts that only lines of slapd have",
        "slapd deferred {n} operation: its connection had",
        "slapd deferred {n} operations: their connections",
    ),
    "connect/ldap_url.py": (
        "an example of each form, beside its product",
        "Write ldap://host:389, ldaps://host:636, ldapi:/",
    ),
    "connect/socket_relay.py": (
        "each word beside its product: nobody has answered yet",
        "Check that the server is running, and where it l",
    ),
    "experiment/lag_watch.py": (
        "each word beside its product",
        "Name replicas of one suffix, and bind as one who",
    ),
    "figures/overview/account.py": (
        "the kind of a source, which slapd does not have",
        "error log (warnings of the server)",
    ),
    "figures/operations/index_plan.py": (
        "keys of an index that only these servers log",
        "The index key {key} lists {entries} entries, {ot",
        "slapd says that it has no index for {keys:list}.",
    ),
    "gui/screens/capture/screen.py": (
        "a box that is enabled for 389 DS alone",
        "Log the index keys of each search meanwhile: nss",
    ),
    "gui/screens/connect/questions.py": (
        "the path of a certificate, beside its product",
        "Choose the certificate of the CA that signed it.",
    ),
    "logs/reading/formats.py": (
        "names of formats, and an example of a monitor entry",
        "389 Directory Server JSON error log",
        "389 Directory Server error log",
        "An LDIF entry begins with its dn: line: add it, ",
        "OpenDJ / PingDS HTTP access log",
        "OpenDJ error log",
        "configuration of slapd (slapd.conf)",
        "health check of 389 DS",
        "list of rotated files of 389 DS",
    ),
    "model/remarks.py": (
        "the kind of a line, which slapd does not have",
        "error log line",
    ),
    "model/window.py": (
        "the kind of a source, which slapd does not have",
        "error log",
    ),
    "servers/ds389.py": (
        "389 DS",
        "389 DS {version} writes nothing into its access ",
        "The server ({product}) was asked as 389 DS and n",
    ),
    "servers/openldap.py": (
        "OpenLDAP",
        "slapd logs through syslog: name the file in the ",
    ),
    "tuning/index_budget.py": (
        "chosen by the product",
        "Raise olcDbMaxSize, or choose fewer types of ind",
        "The build may need {need:size}, and olcDbMaxSize",
        "Whether nsslapd-mdb-max-size leaves as much is n",
        "olcDbMaxSize leaves {free:size}.",
    ),
    "tuning/index_builds.py": (
        "slapd or OpenDJ, whose build it is",
        "Wait until it has ended: beside a backup or an e",
        "When slapd has built an index is seen in {dn} al",
        "Where the back end is still disabled, enable it:",
    ),
    "tuning/offline.py": (
        "slapd's indexes, built while it is stopped",
        "Bind as a user who sees entryUUID and entryCSN o",
        "It is not known whether slapd uses {path}.",
        "slapindex builds the indexes while the server is",
        "slapindex built the indexes in {seconds:.1f} s.",
    ),
    "tuning/place.py": (
        "each word beside its product: cn=config cannot be read",
        "Bind as a user who may read cn=config: cn=Direct",
    ),
    "tuning/plan.py": (
        "chosen by the product, or an entry that 389 DS alone has",
        "OpenDJ disables the back end while it builds the",
        "This is not done while the server runs: stop it,",
        "When slapd has built an index is seen in cn=Moni",
        "slapd drops no index from data.mdb: one that is ",
        "slapd stays stopped while slapindex builds its i",
    ),
    "tuning/stopped_host.py": (
        "slapd's indexes, built while it is stopped",
        "Where slapd stays stopped, run slapindex -q -t a",
    ),
    "tuning/undo.py": (
        "an entry that 389 DS alone has",
        "removed; dse.ldif could not be looked at: {why}",
    ),
}
"""Why only a product's administrators are told its words there, and how each such text begins."""
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
    unexplained: dict[str, set[str]] = {}
    unused = {(where, text) for where, (_, *texts) in ONLY.items() for text in texts}
    for file in sorted(ROOT.rglob("*.py")):
        where = file.relative_to(ROOT).as_posix()
        if where.startswith(_BY_PRODUCT):
            continue
        for text in filter(of_products, texts_of(file.read_text("utf-8"))):
            begins = {(where, known) for known in ONLY.get(where, ())[1:] if text.startswith(known)}
            unused -= begins
            if not begins:
                unexplained.setdefault(where, set()).add(text)
    assert unexplained == {}
    assert sorted(unused) == [], "nothing is left to explain there"


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
