"""The scripts that list, read and follow the files of a log on its host."""

from __future__ import annotations

from ldap_workbench.connect.commands import HostScript

HEAD = 2048
"""Bytes looked at of every file, to know when it begins."""
SAMPLE_EVERY = 1 << 20
"""A packed file cannot be bisected: the host unpacks it and sends the start of every MiB."""
SAMPLE = 1024
MOST = 2 << 20
"""Bytes of one look at most, so that the next one is not far."""
MOVED = 75
CUT_SHORT = 76
"""What FOLLOW ends with: another file lies there now, the file has become shorter."""
BACK = 256
"""Bytes before the new ones that each look repeats."""
LISTINGS = 40
"""Attempts to list files that are renamed or packed at the moment."""

_UNPACK = """\
whole() {
  case "$packed" in gz) gzip -dc;; xz) xz -dc;; zst) zstd -dcq;; bz2) bzip2 -dc;; *) cat;; esac
}
"""
# $1: the path of the log, $2: seconds since 1970. For the log, and each file of that name and what
# follows it that was written since: inode, size, when it was written last and made, the same with
# the host's zone then, and its path on a line of its own; behind a NUL the first bytes of them all,
# in base64: HEAD of each as it lies there, of those only the host unpacks HEAD of their text. It
# takes a few processes however many files there are, but for those: whoever is behind by hundreds
# of files would fall back further. Thousands of older files cost two runs of stat; the shell sees
# the names of the new ones only, as it reads byte by byte. Files may be renamed, packed and removed
# meanwhile, and would then be seen twice or not at all: a listing counts (a last word 'whole') only
# where every name was still there when it was looked at, and names, inodes and what there is to
# look at are the same before and after it; else it is made anew, behind a word 'changed'.
# A link is not followed where the server's account could have put it to have root's files read.
LIST = HostScript(
    "list-logs",
    f"""\
nl='
'
all() {{
  set -- "$1"*
  [ -e "$1" ] || [ -L "$1" ] || return 0
  stat -c '%Y %i %.9W %n' -- "$@" 2>/dev/null
}}
since() {{
  printf '%s\\n' "$1"
  printf '%s\\n' "$before" | sort -rn | while IFS= read -r line; do
    second=${{line%% *}} f=/${{line#* /}}
    case "$second" in ''|*[!0-9]*) continue;; esac
    [ "$second" -ge "$2" ] || break
    case "$f" in "$1") ;; "$1"*) printf '%s\\n' "$f";; esac
  done
}}
names() {{
  log=$1
  set --
  while IFS= read -r f; do
    [ -f "$f" ] || continue
    [ ! -L "$f" ] || [ "$f" = "$log" ] || continue
    true <"$f" || continue
    set -- "$@" "$f"
  done
  [ $# = 0 ] || stat -L -c "%i %s %.9Y %.9W %y$nl%n" -- "$@" 2>/dev/null
}}
untimed() {{ cut -d ' ' -f 2-; }}
same() {{
  while read -r inode size written made rest && IFS= read -r f; do
    [ "$size" -le {HEAD} ] || size={HEAD}
    printf '%s\\n' "$inode $size $made $f"
  done
}}
heads() {{
  set --
  while read -r facts && IFS= read -r f; do
    case "$f" in *.zst|*.bz2) ;; *) set -- "$@" "$f";; esac
  done
  [ $# = 0 ] || head -q -c {HEAD} -- "$@"
}}
texts() {{
  while read -r facts && IFS= read -r f; do
    case "$f" in *.zst) unpack='zstd -dcq';; *.bz2) unpack='bzip2 -dc';; *) continue;; esac
    {{ $unpack 2>/dev/null; head -c {HEAD} /dev/zero; }} <"$f" |
      dd bs={HEAD} count=1 iflag=fullblock status=none
  done
}}
for turn in {" ".join(map(str, range(LISTINGS)))}; do
  steady=yes
  before=$(all "$1") || steady=
  new=$(since "$1" "$2")
  found=$(printf '%s\\n' "$new" | names "$1") || steady=
  printf '%s\\0' "$found"
  {{ printf '%s\\n' "$found" | heads; printf '%s\\n' "$found" | texts; }} | base64 -w 0
  again=$(printf '%s\\n' "$new" | names "$1") || steady=
  after=$(all "$1") || steady=
  [ "$before" = "$after" ] ||
    [ "$(printf '%s\\n' "$before" | untimed)" = "$(printf '%s\\n' "$after" | untimed)" ] || steady=
  [ -z "$steady" ] ||
    [ "$(printf '%s\\n' "$again" | same)" = "$(printf '%s\\n' "$found" | same)" ] || steady=
  if [ "$steady" ]; then
    printf '\\0whole\\0'
    exit 0
  fi
  printf '\\0changed\\0'
done
:
""",
)
# $1 path, $2 inode, $3 packed. A file that was rotated away meanwhile is not taken for another.
_OPEN = f"""\
renice -n 19 -p $$ >/dev/null 2>&1
packed=$3
[ -e "$1" ] || exit {MOVED}
exec 3<"$1"
[ "$(stat -L -c %i /proc/self/fd/3)" = "$2" ] || exit {MOVED}
{_UNPACK}
"""
# $4 first byte of the text counted from 1, $5 how many at the most, $6 how to pack them.
READ = HostScript(
    "read-logs",
    f"""\
{_OPEN}
from=$4 count=$5
part() {{
  if [ -z "$packed" ]; then tail -c "+$from" <&3; else whole <&3 | tail -c "+$from"; fi |
    head -c "$count"
}}
case "$6" in zstd) part | zstd -1 -qc;; gzip) part | gzip -1c;; *) part;; esac
""",
)
SAMPLES = HostScript(
    "sample-logs",
    f"""\
{_OPEN}
whole <&3 | while :; do
  x=$(head -c {SAMPLE} | base64 -w 0)
  [ -n "$x" ] || break
  echo "$x"
  head -c {SAMPLE_EVERY - SAMPLE} >/dev/null
done
""",
)
# $1 path, $2 inode, $3 bytes of its text that are known, $4 how to pack what is sent, $5 seconds
# between two looks, 0 for a single one. Each look tells how many bytes are new, how many of those
# before them come first, where in the file they end, how large it is, when it was written last and
# how long the host is up; then the bytes. Those before show that it is the text that was read: the
# file may have been cut to nothing and have grown again.
# A file that another one has taken the place of is left once something is written there, for its
# writer has left it then.
FOLLOW = HostScript(
    "follow-log",
    f"""\
renice -n 19 -p $$ >/dev/null 2>&1
[ -e "$1" ] || exit {MOVED}
exec 3<"$1"
[ "$(stat -L -c %i /proc/self/fd/3)" = "$2" ] || exit {MOVED}
at=$3 left=
part() {{
  dd bs=256K iflag=skip_bytes,count_bytes skip="$1" count="$2" status=none <&4
}}
while :; do
  if [ -s "$1" ] && ! [ "$1" -ef /proc/self/fd/3 ]; then left=yes; fi
  found=$(stat -L -c '%s %Y' /proc/self/fd/3)
  read -r up _ </proc/uptime
  size=${{found% *}} count=$((${{found% *}} - at))
  [ "$count" -ge 0 ] || exit {CUT_SHORT}
  [ "$count" -le {MOST} ] || count={MOST}
  back=$at
  [ "$back" -le {BACK} ] || back={BACK}
  from=$((at - back)) at=$((at + count))
  echo "$count $back $at $found ${{up%.*}}" || exit
  if [ "$count" -gt 0 ]; then
    exec 4</proc/self/fd/3
    case "$4" in
      zstd) part "$from" $((back + count)) | zstd -1 -qc;;
      gzip) part "$from" $((back + count)) | gzip -1c;;
      *) part "$from" $((back + count));;
    esac
    read -r _ place </proc/self/fdinfo/4
    [ "$place" = "$at" ] || exit {CUT_SHORT}
  fi
  [ "$at" -ge "$size" ] || continue
  [ -z "$left" ] || exit {MOVED}
  [ "$5" != 0 ] || exit 0
  sleep "$5"
done
""",
)
PACKERS = "for p in zstd gzip; do if command -v $p >/dev/null; then echo $p; exit; fi; done; :"
