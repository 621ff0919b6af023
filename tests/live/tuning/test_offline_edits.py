"""What 389 DS refuses while it runs, set in its dse.ldif: proved, put back, also after kill -9."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import ldap3
import pytest

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.connect.ssh import open_shell
from ldap_workbench.experiment.guards import P99_NS, BuildLimits
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import ChangeError, ConflictError, ConnectError
from ldap_workbench.model.knob import Knob, Setting
from ldap_workbench.model.progress import Cancel, no_progress
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.offline import LeftEditedError
from ldap_workbench.tuning.revive import interrupted, revive
from ldap_workbench.tuning.tuner import Tuner
from tests.live.conftest import Tried
from tests.live.lab.ds389 import Lab
from tests.live.lab.steps import first_start_fails
from tests.live.lab.walks import OFFLINE, WITHOUT_REGIONS, another_value

pytestmark = pytest.mark.shows("offline edits")
VOLATILE = re.compile(
    r"^(modifyTimestamp|modifiersName|createTimestamp|numSubordinates|nsState):.*\n", re.M
)
TRICKLE = "nsslapd-db-trickle-percentage"
HOME, LOG_FOLDER = "nsslapd-db-home-directory", "nsslapd-db-logdirectory"
PERSON = "uid=user000007,ou=people,dc=example,dc=com"
_TOGETHER = [knob for knob in OFFLINE if knob.name != WITHOUT_REGIONS]
WALKS = [_TOGETHER[begin : begin + 5] for begin in range(0, len(_TOGETHER), 5)]
"""Five in one stop: where a server does not start, one sees with which."""


@pytest.fixture(scope="module")
def own_lab() -> Iterator[Lab]:
    with Lab().start(users=100) as lab:
        lab.restart()  # the first start completes dse.ldif
        yield lab


@pytest.fixture
def target(own_lab: Lab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Target]:
    for name, value in own_lab.environment.items():
        monkeypatch.setenv(name, value)
    own_lab.trust(tmp_path / "home")
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    target = connect(own_lab.profile, Secrets())
    yield target
    target.close()


@pytest.fixture
def tuner(tuner: Tuner) -> Tuner:
    """One that may stop the server."""
    tuner.may_stop = True
    return tuner


@pytest.fixture
def file(own_lab: Lab) -> Iterator[Path]:
    """The dse.ldif; the test must leave it with the same lines, and no copies beside it."""
    path = own_lab.slapd.config / "dse.ldif"
    before, beside = lines(path), {p.name for p in path.parent.iterdir()}
    yield path
    assert lines(path) == before
    assert {p.name for p in path.parent.iterdir()} <= beside | {"dse.ldif.tmp"}


def lines(path: Path) -> list[str]:
    """Unfolded, in an order of ours (the server has its own), without the times it notes."""
    text = path.read_text().replace("\n ", "")
    return sorted(line for line in VOLATILE.sub("", text).splitlines() if line)


def test_two_offline_knobs_in_one_stop(tuner: Tuner, target: Target, file: Path) -> None:
    settings = ["db-durable-transaction=off", "db-trickle-percentage=20", "lookthroughlimit=20000"]
    treatment = tuner.catalogue.treatment(settings, target.facts)
    told: list[str] = []
    applied = tuner.apply(treatment, progress=lambda report: told.append(str(report.text)))
    assert sum(text.startswith("Stopping") for text in told) == 1
    assert all(proof.stored for proof in applied.proofs)
    assert tuner.read("db-durable-transaction").value == "off"
    assert tuner.read(TRICKLE).value == "20"
    assert list(file.parent.glob("dse.ldif.before-*"))
    tuner.revert(applied.group)
    assert tuner.read("db-durable-transaction").value == "on"
    assert tuner.read(TRICKLE).value is None, "put back to absent, not to a default"
    assert {each.state for each in tuner.journal.changes()} == {ChangeState.REVERTED}


@pytest.mark.full  # two of them are in every run, above
@pytest.mark.parametrize("knobs", WALKS, ids=lambda knobs: knobs[0].name)
def test_every_offline_knob(
    tuner: Tuner, target: Target, own_lab: Lab, file: Path, tried: Tried, knobs: list[Knob]
) -> None:
    """Several in one stop, read back and put back; region files lie where they were sent."""
    regions = own_lab.slapd.folder / "regions"
    regions.mkdir(mode=0o770, exist_ok=True)
    if own_lab.has_sudo:
        own_lab.host.run("chown", f"{own_lab.slapd.user}:", str(regions))
    here = {knob.name: knob for knob in tuner.catalogue.knobs}
    offered = [here[knob.name] for knob in knobs if knob.name in here]
    if not offered:
        pytest.skip("this version, or its database, has none of them")
    before = {knob.name: tuner.read(knob.name).value for knob in offered}
    values = {
        k.name: str(regions) if k.name == HOME else another_value(k, before[k.name])
        for k in offered
    }
    wanted = [Setting(name, value) for name, value in values.items()]
    applied = tuner.apply(tuner.catalogue.treatment(wanted, target.facts))
    assert all(proof.stored for proof in applied.proofs)
    assert {knob.name: tuner.read(knob.name).value for knob in offered} == values
    for knob, proof in zip(offered, applied.proofs, strict=True):
        tried(knob, proof)
    if HOME in values:
        assert list(regions.glob("__db.*")), "Berkeley DB did not open its regions there"
    tuner.revert(applied.group)
    assert {knob.name: tuner.read(knob.name).value for knob in offered} == before


@pytest.mark.full
def test_an_environment_in_private_memory(
    tuner: Tuner, target: Target, file: Path, tried: Tried
) -> None:
    """By itself: it has no region files, which show that the directory for them works."""
    applied = tuner.apply(tuner.catalogue.treatment([f"{WITHOUT_REGIONS}=on"], target.facts))
    assert tuner.read(WITHOUT_REGIONS).value == "on"
    tuner.revert(applied.group)
    assert tuner.read(WITHOUT_REGIONS).value is None
    tried(tuner.catalogue.knob(WITHOUT_REGIONS), applied.proofs[0])


def test_not_without_the_operators_word(tuner: Tuner, target: Target, file: Path) -> None:
    treatment = tuner.catalogue.treatment(["db-trickle-percentage=20"], target.facts)
    applied = tuner.apply(treatment)
    tuner.may_stop = False
    with pytest.raises(ChangeError, match="must be stopped"):
        tuner.revert(applied.group)
    assert tuner.journal.open_changes(tuner.server)
    tuner.may_stop = True
    tuner.revert(applied.group)


def test_a_folder_that_is_not_there_is_refused_before_the_stop(
    tuner: Tuner, target: Target, own_lab: Lab, file: Path
) -> None:
    pid = own_lab.slapd.pid
    treatment = tuner.catalogue.treatment(["db-home-directory=/dev/shm/absent"], target.facts)
    with pytest.raises(ChangeError, match="/dev/shm/absent"):
        tuner.apply(treatment)
    assert own_lab.slapd.pid == pid


def test_a_file_the_server_does_not_start_with_is_put_back(
    tuner: Tuner, target: Target, own_lab: Lab, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first_start_fails(target, monkeypatch)
    treatment = tuner.catalogue.treatment(["db-durable-transaction=off"], target.facts)
    with pytest.raises(ChangeError, match="failed on ssh") as caught:
        tuner.apply(treatment)
    assert "put back" in str(caught.value.safe)
    assert tuner.read("db-durable-transaction").value == "on"
    assert tuner.journal.open_changes(tuner.server) == []
    for copy in file.parent.glob("dse.ldif.before-*"):
        copy.unlink()


def test_a_latency_limit_pauses_while_the_server_is_stopped(
    tuner: Tuner, target: Target, file: Path
) -> None:
    limits = BuildLimits(target, {P99_NS: 30e9}, no_progress, Cancel())
    treatment = tuner.catalogue.treatment(["db-trickle-percentage=20"], target.facts)
    applied = tuner.apply(treatment, progress=limits)
    assert tuner.read(TRICKLE).value == "20"
    tuner.revert(applied.group)


@pytest.mark.parametrize("doing", ["apply", "revert"])
@pytest.mark.parametrize("after", ["stop", "put"])
def test_an_ssh_link_that_dies_while_the_server_is_stopped(
    tuner: Tuner,
    target: Target,
    own_lab: Lab,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    doing: str,
    after: str,
) -> None:
    """The undo goes over a new one, while LDAP is down, and starts the server at once."""
    treatment = tuner.catalogue.treatment(["db-trickle-percentage=20"], target.facts)
    applied = tuner.apply(treatment) if doing == "revert" else None
    shell = target.shell
    assert shell is not None
    run, cut = shell.run, []

    def run_and_die(argv: Sequence[str], **options: Any) -> CommandResult:
        result = run(argv, **options)
        if after in argv and not cut:
            cut.append(argv)
            own_lab.sshd.drop_newest_link()
        return result

    monkeypatch.setattr(shell, "run", run_and_die)
    begun = time.monotonic()
    with pytest.raises(ConnectError) as caught:
        tuner.revert(applied.group) if applied else tuner.apply(treatment)
    took = time.monotonic() - begun
    assert cut
    assert target.shell is not shell, "another one was opened"
    assert "the server" in str(caught.value.safe), caught.value
    assert took < 60, "not after the patience for a server that does not answer"
    assert own_lab.slapd.pid
    if applied:
        assert tuner.read(TRICKLE).value == "20"
        tuner.revert(applied.group)
    assert tuner.read(TRICKLE).value is None
    assert tuner.journal.open_changes(tuner.server) == []


def test_a_restore_that_fails_stays_open_and_is_reverted(
    tuner: Tuner, target: Target, own_lab: Lab, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host fails amid the undo of a server that did not start: the copy cannot be read."""
    assert target.shell is not None
    run, starts = target.shell.run, []

    def failing(argv: Sequence[str], **options: Any) -> CommandResult:
        if argv[-1] == "start" and not starts:
            starts.append(argv)
            return run(["false"], **options)
        if "restore" in argv:
            return run(["false"], **options)
        return run(argv, **options)

    monkeypatch.setattr(target.shell, "run", failing)
    treatment = tuner.catalogue.treatment(["db-trickle-percentage=20"], target.facts)
    with pytest.raises(LeftEditedError, match="could not be restored"):
        tuner.apply(treatment)
    monkeypatch.setattr(target.shell, "run", run)
    assert own_lab.slapd.pid
    assert tuner.read(TRICKLE).value == "20", "it was started with what could not be undone"
    [change] = tuner.journal.open_changes(tuner.server)
    tuner.revert(change.group)
    assert tuner.read(TRICKLE).value is None


def test_somebody_elses_value_is_not_overwritten(
    tuner: Tuner, target: Target, own_lab: Lab, file: Path
) -> None:
    applied = tuner.apply(tuner.catalogue.treatment(["db-trickle-percentage=20"], target.facts))
    own_lab.stop_server()
    file.write_text(file.read_text().replace(f"{TRICKLE}: 20", f"{TRICKLE}: 30"))
    own_lab.start_server()
    target.reconnect()
    with pytest.raises(ConflictError):
        tuner.revert(applied.group)
    assert tuner.read(TRICKLE).value == "30"
    tuner.revert(applied.group, force=True)


@pytest.fixture
def victim(own_lab: Lab) -> Path:
    """A file of root, or of the login where there is no root."""
    victim = own_lab.folder / "victim"
    victim.unlink(missing_ok=True)
    victim.write_text("root's own")
    victim.chmod(0o600)
    return victim


def test_links_that_the_servers_account_planted_are_not_followed(
    tuner: Tuner, target: Target, file: Path, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ns-slapd follows them itself when root starts it (it chowns what lies in its folder), so they
    lie there whenever the workbench is at work, and not while it starts."""
    assert target.shell is not None
    run, before, links = target.shell.run, victim.stat(), [file.with_name("dse.ldif.workbench")]

    def run_among_links(argv, **options):
        for link in links:
            link.unlink(missing_ok=True)
            if argv[-1] != "start" and not link.exists():
                link.symlink_to(victim)
        return run(argv, **options)

    monkeypatch.setattr(target.shell, "run", run_among_links)
    applied = tuner.apply(tuner.catalogue.treatment(["db-trickle-percentage=20"], target.facts))
    links.append(file.with_name(f"dse.ldif.before-{applied.group}-undone"))
    tuner.revert(applied.group)
    for link in links:
        link.unlink(missing_ok=True)
    after = victim.stat()
    assert victim.read_text() == "root's own"
    assert (after.st_uid, after.st_mode) == (before.st_uid, before.st_mode)


def test_a_dse_that_is_a_link_to_a_file_of_root_is_not_read(
    tuner: Tuner, target: Target, own_lab: Lab, file: Path, victim: Path
) -> None:
    if not own_lab.has_sudo:
        pytest.skip("without root there is nothing that the server's account may not read")
    aside = file.rename(file.with_name("aside"))
    file.symlink_to(victim)
    own_lab.host.run("chown", "--no-dereference", f"{own_lab.slapd.user}:", str(file))
    pid = own_lab.slapd.pid
    try:
        treatment = tuner.catalogue.treatment(["db-trickle-percentage=20"], target.facts)
        with pytest.raises(ChangeError, match="Permission denied"):
            tuner.apply(treatment)
        assert own_lab.slapd.pid == pid, "it was not stopped"
        assert victim.read_text() == "root's own"
    finally:
        aside.replace(file)


DIES = """
import os, signal, sys
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.servers.target import connect
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner

doing, when, setting = sys.argv[1:]
target = connect(ProfileStore().get("lab"), Secrets())
tuner = Tuner(target, Journal())
tuner.may_stop = True
run, armed = target.shell.run, doing == "apply"

def run_and_die(argv, **options):
    if armed and argv[-1] == "start" and when == "edited":
        os.kill(os.getpid(), signal.SIGKILL)
    result = run(argv, **options)
    if armed and argv[-1] == "stop" and when == "stopped" or when in argv:
        os.kill(os.getpid(), signal.SIGKILL)
    return result

target.shell.run = run_and_die
treatment = tuner.catalogue.treatment([setting], target.facts)
applied = tuner.apply(treatment)
armed = True
tuner.revert(applied.group)
"""


@pytest.mark.shows("kill -9")
@pytest.mark.parametrize(
    ("doing", "when"),
    [
        ("revert", "edited"),
        # Seeds of the campaign of faults edit files as well, and draw from all moments.
        pytest.param("apply", "stopped", marks=pytest.mark.full),
        pytest.param("apply", "edited", marks=pytest.mark.full),
        pytest.param("revert", "stopped", marks=pytest.mark.full),
    ],
)
def test_kill_9_while_the_server_is_stopped(
    own_lab: Lab, target: Target, file: Path, doing: str, when: str
) -> None:
    tuner = revived(own_lab, doing, when, "db-trickle-percentage=20")
    assert tuner.read(TRICKLE).value is None
    clean_up(tuner, file)


def revived(own_lab: Lab, doing: str, when: str, setting: str) -> Tuner:
    """The tuner that has undone what a workbench left that ended with its server stopped."""
    ProfileStore().add(own_lab.profile)
    died = subprocess.run(
        [sys.executable, "-c", DIES, doing, when, setting],
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()
    with pytest.raises(ConnectError):
        connect(own_lab.profile, Secrets())
    journal = Journal()
    assert interrupted(journal, own_lab.slapd.url), "the next start must find the open change"
    shell = open_shell(own_lab.profile, Secrets())
    assert shell is not None
    again = revive(own_lab.slapd.url, shell, journal, lambda: connect(own_lab.profile, Secrets()))
    tuner = Tuner(again, journal)
    tuner.may_stop = True
    assert {each.state for each in tuner.recover()} == {ChangeState.REVERTED}
    return tuner


def clean_up(tuner: Tuner, file: Path) -> None:
    """Close what `revived` opened."""
    for copy in file.parent.glob("dse.ldif.before-*"):
        copy.unlink()
    tuner.close()
    target = tuner._target
    assert isinstance(target, Target)
    assert target.shell is not None
    target.shell.close()
    target.close()
    tuner.journal.close()


@pytest.fixture
def log_folder(own_lab: Lab) -> Iterator[Path]:
    """A folder that the transaction log may move to; afterwards the log must be back whole."""
    if own_lab.slapd.library == "mdb":
        pytest.skip("LMDB has no transaction log")
    folder = own_lab.slapd.folder / "transactions"
    folder.mkdir(mode=0o770, exist_ok=True)
    if own_lab.has_sudo:
        own_lab.host.run("chown", f"{own_lab.slapd.user}:", str(folder))
    with own_lab.slapd.link() as link:  # 1.4.4 has no log before the first change
        link.modify(PERSON, {"description": [(ldap3.MODIFY_REPLACE, ["before"])]})
    before = log_files(own_lab.slapd.database)
    assert before
    yield folder
    assert set(before) <= set(log_files(own_lab.slapd.database))
    assert log_files(folder) == []


def log_files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("log.*"))


def test_the_transaction_log_moves_with_its_setting(
    tuner: Tuner, target: Target, own_lab: Lab, file: Path, log_folder: Path, tried: Tried
) -> None:
    wanted = tuner.catalogue.treatment([f"{LOG_FOLDER}={log_folder}"], target.facts)
    before = tuner.read(LOG_FOLDER).value
    applied = tuner.apply(wanted)
    assert tuner.read(LOG_FOLDER).value == str(log_folder)
    assert log_files(log_folder)
    assert log_files(own_lab.slapd.database) == []
    link = own_lab.slapd.link()
    assert link.modify(PERSON, {"description": [(ldap3.MODIFY_REPLACE, ["moved"])]})
    tuner.revert(applied.group)
    assert tuner.read(LOG_FOLDER).value == before
    link = own_lab.slapd.link()
    assert link.search(PERSON, "(description=moved)", ldap3.BASE), "what was written is there"
    link.unbind()
    tried(tuner.catalogue.knob(LOG_FOLDER), applied.proofs[0])


@pytest.mark.parametrize(
    ("doing", "when"),
    [
        ("revert", "edited"),
        pytest.param("apply", "copy", marks=pytest.mark.full),
        pytest.param("apply", "edited", marks=pytest.mark.full),
        pytest.param("revert", "stopped", marks=pytest.mark.full),
    ],
)
def test_kill_9_while_the_log_moves(
    own_lab: Lab, target: Target, file: Path, log_folder: Path, doing: str, when: str
) -> None:
    tuner = revived(own_lab, doing, when, f"{LOG_FOLDER}={log_folder}")
    assert own_lab.slapd.link().search("dc=example,dc=com", "(uid=user000007)")
    clean_up(tuner, file)


@pytest.fixture
def entrydn(own_lab: Lab) -> Iterator[dict[str, list[str]]]:
    """The index that an upgrade leaves behind; its file is one that nothing could build again."""
    link = own_lab.slapd.link()
    dn = "cn=entrydn,cn=index,cn=userRoot,cn=ldbm database,cn=plugins,cn=config"
    attributes = {"objectClass": ["top", "nsIndex"], "cn": ["entrydn"], "nsIndexType": ["eq"],
                  "nsSystemIndex": ["true"]}  # fmt: skip
    assert link.add(dn, attributes=attributes)
    yield attributes
    link = own_lab.slapd.link()
    link.search(dn, "(objectClass=*)", ldap3.BASE, attributes=["*"])
    there = link.response[0]["raw_attributes"]
    assert link.delete(dn)
    link.unbind()
    read = {name: [value.decode() for value in values] for name, values in there.items()}
    assert read == attributes, "the revert has put it back"


def test_the_index_of_entrydn_is_taken_out_and_comes_back(
    entrydn: object, tuner: Tuner, target: Target, own_lab: Lab
) -> None:
    path = own_lab.slapd.config / "dse.ldif"
    before = lines(path)
    done = tuner.apply(tuner.catalogue.treatment(["index.entrydn=absent"], target.facts))
    assert tuner.read("index.entrydn").value is None
    assert "cn=entrydn" not in path.read_text()
    tuner.revert(done.group)
    assert tuner.read("index.entrydn").value == "eq"
    # LMDB of 3.3 sizes its caches at each start, and stores that.
    sizes = re.compile("nsslapd-(cachememsize|dncachememsize): ")
    after = [line for line in lines(path) if not sizes.match(line)]
    assert after == [line for line in before if not sizes.match(line)]


def test_a_folder_with_log_files_is_refused_before_the_stop(
    tuner: Tuner, target: Target, own_lab: Lab, file: Path, log_folder: Path
) -> None:
    other, pid = log_folder / "log.0000000001", own_lab.slapd.pid
    other.write_text("of another instance")
    wanted = tuner.catalogue.treatment([f"{LOG_FOLDER}={log_folder}"], target.facts)
    with pytest.raises(ChangeError, match="is there already"):
        tuner.apply(wanted)
    assert own_lab.slapd.pid == pid
    assert other.read_text() == "of another instance"
    other.unlink()
