"""The builds that indexes need: started, watched, waited for.

An index is written in the configuration and then built by the server: 389 DS and OpenDJ in a task
that is started by an entry, slapd by itself in the background. Until it is built it serves nobody,
so a change of an index is made when its build has ended, and while one runs none is undone.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from ldap_workbench.connect.directory import Entry
from ldap_workbench.model.errors import ChangeError, KnobError, WorkbenchError
from ldap_workbench.model.message import NOTHING, Message, sentences
from ldap_workbench.model.progress import Cancel, OnProgress, Progress
from ldap_workbench.tuning.indexes import (
    ENABLED,
    LINES,
    OPENDJ,
    VLV,
    Place,
    attribute_and_backend,
    entries_at,
    suffix_of,
)
from ldap_workbench.tuning.slapd_index import database_of
from ldap_workbench.tuning.tunable import Tunable

_TASK_LIST = "cn=Tasklist,cn=Threads,cn=Monitor"
_BUILDING = "online_index("
"""How slapd calls its task: mdb_online_index(dc=example,dc=com)."""
_TASK_LASTS_S = "120"
"""How long 389 DS keeps the entry of a task that has ended, s: nobody may delete it."""
_CANCEL = "nsTaskCancel"
_AT_WORK = "RUNNING"
_SUFFIX = "ds-cfg-base-dn"
_FIRST_LOOK_S, _LONGEST_PAUSE_S = 0.1, 2.0


@dataclass(frozen=True)
class _Tasks:
    """Entries by which a product starts and shows its tasks: the attributes of one that builds."""

    parent: str
    named_by: str
    index: str
    database: str
    """Its name or its suffix."""
    state: str
    said: str
    fixed: dict[str, str | list[str]]
    under_way: tuple[str, ...]
    """States of a task that has not ended; absent is one, too."""
    success: str


_OF_389 = _Tasks(
    "cn=index,cn=tasks,cn=config",
    "cn",
    "nsIndexAttribute",
    "nsInstance",
    "nsTaskExitCode",
    "nsTaskStatus",
    {"objectClass": ["top", "extensibleObject"], "ttl": _TASK_LASTS_S},
    (),
    "0",
)
_OF_VLV = replace(_OF_389, index="nsIndexVLVAttribute")
_OF_OPENDJ = _Tasks(
    "cn=Scheduled Tasks,cn=Tasks",
    "ds-task-id",
    "ds-task-rebuild-index",
    "ds-task-rebuild-base-dn",
    "ds-task-state",
    "ds-task-log-message",
    {
        "objectClass": ["top", "ds-task", "ds-task-rebuild"],
        "ds-task-class-name": "org.opends.server.tasks.RebuildTask",
    },
    ("UNSCHEDULED", "WAITING_ON_START_TIME", "WAITING_ON_DEPENDENCY", _AT_WORK),
    "COMPLETED_SUCCESSFULLY",
)


def task_of(dn: str, suffix: str, name: str) -> tuple[str, dict[str, str | list[str]]]:
    """The task by which the server builds the index of an entry: its DN and attributes.

    `suffix` is that of its back end. Raises ValueError for another entry.
    """
    tasks, (attribute, backend) = _tasks_of(dn), attribute_and_backend(dn)
    names: dict[str, str | list[str]] = {
        tasks.named_by: name,
        tasks.database: suffix if tasks is _OF_OPENDJ else backend,
        tasks.index: attribute,
    }
    return f"{tasks.named_by}={name},{tasks.parent}", tasks.fixed | names


def _tasks_of(dn: str) -> _Tasks:
    way = entries_at(dn)
    if way is VLV:
        return _OF_VLV
    return _OF_OPENDJ if way is OPENDJ else _OF_389


class Builds:
    """The builds of a server's indexes: started, waited for. Used from the target's thread."""

    def __init__(self, target: Tunable) -> None:
        self._target = target

    def check(self, place: Place) -> None:
        """Raises KnobError where an index could not be built now, or not be seen to be built."""
        lines = place.attribute.lower() == LINES.lower()
        if lines and not self.unseen(place) and self._slapd_tasks() is None:
            raise KnobError(
                Message("When slapd has built an index is seen in {dn} alone.", dn=_TASK_LIST),
                safe=Message("Nothing was changed."),
                remedy=Message("Load back-monitor, and let this bind user read cn=Monitor."),
            )
        if entries_at(place.dn) is OPENDJ and (task := self._other_task()):
            what, remedy = _beside(task)
            raise KnobError(what, safe=Message("Nothing was changed."), remedy=remedy)

    def unseen(self, place: Place) -> bool:
        """Whether slapd would build an index unseen: slapindex builds it with slapd stopped."""
        return bool(database_of(place)) and self._slapd_tasks() is None

    def wait(self, place: Place, progress: OnProgress, cancel: Cancel) -> None:
        """Wait until no build of the index at a place runs."""
        if place.attribute.lower() == LINES.lower():
            suffix = suffix_of(self._target, place.dn)
            self._until(lambda: not self._slapd_builds(suffix), NOTHING, progress, cancel)
        elif entries_at(place.dn):
            tasks = _tasks_of(place.dn)
            for dn in self._rebuilds() if tasks is _OF_OPENDJ else self._running(place.dn):
                self._until(partial(self._has_ended, tasks, dn), NOTHING, progress, cancel)

    def build(self, place: Place, progress: OnProgress, cancel: Cancel) -> Message:
        """Build the index at a place; says how its end was seen. Raises ChangeError."""
        begun = time.monotonic()
        if place.attribute.lower() == LINES.lower():
            self.wait(place, progress, cancel)
            return Message(
                "Index built in {seconds:.1f} s: its task is no longer in {dn}.",
                seconds=time.monotonic() - begun,
                dn=_TASK_LIST,
            )
        tasks, (attribute, backend) = _tasks_of(place.dn), attribute_and_backend(place.dn)
        self.wait(place, progress, cancel)  # one that was begun before may not have ended
        if tasks is _OF_OPENDJ and (task_at_work := self._other_task()):
            what, remedy = _beside(task_at_work)
            raise ChangeError(what, safe=NOTHING, remedy=remedy)
        name = f"ldap-workbench-{uuid.uuid4().hex[:12]}"
        dn, task = task_of(place.dn, self._suffix(place.dn), name)
        self._target.directory.add(dn, task)
        text = Message("Building the index of {attribute}", attribute=attribute)
        ended, share = partial(self._has_ended, tasks, dn), partial(self._share, dn)
        try:
            self._until(ended, text, progress, cancel, share)
        except BaseException:
            self._ask_to_end(tasks, dn)
            raise
        state, said = self._result(tasks, dn)
        if state != tasks.success:
            raise ChangeError(
                Message(
                    "The server did not build the index of {attribute}: its task ended with "
                    "'{code}'. It said: {said}",
                    attribute=attribute,
                    code=state or "",
                    said=said,
                ),
                safe=NOTHING,  # what became of it is said by who takes it back
                remedy=sentences(
                    Message("Read the server's log for the cause."),
                    Message(
                        "Where the back end is still disabled, enable it: "
                        "dsconfig set-backend-prop --backend-name {backend} --set enabled:true",
                        backend=backend,
                    )
                    if tasks is _OF_OPENDJ
                    else NOTHING,
                ),
            )
        if tasks is _OF_VLV:
            self._check_enabled(place.dn)
        return Message(
            "Index built in {seconds:.1f} s: the server's task ended with {code}.",
            seconds=time.monotonic() - begun,
            code=state if tasks is _OF_OPENDJ else Message("exit code 0"),
        )

    def _ask_to_end(self, tasks: _Tasks, dn: str) -> None:
        """Cancel a task of 389 DS, which it may ignore: then its end is waited for before the undo.

        Nothing else can be cancelled: OpenDJ's rebuild is not interruptable (4.6.5), and slapd's
        thread goes through all entries, with a write of its configuration waiting for it.
        """
        if tasks in (_OF_389, _OF_VLV):
            with suppress(WorkbenchError):  # it has ended, cannot be, or the link is broken
                self._target.directory.replace(dn, _CANCEL, ("true",), expected=None)

    def _check_enabled(self, dn: str) -> None:
        """Raises ChangeError where a sorted list is not in use.

        A task ends well also where the server knows no list of that name (tried on 2.3.1).
        """
        entries = self._target.directory.search(dn, attributes=(ENABLED,))
        if not entries or entries[0].first(ENABLED) != "1":
            raise ChangeError(
                Message("The server's task ended well, and its list {dn} is not in use.", dn=dn),
                safe=NOTHING,  # what became of it is said by who takes it back
                remedy=Message("Read the server's log for the cause."),
            )

    def _until(
        self,
        ended: Callable[[], bool],
        text: Message,
        progress: OnProgress,
        cancel: Cancel,
        share: Callable[[], float | None] = lambda: None,
    ) -> None:
        pause = _FIRST_LOOK_S
        while not ended():
            cancel.check()
            progress(Progress(text or Message("Waiting for the build of an index"), share()))
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)
        cancel.check()

    def _has_ended(self, tasks: _Tasks, dn: str) -> bool:
        return self._result(tasks, dn)[0] is not None

    def _result(self, tasks: _Tasks, dn: str) -> tuple[str | None, str]:
        """How a task ended, None while it is under way, and the last it said.

        '' where there is no such task: a restart of 389 DS ends them and takes their entries.
        """
        entries = self._target.directory.search(dn, attributes=(tasks.state, tasks.said))
        if not entries:
            return "", ""
        said = entries[0].values(tasks.said) or ("",)
        return _end(tasks, entries[0]), said[-1]

    def _share(self, dn: str) -> float | None:
        names = ("nsTaskCurrentItem", "nsTaskTotalItems")
        entries = self._target.directory.search(dn, attributes=names)
        done, total = (int(entries[0].first(name) or 0) if entries else 0 for name in names)
        return min(done / total, 1.0) if done and total else None

    def _running(self, place_dn: str) -> list[str]:
        """The tasks of 389 DS that build the index of an entry."""
        tasks, (attribute, backend) = _tasks_of(place_dn), attribute_and_backend(place_dn)
        return [
            entry.dn
            for entry in self._tasks(tasks)
            if _end(tasks, entry) is None
            and (entry.first(tasks.database) or "").lower() == backend.lower()
            and attribute.lower()
            in {name.partition(":")[0].lower() for name in entry.values(tasks.index) or ()}
        ]

    def _rebuilds(self) -> list[str]:
        """The rebuilds of OpenDJ at work: each has disabled the whole of a back end."""
        return [
            entry.dn
            for entry in self._tasks(_OF_OPENDJ)
            if entry.first(_OF_OPENDJ.state) == _AT_WORK and entry.values(_OF_OPENDJ.index)
        ]

    def _other_task(self) -> str:
        """A task of OpenDJ at work that is no rebuild: it may hold the back end; '' for none."""
        at_work = (
            entry.dn
            for entry in self._tasks(_OF_OPENDJ)
            if entry.first(_OF_OPENDJ.state) == _AT_WORK and not entry.values(_OF_OPENDJ.index)
        )
        return next(at_work, "")

    def _tasks(self, tasks: _Tasks) -> list[Entry]:
        names = (tasks.database, tasks.index, tasks.state)
        return self._target.directory.search(tasks.parent, scope="one", attributes=names)

    def _suffix(self, place_dn: str) -> str:
        """The suffix of the back end of an entry, also where OpenDJ has disabled it."""
        if suffix := suffix_of(self._target, place_dn):
            return suffix
        above = place_dn.split(",", 2)[2]  # behind its name and cn=index
        entries = self._target.directory.search(above, attributes=(_SUFFIX,))
        return (entries[0].first(_SUFFIX) or "") if entries else ""

    def _slapd_tasks(self) -> tuple[str, ...] | None:
        entries = self._target.directory.search(_TASK_LIST, attributes=("monitoredInfo",))
        return (entries[0].values("monitoredInfo") or ()) if entries else None

    def _slapd_builds(self, suffix: str) -> bool:
        tasks = self._slapd_tasks() or ()
        return any(f"{_BUILDING}{suffix}".lower() in task.lower() for task in tasks)


def _beside(task: str) -> tuple[Message, Message]:
    """What a task of OpenDJ at work means for a rebuild, and what to do."""
    return (
        Message("The task {task} of the server runs.", task=task),
        Message(
            "Wait until it has ended: beside a backup or an export OpenDJ disables the "
            "back end, and can neither build the index nor enable it again."
        ),
    )


def _end(tasks: _Tasks, entry: Entry) -> str | None:
    """How a task ended; None while it is under way."""
    state = entry.first(tasks.state)
    return None if state in tasks.under_way else state
