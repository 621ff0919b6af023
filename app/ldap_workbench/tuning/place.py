"""Where a knob's value lies on a target, and how it is read and written there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ldap_workbench.connect.commands import host_path
from ldap_workbench.connect.directory import Entry
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.model.change import WHOLE_ENTRY
from ldap_workbench.model.errors import ConflictError, KnobError
from ldap_workbench.model.knob import Knob
from ldap_workbench.model.message import NOTHING, Message, verbatim
from ldap_workbench.model.passwords import without_passwords
from ldap_workbench.model.progress import Cancel, OnProgress, no_progress
from ldap_workbench.model.server_identity import ServerIdentity
from ldap_workbench.servers.host import DEVICE_NAME
from ldap_workbench.servers.same_server import (
    check_host,
    check_same_server,
    identity_in,
    read_identity,
)
from ldap_workbench.tuning.catalogue import place_of
from ldap_workbench.tuning.entries import Entries, is_back_end
from ldap_workbench.tuning.host_values import (
    HostValues,
    KernelTexts,
    command_failure,
    failed,
    unreadable,
)
from ldap_workbench.tuning.index_builds import Builds
from ldap_workbench.tuning.indexes import (
    attributes_of,
    builds_again,
    entries_at,
    is_index,
    lines_of,
    must_build,
    stored_types,
    types_at,
    types_to_replace,
)
from ldap_workbench.tuning.java_args import (
    args_in,
    is_java_args,
    line_in,
    with_line,
)
from ldap_workbench.tuning.journal import server_name
from ldap_workbench.tuning.server_file import ServerFile
from ldap_workbench.tuning.tunable import Tunable
from ldap_workbench.tuning.unit_file import is_drop_in, unit_file
from ldap_workbench.tuning.vlv import SEARCH, describe_search

Values = tuple[str, ...] | None
"""The values of an attribute; None is absent."""

_INDEXES = {f"objectClass: {name}" for name in ("nsIndex", "ds-cfg-backend-index", "vlvIndex")}


@dataclass(frozen=True)
class KnobLocation:
    """A place of one server: an attribute of an entry or, WHOLE_ENTRY, all of it.

    With an empty dn it is a kernel file.
    """

    server: str
    dn: str
    attribute: str

    @property
    def label(self) -> Message:
        """As a person reads it."""
        if not self.dn:
            return verbatim(self.attribute)
        if self.attribute == WHOLE_ENTRY:
            return verbatim(self.dn)
        return Message("{attribute} of {dn}", attribute=self.attribute, dn=self.dn)


class Places:
    """Reads and writes the places where a target's knobs lie. Belongs to the target's thread."""

    def __init__(self, target: Tunable, by_way_of: Mapping[str, str] | None = None) -> None:
        self._target = target
        self._by_way_of = by_way_of or {}
        self._entries = Entries(target)
        self._builds = Builds(target)
        self.progress: OnProgress = no_progress
        """Hears how far the build of an index is."""
        self.new_certificate = False
        """The operator's word that another certificate is a renewed one of the same server."""

    @property
    def target(self) -> Tunable:
        return self._target

    def locate(self, knob: Knob, place: str) -> KnobLocation:
        """Where a knob lies here.

        Raises KnobError when the backend or device is not known, and for a knob of each attribute.
        """
        _check_one(knob)
        place = place_of(knob, place, self._target.facts)
        if knob.on_host:
            if "{device}" in knob.path:
                _check_name(place)
            path = knob.path.replace("{device}", place)
            if "{unit}" in path:
                path = path.replace("{unit}", unit_file(self._target.profile))
            return KnobLocation(server_name(self._shell().name), "", path)
        dn = self._entries.locate(knob, place)
        return KnobLocation(server_name(self._target.directory.url), dn, knob.stored_as)

    def read(self, location: KnobLocation, texts: KernelTexts | None = None) -> Values:
        """The values as they are now, None where absent. A scheduler is the one in brackets.

        A kernel file among `texts` (kernel_texts) is not read once more.
        """
        if not location.dn:
            return HostValues(self._shell()).read(location.attribute, texts)
        if is_java_args(location.dn, location.attribute):
            return line_in(self._java_file(location))
        if location.attribute == WHOLE_ENTRY:
            entries = self._target.directory.search(location.dn)
            return lines_of(entries[0]) if entries else None
        if is_back_end(location.dn) and not self._target.directory.search(location.dn):
            return None
        return self._entry(location).values(location.attribute)

    def kernel_texts(self, locations: Iterable[KnobLocation]) -> KernelTexts:
        """What the kernel files among these say, read by one command; `read` reads the others."""
        if self._target.shell is None:
            return {}
        paths = {location.attribute for location in locations if not location.dn}
        return HostValues(self._target.shell).texts(paths)

    def write(self, location: KnobLocation, values: Values, expected: Values) -> str:
        """Set the values only if they read `expected`; returns what the server said.

        Raises ConflictError, DirectoryError, CommandError, ConnectError, and AnotherServerError
        where the name leads to another server by now.
        """
        self.check_server()
        if not location.dn:
            check_host(self._shell(), self._target.facts)
            host = HostValues(self._shell())
            _check_expected(location, host.read(location.attribute), expected, values)
            return host.put(location.attribute, values)
        if is_java_args(location.dn, location.attribute):
            check_host(self._shell(), self._target.facts)
            return self._put_java_args(location, values, expected)
        if is_index(location.dn, location.attribute) or builds_again(location):
            self._builds.wait(location, self.progress, Cancel())
        if location.attribute == WHOLE_ENTRY:
            return self._put_entry(location, values, expected)
        replace = self._target.directory.replace
        between = self.before_absent(location)
        if values is None and between is not None and expected is not None:
            replace(location.dn, location.attribute, between, expected=expected)
            expected = between
        return replace(location.dn, location.attribute, values, expected=expected)

    def finish(self, location: KnobLocation, values: Values) -> None:
        """Once more the second step of a write, where the file has the values already.

        It makes known what the file says; one that ended halfway may not have come to it.
        """
        drop_in = not location.dn and is_drop_in(location.attribute)
        if not drop_in and not is_java_args(location.dn, location.attribute):
            return
        check_host(self._shell(), self._target.facts)
        if drop_in:
            HostValues(self._shell()).put(location.attribute, values)
        else:
            ServerFile(location.dn, self._run).apply_java()

    def java_args(self, location: KnobLocation) -> str:
        """The arguments that OpenDJ's JVM would be started with."""
        return args_in(self._java_file(location))

    def build(
        self, location: KnobLocation, before: Values, after: Values, cancel: Cancel | None = None
    ) -> Message:
        """Build the index that a write has made, and say how its end was seen.

        NOTHING where the write has made none.
        """
        if not must_build(location, before, after):
            return NOTHING
        return self._builds.build(location, self.progress, Cancel() if cancel is None else cancel)

    def check_build(self, location: KnobLocation) -> None:
        """Raises KnobError where an index could not be built now, or not be seen to be built."""
        self._builds.check(location)

    def builds_unseen(self, location: KnobLocation) -> bool:
        """Whether slapd would build an index unseen: slapindex builds it with slapd stopped."""
        return self._builds.unseen(location)

    def check_server(self, noted: ServerIdentity | None = None) -> None:
        """Raises AnotherServerError where the server that answers is known not to be this one.

        Without `noted` it is the server that was connected to.
        """
        directory = self._target.directory
        facts, url = self._target.facts, server_name(directory.url)
        now = replace(read_identity(directory), machine=facts.machine, url=url)
        noted = identity_in(facts, url) if noted is None else noted
        if self.new_certificate:
            noted = replace(noted, certificate="")
        check_same_server(url, noted, now)

    def before_absent(self, location: KnobLocation) -> Values:
        """What an attribute is set to before it is deleted.

        For versions in which a deleted value stays in force; None where it is deleted as it is.
        """
        default = self._by_way_of.get(location.attribute)
        return None if default is None else (default,)

    def offered(self, location: KnobLocation) -> tuple[str, ...]:
        """The words a kernel file offers where it lists them with one in brackets; else ()."""
        return HostValues(self._shell()).offered(location.attribute)

    def _entry(self, location: KnobLocation) -> Entry:
        entries = self._target.directory.search(location.dn, attributes=(location.attribute,))
        if not entries:
            raise KnobError(
                Message(
                    "The server has no entry {dn}, or this bind user may not read it.",
                    dn=location.dn,
                ),
                safe=Message("Nothing was changed."),
                remedy=Message(
                    "Bind as a user who may read cn=config: cn=Directory Manager of 389 DS, "
                    "cn=admin,cn=config of OpenLDAP."
                ),
            )
        return entries[0]

    def _put_entry(self, location: KnobLocation, values: Values, expected: Values) -> str:
        now = self.read(location)
        _check_expected(location, now, expected, values)
        if (types := types_to_replace(location.dn, now, values)) and (
            way := entries_at(location.dn)
        ):
            there = stored_types(now or ())
            return self._target.directory.replace(location.dn, way.types, types, expected=there)
        if now is not None:
            self._target.directory.delete(location.dn)
        if values is not None:
            self._target.directory.add(location.dn, attributes_of(values))
        return ""

    def _java_file(self, location: KnobLocation) -> str:
        result = self._shell().run(["cat", host_path(location.dn)])
        if result.status != 0:
            raise failed(unreadable(location.dn), command_failure(result), result.status)
        return result.stdout.decode("utf-8", "surrogateescape")

    def _put_java_args(self, location: KnobLocation, values: Values, expected: Values) -> str:
        text = self._java_file(location)
        if (now := line_in(text)) != expected:
            described = (describe_java(state) for state in (expected, values, now))
            raise ConflictError(location.label, *described)
        new = with_line(text, values).encode("utf-8", "surrogateescape")
        file = ServerFile(location.dn, self._run)
        file.put(new)
        file.apply_java()
        return ""

    def _run(self, argv: list[str], stdin: bytes) -> bytes:
        result = self._shell().run(argv, stdin=stdin, sudo=True)
        if result.status != 0:
            what = Message("{path} could not be written", path=argv[4])
            raise failed(what, command_failure(result), result.status)
        return result.stdout

    def _shell(self) -> RemoteShell:
        if self._target.shell is None:
            raise KnobError(
                Message("Knobs of the host need a shell on it, and the profile has none."),
                safe=Message("Nothing was changed."),
                remedy=Message(
                    "Add SSH to the profile, or --local when the server runs on this machine."
                ),
            )
        return self._target.shell


def _check_expected(location: KnobLocation, now: Values, expected: Values, values: Values) -> None:
    """Raises ConflictError where somebody else has set a place meanwhile."""
    if now != expected:
        described = (describe_values(state) for state in (expected, values, now))
        raise ConflictError(location.label, *described)


def describe_values(values: Sequence[str] | None) -> Message:
    """Values for a sentence: 'absent', '60', 'a, b'; of the entry of an index its types."""
    if values is None:
        return Message("absent")
    if not _INDEXES.isdisjoint(values):
        types = types_at(WHOLE_ENTRY, tuple(values), "")
        return verbatim(", ".join(types or ()))
    if SEARCH in values:
        return verbatim(describe_search(values))
    return verbatim(", ".join(values))


def describe_java(line: Values) -> Message:
    """The arguments of a JVM for a sentence, without passwords."""
    return describe_values(None if line is None else tuple(map(without_passwords, line)))


def _check_one(knob: Knob) -> None:
    if knob.per_attribute and not knob.of_attribute:
        raise KnobError(
            Message("There is one {knob} for each attribute.", knob=knob.name),
            safe=Message("Nothing was changed."),
            remedy=Message("Name the attribute, such as {knob}.mail.", knob=knob.name),
        )


def _check_name(device: str) -> None:
    if not DEVICE_NAME.fullmatch(device):
        raise KnobError(
            Message("'{device}' is not the name of a block device.", device=device),
            remedy=Message("Write the name as in /sys/block, such as sda or nvme0n1."),
        )
