"""A mark on the server's host: other laptops see that an experiment is at work, until it expires.

An empty folder of the login in /tmp, named after the instance and renewed while the experiment
runs: it needs no right that a login has not, touches no configuration, and cannot be taken away by
another login (/tmp is sticky). Without a host there is no place for it: LDAP shows others neither
what we search nor under what name. Then what somebody else changes is seen afterwards (`Watch`).
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from types import TracebackType

from ldap_workbench.connect.folders import state_folder, unwritable, write_atomically
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.model.errors import ChangeError, CommandError, ConnectError
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel
from ldap_workbench.servers.target import Target

LASTS_S = 120
"""A mark that was not renewed for so long, by the host's clock, is of one who is gone."""
_RENEWED_S = 30
_ANSWER_S = 15.0
_PAUSE_S = 5.0
_SHOWN = 200
_LISTED = b"."

# $1 our mark, $2 how all marks of the instance begin, $3 how long one lasts, $4 when it is renewed.
# Prints the others and a dot. Ended before its time, for the channel is closed, it takes the mark
# away: so does kill -9. What a shell says of that would end it, for nobody reads its output then.
# Where the line is dead and nobody knows, the mark is not renewed.
_RENEW = """
exec 2>/dev/null
[ -d "$1" ] && [ ! -L "$1" ] || mkdir -m 755 "$1" || exit
touch -c "$1" || exit
trap 'trap "" TERM HUP; rmdir "$1"; exit' TERM HUP
now=$(date +%s)
for other in "$2"*; do
    [ "$other" = "$1" ] || [ -L "$other" ] || [ ! -d "$other" ] && continue
    age=$((now - $(stat -c %Y "$other")))
    [ "$age" -ge "$3" ] || echo "login $(stat -c %U "$other"), $age s ago"
done
echo .
sleep "$4" & wait $!
"""


class Announcement:
    """The mark of an experiment, held while the context lasts.

    Raises ChangeError when another laptop has one on the instance; a host that is not there, or
    takes none, is no error.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        digest = hashlib.sha256(target.facts.identity.encode()).hexdigest()[:16]
        self._all = f"/tmp/ldap-workbench-{digest}-"  # noqa: S108 - a folder, made and never opened
        self._ours = self._all + _holder()
        self._others = ""
        self._over = Cancel()
        self._looked = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Announcement:
        shell = self._shell()
        if shell is not None:
            self._thread = threading.Thread(target=self._keep, args=(shell,), name="announcement")
            self._thread.start()
            self._looked.wait(_ANSWER_S)
        try:
            self.check()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._end()

    def _end(self) -> None:
        self._over.set()
        if self._thread:
            self._thread.join()

    def check(self) -> None:
        """Raises ChangeError when another laptop has come, which a long cut makes possible."""
        if self._others:
            raise ChangeError(
                Message(
                    "Another workbench is running on this server: {others}.", others=self._others
                ),
                safe=Message("Nothing was changed."),
                remedy=Message(
                    "Wait until it ends, or ask who started it; a mark that is no longer "
                    "renewed expires within {lasts_s} s.",
                    lasts_s=LASTS_S,
                ),
            )

    def _shell(self) -> RemoteShell | None:
        if not self._target.facts.identity or self._target.facts.simulated:
            return None
        try:
            return self._target.another_shell()
        except ConnectError:
            return None

    def _keep(self, shell: RemoteShell | None) -> None:
        """Renew the mark; over a new link where the old one broke."""
        while not self._over:
            shell = shell or self._shell()
            if shell is not None and not self._renew(shell):
                shell.close()
                shell = None
            self._looked.set()
            if shell is None:
                self._over.wait(_PAUSE_S)
        if shell is not None:
            shell.close()

    def _renew(self, shell: RemoteShell) -> bool:
        """One stay of the mark; False where the host did not answer or takes none."""
        said = bytearray()

        def hear(piece: bytes) -> None:
            said.extend(piece)
            others, listed, _ = bytes(said).rpartition(_LISTED)
            if listed:
                text = "; ".join(others.decode(errors="replace").splitlines())
                self._others = text[:_SHOWN]
                self._looked.set()

        argv = ["sh", "-c", _RENEW, "sh", self._ours, self._all, str(LASTS_S), str(_RENEWED_S)]
        try:
            return shell.stream(argv, hear, cancel=self._over).status == 0
        except (ConnectError, CommandError):
            return False


def _holder() -> str:
    """A name of this user on this laptop, so that a crash of ours keeps nobody but others away."""
    path = state_folder() / "holder"
    try:
        if not path.exists():
            write_atomically(path, secrets.token_hex(8))
        return path.read_text("ascii")
    except OSError as error:
        raise unwritable(path, error) from error
