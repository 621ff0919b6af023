"""Units summarised by a Dask cluster: its workers see the same files, and have this version.

Dask hands Python objects around: whoever controls the scheduler can run programs on its workers and
here. It is for a cluster of one's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

from ldap_workbench.fleet.answers import Worker, answer_from, dead, summary_of
from ldap_workbench.fleet.engine import Pool
from ldap_workbench.fleet.summary import Summary
from ldap_workbench.fleet.units import Unit
from ldap_workbench.fleet.worker import answer, request
from ldap_workbench.model.errors import ConnectError, LogError, UsageError
from ldap_workbench.model.message import Message

_PATIENCE_S = 15
CLUSTERS = ("dask://", "dask+tls://")
_SCHEMES = {"dask": "tcp", "dask+tls": "tls"}
"""Keys and certificates of TLS are those of Dask's own configuration."""


class ClusterWorker:
    """A place in the cluster, in use by one thread. `closing` is called once nobody needs it."""

    def __init__(self, client: Any, closing: Callable[[], None] = lambda: None) -> None:
        self._client = client
        self._closing = closing
        self._future: Any = None

    def summarise(self, unit: Unit, parts: Path | None) -> Summary:
        return summary_of(self.ask(request(unit, parts)), unit)

    def ask(self, line: bytes) -> bytes:
        return next(self.answers(line))

    def answers(self, line: bytes) -> Iterator[bytes]:
        """All answers of a request come together, so that the memory of both must hold them."""
        try:
            self._future = self._client.submit(answer, line, pure=False)
            stream = BytesIO(self._future.result())
            while True:
                yield answer_from(stream.readline, stream.read)
        except LogError:
            raise
        except Exception as error:
            # Whatever was raised over there, by our function or by Dask.
            raise dead(f"{type(error).__name__}: {error}"[:500]) from error

    def close(self) -> None:
        if self._future is not None and not self._future.done():
            with suppress(Exception):  # the scheduler is gone: nothing is left to end
                self._future.cancel()
        self._closing()


def cluster_worker(address: str) -> ClusterWorker:
    """A place in a cluster of its own. Raises UsageError, ConnectError."""
    client = _connected(address)
    return ClusterWorker(client, client.close)


@contextmanager
def cluster_pools(address: str, units: Sequence[Unit]) -> Iterator[list[Pool[Unit, Worker]]]:
    """The units for the cluster at 'dask://HOST:PORT'. Raises UsageError, ConnectError."""
    client = _connected(address)
    try:
        places = sum(client.nthreads().values())
        yield [Pool(units, lambda: ClusterWorker(client), places)]
    finally:
        client.close()


def _connected(address: str) -> Any:
    """A client of Dask; of a cluster that has workers."""
    scheme, _, place = address.partition("://")
    try:
        from distributed import Client
    except ImportError as error:
        raise UsageError(
            Message("Dask is not installed here."),
            remedy=Message("Install it: pip install 'ldap-tuning-workbench[dask]'."),
        ) from error
    try:
        client = Client(f"{_SCHEMES[scheme]}://{place}", timeout=_PATIENCE_S, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise _not_reached(address, str(error)) from error
    if not client.nthreads():
        client.close()
        raise _not_reached(address, "it has no workers")
    return client


def _not_reached(address: str, why: str) -> ConnectError:
    return ConnectError(
        Message("{address} cannot be used: {why}", address=address, why=why),
        safe=Message("Nothing was read."),
        remedy=Message("Check that the scheduler and its workers run, then try again."),
    )
