"""Complaints of administrators of OpenLDAP and OpenDJ: each is named first or second, with what
that product does about it. `python -m tests.live.complaints` prints the table of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.field.scoring import FIRST
from tests.live.complaints import opendj, openldap, trackers
from tests.live.complaints.__main__ import running
from tests.live.complaints.complaint import Complaint, Server, score
from tests.live.lab.host import LOCAL, chosen

pytestmark = [
    pytest.mark.full,
    pytest.mark.clock("the finding has to show up in seconds of real load"),
    pytest.mark.timeout(600),
    pytest.mark.skipif(os.geteuid() != 0, reason="disks, logs and name spaces need root"),
]


@pytest.fixture(scope="module")
def slapd() -> Iterator[Server]:
    if chosen("openldap") != LOCAL:
        pytest.skip("for the slapd of this host")
    with running(openldap.made) as server:
        yield server


@pytest.fixture(scope="module")
def dj() -> Iterator[Server]:
    with running(opendj.made) as server:
        yield server


ON_OPENLDAP = (*openldap.COMPLAINTS, *trackers.ON_OPENLDAP)
# OpenDJ does not log the sort control of a search as it is delivered.
ON_OPENDJ = (*opendj.COMPLAINTS, *(one for one in trackers.ON_OPENDJ if one.name != "sorted_lists"))


@pytest.mark.parametrize("complaint", ON_OPENLDAP, ids=lambda one: one.name)
def test_a_complaint_of_openldap(complaint: Complaint, slapd: Server, tmp_path: Path) -> None:
    is_named(complaint, slapd, tmp_path)


@pytest.mark.parametrize("complaint", ON_OPENDJ, ids=lambda one: one.name)
def test_a_complaint_of_opendj(complaint: Complaint, dj: Server, tmp_path: Path) -> None:
    is_named(complaint, dj, tmp_path)


def is_named(complaint: Complaint, server: Server, folder: Path) -> None:
    """First or second, with its remedy, and in no other product's words."""
    result = score(complaint, server, folder)
    titles = [group.title for group in result.said.groups]
    assert result.verdict == FIRST, titles
    assert (result.accusations, result.foreign) == ((), ())
    if complaint.name != "worker_queue":  # more threads are advised where processors are idle
        assert result.remedy, [one.title for one in result.said.advice]
