"""The network's share of what a user waits: one search, asked from here and on the host in turn.

The same program asks both times, so that what a client costs is in both and cancels. It asks for
the root DSE, which every server answers at once: what remains is the way there and back.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldap_workbench.connect.commands import shown
from ldap_workbench.connect.ldap_url import LdapUrl, parse_ldap_url
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.inference.significance.signflip import flips, interval
from ldap_workbench.model.errors import CommandError, ConnectError, UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress

PAIRS = 20
SEARCHES = 20
"""Searches of one turn; their median is one value."""
_LEAST_PAIRS = 6
"""Fewer can reject nothing at 5 %."""
_PYTHON = ("python3", "/usr/libexec/platform-python")
_NOT_FOUND = (126, 127)
# Runs on the host with the Python it has (3.6 and later), and here. It sends anonymous searches for
# the root DSE with no attributes, over one connection, and prints the ns of each answer. TLS is not
# verified: nothing secret is sent, and on the host the name is not the certificate's.
SCRIPT = """
import json, socket, ssl, sys, time

def part(tag, body):
    return bytes([tag, len(body)]) + body

def request(number):
    search = (part(4, b"") + part(10, b"\\0") + part(10, b"\\0") + part(2, b"\\0")
        + part(2, b"\\0") + part(1, b"\\0") + part(0x87, b"objectClass")
        + part(0x30, part(4, b"1.1")))
    return part(0x30, part(2, bytes([number])) + part(0x63, search))

def exactly(link, size):
    data = b""
    while len(data) < size:
        got = link.recv(size - len(data))
        if not got:
            raise OSError("the server closed the connection")
        data += got
    return data

def message(link):
    size = exactly(link, 2)[1]
    if size & 0x80:
        size = int.from_bytes(exactly(link, min(size & 0x7f, 4)), "big")
    if size > 1 << 20:
        raise OSError("an answer of %d bytes" % size)
    return exactly(link, size)

def answered(link, number):
    link.sendall(request(number))
    while message(link)[3] != 0x65:
        pass

def probe(addresses, port, tls, searches):
    link = None
    for address in addresses:
        try:
            link = socket.create_connection((address, port), 10)
            break
        except OSError as error:
            why = error
    if link is None:
        raise why
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if tls:
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        link = context.wrap_socket(link)
    found = []
    for number in range(1, searches + 4):
        before = time.perf_counter()
        answered(link, number)
        found.append(int((time.perf_counter() - before) * 1e9))
    link.close()
    return found[3:]

if __name__ == "__main__":
    addresses, port, tls, searches = sys.argv[1:]
    print(json.dumps(probe(addresses.split(","), int(port), tls == "tls", int(searches))))
"""


@dataclass(frozen=True)
class NetworkShare:
    """What one answer takes from here and on the host, ns, and the part that is the network's.

    `share` is 1 - host / network of the typical pair, with its 95 % interval from the random order
    of the pairs; below 0 where the host is the slower way.
    """

    network_ns: int
    host_ns: int
    share: float
    low: float
    high: float
    pairs: int

    def sentence(self) -> Message:
        return Message(
            "An answer takes {network:duration} from here and {host:duration} on the host: the "
            "network's share is {share:percent} ({low:percent} to {high:percent}, {pairs} pairs).",
            network=self.network_ns,
            host=self.host_ns,
            share=self.share,
            low=self.low,
            high=self.high,
            pairs=self.pairs,
        )


def measure_network_share(
    profile: Profile,
    shell: RemoteShell,
    *,
    pairs: int = PAIRS,
    seed: int = 1,
    progress: OnProgress = no_progress,
    cancel: Cancel | None = None,
) -> NetworkShare:
    """Ask in turn, each pair in an order a coin decides. Nothing is changed on the server.

    Raises UsageError for a socket or too few pairs, ConnectError where the server does not answer,
    CommandError where the host has no Python or does not reach its own server, CancelledError.
    """
    url = parse_ldap_url(profile.ldap_url)
    if url.socket or pairs < _LEAST_PAIRS:
        raise UsageError(
            Message("Over a socket there is no network to measure.")
            if url.socket
            else Message("It takes at least {least} pairs to show anything.", least=_LEAST_PAIRS),
            remedy=Message("Use a profile with ldap:// or ldaps://, and 6 pairs or more."),
        )
    coin = random.Random(seed)  # noqa: S311 - an order, no secret
    order = tuple(coin.choice((1, -1)) for _ in range(pairs))
    asked: list[tuple[int, int]] = []
    for number, first in enumerate(order):
        (Cancel() if cancel is None else cancel).check()
        progress(Progress(Message("Searching from here and on the host"), number / pairs))
        if first > 0:
            network = _from_here(url)
            asked.append((network, _on_host(shell, url)))
        else:
            host = _on_host(shell, url)
            asked.append((_from_here(url), host))
    return _judged(asked, order, seed)


def _judged(asked: Sequence[tuple[int, int]], order: tuple[int, ...], seed: int) -> NetworkShare:
    network, host = np.array(asked, dtype=np.float64).T
    ratios = np.log(host) - np.log(network)
    bounds = interval(ratios, flips(len(ratios), seed, order))
    assert bounds is not None, "there are enough pairs"
    low, high = bounds
    return NetworkShare(
        network_ns=int(np.median(network)),
        host_ns=int(np.median(host)),
        share=1 - float(np.exp(ratios.mean())),
        low=1 - float(np.exp(high)),
        high=1 - float(np.exp(low)),
        pairs=len(ratios),
    )


def _from_here(url: LdapUrl) -> int:
    program: dict[str, Any] = {"__name__": "probe"}
    exec(SCRIPT, program)  # noqa: S102 - our own text, the same that runs on the host
    try:
        return _median(program["probe"]([url.host], url.port, url.scheme == "ldaps", SEARCHES))
    except (OSError, IndexError) as error:
        raise ConnectError(
            Message("{host} does not answer a search: {why}.", host=url.host, why=str(error)),
            safe=Message("Nothing was changed."),
            remedy=Message("Test the profile; the root DSE must be open to all."),
        ) from error


def _on_host(shell: RemoteShell, url: LdapUrl) -> int:
    """As itself first: a server may listen on its own address alone."""
    addresses = "127.0.0.1,::1," + url.host
    words = (addresses, str(url.port), "tls" if url.scheme == "ldaps" else "plain", str(SEARCHES))
    for python in _PYTHON:
        result = shell.run([python, "-c", SCRIPT, *words], timeout=60.0)
        if result.status not in _NOT_FOUND:
            break
    try:
        if result.status == 0:
            return _median(json.loads(result.stdout))
    except (ValueError, TypeError):
        pass
    said = shown(result.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2])
    raise CommandError(
        Message("The search could not be asked on the host: {said}.", said=said or "no answer"),
        status=result.status,
        stderr=said,
        safe=Message("Nothing was changed."),
        remedy=Message(
            "The host needs Python 3, and must reach the server on port {port:plain}.",
            port=url.port,
        ),
    )


def _median(times: Sequence[int]) -> int:
    integers = [int(time) for time in times]
    if len(integers) != SEARCHES or min(integers) <= 0:
        raise ValueError("not the times that were asked for")
    return int(np.median(integers))
