"""A window with statistics of index reads in the access log, taken back at its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.progress import OnProgress
from ldap_workbench.tuning.tuner import Tuner

STATISTICS = Treatment((Setting("nsslapd-statlog-level", "1"),))


def statistics_logged(tuner: Tuner, progress: OnProgress) -> AbstractContextManager[None]:
    """While this is open the server logs the index keys of each search (389 DS).

    The change goes through the journal and is put back whatever ends the window; nothing is changed
    where the server logs them already. Raises as Tuner.apply and Tuner.put_back.
    """
    if tuner.read(STATISTICS.settings[0].knob).value == STATISTICS.settings[0].value:
        return nullcontext()
    return _logged(tuner, progress)


@contextmanager
def _logged(tuner: Tuner, progress: OnProgress) -> Iterator[None]:
    tuner.apply(STATISTICS, progress=progress)
    try:
        yield
    finally:
        # It refuses to begin with a change that is open: what is put back is its own.
        tuner.put_back(progress)
