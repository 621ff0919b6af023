"""The container of a replay's writes: noted here, made, and removed with all that is in it.

The note is on this machine's disk before the server gets anything, and goes when a search shows
that nothing is left. A replay that is killed leaves its note: `remove` can be called for it later.
"""

from __future__ import annotations

import json
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from ldap_workbench.connect.directory import Directory
from ldap_workbench.connect.folders import state_folder, unwritable, write_atomically
from ldap_workbench.model.configuration import normal_dn
from ldap_workbench.model.errors import (
    AnotherServerError,
    ChangeError,
    UsageError,
    WorkbenchError,
)
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress
from ldap_workbench.model.server_identity import ServerIdentity
from ldap_workbench.replay.player import Pace, arrivals
from ldap_workbench.replay.script import CLASS, CONTAINER, Scratch, Script, own_name
from ldap_workbench.servers.same_server import check_same_server, read_identity
from ldap_workbench.servers.target import Target

MOST_ENTRIES = 50_000
"""Made before a replay: more would take minutes, and a replay of that length is cut better."""
_AT_A_TIME = 500
"""Names asked for at once; many servers give no more."""
_TOLD_EVERY = 100
_NOTE_STAYS = Message("Nothing was removed, and the note of it stays.")
_URL_OF_BEFORE = Message(
    "Give the profile the URL of before, or another of that server, then clean again."
)


@dataclass(frozen=True)
class Leftover:
    """A container that stands on a server, or may."""

    path: Path
    """Of the note."""
    profile: str
    url: str
    container: str
    identity: str = ""
    """Of the server it stands on, as `TargetFacts.identity`; '' where not known."""
    host: str = ""

    @property
    def server(self) -> ServerIdentity:
        """What it stands on."""
        return ServerIdentity(self.identity, self.host)


def leftovers(profile: str = "") -> list[Leftover]:
    """What replays have left behind, and what those at work use now; of one profile or of all."""
    notes = []
    for path in sorted(_folder().glob("*.json")):
        try:
            note = json.loads(path.read_text("utf-8"))
            names = [str(note[name]) for name in ("profile", "url", "container")]
            known = [str(note.get(name, "")) for name in ("identity", "host")]
            left = Leftover(path, *names, *known)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ChangeError(
                Message("{path} cannot be read: {reason}.", path=str(path), reason=str(error)),
                safe=Message("Nothing was removed."),
                remedy=Message(
                    "Look on your test servers for entries named {name}..., remove them and this "
                    "file.",
                    name=f"ou={CONTAINER}",
                ),
            ) from error
        if profile in ("", left.profile):
            notes.append(left)
    return notes


@dataclass(frozen=True)
class PlannedWrites:
    """What a replay is going to write, and below which entry."""

    parent: str
    counts: Mapping[str, int]
    """Writes by type."""
    names: tuple[str, ...]
    """Of the entries that are made before it starts."""

    @classmethod
    def of(cls, script: Script, pace: Pace, target: Target, parent: str) -> PlannedWrites:
        """Raises UsageError where this replay may not write there, or has nothing to write."""
        check_parent(target, parent)
        counts: Counter[str] = Counter()
        for arrival in arrivals(script, pace):
            counts.update(one.write for one in arrival.conversation.requests if one.write)
        names = tuple(
            islice(Scratch(parent, script).needed(arrivals(script, pace)), MOST_ENTRIES + 1)
        )
        if not counts or len(names) > MOST_ENTRIES:
            raise UsageError(
                Message("The replay holds no change that could be sent.")
                if not counts
                else Message("The replay needs more than {n} entries of its own.", n=MOST_ENTRIES),
                safe=Message("Nothing was sent."),
                remedy=Message("Leave out --writes-under, or choose another or a shorter window."),
            )
        return cls(parent, counts, names)

    def container(
        self, target: Target, progress: OnProgress, cancel: Cancel
    ) -> AbstractContextManager[str]:
        """As `container_under`, with the entries of this plan."""
        return container_under(target, self.parent, self.names, progress=progress, cancel=cancel)


def check_parent(target: Target, parent: str) -> None:
    """Raises UsageError where a replay may not write below this DN."""
    profile = target.profile
    if not profile.test_server:
        raise UsageError(
            Message("The profile '{name}' does not allow replays to write.", name=profile.name),
            safe=Message("Nothing was sent."),
            remedy=Message("If it is a test server, add the profile again with --test-server."),
        )
    if not profile.bind_dn:
        raise UsageError(
            Message("The profile '{name}' has no bind DN to write as.", name=profile.name),
            safe=Message("Nothing was sent."),
            remedy=Message("Add the profile again with --bind-dn."),
        )
    [root] = target.directory.search("", attributes=["namingContexts"])
    contexts = [normal_dn(context) for context in root.values("namingContexts") or ()]
    inside = any(
        context and f",{normal_dn(parent)}".endswith(f",{context}") for context in contexts
    )
    if not inside or not target.directory.search(parent, attributes=["1.1"]):
        raise UsageError(
            Message("There is no entry '{dn}' in the data of this server.", dn=parent),
            safe=Message("Nothing was sent."),
            remedy=Message("Name an entry below one of its suffixes: {dns}", dns=tuple(contexts)),
        )


@contextmanager
def container_under(
    target: Target,
    parent: str,
    names: Iterable[str],
    *,
    progress: OnProgress = no_progress,
    cancel: Cancel | None = None,
) -> Iterator[str]:
    """The DN of a new container with entries of these names; removed however the block ends.

    Raises what the server refuses, and ChangeError where not all could be removed.
    """
    name = f"{CONTAINER}{secrets.token_hex(6)}"
    left = _note(target, name, f"ou={name},{parent}")
    try:
        _make(target.directory, left.container, name, names, progress, cancel or Cancel())
        yield left.container
    finally:
        progress(Progress(Message("Removing the entries of the replay")))
        # The link of before may be broken, or have been idle for too long.
        with _kept_on_failure(left), closing(target.another_directory()) as directory:
            remove(directory, left)


def remove(directory: Directory, left: Leftover) -> int:
    """Remove a container with the entries of the replay, and the note of it; returns how many.

    Only entries with names of ours go; with another one in it the container stays, and the server's
    refusal is raised. The note goes once the server it was made on shows that the container is
    gone: AnotherServerError is raised on another one, ChangeError where it cannot be seen.
    """
    _check_server(directory, left)
    removed, before = 0, [""]
    while (ours := _own_entries(directory, left.container)) and ours != before:
        for name in ours:
            directory.delete(f"cn={name},{left.container}")
        removed, before = removed + len(ours), ours
    if directory.search(left.container, attributes=["1.1"]):
        directory.delete(left.container)
    if directory.search(left.container, attributes=["1.1"]):
        raise _not_seen(left, Message("{dn} is still there", dn=left.container))
    left.path.unlink(missing_ok=True)
    return removed


def _check_server(directory: Directory, left: Leftover) -> None:
    """Whether a container that is not shown here is gone, or was never here.

    Where neither identity is known, the URL must be that of before.
    """
    now = read_identity(directory)
    try:
        check_same_server(directory.url, left.server, now)
    except AnotherServerError as error:
        error.safe, error.remedy = _NOTE_STAYS, _URL_OF_BEFORE
        raise
    if not (left.server.known and now.known) and directory.url != left.url:
        raise AnotherServerError(
            Message(
                "The replay wrote to {before}, and the profile leads to {now} now; whether that is "
                "the same server is not known.",
                before=left.url,
                now=directory.url,
            ),
            safe=_NOTE_STAYS,
            remedy=_URL_OF_BEFORE,
        )
    parent = left.container.partition(",")[2]
    if not directory.search(parent, attributes=["1.1"]):
        raise _not_seen(left, Message("{dn} cannot be seen", dn=parent))


def _not_seen(left: Leftover, why: Message) -> ChangeError:
    return ChangeError(
        Message("Whether {dn} is gone is not known: {why}.", dn=left.container, why=why),
        safe=_NOTE_STAYS,
        remedy=Message(
            "Bind as a user who may read it. If it is gone for certain, remove {path}.",
            path=str(left.path),
        ),
    )


def _own_entries(directory: Directory, container: str) -> list[str]:
    """Names of some of them: the DNs a server shows are taken for no more than that."""
    names = map(own_name, directory.children(container, _AT_A_TIME))
    return [name for name in names if name]


def _folder() -> Path:
    return state_folder() / "replays"


def _note(target: Target, name: str, container: str) -> Leftover:
    left = Leftover(
        _folder() / f"{name}.json",
        target.profile.name,
        target.server,
        container,
        target.facts.identity,
        target.facts.host,
    )
    note = asdict(left)
    del note["path"]
    try:
        write_atomically(left.path, json.dumps(note))
    except OSError as error:
        raise unwritable(left.path, error) from error
    return left


def _make(
    directory: Directory,
    container: str,
    name: str,
    names: Iterable[str],
    progress: OnProgress,
    cancel: Cancel,
) -> None:
    directory.add(container, {"objectClass": "organizationalUnit", "ou": name})
    for number, cn in enumerate(names):
        if cancel:
            return
        if number % _TOLD_EVERY == 0:
            progress(Progress(Message("Making the entries of the replay: {n}", n=number)))
        entry = {"objectClass": CLASS, "cn": cn, "description": "replayed"}
        directory.add(f"cn={cn},{container}", entry)


@contextmanager
def _kept_on_failure(left: Leftover) -> Iterator[None]:
    try:
        yield
    except WorkbenchError as error:
        raise ChangeError(
            Message(
                "The entries of the replay below {dn} could not be removed: {reason}",
                dn=left.container,
                reason=error.what,
            ),
            safe=Message("Nothing else was written."),
            remedy=Message(
                "Once the server answers: ldap-workbench replay clean {profile}",
                profile=left.profile,
            ),
        ) from error
