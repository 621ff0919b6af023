"""The command line: everything the window does, with --json for machines.

Exit status: 0 done, 1 failed, 2 usage. Long work shows progress on stderr and stops cleanly on
Ctrl-C. No arguments open the window.
"""

from ldap_workbench.cli.app import main

__all__ = ["main"]
