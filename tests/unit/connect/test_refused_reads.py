"""A search that the server refuses is a read: nothing is said of a change."""

from types import SimpleNamespace

import pytest

from ldap_workbench.connect.ldap import LdapDirectory
from ldap_workbench.model.errors import DirectoryError


class Connection:
    """Answers every request with one result code."""

    def __init__(self, code: int) -> None:
        self.socket = None
        self.strategy = SimpleNamespace()
        self.result = {"result": code, "description": "sizeLimitExceeded", "message": ""}
        self.response = []

    def search(self, *_, **__):
        return False

    def modify(self, *_, **__):
        return False


@pytest.mark.parametrize("code", [3, 4, 11])
def test_a_search_over_a_limit_says_what_to_ask_instead(code):
    with pytest.raises(DirectoryError) as refused:
        LdapDirectory("ldap://h", Connection(code)).search("dc=x", scope="sub")
    assert str(refused.value.safe) == "The server was only read."
    assert "Ask for fewer entries" in str(refused.value.remedy)
    assert "change" not in str(refused.value)
