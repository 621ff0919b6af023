"""The people of the lab's directory, as LDIF: the same ones at every start."""

from __future__ import annotations

import base64
import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

SUFFIX = "dc=example,dc=com"
PASSWORD = "password"  # of every user of the lab, on loopback for minutes
GIVEN = [
    "Ada",
    "Alan",
    "Barbara",
    "Claude",
    "Dennis",
    "Edsger",
    "Frances",
    "Grace",
    "Hedy",
    "John",
    "Katherine",
    "Ken",
]
_FAMILY = [
    "Allen",
    "Dijkstra",
    "Goldberg",
    "Hopper",
    "Johnson",
    "Kay",
    "Lamarr",
    "Lovelace",
    "Ritchie",
    "Turing",
]
_TOP = f"""\
dn: {SUFFIX}
objectClass: top
objectClass: domain
dc: {SUFFIX.split(",")[0][3:]}
aci: (targetattr!="userPassword")(version 3.0; acl "anyone reads"; allow (read,search,compare)
  userdn="ldap:///anyone";)

"""
_UNIT = """\
dn: ou={unit},{suffix}
objectClass: top
objectClass: organizationalUnit
ou: {unit}

"""
_USER = """\
dn: uid={uid},ou=people,{suffix}
objectClass: top
objectClass: person
objectClass: organizationalPerson
objectClass: inetOrgPerson
uid: {uid}
cn: {given} {family}
sn: {family}
givenName: {given}
mail: {uid}@example.com
employeeNumber: {number}
description: user {number} of the lab
userPassword: {password}

"""


def write_ldif(path: Path, users: int) -> None:
    """`users` entries uid=user000000.. under ou=people and up to 20 groups of them."""
    with path.open("w") as ldif:
        ldif.write(_TOP)
        for unit in ("people", "groups"):
            ldif.write(_UNIT.format(unit=unit, suffix=SUFFIX))
        ldif.writelines(_people(users))
        ldif.writelines(_groups(users))


def _people(users: int) -> Iterator[str]:
    chance = random.Random(389)
    for number in range(users):
        yield _USER.format(
            uid=f"user{number:06d}",
            suffix=SUFFIX,
            given=chance.choice(GIVEN),
            family=chance.choice(_FAMILY),
            number=number,
            password=_ssha512(PASSWORD, chance.randbytes(8)),
        )


def _ssha512(password: str, salt: bytes) -> str:
    digest = hashlib.sha512(password.encode() + salt).digest()
    return "{SSHA512}" + base64.b64encode(digest + salt).decode()


def _groups(users: int, groups: int = 20) -> Iterator[str]:
    for group in range(min(groups, users)):
        yield f"dn: cn=group{group:02d},ou=groups,{SUFFIX}\n"
        yield f"objectClass: top\nobjectClass: groupOfNames\ncn: group{group:02d}\n"
        for number in range(group, users, groups):
            yield f"member: uid=user{number:06d},ou=people,{SUFFIX}\n"
        yield "\n"
