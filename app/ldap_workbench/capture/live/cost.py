"""What a capture costs the host: the processor time of its own logins there, from /proc."""

from __future__ import annotations

from dataclasses import replace

from ldap_workbench.capture.host_link import HostLink
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.remarks import HOST_SHARE
from ldap_workbench.model.window import Source

# sshd makes a session of processes for each connection and one more for each command: the first
# process above ours that is of another session is the connection's, and the leader of that session
# its top. Everything below the top is ours: sshd, sudo, the scripts, iostat; what has ended counts
# in what waited for it. Prints ticks, and ticks a second; nothing where the top is no sshd.
_COST = r"""
cat /proc/[0-9]*/stat 2>/dev/null | awk -v me=$$ -v hz="$(getconf CLK_TCK)" '
  { pid = $1; name = $0; sub(/^[0-9]+ \(/, "", name); sub(/^.*\) /, "")
    called[pid] = name; parent[pid] = $2; session[pid] = $4; ticks[pid] = $12 + $13 + $14 + $15 }
  END {
    for (p = me; p in parent && session[p] == session[me]; ) p = parent[p]
    top = session[p]
    if (called[top] !~ /^sshd/) exit
    for (pid in parent) {
      for (p = pid; p in parent && p != top; ) p = parent[p]
      if (p == top) sum += ticks[pid]
    }
    print sum, hz
  }'
"""


def host_share(link: HostLink) -> float | None:
    """Seconds of one processor a second that this login took; None where it cannot be told.

    Of the link that is open now: what came before a cut is taken to have cost as much.
    """
    try:
        printed = link.run_once(["sh", "-c", _COST]).stdout.split()
    except WorkbenchError:
        return None
    if len(printed) != 2 or not link.age_s:
        return None
    return int(printed[0]) / int(printed[1]) / link.age_s


def with_cost(source: Source, share: float | None) -> Source:
    """The source with what it cost in its details."""
    return (
        source if share is None else replace(source, details={**source.details, HOST_SHARE: share})
    )
