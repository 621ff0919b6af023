"""A captured window is sent again to a real server: the same requests, answers and connections."""

from __future__ import annotations

import json
import re
import threading
import time
from dataclasses import replace

import ldap3
import pytest

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.experiment.load import Load, replay_endpoint
from ldap_workbench.model.errors import UsageError
from ldap_workbench.replay.build import build
from ldap_workbench.replay.script import packed_script
from ldap_workbench.session.reader import Session
from tests.live.lab.slapd import ROOT_DN
from tests.live.lab.steps import capture_while, configured, until, workbench
from tests.live.lab.users import SUFFIX

CLIENTS, SEARCHES, PAGE = 4, 40, 4


@pytest.fixture
def captured(lab, target, tmp_path):
    """The replay of a window in which four anonymous clients ask, think a little and ask again."""
    ready, begun = threading.Barrier(CLIENTS + 1, timeout=60), threading.Event()

    def client(number):
        server = ldap3.Server("127.0.0.1", lab.port, get_info=ldap3.NONE)
        with ldap3.Connection(
            server, user=ROOT_DN, password=lab.slapd.password, auto_bind=True
        ) as link:
            ready.wait()
            assert begun.wait(60), "the window did not begin"
            if number == 0:
                pages = link.extend.standard.paged_search(
                    SUFFIX, "(uid=user00000*)", attributes=["uid"], paged_size=PAGE, generator=False
                )
                assert len(pages) > 2 * PAGE
            for count in range(SEARCHES):
                link.search(SUFFIX, f"(uid=user{10 * number + count:06d})", attributes=["cn"])
                time.sleep(0.02)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()

    def ask():
        begun.set()
        for thread in threads:
            thread.join()

    # The window ends quiet, and would wait for a buffered log.
    with configured(target, nsslapd_accesslog_logbuffering="off"):
        ready.wait()
        capture_while(ask, target, tmp_path / "s.ldapwb", 2)
    with Session.open(tmp_path / "s.ldapwb") as session:
        (window,) = session.windows()
        script = build(session, window)
    (tmp_path / "w.ldapreplay").write_bytes(packed_script(script))
    return script


def test_the_same_requests_get_the_same_answers(captured, lab, target, tmp_path):
    assert len(captured.conversations) == CLIENTS
    pages = [each for one in captured.conversations for each in one.requests if each.page]
    assert [each.page for each in pages] == [PAGE] * len(pages)
    assert [each.nentries for each in pages[:2]] == [PAGE, PAGE]
    assert len({each.search for each in pages}) == 1
    assert "SRCH, one page of several" not in captured.skipped
    assert 0 < captured.requests <= CLIENTS * (SEARCHES + 1) + len(pages)
    ProfileStore().add(lab.profile)
    run = ("replay", "run", str(tmp_path / "w.ldapreplay"), "--target", lab.profile.name)
    refused = workbench(*run)
    assert refused.returncode == 2
    assert "captured from this server" in refused.stderr
    done = workbench(*run, "--this-is-production", "--processes", "2", "--json")
    assert done.stdout, done.stderr
    said = json.loads(done.stdout)
    assert said["sent"] == said["answered"] == said["planned"] == captured.requests
    assert said["agreement"] == 1.0, said
    assert said["codes"] == {"0": captured.requests}
    # How late this machine was is its own affair, and the exit status says so.
    assert done.returncode == (1 if said["late_share"] > 0.01 else 0), done.stderr


@pytest.mark.parametrize("way", ["ldaps", "StartTLS"])
def test_it_goes_over_tls_as_the_profile_says(captured, lab, target, tmp_path, way):
    safe = replace(lab.profile, ca_file=str(lab.ca_file), starttls=way == "StartTLS")
    if way == "ldaps":
        safe = replace(safe, ldap_url=lab.secure_url)
    ProfileStore().add(safe)
    run = ("replay", "run", str(tmp_path / "w.ldapreplay"), "--target", safe.name)
    with configured(target, nsslapd_accesslog_logbuffering="off"):
        said = json.loads(workbench(*run, "--this-is-production", "--json").stdout)
    assert said["agreement"] == 1.0, said
    assert said["answered"] == captured.requests
    [connecting] = [each for each in said["tails"] if each["type"] == "CONNECT"]
    assert connecting["n"] == CLIENTS
    encrypted = re.findall(r"conn=(\d+) TLS1\.\d", lab.access_log.read_text())
    assert len({*encrypted}) >= CLIENTS
    ProfileStore().add(replace(safe, ca_file=None))
    refused = workbench(*run, "--this-is-production", "--json")
    assert refused.returncode == 1
    assert "certificate" in refused.stderr


def test_it_is_the_load_of_a_window(captured, target, tmp_path):
    load = f"replay:{tmp_path / 'w.ldapreplay'}"
    with pytest.raises(UsageError, match="captured from this server"):
        replay_endpoint(load, target)
    allowed = f"{load} --speed 2 --this-is-production"
    before = _operations(target)
    with Load(allowed, 60, endpoint=replay_endpoint(allowed, target)) as running:
        until(lambda: _operations(target) >= before + captured.requests // 2)
        process = running._group.process
    assert process.poll() is not None  # it ended with its context


def _operations(target):
    (monitor,) = target.directory.search("cn=monitor", attributes=["opscompleted"])
    return int(monitor.first("opscompleted"))
