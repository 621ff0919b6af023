"""Reading, planning and applying against a server that behaves as 389 DS was seen to."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest

from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import (
    CancelledError,
    ChangeError,
    CommandError,
    ConflictError,
    ConnectError,
    DirectoryError,
    KnobError,
)
from ldap_workbench.model.knob import Effect, Knob, Risk, Treatment, ValueKind
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.progress import Cancel
from ldap_workbench.tuning import tuner as tuner_module
from ldap_workbench.tuning.catalogue import Catalogue, load_catalogue
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.restart import restart
from ldap_workbench.tuning.tuner import Tuner
from tests.unit.tuning.fakes import (
    BACKEND_MONITOR,
    BDB,
    CONFIG,
    LDBM,
    READ_AHEAD,
    SCHEDULER,
    FakeShell,
    FakeTarget,
)


def treatment(tuner: Tuner, target: FakeTarget, *settings: str) -> Treatment:
    return tuner.catalogue.treatment(settings, target.facts)


def test_reads_a_knob_and_what_is_in_force(tuner: Tuner) -> None:
    reading = tuner.read("threadnumber")
    assert (reading.value, reading.effective, reading.unknown) == ("16", "16", NOTHING)


def test_the_only_backend_need_not_be_named(tuner: Tuner) -> None:
    reading = tuner.read("cachememsize")
    assert (reading.place, reading.effective) == ("userRoot", "4294967296")


def test_reads_all_knobs_and_says_which_it_cannot(tuner: Tuner) -> None:
    readings = {each.knob.name: each for each in tuner.readings()}
    assert readings["nsslapd-cachememsize"].effective == "4294967296"
    assert readings["nsslapd-cachememsize"].place == "userRoot"
    assert readings["io-scheduler"].value == "mq-deadline"
    assert "nsslapd-numlisteners" not in readings, "2.3.1 does not have it"
    assert "no entry cn=referential" in str(readings["referint-update-delay"].unknown)
    assert "No such file" in str(readings["nr_requests"].unknown)


def test_readings_go_on_without_a_shell(target: FakeTarget, journal: Journal) -> None:
    target.shell = None
    readings = {each.knob.name: each for each in Tuner(target, journal).readings()}
    assert "need a shell" in str(readings["io-scheduler"].unknown)
    assert readings["nsslapd-threadnumber"].value == "16"


def test_a_plan_writes_nothing(tuner: Tuner, target: FakeTarget, journal: Journal) -> None:
    autosize, cache = tuner.plan(treatment(tuner, target, "cachememsize=200 MiB"))
    assert (autosize.before, autosize.asked) == (("25",), ("0",))
    assert "Needed by nsslapd-cachememsize" in str(autosize.describe())
    assert "4294967296 (4 GiB) → 209715200 (200 MiB)" in str(cache.describe())
    assert not autosize.needs_restart
    assert target.directory.written == []
    assert journal.changes() == []


def test_a_plan_knows_what_waits_for_a_restart(tuner: Tuner, target: FakeTarget) -> None:
    def needs_restart(setting: str) -> bool:
        return tuner.plan(treatment(tuner, target, setting))[-1].needs_restart

    assert needs_restart("threadnumber=8")
    assert needs_restart("cache-autosize=10")
    assert not needs_restart("cache-autosize=0")
    assert not needs_restart("idlistscanlimit=8000"), "measured: works at once"


def test_a_knob_nobody_tried_waits_for_a_restart_where_the_server_lists_it(
    target: FakeTarget, journal: Journal
) -> None:
    known = load_catalogue()
    untried = replace(known.knob("nsslapd-enable-upgrade-hash"), verified=())
    tuner = Tuner(target, journal, replace(known, knobs=(untried,)))
    assert not tuner.plan(treatment(tuner, target, "enable-upgrade-hash=off"))[0].needs_restart
    listed = target.directory.entries[CONFIG]["nsslapd-requiresrestart"]
    target.directory.entries[CONFIG]["nsslapd-requiresrestart"] = (
        *listed,
        "cn=config:nsslapd-enable-upgrade-hash",
    )
    assert tuner.plan(treatment(tuner, target, "enable-upgrade-hash=off"))[0].needs_restart


def test_a_plan_says_what_the_operator_must_do(journal: Journal) -> None:
    target = FakeTarget()
    tuner = Tuner(target, journal)
    (threads,) = tuner.plan(treatment(tuner, target, "threadnumber=8"))
    assert "You must restart the server" in str(threads.operator)
    (durable,) = tuner.plan(treatment(tuner, target, "db-durable-transaction=off"))
    assert "stop it, set 'nsslapd-db-durable-transaction: off'" in str(durable.operator)


def test_a_group_is_applied_in_order_and_reverted_backwards(
    tuner: Tuner, target: FakeTarget
) -> None:
    before = copy.deepcopy(target.directory.entries)
    applied = tuner.apply(treatment(tuner, target, "cachememsize=200 MiB"))
    assert [each.state for each in applied.changes] == [ChangeState.APPLIED] * 2
    assert [each.effective for each in applied.proofs] == [None, True]
    assert target.directory.entries[BACKEND_MONITOR]["maxentrycachesize"] == ("209715200",)
    reverted = tuner.revert(applied.group)
    assert [each.knob for each in reverted] == ["nsslapd-cachememsize", "nsslapd-cache-autosize"]
    assert {each.state for each in reverted} == {ChangeState.REVERTED}
    assert target.directory.entries == before


def test_the_journal_has_the_change_before_the_server(
    tuner: Tuner, target: FakeTarget, journal: Journal
) -> None:
    seen = []
    target.directory.before_write = lambda _: seen.extend(
        (each.state, each.before, each.asked) for each in journal.open_changes(tuner.server)
    )
    tuner.apply(treatment(tuner, target, "enable-upgrade-hash=off"))
    assert seen == [(ChangeState.INTENDED, ("on",), ("off",))]


def test_a_journal_that_cannot_be_written_stops_the_change(
    tuner: Tuner, target: FakeTarget, journal: Journal
) -> None:
    wanted = treatment(tuner, target, "enable-upgrade-hash=off")
    journal.close()
    with pytest.raises(ChangeError, match="journal"):
        tuner.apply(wanted)
    assert target.directory.written == []


@pytest.mark.parametrize("allowed", [0, 1, 2, 3, 4, 5, 6])
def test_a_disk_that_fills_up_leaves_the_server_as_it_was(
    tuner: Tuner,
    target: FakeTarget,
    journal: Journal,
    monkeypatch: pytest.MonkeyPatch,
    allowed: int,
) -> None:
    """Whichever write of the journal fails: group, two intents, two results, two proofs."""
    before = copy.deepcopy(target.directory.entries)
    write, written = journal._write, []

    def full(*arguments: object) -> int:
        written.append(arguments)
        if len(written) > allowed:
            raise ChangeError("database or disk is full")
        return write(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(journal, "_write", full)
    with pytest.raises(ChangeError, match="disk is full"):
        tuner.apply(treatment(tuner, target, "cachememsize=200 MiB"))
    assert target.directory.entries == before
    monkeypatch.undo()
    Tuner(target, journal).recover()
    assert journal.changes(open_only=True) == []


def test_a_link_that_breaks_while_proving_is_taken_back_over_a_new_one(
    tuner: Tuner, target: FakeTarget, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(_: str) -> list[object]:
        target.directory.broken = True
        raise ConnectError("The connection broke.")

    monkeypatch.setattr(tuner, "prove", breaks)
    with pytest.raises(ConnectError, match="broke") as caught:
        tuner.apply(treatment(tuner, target, "enable-upgrade-hash=off"))
    assert "Put back: nsslapd-enable-upgrade-hash. " in str(caught.value.safe)
    assert journal.open_changes(tuner.server) == []
    assert target.directory.entries[CONFIG]["nsslapd-enable-upgrade-hash"] == ("on",)


@pytest.mark.parametrize("reached", [True, False])
def test_a_write_whose_answer_is_lost_is_looked_at_and_taken_back(
    tuner: Tuner, target: FakeTarget, journal: Journal, reached: bool
) -> None:
    before = copy.deepcopy(target.directory.entries)

    def breaks(attribute: str) -> None:
        if attribute == "nsslapd-cachememsize" and target.reconnects == 0:
            target.directory.broken = True
            raise ConnectError("The answer was lost.")

    setattr(target.directory, "after_write" if reached else "before_write", breaks)
    with pytest.raises(ConnectError, match="The link broke while") as caught:
        # more than the server takes: it makes 6 GiB of it, which we have not been told
        tuner.apply(treatment(tuner, target, "cachememsize=7 GiB"))
    assert "Put back as before" in str(caught.value.safe)
    assert target.directory.entries == before
    assert {each.state for each in journal.changes()} == {ChangeState.REVERTED}


def test_a_server_that_never_comes_back_leaves_the_change_open_and_says_so(
    tuner: Tuner, target: FakeTarget, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(_: str) -> None:
        target.directory.broken = True
        raise ConnectError("The answer was lost.")

    monkeypatch.setattr(target, "reconnect", lambda: None)
    monkeypatch.setattr(tuner_module, "over_any_link", lambda _, work, **__: work())
    target.directory.after_write = dies
    with pytest.raises(ConnectError, match="The link broke while") as caught:
        tuner.apply(treatment(tuner, target, "enable-upgrade-hash=off"))
    assert "Whether it is in force is not known" in str(caught.value.safe)
    assert "stays open in the journal" in str(caught.value.safe)
    assert [each.state for each in journal.open_changes(tuner.server)] == [ChangeState.INTENDED]
    target.directory.broken, target.directory.after_write = False, None
    assert [each.knob for each in tuner.put_back()] == ["nsslapd-enable-upgrade-hash"]
    assert target.directory.entries[CONFIG]["nsslapd-enable-upgrade-hash"] == ("on",)


@pytest.mark.parametrize("fault", [KeyboardInterrupt, MemoryError, RuntimeError])
def test_whatever_ends_an_apply_takes_it_back(
    tuner: Tuner, target: FakeTarget, journal: Journal, fault: type[BaseException]
) -> None:
    before = copy.deepcopy(target.directory.entries)

    def strikes(attribute: str) -> None:
        if attribute == "nsslapd-cachememsize" and len(target.directory.written) == 2:
            raise fault("struck")

    target.directory.after_write = strikes
    with pytest.raises(fault) as caught:
        tuner.apply(treatment(tuner, target, "cachememsize=200 MiB"))
    assert any("Put back as before" in note for note in caught.value.__notes__)
    assert target.directory.entries == before
    assert journal.open_changes(tuner.server) == []


def test_asked_and_got_and_what_the_server_said(tuner: Tuner, target: FakeTarget) -> None:
    applied = tuner.apply(treatment(tuner, target, "cachememsize=7 GiB"))
    assert applied.changes[1].got == (str(6 * 1024**3),)
    assert applied.changes[1].asked == (str(7 * 1024**3),)
    tuner.revert(applied.group)
    applied = tuner.apply(treatment(tuner, target, "maxdescriptors=8192"))
    assert "will not take effect until the server is restarted" in str(applied.changes[0].message)
    assert applied.needs_restart


def test_a_value_that_somebody_changed_meanwhile_is_not_written(
    tuner: Tuner, target: FakeTarget, journal: Journal
) -> None:
    def change_it(_: str) -> None:
        target.directory.entries[CONFIG]["nsslapd-threadnumber"] = ("12",)

    target.directory.before_write = change_it
    with pytest.raises(ConflictError):
        tuner.apply(treatment(tuner, target, "threadnumber=8"))
    assert target.directory.entries[CONFIG]["nsslapd-threadnumber"] == ("12",)
    (change,) = journal.changes()
    assert change.state is ChangeState.REFUSED
    assert "another administrator has changed it" in str(change.message)


def test_automatic_reads_back_as_a_number_and_is_reverted(tuner: Tuner, target: FakeTarget) -> None:
    target.directory.entries[CONFIG]["nsslapd-threadnumber"] = ("8",)
    applied = tuner.apply(treatment(tuner, target, "threadnumber=-1"))
    assert applied.changes[0].got == ("16",)
    tuner.revert(applied.group)
    assert target.directory.entries[CONFIG]["nsslapd-threadnumber"] == ("8",)


def test_a_value_that_is_refused_and_changed_all_the_same_is_not_said_to_be_as_before(
    tuner: Tuner, target: FakeTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory, lies = target.directory, [True]
    real = directory._set

    def refuse_and_change(dn: str, attribute: str, values: tuple[str, ...] | None) -> str:
        said = real(dn, attribute, values)
        if lies.pop() if lies else False:
            raise DirectoryError(Message("Setting it was refused."), code=53)
        return said

    monkeypatch.setattr(directory, "_set", refuse_and_change)
    with pytest.raises(ChangeError, match="was refused") as caught:
        tuner.apply(treatment(tuner, target, "nsslapd-threadnumber=24"))
    assert "16, as before" not in str(caught.value.safe)
    assert str(caught.value.safe).startswith("Put back: nsslapd-threadnumber.")


def test_a_refused_member_takes_the_others_back(
    tuner: Tuner, target: FakeTarget, journal: Journal
) -> None:
    before = copy.deepcopy(target.directory.entries)

    def set_back_by_another(attribute: str) -> None:
        if attribute == "nsslapd-cachememsize":
            target.directory.entries[BDB]["nsslapd-cache-autosize"] = ("25",)

    target.directory.before_write = set_back_by_another
    with pytest.raises(ChangeError, match=r"cachememsize.* was refused") as caught:
        tuner.apply(treatment(tuner, target, "cachememsize=200 MiB"))
    assert "Put back as before: nsslapd-cache-autosize." in str(caught.value.safe)
    assert target.directory.entries == before
    states = [each.state for each in journal.changes()]
    assert states == [ChangeState.REVERTED, ChangeState.REFUSED]
    assert "can not be updated" in str(journal.changes()[1].message)


def made_up(name: str, dn: str) -> Catalogue:
    knob = Knob(name, Message(name), ValueKind.TEXT, Effect.LIVE, Risk.LOW, dn=dn)
    return Catalogue("389ds", (*load_catalogue().knobs, knob))


def test_an_attribute_the_server_only_stores_is_taken_out_again(
    target: FakeTarget, journal: Journal
) -> None:
    before = copy.deepcopy(target.directory.entries)
    name = "nsslapd-db-durable-transactions"
    tuner = Tuner(target, journal, made_up(name, BDB))
    with pytest.raises(ChangeError, match="does not know the attribute"):
        tuner.apply(treatment(tuner, target, f"{name}=off"))
    assert target.directory.written == [(name, ("off",)), (name, None)]
    assert target.directory.entries == before
    assert journal.changes(open_only=True) == []


def test_success_without_effect_is_told(tuner: Tuner, target: FakeTarget) -> None:
    wanted = treatment(tuner, target, "db-transaction-batch-max-wait=20000")
    with pytest.raises(ChangeError, match="still reads 50"):
        tuner.apply(wanted)
    assert [each.state for each in tuner.journal.changes()] == [ChangeState.REFUSED]


def test_an_offline_knob_is_left_to_the_operator(
    tuner: Tuner, target: FakeTarget, journal: Journal
) -> None:
    with pytest.raises(ChangeError, match="while the server runs") as caught:
        tuner.apply(treatment(tuner, target, "db-durable-transaction=off"))
    assert "dse.ldif" in str(caught.value.remedy)
    assert journal.changes() == []


def test_a_value_that_is_there_already_is_no_treatment(tuner: Tuner, target: FakeTarget) -> None:
    with pytest.raises(KnobError, match="already has"):
        tuner.apply(treatment(tuner, target, "enable-upgrade-hash=on"))


def test_what_is_needed_and_there_already_is_not_written(tuner: Tuner, target: FakeTarget) -> None:
    target.directory.entries[BDB]["nsslapd-cache-autosize"] = ("0",)
    applied = tuner.apply(treatment(tuner, target, "cachememsize=200 MiB"))
    assert [each.knob for each in applied.changes] == ["nsslapd-cachememsize"]
    tuner.revert(applied.group)
    assert target.directory.entries[BDB]["nsslapd-cache-autosize"] == ("0",)


def test_alternating_arms_are_groups_of_their_own(tuner: Tuner, target: FakeTarget) -> None:
    first = tuner.apply(treatment(tuner, target, "enable-upgrade-hash=off"))
    tuner.revert(first.group)
    second = tuner.apply(first.treatment)
    assert second.group != first.group
    assert second.treatment == first.treatment
    assert target.directory.entries[CONFIG]["nsslapd-enable-upgrade-hash"] == ("off",)


def test_threads_are_proved_only_after_a_restart(tuner: Tuner, target: FakeTarget) -> None:
    applied = tuner.apply(treatment(tuner, target, "threadnumber=8"))
    assert applied.proofs[0].effective is None
    restart(target)
    (proof,) = tuner.prove(applied.group)
    assert proof.effective is True
    assert "threads is 9" in str(proof.sentence)
    assert tuner.journal.group(applied.group)[0].proof == proof.sentence
    target.directory.entries["cn=monitor"]["threads"] = ("17",)
    assert tuner.prove(applied.group)[0].effective is False


def test_proof_sees_a_value_that_was_overwritten(tuner: Tuner, target: FakeTarget) -> None:
    applied = tuner.apply(treatment(tuner, target, "lookthroughlimit=20000"))
    target.directory.entries[LDBM]["nsslapd-lookthroughlimit"] = ("5",)
    (proof,) = tuner.prove(applied.group)
    assert (proof.stored, proof.effective) == (False, False)


def test_cancel_between_members_takes_all_back(tuner: Tuner, target: FakeTarget) -> None:
    before = copy.deepcopy(target.directory.entries)
    cancel = Cancel()
    target.directory.after_write = lambda _: cancel.set()
    with pytest.raises(CancelledError):
        tuner.apply(treatment(tuner, target, "cachememsize=200 MiB"), cancel=cancel)
    assert target.directory.entries == before


def test_the_old_place_of_database_settings_is_found(journal: Journal) -> None:
    target = FakeTarget()
    target.directory.entries[LDBM] |= target.directory.entries.pop(BDB)
    tuner = Tuner(target, journal)
    applied = tuner.apply(treatment(tuner, target, "db-checkpoint-interval=15"))
    assert applied.changes[0].dn == LDBM


def test_host_knobs_go_through_the_shell(tuner: Tuner, target: FakeTarget) -> None:
    shell = target.shell
    assert shell is not None
    applied = tuner.apply(treatment(tuner, target, "io-scheduler=none", "read_ahead_kb=16"))
    assert shell.files == {SCHEDULER: "[none] mq-deadline kyber", READ_AHEAD: "16"}
    assert [each.effective for each in applied.proofs] == [True, True]
    assert applied.changes[0].server == "ssh://admin@fake.example:22"
    assert (["tee", SCHEDULER], True) in shell.ran
    assert tuner.journal.open_changes(tuner.server) == applied.changes
    tuner.revert(applied.group)
    assert shell.files == {SCHEDULER: "none [mq-deadline] kyber", READ_AHEAD: "128"}


def test_a_scheduler_the_kernel_does_not_offer_is_refused(tuner: Tuner, target: FakeTarget) -> None:
    with pytest.raises(KnobError, match="does not offer 'cfq'"):
        tuner.apply(treatment(tuner, target, "io-scheduler=cfq"))


def test_without_sudo_a_kernel_file_stays_as_it_is(target: FakeTarget, journal: Journal) -> None:
    target.shell = FakeShell(target.directory, may_sudo=False)
    tuner = Tuner(target, journal)
    with pytest.raises(ChangeError, match="password is required") as caught:
        tuner.apply(treatment(tuner, target, "read_ahead_kb=16"))
    assert isinstance(caught.value.__cause__, CommandError)
    assert journal.changes()[0].state is ChangeState.REFUSED


@pytest.mark.parametrize("device", ["../../etc", "a b", "", ".", "x;reboot", "$(id)"])
def test_no_path_is_smuggled_in_as_a_device(
    target: FakeTarget, journal: Journal, device: str
) -> None:
    target.facts = replace(target.facts, device=None)
    tuner = Tuner(target, journal)
    with pytest.raises(KnobError):
        tuner.plan(treatment(tuner, target, f"read_ahead_kb@{device}=16"))


def test_a_server_being_changed_elsewhere_is_left_alone(
    tuner: Tuner, target: FakeTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    def taken(_: object) -> None:
        raise ChangeError("Another workbench is at work on it.")

    monkeypatch.setattr("ldap_workbench.tuning.locks.ServerLock.acquire", taken)
    with pytest.raises(ChangeError, match="Another workbench"):
        tuner.apply(treatment(tuner, target, "enable-upgrade-hash=off"))
    assert target.directory.written == []


def test_a_change_is_not_kept_while_another_workbench_is_at_work(
    tuner: Tuner, target: FakeTarget, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be the change of its run, which is still to be reverted."""
    group = tuner.apply(treatment(tuner, target, "enable-upgrade-hash=off")).group
    tuner.close()

    def taken(_: object) -> None:
        raise ChangeError("Another workbench is at work on it.")

    with monkeypatch.context() as patch:
        patch.setattr("ldap_workbench.tuning.locks.ServerLock.acquire", taken)
        with pytest.raises(ChangeError, match="Another workbench"):
            tuner.keep(group)
    assert journal.group(group)[0].state is ChangeState.APPLIED
    tuner.keep(group)
    assert journal.group(group)[0].state is ChangeState.KEPT


def test_what_a_host_knob_says_is_in_force(tuner: Tuner) -> None:
    scheduler, limit = tuner.read("io-scheduler"), tuner.read("lookthroughlimit")
    assert (scheduler.value, scheduler.effective) == ("mq-deadline", "mq-deadline")
    assert (limit.value, limit.effective) == ("5000", None), "no counter shows it"


def test_a_plan_of_what_is_there_already_says_so(tuner: Tuner, target: FakeTarget) -> None:
    (plan,) = tuner.plan(treatment(tuner, target, "lookthroughlimit=5000"))
    assert not plan.writes
    assert (
        str(plan.describe())
        == "nsslapd-lookthroughlimit is 5000 entries already: nothing is written."
    )


def test_a_plan_says_place_restart_and_operator(tuner: Tuner, target: FakeTarget) -> None:
    (threads,) = tuner.plan(treatment(tuner, target, "threadnumber=8"))
    said = str(threads.describe())
    assert said.startswith("nsslapd-threadnumber: 16 threads → 8 threads. ")
    assert said.endswith(" Takes effect after a restart.")
    (durable,) = tuner.plan(treatment(tuner, target, "db-durable-transaction=off"))
    assert durable.needs_restart
    assert "Takes effect after a restart" not in str(durable.describe()), "it is stopped anyway"
    cache = tuner.plan(treatment(tuner, target, "cachememsize=200 MiB"))[1]
    assert str(cache.describe()).startswith("nsslapd-cachememsize@userRoot: 4294967296 (4 GiB)")


def test_a_kept_change_that_is_not_known_to_be_in_place_is_refused(
    tuner: Tuner, target: FakeTarget, journal: Journal
) -> None:
    applied = tuner.apply(treatment(tuner, target, "enable-upgrade-hash=off"))
    journal.update(applied.changes[0], state=ChangeState.REVERTING)
    with pytest.raises(ChangeError, match="is reverting: whether it is in force is unknown"):
        tuner.keep(applied.group)
    assert journal.group(applied.group)[0].state is ChangeState.REVERTING


def test_progress_of_an_apply_is_a_share_of_its_settings(tuner: Tuner, target: FakeTarget) -> None:
    steps: list[tuple[str, float | None]] = []
    tuner.apply(
        treatment(tuner, target, "cachememsize=200 MiB"),
        progress=lambda step: steps.append((str(step.text), step.fraction)),
    )
    assert [share for _, share in steps] == [0.0, 0.5, 1.0]
    assert steps[0][0] == "Setting nsslapd-cache-autosize=0"
    assert steps[-1][0].startswith("Set nsslapd-cache-autosize=0 + nsslapd-cachememsize=")


def test_a_change_the_server_speaks_of_a_restart_for_needs_one(
    tuner: Tuner, target: FakeTarget
) -> None:
    applied = tuner.apply(treatment(tuner, target, "enable-upgrade-hash=off"))
    assert not applied.needs_restart
    assert not applied.changes[0].needs_restart


@pytest.mark.parametrize(("listeners", "workers"), [("4", "12"), (None, "16")])
def test_what_is_counted_with_the_threads_is_read_with_them(
    target: FakeTarget, journal: Journal, listeners: str | None, workers: str
) -> None:
    target.facts = replace(target.facts, version="3.1.2")
    if listeners:
        target.directory.entries[CONFIG]["nsslapd-numlisteners"] = (listeners,)
    reading = Tuner(target, journal).read("threadnumber")
    assert reading.effective == workers, "of 17 that cn=monitor counts"


def test_an_entry_that_cannot_be_read_leaves_out_its_knobs_alone(
    tuner: Tuner, target: FakeTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = target.directory.search

    def refused(base: str, **options: object) -> list[object]:
        if base == LDBM:
            raise DirectoryError(Message("It may not be read."), code=50, message="")
        return list(search(base, **options))  # type: ignore[arg-type]

    monkeypatch.setattr(target.directory, "search", refused)
    readings = {each.knob.name: each for each in tuner.readings()}
    limit = readings["nsslapd-lookthroughlimit"]
    assert (limit.value, str(limit.unknown)) == (None, "It may not be read.")
    assert readings["nsslapd-threadnumber"].value == "16"
