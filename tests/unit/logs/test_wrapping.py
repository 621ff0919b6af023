"""Every dialect in every wrapper: the same operations as the bare log, and no line lost."""

from __future__ import annotations

import csv
import functools
import html
import json
import quopri
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.logs.reading.files import LogFile, gather
from ldap_workbench.model.operations import ABSENT, COLUMNS, Operations

Wrap = Callable[[list[str]], str]
"""Lines without their newlines -> the text a person has."""
Bare = Callable[[list[str]], tuple[LogFile, Scanner, Operations]]
T = "[21/Nov/2026:02:20:0{}.{:09d} +0000] "
X = "{:08x}.{:08x} 0x7f5da53fe6c0 "
EPOCH = 1795227600
ISO = "2026-11-21T02:20:0{}.123456789Z"

DS389 = [
    'conn={c} fd=64 slot=64 connection from 192.0.2.{c} to 192.0.2.1',
    'conn={c} op=0 BIND dn="uid=u{c},dc=a" method=128 version=3',
    'conn={c} op=0 RESULT err=0 tag=97 nentries=0 wtime=0.000126358 optime=0.1 etime=0.00027032{c}',
    'conn={c} op=1 SRCH base="ou=\\"people,dc=a" scope=2 filter="(&(u=x)(cn=a"b))" attrs="cn ou"',
    'conn={c} op=1 RESULT err=0 tag=101 nentries=3 wtime=0.00012635 optime=0.1 etime=0.00127032{c} '
    'notes=U details="Partially Unindexed Filter"',
    'conn={c} op=2 MOD dn="uid=u{c},dc=a"',
    'conn={c} op=2 RESULT err=0 tag=103 nentries=0 wtime=0.00012635 optime=0.1 etime=0.10127032{c} '
    'csn=5909c984000200020000',
    'conn={c} op=3 UNBIND',
    'conn={c} op=3 fd=64 closed - U1',
]  # fmt: skip
SLAPD = [
    'conn=100{c} fd=11 ACCEPT from IP=192.0.2.{c}:46889 (IP=127.0.0.1:389)',
    'conn=100{c} op=0 BIND dn="cn=admin{c},dc=a" method=128',
    'conn=100{c} op=0 BIND dn="cn=admin{c},dc=a" mech=SIMPLE bind_ssf=0 ssf=0',
    'conn=100{c} op=0 RESULT tag=97 err=0 qtime=0.000022 etime=0.00020{c} text=',
    'conn=100{c} op=1 SRCH base="dc=a" scope=2 deref=0 filter="(&(uid=x)(cn=a\\22b))"',
    'conn=100{c} op=1 SRCH attr=cn mail',
    'conn=100{c} op=1 SEARCH RESULT tag=101 err=0 qtime=0.000006 etime=0.01015{c} nentries=1 text=',
    'conn=100{c} op=2 MOD dn="cn=b,dc=a"',
    'conn=100{c} op=2 MOD attr=mail',
    'conn=100{c} op=2 RESULT tag=103 err=0 qtime=0.000006 etime=0.0201{c} text=',
    'conn=100{c} op=3 UNBIND',
    'conn=100{c} fd=11 closed',
]  # fmt: skip
OPENDJ = [
    'CONNECT conn={c} from=192.0.2.{c}:32802 to=192.0.2.1:636 protocol=LDAPS',
    'BIND REQ conn={c} op=0 msgID=1 version=3 type=SIMPLE dn="cn=app{c}"',
    'BIND RES conn={c} op=0 msgID=1 result=0 authDN="cn=app,dc=root" etime=9',
    'SEARCH REQ conn={c} op=1 msgID=2 base="dc=a" scope=sub filter="(cn=a)" attrs="cn"',
    'SEARCH RES conn={c} op=1 msgID=2 result=0 nentries=4 unindexed etime=2{c}',
    'DISCONNECT conn={c} reason="Client Unbind"',
]  # fmt: skip
UNBOUNDID = [
    'MODIFY REQUEST conn={c} op=2 msgID=3 dn="cn=a{c}"',
    'MODIFY RESULT conn={c} op=2 msgID=3 dn="cn=a{c}" resultCode=0 etime=0.40{c}',
    'SEARCH RESULT conn={c} op=3 msgID=4 base="dc=a" scope=2 filter="(uid=1)" resultCode=0 '
    'etime=12.5 entriesReturned=7',
]  # fmt: skip


def _log(shapes: list[str], stamp: Callable[[int], str]) -> list[str]:
    lines = [shape.replace("{c}", str(c)) for c in range(1, 8) for shape in shapes]
    return [stamp(number) + line for number, line in enumerate(lines)]


def _bracket(number: int) -> str:
    return T.format(number // 20, number * 1000)


def _hex(number: int) -> str:
    return X.format(EPOCH + number // 20, number * 1000)


def _json(number: int, operation: str, **fields: object) -> str:
    time = f"2026-11-21T02:20:0{number // 30}.{number * 1000:09d} +0000"
    return json.dumps({"local_time": time, "operation": operation, "key": "17-1"} | fields)


JSON389 = [
    line
    for n in range(20)
    for line in (
        _json(n, "SEARCH", conn_id=1, op_id=n, base_dn='ou="a', filter="(a=b)"),
        _json(n, "RESULT", conn_id=1, op_id=n, tag=101, err=0, nentries=1, etime=f"0.0000{n:05d}"),
    )
]
LOGS = {
    "389": _log(DS389, _bracket),
    "openldap": _log(SLAPD, _hex),
    "opendj": _log(OPENDJ, lambda n: T.format(n // 20, 0).replace(".000000000", "")),
    "unboundid": _log(UNBOUNDID, _bracket),
    "389-json": JSON389,
}


def each(before: str, behind: str = "") -> Wrap:
    """The same text before each line; {n} is its number, {s} a second of its time."""

    def wrap(lines: list[str]) -> str:
        heads = (before.replace("{n}", str(n + 1)) for n in range(len(lines)))
        heads = (head.replace("{s}", str(n // 40)) for n, head in enumerate(heads))
        return "".join(head + line + behind + "\n" for head, line in zip(heads, lines, strict=True))

    return wrap


def records(**fields: str) -> Wrap:
    """A JSON record a line: `text` names the field with the line; `end` is put behind it."""
    text, end = fields.pop("text"), fields.pop("end", "")

    def wrap(lines: list[str]) -> str:
        return "".join(json.dumps(fields | {text: line + end}) + "\n" for line in lines)

    return wrap


def nested(lines: list[str]) -> str:
    records = ({"_source": {"@timestamp": ISO.format(1), "message": line}} for line in lines)
    return "[\n" + ",\n".join(map(json.dumps, records)) + "\n]\n"


def records_of(parts: list[str], **fields: str) -> str:
    return "".join(json.dumps({"log": part} | fields) + "\n" for part in parts)


def docker_cut(lines: list[str]) -> str:
    parts = []
    for n, line in enumerate(lines):
        parts += [line[:60], line[60:] + "\n"] if n % 3 == 0 else [line + "\n"]
    return records_of(parts, stream="stdout", time=ISO.format(0))


def cri_cut(lines: list[str]) -> str:
    head = ISO.format(0) + " stdout "
    return "".join(f"{head}P {line[:50]}\n{head}F {line[50:]}\n" for line in lines)


def coloured(lines: list[str]) -> str:
    return "".join(f"\x1b[36mldap-1 |\x1b[0m {line}\n" for line in lines)


def grep_coloured(lines: list[str]) -> str:
    head = "\x1b[35m\x1b[Kaccess\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K"
    marked = (line.replace("conn=", "\x1b[01;31m\x1b[Kconn=\x1b[m\x1b[K") for line in lines)
    return "".join(f"{head}{line}\n" for line in marked)


def mail(lines: list[str]) -> str:
    return "Hello,\nhere is what I found:\n\n" + "".join(f"> {line}\n" for line in lines)


def quoted_printable(lines: list[str]) -> str:
    return quopri.encodestring("".join(f"{line}\n" for line in lines).encode()).decode()


def spliced(lines: list[str]) -> str:
    quoted = (line.replace('"', '""') for line in lines)
    return "_time,_raw\n" + "".join(f'{ISO.format(0)},"{line}",host1\n' for line in quoted)


def web_page(lines: list[str]) -> str:
    """As a browser saves a page: quotes stay, and there are tags."""
    escaped = "".join(f"<span>{html.escape(line, quote=False)}</span><br/>\n" for line in lines)
    return '<pre class="log">\n' + escaped + "</pre>\n"


def rubydebug(lines: list[str]) -> str:
    """The members of logstash 8, aligned and in blocks; a text as Ruby shows it."""
    block = (
        '{{\n    "@timestamp" => {0},\n         "event" => {{\n      "original" => {1}\n    }},\n'
        '       "message" => {1},\n          "tags" => [\n        [0] "beats"\n    ],\n'
        '           "log" => {{\n        "offset" => 0\n    }}\n}}\n'
    )
    return "".join(block.format(ISO.format(1), json.dumps(line)) for line in lines)


def context(lines: list[str]) -> str:
    """grep -n -A1: the line found, the one behind it, a separator."""
    parts = []
    for n in range(0, len(lines), 2):
        parts += [
            f"{n + 1}:{lines[n]}",
            *(f"{n + 2}-{line}" for line in lines[n + 1 : n + 2]),
            "--",
        ]
    return "\n".join(parts) + "\n"


def fluent_bit(lines: list[str]) -> str:
    head = '[{}] kube.var.log: [[{}.123456789, {{}}], {{"stream"=>"stdout", "log"=>"{}"}}]\n'
    return "".join(head.format(n, EPOCH, line) for n, line in enumerate(lines))


def hits(lines: list[str]) -> list[dict[str, object]]:
    """Lines as Elasticsearch gives them, under names and in depths of its own."""
    sources = ({"@timestamp": ISO.format(1), "message": line} for line in lines)
    return [{"_index": "logs-1", "sort": [1], "_source": source} for source in sources]


def document(lines: list[str], indent: int | None = None) -> str:
    return json.dumps({"took": 3, "hits": {"total": 9, "hits": hits(lines)}}, indent=indent)


def rows(time: str, *, delimiter: str = ",", heading: str = "time,host,message") -> Wrap:
    """A CSV file that quotes what it has to."""

    def wrap(lines: list[str]) -> str:
        out = StringIO()
        table = csv.writer(out, delimiter=delimiter)
        table.writerow(heading.split(","))
        table.writerows([time, "ldap1", line] for line in lines)
        return out.getvalue()

    return wrap


def azure(lines: list[str]) -> str:
    columns = [{"name": "TimeGenerated"}, {"name": "Computer"}, {"name": "SyslogMessage"}]
    table = {"columns": columns, "rows": [[ISO.format(1), "ldap1", line] for line in lines]}
    return json.dumps({"tables": [table]})


def insights(lines: list[str]) -> str:
    times = ("@timestamp", "2026-11-21 02:20:00.123")
    named = ((times, ("@message", line), ("@ptr", "CmA")) for line in lines)
    results = [[{"field": key, "value": value} for key, value in row] for row in named]
    return json.dumps({"status": "Complete", "results": results}, indent=4)


def loki(lines: list[str]) -> str:
    values = [[f"{EPOCH}123456789", line] for line in lines]
    return json.dumps({"data": {"result": [{"stream": {"host": "ldap1"}, "values": values}]}})


def otlp(lines: list[str]) -> str:
    logs = [{"timeUnixNano": f"{EPOCH}000000001", "body": {"stringValue": x}} for x in lines]
    return json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": logs}]}]})


def graylog(lines: list[str]) -> str:
    inside = ({"timestamp": ISO.format(1), "source": "ldap1", "message": x} for x in lines)
    return json.dumps({"messages": [{"message": each, "index": "g"} for each in inside]})


def aws(lines: list[str], indent: int | None = 4) -> str:
    events = [{"logStreamName": "a", "timestamp": EPOCH * 1000, "message": x} for x in lines]
    return json.dumps({"events": events}, indent=indent)


def gcp(lines: list[str]) -> str:
    return json.dumps(
        [{"textPayload": f"{x}\n", "timestamp": ISO.format(1)} for x in lines], indent=2
    )


def journal(lines: list[str], indent: int | None = 8, before: str = "", behind: str = "\n") -> str:
    entry = {"__REALTIME_TIMESTAMP": "1795227600123456", "_HOSTNAME": "h", "_PID": "12"}
    entries = (entry | {"SYSLOG_IDENTIFIER": "slapd", "MESSAGE": line} for line in lines)
    return "".join(before + json.dumps(each, indent=indent) + behind for each in entries)


def newest_first(wrap: Wrap) -> Wrap:
    return lambda lines: wrap(lines[::-1])


KIBANA = "Nov 21, 2026 @ 02:20:00.123"
DOCUMENTS: dict[str, Wrap] = {
    "logstash rubydebug": rubydebug,
    "Elasticsearch response": document,
    "Elasticsearch response, pretty": lambda lines: document(lines, 2),
    "elasticdump": lambda lines: "".join(json.dumps(hit) + "\n" for hit in hits(lines)),
    "array on one line": lambda lines: json.dumps([{"ts": 1, "message": x} for x in lines]),
    "array, pretty": lambda lines: json.dumps([{"time": T, "msg": x} for x in lines], indent=4),
    "array of texts": lambda lines: json.dumps(lines),
    "array, newest first": newest_first(lambda lines: json.dumps(hits(lines))),
    "field of another name": records(text="slapd_line", level="info"),
    "event.original": lambda lines: json.dumps(
        [{"message": "parsed", "event": {"original": line}} for line in lines]
    ),
    "Splunk JSON": lambda lines: "".join(
        json.dumps({"preview": False, "result": {"_raw": x, "_time": ISO.format(1)}}) + "\n"
        for x in lines
    ),
    "Splunk JSON, one document": lambda lines: json.dumps(
        {"fields": [{"name": "_raw"}], "results": [{"_raw": x, "host": "a"} for x in lines]}
    ),
    "Graylog API": graylog,
    "CloudWatch filter-log-events": aws,
    "CloudWatch, compact": lambda lines: aws(lines, None),
    "CloudWatch Insights": insights,
    "Cloud Logging": gcp,
    "Azure Monitor": azure,
    "Loki API": loki,
    "logcli jsonl": records(text="line", timestamp=ISO.format(1)),
    "OpenTelemetry": otlp,
    "journalctl -o json-pretty": journal,
    "journalctl -o json-seq": lambda lines: journal(lines, None, before="\x1e"),
    "journalctl -o json-sse": lambda lines: journal(lines, None, "data: ", "\n\n"),
    "Kibana CSV": rows(KIBANA, heading="@timestamp,host.name,message"),
    "Kibana CSV, newest first": newest_first(rows(KIBANA)),
    "Excel, semicolons": rows("21.11.2026 02:20:00", delimiter=";", heading="Zeit,Host,Nachricht"),
    "TAB-separated": rows(ISO.format(1), delimiter="\t"),
    "Azure CSV": rows("11/21/2026, 2:20:00.123 AM", heading="TimeGenerated [UTC],Computer,Message"),
    "PowerShell CSV": lambda lines: "#TYPE X\n" + rows("11/21/2026 02:20:00")(lines),
    "tac": newest_first(lambda lines: "".join(f"{line}\n" for line in lines)),
}  # fmt: skip


AROUND: dict[str, Wrap] = {
    "grep -H": each("/var/log/dirsrv/slapd-a/access:"),
    "grep -H, rotated": each("access.20261121-000000:"),
    "grep -n": each("{n}:"),
    "grep -Hn": each("logs/access.1:{n}:"),
    "grep -n -A1": context,
    "cat -n": each("     {n}\t"),
    "less -N": each("      {n} "),
    "docker compose": each("ldap-1  | "),
    "docker compose, coloured": coloured,
    "grep --color=always -H": grep_coloured,
    "kubectl --prefix": each("[pod/ldap-0/openldap] "),
    "kubectl --prefix --timestamps": each("[pod/ldap-0/openldap] 2026-11-21T02:20:0{s}.1234567Z "),
    "kubectl --timestamps": each("2026-11-21T02:20:0{s}.123456789Z "),
    "docker logs -t, compose": each("ldap-1  | 2026-11-21T02:20:0{s}.123456789Z "),
    "stern": each("ldap-0 openldap "),
    "CRI": each("2026-11-21T02:20:0{s}.123456789+01:00 stdout F "),
    "CRI, cut lines": cri_cut,
    "docker json-file": records(text="log", end="\n", stream="stderr", time=ISO.format(3)),
    "docker json-file, cut lines": docker_cut,
    "fluent-bit JSON": records(text="log", date="1795227600.123", stream="stdout"),
    "fluent-bit stdout": fluent_bit,
    "fluentd": lambda lines: "".join(
        f"2026-11-21 02:20:00.0 +0000 kube.ldap: {json.dumps({'log': x})}\n" for x in lines
    ),
    "filebeat": records(text="message", **{"@timestamp": ISO.format(3)}),
    "Elasticsearch export": nested,
    "journalctl -o json": records(
        text="MESSAGE", __REALTIME_TIMESTAMP="1795227600123456", _HOSTNAME="h", _PID="12",
        SYSLOG_IDENTIFIER="slapd",
    ),
    "journalctl -o export": lambda lines: "".join(
        f"__CURSOR=s=1;i=2\n__REALTIME_TIMESTAMP={EPOCH}123456\n_PID=7\nMESSAGE={line}\n\n"
        for line in lines
    ),
    "journalctl -o verbose": lambda lines: "".join(
        f"Sat 2026-11-21 02:20:00.123456 UTC [s=ab;i=1;b=c]\n    _HOSTNAME=h\n    MESSAGE={line}\n"
        for line in lines
    ),
    "CloudWatch": records(text="@message", **{"@timestamp": "2026-11-21 02:20:00.123"}),
    "rsyslog imfile": each("Nov 21 02:20:0{s} ldap1 dirsrv-access "),
    "rsyslog imfile with a tag": each("Nov 21 02:20:0{s} ldap1 access: "),
    "syslog of systemd": each("Nov 21 02:20:0{s} ldap1 slapd[3636]: "),
    "journalctl -o short-iso": each("2026-11-21T02:20:0{s}+0000 ldap1 slapd[3636]: "),
    "journalctl -o short-unix": each("1795227600.123456 ldap1 slapd[3636]: "),
    "RFC 5424": each('<134>1 2026-11-21T02:20:0{s}.5Z ldap1 slapd 77 - [x@1 a="b"] '),
    "RFC 3164 with PRI": each("<134>Nov 21 02:20:0{s} ldap1 dirsrv[1]: "),
    "mail quotation": mail,
    "mail quotation, twice": each(">> > "),
    "quoted-printable mail": quoted_printable,
    "ticket, HTML": lambda lines: "".join(html.escape(line) + "\n" for line in lines),
    "ticket, HTML, twice": lambda lines: "".join(
        html.escape(html.escape(line)) + "\n" for line in lines
    ),
    "web page": web_page,
    "indentation": each("    "),
    "TAB": each("\t"),
    "list": each("  * "),
    "diff": each("+"),
    "a text of the site": each("srv7 PROD ~ "),
    "grep -H of a syslog": each("messages-20261121:Nov 21 02:20:0{s} ldap1 access: "),
    "quoted compose": each("> ldap-1  | "),
    "carriage returns": each("access:", "\r"),
}  # fmt: skip
SPLICED = {"CSV": spliced}

SYSLOG: dict[str, Wrap] = {
    "syslog": each("Nov 21 02:20:0{s} ldap1 slapd[3636]: "),
    "syslog, days of one digit": each("Nov  1 02:20:0{s} ldap1 slapd[3636]: "),
    "Solaris": each("Nov 21 02:20:0{s} ldap1 slapd[3636]: [ID 1 local4.debug] "),
    "RFC 3339": each("2026-11-21T02:20:0{s}.123456+01:00 ldap1 slapd[3636]: "),
    "RFC 5424": each("<167>1 2026-11-21T02:20:0{s}.000001Z ldap1 slapd 3636 - - "),
    "RFC 3164 with PRI": each("<167>Nov 21 02:20:0{s} ldap1 slapd[3636]: "),
    "journalctl -o short-full": each("Sat 2026-11-21 02:20:0{s} UTC ldap1 slapd[3636]: "),
    "journalctl -o json": records(
        text="MESSAGE", __REALTIME_TIMESTAMP="1795227600123456", _HOSTNAME="h", _PID="12",
        SYSLOG_IDENTIFIER="slapd",
    ),
    "journalctl -o export": lambda lines: "".join(
        f"__REALTIME_TIMESTAMP={EPOCH}123456\nMESSAGE={line}\n\n" for line in lines
    ),
    "French journal": each("nov. 21 02:20:0{s} ldap1 slapd[3636]: "),
    "German journal": each("Okt 21 02:20:0{s} ldap1 slapd[3636]: "),
    "Japanese journal": each("11月 21 02:20:0{s} ldap1 slapd[3636]: "),
    "grep -H": each("/var/log/messages:Nov 21 02:20:0{s} ldap1 slapd[3636]: "),
    "grep -Hn": each("messages.1:{n}:Nov 21 02:20:0{s} ldap1 slapd[3636]: "),
    "mail quotation": each("> Nov 21 02:20:0{s} ldap1 slapd[3636]: "),
    "indentation": each("    Nov 21 02:20:0{s} ldap1 slapd[3636]: "),
    "day first": each("[21-11-2026 02:20:0{s}] slapd debug  "),
    "docker json-file": records(text="log", end="\n", stream="stderr", time=ISO.format(3)),
    "CRI": each("2026-11-21T02:20:0{s}.123456789Z stderr F "),
    "filebeat": records(text="message", **{"@timestamp": ISO.format(3)}),
    "journalctl -o short-unix": each("1795227600.123456 ldap1 slapd[3636]: "),
}  # fmt: skip


def read(path: Path) -> tuple[LogFile, Scanner, Operations]:
    log = LogFile(path)
    text = b"".join(log.pieces(777))
    scanner = Scanner(detect(text).dialect, year=2026)
    operations = scanner.feed(text)
    assert len(scanner.finish()) == 0
    return log, scanner, operations


def facts(operations: Operations, *, times: bool) -> dict[str, list[object]]:
    """What an operation is, with its strings as texts; of its times, only which are known."""
    told: dict[str, list[object]] = {"opened": (operations.opened_ns != ABSENT).tolist()}
    moments = ("end_ns", "opened_ns", "closed_ns")
    for name in COLUMNS:
        if name not in ("request_at", "result_at", *(() if times else moments)):
            told[name] = getattr(operations, name).tolist()
    tables = {"client": "clients", "fingerprint": "fingerprints", "base": "bases"}
    for name, table in (tables | {"bind_dn": "bind_dns"}).items():
        values = getattr(operations, table)
        told[name] = [values[i] if i >= 0 else "" for i in getattr(operations, name)]
    return told


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Bare:
    """Reads lines without a wrapper; the same lines once."""

    @functools.cache
    def known(text: str) -> tuple[LogFile, Scanner, Operations]:
        path = tmp_path_factory.mktemp("bare") / "bare"
        path.write_text(text)
        return read(path)

    return lambda lines: known("".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize("wrapper", [*AROUND, *SPLICED])
@pytest.mark.parametrize("dialect", LOGS)
def test_the_same_operations_in_every_wrapper(
    bare: Bare, tmp_path: Path, dialect: str, wrapper: str
) -> None:
    if wrapper in SPLICED and dialect in ("openldap", "389-json"):
        pytest.skip("no such column")
    lines = LOGS[dialect]
    _, known, expected = bare(lines)
    assert known.dialect.name == dialect
    assert len(expected) >= 14
    path = tmp_path / "wrapped"
    text = (AROUND | SPLICED)[wrapper](lines)
    path.write_text(text)
    log, scanner, operations = read(path)
    assert scanner.dialect.name == dialect
    assert facts(operations, times=True) == facts(expected, times=True)
    assert log.wrapping.title
    counts = scanner.counts
    assert counts.understood == known.counts.understood
    total = counts.understood + counts.set_aside + counts.unknown + log.skipped
    assert total == text.count("\n")


@pytest.mark.parametrize("wrapper", SYSLOG)
@pytest.mark.parametrize("dialect", ["openldap", "389"])
def test_lines_whose_time_is_in_the_wrapper(
    bare: Bare, tmp_path: Path, dialect: str, wrapper: str
) -> None:
    own = "slapd[" if dialect == "openldap" else "ns-slapd["
    shapes = SLAPD if dialect == "openldap" else DS389
    lines = _log(shapes, lambda _: "")
    _, _, expected = bare(_log(shapes, _hex if dialect == "openldap" else _bracket))
    path = tmp_path / "wrapped"
    path.write_text(SYSLOG[wrapper](lines).replace("slapd[", own))
    _, scanner, operations = read(path)
    assert scanner.dialect.name == dialect
    assert facts(operations, times=False) == facts(expected, times=False)
    day = operations.end_ns // (86400 * 10**9)
    assert set(np.unique(day)) <= {20778 - 20, 20778 - 31, 20778}
    assert scanner.counts.unknown == 0


@pytest.mark.parametrize("export", DOCUMENTS)
@pytest.mark.parametrize("dialect", LOGS)
def test_the_same_operations_in_every_export(
    bare: Bare, tmp_path: Path, dialect: str, export: str
) -> None:
    lines = LOGS[dialect]
    _, known, expected = bare(lines)
    path = tmp_path / "export"
    path.write_text(DOCUMENTS[export](lines))
    log, scanner, operations = read(path)
    assert scanner.dialect.name == dialect
    assert facts(operations, times=True) == facts(expected, times=True)
    assert log.wrapping.title
    assert not log.truncated
    assert scanner.counts.understood == known.counts.understood
    assert scanner.counts.unknown == 0


TIMELESS = ("array on one line", "array of texts", "array, pretty", "field of another name", "tac",
            "event.original", "Splunk JSON, one document")  # fmt: skip
"""Exports that say of no line when it was written."""


@pytest.mark.parametrize("export", [name for name in DOCUMENTS if name not in TIMELESS])
def test_an_export_gives_its_time_to_lines_without_one(
    bare: Bare, tmp_path: Path, export: str
) -> None:
    _, _, expected = bare(_log(SLAPD, _hex))
    path = tmp_path / "export"
    path.write_text(DOCUMENTS[export](_log(SLAPD, lambda _: "")))
    _, scanner, operations = read(path)
    assert facts(operations, times=False) == facts(expected, times=False)
    assert set(operations.end_ns // (86400 * 10**9)) == {20778}
    assert scanner.counts.unknown == 0


def test_what_is_whole_of_a_document_that_was_cut(tmp_path: Path) -> None:
    text = document(LOGS["389"])
    path = tmp_path / "export"
    path.write_text(text[: len(text) // 2])
    log, scanner, _ = read(path)
    assert scanner.counts.understood == len(LOGS["389"]) // 2
    assert "cut off" in str(log.truncated)


def test_a_text_of_a_document_with_an_escape_that_json_has_not(tmp_path: Path) -> None:
    lines = LOGS["389"][3:]
    path = tmp_path / "export"
    text = "[" + ", ".join(json.dumps(line) for line in lines)
    path.write_text(text + ', "conn=1 op=9 UNBIND \\x41"]]')
    assert b"conn=1 op=9 UNBIND" in b"".join(LogFile(path).pieces(777))


def test_a_document_of_megabytes_is_read_while_it_is_taken_apart(tmp_path: Path) -> None:
    lines = LOGS["389"]
    path = tmp_path / "export"
    path.write_text(document(lines * 50, 2))
    log = LogFile(path)
    text = b"".join(log.pieces(100_000))
    assert text.decode().splitlines() == lines * 50


def test_a_journal_in_which_a_server_speaks_late(tmp_path: Path) -> None:
    others = [f"unit {n} was started" for n in range(2000)]
    late = _log(SLAPD, lambda _: "")
    path = tmp_path / "journal"
    for wrap in (lambda lines: journal(lines, None), SYSLOG["journalctl -o export"]):
        path.write_text(wrap(others) + wrap(late))
        found = gather([path]).sets[0]
        assert found.detection.dialect == "openldap"
        scanner = Scanner("openldap", year=2026)
        assert len(scanner.feed(b"".join(found.pieces()))) == 21


def test_a_host_that_is_no_text_and_a_number_without_end(tmp_path: Path) -> None:
    path = tmp_path / "export"
    lines = LOGS["389"]
    path.write_text("".join(json.dumps({"host": "\ud800", "message": x}) + "\n" for x in lines))
    assert b"".join(LogFile(path).pieces()).decode().splitlines() == lines
    path.write_text("[" + "1" * 5000 + "]\n")
    assert b"".join(LogFile(path).pieces()) == path.read_bytes()


def test_a_filter_that_looks_like_html_stays_as_it_is(tmp_path: Path) -> None:
    odd = [line.replace("(u=x)", "(u=R&amp;D &quot;x&quot;)") for line in LOGS["389"]]
    path = tmp_path / "access"
    path.write_text("".join(f"{line}\n" for line in odd))
    log = LogFile(path)
    assert b"".join(log.pieces()) == path.read_bytes()
    assert not log.wrapping


def test_a_record_of_logstash_that_was_cut_keeps_its_line(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text(rubydebug(LOGS["389"]).rpartition('          "tags"')[0])
    assert b"".join(LogFile(path).pieces()).decode().splitlines() == LOGS["389"]


def test_a_record_of_logstash_may_have_a_key_twice(tmp_path: Path) -> None:
    path = tmp_path / "out"
    before = '         "event" => {'
    twice = f'         "event" => "lost",\n{before}'
    path.write_text(rubydebug(LOGS["389"]).replace(before, twice))
    assert b"".join(LogFile(path).pieces()).decode().splitlines() == LOGS["389"]


def test_as_many_wrappers_as_people_have() -> None:
    assert len(AROUND) + len(SYSLOG) + len(DOCUMENTS) >= 90


def test_results_that_come_in_another_order_do_not_turn_a_log_round(tmp_path):
    path = tmp_path / "access"
    lines = (
        f"[21/Nov/2026:02:00:{second:02}.100000000 +0000] conn=1 op={op} RESULT err=0 tag=101 "
        "nentries=1 wtime=0.0001 optime=0.001 etime=0.0011\n"
        for second, op in enumerate((9, 8, 7, 6, 5))
    )
    path.write_text("".join(lines))
    log = LogFile(path)
    assert log.head() == path.read_bytes()
    assert not log.wrapping
