"""What a program we start here gets of our environment: what it needs to run, and no password."""

from __future__ import annotations

import os
import sys

_NEEDED = {
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "TZ", "TERM", "LANG", "LANGUAGE"),
    *("TMPDIR", "TMP", "TEMP", "LD_LIBRARY_PATH", "XDG_RUNTIME_DIR"),
    # Where LDAP and Kerberos tools find certificates and tickets, and Java itself.
    *("LDAPCONF", "LDAPRC", "LDAPTLS_CACERT", "LDAPTLS_CACERTDIR", "LDAPTLS_REQCERT"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "KRB5CCNAME", "KRB5_CONFIG", "JAVA_HOME"),
    # Without these no program starts on Windows.
    *("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR", "USERPROFILE", "APPDATA"),
}


def environment() -> dict[str, str]:
    """The environment of a child process."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.upper() in _NEEDED or name.startswith("LC_")
    }


def module_command(module: str, *arguments: str) -> list[str]:
    """The command line that runs one of our modules as a program of its own.

    A program and not a process of multiprocessing: that hands on the whole environment, to itself
    and to its resource tracker. -P: a module of that name in the current folder is not ours.
    """
    return [sys.executable, "-P", "-m", module, *arguments]
