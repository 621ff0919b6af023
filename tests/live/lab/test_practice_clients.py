"""OpenLDAP's and OpenSSH's own clients talk to the practice directory."""

import os
import shutil
import subprocess

import pytest

from ldap_workbench.practice.address import USER
from ldap_workbench.practice.model.configuration import BDB
from ldap_workbench.practice.process import Practice

CLIENTS = ("ldapsearch", "ldapmodify", "ldapcompare", "ldapwhoami", "ssh", "sftp")
pytestmark = pytest.mark.skipif(
    any(shutil.which(client) is None for client in CLIENTS),
    reason=f"needs {', '.join(CLIENTS)} (packages ldap-utils, openssh-client)",
)


@pytest.fixture(scope="module")
def practice():
    with Practice.start("checkpoint-storms", speed=10, seed=1) as practice:
        yield practice


def run(argv, stdin="", **environment):
    return subprocess.run(
        argv,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env={**os.environ, **environment},
    )


def ldap(practice, command, *words, url=None, stdin=""):
    bind = ["-x", "-D", "cn=Directory Manager", "-w", practice.address.password]
    argv = [command, *bind, "-H", url or practice.profile.ldap_url, *words]
    return run(argv, stdin, LDAPTLS_CACERT=practice.address.ca_file, LDAPCONF="/dev/null")


def ssh(practice, client, port_flag, tmp_path, *words, stdin=""):
    hosts = tmp_path / "known_hosts"
    hosts.write_text(f"[127.0.0.1]:{practice.address.ssh_port} {' '.join(practice.host_key)}\n")
    options = ["-F", "none", "-o", f"UserKnownHostsFile={hosts}", "-o", "BatchMode=yes"]
    options += ["-o", "StrictHostKeyChecking=yes", "-i", practice.address.identity]
    port = [port_flag, str(practice.address.ssh_port)]
    return run([client, *options, *port, f"{USER}@127.0.0.1", *words], stdin)


def test_ldapsearch_over_starttls_and_ldaps(practice):
    base = ["-LLL", "-b", "dc=example,dc=com", "(uid=user0000042)", "mail"]
    expected = "mail: user0000042@example.com\n"
    plain = ldap(practice, "ldapsearch", "-ZZ", *base)
    assert plain.returncode == 0, plain.stderr
    assert expected in plain.stdout
    secure = ldap(practice, "ldapsearch", *base, url=practice.ldaps_url)
    assert expected in secure.stdout


def test_ldapsearch_takes_the_whole_configuration(practice):
    found = ldap(
        practice, "ldapsearch", "-LLL", "-o", "ldif-wrap=no", "-b", "cn=config", "-s", "sub"
    )
    assert found.returncode == 0
    assert found.stdout.count("\ndn: ") > 40
    assert "nsslapd-versionstring: 389-Directory/2.3.1" in found.stdout


def test_ldapmodify_changes_and_is_refused(practice):
    name = "nsslapd-db-checkpoint-interval"
    ldif = f"dn: {BDB}\nchangetype: modify\nreplace: {name}\n{name}: 45\n"
    assert ldap(practice, "ldapmodify", stdin=ldif).returncode == 0
    assert f"{name}: 45" in ldap(practice, "ldapsearch", "-LLL", "-b", BDB, "-s", "base").stdout
    refused = ldap(practice, "ldapmodify", stdin=ldif.replace("45", "abc"))
    assert refused.returncode == 53
    assert f"value abc for attr {name} is not a number" in refused.stderr


def test_ldapcompare_and_ldapwhoami(practice):
    person = "uid=user0000001,ou=people,dc=example,dc=com"
    assert ldap(practice, "ldapcompare", person, "uid:user0000001").returncode == 6
    assert ldap(practice, "ldapcompare", person, "uid:other").returncode == 5
    assert ldap(practice, "ldapwhoami").stdout == "dn: cn=directory manager\n"


def test_ssh_runs_commands(practice, tmp_path):
    done = ssh(practice, "ssh", "-p", tmp_path, "uname", "-sr")
    assert (done.returncode, done.stdout) == (0, "Linux 6.1.0-practice\n"), done.stderr
    log = "/var/log/dirsrv/slapd-practice/access"
    assert ssh(practice, "ssh", "-p", tmp_path, "cat", log).returncode == 1
    done = ssh(practice, "ssh", "-p", tmp_path, "sudo", "-n", "--", "head", "-c", "14", log)
    assert done.stdout == "\t389-Directory"
    assert ssh(practice, "ssh", "-p", tmp_path, "gdb").returncode == 127
    done = ssh(practice, "ssh", "-p", tmp_path, "iostat -x -y -t -o JSON 1 2")
    assert done.stdout.count('"timestamp"') == 2


def test_sftp_lists_and_fetches(practice, tmp_path):
    target = tmp_path / "meminfo"
    done = ssh(practice, "sftp", "-P", tmp_path, stdin=f"ls /proc\nget /proc/meminfo {target}\n")
    assert done.returncode == 0, done.stderr
    assert target.read_text().startswith("MemTotal:        8388608 kB")
