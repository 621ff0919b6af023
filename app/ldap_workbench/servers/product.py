"""Which product a server is, and how its data name one of its databases."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ldap_workbench.model.configuration import Configuration
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.window import Source, SourceKind
from ldap_workbench.resources import resource

PRODUCTS = ("389ds", "openldap", "opendj", "unboundid")
"""Those with counters in resources/servers, knobs in resources/knobs and advice of their own."""


@dataclass(frozen=True)
class Signs:
    """What a product is known by; resources/servers/products.toml says what each field is."""

    title: str
    vendors: tuple[str, ...] = ()
    logs: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    series: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    library: str = ""


@dataclass(frozen=True)
class Wording:
    """A word that belongs to some products, or to hosts with some systems; () is any."""

    pattern: re.Pattern[str]
    products: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()


def product_of(facts: TargetFacts | None) -> str:
    """Which files of counters and knobs fit a server; 389 DS where nothing is known."""
    known = known_product(facts)
    return known if known in PRODUCTS else "389ds"


def known_product(facts: TargetFacts | None) -> str:
    """The product a server calls itself; '' where there are no facts or nobody knows the name."""
    name = facts.product.lower() if facts else ""
    for product, signs in products().items():
        if any(re.search(rf"\b{re.escape(vendor)}", name) for vendor in signs.vendors):
            return product
    return ""


def product_of_window(
    facts: TargetFacts | None,
    sources: Sequence[Source] = (),
    configuration: Configuration | None = None,
    settings: Iterable[str] = (),
    series: Iterable[str] = (),
) -> str:
    """The product a window is of, '' where nothing tells.

    By its access log, as a session with the facts of one server may hold the log of another; then
    by the facts; then by configuration, settings, counters and other files, which relatives share.
    """
    dialects = {
        word
        for source in sources
        if source.kind == SourceKind.ACCESS_LOG
        for word in source.dialect.split()
    }
    by_log = (product for product, signs in products().items() if dialects & set(signs.logs))
    if product := next(by_log, "") or known_product(facts):
        return product
    files = {word for source in sources for word in source.dialect.split()}
    names = tuple(name.lower() for name in settings)
    dns = tuple(entry.dn.lower() for entry in configuration.entries) if configuration else ()
    counters = tuple(name.lower() for name in series)
    for product, signs in products().items():
        if (
            files & set(signs.files)
            or any(name.startswith(signs.settings) for name in names)
            or any(dn.startswith(signs.entries) for dn in dns)
            or any(part in name for part in signs.series for name in counters)
        ):
            return product
    return ""


def systems_of(facts: TargetFacts | None, product: str) -> tuple[str, ...]:
    """What the host runs, linux or solaris, by the facts, else as the product has it; () unknown.

    A device under the database is read from the files of Linux.
    """
    kernel = (facts.kernel or "").lower() if facts else ""
    if "sunos" in kernel:
        return ("solaris",)
    if kernel.startswith("linux") or (facts and facts.device):
        return ("linux",)
    return products()[product].systems if product else ()


def fits_product(allowed: Sequence[str], product: str) -> bool:
    """Whether what holds for some products may be said of one; of an unknown one it may not."""
    return not allowed or product in allowed


@cache
def products() -> Mapping[str, Signs]:
    """Every product that is known, by its id."""
    tables = _document()
    return {
        product: Signs(**{key: _tuple(value) for key, value in table.items()})
        for product, table in tables.items()
        if product != "word"
    }


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@cache
def words() -> tuple[Wording, ...]:
    """The words that only some may read."""
    return tuple(
        Wording(
            re.compile(row["pattern"]),
            tuple(row.get("products", ())),
            tuple(row.get("systems", ())),
        )
        for row in _document()["word"]
    )


def in_place(dn: str, backend: str) -> str:
    """A DN of the data with {backend} filled in, and {number} with that in front of its name.

    slapd numbers its databases, {1}mdb, and its monitor shows them by that number.
    """
    numbered = re.match(r"\{(-?\d+)\}", backend)
    dn = dn.replace("{number}", numbered[1] if numbered else "")
    return dn.replace("{backend}", backend)


@cache
def _document() -> dict[str, Any]:
    return tomllib.loads(resource("servers/products.toml").read_text("utf-8"))
