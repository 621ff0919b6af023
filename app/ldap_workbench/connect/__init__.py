"""Reaching a server: profiles, secrets, the LDAP link, the remote shell.

In comes a Profile, out go a Directory (search, compare-and-set modify) and a RemoteShell (run,
stream, read a file's range). Each link belongs to one thread. No secret is ever written by us
except into the system's keyring.
"""
