"""Templates of the sentences that code below gui/ makes, for retold.py and for the translator.

As they stand there, with {name} for what is filled in; tests hold both together.
"""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

from ldap_workbench.gui.sentences_of_aftermath import AFTERMATH
from ldap_workbench.gui.sentences_of_chains import CHAINS
from ldap_workbench.gui.sentences_of_companions import COMPANIONS
from ldap_workbench.gui.sentences_of_files import FILES
from ldap_workbench.gui.sentences_of_findings import FINDINGS
from ldap_workbench.gui.sentences_of_hosts import HOSTS
from ldap_workbench.gui.sentences_of_links import LINKS
from ldap_workbench.gui.sentences_of_sessions import SESSIONS
from ldap_workbench.gui.sentences_of_sources import SOURCES
from ldap_workbench.gui.sentences_of_trust import TRUST
from ldap_workbench.gui.sentences_of_work import WORK

LANGUAGE = QT_TRANSLATE_NOOP("Sentences", "en")
"""Translated as the code of the other language."""

JOINTS = (
    QT_TRANSLATE_NOOP("Sentences", " and "),
    QT_TRANSLATE_NOOP("Sentences", ", and "),
)
"""Between the parts of a sentence."""

VERDICT = (
    QT_TRANSLATE_NOOP("Sentences", "Better: {why}"),
    QT_TRANSLATE_NOOP("Sentences", "Worse: {why}"),
    QT_TRANSLATE_NOOP("Sentences", "Suggests better: {why}"),
    QT_TRANSLATE_NOOP("Sentences", "Suggests worse: {why}"),
    QT_TRANSLATE_NOOP("Sentences", "Immaterial: {why}"),
    QT_TRANSLATE_NOOP("Sentences", "No material change: {why}"),
    QT_TRANSLATE_NOOP("Sentences", "Inconclusive: {why}"),
    QT_TRANSLATE_NOOP("Sentences", "Insufficient: {why}"),
    QT_TRANSLATE_NOOP("Sentences", "Not comparable: {why}"),
    QT_TRANSLATE_NOOP("Sentences", "the share of operations over the limit"),
    QT_TRANSLATE_NOOP("Sentences", "{type:type} the share of operations over the limit"),
    QT_TRANSLATE_NOOP("Sentences", "the length of stalls"),
    QT_TRANSLATE_NOOP("Sentences", "{type:type} the length of stalls"),
    QT_TRANSLATE_NOOP("Sentences", "the total stalled time"),
    QT_TRANSLATE_NOOP("Sentences", "{type:type} the total stalled time"),
    QT_TRANSLATE_NOOP("Sentences", "the number of stalls"),
    QT_TRANSLATE_NOOP("Sentences", "{type:type} the number of stalls"),
    QT_TRANSLATE_NOOP("Sentences", "{metric} cannot be told"),
    QT_TRANSLATE_NOOP("Sentences", "{metric} is {ratio:ratio}"),
    QT_TRANSLATE_NOOP("Sentences", "{metric} went from {a:time} to {b:time}"),
    QT_TRANSLATE_NOOP("Sentences", "{metric} went from {a:share} to {b:share}"),
    QT_TRANSLATE_NOOP("Sentences", "stalls are {ratio:ratio} as long"),
    QT_TRANSLATE_NOOP("Sentences", "{type:type} stalls are {ratio:ratio} as long"),
    QT_TRANSLATE_NOOP("Sentences", "stalls are {ratio:ratio} as frequent"),
    QT_TRANSLATE_NOOP("Sentences", "{type:type} stalls are {ratio:ratio} as frequent"),
    QT_TRANSLATE_NOOP("Sentences", "{effect}, {ratio:ratio} in a typical window"),
    QT_TRANSLATE_NOOP("Sentences", "{effect} [{low:ratio} to {high:ratio}]"),
    QT_TRANSLATE_NOOP("Sentences", "{low:ratio} to {high:ratio}"),
    QT_TRANSLATE_NOOP("Sentences", "But {effects}"),
    QT_TRANSLATE_NOOP("Sentences", "Also {effects}"),
    QT_TRANSLATE_NOOP("Sentences", "Unchanged within 10 %: {metrics}"),
    QT_TRANSLATE_NOOP("Sentences", "{design}, p = {p:number}"),
    QT_TRANSLATE_NOOP("Sentences", "{pairs:count} randomised pairs × {length:time}"),
    QT_TRANSLATE_NOOP("Sentences", "{pairs:count} pairs in ABBA order × {length:time}"),
    QT_TRANSLATE_NOOP("Sentences", "To know: {takes}"),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "One-shot: one stretch each cannot separate the change from the time that passed; "
        "randomised pairs can.",
    ),
)
"""statistics/wording.py."""

TO_KNOW = (
    QT_TRANSLATE_NOOP("Sentences", "at least {n:count} stalls; there were {held:count}"),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "at least {n:count} operations in each window; the smallest held {held:count}",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "at least {n:count} operations over the limit; there were {held:count}"
    ),
    QT_TRANSLATE_NOOP("Sentences", "windows that have this metric"),
    QT_TRANSLATE_NOOP("Sentences", "{n:count} pairs or more"),
    QT_TRANSLATE_NOOP(
        "Sentences", "{n:count} pairs find {more:ratio} or {less:ratio} four times in five"
    ),
    QT_TRANSLATE_NOOP("Sentences", "a true {ratio:ratio} takes about {n:count} pairs"),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "randomised pairs (pairs:8): one stretch each cannot separate change and time",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "more independent events: what lies beyond this comes from about {n:number} of them, "
        "{least:count} are the least",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "a log with finer times: this one has steps of {step}, and {metric:word} is near that",
    ),
)
"""What it takes to know: statistics/paired.py, oneshot.py, measured.py."""

REFUSALS = (
    QT_TRANSLATE_NOOP("Sentences", "The first look is planned at {n:count} pairs."),
    QT_TRANSLATE_NOOP("Sentences", "The server was still warming up after half a window."),
    QT_TRANSLATE_NOOP("Sentences", "No pair has a load that both arms saw."),
    QT_TRANSLATE_NOOP("Sentences", "hardly any of its load was common"),
    QT_TRANSLATE_NOOP("Sentences", "There are no {type:type} operations in every window."),
    QT_TRANSLATE_NOOP("Sentences", "There are no operations in arm {arm:arm}."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Window {arm:arm} of pair {pair:count} holds no operations: either nothing was answered or "
        "nothing was logged.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "A window of arm {arm:arm} was left out: {why}."),
    QT_TRANSLATE_NOOP("Sentences", "Pair {pair:count} was left out: {why}."),
    QT_TRANSLATE_NOOP("Sentences", "it is not one window of each arm"),
    QT_TRANSLATE_NOOP("Sentences", "in window {arm:arm}: {why}"),
    QT_TRANSLATE_NOOP("Sentences", "the access log is not whole ({why})"),
    QT_TRANSLATE_NOOP("Sentences", "the clock of the log went back by more than a second"),
    QT_TRANSLATE_NOOP("Sentences", "Arm B had {ratio:ratio} the load of arm A"),
    QT_TRANSLATE_NOOP("Sentences", "{load}: that is another workload."),
    QT_TRANSLATE_NOOP(
        "Sentences", "{load}, and only {share:share} of the time had a load that both arms saw."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "{load}; only seconds of equal load were compared, {share:share} of them."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{types} operations occur in one arm only."),
    QT_TRANSLATE_NOOP(
        "Sentences", "The mix of operations differs by {share:share} between the arms."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{a:share} of the operations end with a result code other than 0 in arm A and {b:share} in "
        "arm B: fast failures look like speed.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "Result code {code:count} occurs in arm {arm:arm} only."),
)
"""Why windows are not compared: statistics/analyse.py, selection.py, load.py, gates.py."""

NOTICES = (
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Clients seem to wait for their answers (loop index {a:number} and {b:number}): the "
        "quantiles hide most of a stall, so look at the stalls themselves.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Clients seem to wait for their answers in arm {arm:arm} only (loop index {a:number} and "
        "{b:number}): what one arm hides in a stall the other one shows.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "There were {a:count} connections in arm A and {b:count} in arm B."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "A search returned {a:number} entries on average in arm A and {b:number} in arm B: look at "
        "the operation types one by one.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{a:share} of the searches were unindexed in arm A and {b:share} in arm B.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "A window of arm {arm:arm} held {n:number} stalls on average: longer windows, with at "
        "least {least:count}, would tell more of the tail.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{metric:word} sits between the usual and the stalled operations: small changes of how "
        "many stall move it far.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "{a:quantile} and {b:quantile}"),
    QT_TRANSLATE_NOOP("Sentences", "{a:quantile} and {b:quantile} and {c:quantile}"),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{metrics} sit between the usual and the stalled operations: small changes of how many "
        "stall move it far.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "All pairs ran in the same order, so a steady trend would look like an effect.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The arm measured before still shows in a window (p = {p:number}, {n:count} pairs): a "
        "longer settling time would tell more.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Stalls of {long:time} or more: {a:count} in {hours_a:time} of A, {b:count} in "
        "{hours_b:time} of B",
    ),
    QT_TRANSLATE_NOOP("Sentences", "at A's rate {n:number} would be expected in B"),
    QT_TRANSLATE_NOOP("Sentences", "so this says nothing before {hours:time} of B"),
)
"""What else to know of a verdict: statistics/notices.py, gates.py, rare.py, in_pairs.py."""

DESIGN = (
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Noise floor: nothing is changed in either arm; whatever differs is noise.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "1 pair of {length:time} windows, in the order {order} (seed {seed:count}); about "
        "{all:time} in all.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{pairs:count} pairs of {length:time} windows, in the order {order} (seed {seed:count}); "
        "about {all:time} in all.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The server is restarted before every window, in both arms alike: {n:count} restarts, "
        "about {down:time} without service in all.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The page cache of the server's host is dropped before every window, in both arms alike: "
        "{n:count} times.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Caution: other programs of that host read their files from disk again as well, which "
        "slows them for a while. A dropped cache cannot be put back.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "With fewer than {n:count} pairs a difference can be suggested, not established.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "Afterwards: ask."),
    QT_TRANSLATE_NOOP("Sentences", "Afterwards: keep."),
    QT_TRANSLATE_NOOP("Sentences", "Afterwards: revert."),
    QT_TRANSLATE_NOOP("Sentences", "Afterwards: keep-if-better."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "One window each cannot separate the change from the time that passed: it can suggest, "
        "never establish.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "ABBA order is balanced against a steady trend, but no coin decides it: its p-values are "
        "not exact. Randomised pairs are.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "It is looked at after {looks} pairs, each time at p ≤ {p:number} instead of 0.05, and "
        "ends at the first decision.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "A look after {n:count} pairs is too early: no outcome reaches that p."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The smallest effect it can find is not known: there are {n:count} windows of "
        "{length:time} without a change, and it takes {least:count}. Measure them as a noise "
        "floor: the same pairs without a change.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "The smallest effect on {metric:word} is not known: {why}."),
    QT_TRANSLATE_NOOP("Sentences", "there is no operation type {type:type}"),
    QT_TRANSLATE_NOOP("Sentences", "a window had no such operation"),
    QT_TRANSLATE_NOOP("Sentences", "a window must hold {n:count} operations"),
    QT_TRANSLATE_NOOP("Sentences", "a window had no stall"),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "By {n:count} windows without a change, {pairs:count} pairs find a change of {metric:word} "
        "by {more:ratio} or {less:ratio} and more in 8 of 10 experiments; halving or doubling it "
        "takes {half:count} pairs.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "A window holds {n:number} stalls; for a tail it should hold {least:count} at least, that "
        "is windows of {length:time}.",
    ),
)
"""What a plan means: experiment/plan.py, foresight.py, statistics/planner.py."""

SERVERS = (
    QT_TRANSLATE_NOOP("Sentences", "Which servers A and B were measured on is not known for both."),
    QT_TRANSLATE_NOOP("Sentences", "A was measured on {a}, B on {b}: the servers differ, too."),
    QT_TRANSLATE_NOOP("Sentences", "The server was {a} in A and {b} in B."),
)
"""How two sessions differ: gui/tails/reader.py, which knows no Qt."""

SENTENCES = (
    *JOINTS, *VERDICT, *TO_KNOW, *REFUSALS, *NOTICES, *DESIGN, *SERVERS, *FINDINGS, *SOURCES,
    *WORK, *AFTERMATH, *TRUST, *LINKS, *FILES, *HOSTS, *COMPANIONS, *SESSIONS, *CHAINS,
)  # fmt: skip
