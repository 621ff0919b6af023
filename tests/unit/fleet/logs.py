"""Access logs with everything that crosses a cut: connections, requests, server runs."""

from __future__ import annotations

from collections.abc import Iterable

_HEAD = "\t389-Directory/2.3.1 B2023.000.0000\n\tldap.example:389 (/etc/dirsrv/slapd-a)\n\n"
_ASKED = (
    ('SRCH base="dc=a" scope=2 filter="({attribute}=x)" attrs=ALL', 101),
    ('BIND dn="cn=a" method=128 version=3', 97),
    ('MOD dn="uid={attribute},dc=a"', 103),
    ('EXT oid="1.3.6.1.4.1.4203.1.11.3" name="whoami"', 120),
)
_STEP_NS = 300_000_000


class LogWriter:
    """Writes one line for each number it is given: what the number says, where that can be."""

    def __init__(self) -> None:
        self.lines = [_HEAD]
        self._ns = 0
        self._start()

    def _start(self) -> None:
        self._conns: dict[int, int] = {}
        self._pending: list[tuple[int, int, int]] = []
        self._newest = 0

    def write(self, choice: int) -> None:
        """One more line."""
        what, which = choice % 16, choice // 16
        conns = list(self._conns)
        if what == 0:
            self._start()
            self.lines.append(_HEAD)
        elif what < 3 or not conns:
            self._newest += 1
            self._conns[self._newest] = 0
            client = f"192.0.2.{which % 5}"
            self._line(f"conn={self._newest} fd=64 slot=64 connection from {client} to 192.0.2.9")
        elif what < 8:
            conn = conns[which % len(conns)]
            self._conns[conn] += 1
            words, tag = _ASKED[which % len(_ASKED)]
            self._pending.append((conn, self._conns[conn], tag))
            self._line(f"conn={conn} op={self._conns[conn]} " + words.format(attribute="cn"))
        elif what < 14 and self._pending:
            conn, op, tag = self._pending.pop(which % len(self._pending))
            err = (0, 32)[which % 7 == 0]
            self._line(
                f"conn={conn} op={op} RESULT err={err} tag={tag} nentries=1 wtime=0.000100000 "
                f"optime=0.000{which:03}000 etime=0.001{which:03}000"
                + (" notes=U" if which % 5 == 0 else "")
            )
        elif what == 14:
            conn = conns[which % len(conns)]
            if not any(each[0] == conn for each in self._pending):
                del self._conns[conn]
                self._line(f"conn={conn} op=-1 fd=64 closed error - U1")
        else:
            self._line(f"conn={conns[0]} op=99 ABANDON targetop=NOTFOUND msgid=2")

    def _line(self, text: str) -> None:
        self._ns += _STEP_NS
        seconds, ns = divmod(self._ns, 10**9)
        clock = f"{2 + seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        self.lines.append(f"[21/Nov/2026:{clock}.{ns:09} +0000] {text}\n")


def log_of(choices: Iterable[int]) -> bytes:
    """A log of so many lines."""
    writer = LogWriter()
    for choice in choices:
        writer.write(choice)
    return "".join(writer.lines).encode()
