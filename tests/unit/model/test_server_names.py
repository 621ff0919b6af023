"""A sentence names a server as its operator does: by its profile, or else by its address."""

import ast
from dataclasses import replace
from pathlib import Path

import ldap_workbench
from ldap_workbench.model.server_identity import known_as
from ldap_workbench.model.target import TargetFacts, distinct_names

APP = Path(ldap_workbench.__file__).parent
ANYWHERE = (".ldap_url", ".server_url", "facts.host")
OF_A_SERVER = (".server", ".host")
"""How an expression ends that is the address of a server, as any word, or as {server}."""
BY_ADDRESS = {
    "campaign/state.py": "whether the URL still leads to the same server is the question",
    "campaign/canary.py": "the profile of before leads to another URL",
    "connect/ldap.py": "no password is sent in the clear to this address",
    "connect/secrets.py": "a password is asked for an account at an address",
    "fleet/excerpts.py": "servers of a fleet have names of their own",
    "fleet/remote.py": "servers of a fleet have names of their own",
    "gui/workbench/state.py": "`running.server` is the profile",
    "replay/endpoint.py": "the URL is of a kind that a replay cannot use",
    "report/model.py": "a report is read by others, who know the host",
    "servers/target.py": "the address that is being reached",
    "tuning/locks.py": "a lock is of an address, whatever profiles lead there",
}
"""Files that name addresses in sentences, and why."""

HERE = TargetFacts("lab", "389-Directory", "2.3.1", "localhost", identity="389ds:11112222333")


def test_a_server_is_called_as_its_profile():
    assert known_as("lab", "ldap://localhost:389") == "lab"
    assert known_as("", "ldap://localhost:389") == "ldap://localhost:389"
    assert HERE.name == "lab"
    assert replace(HERE, profile="").name == "localhost"


def test_two_servers_of_one_sentence_never_have_the_same_name():
    other = replace(HERE, profile="prod")
    assert distinct_names(other, HERE) == ("prod", "lab")
    elsewhere = replace(HERE, host="ldap2.example")
    assert distinct_names(elsewhere, HERE) == ("lab (ldap2.example)", "lab (localhost)")
    rebuilt = replace(HERE, identity="389ds:99998888777")
    assert distinct_names(rebuilt, HERE) == (
        "lab: localhost (389ds:99998888)",
        "lab: localhost (389ds:11112222)",
    )


def addresses_in_sentences(tree: ast.Module) -> list[str]:
    """Parameters of messages and of texts of the window that are the address of a server."""
    makers = ("Message", "count_of")
    addresses: list[str] = []
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        maker = call.func
        makes_text = isinstance(maker, ast.Name) and maker.id in makers
        fills_text = isinstance(maker, ast.Attribute) and maker.attr == "format"
        if makes_text or fills_text:
            for word in call.keywords:
                ends = (*ANYWHERE, *OF_A_SERVER) if word.arg == "server" else ANYWHERE
                value = ast.unparse(word.value)
                addresses += [value] if value.endswith(ends) else []
    return addresses


def test_no_sentence_names_the_address_of_a_server_that_has_a_profile():
    offenders = {}
    for path in sorted(APP.rglob("*.py")):
        where, text = path.relative_to(APP).as_posix(), path.read_text("utf-8")
        if not any(end in text for end in (*ANYWHERE, *OF_A_SERVER)):
            continue
        if addresses := addresses_in_sentences(ast.parse(text)):
            offenders[where] = addresses
    unexplained = {where: offenders[where] for where in offenders if where not in BY_ADDRESS}
    assert not unexplained, "use TargetFacts.name, Change.server_name, known_as or the profile"
    assert BY_ADDRESS.keys() <= offenders.keys(), "no longer needed"
