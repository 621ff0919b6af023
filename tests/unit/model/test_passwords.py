"""A password that stands in a command is seen; one that is only named is not."""

import time

import pytest

from ldap_workbench.model.passwords import (
    ProcessLines,
    holds_password,
    named_passwords,
    with_passwords,
    without_passwords,
)


@pytest.mark.parametrize(
    "command",
    [
        "ldclt -h x -D 'cn=dm' -w hunter2",
        "/usr/bin/ldapsearch -whunter2",
        "timeout 5 ldclt -w 'my secret'",
        "sh -c 'ldapsearch -w hunter2 -b dc=x'",
        'sh -c "exec env LDAP_PW=hunter2 run"',
        "jmeter -Jx --password=hunter2",
        "run --bindPassword hunter2",
        "run --bind-pw hunter2",
        "run -rootpw hunter2",
        "env LDAP_PW=hunter2 run",
        "MYPASSWORD=hunter2 run",
        "curl http://user:hunter2@host/",
        "run --token=hunter2",
    ],
)
def test_a_password_in_a_command_is_seen(command):
    assert holds_password(command)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "true",
        "ldapsearch -x -W -b dc=x",
        "ldclt -h localhost -p 389 -e esearch,random -f uid=XXXX",
        "ldclt -w {password:LAB}",
        "LDAP_PW={password:LAB} run",
        "run --bindPassword {password:LAB}",
        "run --bindPasswordFile /etc/ldap.pw",
        "ldapsearch -y /etc/ldap.pw",
        "sh -c 'ldapsearch -w \"$LDAP_PW\"'",
        "wrk -w 4 http://host/",
        "compass --passes=4 bypass=1",
        "jmeter --password=@/etc/pw",
        "a ' b",
    ],
)
def test_what_only_names_one_or_has_none_is_not(command):
    assert not holds_password(command)


def test_names_are_found_and_filled_in():
    command = "a -w {password:LAB_1} {password:b.c-d} {password:LAB_1}"
    assert named_passwords(command) == ("LAB_1", "b.c-d")
    filled = with_passwords("-w{password:LAB_1};{seconds}", {"LAB_1": "s{password:x}"}.__getitem__)
    assert filled == "-ws{password:x};{seconds}", "what a password holds is no name"


def test_a_long_command_is_read_at_once():
    assert not holds_password("run " + "a" * 200_000)
    assert not holds_password("run --" + "a-" * 50_000)


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("-Djavax.net.ssl.keyStorePassword=hunter2 -Xmx1g", "keyStorePassword=... -Xmx1g"),
        ('-Dx.passwd="hunter2 is it" -Xmx1g', "x.passwd=... -Xmx1g"),
        ("-Dx.passwd=hunter2\\ is\\ it -Xmx1g", "x.passwd=... -Xmx1g"),
        ('"-Dstore.secret=hunter2 is it", "-Xmx1g"', 'store.secret=...", "-Xmx1g"'),
        ("-Dcom.sun.keystorePin=hunter2,-Xmx1g", "keystorePin=..."),
        ("-Dhsm.pin='hunter2 is it' -server", "hsm.pin=... -server"),
        ("java -Dapi.token=hunter2 Main", "api.token=... Main"),
        ("java -DDB_PWD=hunter2 Main", "DB_PWD=... Main"),
        ("tool --bind-pw=hunter2", "--bind-pw=..."),
        ("-javaagent:/a.jar=port=1,user=a,password=hunter2 -Xmx1g", "password=... -Xmx1g"),
        ("-Dkeypass=hunter2 -Dldap.rootpw=hunter2", "-Dkeypass=... -Dldap.rootpw=..."),
        ("-DKEYPASS=hunter2 -Dbindpw=hunter2", "-DKEYPASS=... -Dbindpw=..."),
        ("tool --bindPassword hunter2 -b dc=x", "--bindPassword ... -b dc=x"),
    ],
)
def test_a_password_of_a_process_is_left_out_and_the_rest_stays(line, kept):
    assert without_passwords(line).endswith(kept)


@pytest.mark.parametrize(
    "line",
    [
        "-server -Xms4g -Xmx4g -XX:+UseG1GC -Dorg.opends.server.scriptName=start-ds",
        "-XX:SoftRefLRUPolicyMSPerMB=1000 -Dspinning=4 -Dopinion=7 -Dcompass=north",
        "-Dx.password.file=/etc/pw --keyStorePasswordFile=/etc/pw -Dcompass=1 -Dspin=3",
        "2026-11-30 10:00:00 --- pin = 4",
    ],
)
def test_a_line_without_a_password_stays_as_it_is(line):
    assert without_passwords(line) == line


def test_a_log_is_kept_with_asterisks_wherever_it_is_cut():
    log = b'started\nmsg=JVM Arguments: "-Xmx1g", "-Dx.keyStorePassword=hunter2"\n-Dpin=8 last'
    expected = log.replace(b"hunter2", b"*******").replace(b"pin=8", b"pin=*")
    for cut in range(len(log)):
        kept = []
        lines = ProcessLines(kept.append)
        lines(log[:cut])
        lines(log[cut:])
        lines.finish()
        assert b"".join(kept) == expected


def test_a_strangers_line_takes_no_longer_for_what_it_repeats():
    line = "-Dpassw" * 30_000
    begun = time.process_time()
    assert without_passwords(line) == line
    assert time.process_time() - begun < 5
