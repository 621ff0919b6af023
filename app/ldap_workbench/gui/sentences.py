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

DESIGN = (
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
        "With fewer than {n:count} pairs a difference can be suggested, not established.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "Afterwards: ask."),
    QT_TRANSLATE_NOOP("Sentences", "Afterwards: keep."),
    QT_TRANSLATE_NOOP("Sentences", "Afterwards: revert."),
    QT_TRANSLATE_NOOP("Sentences", "Afterwards: keep-if-better."),
    QT_TRANSLATE_NOOP(
        "Sentences", "A look after {n:count} pairs is too early: no outcome reaches that p."
    ),
    QT_TRANSLATE_NOOP("Sentences", "The smallest effect on {metric:word} is not known: {why}."),
    QT_TRANSLATE_NOOP("Sentences", "there is no operation type {type:type}"),
    QT_TRANSLATE_NOOP("Sentences", "a window had no such operation"),
    QT_TRANSLATE_NOOP("Sentences", "a window must hold {n:count} operations"),
    QT_TRANSLATE_NOOP("Sentences", "a window had no stall"),
)
"""What a plan means: experiment/plan.py, foresight.py, statistics/planner.py."""

SERVERS = (QT_TRANSLATE_NOOP("Sentences", "The server was {a} in A and {b} in B."),)
"""How two sessions differ: gui/tails/reader.py, which knows no Qt."""

SENTENCES = (
    *JOINTS, *DESIGN, *SERVERS, *FINDINGS, *SOURCES, *WORK, *AFTERMATH, *TRUST, *LINKS, *FILES,
    *HOSTS, *COMPANIONS, *SESSIONS, *CHAINS,
)  # fmt: skip
