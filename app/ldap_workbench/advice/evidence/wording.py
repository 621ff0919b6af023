"""Findings as people read them: titles, sentences, limits from resources/advice/findings/.

One file a family. Its table [family] has the name and the place of the family in the handbook;
every other table is a finding, named by its id, as --json shows it and advice refers to it:

    title       for a card; `sentence` is a message: {name} and {name:kind} as in model/message.py
    seen        when the finding is made, and `evidence`, what it shows, for docs/findings.md: the
                limits are filled in (packaging/findings_page.py)
    says        a message: the text of its evidence, where the code gives no evidence of its own
    texts       further messages by name, as those of other evidence
    parts       parts of the sentence that only some have: `text` where the value `when` is known
                (0 is; false and an empty list are not), else `otherwise`
    severity    1 worth knowing, 2 worth an experiment, 3 likely the cause
    confidence  high, medium or low: how sure it is that this is the reason
    disproof    what would show that it is not
    uncosted    why its cost may not be known: behind 'Cost unknown: '
    instead     for docs/findings.md, where no advice is: what to do
    owner       steps that only the owner of the clients can take; {text, products, systems} where
                only some servers have what it speaks of
    entries     entries of a configuration that make it by themselves: `dn` (an expression), an
                `overlay` or the `path` of a plug-in; `having` an expression for the first value of
                attributes ("" where absent); not where an entry of `unless` is, only where one of
                `beside` is. `names` is the number that lists them, `shown` the attribute whose
                value the words show
    formerly    ids that were merged into it: what names one of them means it
    products    which servers it can be made of, where its words are those of some products
    limits      numbers; their names carry the unit. A healthy server stays below them
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from ldap_workbench.advice.evidence.rows import Rows, evidence_of_rows
from ldap_workbench.model.finding import Deployment, Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message, Value, count_of
from ldap_workbench.model.operations import Operations
from ldap_workbench.model.window import Window
from ldap_workbench.resources import resource
from ldap_workbench.servers.product import fits_product

_PLACE = re.compile(r"\{(\w+)(?::[^{}]*)?\}")


@cache
def families() -> dict[str, dict[str, dict[str, Any]]]:
    """Name of a family -> its findings by id, in the order of the handbook."""
    files = resource("advice/findings").glob("*.toml")
    read = [tomllib.loads(file.read_text("utf-8")) for file in files]
    read.sort(key=lambda document: document["family"]["order"])
    return {document.pop("family")["name"]: document for document in read}


@cache
def definitions() -> dict[str, dict[str, Any]]:
    """Finding id -> title, sentence, severity, limits and the rest of its table."""
    return {which: table for findings in families().values() for which, table in findings.items()}


@cache
def former_ids() -> dict[str, str]:
    """Ids that findings had before -> those they have now."""
    return {
        former: which
        for which, table in definitions().items()
        for former in table.get("formerly", ())
    }


def current_id(which: str) -> str:
    """The id that a finding has now; files and words of before may have another."""
    return former_ids().get(which, which)


def limits(finding: str) -> Mapping[str, float]:
    """The numbers beyond which a finding is made; each is explained where it is written."""
    numbers: Mapping[str, float] = definitions()[finding].get("limits", {})
    return numbers


def search_words(finding: str, name: str) -> tuple[str, ...]:
    """A list of words a finding looks for."""
    return tuple(definitions()[finding][name])


def phrase(which: str, name: str = "", /, **values: Value) -> Message:
    """What the table of a finding `says`, or one of its `texts`, with the values it names."""
    table = definitions()[which]
    return _with_values(table["texts"][name] if name else table["says"], values)


def finding(
    which: str,
    *,
    numbers: dict[str, Any],
    evidence: Iterable[Evidence] | None = None,
    operations: Operations | None = None,
    rows: Rows | None = None,
    window: Window | None = None,
    series: str = "",
    severity: int | None = None,
    confidence: str = "",
    worker_ns: int | None = None,
    user_ns: int | None = None,
    **values: Value,
) -> Finding:
    """The finding `which`, its sentence with these `values` and its numbers.

    Without `evidence` that is what its table `says`: of `rows` of `operations`, the first to be
    listed first, or of the samples `series` and a `window`.
    `worker_ns` and `user_ns` are its cost in this window, as in `Finding`.
    """
    definition = definitions()[which]
    title, disproof = definition["title"], definition["disproof"]
    values = numbers | values
    values |= {name: _part(part, values) for name, part in definition.get("parts", {}).items()}
    if evidence is None:
        text = _with_values(definition["says"], values)
        seen = Evidence(text, series=series)
        if operations is not None and rows is not None:
            seen = evidence_of_rows(operations, text, rows, series=series)
        elif window is not None:
            seen = replace(seen, start_ns=window.start_ns, end_ns=window.end_ns)
        evidence = [seen]
    uncosted = definition.get("uncosted", "")
    known = worker_ns is not None or user_ns is not None
    return Finding(
        id=which,
        title=Message(title),
        sentence=filled(definition["sentence"], values),
        severity=definition["severity"] if severity is None else severity,
        evidence=tuple(evidence),
        numbers=numbers,
        confidence=confidence or definition["confidence"],
        disproof=Message(disproof),
        owner_steps=tuple(Message(step.text) for step in _steps_of_owner(which)),
        worker_ns=worker_ns,
        user_ns=user_ns,
        uncosted=NOTHING if known else Message(uncosted),
    )


def _part(part: Mapping[str, str], values: Mapping[str, Any]) -> Message:
    """A part of a sentence; the space before it is its own."""
    value = values.get(part["when"])
    known = bool(value) or (value == 0 and value is not False)
    template = part["text"] if known else part.get("otherwise", "")
    return _with_values(template, values)


@dataclass(frozen=True)
class Step:
    """What somebody does, and where it can be done; () is anywhere."""

    text: str
    products: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()

    def fits(self, server: Deployment) -> bool:
        """Whether it can be done on a server; what is not known of it is not assumed."""
        system = not self.systems or bool(set(self.systems) & set(server.systems))
        return system and fits_product(self.products, server.product)


def step_of(stored: str | Mapping[str, Any]) -> Step:
    """A step as the resources have it: its text alone, or a table."""
    if isinstance(stored, str):
        return Step(stored)
    return Step(stored["text"], tuple(stored.get("products", ())), tuple(stored.get("systems", ())))


def on_server(seen: Finding, server: Deployment) -> Finding:
    """The finding as made of such a server, without steps that it does not have."""
    foreign = {step.text for step in _steps_of_owner(seen.id) if not step.fits(server)}
    steps = (step for step in seen.owner_steps if step.template not in foreign)
    return replace(seen, server=server, owner_steps=tuple(steps))


def can_be_of(which: str, product: str) -> bool:
    """Whether a finding can be made of a server; of an unknown one all can."""
    whose = definitions().get(which, {}).get("products", ())
    return not product or fits_product(whose, product)


def _steps_of_owner(which: str) -> list[Step]:
    return [step_of(stored) for stored in definitions().get(which, {}).get("owner", ())]


def filled(template: str, values: Mapping[str, Any]) -> Message:
    """The message of a template of resources with those of the values that it names."""
    return _with_values(template.strip(), values)


def _with_values(template: str | Mapping[str, str], values: Mapping[str, Any]) -> Message:
    """The same as it is; where `n` decides about its words it is a table of `one` and `many`."""
    if isinstance(template, str):
        return Message(template, **{name: values[name] for name in names_in(template)})
    one, many = template["one"], template["many"]
    named = names_in(one + many) - {"n"}
    return count_of(one, many, n=values["n"], **{name: values[name] for name in named})


def names_in(template: str) -> set[str]:
    """What stands in the places of a template."""
    return set(_PLACE.findall(template))


def once_or_more(n: int) -> Message:
    """At the start of a sentence."""
    return count_of("Once", "{n} times", n=n)


def times(n: int) -> Message:
    """Within a sentence."""
    return count_of("once", "{n} times", n=n)
