"""Lines of access logs as 389 DS, OpenLDAP, OpenDJ and PingDS write them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from tests.field.simulation import Connection, Request

_TAGS = {
    "SRCH": 101, "BIND": 97, "MOD": 103, "ADD": 105, "DEL": 107, "MODRDN": 109, "CMP": 111,
    "EXT": 120,
}  # fmt: skip


class Lines:
    """Lines with their times, to be written in order."""

    def __init__(self) -> None:
        self._lines: list[tuple[int, int, str]] = []

    def add(self, at: float, text: str) -> None:
        self._lines.append((round(at * 1e6), len(self._lines), text))

    def refused(self, at: float) -> None:
        """A connection that could not be accepted; most products write nothing."""

    def write(self, path: Path, header: str = "") -> Path:
        """The file, in the order of the times."""
        path.write_text(header + "".join(f"{text}\n" for *_, text in sorted(self._lines)), "utf-8")
        return path


def stamp_389(at: float) -> str:
    micros = round(at * 1e6)
    moment = datetime.fromtimestamp(micros // 1_000_000, UTC)
    # The digits below a microsecond are made up: a real log has them.
    nanos = micros % 1_000_000 * 1000 + micros * 7919 % 1000
    return f"[{moment:%d/%b/%Y:%H:%M:%S}.{nanos:09d} +0000]"


class Log389(Lines):
    """Access log of 389 DS from 1.4.3 on, in its classic format."""

    def __init__(self, version: str, host: str, server: str, port: int = 636) -> None:
        super().__init__()
        self.header = (
            f"\t389-Directory/{version} B2024.103.0000\n"
            f"\t{host}:{port} (/etc/dirsrv/slapd-EXAMPLE-COM)\n\n"
        )
        self._server = server
        self._tls = port in (636, 3636)
        self._old_close = version.startswith("1.4")

    def line(self, at: float, text: str) -> None:
        self.add(at, f"{stamp_389(at)} {text}")

    def opened(self, at: float, connection: Connection) -> None:
        fd = f"conn={connection.number} fd={connection.fd} slot={connection.fd}"
        if connection.local:
            self.line(at, f"{fd} connection from local to {connection.local}")
            self.line(at + 1e-5, f'conn={connection.number} AUTOBIND dn="cn=Directory Manager"')
            return
        kind = "SSL " if self._tls else ""
        self.line(at, f"{fd} {kind}connection from {connection.address} to {self._server}")
        if self._tls:
            self.line(at + 3e-3, f"conn={connection.number} TLS1.3 128-bit AES-GCM")

    def asked(self, at: float, request: Request) -> None:
        head = f"conn={request.connection.number} op={request.number}"
        self.line(at, f"{head} {self._request(request)}")
        for line in request.before:
            self.line(at + 2e-6, f"{head} {line}")
        inner_at = at
        for nested, inner in enumerate(request.inside, 1):
            inner_head = (
                f"conn={request.connection.number} (Internal) op={request.number}({nested})(1)"
            )
            self.line(
                inner_at + 3e-6,
                f'{inner_head} SRCH base="{inner.base}" scope=2 filter="{inner.query}" '
                f'attrs="{inner.attribute}"',
            )
            inner_at += inner.took
            self.line(
                inner_at,
                f"{inner_head} RESULT err=0 tag=48 nentries={inner.entries} "
                f"{_times_389(2e-6, inner.took)}{_notes_389(inner.notes)}",
            )

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        tail = _notes_389(request.notes)
        if request.kind == "BIND" and not request.error:
            tail += f' dn="{request.dn}"'
        elif request.kind == "BIND" and request.error == 14:
            tail += ", SASL bind in progress"
        if request.csn:
            tail += f" csn={request.csn}"
        self.line(
            at,
            f"conn={request.connection.number} op={request.number} RESULT err={request.error} "
            f"tag={_TAGS[request.kind]} nentries={request.entries} "
            f"{_times_389(queued, worked)}{tail}",
        )

    def closed(self, at: float, connection: Connection, clean: bool) -> None:
        head = f"conn={connection.number} op={connection.operations}"
        if clean:
            self.line(at, f"{head} UNBIND")
        code = "U1" if clean else "B1"
        words = (
            "Cleanly Closed Connection" if clean else "Bad Ber Tag or uncleanly closed connection"
        )
        why = f"closed error - {code}" if self._old_close else f"Disconnect - {words} - {code}"
        self.line(at + 4e-5, f"{head} fd={connection.fd} {why}")

    @staticmethod
    def _request(request: Request) -> str:
        if request.kind == "SRCH":
            attributes = f'"{request.attributes}"' if request.attributes else "ALL"
            options = " options=persistent" if request.detached else ""
            return (
                f'SRCH base="{request.dn}" scope={request.scope} filter="{request.query}" '
                f"attrs={attributes}{options}"
            )
        if request.kind == "BIND" and request.query:
            return f'BIND dn="" method=sasl version=3 mech={request.query}'
        if request.kind == "BIND":
            return f'BIND dn="{request.dn}" method=128 version=3'
        if request.kind == "EXT":
            return f'EXT oid="{request.query}" name="{request.attributes}"'
        if request.kind == "MODRDN":
            parent = request.attributes or "(null)"
            return f'MODRDN dn="{request.dn}" newrdn="{request.query}" newsuperior="{parent}"'
        return f'{request.kind} dn="{request.dn}"'


def _times_389(queued: float, worked: float) -> str:
    # The clocks are read one after another, so that the parts are a little more than the whole.
    return f"wtime={queued:.9f} optime={worked + 2e-6:.9f} etime={queued + worked:.9f}"


_DETAILS = {
    "A": "Fully Unindexed Filter",
    "U": "Partially Unindexed Filter",
    "P": "Paged Search",
}


def _notes_389(notes: str) -> str:
    letters = notes.split(" ", 1)
    if not letters[0]:
        return ""
    details = ",".join(_DETAILS[letter] for letter in letters[0].split(","))
    paged = f" {letters[1]}" if len(letters) > 1 else ""
    return f' notes={letters[0]} details="{details}"{paged}'


class Log13(Log389):
    """Access log of 389 DS 1.3: etimes in whole seconds, from 1.3.7 on with ten digits.

    The digits are nanoseconds behind one zero too many.
    """

    def __init__(self, version: str, host: str, server: str, *, ten_digits: bool) -> None:
        super().__init__(version, host, server, 389)
        self._ten_digits = ten_digits

    def opened(self, at: float, connection: Connection) -> None:
        if not connection.local:
            super().opened(at, connection)
            return
        fd = f"conn={connection.number} fd={connection.fd} slot={connection.fd}"
        self.line(at, f"{fd} connection from local to {connection.local}")

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        took = queued + worked
        if self._ten_digits:
            seconds, nanos = divmod(round(took * 1e9), 1_000_000_000)
            etime = f"{seconds}.{nanos:010d}"
        else:
            etime = str(int(at) - int(at - took))
        tail = f" notes={request.notes}" if request.notes else ""
        if request.kind == "BIND":
            tail += ", SASL bind in progress" if request.error == 14 else f' dn="{request.dn}"'
        tags = {"BIND": 97, "SRCH": 101, "MOD": 103, "ADD": 105}
        self.line(
            at,
            f"conn={request.connection.number} op={request.number} RESULT err={request.error} "
            f"tag={tags[request.kind]} nentries={request.entries} etime={etime}{tail}",
        )

    def closed(self, at: float, connection: Connection, clean: bool) -> None:
        head = f"conn={connection.number} op={connection.operations}"
        if clean:
            self.line(at, f"{head} UNBIND")
        self.line(at + 4e-5, f"{head} fd={connection.fd} closed - {'U1' if clean else 'B1'}")


class LogOpenLDAP(Lines):
    """slapd's loglevel stats through syslog, with times of RFC 3339 or, before 2.5, of RFC 3164."""

    def __init__(
        self, host: str, *, pid: int = 1187, old: bool = False, handshake_s: float = 0.0
    ) -> None:
        """Clients use LDAPS where a handshake takes time."""
        super().__init__()
        self._host, self._pid, self._old = host, pid, old
        self._handshake_s = handshake_s

    def line(self, at: float, text: str) -> None:
        moment = datetime.fromtimestamp(round(at * 1e6) / 1e6, UTC)
        stamp = f"{moment:%b} {moment.day:2d} {moment:%H:%M:%S}" if self._old else ""
        self.add(
            at,
            f"{stamp or moment.isoformat(timespec='microseconds')} {self._host} "
            f"slapd[{self._pid}]: {text}",
        )

    def opened(self, at: float, connection: Connection) -> None:
        head = f"conn={connection.number} fd={connection.fd}"
        port = 636 if self._handshake_s else 389
        where = f"IP={connection.address}:{connection.port} (IP=0.0.0.0:{port})"
        self.line(at, f"{head} ACCEPT from {where}")
        if self._handshake_s:
            protocol = "" if self._old else " tls_proto=TLSv1.3 tls_cipher=TLS_AES_256_GCM_SHA384"
            self.line(
                at + self._handshake_s, f"{head} TLS established tls_ssf=256 ssf=256{protocol}"
            )

    def asked(self, at: float, request: Request) -> None:
        head = f"conn={request.connection.number} op={request.number}"
        for text in self._requests(request):
            self.line(at, f"{head} {text}")
        for line in request.before:
            self.line(at, line)

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        head = f"conn={request.connection.number} op={request.number}"
        times = "" if self._old else f" qtime={queued:.6f} etime={queued + worked:.6f}"
        tag = f"tag={_TAGS[request.kind]} err={request.error}{times}"
        if request.kind == "SRCH":
            self.line(at, f"{head} SEARCH RESULT {tag} nentries={request.entries} text=")
        elif request.kind == "EXT":
            self.line(at, f"{head} RESULT oid= err={request.error}{times} text=")
        else:
            self.line(at, f"{head} RESULT {tag} text={request.notes}")

    def closed(self, at: float, connection: Connection, clean: bool) -> None:
        if clean:
            self.line(at, f"conn={connection.number} op={connection.operations} UNBIND")
        lost = "" if clean else " (connection lost)"
        self.line(at + 4e-5, f"conn={connection.number} fd={connection.fd} closed{lost}")

    def refused(self, at: float) -> None:
        self.line(at, "daemon: accept(8) failed errno=24 (Too many open files)")

    def _requests(self, request: Request) -> list[str]:
        if request.kind == "BIND":
            again = ["BIND anonymous mech=implicit ssf=0"] if request.connection.bind_dn else []
            whole = 256 if self._handshake_s else 0
            strength = f"ssf={whole}" if self._old else f"bind_ssf=0 ssf={whole}"
            return [
                *again,
                f'BIND dn="{request.dn}" method=128',
                f'BIND dn="{request.dn}" mech=SIMPLE {strength}',
            ]
        if request.kind == "SRCH":
            asked = (
                f'SRCH base="{request.dn}" scope={request.scope} deref=0 filter="{request.query}"'
            )
            return [asked, *([f"SRCH attr={request.attributes}"] if request.attributes else [])]
        if request.kind == "MOD":
            return [f'MOD dn="{request.dn}"', f"MOD attr={request.query}"]
        if request.kind == "EXT":
            return [f"EXT oid={request.query}"]
        if request.kind == "CMP":
            return [f'CMP dn="{request.dn}" attr="{request.query}"']
        return [f'{request.kind} dn="{request.dn}"']


_OPENDJ = {"SRCH": "SEARCH", "MOD": "MODIFY", "DEL": "DELETE", "EXT": "EXTENDED"}
_SCOPES = ("base", "one", "sub")


class LogOpenDJ(Lines):
    """OpenDJ's text access log: whole seconds, etimes in milliseconds."""

    def __init__(self, server: str, port: int = 1636) -> None:
        super().__init__()
        self._server, self._port = server, port

    def line(self, at: float, text: str) -> None:
        moment = datetime.fromtimestamp(round(at * 1e6) / 1e6, UTC)
        self.add(at, f"[{moment:%d/%b/%Y:%H:%M:%S} +0000] {text}")

    def opened(self, at: float, connection: Connection) -> None:
        port = 4444 if connection.local else self._port
        self.line(
            at,
            f"CONNECT conn={connection.number} from={connection.address}:{connection.port} "
            f"to={self._server}:{port} protocol=LDAPS",
        )

    def asked(self, at: float, request: Request) -> None:
        body = f'dn="{request.dn}"'
        if request.kind == "BIND":
            body = f'version=3 type=SIMPLE dn="{request.dn}"'
        elif request.kind == "EXT":
            body = f'name="{request.attributes}" oid="{request.query}"'
        elif request.kind == "SRCH":
            body = (
                f'base="{request.dn}" scope={_SCOPES[request.scope]} filter="{request.query}" '
                f'attrs="{request.attributes or "ALL"}"'
            )
        self.line(at, f"{self._head(request, 'REQ')} {body}")

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        extra = ""
        if request.kind == "SRCH":
            extra = f" nentries={request.entries}{' unindexed' if request.notes else ''}"
        elif request.kind == "BIND" and not request.error:
            extra = f' authDN="{request.dn}"'
        etime = round((queued + worked) * 1000)
        self.line(at, f"{self._head(request, 'RES')} result={request.error}{extra} etime={etime}")

    def closed(self, at: float, connection: Connection, clean: bool) -> None:
        number, last = connection.number, connection.operations
        if clean:
            self.line(at, f"UNBIND REQ conn={number} op={last} msgID={last + 1}")
        reason = "Client Unbind" if clean else "Client Disconnect"
        self.line(at + 1e-4, f'DISCONNECT conn={number} reason="{reason}"')

    @staticmethod
    def _head(request: Request, part: str) -> str:
        kind = _OPENDJ.get(request.kind, request.kind)
        return (
            f"{kind} {part} conn={request.connection.number} op={request.number} "
            f"msgID={request.number + 1}"
        )


class LogOpenDJJson(Lines):
    """OpenDJ's JSON access log: an object an operation, written at its end."""

    def __init__(self, server: str, port: int = 1636) -> None:
        super().__init__()
        self._server, self._port = server, port

    def opened(self, at: float, connection: Connection) -> None:
        self._record(at, connection, {"operation": "CONNECT"}, {"elapsedTime": 0})

    def asked(self, at: float, request: Request) -> None:
        """Nothing is written before the end."""

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        kind = _OPENDJ.get(request.kind, request.kind)
        asked: dict[str, object] = {"operation": kind, "msgId": request.number + 1}
        if request.kind == "SRCH":
            asked |= {"dn": request.dn, "scope": _SCOPES[request.scope], "filter": request.query}
            asked |= {"attrs": request.attributes.split() or ["ALL"]}
        elif request.kind == "BIND":
            asked |= {"version": "3", "dn": request.dn, "authType": "SIMPLE"}
        else:
            asked |= {"dn": request.dn}
        answer = self._times(queued, worked)
        if request.kind == "SRCH":
            answer |= {"nentries": request.entries, **self._of_search(request)}
        self._record(at, request.connection, asked, answer, request.error)

    def _times(self, queued: float, worked: float) -> dict[str, object]:
        return {"elapsedTime": round((queued + worked) * 1000)}

    def _of_search(self, request: Request) -> dict[str, object]:
        """What else is written of a search."""
        return {}

    def closed(self, at: float, connection: Connection, clean: bool) -> None:
        reason = {"reason": "Client Unbind" if clean else "Client Disconnect"}
        asked: dict[str, object] = {"operation": "DISCONNECT"}
        self._record(at, connection, asked, {"elapsedTime": 0, **reason})

    def _record(
        self,
        at: float,
        connection: Connection,
        asked: dict[str, object],
        answer: dict[str, object],
        error: int = 0,
    ) -> None:
        moment = datetime.fromtimestamp(round(at * 1e6) / 1e6, UTC)
        ending = f"{connection.number}-{round(at * 1e6)}"
        status = {"status": "FAILED" if error else "SUCCESSFUL", "statusCode": str(error)}
        record = {
            "eventName": "DJ-LDAP",
            "client": {"ip": connection.address, "port": connection.port},
            "server": {"ip": self._server, "port": 4444 if connection.local else self._port},
            "request": {"protocol": "LDAPS", **asked, "connId": connection.number},
            "transactionId": ending,
            "response": status | answer | {"elapsedTimeUnits": "MILLISECONDS"},
            "timestamp": f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z",
            "_id": f"c{ending}",
        }
        self.add(at, json.dumps(record, separators=(",", ":")))


class LogPingDirectory(Lines):
    """PingDirectory's text access log as it comes: results alone, etimes of three decimals."""

    def __init__(self, server: str, port: int = 636) -> None:
        super().__init__()
        self._server, self._port = server, port

    def line(self, at: float, text: str) -> None:
        moment = datetime.fromtimestamp(round(at * 1e6) / 1e6, UTC)
        millis = moment.microsecond // 1000
        self.add(at, f"[{moment:%d/%b/%Y:%H:%M:%S}.{millis:03d} +0000] {text}")

    def opened(self, at: float, connection: Connection) -> None:
        where = f'from="{connection.address}:{connection.port}" to="{self._server}:{self._port}"'
        about = 'protocol="LDAP+TLS" clientConnectionPolicy="default"'
        self.line(at, f"CONNECT conn={connection.number} {where} {about}")

    def asked(self, at: float, request: Request) -> None:
        """Nothing is written before the end."""

    def answered(self, at: float, request: Request, queued: float, worked: float) -> None:
        kind = _OPENDJ.get(request.kind, request.kind)
        if request.kind == "SRCH":
            asked = f'base="{request.dn}" scope={request.scope} filter="{request.query}"'
            asked += f' attrs="{",".join(request.attributes.split()) or "ALL"}"'
        elif request.kind == "BIND":
            asked = f'version="3" dn="{request.dn}" authType="SIMPLE"'
        else:
            asked = f'dn="{request.dn}"'
        extra = f' authDN="{request.dn}"' if request.kind == "BIND" and not request.error else ""
        if request.kind == "SRCH":
            extra = f" entriesReturned={request.entries}"
            extra += " unindexed=true" if request.notes else ""
        number = request.number
        self.line(
            at,
            f"{kind} RESULT conn={request.connection.number} op={number} msgID={number + 1} "
            f"{asked} resultCode={request.error} etime={worked * 1000:.3f} "
            f"qtime={round(queued * 1000)}{extra}",
        )

    def closed(self, at: float, connection: Connection, clean: bool) -> None:
        reason = "Client Unbind" if clean else "Client Disconnect"
        self.line(at, f'DISCONNECT conn={connection.number} reason="{reason}"')


class LogPingDS(LogOpenDJJson):
    """PingDS 7.5 and 8: with the time in the queue, what was not indexed, sizes, TLS and users.

    The fields of its logging guide, "Access log format".
    """

    def opened(self, at: float, connection: Connection) -> None:
        super().opened(at, connection)
        self._record(at, connection, {"operation": "TLS"}, {"elapsedTime": 0})

    def closed(self, at: float, connection: Connection, clean: bool) -> None:
        if clean:
            asked = {"operation": "UNBIND", "msgId": connection.operations + 1}
            self._record(at, connection, asked, {})
        super().closed(at + 1e-4, connection, clean)

    def _times(self, queued: float, worked: float) -> dict[str, object]:
        queue, work = round(queued * 1000), round(worked * 1000)
        return {
            "elapsedTime": queue + work,
            "elapsedQueueingTime": queue,
            "elapsedProcessingTime": work,
        }

    def _of_search(self, request: Request) -> dict[str, object]:
        sizes: dict[str, object] = {"entrySize": 1430, "totalEntriesSize": 1430 * request.entries}
        return sizes | ({"additionalItems": {"unindexed": None}} if request.notes else {})
