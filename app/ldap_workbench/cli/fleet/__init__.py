"""The commands for logs of many servers, in the order of their help."""

from ldap_workbench.cli.fleet import importing, tables, hours  # isort: skip
from ldap_workbench.cli.fleet.group import commands

__all__ = ["commands", "hours", "importing", "tables"]
