"""The command line: everything the window does, with --json for machines.

Exit status: 0 done, 1 failed, 2 usage. Long work shows progress on stderr and stops cleanly on
Ctrl-C. No arguments open the window.
"""

import os
import sys

# numpy would start a thread for each processor, for algebra that nobody asks for here.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def main() -> None:
    """Run the command that the words name; without words, the window."""
    if len(sys.argv) > 1:
        from ldap_workbench.cli.app import main as run
    else:
        from ldap_workbench.cli.alone import main as run
    run()


__all__ = ["main"]
