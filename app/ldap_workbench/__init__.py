"""LDAP Tuning Workbench: measure, change and judge a directory server, one change at a time."""

__version__ = "0.1.0"
