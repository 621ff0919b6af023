"""Templates of what goes wrong, or right, on the way to a server, its logs and a verdict.

As they stand there; sentences.py tells the rest.
"""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP

LINKS = (
    QT_TRANSLATE_NOOP("Sentences", "{a} holds no entry."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Name an LDIF with the entries: dsconf INSTANCE backend export BACKEND -l FILE.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "iostat is not installed on the host (package sysstat)."),
    QT_TRANSLATE_NOOP("Sentences", "A window ends after it starts."),
    QT_TRANSLATE_NOOP("Sentences", "Swap --from and --to."),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' is no dialect of logs."),
    QT_TRANSLATE_NOOP("Sentences", "Choose auto, {a}."),
    QT_TRANSLATE_NOOP(
        "Sentences", "The window ends at {a}, which is not over on the server's clock."
    ),
    QT_TRANSLATE_NOOP("Sentences", "Capture it live, or choose an earlier end."),
    QT_TRANSLATE_NOOP(
        "Sentences", "The server does not tell where its log is (nsslapd-accesslog)."
    ),
    QT_TRANSLATE_NOOP("Sentences", "The profile has no SSH host, so the host cannot be asked."),
    QT_TRANSLATE_NOOP("Sentences", "{a} and the files rotated from it hold no access log."),
    QT_TRANSLATE_NOOP("Sentences", "Nothing was changed."),
    QT_TRANSLATE_NOOP(
        "Sentences", "See whether the access log is enabled and named rightly in the profile."
    ),
    QT_TRANSLATE_NOOP("Sentences", "The oldest log file left begins at {a}, after the window."),
    QT_TRANSLATE_NOOP("Sentences", "Choose a later window, or import older files from elsewhere."),
    QT_TRANSLATE_NOOP("Sentences", "{a} cannot be read on the server's host: {b}."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Logs of 389 DS are readable by its own user only: allow sudo in the profile.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Logs of 389 DS are readable by its own user only: allow sudo in the profile, or name "
        "the right file there.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "No log could be used. {a}"),
    QT_TRANSLATE_NOOP("Sentences", "The files were not changed."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Name access logs, or say what they are: File, Read logs as; or --dialect."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{a} cannot be read with this bind: {b}."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Bind as a user who may read it: cn=Directory Manager of 389 DS; of OpenLDAP the root "
        "of cn=config, whom the access rules of the monitor database let in.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "There is no socket {a}, or it cannot be seen by this user."),
    QT_TRANSLATE_NOOP(
        "Sentences", "See nsslapd-ldapifilepath in cn=config, and that the server runs."
    ),
    QT_TRANSLATE_NOOP("Sentences", "Where the access log is, the server does not tell."),
    QT_TRANSLATE_NOOP("Sentences", "Name its path in the profile (--access-log)."),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' on the host failed: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "The name {a} is not known: {b}."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Check the spelling, and the DNS or hosts file of this machine."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{a}:{b} does not answer: {c}."),
    QT_TRANSLATE_NOOP("Sentences", "Check the port, {a}, and that no firewall stands between."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "{a}:{b} shows another SSH host key than the one on record: {c} instead of {d}.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "Nothing was sent; a changed key is never accepted here."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Either the host was set up anew, or somebody is in between: ask who runs it. If it is "
        "right, remove the line of {a} from {b}.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "{a} cannot be reached over SSH: {b}."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Check host and port, that sshd runs there, and that no firewall stands between.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "{a}:{b} shows {c}, not {d}."),
    QT_TRANSLATE_NOOP("Sentences", "The key was not accepted."),
    QT_TRANSLATE_NOOP("Sentences", "Find out which is right on the host itself: ssh-keygen -lf."),
    QT_TRANSLATE_NOOP("Sentences", "The file of known host keys, {a}, cannot be read: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "Nothing was sent."),
    QT_TRANSLATE_NOOP("Sentences", "Mend it, or move it away and accept the keys again."),
    QT_TRANSLATE_NOOP("Sentences", "{a} was refused: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "{a} cannot be reached: {b}."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Check the URL, that the server runs, and that no firewall stands between."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "Binding to {a} would send the password unencrypted over the network."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "Use ldaps:// or StartTLS, or say in the profile that plain is allowed."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{a} did not start TLS."),
    QT_TRANSLATE_NOOP("Sentences", "No password was sent."),
    QT_TRANSLATE_NOOP("Sentences", "There is no entry '{a}' on {b}, or this bind may not see it."),
    QT_TRANSLATE_NOOP("Sentences", "{a} does not offer StartTLS: {b}."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Switch TLS on in the server (nsslapd-security), or use ldaps://."
    ),
    QT_TRANSLATE_NOOP("Sentences", "The connection to {a} broke{b}: {c}."),
    QT_TRANSLATE_NOOP("Sentences", "Nothing was changed by that."),
    QT_TRANSLATE_NOOP("Sentences", "See whether the server is running, then try again."),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' is not an LDAP URL."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Write ldap://host:389, ldaps://host:636 or ldapi://%2Fpath%2Fto%2Fsocket."
    ),
    QT_TRANSLATE_NOOP("Sentences", "{a} cannot be read: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' on {b} did not end within {c} s."),
    QT_TRANSLATE_NOOP("Sentences", "It may still be running there."),
    QT_TRANSLATE_NOOP("Sentences", "See whether the host is overloaded."),
    QT_TRANSLATE_NOOP("Sentences", "The profile '{a}' {b}."),
    QT_TRANSLATE_NOOP("Sentences", "Correct it in profiles.toml, or add the profile again."),
    QT_TRANSLATE_NOOP("Sentences", "The file of profiles, {a}, {b}."),
    QT_TRANSLATE_NOOP("Sentences", "It was not changed."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Mend it in an editor, or move it away and add the profiles again."
    ),
    QT_TRANSLATE_NOOP("Sentences", "There is no profile '{a}'."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Known are: {a}. Add one: ldap-workbench profile add {b} --ldap URL"
    ),
    QT_TRANSLATE_NOOP("Sentences", "A profile needs a name without blanks around it."),
    QT_TRANSLATE_NOOP("Sentences", "The file of profiles, {a}, cannot be written: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "It is as it was."),
    QT_TRANSLATE_NOOP("Sentences", "There is no password for {a} on {b}."),
    QT_TRANSLATE_NOOP("Sentences", "The system's keyring did not take the password: {a}"),
    QT_TRANSLATE_NOOP("Sentences", "It is kept until the program ends, and nowhere else."),
    QT_TRANSLATE_NOOP("Sentences", "No password can be read from file descriptor {a}: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "Start the command with it, for example {a}<password-file."),
    QT_TRANSLATE_NOOP("Sentences", "The SSH connection to {a} broke while a command ran."),
    QT_TRANSLATE_NOOP("Sentences", "See whether the host is up and reachable, then try again."),
    QT_TRANSLATE_NOOP("Sentences", "The SSH connection to {a} is closed."),
    QT_TRANSLATE_NOOP("Sentences", "{a} refused the login: {b}."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Check the user, the key (--identity, or the agent), or give a password."
    ),
    QT_TRANSLATE_NOOP("Sentences", "The SSH key {a} of the profile is not there."),
    QT_TRANSLATE_NOOP("Sentences", "Name the private key file again (--identity)."),
    QT_TRANSLATE_NOOP("Sentences", "The CA file {a} cannot be used: {b}."),
    QT_TRANSLATE_NOOP("Sentences", "Name a file with the CA's certificate in PEM form."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Let the load run at least as long as asked: {seconds} in the command tells it.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Try the profile (Test, or ldap-workbench profile test): it names the way out. Then "
        "start again.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "A verdict needs at least one window of each arm."),
    QT_TRANSLATE_NOOP("Sentences", "Measure both, or name the windows of each arm."),
    QT_TRANSLATE_NOOP("Sentences", "Check the command after --load."),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' is not a design."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Use pairs:8 (random order), abba:4 (balanced) or ab (one each, suggests only).",
    ),
    QT_TRANSLATE_NOOP("Sentences", "A design needs at least one pair."),
    QT_TRANSLATE_NOOP("Sentences", "A window must be longer than 0 s."),
    QT_TRANSLATE_NOOP("Sentences", "Planned looks need randomised pairs."),
    QT_TRANSLATE_NOOP("Sentences", "Use a design such as pairs:24."),
    QT_TRANSLATE_NOOP("Sentences", "Looks after {a} pairs do not fit {b}."),
    QT_TRANSLATE_NOOP("Sentences", "Name them in rising order, from {a} to {b}."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Windows of {a} s are too short to find the warm-up in: {b} s are cut at least, and at "
        "most half a window.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "Take windows of {a} s or more, or say the seconds to cut yourself."
    ),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' names no looks."),
    QT_TRANSLATE_NOOP("Sentences", "Say numbers of pairs with commas: 8,12,16."),
    QT_TRANSLATE_NOOP("Sentences", "The treatment is stored but not in force: {a}"),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' is not a port."),
    QT_TRANSLATE_NOOP("Sentences", "The {a} port is a number from 1 to 65535."),
    QT_TRANSLATE_NOOP("Sentences", "There is no {a} yet."),
    QT_TRANSLATE_NOOP("Sentences", "Give {a}."),
    QT_TRANSLATE_NOOP("Sentences", "The sample could not be copied: {a}"),
    QT_TRANSLATE_NOOP("Sentences", "Nothing else was touched."),
    QT_TRANSLATE_NOOP("Sentences", "Make room on the disk, or make the cache folder writable."),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' is no dialect."),
    QT_TRANSLATE_NOOP("Sentences", "{a} does not exist."),
    QT_TRANSLATE_NOOP("Sentences", "{a} is not a regular file."),
    QT_TRANSLATE_NOOP("Sentences", "The iostat output has no times."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Run iostat with -t, or say when it was started and at which interval."
    ),
    QT_TRANSLATE_NOOP("Sentences", "iostat printed a time that cannot be read: {a}."),
    QT_TRANSLATE_NOOP("Sentences", "Run iostat with S_TIME_FORMAT=ISO."),
    QT_TRANSLATE_NOOP("Sentences", "This is no iostat output but: {a}."),
    QT_TRANSLATE_NOOP("Sentences", "The {a} output has no times."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Say when its first report ended and how far they are apart: --began, --interval (and "
        "--zone); or print times (-t).",
    ),
    QT_TRANSLATE_NOOP("Sentences", "'{a}' is no dialect of access logs."),
    QT_TRANSLATE_NOOP("Sentences", "Choose one of {a}."),
    QT_TRANSLATE_NOOP("Sentences", "This is no vmstat output but: {a}."),
    QT_TRANSLATE_NOOP("Sentences", "TLS with {url} failed: {why}."),
    QT_TRANSLATE_NOOP("Sentences", "{url} refused to bind this user (EXTERNAL): {why}."),
    QT_TRANSLATE_NOOP("Sentences", "{url} refused to bind {who}: {why}."),
    QT_TRANSLATE_NOOP("Sentences", "Use the name in the server's certificate in the LDAP URL."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Renew the server's certificate; see also whether this machine's clock is right.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "See whether this machine's clock is right."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The CA's certificate lacks a key usage; have it issued anew with keyCertSign.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "Name the certificate of the CA that signed the server's in the profile."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "The server does not speak TLS on this port; try ldap:// with StartTLS."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "The server offers only TLS versions that are not safe any more."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "See whether the port speaks TLS: ldaps is 636, StartTLS is 389."
    ),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "The server shows the certificate of {subject}, issued by {issuer}, valid until "
        "{until}, SHA-256 {sha256}.",
    ),
    QT_TRANSLATE_NOOP(
        "Sentences", "{host:word} shows an SSH host key that is not known yet: {key}."
    ),
    QT_TRANSLATE_NOOP("Sentences", "Nothing was sent to the host."),
    QT_TRANSLATE_NOOP(
        "Sentences",
        "Compare the fingerprint with the host's own (ssh-keygen -lf), then accept it.",
    ),
    QT_TRANSLATE_NOOP("Sentences", "does not answer"),
    QT_TRANSLATE_NOOP("Sentences", "still answers"),
    QT_TRANSLATE_NOOP("Sentences", "still runs since the same time"),
    QT_TRANSLATE_NOOP("Sentences", "a shell on the host"),
    QT_TRANSLATE_NOOP("Sentences", "a restart command"),
    QT_TRANSLATE_NOOP("Sentences", "Reading '{dn}'"),
    QT_TRANSLATE_NOOP("Sentences", "Setting {attribute:word} of '{dn}' to {values}"),
    QT_TRANSLATE_NOOP("Sentences", "Use another way to bind."),
    QT_TRANSLATE_NOOP(
        "Sentences", "The server asks for TLS or a stronger bind: use ldaps:// or StartTLS."
    ),
    QT_TRANSLATE_NOOP("Sentences", "The server asks for TLS: use ldaps:// or StartTLS."),
    QT_TRANSLATE_NOOP("Sentences", "The server takes no such bind: name a bind DN."),
    QT_TRANSLATE_NOOP("Sentences", "Check the bind DN and the password."),
    QT_TRANSLATE_NOOP("Sentences", "The server refuses this bind now; its error log says why."),
    QT_TRANSLATE_NOOP("Sentences", "a name for this server"),
    QT_TRANSLATE_NOOP("Sentences", "the LDAP host"),
    QT_TRANSLATE_NOOP("Sentences", "the SSH user"),
    QT_TRANSLATE_NOOP("Sentences", "the socket {path}"),
    QT_TRANSLATE_NOOP("Sentences", "{host:word} is {at:addresses}"),
    QT_TRANSLATE_NOOP("Sentences", "{encryption}, the certificate is verified"),
    QT_TRANSLATE_NOOP("Sentences", "not encrypted"),
    QT_TRANSLATE_NOOP("Sentences", "bound as {dn}"),
    QT_TRANSLATE_NOOP("Sentences", "bound as this user (EXTERNAL)"),
    QT_TRANSLATE_NOOP("Sentences", "anonymous"),
    QT_TRANSLATE_NOOP("Sentences", "readable: {what}"),
    QT_TRANSLATE_NOOP("Sentences", "{fingerprint} is the one on record"),
    QT_TRANSLATE_NOOP("Sentences", "this machine runs {system}"),
    QT_TRANSLATE_NOOP("Sentences", "{host:word} runs {system}"),
    QT_TRANSLATE_NOOP("Sentences", "Bind as a user who may do this, such as cn=Directory Manager."),
    QT_TRANSLATE_NOOP("Sentences", "The server is busy; try again."),
    QT_TRANSLATE_NOOP("Sentences", "The server is starting or stopping; try again."),
    QT_TRANSLATE_NOOP("Sentences", "Set the environment variable {name:word}."),
    QT_TRANSLATE_NOOP(
        "Sentences", "Name an environment variable in the profile (--password-env) and set it."
    ),
    QT_TRANSLATE_NOOP("Sentences", "sudo -n works"),
    QT_TRANSLATE_NOOP("Sentences", "{path:word} is readable"),
    QT_TRANSLATE_NOOP("Sentences", "{host:word} answers in {length:time}"),
    QT_TRANSLATE_NOOP("Sentences", "{path:word} is there"),
)
"""Errors of capture, connect, experiment and logs; the steps of connect/check.py."""
