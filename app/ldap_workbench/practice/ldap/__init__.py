"""LDAP v3 in front of the model: the wire, what the directory answers, connections."""
