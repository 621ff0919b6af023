"""How a command ends that did not go well: in words and with a status, never in a stack of lines.

An error of ours becomes its three sentences. One that nobody expected becomes one line and a crash
report; whatever was under way has put the server back on the way up here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from ldap_workbench.model.errors import UsageError

DONE, FAILED, USAGE = 0, 1, 2


def ended(run: Callable[[], int]) -> int:
    """The exit status of `run`, also where it raised, or a thread of it did."""
    stumbled: list[BaseException] = []

    def in_a_thread(met: threading.ExceptHookArgs) -> None:
        if isinstance(met.exc_value, Exception):
            stumbled.append(met.exc_value)
            report(met.exc_value)

    before, threading.excepthook = threading.excepthook, in_a_thread
    try:
        status = _status_of(run)
    finally:
        threading.excepthook = before
    return status or (FAILED if stumbled else DONE)


def _status_of(run: Callable[[], int]) -> int:
    try:
        return run()
    except Exception as error:  # noqa: BLE001 - whatever it is, it ends in words
        report(error)
        return USAGE if isinstance(error, UsageError) else FAILED


def report(error: Exception) -> None:
    """An error of ours as its sentences, any other as one line that names its report."""
    from ldap_workbench.cli.console import complain, fail  # Rich is loaded only for this
    from ldap_workbench.connect.crashes import in_our_words

    explained = in_our_words(error)
    if explained is error:
        fail(explained)
    else:
        complain(str(explained))
