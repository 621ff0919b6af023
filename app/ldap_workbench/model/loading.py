"""What a package hands on, loaded when it is asked for: a short command does not wait for the rest.

Type checkers and the one-dir build read the same names from the package's imports for types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def on_demand(modules: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose names are in these modules: {name: module}."""

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(name)
        return getattr(import_module(modules[name]), name)

    return find
