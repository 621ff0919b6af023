"""Which product a server is, and how its data name one of its databases."""

from __future__ import annotations

import re

from ldap_workbench.model.target import TargetFacts

PRODUCTS = ("389ds", "openldap", "opendj", "unboundid")
"""Those with counters in resources/servers, knobs in resources/knobs and advice of their own."""


def product_of(facts: TargetFacts | None) -> str:
    """Which files of counters, knobs and advice fit a server; 389 DS where nothing is known."""
    name = facts.product.lower() if facts else ""
    if name == "slapd":
        return "openldap"
    return next((product for product in PRODUCTS if product in name), "389ds")


def in_place(dn: str, backend: str) -> str:
    """A DN of the data with {backend} filled in, and {number} with that in front of its name.

    slapd numbers its databases, {1}mdb, and its monitor shows them by that number.
    """
    numbered = re.match(r"\{(-?\d+)\}", backend)
    dn = dn.replace("{number}", numbered[1] if numbered else "")
    return dn.replace("{backend}", backend)
