"""Several practice directories side by side, as the replicas of a canary."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.ssh import accept_fingerprint
from ldap_workbench.practice.process import Practice


@contextmanager
def practice_replicas(count: int, scenario: str, speed: float) -> Iterator[list[Practice]]:
    """Profiles ds1, ds2, ... of this user, each a server of its own; gone afterwards."""
    with ExitStack() as stack:
        servers = []
        for number in range(1, count + 1):
            server = stack.enter_context(Practice.start(scenario, speed, seed=number))
            os.environ.update(server.environment)
            assert server.profile.ssh is not None
            accept_fingerprint(server.profile.ssh, server.fingerprint)
            ProfileStore().add(replace(server.profile, name=f"ds{number}"))
            stack.callback(ProfileStore().remove, f"ds{number}")
            servers.append(server)
        yield servers
