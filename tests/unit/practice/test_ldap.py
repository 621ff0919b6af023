"""Real LDAP over TCP: by ldap3 and by the workbench's own Directory."""

import contextlib
import socket
import ssl
import time

import ldap3
import pytest
from ldap3.core.exceptions import LDAPException

from ldap_workbench.connect.ldap import open_directory
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.errors import AuthenticationError, ConflictError, DirectoryError
from ldap_workbench.practice.model.configuration import BACKEND, BDB, CONFIG

MANAGER = "cn=Directory Manager"
USER = "uid=user0000007,ou=people,dc=example,dc=com"


def link(server, user=None, password=None, **options):
    where = ldap3.Server("127.0.0.1", server.address.ldap_port, get_info=ldap3.NONE)
    connection = ldap3.Connection(where, user, password, check_names=False, **options)
    assert connection.bind(), connection.result
    return connection


@pytest.fixture
def manager(server):
    connection = link(server, MANAGER, server.address.password)
    yield connection
    connection.unbind()


def test_the_root_says_that_it_is_a_simulation(manager):
    manager.search("", "(objectClass=*)", ldap3.BASE, attributes=["*", "+"])
    root = manager.response[0]["raw_attributes"]
    assert root["practiceSimulation"] == [b"TRUE"]
    assert root["practiceClockRate"] == [b"20"]
    assert root["vendorVersion"][0].startswith(b"389-Directory/2.3.1")


def test_a_wrong_password_is_refused(practice, server, monkeypatch):
    monkeypatch.setenv(next(iter(practice.environment)), "wrong")
    with pytest.raises(AuthenticationError):
        open_directory(practice.profile, Secrets())


def test_starttls_is_verified_with_our_own_authority(server, target):
    assert target.directory.search(CONFIG, attributes=["nsslapd-port"])[0].first(
        "nsslapd-port"
    ) == str(server.address.ldap_port)


def test_ldaps_shows_a_certificate_for_localhost(server):
    context = ssl.create_default_context(cafile=server.address.ca_file)
    with (
        socket.create_connection(("127.0.0.1", server.address.ldaps_port)) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as secured,
    ):
        assert secured.version() == "TLSv1.3"


def test_search_with_scopes_and_filters(manager):
    manager.search("dc=example,dc=com", f"({USER.partition(',')[0]})", attributes=["mail"])
    assert manager.response[0]["raw_attributes"]["mail"] == [b"user0000007@example.com"]
    ldbm = "cn=ldbm database,cn=plugins,cn=config"
    manager.search(ldbm, "(objectClass=nsBackendInstance)", ldap3.LEVEL, attributes=["cn"])
    assert [entry["dn"] for entry in manager.response] == [f"cn=userRoot,{ldbm}"]
    manager.search("uid=nobody,dc=example,dc=com", "(objectClass=*)", ldap3.BASE)
    assert manager.result["result"] == 32
    assert manager.result["dn"] == "dc=example,dc=com"


def test_limits_are_kept(server):
    connection = link(server, USER, "password")
    connection.search("ou=people,dc=example,dc=com", "(objectClass=*)", size_limit=5)
    assert (connection.result["result"], len(connection.response)) == (4, 5)
    connection.search("ou=people,dc=example,dc=com", "(description=nothing)")
    assert connection.result["result"] == 11
    connection.unbind()


def test_anonymous_reads_the_monitor_without_connections_and_not_the_configuration(server):
    connection = link(server)
    connection.search("cn=monitor", "(objectClass=*)", ldap3.BASE, attributes=["*"])
    shown = connection.response[0]["raw_attributes"]
    assert "threads" in shown
    assert "connection" not in shown
    connection.search(CONFIG, "(objectClass=*)", ldap3.SUBTREE)
    assert (connection.result["result"], connection.response) == (0, [])
    connection.unbind()


def test_compare(manager):
    assert manager.compare(USER, "uid", "USER0000007") is True
    assert manager.compare(USER, "uid", "other") is False


def test_people_can_be_modified_by_the_manager_only(server, manager):
    change = {"description": [(ldap3.MODIFY_REPLACE, ["new"])]}
    assert manager.modify(USER, change)
    assert manager.compare(USER, "description", "new")
    user = link(server, USER, "password")
    assert not user.modify(USER, change)
    assert user.result["result"] == 50
    user.unbind()


def test_values_are_added_and_deleted_one_by_one(manager):
    dn = "uid=user0000008,ou=people,dc=example,dc=com"
    assert manager.modify(dn, {"mail": [(ldap3.MODIFY_ADD, ["other@x"])]})
    assert not manager.modify(dn, {"mail": [(ldap3.MODIFY_ADD, ["other@x"])]})
    assert manager.result["result"] == 20
    assert manager.modify(dn, {"mail": [(ldap3.MODIFY_DELETE, ["other@x"])]})
    assert not manager.modify(dn, {"mail": [(ldap3.MODIFY_DELETE, ["other@x"])]})
    assert manager.result["result"] == 16


def test_who_am_i_and_what_is_not_supported(manager):
    assert manager.extend.standard.who_am_i() == "dn: cn=directory manager"
    assert not manager.delete(CONFIG)
    assert manager.result["result"] == 53
    assert not manager.modify_dn(USER, "uid=other")
    assert manager.result["result"] == 53
    manager.extended("1.2.3.4")
    assert manager.result["result"] == 2


def test_the_directory_port_changes_and_conflicts(target):
    name = "nsslapd-db-checkpoint-interval"
    assert target.directory.replace(BDB, name, ["30"], expected=["60"]) == ""
    with pytest.raises(ConflictError):
        target.directory.replace(BDB, name, ["15"], expected=["60"])
    with pytest.raises(DirectoryError) as refused:
        target.directory.replace(BDB, "nsslapd-db-durable-transaction", ["off"], expected=["on"])
    assert refused.value.code == 53
    target.directory.replace(BDB, name, ["60"], expected=["30"])


def test_counters_go_on_and_a_cache_size_is_shown_in_force(target):
    first = target.directory.search("cn=snmp,cn=monitor")[0]
    time.sleep(0.2)
    later = target.directory.search("cn=snmp,cn=monitor")[0]
    asked = int(later.first("searchops")) - int(first.first("searchops"))
    assert asked > 700  # some 4 s of 560 searches each
    target.directory.replace(BACKEND, "nsslapd-cachememsize", ["700000"], expected=["1073741824"])
    shown = target.directory.search(f"cn=monitor,{BACKEND}")[0]
    assert shown.first("maxentrycachesize") == "700000"
    target.directory.replace(BACKEND, "nsslapd-cachememsize", ["1073741824"], expected=["700000"])


def test_a_client_that_sends_nonsense_is_cut_off(server):
    with socket.create_connection(("127.0.0.1", server.address.ldap_port)) as plain:
        plain.sendall(b"GET / HTTP/1.0\r\n\r\n")
        plain.settimeout(60)
        with contextlib.suppress(ConnectionResetError):  # it did not even read to the end
            assert plain.recv(100) == b""


def test_a_restart_drops_connections_and_begins_anew(server):
    plain = link(server, MANAGER, server.address.password)
    secured = link(server, MANAGER, server.address.password, auto_bind="TLS_BEFORE_BIND")
    before = server.engine.counters.initiated
    server.control("restart")
    for connection in (plain, secured):
        with pytest.raises(LDAPException):
            connection.search("cn=monitor", "(objectClass=*)", ldap3.BASE)
    again = link(server, MANAGER, server.address.password)
    again.search("cn=monitor", "(objectClass=*)", ldap3.BASE, attributes=["opsinitiated"])
    assert int(again.response[0]["raw_attributes"]["opsinitiated"][0]) < before
    again.unbind()


def test_only_loopback_is_listened_on(server):
    with pytest.raises(OSError):
        socket.create_server(("127.0.0.1", server.address.ldap_port)).close()
    for listener in server.ldap._listeners:
        assert listener.getsockname()[0] == "127.0.0.1"
