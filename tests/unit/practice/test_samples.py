"""The recording that comes with the workbench: what it says, and what it must not give away."""

import re

import pytest
import zstandard

from ldap_workbench.practice.samples import samples
from ldap_workbench.resources import resource
from ldap_workbench.session.reader import Session


@pytest.fixture
def copied(tmp_path, monkeypatch):
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path))
    return samples()[0].copy()


def test_it_holds_a_whole_experiment_that_found_the_rehash(copied):
    with Session.open(copied) as session:
        (experiment,) = session.experiments()
        facts = session.facts
        windows = session.windows()
    primary = experiment.verdict.primary
    assert (primary.type, primary.metric, primary.verdict) == ("BIND", "p50", "better")
    assert primary.high < 1
    assert len(windows) == 12
    assert not facts.simulated
    assert "our-own-lab" in facts.profile


def test_the_copy_is_read_only_and_made_once(copied):
    assert copied.stat().st_mode & 0o222 == 0
    written = copied.stat().st_mtime_ns
    assert samples()[0].copy() == copied
    assert copied.stat().st_mtime_ns == written


def test_it_says_that_it_is_a_recording_and_is_small():
    sample = samples()[0]
    assert str(sample.title) == "Sample: 389 DS, password rehash on bind"
    assert "recording of our own lab" in str(sample.about)
    assert resource(f"samples/{sample.file}").stat().st_size < 3_000_000


def test_no_secret_and_no_path_but_the_labs_own(copied):
    with Session.open(copied) as session:
        logs = [session.raw(source.id, 0, 10**8) for source in session.sources()]
    whole = b"\n".join([copied.read_bytes(), *logs])
    assert b"BIND dn=" in whole  # the logs are among it
    assert not re.findall(rb"PRIVATE KEY|\{SSHA512\}|\{PBKDF2|password=|wblab", whole)
    paths = re.findall(rb"(?<![\w.:])/(?:home|root|work|tmp|opt|srv|Users)/[^\s\"',]*", whole)
    assert [path for path in paths if not path.startswith(b"/tmp/ldap-workbench-lab-")] == []


def test_a_damaged_copy_is_written_again(copied):
    whole = copied.read_bytes()
    copied.chmod(0o600)
    copied.write_bytes(whole[:100])
    assert samples()[0].copy().read_bytes() == whole
    packed = resource(f"samples/{samples()[0].file}").read_bytes()
    assert zstandard.decompress(packed) == whole
