"""The formats of files, a record each: how a line of it looks, and what it is called.

`detect.py` counts the lines that match; access logs are dialects, and what is none is
read by `capture/importing/companions.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ldap_workbench.logs.access.dialects import DIALECTS
from ldap_workbench.logs.access.grammar import BRACKET_TIME
from ldap_workbench.logs.server.collector import LINE
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.window import SourceKind


@dataclass(frozen=True)
class Format:
    """One kind of file, by a pattern that matches at a line of it.

    `dialect` is a key of DIALECTS for access logs, else the name of the format; `kind` is None
    where the workbench has no use for such a file, and `instead` says what would tell the same.
    A dialect with several patterns has a record for each.
    """

    dialect: str
    kind: SourceKind | None
    title: Message
    pattern: re.Pattern[bytes]
    weight: float = 1.0
    instead: Message = NOTHING


def _format(
    dialect: str,
    kind: SourceKind | None,
    title: Message,
    pattern: bytes,
    weight: float = 1.0,
    *,
    instead: Message = NOTHING,
) -> Format:
    return Format(dialect, kind, title, re.compile(pattern), weight, instead)


_ERROR = SourceKind.ERROR_LOG
FORMATS = (
    *(
        _format(dialect.name, SourceKind.ACCESS_LOG, dialect.log, look.pattern, look.weight)
        for dialect in DIALECTS.values()
        for look in dialect.looks
    ),
    _format(
        "http-opendj", None, Message("OpenDJ / PingDS HTTP access log"),
        rb'\{.*?"eventName"\s*:\s*"DJ-HTTP"|'
        rb"\S+\t\S+\t\S+\t\d\d/\w+/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\t[A-Z]+\t", 1.2,
        instead=Message(
            "Import the LDAP access log of the same time: ldap-access.audit.json or access."
        ),
    ),
    _format(
        "errors389-json", _ERROR, Message("389 Directory Server JSON error log"),
        rb'\s*\{?\s*(?:"local_time"\s*:[^{]*)?"(?:severity|subsystem)"\s*:', 1.1,
    ),
    _format(
        "audit389-json", SourceKind.AUDIT_LOG, Message("389 Directory Server JSON audit log"),
        rb'\s*\{?\s*(?:"local_time"\s*:[^{]*)?"(?:gm_time|modify|modrdn|id_list)"\s*:', 1.3,
    ),
    _format(
        "errors389", _ERROR, Message("389 Directory Server error log"),
        BRACKET_TIME + rb"(?:- [A-Z]{3,9}(?:<\d+>)? - |(?!conn=)\S+ - )",
    ),
    _format(
        "errors-opendj", _ERROR, Message("OpenDJ error log"),
        BRACKET_TIME + rb"category=\S+ severity=",
    ),
    _format(
        "security389", None, Message("389 Directory Server security log"),
        rb'\s*\{?\s*(?:"(?:date|local_time)".*)?"event"\s*:\s*"(?:BIND|AUTHZ|TCP|TLS)_', 2.0,
        instead=Message("Import the access log of the same time: it has the operations."),
    ),
    _format(
        "dps", None, Message("Sun Directory Proxy Server log"),
        rb"\[\d\d/\d\d/\d{4}:\d\d:\d\d:\d\d \S+\] - [A-Z_]+ +- [A-Z]+ +- ",
        instead=Message("Import the access log of the directory server behind the proxy."),
    ),
    _format("rotationinfo", None, Message("list of rotated files of 389 DS"), rb"LOGINFO:", 2.0),
    _format(
        "audit389", SourceKind.AUDIT_LOG, Message("389 Directory Server audit log"),
        rb"(?:time: \d{14}$|result: \d+$|changetype: )", 3.0,
    ),
    _format(
        "dsconf", SourceKind.CONFIG, Message("properties of Sun Directory Server (dsconf)"),
        rb"[a-z][a-z0-9]*(?:-[a-z0-9]+)+\s+:\s+\S",
    ),
    _format(
        "slapd-conf", SourceKind.CONFIG, Message("configuration of slapd (slapd.conf)"),
        rb"(?i)(?:include\s+\S+\.(?:schema|conf)|database\s+(?:[bhm]db|wt|monitor|config|relay|"
        rb"meta|ldap)\s*$|suffix\s+\"|root(?:dn|pw)\s+\S|index\s+[\w;,.-]+\s+(?:eq|pres|sub|approx)|"
        rb"module(?:load|path)\s+\S|access\s+to\s+(?:\*|dn|attrs?|filter)|overlay\s+\w+\s*$|checkpoint\s+\d+\s+\d+\s*$|"
        rb"dbconfig\s+set_|syncrepl\s+rid=|(?:idl)?cachesize\s+\d+\s*$|directory\s+\"?/|"
        rb"maxsize\s+\d+\s*$)", 3.0,
    ),
    _format(
        "dbmon", SourceKind.MONITOR, Message("report of dsconf monitor"),
        rb"DB Monitor Report: |Partition: /| *- (?:Entry Cache|DN Cache|Cache Hit|Free Space)|"
        rb'\s*"(?:entry|dn)_cache_\w+"\s*:|'
        rb'[\s{]*(?:"date"\s*:.{0,60})?"(?:dbcache|ndncache)"\s*:\s*\{', 3.0,
    ),
    _format(
        "dbmon", SourceKind.MONITOR, Message("output of dbmon.sh"),
        rb"\s*dbcachefree \d+ free% |\s*dbname +count +free +free% +size|"
        rb"\s*\S+:(?:ent|dn)\s+\d+\s+\d+\s+[\d.]+\s+[\d.]+\s*$", 3.0,
    ),
    _format(
        "db-stat", SourceKind.MONITOR, Message("db_stat of Berkeley DB"),
        rb"(?:\d+M?|\d+[GMK]?B(?: \d+[GMK]?B)*)[\t ]+(?:Requested pages|Pages (?:read into|written "
        rb"from|in the cache)|(?:Clean|Dirty) pages|(?:Maximum n|N)umber of (?:current )?locks|"
        rb"Number of deadlocks|Total cache size|Number of caches|"
        rb"Current (?:clean|dirty|total) page)", 3.0,
    ),
    _format(
        "dsconf-json", SourceKind.MONITOR, Message("JSON of dsconf monitor"),
        rb'\s*"dn"\s*:\s*"cn=(?:monitor|snmp)|\s*\{?"type"\s*:\s*"(?:entry|list)"', 3.0,
    ),
    _format(
        "ldif", SourceKind.MONITOR, Message("LDIF"),
        rb"(?:dn::? ?\S|objectClass: |version: 1$|# extended LDIF|# search result)|"
        rb"(?:[ \t>|]|\xc2\xa0){1,16}dn::?[ \xc2]\W?[\w.-]+=", 1.0,
    ),
    # Every LDIF of a monitor has such lines: only where nothing else matches it is this.
    _format(
        "monitor-attributes", None, Message("attributes of cn=monitor without their dn: line"),
        rb"(?i)\W*(?:(?:db|entry|dn|normalizeddn)cache(?:hit|tr|page|evict|r[ow]evict)\w*|(?:current|"
        rb"max)(?:entry|dn|normalizeddn)cache\w+|nsslapd-db-[\w-]+|(?:current|total)connections\w*|"
        rb"ops(?:initiated|completed)|readwaiters|maxthreadsperconnhits|monitor(?:op|counter)\w+|"
        rb"olmmdb\w+|ds-mon-[\w-]+): ?\d", 1e-4,
        instead=Message(
            "An LDIF entry begins with its dn: line: add it, as the server prints it, for example "
            "dn: cn=monitor, or dn: cn=monitor,cn=userRoot,cn=ldbm database,cn=plugins,cn=config."
        ),
    ),
    _format(
        "schema", None, Message("schema of a directory server"),
        rb"(?i)(?:attributetypes:|objectclasses:|dn: ?cn=schema)", 2.0,
    ),
    _format(
        "scheduler-linux", SourceKind.CONFIG, Message("I/O scheduler of a Linux disk"),
        rb"\s*(?:\S*/queue/scheduler:?\s*)?(?:[a-z-]+ )*"
        rb"\[(?:none|noop|cfq|bfq|deadline|mq-deadline|kyber|anticipatory)\](?: [a-z-]+)*\s*$", 5.0,
    ),
    _format(
        "sched-features", SourceKind.CONFIG, Message("CPU scheduler features of Linux"),
        rb"(?:(?:NO_)?[A-Z]+(?:_[A-Z]+)* )*(?:NO_)?(?:GENTLE_FAIR_SLEEPERS|FAIR_SLEEPERS|PLACE_LAG|"
        rb"NEXT_BUDDY|START_DEBIT)\b", 5.0,
    ),
    _format(
        "packages", SourceKind.CONFIG, Message("packages of a host"),
        rb"(?:389-ds-base|redhat-ds-base|openldap-servers|symas-openldap-servers|openldap2)-\d\S*-"
        rb"\S+\.(?:x86_64|aarch64|ppc64le|s390x)\b|ii\s+(?:389-ds-base|slapd)\s+\d|"
        rb"(?:389-ds|openldap2)\s{2,}.*\s\d[\w.+~]*-\S+\s*$", 5.0,
    ),
    _format(
        "database-files", SourceKind.CONFIG, Message("listing of a database's files (ls -l)"),
        rb"-[rwx-]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+\d+\s.*\S(?:\.db4?|\.mdb)\s*$",
    ),
    _format(
        "healthcheck", SourceKind.SUMMARY, Message("health check of 389 DS"),
        rb"(?:\[\d+\] )?DS Lint Error: DS|Beginning lint report|Healthcheck complete\.|"
        rb'[\[{\s]*"dsle"\s*:|\[?\s*\{.*"dsle"\s*:|[\[{\s]*"source"\s*:\s*"ipahealthcheck\.|'
        rb"(?:WARNING|ERROR|CRITICAL): ipahealthcheck\.", 20.0,
    ),
    _format(
        "sysctl", SourceKind.CONFIG, Message("sysctl of Linux"),
        rb"(?:kernel|vm|fs|net|dev|user|debug|abi)\.[\w./-]+ ?= ?\S", 1.0,
    ),
    _format(
        "sadf-j", SourceKind.IOSTAT, Message("sar, as sadf -j prints it"),
        rb'.*"timestamp"\s*:\s*\{|\s*"cpu-load(?:-all)?"\s*:', 5.0,
    ),
    _format(
        "sadf-d", SourceKind.IOSTAT, Message("sar, as sadf -d prints it"),
        rb"# ?hostname;interval;timestamp;|[^;\s]+;\d+;[^;]+;.*;-?\d[\d.,]*$", 3.0,
    ),
    _format(
        "sar", SourceKind.IOSTAT, Message("sar of sysstat"),
        rb"\d\d:\d\d:\d\d(?: [AP]M)?\s+(?:CPU\s+%|DEV\s+tps|IFACE\s|tps\s+rtps|proc/s|kbmemfree|"
        rb"pgpgin/s|runq-sz|pswpin/s|dentunusd|totsck|kbhugfree|LINUX RESTART|%scpu|"
        rb"(?:all|[a-z]\S*)(?:\s+\d+[.,]\d\d){3,}\s*$|(?:\d+[.,]\d\d\s+){3,}\S+\s*$)|"
        rb"(?:Average|Summary|Durchschn\.|Moyenne|Media)\S*\s+\S", 3.0,
    ),
    _format(
        "pidstat", None, Message("pidstat"),
        rb"(?:#|(?:# ?)?Time|Average:|\d\d:\d\d:\d\d(?: [AP]M)?)\s+UID\s+(?:T?G?PID|T?GID)\b|"
        rb"(?:Average:|\d\d:\d\d:\d\d(?: [AP]M)?|\d{10})?\s*\d+\s+(?:\d+|-)\s+(?:(?:\d+|-)\s+)?"
        rb"(?:-?\d+[.,]\d\d\s+){3,}(?:-?\d+\s+)?(?!\d)\S+\s*$", 4.0,
        instead=Message(
            "pidstat is not read. Import iostat -xt of the same time for the disks, vmstat -t or "
            "sar for the processors, and stacks (pstack, perf script) for the server's threads."
        ),
    ),
    _format(
        "top", None, Message("top"),
        rb"top - \d\d:\d\d:\d\d up |(?:Tasks|Threads): +\d+ total,|%?Cpu\(s\): *\d|"
        rb"\s*PID +USER +PR +NI\b",
        instead=Message(
            "top is not read. Import vmstat -t or sar of the same time for the processors, and "
            "stacks (pstack, perf script) for the server's threads."
        ),
    ),
    _format(
        "sadf-other", None, Message("sar, as sadf -x or -p prints it"),
        rb"\s*<(?:sysstat|sysdata-version|cpu-load|timestamp date=)|"
        rb"[^\t]+\t-?\d+\t[^\t]+\t[^\t]+\t\S+\t-?\d[\d.,]*$", 3.0,
        instead=Message("Print it with sadf -d or sadf -j."),
    ),
    _format(
        "sar-file", None, Message("data file of sar"), rb"\x96\xd5[\x70-\x7f]\x21", 99.0,
        instead=Message("Print it with sadf -d or sadf -j, or import the text that sar prints."),
    ),
    _format(
        "iostat-json", SourceKind.IOSTAT, Message("iostat JSON"),
        rb'\s*(?:\{?\s*"sysstat"|"avg-cpu"|\{?"disk_device"|"disk"\s*:)', 1.0,
    ),
    _format(
        "iostat-linux", SourceKind.IOSTAT, Message("iostat of sysstat"),
        rb"(?:Device:?\s+(?:tps|r/s|w/s|rrqm/s|rsec|d/s|f/s|Blk|kB|MB)|"
        rb"avg-cpu: |\s*(?:tps|r/s) .*Device:?\s*$|Linux \S+ \(.*\) .*\(\d+ CPU\)|"
        rb"\s*r/s\s+rkB/s|\s*(?:r/s|w/s|d/s|f/s|rrqm/s)\s+\S+/s\s|"
        rb"[a-zA-Z]\S*\s+(?:\d+[.,]\d\d\s+){10,21}\d+[.,]\d\d\s*$)",
    ),
    _format(
        "iostat-solaris", SourceKind.IOSTAT, Message("iostat of Solaris or illumos"),
        rb"(?:.*extended device statistics|.*\b[kM]?r/[si],? *[kM]?w/[si],? *[kM]r/[si].*%b|"
        rb"\s*r/[si]\s+w/[si]\s+[kM]r/[si]|"
        rb"\s*(?:\d+\.\d[ ,]+){8}\d+[ ,]+\d+[ ,]+[a-z]\S*(?: \(.*\))?\s*$|"
        rb"[a-z]\S*[ ,]+(?:\d+\.\d[ ,]+){7}\d+[ ,]+\d+\s*$)", 1.5,
    ),
    _format(
        "iostat-aix", SourceKind.IOSTAT, Message("iostat of AIX"),
        rb"Disks:\s+(?:% tm_act|xfers)|tty:\s+tin\s+tout|h?disk\d+\s+\d|"
        rb"System configuration: lcpu=\d+ drives=", 3.0,
    ),
    _format(
        "iostat-bsd", None, Message("iostat of macOS or BSD"), rb"\s+KB/t\s+tps\s+MB/s", 2.0,
        instead=Message("Import vmstat of the same time."),
    ),
    _format(
        "zpool-iostat", None, Message("zpool iostat"), rb"pool\s+alloc\s+free\s+read\s+write", 5.0,
        instead=Message("Import iostat -xn of the same time: it has the time of a request."),
    ),
    _format(
        "vfsstat", None, Message("vfsstat of SmartOS"), rb"\s*r/s\s+w/s\s+Mr/s\s+Mw/s\s+ractv", 5.0,
        instead=Message("Import iostat -xn of the same time."),
    ),
    _format(
        "vmstat-linux", SourceKind.VMSTAT, Message("vmstat of Linux"),
        rb"(?:-*procs -+memory|\s*r\s+b\s+swpd\s+free|\s*\d+(?:\s+\d+){15,17}\s*$)", 2.0,
    ),
    _format(
        "vmstat-solaris", SourceKind.VMSTAT, Message("vmstat of Solaris or illumos"),
        rb"(?: ?kthr\s+memory|\s*r b w\s+swap\s+free|\s*\d+(?:\s+\d+){18,22}\s*$)", 2.0,
    ),
    _format(
        "vmstat-aix", SourceKind.VMSTAT, Message("vmstat of AIX"),
        rb"kthr\s+memory\s+page\s+faults|\s*r\s+b\s+(?:p\s+)?avm\s+fre|"
        rb"System configuration: lcpu=\d+ mem=", 20.0,
    ),
    _format(
        "vmstat-disk", None, Message("vmstat -d"), rb"disk- -+reads-+", 5.0,
        instead=Message("Import iostat -x of the same time."),
    ),
    _format(
        "prometheus", SourceKind.MONITOR, Message("answer of Prometheus (query_range)"),
        rb'.{0,200}?"resultType"\s*:\s*"(?:matrix|vector)"|\s*\{"status"\s*:\s*"error"', 40.0,
    ),
    _format(
        "pmrep", SourceKind.IOSTAT, Message("metrics of PCP, as pmrep -o csv prints them"),
        rb'(?:\xef\xbb\xbf)?Time[,;\t|]"[a-z][\w.]+\.[\w.]+[-"]', 5000.0,
    ),
    _format(
        "jtl-csv", SourceKind.CLIENT, Message("results of JMeter (JTL), CSV"),
        rb'(?:\xef\xbb\xbf)?timeStamp[,;\t|]elapsed(?:[,;\t|]|\s*$)|\d{13}[,;\t|]\d+[,;\t|]', 2.0,
    ),
    _format(
        "jtl-xml", SourceKind.CLIENT, Message("results of JMeter (JTL), XML"),
        rb'\s*<(?:testResults\b|(?:httpSample|sample)\s[^>]*\bts="\d)', 3.0,
    ),
    _format(
        "java-collector", SourceKind.MONITOR, Message("log of Java's garbage collector"),
        LINE, 3.0,
    ),
    _format(
        "ldclt", SourceKind.MONITOR, Message("ldclt"), rb"ldclt(?:\[\d+\]: | version )", 2.0
    ),
    _format(
        "logconv", SourceKind.SUMMARY, Message("summary of logconv"),
        rb"Access Log Analyzer|Total Log Lines Analy[sz]ed|-+ Access Log Output|"
        rb"\s+\d+ Lines Processed|(?:Searches|Binds|Operations|Restarts|Total (?:Oper|Res|Conn)\w+|"
        rb"(?:VLV )?Unindexed \w+|Abandoned Requests|Resource Unavailable|Broken Pipes): +\d|"
        rb"-+ ?Top \d+ .*etimes|etime=\d+(?:\.\d+)?\s+\d+\s*$|"
        rb"\s*\d+\s+etime=\d+(?:\.\d+)?\s*$", 2.0,
    ),
    _format(
        "dbscan", SourceKind.SUMMARY, Message("keys of an index with their entries (dbscan -r)"),
        rb"\t(?:\d+ )+$", 1.2,
    ),
    _format(
        "dbscan", None, Message("keys of an index, as dbscan prints them"),
        rb"(?:[=*?+][^\t]+\t+\d+(?:\t|\s*$)|=[a-z][\w.;-]*=[^,]+,|\t(?:\d+ )+$|id \d+$|\trdn: |"
        rb"\tdbversion)", 0.5,
        instead=Message(
            "Print the entries as well (dbscan -r), or ask the server which entries many others "
            "name: findings FILE --references PROFILE."
        ),
    ),
    _format(
        "perf-report", None, Message("perf report"),
        rb"# Overhead +|Overhead +(?:Command|Shared|Symbol|Samples)|# Samples: |# Event count|"
        rb"\s*\d{1,3}\.\d\d%\s+(?:\d+\.\d\d%\s+)?\S.*\[[.kuHg]\] ", 2.0,
        instead=Message(
            "perf report is not read: it has shares of functions, but no thread and no caller. "
            "Print the stacks of the same recording: perf script, in the folder of perf.data."
        ),
    ),
    _format(
        "prstat", None, Message("prstat of Solaris"), rb"\s*PID USERNAME\s+SIZE\s+RSS STATE", 5.0,
        instead=Message(
            "Import vmstat of the same time, and pstack of the server for its threads."
        ),
    ),
    _format(
        "stacks", SourceKind.STACKS, Message("thread stacks"),
        rb"(?:\s*#\d+\s+0x[0-9a-f]+|[* ]*\d*\s*Thread (?:0x)?[0-9a-f]+ |-+\s+lwp# ?\d+|"
        rb"\s*Stack trace of thread|TID \d+:| [0-9a-f]{8,16} \S+\s+\(.*\)"
        rb"|\S*[^\s:-][:-]\s*(?:-+\s+lwp# ?\d+|#\d+\s+0x[0-9a-f]+ in |[0-9a-f]{8,16} \S+\s+\())",
    ),
    _format(
        # Its frames look as those of an exception in any log of a program in Java.
        "stacks", SourceKind.STACKS, Message("thread stacks"),
        rb'Full thread dump |"[^"]*" (?:#\d+ |\[\d+\] |daemon |prio=|os_prio=).*\bnid=\w+|'
        rb"\s+java\.lang\.Thread\.State: ", 3.0,
    ),
    _format(
        "stacks-folded", SourceKind.STACKS, Message("thread stacks, folded"),
        # A line of syslog or of a server that has a ';' in it begins with its time.
        rb"(?!\w{3} [ \d]\d \d\d:|\d{4}-\d\d-\d\d[T ]|\[\d|[0-9a-f]{8}[. ]|.* \d+ \d+\s*$)"
        rb"[^;\t\"{]+(?:;[^;\t]+)+ \d+\s*$",
    ),
    _format(
        "histogram-stap", SourceKind.HISTOGRAM, Message("SystemTap or DTrace histogram"),
        rb"\s*(?:value\s+(?:\|-{10,}|-+ Distribution -+)|[<>=]*\s*-?\d+ \|[@ ]{20,})",
    ),
    _format(
        "histogram-bcc", SourceKind.HISTOGRAM, Message("bcc or perf-tools histogram"),
        rb"\s*(?:\S+\s+: count\s+distribution|\d+ +-> +\d+\s+: \d+|-?\d*\s*-> \S*\s*: \d+\s+\|)",
    ),
    _format(
        "histogram-bpftrace", SourceKind.HISTOGRAM, Message("bpftrace histogram"),
        rb'(?:@\S*(?:\[.*\])?:\s*$|[\[(](?:\.\.\.|-?\d+[KMGT]?)(?:, [\d.KMGT-]+)?[)\]]\s+\d+ \|'
        rb'|\{"type":\s*"l?hist")',
    ),
)  # fmt: skip
