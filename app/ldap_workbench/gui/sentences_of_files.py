"""Templates of what goes wrong with sessions, reports, the journal and changes.

As they stand there; sentences.py tells the rest.
"""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

FILES = (
    QT_TRANSLATE_NOOP("Sentences", "What was gathered until then is kept."),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' is not a size."),
    QT_TRANSLATE_NOOP("Sentences", "Write bytes, or 512 KiB, 1.5 GiB, 10 MB."),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' is no format of an export."),
    QT_TRANSLATE_NOOP("Sentences", "Nothing was written."),
    QT_TRANSLATE_NOOP("Sentences", "Choose from {a}."),
    QT_TRANSLATE_NOOP("Sentences", "The export to {a} failed: {b}"),
    QT_TRANSLATE_NOOP("Sentences", "The session was not changed."),
    QT_TRANSLATE_NOOP("Sentences", "Choose a folder that can be written and has room."),
    QT_TRANSLATE_NOOP("Sentences", "The session has no change that LDIF could tell."),
    QT_TRANSLATE_NOOP("Sentences", "Leave out the LDIF; a capture alone changes nothing."),
    QT_TRANSLATE_NOOP("Sentences", "A report cannot be written as '{a}'."),
    QT_TRANSLATE_NOOP("Sentences", "Name a file that ends in .html, .md or .pdf."),
    QT_TRANSLATE_NOOP(
        "Sentences", "A PDF is drawn by the window's own toolkit, which is not loaded here."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "Write OUT.html and print it, or use: ldap-workbench report FILE -o OUT.pdf."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{a} cannot be written: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "Choose a folder that exists, can be written and has room."),
    QT_TRANSLATE_NOOP("Sentences", "The host does not tell its time in nanoseconds (date +%s%N)."),
    QT_TRANSLATE_NOOP("Sentences", "The clocks are taken to agree; mind that when reading times."),
    QT_TRANSLATE_NOOP("Sentences", "A {a} in the session cannot be read: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "The file was not changed."),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' is no duration."),
    QT_TRANSLATE_NOOP("Sentences", "Give {a} a unit: {b}>250us, {c}>1.5s."),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' is no number."),
    QT_TRANSLATE_NOOP("Sentences", "Write {a}=32, or {b}!=0."),
    QT_TRANSLATE_NOOP("Sentences", "'{a}{b}' cannot be looked for."),
    QT_TRANSLATE_NOOP("Sentences", "Write {a}=..."),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' is no operation type."),
    QT_TRANSLATE_NOOP("Sentences", "One of {a}."),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' is no note of a log."),
    QT_TRANSLATE_NOOP("Sentences", "Letters of {a}."),
    QT_TRANSLATE_NOOP("Sentences", "{a} is read-only: nothing can be noted in it."),
    QT_TRANSLATE_NOOP("Sentences", "Save a copy of it, and note it there."),
    QT_TRANSLATE_NOOP("Sentences", "{a} cannot be read: {b}"),
    QT_TRANSLATE_NOOP("Sentences", "There is no window '{a}'."),
    QT_TRANSLATE_NOOP("Sentences", "This session has: {a}."),
    QT_TRANSLATE_NOOP("Sentences", "Wait until its capture has ended, or stop that one."),
    QT_TRANSLATE_NOOP("Sentences", "Check the path."),
    QT_TRANSLATE_NOOP("Sentences", "To read logs, use: ldap-workbench import PATH -o FILE."),
    QT_TRANSLATE_NOOP("Sentences", "{a} was written by a newer workbench ({b})."),
    QT_TRANSLATE_NOOP("Sentences", "Update the workbench to open it."),
    QT_TRANSLATE_NOOP("Sentences", "{a} exists already."),
    QT_TRANSLATE_NOOP("Sentences", "It was not touched."),
    QT_TRANSLATE_NOOP("Sentences", "Choose another name, or remove the file first."),
    QT_TRANSLATE_NOOP("Sentences", "The session file {a} cannot be written: {b}"),
    QT_TRANSLATE_NOOP("Sentences", "Make room on the disk, then start again with a new file."),
    QT_TRANSLATE_NOOP("Sentences", "{a} cannot be opened for writing: {b}"),
    QT_TRANSLATE_NOOP("Sentences", "A limit of {a} is none an operation can be held to."),
    QT_TRANSLATE_NOOP("Sentences", "Give a limit between 10 µs and 4000 s."),
    QT_TRANSLATE_NOOP(
        "Sentences", "A change to plan for is a ratio other than 1, such as 0.5 or 2."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{a} baseline windows do not tell the noise of a window."),
    QT_TRANSLATE_NOOP("Sentences", "Measure at least {a} windows without a change."),
    QT_TRANSLATE_NOOP("Sentences", "{a} was refused. {b}"),
    QT_TRANSLATE_NOOP("Sentences", "{a} is {b} as before."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The server accepted {a} but does not know the attribute and ignores it. It said: {b}",
    ),
    QT_TRANSLATE_NOOP("Sentences", "The attribute is taken out again."),
    QT_TRANSLATE_NOOP("Sentences", "Look for the name this version of the server knows."),
    QT_TRANSLATE_NOOP(
        "Sentences", "The server answered success, but {a} still reads {b} instead of {c}."
    ),
    QT_TRANSLATE_NOOP("Sentences", "Nothing is changed."),
    QT_TRANSLATE_NOOP("Sentences", "{a} cannot be set while the server runs."),
    QT_TRANSLATE_NOOP("Sentences", "The link broke while {a} was written: {b}"),
    QT_TRANSLATE_NOOP("Sentences", "There is no knob '{a}' in the catalogue of {b}."),
    QT_TRANSLATE_NOOP("Sentences", "{a} does not exist in {b} and older versions."),
    QT_TRANSLATE_NOOP("Sentences", "A newer version of the server has it."),
    QT_TRANSLATE_NOOP("Sentences", "Did you mean {a}?"),
    QT_TRANSLATE_NOOP("Sentences", "See: ldap-workbench knobs."),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' is not a setting."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Write KNOB=VALUE, or KNOB@PLACE=VALUE for one backend or disk."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{a} has one place only, not '{b}'."),
    QT_TRANSLATE_NOOP("Sentences", "Leave out the part after @."),
    QT_TRANSLATE_NOOP("Sentences", "A treatment needs at least one setting."),
    QT_TRANSLATE_NOOP("Sentences", "Give KNOB=VALUE."),
    QT_TRANSLATE_NOOP("Sentences", "{a} is to be both {b} and {c}."),
    QT_TRANSLATE_NOOP("Sentences", "One of them excludes the other: choose."),
    QT_TRANSLATE_NOOP("Sentences", "There is no catalogue of knobs for '{a}'."),
    QT_TRANSLATE_NOOP("Sentences", "Servers of this product can be measured, but not changed."),
    QT_TRANSLATE_NOOP("Sentences", "{a}: knob {b} is not described well: {c}."),
    QT_TRANSLATE_NOOP("Sentences", "dse.ldif has no entry {a}."),
    QT_TRANSLATE_NOOP("Sentences", "See whether it is the file of this instance."),
    QT_TRANSLATE_NOOP("Sentences", "The journal {a} cannot be used: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "Nothing is written to a server without it."),
    QT_TRANSLATE_NOOP("Sentences", "The journal {a} was written by a newer workbench."),
    QT_TRANSLATE_NOOP("Sentences", "Use the newer version for servers that have open changes."),
    QT_TRANSLATE_NOOP("Sentences", "The journal has no change {a}."),
    QT_TRANSLATE_NOOP("Sentences", "The journal has no changes of group {a}."),
    QT_TRANSLATE_NOOP("Sentences", "The journal has no group {a}."),
    QT_TRANSLATE_NOOP("Sentences", "Another workbench is at work on {a} ({b})."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Let it end, or stop it, then try again; its open changes can be reverted then.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "The server must be stopped and started, and the profile does not tell how."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Give it a restart command with the word restart in it, such as 'systemctl restart "
        "dirsrv@INSTANCE': stop and start take its place.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "The server does not tell in which folder its dse.ldif is."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Bind as a user who may read cn=config, for example cn=Directory Manager."
    ),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' failed on {b}: {c}."),
    QT_TRANSLATE_NOOP("Sentences", "It must work on the host, with sudo without a password."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Editing dse.ldif needs a shell on the host, and the profile has none."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "Add SSH to the profile, or --local when the server runs on this machine."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{a} is of another server: its port is {b}, not {c}."),
    QT_TRANSLATE_NOOP("Sentences", "The server {a} {b} s after it was told to {c}."),
    QT_TRANSLATE_NOOP("Sentences", "See its error log."),
    QT_TRANSLATE_NOOP("Sentences", "The value is as it was."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Kernel files are set by root: allow sudo in the profile and tee in sudoers."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{a} lies in an entry of its own for each attribute."),
    QT_TRANSLATE_NOOP("Sentences", "This is not automated. {a}"),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' is not the name of a block device."),
    QT_TRANSLATE_NOOP(
        "Sentences", "The server has no entry {a}, or does not show it to this user."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Bind as a user who may read cn=config: cn=Directory Manager of 389 DS, "
        "cn=admin,cn=config of OpenLDAP.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "Knobs of the host need a shell on it, and the profile has none."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{a} cannot be removed."),
    QT_TRANSLATE_NOOP("Sentences", "The kernel does not offer '{a}' for {b} ({c})."),
    QT_TRANSLATE_NOOP("Sentences", "It offers {a}."),
    QT_TRANSLATE_NOOP("Sentences", "The server has no entry {a}, or does not show it."),
    QT_TRANSLATE_NOOP("Sentences", "The server must be restarted, and profile {a} has not {b}."),
    QT_TRANSLATE_NOOP("Sentences", "Nothing was restarted."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Restart it by hand (systemctl restart {a}), or add SSH and --restart-command to the "
        "profile.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "{a} s after the restart was asked for, the server {b}."),
    QT_TRANSLATE_NOOP("Sentences", "The journal knows which changes are open."),
    QT_TRANSLATE_NOOP("Sentences", "See the server's error log; start it, then revert."),
    QT_TRANSLATE_NOOP("Sentences", "The restart command '{a}' failed: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "See first whether the server is running."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Try the command on the host; with sudo it must work without a password."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "The server does not show cn=monitor, so a restart cannot be seen."
    ),
    QT_TRANSLATE_NOOP("Sentences", "Bind as a user who may read cn=monitor."),
    QT_TRANSLATE_NOOP("Sentences", "The server already has {a}."),
    QT_TRANSLATE_NOOP("Sentences", "A change needs a value that differs from the present one."),
    QT_TRANSLATE_NOOP("Sentences", "{a} is {b}: it is not known to be in place."),
    QT_TRANSLATE_NOOP("Sentences", "Revert it, then apply it again."),
    QT_TRANSLATE_NOOP(
        "Sentences", "An earlier change of {a} on {b} is still open: it was {c}, we set {d}."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "Revert or keep it first, so that one change at a time is measured."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "The server is as it was before; only the journal does not know it yet."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "Make room on the disk, then revert again: that closes the entries."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "{a} was set in dse.ldif: the server must be stopped to undo that."
    ),
    QT_TRANSLATE_NOOP("Sentences", "Nothing was changed; the journal keeps it open."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Say that it may be stopped: ldap-workbench revert PROFILE --all --offline."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{a} was put back to {b}, but reads {c}."),
    QT_TRANSLATE_NOOP("Sentences", "The journal keeps the change open."),
    QT_TRANSLATE_NOOP("Sentences", "Set it by hand, then revert again to close the entry."),
    QT_TRANSLATE_NOOP("Sentences", "{a} could not be put back to {b}: {c}"),
    QT_TRANSLATE_NOOP("Sentences", "See why the server refuses it, then revert again."),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' does not fit {b} ({c})."),
    QT_TRANSLATE_NOOP("Sentences", "Every change made so far is in the journal."),
    QT_TRANSLATE_NOOP("Sentences", "Nothing was done."),
    QT_TRANSLATE_NOOP("Sentences", "Nothing was sent to a server."),
    QT_TRANSLATE_NOOP("Sentences", "No password was sent to the host."),
    QT_TRANSLATE_NOOP("Sentences", "What it refused it did not do."),
    QT_TRANSLATE_NOOP("Sentences", "No server was changed by that."),
    QT_TRANSLATE_NOOP("Sentences", "Logs are only read."),
    QT_TRANSLATE_NOOP("Sentences", "Nothing was written for it."),
    QT_TRANSLATE_NOOP("Sentences", "The journal knows the change, and the value before it."),
)
"""Errors of model, report, servers, session, statistics and tuning."""
