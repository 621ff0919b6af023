"""Configurations of small servers as LDIF: a healthy one, and changes to it."""

LDBM = "cn=ldbm database,cn=plugins,cn=config"
_INDEXES = {
    "entryrdn": "subtree",
    "ancestorid": "eq",
    "numsubordinates": "pres",
    "parentid": "eq",
    "objectclass": "eq",
    "nsuniqueid": "eq",
    "member": "eq",
    "uniquemember": "eq",
    "uid": "eq",
    "cn": "eq,sub",
}


def entry(dn, **attributes):
    lines = [f"dn: {dn}"]
    for name, values in attributes.items():
        several = values if isinstance(values, list | tuple) else [values]
        lines += [f"{name.replace('_', '-')}: {value}" for value in several]
    return "\n".join(lines) + "\n"


def indexes(backend="userRoot", **changed):
    """Index entries of a back end; None takes one away."""
    wanted = {name: types for name, types in (_INDEXES | changed).items() if types}
    return [
        entry(f"cn={name},cn=index,cn={backend},{LDBM}", nsIndexType=types.split(";"))
        for name, types in wanted.items()
    ]


def plugin(name, path, enabled="on", **attributes):
    return entry(
        f"cn={name},cn=plugins,cn=config",
        nsslapd_pluginPath=path,
        nsslapd_pluginEnabled=enabled,
        **attributes,
    )


def dse(*more, root=None, **changed):
    """A dse.ldif of 389 DS with one back end; `changed` are index types by attribute."""
    parts = [
        entry("cn=config", **({"nsslapd_errorlog_level": "16384"} | (root or {}))),
        entry(f"cn=userRoot,{LDBM}", nsslapd_suffix="dc=example,dc=com"),
        *indexes(**changed),
        *more,
    ]
    return "\n".join(parts)


def slapd(*more, root=None, indexed=("objectClass eq", "entryCSN,entryUUID eq")):
    """What slapcat -n0 prints of a small slapd."""
    parts = [
        entry("cn=config", objectClass="olcGlobal", **(root or {})),
        entry(
            "olcDatabase={1}mdb,cn=config",
            olcDatabase="{1}mdb",
            olcSuffix="dc=example,dc=com",
            olcDbIndex=list(indexed),
        ),
        *more,
    ]
    return "\n".join(parts)
