"""The text dialects, one file each: how a line looks, words, keys and units, as data.

The folder is read: a new file is named nowhere. docs/architecture.md says what it takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

from ldap_workbench.logs.access.grammar import Dialect


def _dialects() -> Iterator[Dialect]:
    for module in iter_modules(__path__):
        values = vars(import_module(f"{__name__}.{module.name}")).values()
        yield from (value for value in values if isinstance(value, Dialect))


DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect for dialect in sorted(_dialects(), key=lambda dialect: dialect.name)
}
