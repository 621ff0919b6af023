"""Run as python -m ldap_workbench."""

from ldap_workbench.cli import process

if __name__ == "__main__":
    process()
