"""Which settings the stored configuration of a server holds, read on its host.

389 DS shows a value for every attribute of cn=config, also where its dse.ldif has none: the number
of threads it has chosen, a default. Put back as that value it would be pinned, so whoever changes
one looks here first, and a revert deletes what was not stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ldap_workbench.connect.commands import HostScript, host_path
from ldap_workbench.model.change import WHOLE_ENTRY, Change, ChangeState, Origin
from ldap_workbench.model.errors import ChangeError, ConnectError, WorkbenchError
from ldap_workbench.model.knob import Effect, Knob
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.servers.product import product_of
from ldap_workbench.servers.same_server import check_same_server, identity_in
from ldap_workbench.tuning.config_file import config_file, identity_in_file, values_in
from ldap_workbench.tuning.host_values import command_failure
from ldap_workbench.tuning.place import KnobLocation, Values
from ldap_workbench.tuning.server_file import as_owner
from ldap_workbench.tuning.tunable import Tunable
from ldap_workbench.tuning.versions import is_pinned

# $1 the path of a dse.ldif. Of each entry its DN and the names of its attributes, no values: they
# are passwords and keys among others. Printed whole are the four that say whose file it is, and the
# one knob that reads as another value than is stored: -1 threads as the number chosen. Names have
# small letters where the server was started with nsslapd-return-exact-case off.
_NAMES = """\
exec sed -n -E "
:top
/^(dn|create[Tt]imestamp|nsslapd-localhost|nsslapd-port|nsslapd-certdir|nsslapd-threadnumber):/{
p
:more
n
/^ /{
p
b more
}
b top
}
s/^([A-Za-z][-A-Za-z0-9.;]*:).*/\\1/p
/./!p
" "$1"
"""
STORED_NAMES = HostScript("stored-names", as_owner(_NAMES))
_READS_OTHERWISE = "nsslapd-threadnumber"


@dataclass(frozen=True)
class StoredNames:
    """The names of the attributes in a dse.ldif, or why they are not known."""

    text: str = ""
    why: Message = NOTHING

    def has(self, location: KnobLocation) -> bool | None:
        """Whether a value is stored there; None where that is not known."""
        if self.why:
            return None
        try:
            return values_in(self.text, location.dn, location.attribute) is not None
        except ChangeError:
            return None  # an entry that is not in the file is none of a stored configuration

    def otherwise(self, location: KnobLocation, reads: Values) -> Values:
        """What is stored where the server makes another value of it; else None."""
        if self.why or location.attribute.lower() != _READS_OTHERWISE:
            return None
        values = values_in(self.text, location.dn, location.attribute)
        return None if values == reads else values


def shows_what_is_not_stored(target: Tunable) -> bool:
    """Whether this server shows values that are not stored; the practice directory stores all."""
    return product_of(target.facts) == "389ds" and not target.facts.simulated


def read_stored(target: Tunable) -> StoredNames:
    """What the dse.ldif of a 389 DS has; `why` where it cannot be read or is another server's.

    Raises ConnectError where a link broke meanwhile.
    """
    if target.shell is None:
        return StoredNames(why=Message("The profile has no shell on its host."))
    try:
        path = host_path(config_file(target))
        result = target.shell.run(STORED_NAMES.argv(path), sudo=True)
        if result.status:
            reason = command_failure(result)
            return StoredNames(
                why=Message("{path} could not be read: {reason}.", path=path, reason=reason)
            )
        text = result.stdout.decode("utf-8", "replace")
        stored, here = identity_in_file(text), identity_in(target.facts)
        check_same_server(target.shell.name, here, stored)
    except ConnectError:
        raise
    except WorkbenchError as error:
        return StoredNames(why=error.what)
    if not (stored.known and here.known):
        return StoredNames(why=Message("It is not known whose {path} is.", path=path))
    return StoredNames(text)


def origin_of(
    knob: Knob, location: KnobLocation, before: Values, stored: StoredNames, version: str
) -> Origin:
    """Where the value of an attribute comes from that is about to be changed."""
    whole = location.attribute == WHOLE_ENTRY
    if before is None or not location.dn or whole or knob.effect is Effect.OFFLINE:
        return Origin.STORED
    has = stored.has(location)
    if has is None:
        return Origin.UNKNOWN if knob.computed else Origin.STORED
    if has:
        return Origin.STORED
    return Origin.PINNED if is_pinned(knob, version) else Origin.AUTOMATIC


def origin_before_ours(
    origin: Origin, location: KnobLocation, before: Values, changes: Iterable[Change]
) -> Origin:
    """Where the value came from before we changed it at all; `changes` are of this server.

    What an earlier revert of ours had to store reads as stored from then on. The next revert stores
    it again, and has to say so as the first one did.
    """
    if origin is not Origin.STORED:
        return origin
    here = [
        change
        for change in changes
        if (change.dn, change.attribute) == (location.dn, location.attribute)
        and change.written
        and change.state is not ChangeState.REFUSED
    ]
    if not here or here[-1].state is not ChangeState.REVERTED or here[-1].before != before:
        return origin
    return here[-1].origin if here[-1].after_revert else origin
