"""The command line: everything the window does, with --json for machines.

Exit status: 0 done, 1 failed, 2 usage. Long work shows progress on stderr and stops cleanly on
Ctrl-C. No arguments open the window.
"""

import atexit
import errno
import os
import sys

from ldap_workbench import __version__

# What is loaded here is loaded before `process` can catch Ctrl-C: nothing that has to be searched.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

# numpy would start a thread for each processor, for algebra that nobody asks for here.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

COMPLETION = "_LDAP_WORKBENCH_COMPLETE"
"""A shell that completes words sets it, and gives no words."""
INTERRUPTED = 130
"""What a shell makes of a command that SIGINT ended: 128 + 2."""


def main() -> None:
    """Run the command that the words name; without words, the window."""
    # Sessions, their logs, reports, exports: all that is written belongs to its user alone, from
    # the first byte on, whoever writes it: DuckDB and Qt take no mode for a file of their own.
    os.umask(0o077)
    if sys.argv[1:] == ["--version"]:  # asked by scripts: nothing is loaded for it
        sys.stdout.write(f"ldap-workbench {__version__}\n")
        return
    if len(sys.argv) > 1 or COMPLETION in os.environ:
        from ldap_workbench.cli.app import main as run
    else:
        from ldap_workbench.cli.alone import main as run
    run()


def _leave_no_core() -> None:
    """A crash writes no memory to the disk: it holds passwords."""
    if sys.platform == "win32":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))


def nobody_reads(error: OSError) -> bool:
    """Whether what was to be written has no reader any more: `ldap-workbench ... | head`."""
    # Windows has no name for it: the pipe is an invalid argument.
    closed_there = sys.platform == "win32" and error.errno == errno.EINVAL
    return isinstance(error, BrokenPipeError) or closed_there


def process() -> "NoReturn":
    """`main` as a process of its own, which ends without taking apart what it leaves.

    Numpy's and DuckDB's objects, one by one, are a seventh of the time of a short command.
    """
    status: str | int | None = 0
    _leave_no_core()
    try:
        main()
    except SystemExit as end:
        status = end.code
    except KeyboardInterrupt:  # while modules are loaded, or Ctrl-C a second time: nothing to tell
        status = INTERRUPTED
    except OSError as error:
        if not nobody_reads(error):
            raise
        status = 1
    import threading

    if threading.active_count() > 1 or isinstance(status, str):
        sys.exit(status)  # somebody is at work still, or has something to say
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        status = 1
    os._exit(status or 0)


__all__ = ["main", "nobody_reads", "process"]
