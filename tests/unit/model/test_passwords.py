"""A password that stands in a command is seen; one that is only named is not."""

import pytest

from ldap_workbench.model.passwords import holds_password, named_passwords, with_passwords


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
