"""Templates of what work below gui/ says while it goes on, and why it ended.

As they stand there; sentences.py tells the rest.
"""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

PROGRESS = (
    QT_TRANSLATE_NOOP("Sentences", "Setting {setting}"),
    QT_TRANSLATE_NOOP("Sentences", "Set {treatment}"),
    QT_TRANSLATE_NOOP("Sentences", "Stopping the server: {command}"),
    QT_TRANSLATE_NOOP("Sentences", "Starting the server: {command}"),
    QT_TRANSLATE_NOOP("Sentences", "Restarting the server: {command}"),
    QT_TRANSLATE_NOOP("Sentences", "Waiting for the server to be restarted by its operator"),
    QT_TRANSLATE_NOOP("Sentences", "The server answers again"),
    QT_TRANSLATE_NOOP("Sentences", "The server is down; waiting until it answers"),
    QT_TRANSLATE_NOOP("Sentences", "Reading window {window}"),
    QT_TRANSLATE_NOOP("Sentences", "Writing the report"),
    QT_TRANSLATE_NOOP("Sentences", "Checking the plan against the server"),
    QT_TRANSLATE_NOOP("Sentences", "Applying {treatment}"),
    QT_TRANSLATE_NOOP("Sentences", "Reverting {treatment}"),
    QT_TRANSLATE_NOOP("Sentences", "Settling for {length:time}"),
    QT_TRANSLATE_NOOP("Sentences", "Dropping the page cache of the server's host"),
    QT_TRANSLATE_NOOP("Sentences", "Judging"),
    QT_TRANSLATE_NOOP("Sentences", "that ends the experiment, {n:count} pairs are not measured"),
    QT_TRANSLATE_NOOP("Sentences", "better"),
    QT_TRANSLATE_NOOP("Sentences", "worse"),
    QT_TRANSLATE_NOOP("Sentences", "immaterial"),
    QT_TRANSLATE_NOOP("Sentences", "no material change"),
    QT_TRANSLATE_NOOP("Sentences", "inconclusive"),
    QT_TRANSLATE_NOOP("Sentences", "insufficient"),
    QT_TRANSLATE_NOOP("Sentences", "suggests better"),
    QT_TRANSLATE_NOOP("Sentences", "suggests worse"),
    QT_TRANSLATE_NOOP("Sentences", "not comparable"),
    QT_TRANSLATE_NOOP("Sentences", "Window {n:count} of {of:count} (arm {arm:arm}): {what}"),
    QT_TRANSLATE_NOOP("Sentences", "Preparing the log reader (once on this machine)"),
    QT_TRANSLATE_NOOP("Sentences", "Looking at the log files"),
    QT_TRANSLATE_NOOP("Sentences", "Finding the window"),
    QT_TRANSLATE_NOOP("Sentences", "Fetching, {size:size} of about {of:size}"),
    QT_TRANSLATE_NOOP("Sentences", "Starting the sources"),
    QT_TRANSLATE_NOOP("Sentences", "Measuring, {left:time} left"),
    QT_TRANSLATE_NOOP("Sentences", "Waiting for operations that began in the window"),
    QT_TRANSLATE_NOOP("Sentences", "Fetching the rest"),
    QT_TRANSLATE_NOOP("Sentences", "Fetching the rest, {left:time}"),
    QT_TRANSLATE_NOOP(
        "Sentences", "The link is cut, the rest of the log is read when it stands again"
    ),
    QT_TRANSLATE_NOOP("Sentences", "Reading the last of the {source}"),
    QT_TRANSLATE_NOOP(
        "Sentences", "Waiting for the access log to be written, at most {left:time} more"
    ),
    QT_TRANSLATE_NOOP("Sentences", "Reading {file}"),
    QT_TRANSLATE_NOOP("Sentences", "Connecting to {address}"),
    QT_TRANSLATE_NOOP("Sentences", "Reading the facts of {host}"),
)
"""What long work says: Progress of all rooms."""

CHANGES = (
    QT_TRANSLATE_NOOP("Sentences", "{knob} is {value} already: nothing is written."),
    QT_TRANSLATE_NOOP("Sentences", "absent"),
    QT_TRANSLATE_NOOP("Sentences", "absent → {after}"),
    QT_TRANSLATE_NOOP("Sentences", "{before} → absent"),
    QT_TRANSLATE_NOOP("Sentences", "works after a restart"),
    QT_TRANSLATE_NOOP("Sentences", "needed by {knob:word}, which the server refuses otherwise"),
    QT_TRANSLATE_NOOP("Sentences", "This is not automated while {knob:word} is absent: {why}"),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The server refuses this while it runs: stop it, set '{setting}' in the entry "
        "'{entry}' of its dse.ldif, and start it. On your word the workbench does so, with a "
        "backup of the file.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "You must restart the server: the profile has no restart command."
    ),
)
"""What a plan changes: tuning/plan.py."""

ENDED = (
    QT_TRANSLATE_NOOP("Sentences", "During window {window:word} {why}."),
    QT_TRANSLATE_NOOP("Sentences", "the load command ended with status {status:word}"),
    QT_TRANSLATE_NOOP("Sentences", "The access log was not read in window {window:word}: {why}"),
    QT_TRANSLATE_NOOP("Sentences", "{share:share} of the operations failed"),
    QT_TRANSLATE_NOOP("Sentences", "p99 was {etime:time}"),
)
"""Why an experiment ended: experiment/guards.py, load.py."""

WORK = (*PROGRESS, *CHANGES, *ENDED)
