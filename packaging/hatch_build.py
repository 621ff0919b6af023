"""Compile the translations before a wheel is made or the checkout is installed."""

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CatalogueHook(BuildHookInterface):
    """Compiles the catalogues into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        runpy.run_path(str(Path(self.root, "packaging", "catalogue.py")))["compile_all"]()
