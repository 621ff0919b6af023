"""Fuzz every reader of logs: python -m tests.fuzz.fuzz_logs [SECONDS]

SECONDS are of processor time, 300 by default. Seeds are mutated at random here, and guided by
coverage in `guided.py`. A failing input is written to `fuzz-failure.bin`. The kernel alone reads
lines changed at random in app/kernel/tests/mutations.rs, with its overflow checks on.
"""

from __future__ import annotations

import contextlib
import random
import sys
import time
from fractions import Fraction
from pathlib import Path

from ldap_workbench.logs.access.dialects import DIALECTS
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.client.jtl import read_jtl
from ldap_workbench.logs.host.histograms import read_histograms
from ldap_workbench.logs.host.iostat import IostatReader
from ldap_workbench.logs.host.pcp import read_pmrep
from ldap_workbench.logs.host.prometheus import read_prometheus
from ldap_workbench.logs.reading.date_order import year_after, year_before
from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.logs.reading.packed import plain
from ldap_workbench.logs.reading.reports import Clock
from ldap_workbench.logs.reading.wrapping.detection import find_wrapping
from ldap_workbench.logs.reading.wrapping.documents import find_document
from ldap_workbench.logs.reading.wrapping.newest_first import is_newest_first, oldest_first
from ldap_workbench.logs.reading.wrapping.peeler import Peeler
from ldap_workbench.logs.server.audit389 import JsonAuditReader, read_audit_log
from ldap_workbench.logs.server.dsconf_monitor import read_monitor_report
from ldap_workbench.logs.server.errors389 import counted, describe_notices, read_error_log
from ldap_workbench.logs.server.ldif import monitor_time, read_ldif
from ldap_workbench.logs.server.stacks import (
    fold,
    folded_text,
    held_calls,
    profiles_in,
    read_folded,
    read_stacks,
    top_calls,
)
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.operations import COLUMNS, TYPES
from ldap_workbench.session.lines import first_line
from tests.unit.logs.material import HOST_REPORTS

SEEDS = (
    b'[21/Nov/2026:02:20:00.151797648 +0000] conn=7 op=1 SRCH base="ou=a" scope=2 filter="(a=b)"\n'
    b"[21/Nov/2026:02:20:00.151797648 +0000] conn=7 op=1 RESULT err=0 tag=101 nentries=3 "
    b'wtime=0.000126358 optime=0.1 etime=0.000270322 notes=U,P details="x,y" dn="cn=a"\n',
    b"[21/Nov/2026:02:20:00 +0000] conn=66 (Internal) op=0(9)(1) MOD dn=\"cn=a\"\n"
    b"[21/Nov/2026:02:20:00 +0000] conn=Internal(0) op=0(9)(1) RESULT err=0 tag=48 etime=0.5\n",
    b"[21/Nov/2026:02:20:00 +0000] conn=9 op=1 msgId=2 - BIND dn=\"cn=a\" method=128 version=3\n",
    b"[21/Nov/2026:02:20:00 +0000] SEARCH REQ conn=4 op=1 msgID=2 base=\"\" filter=\"(a=b)\"\n"
    b"[21/Nov/2026:02:20:00 +0000] SEARCH RES conn=4 op=1 msgID=2 result=0 unindexed etime=9\n",
    b"6a00ff10.0d4cd4da 0x7f5da53fe6c0 conn=1000 fd=11 ACCEPT from IP=[::1]:4 (IP=[::]:389)\n"
    b"Nov 21 02:20:00 h slapd[1]: conn=1000 op=0 RESULT tag=97 err=0 qtime=0.1 etime=0.2 text=\n",
    b'{"local_time":"2025-02-10T13:41:53.1 -0500","operation":"SEARCH","key":"17-1","conn_id":1,'
    b'"op_id":28,"base_dn":"\\u00e9\\"","filter":"(a=b)","notes":[{"note":"U"}]}\n',
    b'{"eventName":"DJ-LDAP","client":{"ip":"x"},"request":{"operation":"BIND","connId":4},'
    b'"response":{"elapsedTime":1},"timestamp":"2026-11-21T02:20:00Z"}\n',
    b'{"sysstat": {"hosts": [{"statistics": [{"timestamp": "2026-11-21T02:20:00Z", "disk": []}]}'
    b"]}}",
    b"Linux 5.1 (h) \t11/21/26 \t_x86_64_\t(4 CPU)\n\n11/21/26 02:20:00\navg-cpu:  %user   %idle\n"
    b"           1,41   97,95\n\nDevice:   r/s   rMB/s avgqu-sz  %util\nsda"
    b"   0,00  0,02  9,99  0,11\n",
    b"1795227500\n                    extended device statistics\n    r/s  "
    b"  w/s   Mr/s   Mw/s wait "
    b"actv wsvc_t asvc_t  %w  %b device\n    1.0    2.0    3.0    4.0  0.1 "
    b" 0.2    0.3    0.4   1   2 c0t0d0\n",
    b"1795227500\n extended device statistics\ndevice r/i w/i Kr/i %w %b\nsd0 9.0 8.0 7 1 2\n"
    b"1795227510\n extended device statistics\ndevice r/i w/i Kr/i %w %b\nsd0 9.0 8.0 7 1 2\n",
    b"\xff\xfe[\x002\x001\x00/\x00N\x00o\x00v\x00\n\x00",
    b"[21/Nov/2026:02:20:00 +0000] - NOTICE - bdb_start_autotune - found 16k physical memory\n"
    b"[21/Nov/2026:02:20:00 +0000] - INFO - main - 389-Directory/2.3.1 B2 starting up\n",
    b'{\n  "a": {"b": "}\\""}\n}\n{\n  "cut": 1,\n',
    b"Feb 29 02:20:00 h slapd[1]: conn=1 op=0 DEL dn=a\n"
    b"Dec  1 02:20:00 h slapd[1]: conn=1 op=0 RESULT tag=107 err=0 text=\n",
    b"procs -----------memory----------\n r  b   swpd   free  us sy id wa st                 UTC\n"
    b" 1  0      0 123456   1  2 97  0  0 2026-11-21 02:20:00\n",
    b" kthr      memory\n r b w   swap  free  re  s0 in   sy   cs us sy"
    b" id\n 0 0 0 1 2 3 4 5 6 7 8 9 10\n",
    b"dn: cn=monitor\ncurrentTime: 20261121022000Z\nopscompleted: 7\nversion:: MTIz\n folded\n\n",
    b"Distribution of x latencies (in nanoseconds) for 3 samples\n"
    b"value |-------------------------------------------------- count\n  "
    b" 16 |@@@@ 12\n     ~\n  64 |@ 1\n",
    b"     usecs               : count     distribution\n         4 -> 7   "
    b"       : 13       |****    |\n",
    b"@us[a b]:\n[4, 8)   13 |@@@@    |\n[1K, ...)  2 |@ |\n",
    b'{"type":"hist","data":{"@":[{"min":4,"max":7,"count":13}]}}\n',
    b'Thread 2 (Thread 0x7f (LWP 11) "ns-slapd"):\n#0  0x00007f6d in fsync'
    b' () from libc\n#1  0x1 in f ()\n',
    b"123:\t/usr/ns-slapd\n-----------------  lwp# 1 / thread# 1 "
    b" --------------------\n fe0b read (1, 2) + 4\n",
    b'{"log":"conn=1000 op=0 ","stream":"stderr","time":"2026-11-21T02:20:00Z"}\n'
    b'{"log":"RESULT tag=97 err=0 etime=0.2 text=\\n","stream":"stderr","time":"x"}\n',
    b"ldap-1  | [21/Nov/2026:02:20:00 +0000] conn=9 op=1 UNBIND\n--\n"
    b"ldap-2  | [21/Nov/2026:02:20:00 +0000] conn=9 op=1 RESULT err=0 tag=101 etime=0.5\n",
    b"2026-11-21T02:20:00Z stdout P conn=9 op=1 \n2026-11-21T02:20:00Z stdout F UNBIND\n"
    b'2026-11-21T02:20:00Z stdout F {"message":"conn=9 op=1 UNBIND","host":{"name":"h"}}\n',
    b"> access:12:[21/Nov/2026:02:20:00 +0000] conn=3D9 op=1 UNBIND=\n",
    b"Nov 21 02:20:00 a slapd[1]: conn=1 op=0 DEL dn=a\n"
    b"Nov 21 02:20:00 b slapd[2]: conn=1 op=0 RESULT tag=107 err=0 etime=0.1 text=\n",
    b"__REALTIME_TIMESTAMP=1795227600123456\n_HOSTNAME=h\nMESSAGE=conn=1 op=0 UNBIND\n\n",
    b'{"took":3,"hits":{"hits":[{"_source":{"@timestamp":"2026-11-21T02:20:00Z","message":'
    b'"conn=1 op=1 UNBIND"}},{"_source":{"message":"conn=1 op=0 RESULT tag=97 \\ud800"}}]}}',
    b'{"data":{"result":[{"stream":{"host":"a"},"values":[["1795227600123456789","conn=1 op=0 '
    b'BIND dn=\\"a\\""],["1795227600123456789","conn=1 op=1 UNBIND"]]}]}}\n',
    b'[\n  [{"field":"@timestamp","value":"2026-11-21 02:20:00"},{"field":"@message","value":"'
    b'conn=1 op=3 UNBIND"}],\n  "conn=1 op=2 UNBIND", "conn=1 op=1 UNBIND", "conn=1 op=0 UNBIND"]',
    b'"@timestamp",host,message\n"Nov 21, 2026 @ 02:20:00.1",h,"conn=1 op=0 BIND dn=""a"""\n'
    b'"Nov 21, 2026 @ 02:20:00.2",h,conn=1 op=1 UNBIND\n',
    b"Zeit;Text\n21.11.2026 02:20:00;conn=1 op=1 UNBIND\n11/21/2026 2:20:00 PM;conn=1 op=0 X\n",
    b'{\n  "@timestamp" => 2026-11-21T02:20:00Z,\n  "host" => {\n    "name" => "h"\n  },\n'
    b'  "message" => "conn=1 op=0 BIND dn=\\"a\\u00e9\\x41\\n\\""\n}\n'
    b'{\n  "message" => "conn=1 op=0 UNBIND"\n',
    b"<pre>conn=1 op=0 BIND dn=&quot;a&quot; method=128<br>\nconn=1 op=1 SRCH base=&quot;a&quot; "
    b"scope=2 deref=0 filter=&quot;(&amp;(a=b))&quot;\n",
    b"Linux 5.14.0 (h) \t11/21/26 \t_x86_64_\t(4 CPU)\n\n11:50:01 PM CPU %user %idle\n"
    b"12:00:00 AM all 1.5 96\n\n11:50:01 PM INTR intr/s\n12:00:00 AM 9 1\n12:00:00 AM sum 2\n",
    b"# hostname;interval;timestamp;CPU;%user;%idle\nh;600;2026-11-21 02:20:00 UTC;-1;1.50;96.00\n",
    b'{"sysstat":{"hosts":[{"statistics":[{"timestamp":{"date":"2026-11-21","time":"02:20:00"},'
    b'"cpu-load":[{"cpu":"all","user":1.5}]}]}]}}\n',
    b"AuditV3--2026-11-21-02:20:00.000123+00:00--V3 Search--bindDN: cn=a--client: 192.0.2.1:5--"
    b"connectionID: 3--received: 2026-11-21-02:20:00.000100+00:00--Success\nbase: o=a\n"
    b"filter: (a=b)\nnumberOfEntriesReturned: 1\n",
    b"[2026-11-21T02:20:00.001+00:00] [OUD] [TRACE] [X] [PROTOCOL] [category: RES] [conn: 1] "
    b"[op: 2] [result: 0] [etime: 3] SEARCH\n",
    b"System configuration: lcpu=8 drives=3\n\ntty: tin tout avg-cpu: % user % sys % idle % iowait"
    b"\n 0.0 3.4 3.0 2.1 90.2 0.4\n\n"
    b"Disks: % tm_act Kbps tps Kb_read Kb_wrtn\nhdisk0 2.5 1 2 0 6\n",
    b"DB Monitor Report: 2026-11-21 02:20:00\n---\nDatabase Cache:\n - Cache Hit Ratio:   99%\n"
    b" - Free Space:   12.5 MB\nPartition: /\n  Size:   9.1 GB\n",
    b'{"gm_time":"20261121022000Z","target_dn":"cn=a","modify":[{"op":"add","attr":"cn"}]}\n',
    b'timeStamp,elapsed,label,success,Connect\n1795467467744,28,"Search, all",false,7\n',
    b'<testResults><sample t="28" ct="7" ts="1795467467744" s="true" lb="Search"/></testResults>',
    b'Time,"disk.dev.read-vda","hinv.ncpu"\n2026-11-23 21:18:31,51.000,2\n1795468711,,2\n',
    b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"up"},'
    b'"values":[[1795468814.781,"1"],[1795468815,"NaN"]]}]}}',
    b"time: 20261121023559\ndn: cn=config\nresult: 0\nchangetype: modify\nreplace: a\na: b\n-\n\n",
)  # fmt: skip
NOW_NS = 1795227600 * 10**9
WORDS = [
    b'"', b"\\", b"\n", b"\0", b"[", b"(", b"=", b" ", b"conn=", b"op=", b"etime=",
    b"99999999999999", b"-1", b"RESULT ", b'"operation":', b"{", b"}", b"\xff",
    b"0." + b"1" * 30, b"A" * 600,
]  # fmt: skip


def one_input(data: bytes) -> None:
    """Feed one input to every reader; raises where something is wrong."""
    access_logs(data)
    companions(data)


def access_logs(data: bytes) -> None:
    """Every grammar of access logs, in two pieces."""
    cut = len(data) // 3
    for dialect in DIALECTS:
        scanner = Scanner(dialect, own_nonces=[b"nonce"])
        for operations in (scanner.feed(data[:cut]), scanner.feed(data[cut:]), scanner.finish()):
            n = len(operations)
            assert all(len(getattr(operations, name)) == n for name in COLUMNS)
            assert (operations.etime_ns >= 0).all()
            assert (operations.kind < len(TYPES)).all()
            assert (operations.base < len(operations.bases)).all()
            assert (operations.fingerprint < len(operations.fingerprints)).all()
            assert (operations.result_at < len(data)).all()
        assert len(scanner.open_requests()) == scanner.open_operations
        list(scanner._tables[2])


def companions(data: bytes) -> None:
    """Every reader of what lies beside an access log."""
    detect(data)
    describe_notices(counted(read_error_log(data)))
    assert b"\n" not in first_line(data).encode()
    year = year_before(data, "openldap", NOW_NS)
    assert 2018 <= year <= 2026
    assert year_after(data, "openldap", NOW_NS) in (2026, 2027)
    read_audit_log(data)
    audit = JsonAuditReader()
    assert not [each for each in (*audit.feed(data), *audit.finish()) if each.time_ns < 0]
    entries = read_ldif(data)
    monitor_time(entries)
    for histogram in read_histograms(data):
        histogram.quantile(Fraction(999, 1000))
    dumps = read_stacks(data)
    assert sum(top_calls(dumps).values()) <= sum(len(dump.threads) for dump in dumps)
    held_calls(dumps)
    for profile in (read_folded(data), *fold(dumps)):
        assert profiles_in(folded_text(profile)) == ([profile] if profile else [])
    cut = len(data) // 3
    assert b"".join(plain([data[:cut], data[cut:]])) == b"".join(plain([data]))
    documents(data)
    wrappers(data)
    reports = (*HOST_REPORTS.values(), lambda text: read_monitor_report(text, Clock()))
    for other in (read_jtl, read_pmrep, lambda text: read_prometheus(text, "q")):
        with contextlib.suppress(LogError):
            assert all(0 < each.time_ns < 1 << 62 for each in other(data).samples)
    for read in (IostatReader(Clock(start_ns=0, since_boot=False)).feed, *reports):
        with contextlib.suppress(LogError):
            read(data)
    for timed in HOST_REPORTS.values():
        with contextlib.suppress(LogError):
            timed(data, Clock(start_ns=0))


def documents(data: bytes) -> None:
    """The same records whatever the pieces are, one a line; turned round, the same lines."""
    pieces = [data[i : i + 61] for i in range(0, len(data), 61)]
    if document := find_document(data):
        whole = b"".join(document.records([data]))
        assert whole == b"".join(document.records(pieces))
        wrappers(whole)
    is_newest_first(data)
    turned = b"".join(text for _, text in oldest_first([(b"", piece) for piece in pieces]))
    assert turned.split(b"\n")[-2::-1] == data.removesuffix(b"\n").split(b"\n") or not data


def wrappers(data: bytes) -> None:
    """Taken off whatever the pieces are; every line is one of the log, or skipped."""
    wrapping = find_wrapping(data)
    texts = []
    for pieces in ([data], [data[i : i + 61] for i in range(0, len(data), 61)]):
        peeler = Peeler(wrapping)
        parts = [part for piece in pieces for part in peeler.feed(piece)] + peeler.finish()
        streams: dict[bytes, bytes] = {}
        for stream, text in parts:
            streams[stream] = streams.get(stream, b"") + text
        texts.append(streams)
        lines = sum(text.count(b"\n") for text in streams.values())
        assert lines + peeler.skipped <= data.count(b"\n") + 1
    assert texts[0] == texts[1]


def mutated(rng: random.Random) -> bytes:
    """A seed, or two, with some places changed."""
    data = bytearray(rng.choice(SEEDS) * rng.randint(1, 3))
    if rng.random() < 0.3:
        data += rng.choice(SEEDS)
    for _ in range(rng.randint(1, 12)):
        place = rng.randrange(len(data) + 1)
        kind = rng.random()
        if kind < 0.4:
            data[place:place] = rng.choice(WORDS)
        elif kind < 0.7:
            data[place : place + rng.randint(1, 8)] = rng.randbytes(rng.randint(0, 4))
        elif kind < 0.85:
            del data[place : place + rng.randint(1, 60)]
        else:
            data[place:place] = data[: rng.randint(0, len(data))]
    return bytes(data)


def main(seconds: float, seed: int) -> int:
    """Fuzz for a while; returns how many inputs were tried."""
    rng = random.Random(seed)
    until, tried = time.process_time() + seconds, 0
    while time.process_time() < until:
        data = mutated(rng)
        try:
            one_input(data)
        except BaseException:
            Path("fuzz-failure.bin").write_bytes(data)
            raise
        tried += 1
    return tried


if __name__ == "__main__":
    print(main(float(sys.argv[1]) if len(sys.argv) > 1 else 300, seed=int(time.time())), "inputs")
