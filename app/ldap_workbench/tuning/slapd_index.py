"""slapd's indexes, built by slapindex while slapd is stopped.

Some settings say how long a list of an index may be or what its keys are: with another value an
index that was built before gives wrong answers, or brings slapd down, so all of them are built
before it serves again. slapindex empties an index first (-t): else a range stays a range.

What is built is derived from the entries, which it reads alone. It runs in its quick mode, without
which it waits for the disk at each entry; a power failure meanwhile can cost the database, so a
copy of its file is made first and removed at the end. Either all is built, or the copies are back
and the databases are as before.
"""

from __future__ import annotations

import re

from ldap_workbench.connect.commands import HostScript
from ldap_workbench.tuning.catalogue import load_catalogue
from ldap_workbench.tuning.indexes import LINES, Place
from ldap_workbench.tuning.server_file import as_owner

ALL = "all"
BUILD_TIMEOUT_S = 24 * 3600.0
"""Large databases take hours."""
_DATABASE = re.compile(r"olcDatabase=\{(\d+)\}mdb,cn=config", re.IGNORECASE)
# Run as the owner of $1, cn=config.ldif of slapd.d. $2 is check (could it build?), whole (was none
# ended halfway?) or build, $3 the number of a database or all. A second one waits for the first,
# also where that lost its workbench: slapindex has the lock as long as it runs (on the folder, as
# its files are replaced). A copy that is there at the start is of one that was killed: it is not
# known whether slapd has run since, so it is not put back by itself, and goes when all is built.
_BUILD = r"""
umask 077
trap "" HUP
fail() { echo "$*" >&2; exit 1; }
config=$1 what=$2 folder=${1%.ldif}
PATH=${1%%/etc/*}/sbin:$PATH:/usr/local/sbin:/usr/sbin:/sbin:/opt/symas/sbin
exec 9<"$folder" && flock 9 || exit 1
command -v slapindex >/dev/null || fail "there is no slapindex in $PATH"
case $3 in
all) set -- "$folder"/olcDatabase=*mdb.ldif;;
""|*[!0-9]*) exit 2;;
*) set -- "$folder/olcDatabase={$3}mdb.ldif";;
esac
database() {
  at=$(sed ":a;N;\$!ba;s/\n //g" "$1" | sed -n "s/^olcDbDirectory: //p")
  db=$at/data.mdb copy=$at/data.mdb.before-ldap-workbench
  [ -f "$db" ] && [ -O "$db" ] || fail "$db is no file of the account that owns $config"
}
need=0 left=
for file; do
  database "$file"
  if [ -e "$copy" ]; then left="$left $copy"; continue; fi
  used=$(du -B1 -- "$db" | cut -f1) free=$(df --output=avail -B1 -- "$at" | tail -n 1)
  need=$((need + used + used / 10))
  [ "$what" = whole ] || [ "$free" -gt "$need" ] ||
    fail "$at has $free bytes left, and a copy of $db takes $used"
done
case $what in
check) exit 0;;
whole) [ -z "$left" ] || fail "an earlier build was ended halfway:$left"; exit 0;;
build) ;;
*) exit 2;;
esac
back() { for file; do database "$file"; [ ! -e "$copy" ] || mv -fT -- "$copy" "$db"; done; }
for file; do
  database "$file"
  [ ! -e "$copy" ] || continue
  cp --sparse=always --reflink=auto -p -- "$db" "$copy.draft" && sync -- "$copy.draft" &&
    mv -fT -- "$copy.draft" "$copy" && continue
  rm -f -- "$copy.draft"
  [ -n "$left" ] || back "$@"
  fail "$db could not be copied"
done
for file; do
  number=${file##*=\{} number=${number%%\}*}
  said=$(slapindex -q -t -g -F "${config%/*}" -n "$number" 2>&1 </dev/null) && continue
  code=$?
  [ -z "$left" ] || fail "slapindex -n $number ended with $code: $said. Older copies:$left"
  back "$@"
  fail "slapindex -n $number ended with $code, the databases are as before: $said"
done
for file; do database "$file"; sync -- "$db" && rm -f -- "$copy" || exit; done
"""
SLAPD_INDEX = HostScript("slapd-index", as_owner(_BUILD))


def database_of(place: Place) -> str:
    """The number of the mdb database whose indexes a place lists; '' for another place."""
    match = _DATABASE.fullmatch(place.dn)
    return match[1] if match and place.attribute.lower() == LINES.lower() else ""


def built_for(place: Place) -> str:
    """Which databases need their indexes built with another value there.

    The number of one, ALL, or '' for none.
    """
    knobs = load_catalogue("openldap").knobs
    rebuilt = {knob.stored_as.lower() for knob in knobs if knob.rebuilds}
    return ALL if place.attribute.lower() in rebuilt else database_of(place)
