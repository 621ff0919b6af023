"""Changing a server, and putting it back.

The catalogue describes knobs as data (resources/knobs/*.toml) and turns settings into a Treatment.
The Tuner applies it to a target: every change is durable in the Journal before it is written, then
read back, proved where a proof is known, and reverted exactly. What enters is a connected target
(servers.Target) and a treatment; what leaves are Change and ProofResult, and LDIF to do the same by
hand.
"""

from ldap_workbench.tuning.apply import AppliedGroup
from ldap_workbench.tuning.catalogue import Catalogue, load_catalogue, parse_setting
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.ldif import ldif_to_apply, ldif_to_undo
from ldap_workbench.tuning.link import PATIENCE_S, is_broken_link, over_any_link
from ldap_workbench.tuning.page_cache import PageCache
from ldap_workbench.tuning.plan import PlannedChange
from ldap_workbench.tuning.restart import restart, wait_for_restart
from ldap_workbench.tuning.revive import interrupted, revive
from ldap_workbench.tuning.tuner import Tuner
from ldap_workbench.tuning.undo import NotNotedError
from ldap_workbench.tuning.values import shown

__all__ = [
    "PATIENCE_S",
    "AppliedGroup",
    "Catalogue",
    "Journal",
    "NotNotedError",
    "PageCache",
    "PlannedChange",
    "Tuner",
    "interrupted",
    "is_broken_link",
    "ldif_to_apply",
    "ldif_to_undo",
    "load_catalogue",
    "over_any_link",
    "parse_setting",
    "restart",
    "revive",
    "shown",
    "wait_for_restart",
]
