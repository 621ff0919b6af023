"""The text dialects, one file each: words, keys and units, as data for the one scanner."""

from __future__ import annotations

from ldap_workbench.logs.access.dialects.ds389 import DS389
from ldap_workbench.logs.access.dialects.ibm import IBM
from ldap_workbench.logs.access.dialects.json389 import JSON389
from ldap_workbench.logs.access.dialects.jsonopendj import JSON_OPENDJ
from ldap_workbench.logs.access.dialects.jsonunboundid import JSON_UNBOUNDID
from ldap_workbench.logs.access.dialects.opendj import OPENDJ
from ldap_workbench.logs.access.dialects.openldap import OPENLDAP
from ldap_workbench.logs.access.dialects.oud import OUD
from ldap_workbench.logs.access.dialects.sun import SUN
from ldap_workbench.logs.access.dialects.unboundid import UNBOUNDID
from ldap_workbench.logs.access.grammar import Dialect

_ALL = (DS389, SUN, OPENDJ, UNBOUNDID, OPENLDAP, JSON389, JSON_OPENDJ, JSON_UNBOUNDID, OUD, IBM)

DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in _ALL}
