"""A change of an index: its steps, what it waits for, and what undoes it. No server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from ldap_workbench.connect.directory import Entry
from ldap_workbench.model.change import WHOLE_ENTRY, Change, ChangeState
from ldap_workbench.model.errors import (
    CancelledError,
    ChangeError,
    ConnectError,
    DirectoryError,
    KnobError,
)
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel, Progress
from ldap_workbench.model.target import Backend
from ldap_workbench.tuning import index_builds
from ldap_workbench.tuning.indexes import (
    change_openldap,
    in_order,
    lost,
    names_and_types,
    schema_names,
    types_at,
)
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.unit.tuning.fakes import FACTS, LDBM, FakeDirectory, FakeTarget

INDEXES = "cn=index,cn=userRoot,cn=ldbm database,cn=plugins,cn=config"
MAIL = f"cn=mail,{INDEXES}"
DATABASE = "olcDatabase={1}mdb,cn=config"
TASK_LIST = "cn=Tasklist,cn=Threads,cn=Monitor"


class Server(FakeDirectory):
    """Builds what it is asked to; `exit_code` is how its tasks end, None while they run."""

    def __init__(self) -> None:
        super().__init__()
        self.exit_code: str | None = "0"
        self.built: list[str] = []
        self.breaks_at_task = self.breaks_at_delete = False

    def search(
        self,
        base: str,
        *,
        scope: str = "base",
        filter: str = "",  # noqa: A002 - the field's word
        attributes: Sequence[str] = ("*",),
    ) -> list[Entry]:
        if scope != "one":
            return super().search(base, filter=filter, attributes=attributes)
        below = [dn for dn in self.entries if dn.partition(",")[2] == base]
        return [
            entry for dn in below for entry in FakeDirectory.search(self, dn, attributes=attributes)
        ]

    def add(self, dn: str, attributes: Mapping[str, str | Sequence[str]]) -> None:
        values = {
            name: (value,) if isinstance(value, str) else tuple(value)
            for name, value in attributes.items()
        }
        if dn.endswith("cn=Scheduled Tasks,cn=Tasks"):
            self.built += values["ds-task-rebuild-index"]
            states = {"0": "COMPLETED_SUCCESSFULLY", "1": "STOPPED_BY_ERROR", None: "RUNNING"}
            values["ds-task-state"] = (states[self.exit_code],)
        if dn.endswith("cn=index,cn=tasks,cn=config"):
            if self.breaks_at_task:
                self.broken, self.breaks_at_task = True, False
                raise ConnectError(Message("The connection to the fake broke."))
            self.built += values["nsIndexAttribute"]
            if self.exit_code is not None:
                values["nsTaskExitCode"] = (self.exit_code,)
        self.entries[dn] = values

    def delete(self, dn: str) -> None:
        if self.breaks_at_delete:
            self.broken, self.breaks_at_delete = True, False
            raise ConnectError(Message("The connection to the fake broke."))
        del self.entries[dn]


@pytest.fixture
def target() -> FakeTarget:
    target = FakeTarget()
    target.directory = Server()
    return target


def server(target: FakeTarget) -> Server:
    assert isinstance(target.directory, Server)
    return target.directory


def index(*types: str, system: str = "false") -> dict[str, tuple[str, ...]]:
    return {"cn": ("mail",), "nsIndexType": types, "nsSystemIndex": (system,),
            "objectClass": ("top", "nsIndex")}  # fmt: skip


def apply(target: FakeTarget, *settings: str) -> tuple[Tuner, str, list[Change]]:
    tuner = Tuner(target, Journal())
    tuner.patience_s = 0.1
    done = tuner.apply(tuner.catalogue.treatment(settings, target.facts))
    return tuner, done.group, done.changes


@pytest.mark.parametrize("refused", [False, True])
def test_a_cancelled_build_asks_389_ds_to_end_its_task_and_is_undone(
    target: FakeTarget, refused: bool
) -> None:
    """A task that takes no cancel ends by itself: until then nothing is undone."""
    directory, cancel = server(target), Cancel()
    directory.exit_code = None

    def end(attribute: str) -> None:
        if attribute == "nsTaskCancel":
            [task] = [dn for dn in directory.entries if dn.endswith("cn=index,cn=tasks,cn=config")]
            directory.entries[task]["nsTaskExitCode"] = ("1",)
            if refused:
                raise DirectoryError(Message("Setting it was refused."), code=53, message="")

    def hear(report: Progress) -> None:
        if "Building" in str(report.text):
            cancel.set()

    directory.before_write = end
    tuner = Tuner(target, Journal())
    wanted = tuner.catalogue.treatment(["index.mail=eq"], target.facts)
    with pytest.raises(CancelledError):
        tuner.apply(wanted, progress=hear, cancel=cancel)
    assert (("nsTaskCancel", ("true",)) in directory.written) is not refused
    assert MAIL not in directory.entries
    assert tuner.open_changes() == []


@pytest.mark.parametrize("later", [False, True])
def test_what_ends_an_apply_ends_no_undo(
    target: FakeTarget, monkeypatch: pytest.MonkeyPatch, later: bool
) -> None:
    """Neither the undo of that apply nor a later one, which waits for a build as it does."""
    directory, cancel, heard = server(target), Cancel(), list[Progress]()
    directory.exit_code = "0" if later else None

    def hear(report: Progress) -> None:
        if "Building" in str(report.text):
            cancel.set()
        cancel.check()

    def sleep(_: float) -> None:
        for dn, entry in directory.entries.items():
            if dn.endswith("cn=index,cn=tasks,cn=config"):
                entry["nsTaskExitCode"] = ("1",)

    monkeypatch.setattr(index_builds.time, "sleep", sleep)
    tuner = Tuner(target, Journal())
    wanted = tuner.catalogue.treatment(["index.mail=eq"], target.facts)
    if later:
        done = tuner.apply(wanted, progress=hear)
        cancel.set()
        directory.exit_code = None
        directory.add(
            "cn=other,cn=index,cn=tasks,cn=config",
            {"nsInstance": "userRoot", "nsIndexAttribute": "mail"},
        )
        tuner.revert(done.group, progress=heard.append)
    else:
        with pytest.raises(CancelledError):
            tuner.apply(wanted, progress=hear)
    assert len(heard) == later
    assert MAIL not in directory.entries
    assert tuner.open_changes() == []


def test_an_absent_index_is_added_built_and_absent_again(target: FakeTarget) -> None:
    before = dict(server(target).entries)
    tuner, group, (change,) = apply(target, "index.mail=eq,sub")
    assert (change.dn, change.attribute, change.before) == (MAIL, WHOLE_ENTRY, None)
    assert server(target).entries[MAIL] == index("eq", "sub")
    assert server(target).built == ["mail"]
    tuner.revert(group)
    left = {dn: entry for dn, entry in server(target).entries.items() if "cn=tasks" not in dn}
    assert left == before


def test_what_is_missing_is_added_behind_what_is_there_in_a_new_entry(
    target: FakeTarget,
) -> None:
    """A new type in the old entry would find nothing until it is built."""
    server(target).entries[MAIL] = index("pres", "eq") | {"nsMatchingRule": ("x",)}
    tuner, group, _ = apply(target, "index.mail=sub,eq,pres")
    assert server(target).entries[MAIL]["nsIndexType"] == ("pres", "eq", "sub")
    assert server(target).entries[MAIL]["nsMatchingRule"] == ("x",)
    assert (server(target).built, server(target).written) == (["mail"], [])
    tuner.revert(group)
    assert server(target).entries[MAIL]["nsIndexType"] == ("pres", "eq")
    assert (server(target).built, server(target).written) == (["mail", "mail"], [])


def test_a_type_is_taken_out_in_a_new_entry(target: FakeTarget) -> None:
    """In the old one 389 DS would fill and use it on until it is restarted."""
    object.__setattr__(target.profile, "test_server", True)
    server(target).entries[MAIL] = index("pres", "eq", "sub")
    tuner, group, _ = apply(target, "index.mail=eq")
    assert server(target).entries[MAIL]["nsIndexType"] == ("eq",)
    assert (server(target).built, server(target).written) == (["mail"], [])
    tuner.revert(group)
    assert server(target).entries[MAIL]["nsIndexType"] == ("pres", "eq", "sub")
    assert (server(target).built, server(target).written) == (["mail", "mail"], [])


def test_a_kill_between_removing_and_adding_an_entry_leaves_what_was_there(
    target: FakeTarget,
) -> None:
    server(target).entries[MAIL] = index("eq")
    tuner = Tuner(target, Journal())
    wanted = tuner.catalogue.treatment(["index.mail=eq,sub"], target.facts)

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server(target), "add", die)
        patch.setattr(Tuner, "_take_back", lambda *_: None)
        with pytest.raises(KeyboardInterrupt):
            tuner.apply(wanted)
    assert MAIL not in server(target).entries
    tuner.close()
    Tuner(target, Journal()).recover()
    assert server(target).entries[MAIL] == index("eq")
    assert server(target).built == ["mail"]


def test_a_removed_index_is_built_when_it_comes_back(target: FakeTarget) -> None:
    server(target).entries[MAIL] = index("pres", "eq")
    with pytest.raises(KnobError, match="would be removed") as caught:
        apply(target, "index.mail=absent")
    assert "off its use: nsIndexIDListScanLimit.mail@userRoot+=limit=0." in str(caught.value.remedy)
    target.profile = replace(target.profile, test_server=True)
    tuner, group, (change,) = apply(target, "index.mail=absent")
    assert (change.asked, server(target).built) == (None, [])
    tuner.revert(group)
    assert server(target).entries[MAIL] == index("pres", "eq")
    assert server(target).built == ["mail"]


def test_an_attribute_the_schema_lacks_has_the_nearest_proposed(target: FakeTarget) -> None:
    """389 DS takes the entry and builds an index of nothing."""
    schema = (
        "( 0.9 NAME ( 'mail' 'rfc822Mailbox' ) SYNTAX 1.3 )",
        "( 2.5.4.4 NAME 'sn' SYNTAX 1.3 )",
    )
    server(target).entries |= {
        "": {"subschemaSubentry": ("cn=schema",)},
        "cn=schema": {"attributeTypes": schema},
    }
    with pytest.raises(KnobError, match="no attribute 'mial'") as caught:
        apply(target, "index.mial=eq")
    assert str(caught.value.remedy) == "Did you mean mail?"
    with pytest.raises(KnobError, match="no attribute 'zzz'") as caught:
        apply(target, "index.zzz=eq")
    assert "as the schema has it" in str(caught.value.remedy)
    for named in ("rfc822mailbox", "SN;lang-en"):
        tuner = Tuner(target, Journal())
        assert tuner.plan(tuner.catalogue.treatment([f"index.{named}=eq"], target.facts))


def test_a_schema_that_is_refused_refuses_no_index(
    target: FakeTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = server(target).search

    def refuse(base: str, **how: Any) -> list[Entry]:
        if not base:
            raise DirectoryError(Message("insufficient access"), code=50)
        return search(base, **how)

    monkeypatch.setattr(server(target), "search", refuse)
    assert schema_names(target.directory) == []
    tuner = Tuner(target, Journal())
    [new] = tuner.plan(tuner.catalogue.treatment(["index.mial=eq"], target.facts))
    assert "shows no schema: whether it has the attribute mial is not known." in str(new.describe())
    server(target).entries[MAIL] = index("pres")
    [more] = tuner.plan(tuner.catalogue.treatment(["index.mail=pres,eq"], target.facts))
    assert "schema" not in str(more.describe()), "an index of it is there already"


def test_an_index_of_the_server_itself_is_refused(target: FakeTarget) -> None:
    server(target).entries[MAIL] = index("eq", system="true")
    with pytest.raises(KnobError, match="the server itself needs"):
        apply(target, "index.mail=absent")


def test_the_index_that_entryrdn_replaced_is_removed_with_the_server_stopped(
    target: FakeTarget,
) -> None:
    """Over LDAP its file would go, too, and nothing builds it again."""
    entry = MAIL.replace("mail", "entrydn")
    server(target).entries[entry] = index("eq", system="true")
    tuner = Tuner(target, Journal())
    (planned,) = tuner.plan(tuner.catalogue.treatment(["index.entrydn=absent"], target.facts))
    assert (planned.offline, planned.asked, planned.build) == (True, None, Message(""))
    assert f"take the entry '{entry}' out of its dse.ldif" in str(planned.describe())
    with pytest.raises(ChangeError, match="cannot be set while the server runs"):
        apply(target, "index.entrydn=absent")
    with pytest.raises(KnobError, match="can only be removed"):
        apply(target, "index.entrydn=eq,sub")
    server(target).entries[LDBM]["nsslapd-subtree-rename-switch"] = ("off",)
    with pytest.raises(KnobError, match="not while nsslapd-subtree-rename-switch is off"):
        apply(target, "index.entrydn=absent")
    assert server(target).entries[entry] == index("eq", system="true")


def test_a_build_that_fails_leaves_no_index(target: FakeTarget) -> None:
    server(target).exit_code = "1"
    with pytest.raises(ChangeError, match="did not build the index of mail") as caught:
        apply(target, "index.mail=eq")
    assert "Put back as before: index.mail" in str(caught.value.safe)
    assert MAIL not in server(target).entries


def test_a_link_that_breaks_before_the_build_leaves_no_index(target: FakeTarget) -> None:
    server(target).breaks_at_task = True
    with pytest.raises(ConnectError):
        apply(target, "index.mail=eq")
    assert MAIL not in server(target).entries


def test_a_link_that_breaks_before_an_index_is_touched_builds_none(target: FakeTarget) -> None:
    server(target).entries[MAIL] = index("eq")
    server(target).breaks_at_delete = True
    with pytest.raises(ConnectError):
        apply(target, "index.mail=eq,sub")
    assert server(target).entries[MAIL] == index("eq")
    assert server(target).built == []
    assert Tuner(target, Journal()).open_changes() == []


@pytest.mark.parametrize("setting", ["index.mail=eq,sub,pres", "index.mail=eq"])
def test_an_index_of_389_ds_that_gets_other_types_is_built_anew_and_says_so(
    target: FakeTarget, setting: str
) -> None:
    object.__setattr__(target.profile, "test_server", True)
    server(target).entries[MAIL] = index("eq", "sub")
    tuner = Tuner(target, Journal())
    (planned,) = tuner.plan(tuner.catalogue.treatment([setting], target.facts))
    said = str(planned.describe())
    assert "The server builds the index while it runs" in said
    assert "All its types are built" in said
    assert "the old index serves nobody. A revert, a cancel and a safety limit do the same" in said
    assert "How much room the index needs" in str(planned.budget)


def test_a_new_index_serves_nobody_before_and_is_removed_by_a_revert(target: FakeTarget) -> None:
    tuner = Tuner(target, Journal())
    (planned,) = tuner.plan(tuner.catalogue.treatment(["index.mail=eq"], target.facts))
    assert "serves nobody" not in str(planned.describe())
    assert "data.mdb" not in str(planned.describe())
    assert "A revert builds" not in str(planned.describe())


def test_a_revert_that_broke_off_before_the_build_ends_with_it(target: FakeTarget) -> None:
    server(target).entries[MAIL] = index("eq")
    target.profile = replace(target.profile, test_server=True)
    tuner, group, _ = apply(target, "index.mail=absent")
    server(target).breaks_at_task = True
    with pytest.raises(ConnectError):
        tuner.revert(group)
    assert server(target).built == []
    target.reconnect()
    (change,) = tuner.recover()
    assert change.state is ChangeState.REVERTED
    assert server(target).built == ["mail"]


def test_a_running_build_is_waited_for_before_its_index_is_removed(
    target: FakeTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    tuner, group, _ = apply(target, "index.mail=eq")
    task = "cn=other,cn=index,cn=tasks,cn=config"
    server(target).add(task, {"nsInstance": "userRoot", "nsIndexAttribute": "MAIL:eq"})
    del server(target).entries[task]["nsTaskExitCode"]
    waited = []

    def sleep(seconds: float) -> None:
        assert MAIL in server(target).entries, "not while it is built"
        waited.append(seconds)
        server(target).entries[task]["nsTaskExitCode"] = ("0",)

    monkeypatch.setattr(index_builds.time, "sleep", sleep)
    tuner.revert(group)
    assert len(waited) == 1
    assert MAIL not in server(target).entries


def test_all_settings_are_in_the_journal_before_the_first_is_written(target: FakeTarget) -> None:
    states: list[list[ChangeState]] = []
    journal = Journal()

    def look(_: str) -> None:
        states.append([change.state for change in journal.changes()])

    target.directory.before_write = look
    tuner = Tuner(target, journal)
    wanted = ("nsslapd-lookthroughlimit=6000", "nsslapd-idlistscanlimit=5000")
    tuner.apply(tuner.catalogue.treatment(wanted, target.facts))
    intended, applied = ChangeState.INTENDED, ChangeState.APPLIED
    assert states == [[intended, intended], [applied, intended]]


def test_what_was_not_written_is_closed_when_another_setting_is_refused(
    target: FakeTarget,
) -> None:
    wanted = ("nsslapd-cachememsize=2 MiB", "nsslapd-idlistscanlimit=5000")
    tuner = Tuner(target, Journal())

    def fail(name: str) -> None:
        if name == "nsslapd-cachememsize":
            raise ChangeError(Message("No."))

    target.directory.before_write = fail
    with pytest.raises(ChangeError):
        tuner.apply(tuner.catalogue.treatment(wanted, target.facts))
    assert tuner.open_changes() == []
    assert str(tuner.journal.changes()[-1].message) == "never reached the server"


OF_OPENDJ = "cn=Index,ds-cfg-backend-id=userRoot,cn=Backends,cn=config"


@pytest.fixture
def opendj(target: FakeTarget) -> FakeTarget:
    backend = Backend("userRoot", "dc=x", OF_OPENDJ.partition(",")[2])
    target.facts = replace(
        FACTS, product="OpenDJ", version="4.6.5", db_library="je", backends=(backend,)
    )
    return target


def index_of_opendj(attribute: str, *types: str) -> dict[str, tuple[str, ...]]:
    return {"ds-cfg-attribute": (attribute,), "ds-cfg-index-type": types,
            "objectClass": ("top", "ds-cfg-backend-index")}  # fmt: skip


def test_opendj_has_an_index_by_the_same_name(opendj: FakeTarget) -> None:
    entry = f"ds-cfg-attribute=mail,{OF_OPENDJ}"
    tuner, group, (change,) = apply(opendj, "index.mail=eq,sub,ordering")
    there = index_of_opendj("mail", "equality", "substring", "ordering")
    assert server(opendj).entries[entry] == there
    assert server(opendj).built == ["mail"]
    assert tuner.read("index.mail").value == "eq,sub,ordering"
    assert "the server's task ended with COMPLETED_SUCCESSFULLY" in str(change.message)
    (task,) = [dn for dn in server(opendj).entries if dn.endswith("cn=Tasks")]
    assert server(opendj).entries[task]["ds-task-rebuild-base-dn"] == ("dc=x",)
    tuner.revert(group)
    assert entry not in server(opendj).entries


def test_opendj_gets_a_type_in_the_entry_that_is_there(opendj: FakeTarget) -> None:
    entry = f"ds-cfg-attribute=mail,{OF_OPENDJ}"
    server(opendj).entries[entry] = index_of_opendj("mail", "equality")
    tuner, group, _ = apply(opendj, "index.mail=sub,eq")
    types = "ds-cfg-index-type"
    assert server(opendj).written == [(types, ("equality", "substring"))]
    tuner.revert(group)
    assert server(opendj).written[1:] == [(types, ("equality",))]
    assert server(opendj).built == ["mail"], "taking a type out builds nothing"


def test_a_build_of_opendj_that_fails_may_leave_its_back_end_disabled(opendj: FakeTarget) -> None:
    server(opendj).exit_code = "1"
    with pytest.raises(ChangeError, match="ended with 'STOPPED_BY_ERROR'") as caught:
        apply(opendj, "index.mail=eq")
    assert "--backend-name userRoot --set enabled:true" in str(caught.value.remedy)
    assert f"ds-cfg-attribute=mail,{OF_OPENDJ}" not in server(opendj).entries


def task_of_opendj(target: FakeTarget, **attributes: str) -> dict[str, tuple[str, ...]]:
    """A task that somebody else has begun."""
    values = {name.replace("_", "-"): (value,) for name, value in attributes.items()}
    server(target).entries["ds-task-id=other,cn=Scheduled Tasks,cn=Tasks"] = values
    return values


def test_any_rebuild_of_opendj_that_runs_is_waited_for(
    opendj: FakeTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has disabled the whole back end; one that is planned for later is not waited for."""
    tuner, group, _ = apply(opendj, "index.mail=eq")
    task = task_of_opendj(opendj, ds_task_state="RUNNING", ds_task_rebuild_index="cn")
    waited: list[float] = []

    def sleep(seconds: float) -> None:
        assert f"ds-cfg-attribute=mail,{OF_OPENDJ}" in server(opendj).entries
        waited.append(seconds)
        task["ds-task-state"] = ("COMPLETED_SUCCESSFULLY",)

    monkeypatch.setattr(index_builds.time, "sleep", sleep)
    tuner.revert(group)
    assert len(waited) == 1
    task_of_opendj(opendj, ds_task_state="WAITING_ON_START_TIME", ds_task_rebuild_index="mail")
    apply(opendj, "index.cn=eq")
    assert len(waited) == 1


def test_opendj_builds_nothing_beside_a_backup(opendj: FakeTarget) -> None:
    before = dict(server(opendj).entries)
    task_of_opendj(opendj, ds_task_state="RUNNING", ds_backup_id="b1")
    with pytest.raises(
        KnobError, match=r"The task ds-task-id=other,.* of the server runs"
    ) as caught:
        apply(opendj, "index.mail=eq")
    assert "can neither build the index nor enable it again" in str(caught.value.remedy)
    assert before.items() <= server(opendj).entries.items()
    assert server(opendj).built == []


def test_an_index_that_cannot_be_built_again_now_stays_open(opendj: FakeTarget) -> None:
    """Its entry is back, and unused: that nothing was changed would not be true."""
    entry = f"ds-cfg-attribute=mail,{OF_OPENDJ}"
    server(opendj).entries[entry] = index_of_opendj("mail", "equality")
    opendj.profile = replace(opendj.profile, test_server=True)
    tuner, group, _ = apply(opendj, "index.mail=absent")
    task = task_of_opendj(opendj, ds_task_state="RUNNING", ds_backup_id="b1")
    with pytest.raises(ChangeError, match="of the server runs") as caught:
        tuner.revert(group)
    assert "Nothing was changed" not in str(caught.value)
    assert server(opendj).built == []
    task["ds-task-state"] = ("COMPLETED_SUCCESSFULLY",)
    (change,) = tuner.recover()
    assert change.state is ChangeState.REVERTED
    assert server(opendj).built == ["mail"]


def test_the_suffix_of_a_back_end_that_is_disabled_is_that_of_its_entry(
    opendj: FakeTarget,
) -> None:
    entry = f"ds-cfg-attribute=mail,{OF_OPENDJ}"
    server(opendj).entries[entry] = index_of_opendj("mail", "equality")
    opendj.profile = replace(opendj.profile, test_server=True)
    tuner, group, _ = apply(opendj, "index.mail=absent")
    opendj.facts = replace(opendj.facts, backends=())
    server(opendj).entries[OF_OPENDJ.partition(",")[2]] = {"ds-cfg-base-dn": ("dc=x",)}
    tuner.revert(group)
    (task,) = [dn for dn in server(opendj).entries if dn.endswith("cn=Tasks")]
    assert server(opendj).entries[task]["ds-task-rebuild-base-dn"] == ("dc=x",)
    assert server(opendj).entries[entry] == index_of_opendj("mail", "equality")


def test_a_longer_list_of_one_index_of_opendj_builds_it_again_and_so_does_the_revert(
    opendj: FakeTarget,
) -> None:
    entry = f"ds-cfg-attribute=mail,{OF_OPENDJ}"
    limit = {"ds-cfg-index-entry-limit": ("4000",)}
    server(opendj).entries[entry] = index_of_opendj("mail", "equality") | limit
    tuner, group, _ = apply(opendj, "backend-index-entry-limit.mail=20000")
    assert server(opendj).entries[entry]["ds-cfg-index-entry-limit"] == ("20000",)
    assert server(opendj).built == ["mail"]
    (planned,) = tuner.plan(tuner.catalogue.treatment(["backend-index-entry-limit.mail=1"],
                                                      opendj.facts))  # fmt: skip
    assert "disables the back end" in str(planned.describe())
    tuner.revert(group)
    assert server(opendj).entries[entry]["ds-cfg-index-entry-limit"] == ("4000",)
    assert server(opendj).built == ["mail", "mail"]


def test_indexes_that_opendj_needs_are_refused(opendj: FakeTarget) -> None:
    entry = f"ds-cfg-attribute=entryUUID,{OF_OPENDJ}"
    server(opendj).entries[entry] = index_of_opendj("entryUUID", "equality")
    with pytest.raises(KnobError, match="the server itself needs"):
        apply(opendj, "index.entryUUID=absent")


@pytest.fixture
def slapd(target: FakeTarget) -> FakeTarget:
    target.facts = replace(
        FACTS,
        product="OpenLDAP",
        version="2.6.10",
        db_library="mdb",
        backends=(Backend("{1}mdb", "dc=x", DATABASE),),
    )
    target.directory.entries[DATABASE] = {"olcDbIndex": ("objectClass eq", "uid,cn eq")}
    target.directory.entries[TASK_LIST] = {"monitoredInfo": ("{0}mdb_checkpoint(dc=x)",)}
    return target


def test_the_background_task_of_slapd_is_waited_for(
    slapd: FakeTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = slapd.directory.entries[TASK_LIST]
    waited: list[float] = []

    def written(_: str) -> None:
        tasks["monitoredInfo"] = ("{1}mdb_online_index(dc=x)",)

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 3:
            tasks["monitoredInfo"] = ()

    slapd.directory.after_write = written
    monkeypatch.setattr(index_builds.time, "sleep", sleep)
    _, _, (change,) = apply(slapd, "index.mail=eq")
    assert change.got == ("objectClass eq", "uid,cn eq", "mail eq")
    assert len(waited) == 3
    assert "no longer in cn=Tasklist" in str(change.message)


@pytest.mark.parametrize("watched", [True, False])
@pytest.mark.parametrize("setting", ["index.mail=eq", "index.uid=absent", "olcDbIndex+=mail eq"])
def test_what_slapd_leaves_of_an_index_is_said_before(
    slapd: FakeTarget, setting: str, watched: bool
) -> None:
    """Also where slapindex builds it: nothing drops the database of an index."""
    object.__setattr__(slapd.profile, "test_server", True)
    if not watched:
        del slapd.directory.entries[TASK_LIST]
    tuner = Tuner(slapd, Journal())
    (planned,) = tuner.plan(tuner.catalogue.treatment([setting], slapd.facts))
    assert planned.offline != watched
    assert "drops no index from data.mdb: one that is taken" in str(planned.describe())


def test_the_default_types_of_slapd_are_no_attribute(slapd: FakeTarget) -> None:
    slapd.directory.entries |= {
        "": {"subschemaSubentry": ("cn=schema",)},
        "cn=schema": {"attributeTypes": ("( 2.5.4.4 NAME 'sn' )",)},
    }
    tuner = Tuner(slapd, Journal())
    (planned,) = tuner.plan(tuner.catalogue.treatment(["index.default=eq"], slapd.facts))
    assert planned.asked == ("objectClass eq", "uid,cn eq", "default eq")


def test_where_nobody_sees_the_end_of_the_build_slapindex_builds_it(slapd: FakeTarget) -> None:
    """Only with the operator's word: slapd is stopped for it."""
    del slapd.directory.entries[TASK_LIST]
    with pytest.raises(ChangeError, match="cannot be set while the server runs") as caught:
        apply(slapd, "index.mail=eq")
    assert "run slapindex" in str(caught.value.remedy)
    assert slapd.directory.written == []


def test_one_value_is_added_and_removed_and_one_that_is_not_there_is_named(
    slapd: FakeTarget,
) -> None:
    tuner, group, (change,) = apply(slapd, "olcDbIndex+=mail eq")
    assert change.asked == ("objectClass eq", "uid,cn eq", "mail eq")
    (setting,) = tuner.journal.application(group).treatment.settings
    assert setting.operator == "+="
    tuner.revert(group)
    with pytest.raises(KnobError, match="has no value 'sn eq'") as caught:
        apply(slapd, "olcDbIndex-=sn eq")
    assert "objectClass eq, uid,cn eq" in str(caught.value.remedy)


def test_the_knobs_of_a_server_name_each_index(target: FakeTarget, slapd: FakeTarget) -> None:
    readings = Tuner(slapd, Journal()).readings()
    listed = {r.knob.name: r.value for r in readings if r.knob.name.startswith("index.")}
    assert listed == {"index.objectClass": "eq", "index.uid": "eq", "index.cn": "eq"}


def test_all_indexes_of_a_back_end_are_read_in_one_search(
    target: FakeTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A window of an experiment ends with all readings: once for each index took seconds."""
    names = [f"attribute{n}" for n in range(40)]
    for name in names:
        entry = {"cn": (name,), "nsIndexType": ("eq", "sub")}
        server(target).entries[f"cn={name},{INDEXES}"] = entry
    server(target).entries[INDEXES] = {"cn": ("index",)}
    asked: list[str] = []
    search = Server.search

    def counted(self: Server, base: str, **how: Any) -> list[Entry]:
        asked.append(base)
        return search(self, base, **how)

    monkeypatch.setattr(target.directory, "search", partial(counted, server(target)))
    readings = Tuner(target, Journal()).readings()
    listed = {r.knob.name: r.value for r in readings if r.knob.name.startswith("index.attribute")}
    assert listed == {f"index.{name}": "eq,sub" for name in names}
    assert asked.count(INDEXES) <= 2
    assert not [dn for dn in asked if dn.endswith(f",{INDEXES}")]


@pytest.mark.parametrize(
    ("types", "values"),
    [
        (("eq", "sub"), ("objectClass eq", "uid eq", "CN eq,sub")),
        (("eq",), ("objectClass eq", "uid,cn eq")),
        ((), ("objectClass eq", "uid eq")),
    ],
)
def test_a_line_that_names_several_attributes_is_parted(
    types: tuple[str, ...], values: tuple[str, ...]
) -> None:
    assert change_openldap(("objectClass eq", "uid,cn eq"), "CN", types) == values


def test_what_a_change_loses_is_named() -> None:
    before, after = ("uid,cn eq,sub",), ("uid eq,sub", "cn eq")
    assert lost("olcDbIndex", before, after) == ["cn sub"]
    assert lost("nsIndexType", ("eq", "sub"), ("eq",)) == ["sub"]
    assert lost(WHOLE_ENTRY, ("cn: mail", "nsIndexType: eq"), None) == ["eq"]


def test_a_line_without_types_has_those_of_the_default_line() -> None:
    assert names_and_types("{0}cn,uid") == (("cn", "uid"), "")
    assert types_at("olcDbIndex", ("cn",), "cn") == ("default",)
    assert types_at("olcDbIndex", ("cn eq",), "mail") is None


def test_the_classes_of_an_entry_have_one_order_and_its_types_their_own() -> None:
    """OpenDJ gives classes back in another order than it was given; types say which came first."""
    lines = ("objectClass: top", "objectClass: ds-cfg-backend-index", "nsIndexType: sub",
             "nsIndexType: eq")  # fmt: skip
    assert in_order(lines) == (*lines[2:], *lines[:2])
    assert in_order((lines[1], lines[0], *lines[2:])) == in_order(lines)
