"""Commands that tell of the practice host, and the one that restarts its directory server."""

from __future__ import annotations

import time

from ldap_workbench.practice.host.call import Call, Command
from ldap_workbench.practice.host.files import DEVICE
from ldap_workbench.practice.host.iostat import iostat, vmstat
from ldap_workbench.practice.model.caches import DATABASE_BYTES


def _date(call: Call, arguments: list[str]) -> int:
    ns = call.host.engine.clock.now_ns()
    whole, fraction = divmod(ns, 1_000_000_000)
    wanted = [word[1:] for word in arguments if word.startswith("+")]
    form = wanted[0] if wanted else "%a %b %e %H:%M:%S UTC %Y"
    form = form.replace("%s", str(whole)).replace("%N", f"{fraction:09d}")
    form = form.replace("%z", "+0000").replace("%Z", "UTC")
    call.say(time.strftime(form, time.gmtime(whole)) + "\n")
    return 0


def _iostat(call: Call, arguments: list[str]) -> int:
    if "-V" in arguments:
        call.say("sysstat version 12.6.1 (practice simulation)\n")
        return 0
    iso = call.environment.get("S_TIME_FORMAT") == "ISO"
    return iostat(call.host.engine, arguments, call.say, call.ended.wait, iso=iso)


def _vmstat(call: Call, arguments: list[str]) -> int:
    return vmstat(call.host.engine, arguments, call.say, call.ended.wait)


def _du(call: Call, _: list[str]) -> int:
    """The size of the database: its entries with their indexes."""
    users = call.host.engine.scenario.workload.users
    call.say(f"{int(users * DATABASE_BYTES)}\t/var/lib/dirsrv/slapd-practice/db\n")
    return 0


def _df(call: Call, arguments: list[str]) -> int:
    if "--output=source" in arguments:
        call.say(f"Filesystem\n/dev/{DEVICE}1\n")
    else:
        call.say("Filesystem     1K-blocks     Used Available Use% Mounted on\n")
        call.say(f"/dev/{DEVICE}1      264211888 58593750 205618138  22% /\n")
    return 0


def _lsblk(call: Call, arguments: list[str]) -> int:
    if "KNAME,TYPE" in arguments:
        call.say(f"{DEVICE}1 part\n{DEVICE} disk\n")
        return 0
    call.say(f"{DEVICE}\n" if "PKNAME" in " ".join(arguments) else f"{DEVICE}\n{DEVICE}1\n")
    return 0


def _findmnt(call: Call, arguments: list[str]) -> int:
    call.say(f"/dev/{DEVICE}1\n" if "SOURCE" in arguments else f"/ /dev/{DEVICE}1 ext4 rw\n")
    return 0


def _nproc(call: Call, _: list[str]) -> int:
    call.say(f"{call.host.engine.scenario.host.cores}\n")
    return 0


def _uname(call: Call, arguments: list[str]) -> int:
    flags = "".join(word.lstrip("-") for word in arguments) or "s"
    parts = {"s": "Linux", "n": "practice", "r": "6.1.0-practice", "m": "x86_64"}
    call.say(" ".join(v for k, v in parts.items() if k in flags or "a" in flags) + "\n")
    return 0


def _sleep(call: Call, arguments: list[str]) -> int:
    call.ended.wait(call.host.engine.clock.wall_seconds(float(arguments[0])))
    return 0


def _systemctl(call: Call, arguments: list[str]) -> int:
    """systemctl restart|stop|start|is-active dirsrv@practice; dsctl practice restart ..."""
    verbs = [word for word in arguments if word in ("restart", "stop", "start", "is-active")]
    if not verbs or not any("practice" in word for word in arguments):
        return call.fail("Failed: only the instance 'practice' is here.", 5)
    if verbs[0] == "is-active":
        call.say("active\n" if call.host.engine.running else "inactive\n")
        return 0 if call.host.engine.running else 3
    if not call.root:
        return call.fail("Failed: Access denied", 4)
    return call.restart(verbs[0])


def _echo(call: Call, arguments: list[str]) -> int:
    call.say(" ".join(arguments) + "\n")
    return 0


def _id(call: Call, arguments: list[str]) -> int:
    name, number = ("root", 0) if call.root else ("operator", 1000)
    if {"-un", "-gn"} & set(arguments):
        call.say(f"{name}\n")
    elif {"-u", "-g"} & set(arguments):
        call.say(f"{number}\n")
    else:
        call.say(f"uid={number}({name}) gid={number}({name})\n")
    return 0


def _true(_: Call, __: list[str]) -> int:
    return 0


def _test(call: Call, arguments: list[str]) -> int:
    """test -d PATH, test -x PATH: folders are here, programs are not."""
    return 0 if arguments[:1] == ["-d"] and call.host.names(arguments[-1]) else 1


def _hostname(call: Call, _: list[str]) -> int:
    call.say("practice\n")
    return 0


HOST_COMMANDS: dict[str, Command] = {
    "date": _date,
    "iostat": _iostat,
    "vmstat": _vmstat,
    "df": _df,
    "du": _du,
    "lsblk": _lsblk,
    "findmnt": _findmnt,
    "nproc": _nproc,
    "uname": _uname,
    "sleep": _sleep,
    "systemctl": _systemctl,
    "dsctl": _systemctl,
    "echo": _echo,
    "id": _id,
    "true": _true,
    "sync": _true,
    "test": _test,
    "hostname": _hostname,
}
