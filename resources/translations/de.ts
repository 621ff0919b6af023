<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>AboutDialog</name>
    <message>
        <source>About</source>
        <translation>Über</translation>
    </message>
    <message>
        <source>Versions</source>
        <translation>Versionen</translation>
    </message>
    <message>
        <source>Measures an LDAP directory server, changes one thing at a time, and says honestly whether it helped. Apache License 2.0; Qt and PySide6 under the LGPL.</source>
        <translation>Misst einen LDAP-Verzeichnisserver, ändert eines nach dem anderen und sagt ehrlich, ob es geholfen hat. Apache License 2.0; Qt und PySide6 unter der LGPL.</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>S&amp;chließen</translation>
    </message>
</context>
<context>
    <name>AdviceCard</name>
    <message>
        <source>Source: {sources}</source>
        <translation>Quelle: {sources}</translation>
    </message>
    <message>
        <source>Expected: {text}</source>
        <translation>Erwartet: {text}</translation>
    </message>
    <message>
        <source>Cost: {text}</source>
        <translation>Kosten: {text}</translation>
    </message>
    <message>
        <source>Risk: {text}</source>
        <translation>Risiko: {text}</translation>
    </message>
    <message>
        <source>Others say: {text}</source>
        <translation>Andere sagen: {text}</translation>
    </message>
    <message>
        <source>Try this: {treatment}</source>
        <translation>Versuchen Sie: {treatment}</translation>
    </message>
    <message>
        <source>Plan an experiment with it; nothing is changed yet</source>
        <translation>Ein Experiment damit planen; noch wird nichts geändert</translation>
    </message>
</context>
<context>
    <name>Agreement</name>
    <message>
        <source>This restarts the server {server}:</source>
        <translation>Dies startet den Server {server} neu:</translation>
    </message>
    <message>
        <source>This changes the server {server}:</source>
        <translation>Dies ändert den Server {server}:</translation>
    </message>
    <message>
        <source>Start the experiment</source>
        <translation>Experiment starten</translation>
    </message>
    <message>
        <source>&amp;Start</source>
        <translation>&amp;Starten</translation>
    </message>
    <message>
        <source>Every change is noted in the journal before it is made.</source>
        <translation>Jede Änderung wird im Journal vermerkt, bevor sie geschieht.</translation>
    </message>
</context>
<context>
    <name>CaptureScreen</name>
    <message>
        <source>No server is connected</source>
        <translation>Kein Server ist verbunden</translation>
    </message>
    <message>
        <source>Connect to a server: then one window of its counters, logs and disks is captured into a session file that opens anywhere, without the server.</source>
        <translation>Verbinden Sie sich mit einem Server: dann wird ein Fenster seiner Zähler, Protokolle und Platten in eine Sitzungsdatei aufgezeichnet, die sich überall öffnen lässt, auch ohne den Server.</translation>
    </message>
    <message>
        <source>Capturing</source>
        <translation>Aufzeichnung läuft</translation>
    </message>
    <message>
        <source>Ending, what there is is kept …</source>
        <translation>Wird beendet; was da ist, bleibt …</translation>
    </message>
    <message>
        <source>S&amp;top waiting</source>
        <translation>Nicht weiter &amp;warten</translation>
    </message>
    <message>
        <source>Leave what the server has not written into its log yet</source>
        <translation>Lassen, was der Server noch nicht in sein Protokoll geschrieben hat</translation>
    </message>
    <message>
        <source>What the server does is drawn here, second by second, while it is captured.</source>
        <translation>Was der Server tut, wird hier Sekunde für Sekunde gezeichnet, während aufgezeichnet wird.</translation>
    </message>
    <message>
        <source>St&amp;art</source>
        <translation>Star&amp;ten</translation>
    </message>
    <message>
        <source>S&amp;top</source>
        <translation>Sto&amp;pp</translation>
    </message>
    <message>
        <source>Mar&amp;k this moment</source>
        <translation>Augenblick mar&amp;kieren</translation>
    </message>
    <message>
        <source>Choose the session file</source>
        <translation>Sitzungsdatei wählen</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>&amp;Name</translation>
    </message>
    <message>
        <source>Len&amp;gth</source>
        <translation>Län&amp;ge</translation>
    </message>
    <message>
        <source>Sessi&amp;on file</source>
        <translation>Sitz&amp;ungsdatei</translation>
    </message>
    <message>
        <source>Sources</source>
        <translation>Quellen</translation>
    </message>
    <message>
        <source>Progress of the capture</source>
        <translation>Fortschritt der Aufzeichnung</translation>
    </message>
    <message>
        <source>optional</source>
        <translation>wenn gewünscht</translation>
    </message>
    <message>
        <source>&amp;What happens now</source>
        <translation>&amp;Was jetzt geschieht</translation>
    </message>
    <message>
        <source>Session file to write</source>
        <translation>Zu schreibende Sitzungsdatei</translation>
    </message>
    <message>
        <source>Sessions (*.ldapwb)</source>
        <translation>Sitzungen (*.ldapwb)</translation>
    </message>
    <message>
        <source>{operations} operations · {samples} samples · {size} of logs</source>
        <translation>{operations} Operationen · {samples} Messwerte · {size} Protokoll</translation>
    </message>
    <message>
        <source>marked by the operator</source>
        <translation>vom Bediener markiert</translation>
    </message>
    <message>
        <source>The moment is marked in the session.</source>
        <translation>Der Augenblick ist in der Sitzung markiert.</translation>
    </message>
    <message>
        <source>{seconds:.1f} s captured into {path}</source>
        <translation>{seconds:.1f} s nach {path} aufgezeichnet</translation>
    </message>
    <message>
        <source>Not everything of this window has come in</source>
        <translation>Nicht alles von diesem Fenster ist angekommen</translation>
    </message>
    <message>
        <source>End the window now, once its log is written</source>
        <translation>Das Fenster jetzt beenden, sobald sein Protokoll geschrieben ist</translation>
    </message>
</context>
<context>
    <name>CcdfChart</name>
    <message>
        <source>there is nothing to show yet.</source>
        <translation>es ist noch nichts zu zeigen.</translation>
    </message>
    <message>
        <source>{arm}: the longest took {etime}.</source>
        <translation>{arm}: Die längste dauerte {etime}.</translation>
    </message>
</context>
<context>
    <name>CertificateDialog</name>
    <message>
        <source>Certificate without trust</source>
        <translation>Zertifikat ohne Vertrauen</translation>
    </message>
    <message>
        <source>Compare the SHA-256 with the server&apos;s own, or ask who runs it for the file of the CA that signed it; then the server is trusted because of that file.</source>
        <translation>Vergleichen Sie die SHA-256 mit der des Servers selbst, oder fragen Sie den, der ihn betreibt, nach der Datei der CA, die es unterschrieben hat; dann wird dem Server wegen dieser Datei vertraut.</translation>
    </message>
    <message>
        <source>No password was sent.</source>
        <translation>Es wurde kein Passwort gesendet.</translation>
    </message>
    <message>
        <source>&amp;Whose it is</source>
        <translation>&amp;Wessen es ist</translation>
    </message>
    <message>
        <source>&amp;Issued by</source>
        <translation>&amp;Ausgestellt von</translation>
    </message>
    <message>
        <source>Valid &amp;until</source>
        <translation>Gültig &amp;bis</translation>
    </message>
    <message>
        <source>&amp;SHA-256</source>
        <translation>&amp;SHA-256</translation>
    </message>
    <message>
        <source>could not be read</source>
        <translation>ließ sich nicht lesen</translation>
    </message>
    <message>
        <source>Choose a &amp;CA file …</source>
        <translation>&amp;CA-Datei wählen …</translation>
    </message>
    <message>
        <source>&amp;Do not connect</source>
        <translation>&amp;Nicht verbinden</translation>
    </message>
    <message>
        <source>Certificates (*.pem *.crt *.cer);;All files (*)</source>
        <translation>Zertifikate (*.pem *.crt *.cer);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Certificate of the CA</source>
        <translation>Zertifikat der CA</translation>
    </message>
</context>
<context>
    <name>ChangePage</name>
    <message>
        <source>What the change would do</source>
        <translation>Was die Änderung täte</translation>
    </message>
    <message>
        <source>Checking the change</source>
        <translation>Änderung wird geprüft</translation>
    </message>
    <message>
        <source>Which one change shall be tested?</source>
        <translation>Welche eine Änderung soll geprüft werden?</translation>
    </message>
    <message>
        <source>Choose a knob and a value. Several settings count as one change only where they work only together; what a knob needs is added by itself.</source>
        <translation>Wählen Sie einen Parameter und einen Wert. Mehrere Einstellungen gelten nur dann als eine Änderung, wenn sie nur zusammen wirken; was ein Parameter braucht, kommt von selbst hinzu.</translation>
    </message>
    <message>
        <source>The server has to be stopped for this change</source>
        <translation>Für diese Änderung muss der Server angehalten werden</translation>
    </message>
    <message>
        <source>It refuses the change while it runs: with your word it is stopped, its dse.ldif is edited, with a backup beside it, and it is started again.</source>
        <translation>Solange er läuft, lehnt er die Änderung ab: mit Ihrer Zustimmung wird er angehalten, seine dse.ldif wird geändert, mit einer Sicherung daneben, und er wird wieder gestartet.</translation>
    </message>
    <message>
        <source>This change works only after a restart</source>
        <translation>Diese Änderung wirkt erst nach einem Neustart</translation>
    </message>
    <message>
        <source>To be fair the server is restarted before every window, with and without the change alike. Clients are cut off each time.</source>
        <translation>Der Gerechtigkeit halber wird der Server vor jedem Fenster neu gestartet, mit und ohne die Änderung. Jedes Mal werden Verbindungen getrennt.</translation>
    </message>
    <message>
        <source>This change works at once</source>
        <translation>Diese Änderung wirkt sofort</translation>
    </message>
    <message>
        <source>Nothing is changed before you start; it is noted in the journal first.</source>
        <translation>Vor dem Start wird nichts geändert; alles wird zuerst im Journal vermerkt.</translation>
    </message>
    <message>
        <source>nsslapd-…</source>
        <translation>nsslapd-…</translation>
    </message>
    <message>
        <source>512 MiB, 60, on …</source>
        <translation>512 MiB, 60, on …</translation>
    </message>
    <message>
        <source>&amp;Add</source>
        <translation>Hinzu&amp;fügen</translation>
    </message>
    <message>
        <source>C&amp;lear</source>
        <translation>&amp;Leeren</translation>
    </message>
    <message>
        <source>&amp;Knob</source>
        <translation>&amp;Parameter</translation>
    </message>
    <message>
        <source>Val&amp;ue for B</source>
        <translation>&amp;Wert für B</translation>
    </message>
</context>
<context>
    <name>ChartView</name>
    <message>
        <source>Numbers of {title}</source>
        <translation>Zahlen zu: {title}</translation>
    </message>
    <message>
        <source>Numbers as a table (D)</source>
        <translation>Zahlen als Tabelle (D)</translation>
    </message>
    <message>
        <source>Show all (Home)</source>
        <translation>Alles zeigen (Pos1)</translation>
    </message>
    <message>
        <source>Copy the numbers (C)</source>
        <translation>Zahlen kopieren (C)</translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>Commands</source>
        <translation>Befehle</translation>
    </message>
    <message>
        <source>Type a few letters of a command</source>
        <translation>Einige Buchstaben eines Befehls eingeben</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>Stop the capture</source>
        <translation>Die Aufzeichnung beenden</translation>
    </message>
    <message>
        <source>Mark this moment</source>
        <translation>Diesen Augenblick markieren</translation>
    </message>
    <message>
        <source>Start the capture</source>
        <translation>Die Aufzeichnung starten</translation>
    </message>
    <message>
        <source>Export the report as Markdown</source>
        <translation>Bericht als Markdown ausgeben</translation>
    </message>
    <message>
        <source>Export the report as PDF</source>
        <translation>Bericht als PDF ausgeben</translation>
    </message>
    <message>
        <source>Export the report as HTML</source>
        <translation>Bericht als HTML ausgeben</translation>
    </message>
    <message>
        <source>Stop the experiment</source>
        <translation>Das Experiment anhalten</translation>
    </message>
    <message>
        <source>Start the experiment</source>
        <translation>Experiment starten</translation>
    </message>
    <message>
        <source>Connect to {name}</source>
        <translation>Mit {name} verbinden</translation>
    </message>
    <message>
        <source>Open {name}</source>
        <translation>{name} öffnen</translation>
    </message>
    <message>
        <source>Practise: {name}</source>
        <translation>Üben: {name}</translation>
    </message>
</context>
<context>
    <name>CompareDialog</name>
    <message>
        <source>Compare windows</source>
        <translation>Fenster vergleichen</translation>
    </message>
    <message>
        <source>Session of &amp;A</source>
        <translation>Sitzung von &amp;A</translation>
    </message>
    <message>
        <source>Windows of A</source>
        <translation>Fenster von A</translation>
    </message>
    <message>
        <source>&amp;File for A …</source>
        <translation>&amp;Datei für A …</translation>
    </message>
    <message>
        <source>Session of &amp;B</source>
        <translation>Sitzung von &amp;B</translation>
    </message>
    <message>
        <source>Windows of B</source>
        <translation>Fenster von B</translation>
    </message>
    <message>
        <source>Fi&amp;le for B …</source>
        <translation>Da&amp;tei für B …</translation>
    </message>
    <message>
        <source>Windows that no coin has put in order can only suggest: what else differed between them is not known.</source>
        <translation>Fenster, deren Reihenfolge kein Los bestimmt hat, deuten nur etwas an: Was sonst noch anders war, ist nicht bekannt.</translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation>&amp;Vergleichen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>Comparison</name>
    <message>
        <source>Bac&amp;k to the open session</source>
        <translation>&amp;Zurück zur offenen Sitzung</translation>
    </message>
    <message>
        <source>Opening {a} and {b}</source>
        <translation>{a} und {b} werden geöffnet</translation>
    </message>
    <message>
        <source>A is of {a}, B of {b}</source>
        <translation>A ist aus {a}, B aus {b}</translation>
    </message>
    <message>
        <source>Closing two sessions</source>
        <translation>Zwei Sitzungen werden geschlossen</translation>
    </message>
</context>
<context>
    <name>ConsentBox</name>
    <message>
        <source>The server &amp;may be stopped to edit its dse.ldif</source>
        <translation>Der Server &amp;darf angehalten werden, um seine dse.ldif zu ändern</translation>
    </message>
</context>
<context>
    <name>DesignPage</name>
    <message>
        <source> pairs</source>
        <translation> Paare</translation>
    </message>
    <message>
        <source>Find the warm-&amp;up</source>
        <translation>Aufwärmen er&amp;kennen</translation>
    </message>
    <message>
        <source>none: judged at the end only</source>
        <translation>keine: geurteilt wird nur am Ende</translation>
    </message>
    <message>
        <source>none: what it can find is not known</source>
        <translation>keine: was der Plan finden kann, ist unbekannt</translation>
    </message>
    <message>
        <source>Measure the &amp;noise floor …</source>
        <translation>&amp;Grundrauschen messen …</translation>
    </message>
    <message>
        <source>none: the server&apos;s own clients</source>
        <translation>keine: die eigenen Klienten des Servers</translation>
    </message>
    <message>
        <source>Take from a file</source>
        <translation>Aus einer Datei nehmen</translation>
    </message>
    <message>
        <source>E&amp;qualise cache state (--cold)</source>
        <translation>Dateis&amp;ystemcache vor jedem leeren (--cold)</translation>
    </message>
    <message>
        <source>Run i&amp;t on the server&apos;s host</source>
        <translation>Auf dem Server&amp;rechner ausführen</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>keine Grenze</translation>
    </message>
    <message>
        <source>Windows</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>What counts</source>
        <translation>Was zählt</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Last</translation>
    </message>
    <message>
        <source>Guard rails, and the end</source>
        <translation>Leitplanken und Ende</translation>
    </message>
    <message>
        <source>Noise floor</source>
        <translation>Grundrauschen</translation>
    </message>
    <message>
        <source>What this plan means</source>
        <translation>Was dieser Plan bedeutet</translation>
    </message>
    <message>
        <source>&amp;Design</source>
        <translation>&amp;Versuchsplan</translation>
    </message>
    <message>
        <source>Num&amp;ber</source>
        <translation>A&amp;nzahl</translation>
    </message>
    <message>
        <source>Settle after a chan&amp;ge</source>
        <translation>War&amp;ten nach einer Änderung</translation>
    </message>
    <message>
        <source>Look after so man&amp;y pairs</source>
        <translation>Z&amp;wischenblick nach so vielen Paaren</translation>
    </message>
    <message>
        <source>The verdict loo&amp;ks at</source>
        <translation>Das &amp;Urteil richtet sich nach</translation>
    </message>
    <message>
        <source>Co&amp;mmand</source>
        <translation>Ko&amp;mmando</translation>
    </message>
    <message>
        <source>End when errors e&amp;xceed</source>
        <translation>Beenden, wenn Fehler üb&amp;erschreiten</translation>
    </message>
    <message>
        <source>&amp;Afterwards</source>
        <translation>Dana&amp;ch</translation>
    </message>
    <message>
        <source>Length of a &amp;window</source>
        <translation>&amp;Länge eines Fensters</translation>
    </message>
    <message>
        <source>&amp;Cut from the start of each</source>
        <translation>Vom Beginn &amp;jedes Fensters weglassen</translation>
    </message>
    <message>
        <source>&amp;Judge by the windows of</source>
        <translation>Gemessen an den &amp;Fenstern von</translation>
    </message>
    <message>
        <source>Windows without a change show how much the server differs from itself: what is smaller than that, no plan can find. Measuring takes as long as the plan.</source>
        <translation>Fenster ohne Änderung zeigen, wie sehr der Server von sich selbst abweicht: was kleiner ist, findet kein Plan. Das Messen dauert so lange wie der Plan.</translation>
    </message>
    <message>
        <source>Of &amp;operations</source>
        <translation>Von &amp;Operationen</translation>
    </message>
    <message>
        <source>&amp;Limit of a good answer</source>
        <translation>Gren&amp;ze einer guten Antwort</translation>
    </message>
    <message>
        <source>Decided before the start, so that nobody picks the best number afterwards.</source>
        <translation>Vor dem Start festgelegt, damit niemand sich nachher die schönste Zahl aussucht.</translation>
    </message>
    <message>
        <source>Runs during every window, with and without the change alike; {seconds} is replaced by how long.</source>
        <translation>Läuft in jedem Fenster, mit und ohne die Änderung; {seconds} wird durch die Dauer ersetzt.</translation>
    </message>
    <message>
        <source>End when &amp;p99 exceeds</source>
        <translation>Beenden, wenn &amp;p99 überschreitet</translation>
    </message>
    <message>
        <source>Session f&amp;ile</source>
        <translation>S&amp;itzungsdatei</translation>
    </message>
    <message>
        <source>Choose the change first.</source>
        <translation>Wählen Sie zuerst die Änderung.</translation>
    </message>
    <message>
        <source>Which effect it can find is not known without a noise floor.</source>
        <translation>Welche Wirkung er finden kann, ist ohne Grundrauschen unbekannt.</translation>
    </message>
    <message>
        <source>The practice directory runs {rate} times as fast as life.</source>
        <translation>Das Übungsverzeichnis läuft {rate}-mal so schnell wie das Leben.</translation>
    </message>
    <message>
        <source>Sessions (*.ldapwb);;All files (*)</source>
        <translation>Sitzungen (*.ldapwb)</translation>
    </message>
    <message>
        <source>Session with windows without a change</source>
        <translation>Sitzung mit Fenstern ohne Änderung</translation>
    </message>
</context>
<context>
    <name>ErrorBar</name>
    <message>
        <source>Details of the error</source>
        <translation>Einzelheiten des Fehlers</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Einzelheiten</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Close this message (Esc)</source>
        <translation>Diese Meldung schließen (Esc)</translation>
    </message>
</context>
<context>
    <name>ExperimentScreen</name>
    <message>
        <source>No server is connected</source>
        <translation>Kein Server ist verbunden</translation>
    </message>
    <message>
        <source>Connect to a server: then one change is tested here, in windows with and without it, judged honestly, and kept or taken back.</source>
        <translation>Verbinden Sie sich mit einem Server: dann wird hier eine Änderung erprobt, in Fenstern mit ihr und ohne sie, ehrlich beurteilt und behalten oder zurückgenommen.</translation>
    </message>
    <message>
        <source>Connect to the server first; then this can be tried.</source>
        <translation>Verbinden Sie sich zuerst mit dem Server; dann lässt sich das versuchen.</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>Experiment</translation>
    </message>
    <message>
        <source>Noise floor</source>
        <translation>Grundrauschen</translation>
    </message>
    <message>
        <source>Waiting for your decision</source>
        <translation>Ihre Entscheidung ist gefragt</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>Befunde</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>Änderung</translation>
    </message>
    <message>
        <source>Design</source>
        <translation>Versuchsplan</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Durchführung</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Urteil</translation>
    </message>
    <message>
        <source>&amp;Next: design</source>
        <translation>W&amp;eiter: Versuchsplan</translation>
    </message>
    <message>
        <source>&amp;Next: change</source>
        <translation>W&amp;eiter: Änderung</translation>
    </message>
    <message>
        <source>Connect to the server first; then this can be run again.</source>
        <translation>Verbinden Sie sich zuerst mit dem Server; dann kann dies noch einmal laufen.</translation>
    </message>
    <message>
        <source>The measurement was stopped; nothing had been changed.</source>
        <translation>Die Messung wurde beendet; geändert war nichts.</translation>
    </message>
    <message>
        <source>The experiment was stopped and its change reverted.</source>
        <translation>Das Experiment wurde angehalten und seine Änderung zurückgenommen.</translation>
    </message>
</context>
<context>
    <name>FileConsent</name>
    <message>
        <source>A plan from a file</source>
        <translation>Ein Plan aus einer Datei</translation>
    </message>
    <message>
        <source>This plan was not made here. Read all of it before you start it.</source>
        <translation>Dieser Plan wurde nicht hier gemacht. Vor dem Start ganz lesen.</translation>
    </message>
    <message>
        <source>The plan in the file</source>
        <translation>Der Plan in der Datei</translation>
    </message>
    <message>
        <source>The &amp;command in the file may be run</source>
        <translation>Der &amp;Befehl in der Datei darf ausgeführt werden</translation>
    </message>
    <message>
        <source>&amp;Take the plan over</source>
        <translation>Den Plan ü&amp;bernehmen</translation>
    </message>
    <message>
        <source>&amp;Do not start</source>
        <translation>&amp;Nicht starten</translation>
    </message>
</context>
<context>
    <name>Finder</name>
    <message>
        <source>All of the words must hold. etime, wtime, optime with a unit; err, entries, conn, op; type=, notes=; filter=, client=, base=, dn= for a whole text. Any other word is a type, a connection or a part of filter, client, base or bind DN.</source>
        <translation>Alle Wörter müssen zutreffen. etime, wtime, optime mit Einheit; err, entries, conn, op; type=, notes=; filter=, client=, base=, dn= für einen ganzen Text. Jedes andere Wort ist eine Art, eine Verbindung oder ein Teil von Filter, Client, Basis oder Bind-DN.</translation>
    </message>
    <message>
        <source>nothing: every operation</source>
        <translation>nichts: jede Operation</translation>
    </message>
    <message>
        <source>filter</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>client</source>
        <translation>Client</translation>
    </message>
    <message>
        <source>bind DN</source>
        <translation>Bind-DN</translation>
    </message>
    <message>
        <source>base</source>
        <translation>Basis</translation>
    </message>
    <message>
        <source>type</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>suffix</source>
        <translation>Suffix</translation>
    </message>
    <message>
        <source>branch (parent DN)</source>
        <translation>Zweig (übergeordneter DN)</translation>
    </message>
    <message>
        <source>changed entry</source>
        <translation>geänderter Eintrag</translation>
    </message>
    <message>
        <source>referenced attribute</source>
        <translation>genanntes Attribut</translation>
    </message>
    <message>
        <source>I&amp;nternal too</source>
        <translation>Auch i&amp;nterne</translation>
    </message>
    <message>
        <source>Also what the server asked itself, its plug-ins for the most part.</source>
        <translation>Auch was der Server sich selbst fragte, meist seine Plug-ins.</translation>
    </message>
    <message>
        <source>F&amp;ind</source>
        <translation>F&amp;inden</translation>
    </message>
    <message>
        <source>&amp;Group by</source>
        <translation>&amp;Gruppiert nach</translation>
    </message>
</context>
<context>
    <name>FindingCard</name>
    <message>
        <source>and {n} more like these</source>
        <translation>und {n} weitere dieser Art</translation>
    </message>
    <message>
        <source>Show when</source>
        <translation>Zeigen, wann</translation>
    </message>
    <message>
        <source>Show operations</source>
        <translation>Operationen zeigen</translation>
    </message>
</context>
<context>
    <name>FindingsPage</name>
    <message>
        <source>Looking for causes</source>
        <translation>Ursachen werden gesucht</translation>
    </message>
    <message>
        <source>Looking for causes in the open session …</source>
        <translation>In der offenen Sitzung werden Ursachen gesucht …</translation>
    </message>
    <message>
        <source>Asking who refers to whom</source>
        <translation>Es wird gefragt, wer auf wen verweist</translation>
    </message>
    <message>
        <source>What hur&amp;ts</source>
        <translation>Was schmerz&amp;t</translation>
    </message>
    <message>
        <source>Who refers to who&amp;m</source>
        <translation>Wer auf we&amp;n verweist</translation>
    </message>
    <message>
        <source>Ask the server which entries many others name, and which groups form rings: it only reads, and takes long on a large directory</source>
        <translation>Den Server fragen, welche Einträge viele andere nennen und welche Gruppen Ringe bilden: es wird nur gelesen und dauert bei einem großen Verzeichnis lange</translation>
    </message>
    <message>
        <source>No entry is named by unusually many others, and no groups form a ring.</source>
        <translation>Kein Eintrag wird von ungewöhnlich vielen anderen genannt, und keine Gruppen bilden einen Ring.</translation>
    </message>
    <message>
        <source>There is no window to look through yet: capture one, or choose the change yourself.</source>
        <translation>Noch gibt es kein Fenster zum Durchsehen: Zeichnen Sie eines auf oder wählen Sie die Änderung selbst.</translation>
    </message>
    <message>
        <source>Findings: {found}. Advice: {advice}, best first.</source>
        <translation>Befunde: {found}. Ratschläge: {advice}, die besten zuerst.</translation>
    </message>
    <message>
        <source>Nothing stands out in this session; you may still choose a change.</source>
        <translation>In dieser Sitzung fällt nichts auf; eine Änderung können Sie trotzdem wählen.</translation>
    </message>
    <message>
        <source>Worth an experiment</source>
        <translation>Ein Experiment wert</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>Gefunden</translation>
    </message>
</context>
<context>
    <name>Footer</name>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>&amp;Next: design</source>
        <translation>&amp;Weiter: Versuchsplan</translation>
    </message>
    <message>
        <source>Sta&amp;rt …</source>
        <translation>E&amp;xperiment starten …</translation>
    </message>
    <message>
        <source>Connect to a server to go on: the Server menu, or the start screen.</source>
        <translation>Zum Weitermachen mit einem Server verbinden: Menü „Server“ oder Startseite.</translation>
    </message>
    <message>
        <source>The window is read-only; see the Server menu.</source>
        <translation>Das Programm darf nur lesen; siehe Menü „Server“.</translation>
    </message>
    <message>
        <source>Choose what to change first, one step back.</source>
        <translation>Zuerst wählen, was geändert wird, einen Schritt zurück.</translation>
    </message>
</context>
<context>
    <name>Foresight</name>
    <message>
        <source>Looking at what the plan can find</source>
        <translation>Sieht nach, was der Plan finden kann</translation>
    </message>
    <message>
        <source>The baseline cannot be read: {error}</source>
        <translation>Die Vergleichssitzung ist nicht lesbar: {error}</translation>
    </message>
</context>
<context>
    <name>Heatmap</name>
    <message>
        <source>there is nothing to show yet.</source>
        <translation>es ist noch nichts zu zeigen.</translation>
    </message>
    <message>
        <source>{count} operations; the longest took up to {worst}, at {when}</source>
        <translation>{count} Operationen; die längsten dauerten bis zu {worst}, um {when}</translation>
    </message>
    <message>
        <source>{time} UTC: {count} operations in {length} s</source>
        <translation>{time} UTC: {count} Operationen in {length} s</translation>
    </message>
    <message>
        <source>the longest up to {etime}</source>
        <translation>die längste bis zu {etime}</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>Länge</translation>
    </message>
    <message>
        <source>stall {length}, {count} operations</source>
        <translation>Stau {length}, {count} Operationen</translation>
    </message>
    <message>
        <source>one stall, of {length} from {when}</source>
        <translation>ein Stau, von {length} ab {when}</translation>
    </message>
    <message>
        <source>{count} stalls, the longest of {length} from {when}</source>
        <translation>{count} Staus, der längste von {length} ab {when}</translation>
    </message>
    <message>
        <source>stall</source>
        <translation>Stau</translation>
    </message>
    <message>
        <source>stalls: {count}</source>
        <translation>Staus: {count}</translation>
    </message>
    <message>
        <source>stalls: {count}, the longest {drawn} of them drawn</source>
        <translation>Staus: {count}, die längsten {drawn} davon gezeichnet</translation>
    </message>
</context>
<context>
    <name>Histogram</name>
    <message>
        <source>there is nothing to show yet.</source>
        <translation>es ist noch nichts zu zeigen.</translation>
    </message>
    <message>
        <source>{arm}: most operations took {etimes}.</source>
        <translation>{arm}: Die meisten Operationen dauerten {etimes}.</translation>
    </message>
</context>
<context>
    <name>HostKeyDialog</name>
    <message>
        <source>Unknown host key</source>
        <translation>Unbekannter Rechnerschlüssel</translation>
    </message>
    <message>
        <source>Fingerprint of the host key</source>
        <translation>Fingerabdruck des Rechnerschlüssels</translation>
    </message>
    <message>
        <source>{host}:{port} shows an SSH key of type {type} that is not known yet. Compare its fingerprint with the host&apos;s own before you go on: there, run</source>
        <translation>{host}:{port} zeigt einen noch unbekannten SSH-Schlüssel der Art {type}. Vergleichen Sie den Fingerabdruck mit dem des Rechners, bevor Sie fortfahren; führen Sie dort aus:</translation>
    </message>
    <message>
        <source>Nothing was sent to the host yet.</source>
        <translation>Dem Rechner wurde noch nichts gesandt.</translation>
    </message>
    <message>
        <source>&amp;Fingerprint of the host key</source>
        <translation>&amp;Fingerabdruck des Hostschlüssels</translation>
    </message>
    <message>
        <source>The fingerprints are the &amp;same: accept</source>
        <translation>Die Fingerabdrücke sind &amp;gleich: annehmen</translation>
    </message>
    <message>
        <source>&amp;Do not connect</source>
        <translation>&amp;Nicht verbinden</translation>
    </message>
</context>
<context>
    <name>JobIndicator</name>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Cancel this</source>
        <translation>Dies abbrechen</translation>
    </message>
</context>
<context>
    <name>JournalScreen</name>
    <message>
        <source>Only &amp;open changes</source>
        <translation>Nur &amp;offene Änderungen</translation>
    </message>
    <message>
        <source>&amp;Revert …</source>
        <translation>&amp;Zurücknehmen …</translation>
    </message>
    <message>
        <source>Revert &amp;all open …</source>
        <translation>A&amp;lle offenen zurücknehmen …</translation>
    </message>
    <message>
        <source>Nothing was changed yet</source>
        <translation>Noch wurde nichts geändert</translation>
    </message>
    <message>
        <source>When an experiment changes a setting, what it was before is noted here first, so that it can be put back exactly, also after a crash.</source>
        <translation>Ändert ein Experiment eine Einstellung, wird hier zuerst notiert, was vorher galt, damit es genau wiederhergestellt werden kann, auch nach einem Absturz.</translation>
    </message>
    <message>
        <source>Journal of changes</source>
        <translation>Journal der Änderungen</translation>
    </message>
    <message>
        <source>The window is read-only: switch that off in the Server menu to revert.</source>
        <translation>Das Programm darf nur lesen: Schalten Sie das im Menü „Server“ ab, um zurückzunehmen.</translation>
    </message>
    <message>
        <source>To revert this, connect to {profile} first.</source>
        <translation>Verbinden Sie sich zuerst mit {profile}, um dies zurückzunehmen.</translation>
    </message>
    <message>
        <source>Changes made together are reverted together, the last one first.</source>
        <translation>Gemeinsam gemachte Änderungen werden gemeinsam zurückgenommen, die letzte zuerst.</translation>
    </message>
    <message>
        <source>Revert</source>
        <translation>Zurücknehmen</translation>
    </message>
    <message>
        <source>This changes the server {server}:</source>
        <translation>Dies ändert den Server {server}:</translation>
    </message>
    <message>
        <source>Some of it works only after the next restart.</source>
        <translation>Einiges davon wirkt erst nach dem nächsten Neustart.</translation>
    </message>
    <message>
        <source>Every change this program made on a server, noted before it was made</source>
        <translation>Jede Änderung, die dieses Programm auf einem Server gemacht hat, notiert, bevor sie gemacht wurde</translation>
    </message>
    <message>
        <source>&amp;Revert</source>
        <translation>&amp;Zurücknehmen</translation>
    </message>
    <message>
        <source>Reverting</source>
        <translation>Wird zurückgenommen</translation>
    </message>
    <message>
        <source>There was nothing to revert.</source>
        <translation>Es gab nichts zurückzunehmen.</translation>
    </message>
    <message>
        <source>The journal shows all three values; decide which is right.</source>
        <translation>Das Journal zeigt alle drei Werte; entscheiden Sie, welcher stimmt.</translation>
    </message>
</context>
<context>
    <name>KnobDetail</name>
    <message>
        <source>tried on %1</source>
        <translation>erprobt auf %1</translation>
    </message>
    <message>
        <source>from documentation</source>
        <translation>aus der Dokumentation</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>for example 512 MiB or 1.5 GiB</source>
        <translation>zum Beispiel 512 MiB oder 1.5 GiB</translation>
    </message>
    <message>
        <source>New val&amp;ue</source>
        <translation>Neuer &amp;Wert</translation>
    </message>
    <message>
        <source>New value</source>
        <translation>Neuer Wert</translation>
    </message>
    <message>
        <source>&amp;Plan an experiment</source>
        <translation>Experiment &amp;planen</translation>
    </message>
    <message>
        <source>on or off</source>
        <translation>on oder off</translation>
    </message>
    <message>
        <source>{low} to {high}</source>
        <translation>{low} bis {high}</translation>
    </message>
    <message>
        <source>{low} to {high}, or {words}</source>
        <translation>{low} bis {high} oder {words}</translation>
    </message>
</context>
<context>
    <name>KnobsScreen</name>
    <message>
        <source>No server is connected</source>
        <translation>Kein Server ist verbunden</translation>
    </message>
    <message>
        <source>Connect to a server: then this lists what can be tuned, what it is set to, what its default is, and what to know before changing it. Without a server it lists what the windows of an open session kept.</source>
        <translation>Verbinden Sie sich mit einem Server: dann steht hier, was sich einstellen lässt, worauf es steht, was der Standard ist und was vor einer Änderung zu wissen ist. Ohne Server steht hier, was die Fenster einer offenen Sitzung festhielten.</translation>
    </message>
    <message>
        <source>Reading knobs</source>
        <translation>Parameter werden gelesen</translation>
    </message>
    <message>
        <source>name or words …</source>
        <translation>Name oder Wörter …</translation>
    </message>
    <message>
        <source>F&amp;ind</source>
        <translation>F&amp;inden</translation>
    </message>
    <message>
        <source>Only what &amp;differs from the default</source>
        <translation>Nur vom Standard Abwei&amp;chendes</translation>
    </message>
    <message>
        <source>Read a&amp;gain</source>
        <translation>&amp;Neu lesen</translation>
    </message>
    <message>
        <source>F5</source>
        <translation>F5</translation>
    </message>
    <message>
        <source>Knobs of the server and its host</source>
        <translation>Parameter des Servers und seines Rechners</translation>
    </message>
    <message>
        <source>Bold: differs from the default.</source>
        <translation>Fett: weicht vom Standard ab.</translation>
    </message>
    <message>
        <source>One knob</source>
        <translation>Ein Parameter</translation>
    </message>
    <message>
        <source>As the windows of {session} kept them, without what was only tried. Connect to read all knobs as they are now, and to change them.</source>
        <translation>Wie die Fenster von {session} sie festhielten, ohne das nur Erprobte. Verbinden Sie sich, um alle Parameter zu lesen, wie sie jetzt sind, und sie zu ändern.</translation>
    </message>
</context>
<context>
    <name>Limit</name>
    <message>
        <source>limit of a good answer, {etime}</source>
        <translation>Grenze einer guten Antwort, {etime}</translation>
    </message>
</context>
<context>
    <name>LinesPane</name>
    <message>
        <source>Lines of the log around the operation</source>
        <translation>Protokollzeilen um die Operation</translation>
    </message>
    <message>
        <source>Choose an operation to see its lines in the log.</source>
        <translation>Wählen Sie eine Operation, um ihre Protokollzeilen zu sehen.</translation>
    </message>
    <message>
        <source>(the line is before the window)</source>
        <translation>(die Zeile liegt vor dem Fenster)</translation>
    </message>
    <message>
        <source>Request:  </source>
        <translation>Anfrage:  </translation>
    </message>
    <message>
        <source>Result:   </source>
        <translation>Antwort:  </translation>
    </message>
    <message>
        <source>Around the result:</source>
        <translation>Um die Antwort herum:</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>As the &amp;system</source>
        <translation>Wie das S&amp;ystem</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>&amp;Hell</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>&amp;Dunkel</translation>
    </message>
    <message>
        <source>As the s&amp;ystem</source>
        <translation>Wie das &amp;System</translation>
    </message>
    <message>
        <source>&amp;English</source>
        <translation>&amp;English</translation>
    </message>
    <message>
        <source>Deu&amp;tsch</source>
        <translation>Deu&amp;tsch</translation>
    </message>
    <message>
        <source>&amp;Open a session …</source>
        <translation>Sitzung &amp;öffnen …</translation>
    </message>
    <message>
        <source>Read &amp;logs …</source>
        <translation>&amp;Protokolle lesen …</translation>
    </message>
    <message>
        <source>&amp;Save a copy as …</source>
        <translation>Kopie &amp;speichern unter …</translation>
    </message>
    <message>
        <source>&amp;Notes …</source>
        <translation>&amp;Notizen …</translation>
    </message>
    <message>
        <source>&amp;Close the session</source>
        <translation>Sitzung s&amp;chließen</translation>
    </message>
    <message>
        <source>&amp;Export the report …</source>
        <translation>B&amp;ericht ausgeben …</translation>
    </message>
    <message>
        <source>Co&amp;mpare two sessions …</source>
        <translation>Zwei Sitzungen &amp;vergleichen …</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>&amp;Add a server …</source>
        <translation>Server &amp;hinzufügen …</translation>
    </message>
    <message>
        <source>&amp;Disconnect</source>
        <translation>&amp;Trennen</translation>
    </message>
    <message>
        <source>&amp;Revert all open changes …</source>
        <translation>Alle offenen Änderungen &amp;zurücknehmen …</translation>
    </message>
    <message>
        <source>Read-&amp;only: never change a server</source>
        <translation>Nur &amp;lesen: nie einen Server ändern</translation>
    </message>
    <message>
        <source>Whole &amp;windows again</source>
        <translation>Wieder ganze &amp;Fenster</translation>
    </message>
    <message>
        <source>Reset the la&amp;yout</source>
        <translation>&amp;Aufteilung zurücksetzen</translation>
    </message>
    <message>
        <source>&amp;Read again</source>
        <translation>&amp;Neu lesen</translation>
    </message>
    <message>
        <source>&amp;Commands …</source>
        <translation>&amp;Befehle …</translation>
    </message>
    <message>
        <source>&amp;Shortcuts</source>
        <translation>&amp;Tastenkürzel</translation>
    </message>
    <message>
        <source>&amp;About</source>
        <translation>&amp;Über</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>Look and revert</source>
        <translation>Ansehen und zurücknehmen</translation>
    </message>
    <message>
        <source>You have open changes on {servers}: revert?</source>
        <translation>Offene Änderungen auf {servers}: zurücknehmen?</translation>
    </message>
    <message>
        <source>You have an open change on {servers}: revert?</source>
        <translation>Offene Änderung auf {servers}: zurücknehmen?</translation>
    </message>
    <message>
        <source>{knobs} may not be as it was before.</source>
        <translation>{knobs} steht vielleicht nicht wie zuvor.</translation>
    </message>
</context>
<context>
    <name>Menus</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Server</source>
        <translation>&amp;Server</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>Read logs &amp;as</source>
        <translation>Protokolle lesen &amp;als</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>Z&amp;uletzt geöffnet</translation>
    </message>
    <message>
        <source>Told by their content</source>
        <translation>Am Inhalt erkannt</translation>
    </message>
    <message>
        <source>&amp;Connect to</source>
        <translation>&amp;Verbinden mit</translation>
    </message>
    <message>
        <source>&amp;Panes</source>
        <translation>&amp;Bereiche</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>&amp;Farben</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>&amp;Sprache</translation>
    </message>
    <message>
        <source>The language changes at the next start.</source>
        <translation>Die Sprache wechselt beim nächsten Start.</translation>
    </message>
    <message>
        <source>Nothing yet</source>
        <translation>Noch nichts</translation>
    </message>
    <message>
        <source>No server is saved yet</source>
        <translation>Noch kein Server gespeichert</translation>
    </message>
</context>
<context>
    <name>Notes</name>
    <message>
        <source>Writing the notes</source>
        <translation>Notizen werden geschrieben</translation>
    </message>
</context>
<context>
    <name>NotesDialog</name>
    <message>
        <source>Notes on {name}</source>
        <translation>Notizen zu {name}</translation>
    </message>
    <message>
        <source>On the &amp;session</source>
        <translation>Zur &amp;Sitzung</translation>
    </message>
    <message>
        <source>On its &amp;windows</source>
        <translation>Zu ihren &amp;Fenstern</translation>
    </message>
    <message>
        <source>This session is read-only. Save a copy of it to note something.</source>
        <translation>Diese Sitzung ist schreibgeschützt. Speichern Sie eine Kopie, um etwas zu notieren.</translation>
    </message>
    <message>
        <source>Notes on the windows</source>
        <translation>Notizen zu den Fenstern</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>&amp;Keep the notes</source>
        <translation>Notizen &amp;behalten</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>NoticeBar</name>
    <message>
        <source>Close this message (Esc)</source>
        <translation>Diese Meldung schließen (Esc)</translation>
    </message>
</context>
<context>
    <name>OperationsScreen</name>
    <message>
        <source>There is no session to look at</source>
        <translation>Es gibt keine Sitzung zum Ansehen</translation>
    </message>
    <message>
        <source>Open a session, or capture a window: then its operations are here, the slowest first, each with its request and the lines of the log around it.</source>
        <translation>Öffnen Sie eine Sitzung oder zeichnen Sie ein Fenster auf: dann stehen hier seine Operationen, die langsamsten zuerst, jede mit ihrer Anfrage und den Protokollzeilen um sie herum.</translation>
    </message>
    <message>
        <source>Operations</source>
        <translation>Operationen</translation>
    </message>
    <message>
        <source>Groups of operations</source>
        <translation>Gruppen von Operationen</translation>
    </message>
    <message>
        <source>&amp;Back to the groups</source>
        <translation>&amp;Zurück zu den Gruppen</translation>
    </message>
    <message>
        <source>Lines of the log</source>
        <translation>Zeilen des Protokolls</translation>
    </message>
    <message>
        <source>Looking for operations</source>
        <translation>Operationen werden gesucht</translation>
    </message>
    <message>
        <source>Groups: {groups}, of {found} operations. Enter or a double click looks into one.</source>
        <translation>Gruppen: {groups}, von {found} Operationen. Eingabe oder ein Doppelklick sieht in eine hinein.</translation>
    </message>
    <message>
        <source>{found} client operations of these windows.</source>
        <translation>{found} Client-Operationen dieser Fenster.</translation>
    </message>
    <message>
        <source>{found} client and internal operations of these windows.</source>
        <translation>{found} Client- und interne Operationen dieser Fenster.</translation>
    </message>
    <message>
        <source>{found} operations at work in this stretch of time.</source>
        <translation>{found} Operationen, die in diesem Zeitabschnitt liefen.</translation>
    </message>
    <message>
        <source>None of these operations is wanted: look for something wider above.</source>
        <translation>Keine dieser Operationen ist gesucht: oben weiter fassen.</translation>
    </message>
    <message>
        <source>Copying operations</source>
        <translation>Operationen werden kopiert</translation>
    </message>
    <message>
        <source>{count} operations were copied, as text with tabs.</source>
        <translation>{count} Operationen wurden kopiert, als Text mit Tabulatoren.</translation>
    </message>
    <message>
        <source>Windows</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Reading the log</source>
        <translation>Protokoll wird gelesen</translation>
    </message>
</context>
<context>
    <name>PageReader</name>
    <message>
        <source>Reading operations</source>
        <translation>Operationen werden gelesen</translation>
    </message>
</context>
<context>
    <name>PairDotPlot</name>
    <message>
        <source>Pair by pair: {metric}</source>
        <translation>Paar für Paar: {metric}</translation>
    </message>
    <message>
        <source>no pair is complete yet.</source>
        <translation>noch kein Paar ist vollständig.</translation>
    </message>
    <message>
        <source>B is better in {better} of {all} pairs.</source>
        <translation>B ist in {better} von {all} Paaren besser.</translation>
    </message>
    <message>
        <source>pair {number}</source>
        <translation>Paar {number}</translation>
    </message>
</context>
<context>
    <name>PasswordDialog</name>
    <message>
        <source>Password</source>
        <translation>Passwort</translation>
    </message>
    <message>
        <source>&amp;Keep it in the system&apos;s keyring</source>
        <translation>Im &amp;Schlüsselbund des Systems aufbewahren</translation>
    </message>
    <message>
        <source>It is kept until the program ends, and in no file.</source>
        <translation>Es wird bis zum Programmende aufbewahrt, in keiner Datei.</translation>
    </message>
    <message>
        <source>&amp;Password</source>
        <translation>&amp;Passwort</translation>
    </message>
    <message>
        <source>&amp;OK</source>
        <translation>&amp;OK</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>PastWindow</name>
    <message>
        <source>Fetching a window of the past</source>
        <translation>Ein vergangenes Fenster wird geholt</translation>
    </message>
    <message>
        <source>Ending, what there is is kept …</source>
        <translation>Wird beendet; was da ist, bleibt …</translation>
    </message>
    <message>
        <source>The server&apos;s time in UTC; this computer is at {zone}.</source>
        <translation>Die Zeit des Servers in UTC; dieser Rechner hat {zone}.</translation>
    </message>
    <message>
        <source>Told by its content</source>
        <translation>Am Inhalt erkannt</translation>
    </message>
    <message>
        <source>Fet&amp;ch</source>
        <translation>Ho&amp;len</translation>
    </message>
    <message>
        <source>Find these times in the server&apos;s logs, and read only their stretch</source>
        <translation>Diese Zeiten in den Protokollen des Servers suchen und nur ihren Abschnitt lesen</translation>
    </message>
    <message>
        <source>Sto&amp;p</source>
        <translation>Abbre&amp;chen</translation>
    </message>
    <message>
        <source>End now; what has come is kept</source>
        <translation>Jetzt beenden; was gekommen ist, bleibt</translation>
    </message>
    <message>
        <source>Progress of the fetch</source>
        <translation>Fortschritt des Holens</translation>
    </message>
    <message>
        <source>A window of the past</source>
        <translation>Ein vergangenes Fenster</translation>
    </message>
    <message>
        <source>&amp;Begin</source>
        <translation>V&amp;on</translation>
    </message>
    <message>
        <source>&amp;Until</source>
        <translation>Bis &amp;Ende</translation>
    </message>
    <message>
        <source>Rea&amp;d as</source>
        <translation>Ve&amp;rstanden als</translation>
    </message>
    <message>
        <source>The practice host has no shell that could look for a time in its logs.</source>
        <translation>Der Übungsrechner hat keine Shell, die in seinen Protokollen nach einer Zeit suchen könnte.</translation>
    </message>
    <message>
        <source>The profile has no SSH host, so its logs cannot be read.</source>
        <translation>Das Profil nennt keinen SSH-Rechner, also lassen sich seine Protokolle nicht lesen.</translation>
    </message>
    <message>
        <source>{seconds:.1f} s fetched into {path}</source>
        <translation>{seconds:.1f} s geholt nach {path}</translation>
    </message>
    <message>
        <source>Not everything of this window has come in</source>
        <translation>Nicht alles von diesem Fenster ist angekommen</translation>
    </message>
</context>
<context>
    <name>Pills</name>
    <message>
        <source>{done} of {all} windows are measured.</source>
        <translation>{done} von {all} Fenstern sind gemessen.</translation>
    </message>
    <message>
        <source>{done} of {all} windows are measured, measuring window {next}.</source>
        <translation>{done} von {all} Fenstern sind gemessen, Fenster {next} wird gemessen.</translation>
    </message>
</context>
<context>
    <name>PlanUndo</name>
    <message>
        <source>the change of the treatment</source>
        <translation>die Änderung der Maßnahme</translation>
    </message>
    <message>
        <source>the edit of the plan</source>
        <translation>die Änderung des Plans</translation>
    </message>
</context>
<context>
    <name>PracticeHost</name>
    <message>
        <source>Starting the practice directory</source>
        <translation>Übungsverzeichnis wird gestartet</translation>
    </message>
    <message>
        <source>&amp;Practise</source>
        <translation>Ü&amp;ben</translation>
    </message>
    <message>
        <source>Ending the practice directory</source>
        <translation>Übungsverzeichnis wird beendet</translation>
    </message>
</context>
<context>
    <name>ProbeChart</name>
    <message>
        <source>there is nothing to show yet.</source>
        <translation>es gibt noch nichts zu zeigen.</translation>
    </message>
    <message>
        <source>{run}: {calls} calls.</source>
        <translation>{run}: {calls} Aufrufe.</translation>
    </message>
</context>
<context>
    <name>ProbesView</name>
    <message>
        <source>Probe</source>
        <translation>Messpunkt</translation>
    </message>
    <message>
        <source>Pro&amp;be</source>
        <translation>Mess&amp;punkt</translation>
    </message>
</context>
<context>
    <name>ProfileDialog</name>
    <message>
        <source>Edit a server</source>
        <translation>Server bearbeiten</translation>
    </message>
    <message>
        <source>Add a server</source>
        <translation>Server hinzufügen</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Stopp</translation>
    </message>
    <message>
        <source>Testing {name}</source>
        <translation>{name} wird geprüft</translation>
    </message>
    <message>
        <source>as for LDAP</source>
        <translation>wie für LDAP</translation>
    </message>
    <message>
        <source>agent and usual keys</source>
        <translation>Agent und übliche Schlüssel</translation>
    </message>
    <message>
        <source>as the server tells</source>
        <translation>wie der Server sagt</translation>
    </message>
    <message>
        <source>the system&apos;s certificates</source>
        <translation>die Zertifikate des Systems</translation>
    </message>
    <message>
        <source>Let the password &amp;go unencrypted to another host</source>
        <translation>Passwort auch unverschlüsse&amp;lt senden</translation>
    </message>
    <message>
        <source>Use su&amp;do -n on the host (to read logs, to change disks)</source>
        <translation>su&amp;do -n benutzen (Protokolle, Platten)</translation>
    </message>
    <message>
        <source>asked for when needed</source>
        <translation>wird bei Bedarf erfragt</translation>
    </message>
    <message>
        <source>Directory, over LDAP</source>
        <translation>Verzeichnis, über LDAP</translation>
    </message>
    <message>
        <source>Host, for logs and disks</source>
        <translation>Rechner, für Protokolle und Platten</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>&amp;Name</translation>
    </message>
    <message>
        <source>&amp;Host</source>
        <translation>Rec&amp;hner</translation>
    </message>
    <message>
        <source>Por&amp;t</source>
        <translation>Por&amp;t</translation>
    </message>
    <message>
        <source>Encr&amp;yption</source>
        <translation>Verschlüsselun&amp;g</translation>
    </message>
    <message>
        <source>C&amp;A file</source>
        <translation>C&amp;A-Datei</translation>
    </message>
    <message>
        <source>&amp;Bind as</source>
        <translation>Anmelden als (&amp;Bind)</translation>
    </message>
    <message>
        <source>&amp;Password</source>
        <translation>&amp;Passwort</translation>
    </message>
    <message>
        <source>Reach &amp;it</source>
        <translation>&amp;Erreichbar</translation>
    </message>
    <message>
        <source>SSH h&amp;ost</source>
        <translation>SSH-&amp;Rechner</translation>
    </message>
    <message>
        <source>Po&amp;rt</source>
        <translation>P&amp;ort</translation>
    </message>
    <message>
        <source>&amp;User</source>
        <translation>Ben&amp;utzer</translation>
    </message>
    <message>
        <source>&amp;Key file</source>
        <translation>Schlüsseldate&amp;i</translation>
    </message>
    <message>
        <source>Access &amp;log</source>
        <translation>&amp;Zugriffsprotokoll</translation>
    </message>
    <message>
        <source>Restart &amp;with</source>
        <translation>Neustart &amp;mit</translation>
    </message>
    <message>
        <source>T&amp;est</source>
        <translation>Prü&amp;fen</translation>
    </message>
    <message>
        <source>Try every step; nothing is changed</source>
        <translation>Jeden Schritt versuchen; nichts wird geändert</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>&amp;Speichern</translation>
    </message>
    <message>
        <source>Save and &amp;connect</source>
        <translation>Speichern und &amp;verbinden</translation>
    </message>
    <message>
        <source>&amp;Verify the host key …</source>
        <translation>Hosts&amp;chlüssel vergleichen …</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>Datei wählen</translation>
    </message>
    <message>
        <source>Look at the certi&amp;ficate …</source>
        <translation>Zertifi&amp;kat ansehen …</translation>
    </message>
    <message>
        <source>The test was stopped.</source>
        <translation>Die Prüfung wurde abgebrochen.</translation>
    </message>
</context>
<context>
    <name>Questions</name>
    <message>
        <source>Something is still running</source>
        <translation>Etwas läuft noch</translation>
    </message>
    <message>
        <source>An experiment is running. Closing stops it and reverts its change.</source>
        <translation>Ein Experiment läuft. Beim Schließen endet es und seine Änderung wird zurückgenommen.</translation>
    </message>
    <message>
        <source>A capture is running. Closing ends it; what there is, is kept.</source>
        <translation>Eine Aufzeichnung läuft. Beim Schließen endet sie; was da ist, bleibt.</translation>
    </message>
    <message>
        <source>&amp;Stop and close</source>
        <translation>Beenden und &amp;schließen</translation>
    </message>
    <message>
        <source>&amp;Go on</source>
        <translation>&amp;Weitermachen</translation>
    </message>
</context>
<context>
    <name>Rail</name>
    <message>
        <source>Screens</source>
        <translation>Bildschirme</translation>
    </message>
</context>
<context>
    <name>RatioLadder</name>
    <message>
        <source>there is no verdict yet.</source>
        <translation>es gibt noch kein Urteil.</translation>
    </message>
</context>
<context>
    <name>RecoveryBand</name>
    <message>
        <source>Sessions and the journal are safe on disk; open changes are shown above. A report of what happened, without names or secrets, is in {path}</source>
        <translation>Sitzungen und Journal sind sicher auf der Platte; offene Änderungen stehen oben. Ein Bericht über das Geschehene, ohne Namen oder Geheimnisse, steht in {path}</translation>
    </message>
    <message>
        <source>The workbench did not end well last time</source>
        <translation>Das Programm endete beim letzten Mal nicht ordentlich</translation>
    </message>
    <message>
        <source>&amp;Read the report</source>
        <translation>Bericht &amp;lesen</translation>
    </message>
    <message>
        <source>O&amp;pen {name} again</source>
        <translation>{name} wieder ö&amp;ffnen</translation>
    </message>
    <message>
        <source>Dis&amp;miss</source>
        <translation>Aus&amp;blenden</translation>
    </message>
</context>
<context>
    <name>ReportScreen</name>
    <message>
        <source>The report</source>
        <translation>Der Bericht</translation>
    </message>
    <message>
        <source>There is no session to report on</source>
        <translation>Es gibt keine Sitzung für einen Bericht</translation>
    </message>
    <message>
        <source>Open a session, or run an experiment: its report says what was changed, on what, when, how complete the measurement is, and what came out.</source>
        <translation>Öffnen Sie eine Sitzung oder führen Sie ein Experiment durch: Der Bericht sagt, was woran wann geändert wurde, wie vollständig die Messung ist und was herauskam.</translation>
    </message>
    <message>
        <source>Writing the preview</source>
        <translation>Vorschau wird geschrieben</translation>
    </message>
    <message>
        <source>Write the report</source>
        <translation>Bericht schreiben</translation>
    </message>
    <message>
        <source>Writing {name}</source>
        <translation>{name} wird geschrieben</translation>
    </message>
    <message>
        <source>Report written to {path}</source>
        <translation>Bericht geschrieben: {path}</translation>
    </message>
</context>
<context>
    <name>RunPage</name>
    <message>
        <source>S&amp;top and revert</source>
        <translation>Anhal&amp;ten und zurücknehmen</translation>
    </message>
    <message>
        <source>Progress of the experiment</source>
        <translation>Fortschritt des Experiments</translation>
    </message>
    <message>
        <source>A and B are drawn here as soon as a window is measured.</source>
        <translation>A und B werden hier gezeichnet, sobald ein Fenster gemessen ist.</translation>
    </message>
    <message>
        <source>Under test: {treatment}</source>
        <translation>Im Versuch: {treatment}</translation>
    </message>
    <message>
        <source>The noise floor: the server as it is, in both arms</source>
        <translation>Das Grundrauschen: der Server, wie er ist, in beiden Armen</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Stopping; the change is being reverted …</source>
        <translation>Wird angehalten; die Änderung wird zurückgenommen …</translation>
    </message>
    <message>
        <source>So far {a} of {of} windows of A and {b} of {of} of B. This is no verdict: that comes at the end, whatever the curves look like meanwhile.</source>
        <translation>Bis jetzt {a} von {of} Fenstern von A und {b} von {of} von B. Dies ist kein Urteil: das kommt am Ende, wie auch immer die Kurven inzwischen aussehen.</translation>
    </message>
    <message>
        <source>The curves cannot be drawn: {why}</source>
        <translation>Die Kurven lassen sich nicht zeichnen: {why}</translation>
    </message>
</context>
<context>
    <name>Screen</name>
    <message>
        <source>Start</source>
        <translation>Start</translation>
    </message>
    <message>
        <source>LDAP Tuning Workbench</source>
        <translation>LDAP Tuning Workbench</translation>
    </message>
    <message>
        <source>Capture</source>
        <translation>Aufzeichnung</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Zeitverlauf</translation>
    </message>
    <message>
        <source>Tails</source>
        <translation>Ausläufer</translation>
    </message>
    <message>
        <source>Operations</source>
        <translation>Operationen</translation>
    </message>
    <message>
        <source>Knobs</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>Experiment</translation>
    </message>
    <message>
        <source>Journal</source>
        <translation>Journal</translation>
    </message>
    <message>
        <source>Report</source>
        <translation>Bericht</translation>
    </message>
</context>
<context>
    <name>Sentences</name>
    <message>
        <source>en</source>
        <translation>de</translation>
    </message>
    <message>
        <source> and </source>
        <translation> und </translation>
    </message>
    <message>
        <source>, and </source>
        <translation> und </translation>
    </message>
    <message>
        <source>Better: {why}</source>
        <translation>Besser: {why}</translation>
    </message>
    <message>
        <source>Worse: {why}</source>
        <translation>Schlechter: {why}</translation>
    </message>
    <message>
        <source>Suggests better: {why}</source>
        <translation>Deutet auf besser: {why}</translation>
    </message>
    <message>
        <source>Suggests worse: {why}</source>
        <translation>Deutet auf schlechter: {why}</translation>
    </message>
    <message>
        <source>Immaterial: {why}</source>
        <translation>Unerheblich: {why}</translation>
    </message>
    <message>
        <source>No material change: {why}</source>
        <translation>Keine erhebliche Änderung: {why}</translation>
    </message>
    <message>
        <source>Inconclusive: {why}</source>
        <translation>Offen: {why}</translation>
    </message>
    <message>
        <source>Insufficient: {why}</source>
        <translation>Zu wenig Daten: {why}</translation>
    </message>
    <message>
        <source>Not comparable: {why}</source>
        <translation>Nicht vergleichbar: {why}</translation>
    </message>
    <message>
        <source>the share of operations over the limit</source>
        <translation>der Anteil der Operationen über der Grenze</translation>
    </message>
    <message>
        <source>{type:type} the share of operations over the limit</source>
        <translation>der Anteil von {type:type} über der Grenze</translation>
    </message>
    <message>
        <source>the length of stalls</source>
        <translation>die Länge der Staus</translation>
    </message>
    <message>
        <source>{type:type} the length of stalls</source>
        <translation>die Länge der Staus von {type:type}</translation>
    </message>
    <message>
        <source>the total stalled time</source>
        <translation>die Zeit im Stau insgesamt</translation>
    </message>
    <message>
        <source>{type:type} the total stalled time</source>
        <translation>die Zeit von {type:type} im Stau insgesamt</translation>
    </message>
    <message>
        <source>the number of stalls</source>
        <translation>die Zahl der Staus</translation>
    </message>
    <message>
        <source>{type:type} the number of stalls</source>
        <translation>die Zahl der Staus von {type:type}</translation>
    </message>
    <message>
        <source>{metric} cannot be told</source>
        <translation>{metric}: nicht zu sagen</translation>
    </message>
    <message>
        <source>{metric} is {ratio:ratio}</source>
        <translation>{metric} ist {ratio:ratio}</translation>
    </message>
    <message>
        <source>{metric} went from {a:time} to {b:time}</source>
        <translation>{metric} ging von {a:time} auf {b:time}</translation>
    </message>
    <message>
        <source>{metric} went from {a:share} to {b:share}</source>
        <translation>{metric} ging von {a:share} auf {b:share}</translation>
    </message>
    <message>
        <source>stalls are {ratio:ratio} as long</source>
        <translation>Staus sind {ratio:ratio} so lang</translation>
    </message>
    <message>
        <source>{type:type} stalls are {ratio:ratio} as long</source>
        <translation>Staus von {type:type} sind {ratio:ratio} so lang</translation>
    </message>
    <message>
        <source>stalls are {ratio:ratio} as frequent</source>
        <translation>Staus sind {ratio:ratio} so häufig</translation>
    </message>
    <message>
        <source>{type:type} stalls are {ratio:ratio} as frequent</source>
        <translation>Staus von {type:type} sind {ratio:ratio} so häufig</translation>
    </message>
    <message>
        <source>{effect}, {ratio:ratio} in a typical window</source>
        <translation>{effect}, {ratio:ratio} in einem typischen Fenster</translation>
    </message>
    <message>
        <source>{effect} [{low:ratio} to {high:ratio}]</source>
        <translation>{effect} [{low:ratio} bis {high:ratio}]</translation>
    </message>
    <message>
        <source>{low:ratio} to {high:ratio}</source>
        <translation>{low:ratio} bis {high:ratio}</translation>
    </message>
    <message>
        <source>But {effects}</source>
        <translation>Dagegen: {effects}</translation>
    </message>
    <message>
        <source>Also {effects}</source>
        <translation>Ebenso: {effects}</translation>
    </message>
    <message>
        <source>Unchanged within 10 %: {metrics}</source>
        <translation>Innerhalb von 10 % unverändert: {metrics}</translation>
    </message>
    <message>
        <source>{design}, p = {p:number}</source>
        <translation>{design}, p = {p:number}</translation>
    </message>
    <message>
        <source>{pairs:count} randomised pairs × {length:time}</source>
        <translation>{pairs:count} Paare in zufälliger Reihenfolge × {length:time}</translation>
    </message>
    <message>
        <source>{pairs:count} pairs in ABBA order × {length:time}</source>
        <translation>{pairs:count} Paare in der Reihenfolge ABBA × {length:time}</translation>
    </message>
    <message>
        <source>To know: {takes}</source>
        <translation>Um es zu wissen: {takes}</translation>
    </message>
    <message>
        <source>One-shot: one stretch each cannot separate the change from the time that passed; randomised pairs can.</source>
        <translation>Ein einziger Vergleich: Je ein Abschnitt kann die Änderung nicht von der verstrichenen Zeit trennen; Paare in zufälliger Reihenfolge können es.</translation>
    </message>
    <message>
        <source>at least {n:count} stalls; there were {held:count}</source>
        <translation>mindestens {n:count} Staus; es waren {held:count}</translation>
    </message>
    <message>
        <source>at least {n:count} operations in each window; the smallest held {held:count}</source>
        <translation>mindestens {n:count} Operationen in jedem Fenster; im kleinsten waren {held:count}</translation>
    </message>
    <message>
        <source>at least {n:count} operations over the limit; there were {held:count}</source>
        <translation>mindestens {n:count} Operationen über der Grenze; es waren {held:count}</translation>
    </message>
    <message>
        <source>windows that have this metric</source>
        <translation>Fenster, die diese Messgröße haben</translation>
    </message>
    <message>
        <source>{n:count} pairs or more</source>
        <translation>{n:count} Paare oder mehr</translation>
    </message>
    <message>
        <source>{n:count} pairs find {more:ratio} or {less:ratio} four times in five</source>
        <translation>{n:count} Paare finden {more:ratio} oder {less:ratio} in vier von fünf Fällen</translation>
    </message>
    <message>
        <source>a true {ratio:ratio} takes about {n:count} pairs</source>
        <translation>ein wahres {ratio:ratio} braucht etwa {n:count} Paare</translation>
    </message>
    <message>
        <source>randomised pairs (pairs:8): one stretch each cannot separate change and time</source>
        <translation>Paare in zufälliger Reihenfolge (pairs:8): je ein Abschnitt kann Änderung und Zeit nicht trennen</translation>
    </message>
    <message>
        <source>more independent events: what lies beyond this comes from about {n:number} of them, {least:count} are the least</source>
        <translation>mehr unabhängige Ereignisse: was darüber liegt, kommt von etwa {n:number}, nötig sind mindestens {least:count}</translation>
    </message>
    <message>
        <source>a log with finer times: this one has steps of {step}, and {metric:word} is near that</source>
        <translation>ein Protokoll mit feineren Zeiten: dieses hat Schritte von {step}, und {metric:word} liegt nahe daran</translation>
    </message>
    <message>
        <source>The first look is planned at {n:count} pairs.</source>
        <translation>Der erste Blick ist nach {n:count} Paaren geplant.</translation>
    </message>
    <message>
        <source>The server was still warming up after half a window.</source>
        <translation>Der Server war nach einem halben Fenster noch nicht warm.</translation>
    </message>
    <message>
        <source>No pair has a load that both arms saw.</source>
        <translation>Kein Paar hat eine Last, die beide Arme sahen.</translation>
    </message>
    <message>
        <source>hardly any of its load was common</source>
        <translation>kaum etwas von seiner Last war beiden gemeinsam</translation>
    </message>
    <message>
        <source>There are no {type:type} operations in every window.</source>
        <translation>Nicht jedes Fenster enthält Operationen der Art {type:type}.</translation>
    </message>
    <message>
        <source>There are no operations in arm {arm:arm}.</source>
        <translation>In Arm {arm:arm} gibt es keine Operationen.</translation>
    </message>
    <message>
        <source>Window {arm:arm} of pair {pair:count} holds no operations: either nothing was answered or nothing was logged.</source>
        <translation>Fenster {arm:arm} von Paar {pair:count} enthält keine Operationen: Entweder wurde nichts beantwortet oder nichts protokolliert.</translation>
    </message>
    <message>
        <source>A window of arm {arm:arm} was left out: {why}.</source>
        <translation>Ein Fenster von Arm {arm:arm} blieb außen vor: {why}.</translation>
    </message>
    <message>
        <source>Pair {pair:count} was left out: {why}.</source>
        <translation>Paar {pair:count} blieb außen vor: {why}.</translation>
    </message>
    <message>
        <source>it is not one window of each arm</source>
        <translation>es ist nicht je ein Fenster jedes Arms</translation>
    </message>
    <message>
        <source>in window {arm:arm}: {why}</source>
        <translation>in Fenster {arm:arm}: {why}</translation>
    </message>
    <message>
        <source>the access log is not whole ({why})</source>
        <translation>das Zugriffsprotokoll ist nicht ganz ({why})</translation>
    </message>
    <message>
        <source>the clock of the log went back by more than a second</source>
        <translation>die Uhr des Protokolls ging um mehr als eine Sekunde zurück</translation>
    </message>
    <message>
        <source>Arm B had {ratio:ratio} the load of arm A</source>
        <translation>Arm B hatte {ratio:ratio} der Last von Arm A</translation>
    </message>
    <message>
        <source>{load}: that is another workload.</source>
        <translation>{load}: Das ist eine andere Last.</translation>
    </message>
    <message>
        <source>{load}, and only {share:share} of the time had a load that both arms saw.</source>
        <translation>{load}, und nur {share:share} der Zeit hatte eine Last, die beide Arme sahen.</translation>
    </message>
    <message>
        <source>{load}; only seconds of equal load were compared, {share:share} of them.</source>
        <translation>{load}; nur Sekunden gleicher Last wurden verglichen, {share:share} von ihnen.</translation>
    </message>
    <message>
        <source>{types} operations occur in one arm only.</source>
        <translation>Operationen der Art {types} kommen nur in einem Arm vor.</translation>
    </message>
    <message>
        <source>The mix of operations differs by {share:share} between the arms.</source>
        <translation>Die Mischung der Operationen ist in den Armen um {share:share} verschieden.</translation>
    </message>
    <message>
        <source>{a:share} of the operations end with a result code other than 0 in arm A and {b:share} in arm B: fast failures look like speed.</source>
        <translation>In Arm A enden {a:share} der Operationen mit einem anderen Ergebniscode als 0, in Arm B {b:share}: Schnelles Scheitern sieht aus wie Geschwindigkeit.</translation>
    </message>
    <message>
        <source>Result code {code:count} occurs in arm {arm:arm} only.</source>
        <translation>Ergebniscode {code:count} kommt nur in Arm {arm:arm} vor.</translation>
    </message>
    <message>
        <source>Clients seem to wait for their answers (loop index {a:number} and {b:number}): the quantiles hide most of a stall, so look at the stalls themselves.</source>
        <translation>Die Clients scheinen auf ihre Antworten zu warten (Schleifenindex {a:number} und {b:number}): Die Quantile verbergen das meiste eines Staus; darum die Staus selbst ansehen.</translation>
    </message>
    <message>
        <source>Clients seem to wait for their answers in arm {arm:arm} only (loop index {a:number} and {b:number}): what one arm hides in a stall the other one shows.</source>
        <translation>Die Clients scheinen nur in Arm {arm:arm} auf ihre Antworten zu warten (Schleifenindex {a:number} und {b:number}): Was der eine Arm in einem Stau verbirgt, zeigt der andere.</translation>
    </message>
    <message>
        <source>There were {a:count} connections in arm A and {b:count} in arm B.</source>
        <translation>In Arm A gab es {a:count} Verbindungen, in Arm B {b:count}.</translation>
    </message>
    <message>
        <source>A search returned {a:number} entries on average in arm A and {b:number} in arm B: look at the operation types one by one.</source>
        <translation>Eine Suche lieferte in Arm A im Mittel {a:number} Einträge und in Arm B {b:number}: die Arten der Operationen einzeln ansehen.</translation>
    </message>
    <message>
        <source>{a:share} of the searches were unindexed in arm A and {b:share} in arm B.</source>
        <translation>In Arm A waren {a:share} der Suchen ohne Index, in Arm B {b:share}.</translation>
    </message>
    <message>
        <source>A window of arm {arm:arm} held {n:number} stalls on average: longer windows, with at least {least:count}, would tell more of the tail.</source>
        <translation>Ein Fenster von Arm {arm:arm} enthielt im Mittel {n:number} Staus: Längere Fenster, mit mindestens {least:count}, würden mehr über den Ausläufer sagen.</translation>
    </message>
    <message>
        <source>{metric:word} sits between the usual and the stalled operations: small changes of how many stall move it far.</source>
        <translation>{metric:word} liegt zwischen den üblichen Operationen und denen im Stau: Ein paar mehr oder weniger im Stau bewegen es weit.</translation>
    </message>
    <message>
        <source>{a:quantile} and {b:quantile}</source>
        <translation>{a:quantile} und {b:quantile}</translation>
    </message>
    <message>
        <source>{a:quantile} and {b:quantile} and {c:quantile}</source>
        <translation>{a:quantile} und {b:quantile} und {c:quantile}</translation>
    </message>
    <message>
        <source>{metrics} sit between the usual and the stalled operations: small changes of how many stall move it far.</source>
        <translation>{metrics} liegen zwischen den üblichen Operationen und denen im Stau: Ein paar mehr oder weniger im Stau bewegen sie weit.</translation>
    </message>
    <message>
        <source>All pairs ran in the same order, so a steady trend would look like an effect.</source>
        <translation>Alle Paare liefen in derselben Reihenfolge; ein stetiger Trend sähe aus wie eine Wirkung.</translation>
    </message>
    <message>
        <source>The arm measured before still shows in a window (p = {p:number}, {n:count} pairs): a longer settling time would tell more.</source>
        <translation>Der zuvor gemessene Arm zeigt sich noch in einem Fenster (p = {p:number}, {n:count} Paare): Eine längere Beruhigung würde mehr sagen.</translation>
    </message>
    <message>
        <source>Stalls of {long:time} or more: {a:count} in {hours_a:time} of A, {b:count} in {hours_b:time} of B</source>
        <translation>Staus von {long:time} oder mehr: {a:count} in {hours_a:time} von A, {b:count} in {hours_b:time} von B</translation>
    </message>
    <message>
        <source>at A&apos;s rate {n:number} would be expected in B</source>
        <translation>so häufig wie in A wären in B {n:number} zu erwarten</translation>
    </message>
    <message>
        <source>so this says nothing before {hours:time} of B</source>
        <translation>darum sagt das nichts vor {hours:time} von B</translation>
    </message>
    <message>
        <source>Noise floor: nothing is changed in either arm; whatever differs is noise.</source>
        <translation>Grundrauschen: In keinem Arm wird etwas geändert; was sich unterscheidet, ist Rauschen.</translation>
    </message>
    <message>
        <source>1 pair of {length:time} windows, in the order {order} (seed {seed:count}); about {all:time} in all.</source>
        <translation>1 Paar von Fenstern zu {length:time}, in der Reihenfolge {order} (Startwert {seed:count}); insgesamt etwa {all:time}.</translation>
    </message>
    <message>
        <source>{pairs:count} pairs of {length:time} windows, in the order {order} (seed {seed:count}); about {all:time} in all.</source>
        <translation>{pairs:count} Paare von Fenstern zu {length:time}, in der Reihenfolge {order} (Startwert {seed:count}); insgesamt etwa {all:time}.</translation>
    </message>
    <message>
        <source>The server is restarted before every window, in both arms alike: {n:count} restarts, about {down:time} without service in all.</source>
        <translation>Der Server wird vor jedem Fenster neu gestartet, in beiden Armen gleich: {n:count} Neustarts, insgesamt etwa {down:time} ohne Dienst.</translation>
    </message>
    <message>
        <source>The page cache of the server&apos;s host is dropped before every window, in both arms alike: {n:count} times.</source>
        <translation>Der Dateisystemcache des Serverrechners wird vor jedem Fenster geleert, in beiden Armen gleich: {n:count}-mal.</translation>
    </message>
    <message>
        <source>Caution: other programs of that host read their files from disk again as well, which slows them for a while. A dropped cache cannot be put back.</source>
        <translation>Vorsicht: Auch andere Programme dieses Rechners lesen ihre Dateien wieder von der Platte, was sie eine Weile bremst. Ein geleerter Cache lässt sich nicht zurückholen.</translation>
    </message>
    <message>
        <source>With fewer than {n:count} pairs a difference can be suggested, not established.</source>
        <translation>Mit weniger als {n:count} Paaren lässt sich ein Unterschied andeuten, nicht erweisen.</translation>
    </message>
    <message>
        <source>Afterwards: ask.</source>
        <translation>Danach: fragen.</translation>
    </message>
    <message>
        <source>Afterwards: keep.</source>
        <translation>Danach: behalten.</translation>
    </message>
    <message>
        <source>Afterwards: revert.</source>
        <translation>Danach: zurücknehmen.</translation>
    </message>
    <message>
        <source>Afterwards: keep-if-better.</source>
        <translation>Danach: behalten, wenn es besser ist.</translation>
    </message>
    <message>
        <source>One window each cannot separate the change from the time that passed: it can suggest, never establish.</source>
        <translation>Je ein Fenster kann die Änderung nicht von der verstrichenen Zeit trennen: Es kann andeuten, nie erweisen.</translation>
    </message>
    <message>
        <source>ABBA order is balanced against a steady trend, but no coin decides it: its p-values are not exact. Randomised pairs are.</source>
        <translation>Die Reihenfolge ABBA ist gegen einen stetigen Trend ausgewogen, aber kein Münzwurf entscheidet sie: Ihre p-Werte sind nicht exakt. Die von Paaren in zufälliger Reihenfolge sind es.</translation>
    </message>
    <message>
        <source>It is looked at after {looks} pairs, each time at p ≤ {p:number} instead of 0.05, and ends at the first decision.</source>
        <translation>Nachgesehen wird nach {looks} Paaren, jedes Mal bei p ≤ {p:number} statt 0.05; mit der ersten Entscheidung endet es.</translation>
    </message>
    <message>
        <source>A look after {n:count} pairs is too early: no outcome reaches that p.</source>
        <translation>Ein Blick nach {n:count} Paaren ist zu früh: Kein Ergebnis erreicht dieses p.</translation>
    </message>
    <message>
        <source>The smallest effect it can find is not known: there are {n:count} windows of {length:time} without a change, and it takes {least:count}. Measure them as a noise floor: the same pairs without a change.</source>
        <translation>Die kleinste Wirkung, die er finden kann, ist unbekannt: Es gibt {n:count} Fenster von {length:time} ohne Änderung, und {least:count} sind nötig. Als Grundrauschen messen: dieselben Paare ohne Änderung.</translation>
    </message>
    <message>
        <source>The smallest effect on {metric:word} is not known: {why}.</source>
        <translation>Die kleinste Wirkung auf {metric:word} ist unbekannt: {why}.</translation>
    </message>
    <message>
        <source>there is no operation type {type:type}</source>
        <translation>es gibt keine Operationen der Art {type:type}</translation>
    </message>
    <message>
        <source>a window had no such operation</source>
        <translation>ein Fenster hatte keine solche Operation</translation>
    </message>
    <message>
        <source>a window must hold {n:count} operations</source>
        <translation>ein Fenster muss {n:count} Operationen enthalten</translation>
    </message>
    <message>
        <source>a window had no stall</source>
        <translation>ein Fenster hatte keinen Stau</translation>
    </message>
    <message>
        <source>By {n:count} windows without a change, {pairs:count} pairs find a change of {metric:word} by {more:ratio} or {less:ratio} and more in 8 of 10 experiments; halving or doubling it takes {half:count} pairs.</source>
        <translation>Nach {n:count} Fenstern ohne Änderung finden {pairs:count} Paare eine Änderung von {metric:word} um {more:ratio} oder {less:ratio} und mehr in 8 von 10 Experimenten; für Halbieren oder Verdoppeln genügen {half:count} Paare.</translation>
    </message>
    <message>
        <source>A window holds {n:number} stalls; for a tail it should hold {least:count} at least, that is windows of {length:time}.</source>
        <translation>Ein Fenster enthält {n:number} Staus; für einen Ausläufer sollten es mindestens {least:count} sein, das sind Fenster von {length:time}.</translation>
    </message>
    <message>
        <source>Which servers A and B were measured on is not known for both.</source>
        <translation>Auf welchen Servern A und B gemessen wurden, ist nicht für beide bekannt.</translation>
    </message>
    <message>
        <source>A was measured on {a}, B on {b}: the servers differ, too.</source>
        <translation>A wurde auf {a} gemessen, B auf {b}: Auch die Server sind verschieden.</translation>
    </message>
    <message>
        <source>The server was {a} in A and {b} in B.</source>
        <translation>Der Server war {a} in A und {b} in B.</translation>
    </message>
    <message>
        <source>Once</source>
        <translation>Einmal</translation>
    </message>
    <message>
        <source>once</source>
        <translation>einmal</translation>
    </message>
    <message>
        <source>{n:count} times</source>
        <translation>{n:count}-mal</translation>
    </message>
    <message>
        <source>1 time</source>
        <translation>einmal</translation>
    </message>
    <message>
        <source>1 operation</source>
        <translation>1 Operation</translation>
    </message>
    <message>
        <source>{n:count} operations</source>
        <translation>{n:count} Operationen</translation>
    </message>
    <message>
        <source>1 search</source>
        <translation>1 Suche</translation>
    </message>
    <message>
        <source>{n:count} searches</source>
        <translation>{n:count} Suchen</translation>
    </message>
    <message>
        <source>1 change</source>
        <translation>1 Änderung</translation>
    </message>
    <message>
        <source>{n:count} changes</source>
        <translation>{n:count} Änderungen</translation>
    </message>
    <message>
        <source>1 change was</source>
        <translation>1 Änderung wurde</translation>
    </message>
    <message>
        <source>{n:count} changes were</source>
        <translation>{n:count} Änderungen wurden</translation>
    </message>
    <message>
        <source>1 ring</source>
        <translation>1 Ring</translation>
    </message>
    <message>
        <source>{n:count} rings</source>
        <translation>{n:count} Ringen</translation>
    </message>
    <message>
        <source>1 entry is</source>
        <translation>1 Eintrag wird</translation>
    </message>
    <message>
        <source>{n:count} entries are</source>
        <translation>{n:count} Einträge werden</translation>
    </message>
    <message>
        <source>1 deletion</source>
        <translation>1 Löschung</translation>
    </message>
    <message>
        <source>{n:count} deletions</source>
        <translation>{n:count} Löschungen</translation>
    </message>
    <message>
        <source>1 deletion or rename</source>
        <translation>1 Löschung oder Umbenennung</translation>
    </message>
    <message>
        <source>{n:count} deletions and renames</source>
        <translation>{n:count} Löschungen und Umbenennungen</translation>
    </message>
    <message>
        <source>1 MOD</source>
        <translation>1 MOD</translation>
    </message>
    <message>
        <source>{n:count} MODs</source>
        <translation>{n:count} MODs</translation>
    </message>
    <message>
        <source>1 burst</source>
        <translation>1 Schub</translation>
    </message>
    <message>
        <source>{n:count} bursts</source>
        <translation>{n:count} Schüben</translation>
    </message>
    <message>
        <source>1 call</source>
        <translation>1 Aufruf</translation>
    </message>
    <message>
        <source>{n:count} calls</source>
        <translation>{n:count} Aufrufe</translation>
    </message>
    <message>
        <source>1 stack dump</source>
        <translation>1 Stapelauszug</translation>
    </message>
    <message>
        <source>{n:count} stack dumps</source>
        <translation>{n:count} Stapelauszüge</translation>
    </message>
    <message>
        <source>1 deadlock error</source>
        <translation>1 Deadlock-Fehler</translation>
    </message>
    <message>
        <source>{n:count} deadlock errors</source>
        <translation>{n:count} Deadlock-Fehler</translation>
    </message>
    <message>
        <source>{low:time} to {high:time}</source>
        <translation>{low:time} bis {high:time}</translation>
    </message>
    <message>
        <source>somebody</source>
        <translation>jemand</translation>
    </message>
    <message>
        <source>(filter not known)</source>
        <translation>(Filter unbekannt)</translation>
    </message>
    <message>
        <source>no write was among them</source>
        <translation>kein Schreibvorgang war darunter</translation>
    </message>
    <message>
        <source>{n:count} of them were writes</source>
        <translation>Schreibvorgänge darunter: {n:count}</translation>
    </message>
    <message>
        <source>{types} ended within {within:time} after up to {longest:time}; at the worst moment {n:count} of them waited.</source>
        <translation>{types} endeten innerhalb von {within:time} nach bis zu {longest:time}; im schlimmsten Moment warteten {n:count} davon.</translation>
    </message>
    <message>
        <source>A stall begins at {moment}.</source>
        <translation>Ein Stau beginnt um {moment}.</translation>
    </message>
    <message>
        <source>A burst of writing begins at {moment}.</source>
        <translation>Ein Schreibschub beginnt um {moment}.</translation>
    </message>
    <message>
        <source>The log since the last checkpoint was emptied {times}.</source>
        <translation>Das Log seit dem letzten Checkpoint wurde {times} geleert.</translation>
    </message>
    <message>
        <source>{thread} is in {frame} in {n:count} consecutive stack dumps.</source>
        <translation>{thread} steht in {n:count} Stapelauszügen hintereinander in {frame}.</translation>
    </message>
    <message>
        <source>They come every {period:time}: {n:count} of {of:count} distances fit, which chance alone gives 1 in {odds:count}.</source>
        <translation>Sie kommen alle {period:time}: {n:count} von {of:count} Abständen passen; der Zufall allein gibt das einmal in {odds:count} Fällen.</translation>
    </message>
    <message>
        <source>That is what the default of {interval:time}, as yours is not known, gives: itself, 0 to 2.5 s until the server looks, and the checkpoint&apos;s own duration.</source>
        <translation>Das ergibt der Standard von {interval:time}, da der eingestellte nicht bekannt ist: er selbst, 0 bis 2.5 s, bis der Server nachsieht, und die Dauer des Checkpoints.</translation>
    </message>
    <message>
        <source>That is what the configured interval of {interval:time} gives: itself, 0 to 2.5 s until the server looks, and the checkpoint&apos;s own duration.</source>
        <translation>Das ergibt der eingestellte Abstand von {interval:time}: er selbst, 0 bis 2.5 s, bis der Server nachsieht, und die Dauer des Checkpoints.</translation>
    </message>
    <message>
        <source>{n:count} of {of:count} begin when the transaction log is emptied by a checkpoint.</source>
        <translation>{n:count} von {of:count} beginnen, wenn ein Checkpoint das Transaktionslog leert.</translation>
    </message>
    <message>
        <source>{n:count} of {of:count} begin with a burst of writing.</source>
        <translation>{n:count} von {of:count} beginnen mit einem Schreibschub.</translation>
    </message>
    <message>
        <source>Stack dumps show a checkpoint at work.</source>
        <translation>Stapelauszüge zeigen einen Checkpoint bei der Arbeit.</translation>
    </message>
    <message>
        <source>The configured delay is {delay:time}.</source>
        <translation>Die eingestellte Verzögerung ist {delay:time}.</translation>
    </message>
    <message>
        <source>Searched without an index: {attributes}.</source>
        <translation>Ohne Index gesucht: {attributes}.</translation>
    </message>
    <message>
        <source>{mods} in {length:time}, {lag} after {deletions}.</source>
        <translation>{mods} in {length:time}, {lag} danach; vorher {deletions}.</translation>
    </message>
    <message>
        <source>The slowest took {length:time}.</source>
        <translation>Die langsamste dauerte {length:time}.</translation>
    </message>
    <message>
        <source>{server}: {n:number} MODs for each deletion.</source>
        <translation>{server}: {n:number} MODs je Löschung.</translation>
    </message>
    <message>
        <source>{backend}: no equality index of {attributes}.</source>
        <translation>{backend}: kein Gleichheitsindex für {attributes}.</translation>
    </message>
    <message>
        <source>{dn}: {n:count} references</source>
        <translation>{dn}: {n:count} Verweise</translation>
    </message>
    <message>
        <source>A {type:type} on {entry}</source>
        <translation>Eine Operation {type:type} auf {entry}</translation>
    </message>
    <message>
        <source>an entry the log does not name</source>
        <translation>einen Eintrag, den das Protokoll nicht nennt</translation>
    </message>
    <message>
        <source>The difference, {extra:time}, is close to the {timeout:time} of a replication time-out: look for the same csn applied twice.</source>
        <translation>Der Unterschied von {extra:time} liegt nahe an den {timeout:time} einer abgelaufenen Replikation: nach derselben csn suchen, die zweimal angewandt wurde.</translation>
    </message>
    <message>
        <source>csn={csn:word} on {entry}: {times}.</source>
        <translation>csn={csn:word} auf {entry}: {times}.</translation>
    </message>
    <message>
        <source>{type:type} on {entry}: {etime:time} from {moment}, usually {usual:time}.</source>
        <translation>{type:type} auf {entry}: {etime:time} ab {moment}, sonst {usual:time}.</translation>
    </message>
    <message>
        <source>{n:count} fully</source>
        <translation>{n:count} ganz</translation>
    </message>
    <message>
        <source>{filter}: {searches}, {length:time} in all.</source>
        <translation>{filter}: {searches}, insgesamt {length:time}.</translation>
    </message>
    <message>
        <source>{here:count} operations/s here, {there:count} in &apos;{baseline}&apos;.</source>
        <translation>{here:count} Operationen/s hier, {there:count} in „{baseline}“.</translation>
    </message>
    <message>
        <source>Hits and tries counted in this window.</source>
        <translation>Treffer und Versuche, in diesem Fenster gezählt.</translation>
    </message>
    <message>
        <source>{n:count} names were thrown out.</source>
        <translation>{n:count} Namen wurden verdrängt.</translation>
    </message>
    <message>
        <source>of {size:size}</source>
        <translation>von {size:size}</translation>
    </message>
    <message>
        <source>Autosizing: {percent:share} of {ram} = {total}; {split:share} of that, at most {limit}, = {db} DB cache; the rest 90:10 = {entries} entry cache + {names} DN cache ({source}).</source>
        <translation>Automatische Größen: {percent:share} von {ram} = {total}; davon {split:share}, höchstens {limit}, = {db} Datenbankcache; der Rest 90:10 = {entries} Eintragscache + {names} DN-Cache ({source}).</translation>
    </message>
    <message>
        <source>Autosizing: {percent:share} of {ram} = {total}; {split:share} of that, at most {limit}, = {db} DB cache; the rest over {n:count} back ends 90:10 = {entries} entry cache + {names} DN cache ({source}).</source>
        <translation>Automatische Größen: {percent:share} von {ram} = {total}; davon {split:share}, höchstens {limit}, = {db} Datenbankcache; der Rest auf {n:count} Backends 90:10 = {entries} Eintragscache + {names} DN-Cache ({source}).</translation>
    </message>
    <message>
        <source>Nearly full.</source>
        <translation>Fast voll.</translation>
    </message>
    <message>
        <source>the map of {size} is {share:share} full</source>
        <translation>ist die Map von {size} zu {share:share} voll</translation>
    </message>
    <message>
        <source>{n:count} of {of:count} reader slots are taken</source>
        <translation>sind {n:count} von {of:count} Leserplätzen belegt</translation>
    </message>
    <message>
        <source>Whether processors were idle is not known: iostat or vmstat would tell.</source>
        <translation>Ob Prozessoren untätig waren, ist nicht bekannt: iostat oder vmstat würde es sagen.</translation>
    </message>
    <message>
        <source>Meanwhile {idle:share} of the processors were idle: more threads may help.</source>
        <translation>Dabei waren {idle:share} der Prozessoren untätig: Mehr Threads können helfen.</translation>
    </message>
    <message>
        <source>Only {idle:share} of the processors were idle: more threads would only queue there.</source>
        <translation>Nur {idle:share} der Prozessoren waren untätig: Mehr Threads würden nur dort anstehen.</translation>
    </message>
    <message>
        <source>389 DS leaves a thread with its busiest connections (turbo mode) and counts from its last answer on, not from the request.</source>
        <translation>389 DS lässt einen Thread bei den regsten Verbindungen (Turbomodus) und zählt ab der letzten Antwort, nicht ab der Anfrage.</translation>
    </message>
    <message>
        <source>Turbo mode is off, so the requests themselves came in slowly: look at the network.</source>
        <translation>Der Turbomodus ist aus, also kamen die Anfragen selbst langsam herein: das Netz ansehen.</translation>
    </message>
    <message>
        <source>{n:count} times in the window.</source>
        <translation>{n:count}-mal im Fenster.</translation>
    </message>
    <message>
        <source>5 by default</source>
        <translation>5 als Standard</translation>
    </message>
    <message>
        <source>Idle processors.</source>
        <translation>Untätige Prozessoren.</translation>
    </message>
    <message>
        <source>wtime against etime of client operations.</source>
        <translation>wtime gegen etime der Operationen von Clients.</translation>
    </message>
    <message>
        <source>{n:count} binds, half of them longer than {length:time}.</source>
        <translation>{n:count} Anmeldungen (Bind), die Hälfte länger als {length:time}.</translation>
    </message>
    <message>
        <source>; a search takes {length:time}</source>
        <translation>; eine Suche dauert {length:time}</translation>
    </message>
    <message>
        <source>{size:number} KB a read, {n:number} reads/s.</source>
        <translation>{size:number} KB je Lesen, {n:number} Lesen/s.</translation>
    </message>
    <message>
        <source>The file-system cache answered about {share:share} of the page reads.</source>
        <translation>Der Dateisystemcache beantwortete etwa {share:share} der gelesenen Seiten.</translation>
    </message>
    <message>
        <source>busy {share:share} of the time</source>
        <translation>{share:share} der Zeit beschäftigt</translation>
    </message>
    <message>
        <source>requests took {length:time} on average</source>
        <translation>Anforderungen dauerten im Mittel {length:time}</translation>
    </message>
    <message>
        <source>{n:count} of {bursts:counted} begin when the transaction log is emptied by a checkpoint.</source>
        <translation>{n:count} von {bursts:counted} beginnen, wenn ein Checkpoint das Transaktionslog leert.</translation>
    </message>
    <message>
        <source>{a:dn} and {b:dn}</source>
        <translation>{a:dn} und {b:dn}</translation>
    </message>
    <message>
        <source>{a:dn} and {b:dn} and {c:dn}</source>
        <translation>{a:dn} und {b:dn} und {c:dn}</translation>
    </message>
    <message>
        <source>other on the same entry</source>
        <translation>andere Operation auf demselben Eintrag</translation>
    </message>
    <message>
        <source>others on the same entry</source>
        <translation>andere auf demselben Eintrag</translation>
    </message>
    <message>
        <source>other of its kind</source>
        <translation>andere Operation dieser Art</translation>
    </message>
    <message>
        <source>others of its kind</source>
        <translation>andere dieser Art</translation>
    </message>
    <message>
        <source>{a:time} and {b:time}</source>
        <translation>{a:time} und {b:time}</translation>
    </message>
    <message>
        <source>{n:count} of {bursts:counted} of writing came with a checkpoint</source>
        <translation>{n:count} von {bursts:counted} des Schreibens kamen mit einem Checkpoint</translation>
    </message>
    <message>
        <source>{device:word} uses {scheduler:word}.</source>
        <translation>{device:word} nutzt {scheduler:word}.</translation>
    </message>
    <message>
        <source>{length:time} a flush.</source>
        <translation>{length:time} je Flush.</translation>
    </message>
    <message>
        <source>memory was short in {share:share} of the samples</source>
        <translation>war in {share:share} der Proben der Speicher knapp</translation>
    </message>
    <message>
        <source>{n:count} processes were ready to run on {cores:count} cores</source>
        <translation>waren {n:count} Prozesse bereit, auf {cores:count} Kernen zu laufen</translation>
    </message>
    <message>
        <source>{share:share} of {n:count} entries are larger than {size}.</source>
        <translation>{share:share} von {n:count} Einträgen sind größer als {size}.</translation>
    </message>
    <message>
        <source>{knob:word} is off.</source>
        <translation>{knob:word} ist aus.</translation>
    </message>
    <message>
        <source>{n:count} of {of:count} operations in the log are internal.</source>
        <translation>{n:count} von {of:count} Operationen im Protokoll sind intern.</translation>
    </message>
    <message>
        <source>{path} and {directory} are both on {device:word}.</source>
        <translation>{path} und {directory} liegen beide auf {device:word}.</translation>
    </message>
    <message>
        <source>Its {calls} are in buckets of numbers without a unit.</source>
        <translation>{calls} stehen in Klassen von Zahlen ohne Einheit.</translation>
    </message>
    <message>
        <source>{n:count} of {of:count} calls took {length:time} or more.</source>
        <translation>{n:count} von {of:count} Aufrufen dauerten {length:time} oder länger.</translation>
    </message>
    <message>
        <source>{bound:number} (no unit is printed)</source>
        <translation>{bound:number} (ohne Einheit)</translation>
    </message>
    <message>
        <source>Operations in those seconds took {near:time} at p95, {far:time} otherwise.</source>
        <translation>Operationen in diesen Sekunden dauerten {near:time} bei p95, sonst {far:time}.</translation>
    </message>
    <message>
        <source>{n:count} connections of {of:count}.</source>
        <translation>{n:count} Verbindungen von {of:count}.</translation>
    </message>
    <message>
        <source>{n:count} err={code:count} (operations error)</source>
        <translation>{n:count} err={code:count} (Operationsfehler)</translation>
    </message>
    <message>
        <source>{n:count} err={code:count} (time limit exceeded)</source>
        <translation>{n:count} err={code:count} (Zeitgrenze überschritten)</translation>
    </message>
    <message>
        <source>{n:count} err={code:count} (busy)</source>
        <translation>{n:count} err={code:count} (beschäftigt)</translation>
    </message>
    <message>
        <source>{n:count} err={code:count} (unavailable)</source>
        <translation>{n:count} err={code:count} (nicht verfügbar)</translation>
    </message>
    <message>
        <source>{n:count} err={code:count} (other)</source>
        <translation>{n:count} err={code:count} (anderes)</translation>
    </message>
    <message>
        <source>The server started.</source>
        <translation>Der Server startete.</translation>
    </message>
    <message>
        <source>The first operation after a start.</source>
        <translation>Die erste Operation nach einem Start.</translation>
    </message>
    <message>
        <source>First quarter.</source>
        <translation>Erstes Viertel.</translation>
    </message>
    <message>
        <source>the entry cache of {backend} grew from {a:count} to {b:count}</source>
        <translation>wuchs der Eintragscache von {backend} von {a:count} auf {b:count}</translation>
    </message>
    <message>
        <source>the median etime fell from {a:time} to {b:time}</source>
        <translation>fiel der Median der etime von {a:time} auf {b:time}</translation>
    </message>
    <message>
        <source>The quickest of {n:count} took {length:time}.</source>
        <translation>Die schnellste von {n:count} dauerte {length:time}.</translation>
    </message>
    <message>
        <source>Etimes come in steps of {step:time}.</source>
        <translation>Die etimes kommen in Schritten von {step:time}.</translation>
    </message>
    <message>
        <source>the capture was cancelled</source>
        <translation>die Aufzeichnung wurde abgebrochen</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>Abgebrochen.</translation>
    </message>
    <message>
        <source>{type:type} on {entry}</source>
        <translation>{type:type} auf {entry}</translation>
    </message>
    <message>
        <source>{attributes} of {entry} (audit log)</source>
        <translation>{attributes} von {entry} (Auditprotokoll)</translation>
    </message>
    <message>
        <source>The clock went back {times} within the window</source>
        <translation>Die Uhr ging im Fenster {times} zurück</translation>
    </message>
    <message>
        <source>{times} nothing was logged, for {length:time} at the most, though the server answered the workbench meanwhile and logs that too: its clock was set forward, or lines of the log are missing</source>
        <translation>{times} wurde nichts protokolliert, höchstens {length:time} lang, obwohl der Server dem Programm derweil antwortete und auch das protokolliert: Seine Uhr wurde vorgestellt, oder Zeilen des Protokolls fehlen</translation>
    </message>
    <message>
        <source>Times of the log go back, {times}.</source>
        <translation>Zeiten des Protokolls gehen zurück, {times}.</translation>
    </message>
    <message>
        <source>No line of the log.</source>
        <translation>Keine Zeile des Protokolls.</translation>
    </message>
    <message>
        <source>{source} is {state:state}</source>
        <translation>{source}: {state:state}</translation>
    </message>
    <message>
        <source>{source} is {state:state} ({why})</source>
        <translation>{source}: {state:state} ({why})</translation>
    </message>
    <message>
        <source>{source} &apos;{name}&apos;: {state:state}.</source>
        <translation>{source} „{name}“: {state:state}.</translation>
    </message>
    <message>
        <source>operations that are usually quick waited</source>
        <translation>Operationen, die sonst schnell sind, warteten</translation>
    </message>
    <message>
        <source>operations waited for minutes</source>
        <translation>Operationen warteten minutenlang</translation>
    </message>
    <message>
        <source>The log holds too few others of this kind to show how long they usually take: import more of it to be sure.</source>
        <translation>Das Protokoll enthält zu wenige andere dieser Art, um zu zeigen, wie lange sie sonst dauern: Importieren Sie mehr davon, um sicher zu sein.</translation>
    </message>
    <message>
        <source>The log lacks {lines} of the longest episode.</source>
        <translation>Dem Protokoll fehlen zum längsten Vorfall: {lines}.</translation>
    </message>
    <message>
        <source>1 request line</source>
        <translation>1 Anfragezeile</translation>
    </message>
    <message>
        <source>{n:count} request lines</source>
        <translation>{n:count} Anfragezeilen</translation>
    </message>
    <message>
        <source>A thread</source>
        <translation>Ein Thread</translation>
    </message>
    <message>
        <source>Thread {id:count}</source>
        <translation>Thread {id:count}</translation>
    </message>
    <message>
        <source>From {start} to {end}: one checkpoint of at least {length:time}.</source>
        <translation>Von {start} bis {end}: ein Checkpoint von mindestens {length:time}.</translation>
    </message>
    <message>
        <source>From {start} to {end}: one checkpoint or two.</source>
        <translation>Von {start} bis {end}: ein Checkpoint oder zwei.</translation>
    </message>
    <message>
        <source>Stalls or bursts of writing recur as checkpoints do.</source>
        <translation>Staus oder Schreibschübe kehren wieder, wie Checkpoints es tun.</translation>
    </message>
    <message>
        <source>A long checkpoint was seen.</source>
        <translation>Ein langer Checkpoint wurde beobachtet.</translation>
    </message>
    <message>
        <source>The checkpoint interval is set to {interval:time}.</source>
        <translation>Der Checkpoint-Abstand ist auf {interval:time} eingestellt.</translation>
    </message>
    <message>
        <source>({codes} is Berkeley DB&apos;s DB_LOCK_DEADLOCK)</source>
        <translation>({codes} ist DB_LOCK_DEADLOCK von Berkeley DB)</translation>
    </message>
    <message>
        <source>Deletions</source>
        <translation>Löschungen</translation>
    </message>
    <message>
        <source>Delay</source>
        <translation>Verzögerung</translation>
    </message>
    <message>
        <source>Internal updates</source>
        <translation>Interne Änderungen</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>Checkpoint</translation>
    </message>
    <message>
        <source>Stall</source>
        <translation>Stau</translation>
    </message>
    <message>
        <source>access log</source>
        <translation>Zugriffsprotokoll</translation>
    </message>
    <message>
        <source>configuration</source>
        <translation>Konfiguration</translation>
    </message>
    <message>
        <source>{deletions:counted} in {length:time}.</source>
        <translation>{deletions:counted} in {length:time}.</translation>
    </message>
    <message>
        <source>The log holds no result of {n:count} of them.</source>
        <translation>Das Protokoll enthält zu {n:count} davon kein Ergebnis.</translation>
    </message>
    <message>
        <source>Referential integrity waits {delay:time}, as it is set: that is over for the last deletion at {moment}.</source>
        <translation>Die referenzielle Integrität wartet {delay:time}, so ist sie eingestellt: Für die letzte Löschung ist das um {moment} vorbei.</translation>
    </message>
    <message>
        <source>{mods:counted}, the first {lag} after the deletions.</source>
        <translation>{mods:counted}, die erste {lag} nach den Löschungen.</translation>
    </message>
    <message>
        <source>{dumps} with a thread in the plug-in.</source>
        <translation>{dumps} mit einem Thread im Plug-in.</translation>
    </message>
    <message>
        <source>Missing, not absent: the access log holds internal operations only at a higher level (389 DS: nsslapd-accesslog-level 260 and nsslapd-plugin-logging on). A consumer&apos;s log holds them as replicated MODs.</source>
        <translation>Nicht protokolliert heißt nicht ausgeblieben: Das Zugriffsprotokoll enthält interne Operationen erst ab einer höheren Stufe (389 DS: nsslapd-accesslog-level 260 und nsslapd-plugin-logging on). Das Protokoll eines Empfängers enthält sie als replizierte MODs.</translation>
    </message>
    <message>
        <source>The interval is set to {interval:time}.</source>
        <translation>Der Abstand ist auf {interval:time} eingestellt.</translation>
    </message>
    <message>
        <source>The log since the last checkpoint was emptied.</source>
        <translation>Das Protokoll seit dem letzten Checkpoint wurde geleert.</translation>
    </message>
    <message>
        <source>Not seen: stack dumps during a stall would show it.</source>
        <translation>Nicht beobachtet: Stapelauszüge während eines Staus würden ihn zeigen.</translation>
    </message>
    <message>
        <source>Not seen: no operations in the log waited together meanwhile.</source>
        <translation>Nicht beobachtet: Keine Operationen im Protokoll warteten währenddessen gemeinsam.</translation>
    </message>
    <message>
        <source>{operations:counted} waited for up to {longest:time} and ended within {within:time}.</source>
        <translation>{operations:counted} warteten bis zu {longest:time} und endeten innerhalb von {within:time}.</translation>
    </message>
    <message>
        <source>a stall of up to {longest:time}</source>
        <translation>ein Stau von bis zu {longest:time}</translation>
    </message>
    <message>
        <source>a long checkpoint</source>
        <translation>ein langer Checkpoint</translation>
    </message>
    <message>
        <source>Not seen: {links}.</source>
        <translation>Nicht beobachtet: {links}.</translation>
    </message>
    <message>
        <source>The updates are done, or replicated, on both.</source>
        <translation>Die Änderungen werden auf beiden ausgeführt oder repliziert.</translation>
    </message>
    <message>
        <source>The internal updates of {server} are missing in its log, not absent: a server logs them only when asked to.</source>
        <translation>Die internen Änderungen von {server} fehlen nur in seinem Protokoll, sie sind nicht ausgeblieben: Ein Server protokolliert sie nur auf Wunsch.</translation>
    </message>
    <message>
        <source>Some of its dumps have no time: only their order is known.</source>
        <translation>Manche seiner Auszüge haben keine Zeit: Nur ihre Reihenfolge ist bekannt.</translation>
    </message>
    <message>
        <source>Say when with --began and --interval, or name the files by time: pstack.20260322-172606.</source>
        <translation>Sagen Sie mit --began und --interval, wann, oder benennen Sie die Dateien nach der Zeit: pstack.20260322-172606.</translation>
    </message>
    <message>
        <source>If that is not so, import it with --zone.</source>
        <translation>Wenn das nicht stimmt, importieren Sie es mit --zone.</translation>
    </message>
    <message>
        <source>error log</source>
        <translation>Fehlerprotokoll</translation>
    </message>
    <message>
        <source>audit log</source>
        <translation>Auditprotokoll</translation>
    </message>
    <message>
        <source>monitor</source>
        <translation>Zähler</translation>
    </message>
    <message>
        <source>stacks</source>
        <translation>Stapel</translation>
    </message>
    <message>
        <source>partial</source>
        <translation>teilweise</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>fehlt</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>gescheitert</translation>
    </message>
    <message>
        <source>“{advice}” and “{other}” exclude each other: try one at a time.</source>
        <translation>„{advice}“ und „{other}“ schließen einander aus: eins nach dem anderen versuchen.</translation>
    </message>
    <message>
        <source>“{advice}” needs: {need}</source>
        <translation>„{advice}“ braucht: {need}</translation>
    </message>
    <message>
        <source>low: {why}</source>
        <translation>gering: {why}</translation>
    </message>
    <message>
        <source>medium: {why}</source>
        <translation>mittel: {why}</translation>
    </message>
    <message>
        <source>high: {why}</source>
        <translation>hoch: {why}</translation>
    </message>
    <message>
        <source>(the default, as yours is not known)</source>
        <translation>(der Standard, da der eingestellte nicht bekannt ist)</translation>
    </message>
    <message>
        <source>(as it is set)</source>
        <translation>(so ist es eingestellt)</translation>
    </message>
    <message>
        <source>what that gives</source>
        <translation>was sich daraus ergibt</translation>
    </message>
    <message>
        <source>{page:count} ({size}, by the sizes of your entries)</source>
        <translation>{page:count} ({size}, nach den Größen der Einträge)</translation>
    </message>
    <message>
        <source>389 DS 2 takes one per hardware thread, at least 16; RHDS 10&apos;s table 24 for 4</source>
        <translation>389 DS 2 nimmt einen je Hardware-Thread, mindestens 16; die Tabelle von RHDS 10 gibt 24 für 4</translation>
    </message>
    <message>
        <source>For {n:count} hardware threads {rivals}</source>
        <translation>Für {n:count} Hardware-Threads {rivals}</translation>
    </message>
    <message>
        <source>389 DS 2 and later</source>
        <translation>389 DS 2 und neuer</translation>
    </message>
    <message>
        <source>RHDS 10&apos;s table</source>
        <translation>Tabelle von RHDS 10</translation>
    </message>
    <message>
        <source>the design page, out of date for 389 DS 1.4 and later</source>
        <translation>die Entwurfsseite, für 389 DS 1.4 und neuer überholt</translation>
    </message>
    <message>
        <source>Setting {setting}</source>
        <translation>{setting} wird gesetzt</translation>
    </message>
    <message>
        <source>Set {treatment}</source>
        <translation>{treatment} ist gesetzt</translation>
    </message>
    <message>
        <source>Stopping the server: {command}</source>
        <translation>Server wird angehalten: {command}</translation>
    </message>
    <message>
        <source>Starting the server: {command}</source>
        <translation>Server wird gestartet: {command}</translation>
    </message>
    <message>
        <source>Restarting the server: {command}</source>
        <translation>Server wird neu gestartet: {command}</translation>
    </message>
    <message>
        <source>Waiting for the server to be restarted by its operator</source>
        <translation>Warten, bis der Betreiber den Server neu startet</translation>
    </message>
    <message>
        <source>The server answers again</source>
        <translation>Der Server antwortet wieder</translation>
    </message>
    <message>
        <source>The server is down; waiting until it answers</source>
        <translation>Der Server steht; warten, bis er antwortet</translation>
    </message>
    <message>
        <source>Looking for what stands out</source>
        <translation>Auffälliges wird gesucht</translation>
    </message>
    <message>
        <source>Reading window {window}</source>
        <translation>Fenster {window} wird gelesen</translation>
    </message>
    <message>
        <source>Exporting window {window} as {kind:word}</source>
        <translation>Fenster {window} wird als {kind:word} ausgegeben</translation>
    </message>
    <message>
        <source>Writing the report</source>
        <translation>Der Bericht wird geschrieben</translation>
    </message>
    <message>
        <source>Checking the plan against the server</source>
        <translation>Der Plan wird am Server geprüft</translation>
    </message>
    <message>
        <source>Applying {treatment}</source>
        <translation>{treatment} wird angewandt</translation>
    </message>
    <message>
        <source>Reverting {treatment}</source>
        <translation>{treatment} wird zurückgenommen</translation>
    </message>
    <message>
        <source>Settling for {length:time}</source>
        <translation>Beruhigung, {length:time}</translation>
    </message>
    <message>
        <source>Dropping the page cache of the server&apos;s host</source>
        <translation>Der Dateisystemcache des Serverrechners wird geleert</translation>
    </message>
    <message>
        <source>Judging</source>
        <translation>Das Urteil wird gefällt</translation>
    </message>
    <message>
        <source>Looking as planned, after {n:count} pairs</source>
        <translation>Blick nach Plan, nach {n:count} Paaren</translation>
    </message>
    <message>
        <source>Looked as planned after {n:count} pairs: {found}</source>
        <translation>Blick nach Plan, nach {n:count} Paaren: {found}</translation>
    </message>
    <message>
        <source>that ends the experiment, {n:count} pairs are not measured</source>
        <translation>damit endet das Experiment, {n:count} Paare werden nicht gemessen</translation>
    </message>
    <message>
        <source>better</source>
        <translation>besser</translation>
    </message>
    <message>
        <source>worse</source>
        <translation>schlechter</translation>
    </message>
    <message>
        <source>immaterial</source>
        <translation>unerheblich</translation>
    </message>
    <message>
        <source>no material change</source>
        <translation>keine erhebliche Änderung</translation>
    </message>
    <message>
        <source>inconclusive</source>
        <translation>offen</translation>
    </message>
    <message>
        <source>insufficient</source>
        <translation>zu wenig Daten</translation>
    </message>
    <message>
        <source>suggests better</source>
        <translation>deutet auf besser</translation>
    </message>
    <message>
        <source>suggests worse</source>
        <translation>deutet auf schlechter</translation>
    </message>
    <message>
        <source>not comparable</source>
        <translation>nicht vergleichbar</translation>
    </message>
    <message>
        <source>Window {n:count} of {of:count} (arm {arm:arm}): {what}</source>
        <translation>Fenster {n:count} von {of:count} (Arm {arm:arm}): {what}</translation>
    </message>
    <message>
        <source>Preparing the log reader (once on this machine)</source>
        <translation>Der Leser der Protokolle wird vorbereitet (einmal auf diesem Rechner)</translation>
    </message>
    <message>
        <source>Asking who refers to whom below {suffix}</source>
        <translation>Gefragt wird, wer auf wen verweist, unter {suffix}</translation>
    </message>
    <message>
        <source>Looking at the log files</source>
        <translation>Die Protokolldateien werden angesehen</translation>
    </message>
    <message>
        <source>Finding the window</source>
        <translation>Das Fenster wird gesucht</translation>
    </message>
    <message>
        <source>Fetching, {size:size} of about {of:size}</source>
        <translation>Holen, {size:size} von etwa {of:size}</translation>
    </message>
    <message>
        <source>Starting the sources</source>
        <translation>Die Quellen werden gestartet</translation>
    </message>
    <message>
        <source>Measuring, {left:time} left</source>
        <translation>Messen, noch {left:time}</translation>
    </message>
    <message>
        <source>Waiting for operations that began in the window</source>
        <translation>Auf Operationen, die im Fenster begannen, wird gewartet</translation>
    </message>
    <message>
        <source>Fetching the rest</source>
        <translation>Der Rest wird geholt</translation>
    </message>
    <message>
        <source>Fetching the rest, {left:time}</source>
        <translation>Der Rest wird geholt, {left:time}</translation>
    </message>
    <message>
        <source>The link is cut, the rest of the log is read when it stands again</source>
        <translation>Die Verbindung ist unterbrochen, der Rest des Protokolls wird gelesen, sobald sie wieder steht</translation>
    </message>
    <message>
        <source>Reading the last of the {source}</source>
        <translation>Das Letzte wird gelesen: {source}</translation>
    </message>
    <message>
        <source>Waiting for the access log to be written, at most {left:time} more</source>
        <translation>Warten, bis das Zugriffsprotokoll geschrieben ist, noch höchstens {left:time}</translation>
    </message>
    <message>
        <source>Reading {file}</source>
        <translation>{file} wird gelesen</translation>
    </message>
    <message>
        <source>Connecting to {address}</source>
        <translation>Verbinden mit {address}</translation>
    </message>
    <message>
        <source>Reading the facts of {host}</source>
        <translation>Angaben von {host} werden gelesen</translation>
    </message>
    <message>
        <source>{knob} is {value} already: nothing is written.</source>
        <translation>{knob} ist schon {value}: Nichts wird geschrieben.</translation>
    </message>
    <message>
        <source>absent</source>
        <translation>nicht gesetzt</translation>
    </message>
    <message>
        <source>absent → {after}</source>
        <translation>nicht gesetzt → {after}</translation>
    </message>
    <message>
        <source>{before} → absent</source>
        <translation>{before} → nicht gesetzt</translation>
    </message>
    <message>
        <source>works after a restart</source>
        <translation>wirkt nach einem Neustart</translation>
    </message>
    <message>
        <source>needed by {knob:word}, which the server refuses otherwise</source>
        <translation>nötig für {knob:word}, das der Server sonst ablehnt</translation>
    </message>
    <message>
        <source>This is not automated while {knob:word} is absent: {why}</source>
        <translation>Das ist nicht automatisiert, solange {knob:word} nicht gesetzt ist: {why}</translation>
    </message>
    <message>
        <source>The server refuses this while it runs: stop it, set &apos;{setting}&apos; in the entry &apos;{entry}&apos; of its dse.ldif, and start it. On your word the workbench does so, with a backup of the file.</source>
        <translation>Der Server lehnt dies ab, während er läuft: ihn anhalten, „{setting}“ im Eintrag „{entry}“ seiner dse.ldif setzen und ihn starten. Auf Ihr Wort tut das Programm es, mit einer Sicherung der Datei.</translation>
    </message>
    <message>
        <source>You must restart the server: the profile has no restart command.</source>
        <translation>Sie müssen den Server neu starten: Das Profil hat keinen Befehl dafür.</translation>
    </message>
    <message>
        <source>During window {window:word} {why}.</source>
        <translation>Im Fenster {window:word}: {why}.</translation>
    </message>
    <message>
        <source>the load command ended with status {status:word}</source>
        <translation>der Lastbefehl endete mit Status {status:word}</translation>
    </message>
    <message>
        <source>The access log was not read in window {window:word}: {why}</source>
        <translation>Im Fenster {window:word} wurde das Zugriffsprotokoll nicht gelesen: {why}</translation>
    </message>
    <message>
        <source>A guard rail was crossed in window {window:word}: {why}.</source>
        <translation>Im Fenster {window:word} wurde eine Leitplanke überschritten: {why}.</translation>
    </message>
    <message>
        <source>{share:share} of the operations failed</source>
        <translation>{share:share} der Operationen scheiterten</translation>
    </message>
    <message>
        <source>p99 was {etime:time}</source>
        <translation>p99 war {etime:time}</translation>
    </message>
    <message>
        <source>Read as {title}: {n:count} of its first {of:count} lines look like it.</source>
        <translation>Gelesen als {title}: {n:count} der ersten {of:count} Zeilen sehen so aus.</translation>
    </message>
    <message>
        <source>Read as {title}: {n:count} of its last {of:count} lines look like it.</source>
        <translation>Gelesen als {title}: {n:count} der letzten {of:count} Zeilen sehen so aus.</translation>
    </message>
    <message>
        <source>Read as {title}: none of its first {of:count} lines looks like anything known.</source>
        <translation>Gelesen als {title}: keine der ersten {of:count} Zeilen sieht nach etwas Bekanntem aus.</translation>
    </message>
    <message>
        <source>Read as {title}: none of its last {of:count} lines looks like anything known.</source>
        <translation>Gelesen als {title}: keine der letzten {of:count} Zeilen sieht nach etwas Bekanntem aus.</translation>
    </message>
    <message>
        <source>Read as {title}: there is no text in it.</source>
        <translation>Gelesen als {title}: Es enthält keinen Text.</translation>
    </message>
    <message>
        <source>Read as {title}: you said so.</source>
        <translation>Gelesen als {title}: so angegeben.</translation>
    </message>
    <message>
        <source>By its text it is: {title}.</source>
        <translation>Dem Text nach ist es: {title}.</translation>
    </message>
    <message>
        <source>No latency is printed: each is the time from the line of the request to that of the result, in steps of {step}.</source>
        <translation>Keine Latenz ist gedruckt: Jede ist die Zeit von der Zeile der Anfrage bis zu der des Ergebnisses, in Schritten von {step}.</translation>
    </message>
    <message>
        <source>{n:count} latencies are not printed: each is the time from the line of the request to that of the result, in steps of {step}.</source>
        <translation>{n:count} Latenzen sind nicht gedruckt: Jede ist die Zeit von der Zeile der Anfrage bis zu der des Ergebnisses, in Schritten von {step}.</translation>
    </message>
    <message>
        <source>1 latency is not printed: it is the time from the line of the request to that of the result, in steps of {step}.</source>
        <translation>1 Latenz ist nicht gedruckt: Sie ist die Zeit von der Zeile der Anfrage bis zu der des Ergebnisses, in Schritten von {step}.</translation>
    </message>
    <message>
        <source>a second</source>
        <translation>einer Sekunde</translation>
    </message>
    <message>
        <source>a millisecond</source>
        <translation>einer Millisekunde</translation>
    </message>
    <message>
        <source>a microsecond</source>
        <translation>einer Mikrosekunde</translation>
    </message>
    <message>
        <source>a nanosecond</source>
        <translation>einer Nanosekunde</translation>
    </message>
    <message>
        <source>a second (3 stands for anything between 2 and 4 s, 0 for anything below 1 s)</source>
        <translation>einer Sekunde (3 steht für alles zwischen 2 und 4 s, 0 für alles unter 1 s)</translation>
    </message>
    <message>
        <source>Latencies are printed in whole seconds of the clock: 3 stands for anything between 2 and 4 s, 0 for anything below 1 s.</source>
        <translation>Latenzen sind in ganzen Sekunden der Uhr gedruckt: 3 steht für alles zwischen 2 und 4 s, 0 für alles unter 1 s.</translation>
    </message>
    <message>
        <source>Latencies are printed in milliseconds: each number is a range of that width.</source>
        <translation>Latenzen sind in Millisekunden gedruckt: Jede Zahl ist ein Bereich dieser Breite.</translation>
    </message>
    <message>
        <source>Thread {thread} was in {call} over {n:count} dumps.</source>
        <translation>Thread {thread} war über {n:count} Auszüge in {call}.</translation>
    </message>
    <message>
        <source>Thread {thread} was in {call} over {n:count} dumps, {length:time}.</source>
        <translation>Thread {thread} war über {n:count} Auszüge in {call}, {length:time}.</translation>
    </message>
    <message>
        <source>1 request has no result.</source>
        <translation>1 Anfrage hat kein Ergebnis.</translation>
    </message>
    <message>
        <source>{n:count} requests have no result.</source>
        <translation>{n:count} Anfragen haben kein Ergebnis.</translation>
    </message>
    <message>
        <source>1 result has no request.</source>
        <translation>1 Ergebnis hat keine Anfrage.</translation>
    </message>
    <message>
        <source>{n:count} results have no request.</source>
        <translation>{n:count} Ergebnisse haben keine Anfrage.</translation>
    </message>
    <message>
        <source>1 start of the server is in the log.</source>
        <translation>1 Start des Servers ist im Protokoll.</translation>
    </message>
    <message>
        <source>{n:count} starts of the server are in the log.</source>
        <translation>{n:count} Starts des Servers sind im Protokoll.</translation>
    </message>
    <message>
        <source>1 time the clock went back.</source>
        <translation>Einmal ging die Uhr zurück.</translation>
    </message>
    <message>
        <source>{n:count} times the clock went back.</source>
        <translation>{n:count}-mal ging die Uhr zurück.</translation>
    </message>
    <message>
        <source>Only slow operations seem to be in this log (none under {least:time}): its percentiles say nothing about all operations.</source>
        <translation>In diesem Protokoll scheinen nur langsame Operationen zu stehen (keine unter {least:time}): Seine Perzentile sagen nichts über alle Operationen.</translation>
    </message>
    <message>
        <source>Its link was cut once, for {length:time} in all.</source>
        <translation>Die Verbindung war einmal unterbrochen, insgesamt {length:time}.</translation>
    </message>
    <message>
        <source>Its link was cut {n:count} times, for {length:time} in all.</source>
        <translation>Die Verbindung war {n:count}-mal unterbrochen, insgesamt {length:time}.</translation>
    </message>
    <message>
        <source>Reading it cost the host {share:count} % of one processor.</source>
        <translation>Das Lesen kostete den Host {share:count} % eines Prozessors.</translation>
    </message>
    <message>
        <source>Set aside: {why}.</source>
        <translation>Beiseite gelegt: {why}.</translation>
    </message>
    <message>
        <source>header {n:count}</source>
        <translation>Kopfzeile {n:count}</translation>
    </message>
    <message>
        <source>blank line {n:count}</source>
        <translation>Leerzeile {n:count}</translation>
    </message>
    <message>
        <source>error log line {n:count}</source>
        <translation>Zeile des Fehlerprotokolls {n:count}</translation>
    </message>
    <message>
        <source>cut line {n:count}</source>
        <translation>abgeschnittene Zeile {n:count}</translation>
    </message>
    <message>
        <source>NUL bytes {n:count}</source>
        <translation>NUL-Bytes {n:count}</translation>
    </message>
    <message>
        <source>overlong line {n:count}</source>
        <translation>überlange Zeile {n:count}</translation>
    </message>
    <message>
        <source>result without etime {n:count}</source>
        <translation>Ergebnis ohne etime {n:count}</translation>
    </message>
    <message>
        <source>garbage etime {n:count}</source>
        <translation>unsinnige etime {n:count}</translation>
    </message>
    <message>
        <source>garbage wtime {n:count}</source>
        <translation>unsinnige wtime {n:count}</translation>
    </message>
    <message>
        <source>garbage optime {n:count}</source>
        <translation>unsinnige optime {n:count}</translation>
    </message>
    <message>
        <source>request seen twice {n:count}</source>
        <translation>Anfrage doppelt gesehen {n:count}</translation>
    </message>
    <message>
        <source>two records glued {n:count}</source>
        <translation>zwei Sätze verklebt {n:count}</translation>
    </message>
    <message>
        <source>line without a time {n:count}</source>
        <translation>Zeile ohne Zeit {n:count}</translation>
    </message>
    <message>
        <source>message of the server {n:count}</source>
        <translation>Meldung des Servers {n:count}</translation>
    </message>
    <message>
        <source>repeated by syslog {n:count}</source>
        <translation>von syslog wiederholt {n:count}</translation>
    </message>
    <message>
        <source>report that cannot be placed in time {n:count}</source>
        <translation>Bericht ohne Ort in der Zeit {n:count}</translation>
    </message>
    <message>
        <source>report since boot {n:count}</source>
        <translation>Bericht seit dem Hochfahren {n:count}</translation>
    </message>
    <message>
        <source>report cut off {n:count}</source>
        <translation>abgeschnittener Bericht {n:count}</translation>
    </message>
    <message>
        <source>text between histograms {n:count}</source>
        <translation>Text zwischen Histogrammen {n:count}</translation>
    </message>
    <message>
        <source>group of disks {n:count}</source>
        <translation>Gruppe von Platten {n:count}</translation>
    </message>
    <message>
        <source>notice of a device {n:count}</source>
        <translation>Meldung eines Geräts {n:count}</translation>
    </message>
    <message>
        <source>comment {n:count}</source>
        <translation>Kommentar {n:count}</translation>
    </message>
    <message>
        <source>value behind a URL {n:count}</source>
        <translation>Wert hinter einer URL {n:count}</translation>
    </message>
    <message>
        <source>remark of the debugger {n:count}</source>
        <translation>Bemerkung des Debuggers {n:count}</translation>
    </message>
    <message>
        <source>counted already {n:count}</source>
        <translation>schon gezählt {n:count}</translation>
    </message>
    <message>
        <source>It counts by interval (-I), and no times printed tell how long {n:count} of them lasted: taken for {length:time}.</source>
        <translation>Es zählt je Intervall (-I), und keine gedruckten Zeiten sagen, wie lang {n:count} davon waren: angenommen {length:time}.</translation>
    </message>
    <message>
        <source>It tells of {what}.</source>
        <translation>Es berichtet von: {what}.</translation>
    </message>
    <message>
        <source>1 recovery after a crash</source>
        <translation>1 Wiederherstellung nach einem Absturz</translation>
    </message>
    <message>
        <source>{n:count} recoveries after a crash</source>
        <translation>{n:count} Wiederherstellungen nach einem Absturz</translation>
    </message>
    <message>
        <source>1 start of the server</source>
        <translation>1 Start des Servers</translation>
    </message>
    <message>
        <source>{n:count} starts of the server</source>
        <translation>{n:count} Starts des Servers</translation>
    </message>
    <message>
        <source>1 orderly stop</source>
        <translation>1 geordneter Halt</translation>
    </message>
    <message>
        <source>{n:count} orderly stops</source>
        <translation>{n:count} geordnete Halte</translation>
    </message>
    <message>
        <source>1 line about automatic cache sizes</source>
        <translation>1 Zeile über automatische Cachegrößen</translation>
    </message>
    <message>
        <source>{n:count} lines about automatic cache sizes</source>
        <translation>{n:count} Zeilen über automatische Cachegrößen</translation>
    </message>
    <message>
        <source>1 line about checkpoints</source>
        <translation>1 Zeile über Checkpoints</translation>
    </message>
    <message>
        <source>{n:count} lines about checkpoints</source>
        <translation>{n:count} Zeilen über Checkpoints</translation>
    </message>
    <message>
        <source>The times in this log show no zone: they are read as of {zone:word}.</source>
        <translation>Die Zeiten in diesem Protokoll zeigen keine Zone: Sie werden als {zone:word} gelesen.</translation>
    </message>
    <message>
        <source>The times in this log show neither year nor zone: its first line is read as of {year:count} in {zone:word}.</source>
        <translation>Die Zeiten in diesem Protokoll zeigen weder Jahr noch Zone: Die erste Zeile wird als {year:count} in {zone:word} gelesen.</translation>
    </message>
    <message>
        <source>Its dumps have no time: only their order is known.</source>
        <translation>Die Auszüge haben keine Zeit: Nur ihre Reihenfolge ist bekannt.</translation>
    </message>
    <message>
        <source>the end of the window is not in the log</source>
        <translation>das Ende des Fensters ist nicht im Protokoll</translation>
    </message>
    <message>
        <source>a rotated file was gone before it could be read</source>
        <translation>eine rotierte Datei war weg, bevor sie gelesen werden konnte</translation>
    </message>
    <message>
        <source>did not stop in time</source>
        <translation>hielt nicht rechtzeitig an</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>iostat ended by itself: {why}</source>
        <translation>iostat endete von selbst: {why}</translation>
    </message>
    <message>
        <source>iostat was ended on the host.</source>
        <translation>iostat wurde auf dem Host beendet.</translation>
    </message>
    <message>
        <source>The command that reads {path} was ended on the host.</source>
        <translation>Der Befehl, der {path} liest, wurde auf dem Host beendet.</translation>
    </message>
    <message>
        <source>{host} has been silent for {length:time}.</source>
        <translation>{host} schweigt seit {length:time}.</translation>
    </message>
    <message>
        <source>The link is cut.</source>
        <translation>Die Verbindung ist unterbrochen.</translation>
    </message>
    <message>
        <source>the link has been cut for {length:time}</source>
        <translation>die Verbindung ist seit {length:time} unterbrochen</translation>
    </message>
    <message>
        <source>the link carries {rate}/s, the log grows {growth}/s</source>
        <translation>die Verbindung schafft {rate}/s, das Protokoll wächst um {growth}/s</translation>
    </message>
    <message>
        <source>no samples for {length:time}, in a gap</source>
        <translation>keine Messwerte für {length:time}, in einer Lücke</translation>
    </message>
    <message>
        <source>no samples for {length:time}, in {n:count} gaps</source>
        <translation>keine Messwerte für {length:time}, in {n:count} Lücken</translation>
    </message>
    <message>
        <source>{path} cannot be understood</source>
        <translation>{path} ist nicht zu verstehen</translation>
    </message>
    <message>
        <source>the oldest file left begins at {moment}</source>
        <translation>die älteste noch vorhandene Datei beginnt um {moment}</translation>
    </message>
    <message>
        <source>the server may not have written the end of the window yet</source>
        <translation>der Server hat das Ende des Fensters vielleicht noch nicht geschrieben</translation>
    </message>
    <message>
        <source>{n:count} operations had no result up to {after:time} after the window</source>
        <translation>{n:count} Operationen hatten bis {after:time} nach dem Fenster kein Ergebnis</translation>
    </message>
    <message>
        <source>Only the first {n:count} MiB of {path} were read.</source>
        <translation>Nur die ersten {n:count} MiB von {path} wurden gelesen.</translation>
    </message>
    <message>
        <source>{path} is damaged or cut off: {why}</source>
        <translation>{path} ist beschädigt oder abgeschnitten: {why}</translation>
    </message>
    <message>
        <source>It holds no report of an interval, only the one since boot.</source>
        <translation>Es enthält keinen Bericht eines Intervalls, nur den seit dem Hochfahren.</translation>
    </message>
    <message>
        <source>None of its {n:count} entries is one of a monitor or of settings known.</source>
        <translation>Keiner der {n:count} Einträge gehört zu einem Monitor oder zu bekannten Einstellungen.</translation>
    </message>
    <message>
        <source>It holds no histogram with a count in it.</source>
        <translation>Es enthält kein Histogramm mit Zählungen.</translation>
    </message>
    <message>
        <source>The server does not tell where its log is ({attribute:word}).</source>
        <translation>Der Server sagt nicht, wo sein Protokoll liegt ({attribute:word}).</translation>
    </message>
    <message>
        <source>What was gathered until then is kept.</source>
        <translation>Was bis dahin gesammelt war, bleibt.</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; is not a size.</source>
        <translation>„{a}“ ist keine Größe.</translation>
    </message>
    <message>
        <source>Write bytes, or 512 KiB, 1.5 GiB, 10 MB.</source>
        <translation>Byte schreiben, oder 512 KiB, 1.5 GiB, 10 MB.</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; is no format of an export.</source>
        <translation>„{a}“ ist kein Format einer Ausgabe.</translation>
    </message>
    <message>
        <source>Nothing was written.</source>
        <translation>Nichts wurde geschrieben.</translation>
    </message>
    <message>
        <source>Choose from {a}.</source>
        <translation>Zu wählen ist aus {a}.</translation>
    </message>
    <message>
        <source>The export to {a} failed: {b}</source>
        <translation>Die Ausgabe nach {a} scheiterte: {b}</translation>
    </message>
    <message>
        <source>The session was not changed.</source>
        <translation>Die Sitzung wurde nicht geändert.</translation>
    </message>
    <message>
        <source>Choose a folder that can be written and has room.</source>
        <translation>Einen Ordner wählen, der beschreibbar ist und Platz hat.</translation>
    </message>
    <message>
        <source>The session has no change that LDIF could tell.</source>
        <translation>Die Sitzung hat keine Änderung, die LDIF erzählen könnte.</translation>
    </message>
    <message>
        <source>Leave out the LDIF; a capture alone changes nothing.</source>
        <translation>Das LDIF weglassen; eine Aufzeichnung allein ändert nichts.</translation>
    </message>
    <message>
        <source>A report cannot be written as &apos;{a}&apos;.</source>
        <translation>Ein Bericht lässt sich nicht als „{a}“ schreiben.</translation>
    </message>
    <message>
        <source>Name a file that ends in .html, .md or .pdf.</source>
        <translation>Eine Datei nennen, die auf .html, .md oder .pdf endet.</translation>
    </message>
    <message>
        <source>A PDF is drawn by the window&apos;s own toolkit, which is not loaded here.</source>
        <translation>Ein PDF zeichnen die Mittel des Fensters, die hier nicht geladen sind.</translation>
    </message>
    <message>
        <source>Write OUT.html and print it, or use: ldap-workbench report FILE -o OUT.pdf.</source>
        <translation>OUT.html schreiben und drucken, oder: ldap-workbench report FILE -o OUT.pdf.</translation>
    </message>
    <message>
        <source>{a} cannot be written: {b}.</source>
        <translation>{a} ist nicht zu schreiben: {b}.</translation>
    </message>
    <message>
        <source>Choose a folder that exists, can be written and has room.</source>
        <translation>Einen Ordner wählen, den es gibt, der beschreibbar ist und Platz hat.</translation>
    </message>
    <message>
        <source>The host does not tell its time in nanoseconds (date +%s%N).</source>
        <translation>Der Rechner nennt seine Zeit nicht in Nanosekunden (date +%s%N).</translation>
    </message>
    <message>
        <source>The clocks are taken to agree; mind that when reading times.</source>
        <translation>Die Uhren gelten als gleich; beim Lesen von Zeiten bedenken.</translation>
    </message>
    <message>
        <source>A {a} in the session cannot be read: {b}.</source>
        <translation>{a} in der Sitzung ist nicht zu lesen: {b}.</translation>
    </message>
    <message>
        <source>The file was not changed.</source>
        <translation>Die Datei wurde nicht geändert.</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; is no duration.</source>
        <translation>„{a}“ ist keine Dauer.</translation>
    </message>
    <message>
        <source>Give {a} a unit: {b}&gt;250us, {c}&gt;1.5s.</source>
        <translation>{a} eine Einheit geben: {b}&gt;250us, {c}&gt;1.5s.</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; is no number.</source>
        <translation>„{a}“ ist keine Zahl.</translation>
    </message>
    <message>
        <source>Write {a}=32, or {b}!=0.</source>
        <translation>{a}=32 schreiben, oder {b}!=0.</translation>
    </message>
    <message>
        <source>&apos;{a}{b}&apos; cannot be looked for.</source>
        <translation>Nach „{a}{b}“ lässt sich nicht suchen.</translation>
    </message>
    <message>
        <source>Write {a}=...</source>
        <translation>{a}=... schreiben.</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; is no operation type.</source>
        <translation>„{a}“ ist keine Art von Operation.</translation>
    </message>
    <message>
        <source>One of {a}.</source>
        <translation>Eine von {a}.</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; is no note of a log.</source>
        <translation>„{a}“ ist kein Vermerk eines Protokolls.</translation>
    </message>
    <message>
        <source>Letters of {a}.</source>
        <translation>Buchstaben aus {a}.</translation>
    </message>
    <message>
        <source>{a} is read-only: nothing can be noted in it.</source>
        <translation>{a} ist nur zu lesen: Darin lässt sich nichts notieren.</translation>
    </message>
    <message>
        <source>Save a copy of it, and note it there.</source>
        <translation>Eine Kopie speichern und dort notieren.</translation>
    </message>
    <message>
        <source>{a} cannot be read: {b}</source>
        <translation>{a} ist nicht zu lesen: {b}</translation>
    </message>
    <message>
        <source>There is no window &apos;{a}&apos;.</source>
        <translation>Es gibt kein Fenster „{a}“.</translation>
    </message>
    <message>
        <source>This session has: {a}.</source>
        <translation>Diese Sitzung hat: {a}.</translation>
    </message>
    <message>
        <source>Wait until its capture has ended, or stop that one.</source>
        <translation>Warten, bis dessen Aufzeichnung zu Ende ist, oder sie beenden.</translation>
    </message>
    <message>
        <source>Check the path.</source>
        <translation>Den Pfad prüfen.</translation>
    </message>
    <message>
        <source>To read logs, use: ldap-workbench import PATH -o FILE.</source>
        <translation>Um Protokolle zu lesen: ldap-workbench import PATH -o FILE.</translation>
    </message>
    <message>
        <source>{a} was written by a newer workbench ({b}).</source>
        <translation>{a} wurde von einem neueren Programm geschrieben ({b}).</translation>
    </message>
    <message>
        <source>Update the workbench to open it.</source>
        <translation>Das Programm erneuern, um sie zu öffnen.</translation>
    </message>
    <message>
        <source>{a} exists already.</source>
        <translation>{a} gibt es schon.</translation>
    </message>
    <message>
        <source>It was not touched.</source>
        <translation>Sie wurde nicht angerührt.</translation>
    </message>
    <message>
        <source>Choose another name, or remove the file first.</source>
        <translation>Einen anderen Namen wählen, oder die Datei zuerst entfernen.</translation>
    </message>
    <message>
        <source>The session file {a} cannot be written: {b}</source>
        <translation>Die Sitzungsdatei {a} ist nicht zu schreiben: {b}</translation>
    </message>
    <message>
        <source>Make room on the disk, then start again with a new file.</source>
        <translation>Platz auf der Platte schaffen, dann mit einer neuen Datei neu beginnen.</translation>
    </message>
    <message>
        <source>{a} cannot be opened for writing: {b}</source>
        <translation>{a} lässt sich nicht zum Schreiben öffnen: {b}</translation>
    </message>
    <message>
        <source>A limit of {a} is none an operation can be held to.</source>
        <translation>An einer Grenze von {a} lässt sich keine Operation messen.</translation>
    </message>
    <message>
        <source>Give a limit between 10 µs and 4000 s.</source>
        <translation>Eine Grenze zwischen 10 µs und 4000 s angeben.</translation>
    </message>
    <message>
        <source>A change to plan for is a ratio other than 1, such as 0.5 or 2.</source>
        <translation>Eine Änderung, für die geplant wird, ist ein anderes Verhältnis als 1, etwa 0.5 oder 2.</translation>
    </message>
    <message>
        <source>{a} baseline windows do not tell the noise of a window.</source>
        <translation>{a} Fenster ohne Änderung sagen das Rauschen eines Fensters nicht.</translation>
    </message>
    <message>
        <source>Measure at least {a} windows without a change.</source>
        <translation>Mindestens {a} Fenster ohne Änderung messen.</translation>
    </message>
    <message>
        <source>{a} was refused. {b}</source>
        <translation>{a} wurde abgelehnt. {b}</translation>
    </message>
    <message>
        <source>{a} is {b} as before.</source>
        <translation>{a} ist {b} wie zuvor.</translation>
    </message>
    <message>
        <source>The server accepted {a} but does not know the attribute and ignores it. It said: {b}</source>
        <translation>Der Server nahm {a} an, kennt aber das Attribut nicht und übergeht es. Er sagte: {b}</translation>
    </message>
    <message>
        <source>The attribute is taken out again.</source>
        <translation>Das Attribut wird wieder entfernt.</translation>
    </message>
    <message>
        <source>Look for the name this version of the server knows.</source>
        <translation>Nach dem Namen suchen, den diese Version des Servers kennt.</translation>
    </message>
    <message>
        <source>The server answered success, but {a} still reads {b} instead of {c}.</source>
        <translation>Der Server meldete Erfolg, aber {a} liest sich noch als {b} statt {c}.</translation>
    </message>
    <message>
        <source>Nothing is changed.</source>
        <translation>Nichts ist geändert.</translation>
    </message>
    <message>
        <source>{a} cannot be set while the server runs.</source>
        <translation>{a} lässt sich nicht setzen, während der Server läuft.</translation>
    </message>
    <message>
        <source>The link broke while {a} was written: {b}</source>
        <translation>Die Verbindung brach ab, während {a} geschrieben wurde: {b}</translation>
    </message>
    <message>
        <source>There is no knob &apos;{a}&apos; in the catalogue of {b}.</source>
        <translation>Es gibt keinen Parameter „{a}“ im Katalog von {b}.</translation>
    </message>
    <message>
        <source>{a} does not exist in {b} and older versions.</source>
        <translation>{a} gibt es in {b} und älter nicht.</translation>
    </message>
    <message>
        <source>A newer version of the server has it.</source>
        <translation>Eine neuere Version des Servers hat es.</translation>
    </message>
    <message>
        <source>Did you mean {a}?</source>
        <translation>Gemeint war vielleicht {a}?</translation>
    </message>
    <message>
        <source>See: ldap-workbench knobs.</source>
        <translation>Siehe: ldap-workbench knobs.</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; is not a setting.</source>
        <translation>„{a}“ ist keine Einstellung.</translation>
    </message>
    <message>
        <source>Write KNOB=VALUE, or KNOB@PLACE=VALUE for one backend or disk.</source>
        <translation>KNOB=VALUE schreiben, oder KNOB@PLACE=VALUE für ein Backend oder eine Platte.</translation>
    </message>
    <message>
        <source>{a} has one place only, not &apos;{b}&apos;.</source>
        <translation>{a} hat nur einen Ort, nicht „{b}“.</translation>
    </message>
    <message>
        <source>Leave out the part after @.</source>
        <translation>Den Teil nach @ weglassen.</translation>
    </message>
    <message>
        <source>A treatment needs at least one setting.</source>
        <translation>Eine Maßnahme braucht mindestens eine Einstellung.</translation>
    </message>
    <message>
        <source>Give KNOB=VALUE.</source>
        <translation>KNOB=VALUE angeben.</translation>
    </message>
    <message>
        <source>{a} is to be both {b} and {c}.</source>
        <translation>{a} soll sowohl {b} als auch {c} sein.</translation>
    </message>
    <message>
        <source>One of them excludes the other: choose.</source>
        <translation>Eines schließt das andere aus: wählen.</translation>
    </message>
    <message>
        <source>There is no catalogue of knobs for &apos;{a}&apos;.</source>
        <translation>Es gibt keinen Katalog von Parametern für „{a}“.</translation>
    </message>
    <message>
        <source>Servers of this product can be measured, but not changed.</source>
        <translation>Server dieses Produkts lassen sich messen, aber nicht ändern.</translation>
    </message>
    <message>
        <source>{a}: knob {b} is not described well: {c}.</source>
        <translation>{a}: Parameter {b} ist nicht gut beschrieben: {c}.</translation>
    </message>
    <message>
        <source>dse.ldif has no entry {a}.</source>
        <translation>dse.ldif hat keinen Eintrag {a}.</translation>
    </message>
    <message>
        <source>See whether it is the file of this instance.</source>
        <translation>Nachsehen, ob es die Datei dieser Instanz ist.</translation>
    </message>
    <message>
        <source>The journal {a} cannot be used: {b}.</source>
        <translation>Das Journal {a} ist nicht zu gebrauchen: {b}.</translation>
    </message>
    <message>
        <source>Nothing is written to a server without it.</source>
        <translation>Ohne es wird auf keinen Server geschrieben.</translation>
    </message>
    <message>
        <source>The journal {a} was written by a newer workbench.</source>
        <translation>Das Journal {a} wurde von einem neueren Programm geschrieben.</translation>
    </message>
    <message>
        <source>Use the newer version for servers that have open changes.</source>
        <translation>Für Server mit offenen Änderungen die neuere Version nehmen.</translation>
    </message>
    <message>
        <source>The journal has no change {a}.</source>
        <translation>Das Journal hat keine Änderung {a}.</translation>
    </message>
    <message>
        <source>The journal has no changes of group {a}.</source>
        <translation>Das Journal hat keine Änderungen der Gruppe {a}.</translation>
    </message>
    <message>
        <source>The journal has no group {a}.</source>
        <translation>Das Journal hat keine Gruppe {a}.</translation>
    </message>
    <message>
        <source>Another workbench is at work on {a} ({b}).</source>
        <translation>Ein anderes Programm arbeitet an {a} ({b}).</translation>
    </message>
    <message>
        <source>Let it end, or stop it, then try again; its open changes can be reverted then.</source>
        <translation>Es enden lassen oder beenden, dann noch einmal versuchen; seine offenen Änderungen lassen sich dann zurücknehmen.</translation>
    </message>
    <message>
        <source>The server must be stopped and started, and the profile does not tell how.</source>
        <translation>Der Server muss angehalten und gestartet werden, und das Profil sagt nicht, wie.</translation>
    </message>
    <message>
        <source>Give it a restart command with the word restart in it, such as &apos;systemctl restart dirsrv@INSTANCE&apos;: stop and start take its place.</source>
        <translation>Ihm einen Neustartbefehl mit dem Wort restart geben, etwa &apos;systemctl restart dirsrv@INSTANCE&apos;: stop und start treten an dessen Stelle.</translation>
    </message>
    <message>
        <source>The server does not tell in which folder its dse.ldif is.</source>
        <translation>Der Server sagt nicht, in welchem Ordner seine dse.ldif liegt.</translation>
    </message>
    <message>
        <source>Bind as a user who may read cn=config, for example cn=Directory Manager.</source>
        <translation>Als ein Benutzer anmelden, der cn=config lesen darf, zum Beispiel cn=Directory Manager.</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; failed on {b}: {c}.</source>
        <translation>„{a}“ scheiterte auf {b}: {c}.</translation>
    </message>
    <message>
        <source>It must work on the host, with sudo without a password.</source>
        <translation>Es muss auf dem Rechner gehen, mit sudo ohne Passwort.</translation>
    </message>
    <message>
        <source>Editing dse.ldif needs a shell on the host, and the profile has none.</source>
        <translation>dse.ldif zu ändern braucht eine Shell auf dem Rechner, und das Profil hat keine.</translation>
    </message>
    <message>
        <source>Add SSH to the profile, or --local when the server runs on this machine.</source>
        <translation>SSH zum Profil hinzufügen, oder --local, wenn der Server auf diesem Rechner läuft.</translation>
    </message>
    <message>
        <source>{a} is of another server: its port is {b}, not {c}.</source>
        <translation>{a} ist von einem anderen Server: Der Port ist {b}, nicht {c}.</translation>
    </message>
    <message>
        <source>The server {a} {b} s after it was told to {c}.</source>
        <translation>Der Server {a} {b} s, nachdem er angewiesen wurde: {c}.</translation>
    </message>
    <message>
        <source>See its error log.</source>
        <translation>Sein Fehlerprotokoll ansehen.</translation>
    </message>
    <message>
        <source>The value is as it was.</source>
        <translation>Der Wert ist, wie er war.</translation>
    </message>
    <message>
        <source>Kernel files are set by root: allow sudo in the profile and tee in sudoers.</source>
        <translation>Kernel-Dateien setzt root: im Profil sudo erlauben und tee in sudoers.</translation>
    </message>
    <message>
        <source>{a} lies in an entry of its own for each attribute.</source>
        <translation>{a} liegt für jedes Attribut in einem eigenen Eintrag.</translation>
    </message>
    <message>
        <source>This is not automated. {a}</source>
        <translation>Das ist nicht automatisiert. {a}</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; is not the name of a block device.</source>
        <translation>„{a}“ ist nicht der Name eines Blockgeräts.</translation>
    </message>
    <message>
        <source>The server has no entry {a}, or does not show it to this user.</source>
        <translation>Der Server hat keinen Eintrag {a}, oder zeigt ihn diesem Benutzer nicht.</translation>
    </message>
    <message>
        <source>Bind as a user who may read cn=config: cn=Directory Manager of 389 DS, cn=admin,cn=config of OpenLDAP.</source>
        <translation>Als ein Benutzer anmelden, der cn=config lesen darf: cn=Directory Manager von 389 DS, cn=admin,cn=config von OpenLDAP.</translation>
    </message>
    <message>
        <source>Knobs of the host need a shell on it, and the profile has none.</source>
        <translation>Parameter des Rechners brauchen dort eine Shell, und das Profil hat keine.</translation>
    </message>
    <message>
        <source>{a} cannot be removed.</source>
        <translation>{a} lässt sich nicht entfernen.</translation>
    </message>
    <message>
        <source>The kernel does not offer &apos;{a}&apos; for {b} ({c}).</source>
        <translation>Der Kernel bietet „{a}“ für {b} nicht an ({c}).</translation>
    </message>
    <message>
        <source>It offers {a}.</source>
        <translation>Er bietet {a}.</translation>
    </message>
    <message>
        <source>The server has no entry {a}, or does not show it.</source>
        <translation>Der Server hat keinen Eintrag {a}, oder zeigt ihn nicht.</translation>
    </message>
    <message>
        <source>The server must be restarted, and profile {a} has not {b}.</source>
        <translation>Der Server muss neu gestartet werden, und das Profil {a} hat nicht {b}.</translation>
    </message>
    <message>
        <source>Nothing was restarted.</source>
        <translation>Nichts wurde neu gestartet.</translation>
    </message>
    <message>
        <source>Restart it by hand (systemctl restart {a}), or add SSH and --restart-command to the profile.</source>
        <translation>Von Hand neu starten (systemctl restart {a}), oder SSH und --restart-command zum Profil hinzufügen.</translation>
    </message>
    <message>
        <source>{a} s after the restart was asked for, the server {b}.</source>
        <translation>{a} s nach dem verlangten Neustart: der Server {b}.</translation>
    </message>
    <message>
        <source>The journal knows which changes are open.</source>
        <translation>Das Journal weiß, welche Änderungen offen sind.</translation>
    </message>
    <message>
        <source>See the server&apos;s error log; start it, then revert.</source>
        <translation>Das Fehlerprotokoll des Servers ansehen; ihn starten, dann zurücknehmen.</translation>
    </message>
    <message>
        <source>The restart command &apos;{a}&apos; failed: {b}.</source>
        <translation>Der Neustartbefehl „{a}“ scheiterte: {b}.</translation>
    </message>
    <message>
        <source>See first whether the server is running.</source>
        <translation>Zuerst nachsehen, ob der Server läuft.</translation>
    </message>
    <message>
        <source>Try the command on the host; with sudo it must work without a password.</source>
        <translation>Den Befehl auf dem Rechner versuchen; mit sudo muss er ohne Passwort gehen.</translation>
    </message>
    <message>
        <source>The server does not show cn=monitor, so a restart cannot be seen.</source>
        <translation>Der Server zeigt cn=monitor nicht; darum ist ein Neustart nicht zu sehen.</translation>
    </message>
    <message>
        <source>Bind as a user who may read cn=monitor.</source>
        <translation>Als ein Benutzer anmelden, der cn=monitor lesen darf.</translation>
    </message>
    <message>
        <source>The server already has {a}.</source>
        <translation>Der Server hat schon {a}.</translation>
    </message>
    <message>
        <source>A change needs a value that differs from the present one.</source>
        <translation>Eine Änderung braucht einen Wert, der vom jetzigen abweicht.</translation>
    </message>
    <message>
        <source>{a} is {b}: it is not known to be in place.</source>
        <translation>{a} ist {b}: Ob es gesetzt ist, ist nicht bekannt.</translation>
    </message>
    <message>
        <source>Revert it, then apply it again.</source>
        <translation>Es zurücknehmen, dann neu anwenden.</translation>
    </message>
    <message>
        <source>An earlier change of {a} on {b} is still open: it was {c}, we set {d}.</source>
        <translation>Eine frühere Änderung von {a} auf {b} ist noch offen: Es war {c}, gesetzt wurde {d}.</translation>
    </message>
    <message>
        <source>Revert or keep it first, so that one change at a time is measured.</source>
        <translation>Sie zuerst zurücknehmen oder behalten, damit eine Änderung zugleich gemessen wird.</translation>
    </message>
    <message>
        <source>The server is as it was before; only the journal does not know it yet.</source>
        <translation>Der Server ist wie zuvor; nur das Journal weiß es noch nicht.</translation>
    </message>
    <message>
        <source>Make room on the disk, then revert again: that closes the entries.</source>
        <translation>Platz auf der Platte schaffen, dann noch einmal zurücknehmen: Das schließt die Einträge.</translation>
    </message>
    <message>
        <source>{a} was set in dse.ldif: the server must be stopped to undo that.</source>
        <translation>{a} wurde in dse.ldif gesetzt: Um das zurückzunehmen, muss der Server angehalten werden.</translation>
    </message>
    <message>
        <source>Nothing was changed; the journal keeps it open.</source>
        <translation>Nichts wurde geändert; das Journal hält es offen.</translation>
    </message>
    <message>
        <source>Say that it may be stopped: ldap-workbench revert PROFILE --all --offline.</source>
        <translation>Sagen, dass er angehalten werden darf: ldap-workbench revert PROFILE --all --offline.</translation>
    </message>
    <message>
        <source>{a} was put back to {b}, but reads {c}.</source>
        <translation>{a} wurde auf {b} zurückgesetzt, liest sich aber als {c}.</translation>
    </message>
    <message>
        <source>The journal keeps the change open.</source>
        <translation>Das Journal hält die Änderung offen.</translation>
    </message>
    <message>
        <source>Set it by hand, then revert again to close the entry.</source>
        <translation>Von Hand setzen, dann noch einmal zurücknehmen, um den Eintrag zu schließen.</translation>
    </message>
    <message>
        <source>{a} could not be put back to {b}: {c}</source>
        <translation>{a} ließ sich nicht auf {b} zurücksetzen: {c}</translation>
    </message>
    <message>
        <source>See why the server refuses it, then revert again.</source>
        <translation>Nachsehen, warum der Server es ablehnt, dann noch einmal zurücknehmen.</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; does not fit {b} ({c}).</source>
        <translation>„{a}“ passt nicht zu {b} ({c}).</translation>
    </message>
    <message>
        <source>Every change made so far is in the journal.</source>
        <translation>Jede bisherige Änderung steht im Journal.</translation>
    </message>
    <message>
        <source>Nothing was done.</source>
        <translation>Nichts wurde getan.</translation>
    </message>
    <message>
        <source>Nothing was sent to a server.</source>
        <translation>An keinen Server wurde etwas gesendet.</translation>
    </message>
    <message>
        <source>No password was sent to the host.</source>
        <translation>An den Rechner wurde kein Passwort gesendet.</translation>
    </message>
    <message>
        <source>What it refused it did not do.</source>
        <translation>Was er ablehnte, tat er nicht.</translation>
    </message>
    <message>
        <source>No server was changed by that.</source>
        <translation>Kein Server wurde dadurch geändert.</translation>
    </message>
    <message>
        <source>Logs are only read.</source>
        <translation>Protokolle werden nur gelesen.</translation>
    </message>
    <message>
        <source>Nothing was written for it.</source>
        <translation>Dafür wurde nichts geschrieben.</translation>
    </message>
    <message>
        <source>The journal knows the change, and the value before it.</source>
        <translation>Das Journal kennt die Änderung und den Wert davor.</translation>
    </message>
    <message>
        <source>{a} holds no entry.</source>
        <translation>{a} enthält keinen Eintrag.</translation>
    </message>
    <message>
        <source>Name an LDIF with the entries: dsconf INSTANCE backend export BACKEND -l FILE.</source>
        <translation>Ein LDIF mit den Einträgen nennen: dsconf INSTANCE backend export BACKEND -l FILE.</translation>
    </message>
    <message>
        <source>iostat is not installed on the host (package sysstat).</source>
        <translation>iostat ist auf dem Rechner nicht installiert (Paket sysstat).</translation>
    </message>
    <message>
        <source>A window ends after it starts.</source>
        <translation>Ein Fenster endet, nachdem es beginnt.</translation>
    </message>
    <message>
        <source>Swap --from and --to.</source>
        <translation>--from und --to vertauschen.</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; is no dialect of logs.</source>
        <translation>„{a}“ ist kein Dialekt von Protokollen.</translation>
    </message>
    <message>
        <source>Choose auto, {a}.</source>
        <translation>auto wählen oder {a}.</translation>
    </message>
    <message>
        <source>The window ends at {a}, which is not over on the server&apos;s clock.</source>
        <translation>Das Fenster endet um {a}; das ist auf der Uhr des Servers noch nicht vorbei.</translation>
    </message>
    <message>
        <source>Capture it live, or choose an earlier end.</source>
        <translation>Live aufzeichnen oder ein früheres Ende wählen.</translation>
    </message>
    <message>
        <source>The server does not tell where its log is (nsslapd-accesslog).</source>
        <translation>Der Server sagt nicht, wo sein Protokoll liegt (nsslapd-accesslog).</translation>
    </message>
    <message>
        <source>The profile has no SSH host, so the host cannot be asked.</source>
        <translation>Das Profil nennt keinen SSH-Rechner; darum lässt sich der Rechner nicht fragen.</translation>
    </message>
    <message>
        <source>{a} and the files rotated from it hold no access log.</source>
        <translation>{a} und die daraus rotierten Dateien enthalten kein Zugriffsprotokoll.</translation>
    </message>
    <message>
        <source>Nothing was changed.</source>
        <translation>Nichts wurde geändert.</translation>
    </message>
    <message>
        <source>See whether the access log is enabled and named rightly in the profile.</source>
        <translation>Nachsehen, ob das Zugriffsprotokoll an und im Profil richtig benannt ist.</translation>
    </message>
    <message>
        <source>The oldest log file left begins at {a}, after the window.</source>
        <translation>Die älteste noch vorhandene Protokolldatei beginnt um {a}, nach dem Fenster.</translation>
    </message>
    <message>
        <source>Choose a later window, or import older files from elsewhere.</source>
        <translation>Ein späteres Fenster wählen oder ältere Dateien von anderswo lesen.</translation>
    </message>
    <message>
        <source>{a} cannot be read on the server&apos;s host: {b}.</source>
        <translation>{a} ist auf dem Rechner des Servers nicht zu lesen: {b}.</translation>
    </message>
    <message>
        <source>Logs of 389 DS are readable by its own user only: allow sudo in the profile.</source>
        <translation>Protokolle von 389 DS kann nur sein eigener Benutzer lesen: im Profil sudo erlauben.</translation>
    </message>
    <message>
        <source>Logs of 389 DS are readable by its own user only: allow sudo in the profile, or name the right file there.</source>
        <translation>Protokolle von 389 DS kann nur sein eigener Benutzer lesen: im Profil sudo erlauben oder dort die richtige Datei nennen.</translation>
    </message>
    <message>
        <source>No log could be used. {a}</source>
        <translation>Kein Protokoll war zu gebrauchen. {a}</translation>
    </message>
    <message>
        <source>The files were not changed.</source>
        <translation>Die Dateien wurden nicht geändert.</translation>
    </message>
    <message>
        <source>Name access logs, or say what they are: File, Read logs as; or --dialect.</source>
        <translation>Zugriffsprotokolle nennen, oder sagen, was es ist: Datei, Protokolle lesen als; oder --dialect.</translation>
    </message>
    <message>
        <source>{a} cannot be read with this bind: {b}.</source>
        <translation>{a} ist mit dieser Anmeldung nicht zu lesen: {b}.</translation>
    </message>
    <message>
        <source>Bind as a user who may read it: cn=Directory Manager of 389 DS; of OpenLDAP the root of cn=config, whom the access rules of the monitor database let in.</source>
        <translation>Als ein Benutzer anmelden, der es lesen darf: cn=Directory Manager von 389 DS; bei OpenLDAP die Wurzel von cn=config, die die Zugriffsregeln der Monitor-Datenbank einlassen.</translation>
    </message>
    <message>
        <source>There is no socket {a}, or it cannot be seen by this user.</source>
        <translation>Es gibt keinen Socket {a}, oder dieser Benutzer darf ihn nicht sehen.</translation>
    </message>
    <message>
        <source>See nsslapd-ldapifilepath in cn=config, and that the server runs.</source>
        <translation>nsslapd-ldapifilepath in cn=config ansehen, und ob der Server läuft.</translation>
    </message>
    <message>
        <source>Where the access log is, the server does not tell.</source>
        <translation>Wo das Zugriffsprotokoll liegt, sagt der Server nicht.</translation>
    </message>
    <message>
        <source>Name its path in the profile (--access-log).</source>
        <translation>Seinen Pfad im Profil nennen (--access-log).</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; on the host failed: {b}.</source>
        <translation>„{a}“ scheiterte auf dem Rechner: {b}.</translation>
    </message>
    <message>
        <source>The name {a} is not known: {b}.</source>
        <translation>Der Name {a} ist nicht bekannt: {b}.</translation>
    </message>
    <message>
        <source>Check the spelling, and the DNS or hosts file of this machine.</source>
        <translation>Die Schreibweise prüfen, und DNS oder hosts-Datei dieses Rechners.</translation>
    </message>
    <message>
        <source>{a}:{b} does not answer: {c}.</source>
        <translation>{a}:{b} antwortet nicht: {c}.</translation>
    </message>
    <message>
        <source>Check the port, {a}, and that no firewall stands between.</source>
        <translation>Den Port prüfen, {a}, und dass keine Firewall dazwischen steht.</translation>
    </message>
    <message>
        <source>{a}:{b} shows another SSH host key than the one on record: {c} instead of {d}.</source>
        <translation>{a}:{b} zeigt einen anderen SSH-Hostschlüssel als den bekannten: {c} statt {d}.</translation>
    </message>
    <message>
        <source>Nothing was sent; a changed key is never accepted here.</source>
        <translation>Nichts wurde gesendet; ein geänderter Schlüssel wird hier nie angenommen.</translation>
    </message>
    <message>
        <source>Either the host was set up anew, or somebody is in between: ask who runs it. If it is right, remove the line of {a} from {b}.</source>
        <translation>Entweder wurde der Rechner neu eingerichtet, oder jemand ist dazwischen: seinen Betreiber fragen. Ist es richtig, die Zeile von {a} aus {b} entfernen.</translation>
    </message>
    <message>
        <source>{a} cannot be reached over SSH: {b}.</source>
        <translation>{a} ist über SSH nicht zu erreichen: {b}.</translation>
    </message>
    <message>
        <source>{a}:{b} shows {c}, not {d}.</source>
        <translation>{a}:{b} zeigt {c}, nicht {d}.</translation>
    </message>
    <message>
        <source>The key was not accepted.</source>
        <translation>Der Schlüssel wurde nicht angenommen.</translation>
    </message>
    <message>
        <source>Find out which is right on the host itself: ssh-keygen -lf.</source>
        <translation>Auf dem Rechner selbst herausfinden, welcher richtig ist: ssh-keygen -lf.</translation>
    </message>
    <message>
        <source>The file of known host keys, {a}, cannot be read: {b}.</source>
        <translation>Die Datei der bekannten Hostschlüssel, {a}, ist nicht zu lesen: {b}.</translation>
    </message>
    <message>
        <source>Nothing was sent.</source>
        <translation>Nichts wurde gesendet.</translation>
    </message>
    <message>
        <source>Mend it, or move it away and accept the keys again.</source>
        <translation>Sie in Ordnung bringen, oder wegräumen und die Schlüssel neu annehmen.</translation>
    </message>
    <message>
        <source>{a} was refused: {b}.</source>
        <translation>{a} wurde abgelehnt: {b}.</translation>
    </message>
    <message>
        <source>{a} cannot be reached: {b}.</source>
        <translation>{a} ist nicht zu erreichen: {b}.</translation>
    </message>
    <message>
        <source>Check the URL, that the server runs, and that no firewall stands between.</source>
        <translation>Die URL prüfen, dass der Server läuft und dass keine Firewall dazwischen steht.</translation>
    </message>
    <message>
        <source>Binding to {a} would send the password unencrypted over the network.</source>
        <translation>Die Anmeldung an {a} würde das Passwort unverschlüsselt über das Netz senden.</translation>
    </message>
    <message>
        <source>Use ldaps:// or StartTLS, or say in the profile that plain is allowed.</source>
        <translation>ldaps:// oder StartTLS nehmen, oder im Profil sagen, dass unverschlüsselt erlaubt ist.</translation>
    </message>
    <message>
        <source>{a} did not start TLS.</source>
        <translation>{a} begann kein TLS.</translation>
    </message>
    <message>
        <source>No password was sent.</source>
        <translation>Kein Passwort wurde gesendet.</translation>
    </message>
    <message>
        <source>There is no entry &apos;{a}&apos; on {b}, or this bind may not see it.</source>
        <translation>Es gibt keinen Eintrag „{a}“ auf {b}, oder diese Anmeldung darf ihn nicht sehen.</translation>
    </message>
    <message>
        <source>{a} does not offer StartTLS: {b}.</source>
        <translation>{a} bietet kein StartTLS: {b}.</translation>
    </message>
    <message>
        <source>Switch TLS on in the server (nsslapd-security), or use ldaps://.</source>
        <translation>TLS im Server einschalten (nsslapd-security), oder ldaps:// nehmen.</translation>
    </message>
    <message>
        <source>The connection to {a} broke{b}: {c}.</source>
        <translation>Die Verbindung zu {a} brach ab{b}: {c}.</translation>
    </message>
    <message>
        <source>Nothing was changed by that.</source>
        <translation>Dadurch wurde nichts geändert.</translation>
    </message>
    <message>
        <source>Check host and port, that sshd runs there, and that no firewall stands between.</source>
        <translation>Prüfen Sie Host und Port, ob sshd dort läuft und ob eine Firewall dazwischen ist.</translation>
    </message>
    <message>
        <source>See whether the server is running, then try again.</source>
        <translation>Nachsehen, ob der Server läuft, dann noch einmal versuchen.</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; is not an LDAP URL.</source>
        <translation>„{a}“ ist keine LDAP-URL.</translation>
    </message>
    <message>
        <source>Write ldap://host:389, ldaps://host:636 or ldapi://%2Fpath%2Fto%2Fsocket.</source>
        <translation>ldap://host:389, ldaps://host:636 oder ldapi://%2Fpath%2Fto%2Fsocket schreiben.</translation>
    </message>
    <message>
        <source>{a} cannot be read: {b}.</source>
        <translation>{a} ist nicht zu lesen: {b}.</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; on {b} did not end within {c} s.</source>
        <translation>„{a}“ auf {b} endete nicht innerhalb von {c} s.</translation>
    </message>
    <message>
        <source>It may still be running there.</source>
        <translation>Dort läuft es vielleicht noch.</translation>
    </message>
    <message>
        <source>See whether the host is overloaded.</source>
        <translation>Nachsehen, ob der Rechner überlastet ist.</translation>
    </message>
    <message>
        <source>The profile &apos;{a}&apos; {b}.</source>
        <translation>Das Profil „{a}“ {b}.</translation>
    </message>
    <message>
        <source>Correct it in profiles.toml, or add the profile again.</source>
        <translation>Es in profiles.toml berichtigen, oder das Profil neu anlegen.</translation>
    </message>
    <message>
        <source>The file of profiles, {a}, {b}.</source>
        <translation>Die Datei der Profile, {a}, {b}.</translation>
    </message>
    <message>
        <source>It was not changed.</source>
        <translation>Sie wurde nicht geändert.</translation>
    </message>
    <message>
        <source>Mend it in an editor, or move it away and add the profiles again.</source>
        <translation>Sie in einem Editor in Ordnung bringen, oder wegräumen und die Profile neu anlegen.</translation>
    </message>
    <message>
        <source>There is no profile &apos;{a}&apos;.</source>
        <translation>Es gibt kein Profil „{a}“.</translation>
    </message>
    <message>
        <source>Known are: {a}. Add one: ldap-workbench profile add {b} --ldap URL</source>
        <translation>Bekannt sind: {a}. Eines anlegen: ldap-workbench profile add {b} --ldap URL</translation>
    </message>
    <message>
        <source>A profile needs a name without blanks around it.</source>
        <translation>Ein Profil braucht einen Namen ohne Leerzeichen an den Enden.</translation>
    </message>
    <message>
        <source>The file of profiles, {a}, cannot be written: {b}.</source>
        <translation>Die Datei der Profile, {a}, ist nicht zu schreiben: {b}.</translation>
    </message>
    <message>
        <source>It is as it was.</source>
        <translation>Sie ist, wie sie war.</translation>
    </message>
    <message>
        <source>There is no password for {a} on {b}.</source>
        <translation>Es gibt kein Passwort für {a} auf {b}.</translation>
    </message>
    <message>
        <source>The system&apos;s keyring did not take the password: {a}</source>
        <translation>Der Schlüsselbund des Systems nahm das Passwort nicht: {a}</translation>
    </message>
    <message>
        <source>It is kept until the program ends, and nowhere else.</source>
        <translation>Es bleibt bis zum Ende des Programms, und nirgends sonst.</translation>
    </message>
    <message>
        <source>No password can be read from file descriptor {a}: {b}.</source>
        <translation>Aus Dateideskriptor {a} ist kein Passwort zu lesen: {b}.</translation>
    </message>
    <message>
        <source>Start the command with it, for example {a}&lt;password-file.</source>
        <translation>Den Befehl damit starten, zum Beispiel {a}&lt;password-file.</translation>
    </message>
    <message>
        <source>The SSH connection to {a} broke while a command ran.</source>
        <translation>Die SSH-Verbindung zu {a} brach ab, während ein Befehl lief.</translation>
    </message>
    <message>
        <source>See whether the host is up and reachable, then try again.</source>
        <translation>Nachsehen, ob der Rechner läuft und zu erreichen ist, dann noch einmal versuchen.</translation>
    </message>
    <message>
        <source>The SSH connection to {a} is closed.</source>
        <translation>Die SSH-Verbindung zu {a} ist geschlossen.</translation>
    </message>
    <message>
        <source>{a} refused the login: {b}.</source>
        <translation>{a} lehnte die Anmeldung ab: {b}.</translation>
    </message>
    <message>
        <source>Check the user, the key (--identity, or the agent), or give a password.</source>
        <translation>Benutzer und Schlüssel prüfen (--identity, oder den Agenten), oder ein Passwort angeben.</translation>
    </message>
    <message>
        <source>The SSH key {a} of the profile is not there.</source>
        <translation>Der SSH-Schlüssel {a} des Profils ist nicht da.</translation>
    </message>
    <message>
        <source>Name the private key file again (--identity).</source>
        <translation>Die Datei des privaten Schlüssels neu nennen (--identity).</translation>
    </message>
    <message>
        <source>The CA file {a} cannot be used: {b}.</source>
        <translation>Die CA-Datei {a} ist nicht zu gebrauchen: {b}.</translation>
    </message>
    <message>
        <source>Name a file with the CA&apos;s certificate in PEM form.</source>
        <translation>Eine Datei mit dem Zertifikat der CA in PEM-Form nennen.</translation>
    </message>
    <message>
        <source>Let the load run at least as long as asked: {seconds} in the command tells it.</source>
        <translation>Die Last mindestens so lang laufen lassen wie verlangt: {seconds} im Befehl sagt es.</translation>
    </message>
    <message>
        <source>Try the profile (Test, or ldap-workbench profile test): it names the way out. Then start again.</source>
        <translation>Das Profil prüfen (Prüfen, oder ldap-workbench profile test): Es nennt den Ausweg. Dann neu starten.</translation>
    </message>
    <message>
        <source>A verdict needs at least one window of each arm.</source>
        <translation>Ein Urteil braucht mindestens ein Fenster jedes Arms.</translation>
    </message>
    <message>
        <source>Measure both, or name the windows of each arm.</source>
        <translation>Beide messen, oder die Fenster jedes Arms nennen.</translation>
    </message>
    <message>
        <source>Check the command after --load.</source>
        <translation>Den Befehl nach --load prüfen.</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; is not a design.</source>
        <translation>„{a}“ ist kein Versuchsplan.</translation>
    </message>
    <message>
        <source>Use pairs:8 (random order), abba:4 (balanced) or ab (one each, suggests only).</source>
        <translation>pairs:8 (zufällige Reihenfolge), abba:4 (ausgewogen) oder ab (je eines, deutet nur an) nehmen.</translation>
    </message>
    <message>
        <source>A design needs at least one pair.</source>
        <translation>Ein Versuchsplan braucht mindestens ein Paar.</translation>
    </message>
    <message>
        <source>A window must be longer than 0 s.</source>
        <translation>Ein Fenster muss länger als 0 s sein.</translation>
    </message>
    <message>
        <source>Planned looks need randomised pairs.</source>
        <translation>Geplante Blicke brauchen Paare in zufälliger Reihenfolge.</translation>
    </message>
    <message>
        <source>Use a design such as pairs:24.</source>
        <translation>Einen Versuchsplan wie pairs:24 nehmen.</translation>
    </message>
    <message>
        <source>Looks after {a} pairs do not fit {b}.</source>
        <translation>Blicke nach {a} Paaren passen nicht zu {b}.</translation>
    </message>
    <message>
        <source>Name them in rising order, from {a} to {b}.</source>
        <translation>Sie aufsteigend nennen, von {a} bis {b}.</translation>
    </message>
    <message>
        <source>Windows of {a} s are too short to find the warm-up in: {b} s are cut at least, and at most half a window.</source>
        <translation>Fenster von {a} s sind zu kurz, um das Aufwärmen zu finden: Mindestens {b} s werden abgeschnitten und höchstens ein halbes Fenster.</translation>
    </message>
    <message>
        <source>Take windows of {a} s or more, or say the seconds to cut yourself.</source>
        <translation>Fenster von {a} s oder mehr nehmen, oder die abzuschneidenden Sekunden selbst angeben.</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; names no looks.</source>
        <translation>„{a}“ nennt keine Blicke.</translation>
    </message>
    <message>
        <source>Say numbers of pairs with commas: 8,12,16.</source>
        <translation>Zahlen von Paaren mit Kommas angeben: 8,12,16.</translation>
    </message>
    <message>
        <source>The treatment is stored but not in force: {a}</source>
        <translation>Die Maßnahme ist gespeichert, aber nicht in Kraft: {a}</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; is not a port.</source>
        <translation>„{a}“ ist kein Port.</translation>
    </message>
    <message>
        <source>The {a} port is a number from 1 to 65535.</source>
        <translation>Der Port für {a} ist eine Zahl von 1 bis 65535.</translation>
    </message>
    <message>
        <source>There is no {a} yet.</source>
        <translation>Es fehlt noch: {a}.</translation>
    </message>
    <message>
        <source>Give {a}.</source>
        <translation>Anzugeben: {a}.</translation>
    </message>
    <message>
        <source>The sample could not be copied: {a}</source>
        <translation>Das Beispiel ließ sich nicht kopieren: {a}</translation>
    </message>
    <message>
        <source>Nothing else was touched.</source>
        <translation>Sonst wurde nichts angerührt.</translation>
    </message>
    <message>
        <source>Make room on the disk, or make the cache folder writable.</source>
        <translation>Platz auf der Platte schaffen, oder den Cache-Ordner beschreibbar machen.</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; is no dialect.</source>
        <translation>„{a}“ ist kein Dialekt.</translation>
    </message>
    <message>
        <source>{a} does not exist.</source>
        <translation>{a} gibt es nicht.</translation>
    </message>
    <message>
        <source>{a} is not a regular file.</source>
        <translation>{a} ist keine gewöhnliche Datei.</translation>
    </message>
    <message>
        <source>The iostat output has no times.</source>
        <translation>Die Ausgabe von iostat hat keine Zeiten.</translation>
    </message>
    <message>
        <source>Run iostat with -t, or say when it was started and at which interval.</source>
        <translation>iostat mit -t laufen lassen, oder sagen, wann und mit welchem Intervall es gestartet wurde.</translation>
    </message>
    <message>
        <source>iostat printed a time that cannot be read: {a}.</source>
        <translation>iostat druckte eine Zeit, die nicht zu lesen ist: {a}.</translation>
    </message>
    <message>
        <source>Run iostat with S_TIME_FORMAT=ISO.</source>
        <translation>iostat mit S_TIME_FORMAT=ISO laufen lassen.</translation>
    </message>
    <message>
        <source>This is no iostat output but: {a}.</source>
        <translation>Das ist keine Ausgabe von iostat, sondern: {a}.</translation>
    </message>
    <message>
        <source>The {a} output has no times.</source>
        <translation>Die Ausgabe von {a} hat keine Zeiten.</translation>
    </message>
    <message>
        <source>Say when its first report ended and how far they are apart: --began, --interval (and --zone); or print times (-t).</source>
        <translation>Sagen Sie, wann der erste Bericht endete und wie weit sie auseinanderliegen: --began, --interval (und --zone); oder lassen Sie Zeiten ausgeben (-t).</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; is no dialect of access logs.</source>
        <translation>„{a}“ ist kein Dialekt von Zugriffsprotokollen.</translation>
    </message>
    <message>
        <source>Choose one of {a}.</source>
        <translation>Zu wählen ist {a}.</translation>
    </message>
    <message>
        <source>This is no vmstat output but: {a}.</source>
        <translation>Das ist keine Ausgabe von vmstat, sondern: {a}.</translation>
    </message>
    <message>
        <source>TLS with {url} failed: {why}.</source>
        <translation>TLS mit {url} scheiterte: {why}.</translation>
    </message>
    <message>
        <source>{url} refused to bind this user (EXTERNAL): {why}.</source>
        <translation>{url} lehnte die Anmeldung dieses Benutzers ab (EXTERNAL): {why}.</translation>
    </message>
    <message>
        <source>{url} refused to bind {who}: {why}.</source>
        <translation>{url} lehnte die Anmeldung von {who} ab: {why}.</translation>
    </message>
    <message>
        <source>Use the name in the server&apos;s certificate in the LDAP URL.</source>
        <translation>In der LDAP-URL den Namen aus dem Zertifikat des Servers nehmen.</translation>
    </message>
    <message>
        <source>Renew the server&apos;s certificate; see also whether this machine&apos;s clock is right.</source>
        <translation>Das Zertifikat des Servers erneuern; auch nachsehen, ob die Uhr dieses Rechners richtig geht.</translation>
    </message>
    <message>
        <source>See whether this machine&apos;s clock is right.</source>
        <translation>Nachsehen, ob die Uhr dieses Rechners richtig geht.</translation>
    </message>
    <message>
        <source>The CA&apos;s certificate lacks a key usage; have it issued anew with keyCertSign.</source>
        <translation>Dem Zertifikat der CA fehlt ein Schlüsselzweck; es neu mit keyCertSign ausstellen lassen.</translation>
    </message>
    <message>
        <source>Name the certificate of the CA that signed the server&apos;s in the profile.</source>
        <translation>Im Profil das Zertifikat der CA nennen, die das des Servers unterschrieben hat.</translation>
    </message>
    <message>
        <source>The server does not speak TLS on this port; try ldap:// with StartTLS.</source>
        <translation>Der Server spricht auf diesem Port kein TLS; ldap:// mit StartTLS versuchen.</translation>
    </message>
    <message>
        <source>The server offers only TLS versions that are not safe any more.</source>
        <translation>Der Server bietet nur TLS-Versionen, die nicht mehr sicher sind.</translation>
    </message>
    <message>
        <source>See whether the port speaks TLS: ldaps is 636, StartTLS is 389.</source>
        <translation>Nachsehen, ob der Port TLS spricht: ldaps ist 636, StartTLS ist 389.</translation>
    </message>
    <message>
        <source>The server shows the certificate of {subject}, issued by {issuer}, valid until {until}, SHA-256 {sha256}.</source>
        <translation>Der Server zeigt das Zertifikat von {subject}, ausgestellt von {issuer}, gültig bis {until}, SHA-256 {sha256}.</translation>
    </message>
    <message>
        <source>{host:word} shows an SSH host key that is not known yet: {key}.</source>
        <translation>{host:word} zeigt einen SSH-Hostschlüssel, der noch nicht bekannt ist: {key}.</translation>
    </message>
    <message>
        <source>Nothing was sent to the host.</source>
        <translation>An den Rechner wurde nichts gesendet.</translation>
    </message>
    <message>
        <source>Compare the fingerprint with the host&apos;s own (ssh-keygen -lf), then accept it.</source>
        <translation>Den Fingerabdruck mit dem des Rechners vergleichen (ssh-keygen -lf), dann annehmen.</translation>
    </message>
    <message>
        <source>does not answer</source>
        <translation>antwortet nicht</translation>
    </message>
    <message>
        <source>still answers</source>
        <translation>antwortet noch</translation>
    </message>
    <message>
        <source>still runs since the same time</source>
        <translation>läuft noch seit derselben Zeit</translation>
    </message>
    <message>
        <source>a shell on the host</source>
        <translation>eine Shell auf dem Rechner</translation>
    </message>
    <message>
        <source>a restart command</source>
        <translation>einen Neustartbefehl</translation>
    </message>
    <message>
        <source>Reading &apos;{dn}&apos;</source>
        <translation>Lesen von „{dn}“</translation>
    </message>
    <message>
        <source>Setting {attribute:word} of &apos;{dn}&apos; to {values}</source>
        <translation>Setzen von {attribute:word} in „{dn}“ auf {values}</translation>
    </message>
    <message>
        <source>Use another way to bind.</source>
        <translation>Sich auf andere Weise anmelden.</translation>
    </message>
    <message>
        <source>The server asks for TLS or a stronger bind: use ldaps:// or StartTLS.</source>
        <translation>Der Server verlangt TLS oder eine stärkere Anmeldung: ldaps:// oder StartTLS nehmen.</translation>
    </message>
    <message>
        <source>The server asks for TLS: use ldaps:// or StartTLS.</source>
        <translation>Der Server verlangt TLS: ldaps:// oder StartTLS nehmen.</translation>
    </message>
    <message>
        <source>The server takes no such bind: name a bind DN.</source>
        <translation>Der Server nimmt keine solche Anmeldung: einen Bind-DN nennen.</translation>
    </message>
    <message>
        <source>Check the bind DN and the password.</source>
        <translation>Bind-DN und Passwort prüfen.</translation>
    </message>
    <message>
        <source>The server refuses this bind now; its error log says why.</source>
        <translation>Der Server lehnt diese Anmeldung gerade ab; sein Fehlerprotokoll sagt, warum.</translation>
    </message>
    <message>
        <source>a name for this server</source>
        <translation>ein Name für diesen Server</translation>
    </message>
    <message>
        <source>the LDAP host</source>
        <translation>der LDAP-Rechner</translation>
    </message>
    <message>
        <source>the SSH user</source>
        <translation>der SSH-Benutzer</translation>
    </message>
    <message>
        <source>the socket {path}</source>
        <translation>der Socket {path}</translation>
    </message>
    <message>
        <source>{host:word} is {at:addresses}</source>
        <translation>{host:word} ist {at:addresses}</translation>
    </message>
    <message>
        <source>{encryption}, the certificate is verified</source>
        <translation>{encryption}, das Zertifikat ist geprüft</translation>
    </message>
    <message>
        <source>not encrypted</source>
        <translation>unverschlüsselt</translation>
    </message>
    <message>
        <source>bound as {dn}</source>
        <translation>angemeldet als {dn}</translation>
    </message>
    <message>
        <source>bound as this user (EXTERNAL)</source>
        <translation>angemeldet als dieser Benutzer (EXTERNAL)</translation>
    </message>
    <message>
        <source>anonymous</source>
        <translation>anonym</translation>
    </message>
    <message>
        <source>readable: {what}</source>
        <translation>lesbar: {what}</translation>
    </message>
    <message>
        <source>{fingerprint} is the one on record</source>
        <translation>{fingerprint} ist der bekannte</translation>
    </message>
    <message>
        <source>this machine runs {system}</source>
        <translation>auf diesem Rechner läuft {system}</translation>
    </message>
    <message>
        <source>{host:word} runs {system}</source>
        <translation>auf {host:word} läuft {system}</translation>
    </message>
    <message>
        <source>Bind as a user who may do this, such as cn=Directory Manager.</source>
        <translation>Als ein Benutzer anmelden, der das darf, etwa cn=Directory Manager.</translation>
    </message>
    <message>
        <source>The server is busy; try again.</source>
        <translation>Der Server ist beschäftigt; noch einmal versuchen.</translation>
    </message>
    <message>
        <source>The server is starting or stopping; try again.</source>
        <translation>Der Server startet oder hält an; noch einmal versuchen.</translation>
    </message>
    <message>
        <source>Set the environment variable {name:word}.</source>
        <translation>Die Umgebungsvariable {name:word} setzen.</translation>
    </message>
    <message>
        <source>Name an environment variable in the profile (--password-env) and set it.</source>
        <translation>Im Profil eine Umgebungsvariable nennen (--password-env) und sie setzen.</translation>
    </message>
    <message>
        <source>sudo -n works</source>
        <translation>sudo -n geht</translation>
    </message>
    <message>
        <source>{path:word} is readable</source>
        <translation>{path:word} ist lesbar</translation>
    </message>
    <message>
        <source>{host:word} answers in {length:time}</source>
        <translation>{host:word} antwortet in {length:time}</translation>
    </message>
    <message>
        <source>{path:word} is there</source>
        <translation>{path:word} ist da</translation>
    </message>
    <message>
        <source>The workbench met a fault of its own ({kind:word}).</source>
        <translation>Die Workbench ist auf einen eigenen Fehler gestoßen ({kind:word}).</translation>
    </message>
    <message>
        <source>Send the report, which holds no names and no secrets: {path}</source>
        <translation>Den Bericht einsenden, er enthält weder Namen noch Geheimnisse: {path}</translation>
    </message>
    <message>
        <source>No report of it could be written: {why}.</source>
        <translation>Ein Bericht darüber konnte nicht geschrieben werden: {why}.</translation>
    </message>
    <message>
        <source>Name another file or folder.</source>
        <translation>Eine andere Datei oder einen anderen Ordner nennen.</translation>
    </message>
    <message>
        <source>The name of {path} is not in UTF-8: the database of a session takes no other.</source>
        <translation>Der Name von {path} ist nicht in UTF-8: Die Datenbank einer Sitzung nimmt keinen anderen.</translation>
    </message>
    <message>
        <source>Nothing was read or written.</source>
        <translation>Es wurde nichts gelesen oder geschrieben.</translation>
    </message>
    <message>
        <source>Give it another name.</source>
        <translation>Einen anderen Namen geben.</translation>
    </message>
    <message>
        <source>Something in the profile is not in UTF-8.</source>
        <translation>Etwas im Profil ist nicht in UTF-8.</translation>
    </message>
    <message>
        <source>The file of profiles is as it was.</source>
        <translation>Die Datei der Profile ist, wie sie war.</translation>
    </message>
    <message>
        <source>Type it again, or give the file it names another name.</source>
        <translation>Neu eingeben oder der genannten Datei einen anderen Namen geben.</translation>
    </message>
    <message>
        <source>The folder {path} cannot be made: {why}.</source>
        <translation>Der Ordner {path} kann nicht angelegt werden: {why}.</translation>
    </message>
    <message>
        <source>Name a folder that you may write in the environment variable LDAP_WORKBENCH_HOME.</source>
        <translation>In der Umgebungsvariablen LDAP_WORKBENCH_HOME einen Ordner nennen, in den Sie schreiben dürfen.</translation>
    </message>
    <message>
        <source>The plan in {path} was made on another server: {there}, not {here}.</source>
        <translation>Der Plan in {path} wurde auf einem anderen Server gemacht: {there}, nicht {here}.</translation>
    </message>
    <message>
        <source>Nothing of it was taken over.</source>
        <translation>Nichts davon wurde übernommen.</translation>
    </message>
    <message>
        <source>Plan the experiment anew on this server.</source>
        <translation>Das Experiment auf diesem Server neu planen.</translation>
    </message>
    <message>
        <source>This plan comes from the file:</source>
        <translation>Dieser Plan kommt aus der Datei:</translation>
    </message>
    <message>
        <source>It is not known on which server it was made: read it as a stranger&apos;s.</source>
        <translation>Auf welchem Server er gemacht wurde, ist nicht bekannt: wie den eines Fremden lesen.</translation>
    </message>
    <message>
        <source>It runs no load command.</source>
        <translation>Er führt keinen Lastbefehl aus.</translation>
    </message>
    <message>
        <source>It runs on the server&apos;s host, in every window:</source>
        <translation>Er führt auf dem Host des Servers in jedem Fenster aus:</translation>
    </message>
    <message>
        <source>It runs on this machine, in every window:</source>
        <translation>Er führt auf diesem Rechner in jedem Fenster aus:</translation>
    </message>
    <message>
        <source>It restarts the server before every window:</source>
        <translation>Er startet den Server vor jedem Fenster neu:</translation>
    </message>
    <message>
        <source>It asks you to restart the server before every window.</source>
        <translation>Er bittet Sie, den Server vor jedem Fenster neu zu starten.</translation>
    </message>
    <message>
        <source>It drops the page cache of the server&apos;s host before every window.</source>
        <translation>Er leert vor jedem Fenster den Dateisystemcache des Serverrechners.</translation>
    </message>
    <message>
        <source>It sets:</source>
        <translation>Er setzt:</translation>
    </message>
    <message>
        <source>It measures {n:count} windows of {length:time}, {settle:time} after each change; cut from the start: {cut}.</source>
        <translation>Er misst {n:count} Fenster von {length:time}, {settle:time} nach jeder Änderung; vom Anfang abgeschnitten: {cut}.</translation>
    </message>
    <message>
        <source>Its verdict rests on:</source>
        <translation>Sein Urteil beruht auf:</translation>
    </message>
    <message>
        <source>A good answer takes at most {limit:time}.</source>
        <translation>Eine gute Antwort dauert höchstens {limit:time}.</translation>
    </message>
    <message>
        <source>It ends early when this exceeds {limit:number}:</source>
        <translation>Er endet vorzeitig, wenn dies {limit:number} überschreitet:</translation>
    </message>
    <message>
        <source>It is looked at after {pairs} pairs, and ends at the first decision.</source>
        <translation>Nach {pairs} Paaren wird nachgesehen, und bei der ersten Entscheidung endet er.</translation>
    </message>
    <message>
        <source>It is given the password:</source>
        <translation>Er bekommt das Passwort:</translation>
    </message>
    <message>
        <source>The load command cannot be read: {why}.</source>
        <translation>Der Lastbefehl ist nicht zu lesen: {why}.</translation>
    </message>
    <message>
        <source>Close its quotes, as for a shell.</source>
        <translation>Seine Anführungszeichen schließen, wie für eine Shell.</translation>
    </message>
    <message>
        <source>The load command holds a password, and commands are kept in sessions and reports.</source>
        <translation>Der Lastbefehl enthält ein Passwort, und Befehle stehen in Sitzungen und Berichten.</translation>
    </message>
    <message>
        <source>Write {place} in its place: it is taken from the environment variable NAME, or from the keyring, when the command starts.</source>
        <translation>An seiner Stelle {place} schreiben: Es kommt aus der Umgebungsvariablen NAME oder aus dem Schlüsselbund, wenn der Befehl startet.</translation>
    </message>
    <message>
        <source>There is no password &apos;{name}&apos;, which a command names.</source>
        <translation>Es gibt kein Passwort „{name}“, das ein Befehl nennt.</translation>
    </message>
    <message>
        <source>The command was not started.</source>
        <translation>Der Befehl wurde nicht gestartet.</translation>
    </message>
    <message>
        <source>Set the environment variable {name}, or run: keyring set {service} {same}</source>
        <translation>Die Umgebungsvariable {name} setzen oder ausführen: keyring set {service} {same}</translation>
    </message>
    <message>
        <source>The {what} of profile &apos;{name}&apos; holds a password.</source>
        <translation>Im Profil „{name}“ enthält dies ein Passwort: {what}.</translation>
    </message>
    <message>
        <source>restart command</source>
        <translation>Neustartbefehl</translation>
    </message>
    <message>
        <source>Nothing was stored.</source>
        <translation>Es wurde nichts gespeichert.</translation>
    </message>
    <message>
        <source>Leave it out: let sudo or a file that root alone reads give it on the host.</source>
        <translation>Weglassen: sudo oder eine Datei, die nur root liest, soll es auf dem Host geben.</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; is not used as a path on the host: {b}.</source>
        <translation>„{a}“ wird auf dem Host nicht als Pfad verwendet: {b}.</translation>
    </message>
    <message>
        <source>it does not begin with /</source>
        <translation>er beginnt nicht mit /</translation>
    </message>
    <message>
        <source>it has control characters</source>
        <translation>er enthält Steuerzeichen</translation>
    </message>
    <message>
        <source>it has empty parts, &apos;.&apos; or &apos;..&apos;</source>
        <translation>er enthält leere Teile, „.“ oder „..“</translation>
    </message>
    <message>
        <source>it is too long</source>
        <translation>er ist zu lang</translation>
    </message>
    <message>
        <source>Nothing was run with it.</source>
        <translation>Damit wurde nichts ausgeführt.</translation>
    </message>
    <message>
        <source>Correct it where it is set: in the server&apos;s configuration or in the profile.</source>
        <translation>Korrigieren Sie ihn dort, wo er gesetzt ist: in der Konfiguration des Servers oder im Profil.</translation>
    </message>
    <message>
        <source>&apos;{a}&apos; is no command.</source>
        <translation>„{a}“ ist kein Befehl.</translation>
    </message>
    <message>
        <source>Nothing was run on the host.</source>
        <translation>Auf dem Host wurde nichts ausgeführt.</translation>
    </message>
    <message>
        <source>An answer of {a} takes longer than {b}; it was not read further.</source>
        <translation>Eine Antwort von {a} dauert länger als {b}; sie wurde nicht weiter gelesen.</translation>
    </message>
    <message>
        <source>An answer of {a} is larger than {b}; it was not read further.</source>
        <translation>Eine Antwort von {a} ist größer als {b}; sie wurde nicht weiter gelesen.</translation>
    </message>
    <message>
        <source>An answer of {a} has more than {b}; it was not read further.</source>
        <translation>Eine Antwort von {a} hat mehr als {b}; sie wurde nicht weiter gelesen.</translation>
    </message>
    <message>
        <source>The page cache of the server&apos;s host cannot be dropped: {why}.</source>
        <translation>Der Dateisystemcache des Serverrechners lässt sich nicht leeren: {why}.</translation>
    </message>
    <message>
        <source>the profile has no shell on it</source>
        <translation>das Profil hat keine Shell auf ihm</translation>
    </message>
    <message>
        <source>it is no Linux host (there is no /proc/sys/vm)</source>
        <translation>er ist kein Linux-Rechner (es gibt kein /proc/sys/vm)</translation>
    </message>
    <message>
        <source>Add SSH and sudo to the profile (ldap-workbench profile sudoers lists the command), or leave out --cold.</source>
        <translation>SSH und sudo ins Profil aufnehmen (ldap-workbench profile sudoers nennt den Befehl) oder --cold weglassen.</translation>
    </message>
    <message>
        <source>The page cache of the server&apos;s host could not be dropped: {said}.</source>
        <translation>Der Dateisystemcache des Serverrechners konnte nicht geleert werden: {said}.</translation>
    </message>
    <message>
        <source>A page cache holds copies of files: nothing is lost.</source>
        <translation>Ein Dateisystemcache enthält Kopien von Dateien: Nichts ging verloren.</translation>
    </message>
    <message>
        <source>Try the command on the host, or leave out --cold.</source>
        <translation>Den Befehl auf dem Rechner versuchen oder --cold weglassen.</translation>
    </message>
    <message>
        <source>See whether it is the right server, and what it sends; then connect again.</source>
        <translation>Prüfen Sie, ob es der richtige Server ist und was er sendet; verbinden Sie sich dann erneut.</translation>
    </message>
    <message>
        <source>{a} sent what is not LDAP: {b}.</source>
        <translation>{a} hat etwas gesendet, das kein LDAP ist: {b}.</translation>
    </message>
    <message>
        <source>no message begins so</source>
        <translation>so beginnt keine Nachricht</translation>
    </message>
    <message>
        <source>it is nested too deeply</source>
        <translation>es ist zu tief verschachtelt</translation>
    </message>
    <message>
        <source>it cannot be decoded ({a})</source>
        <translation>es lässt sich nicht dekodieren ({a})</translation>
    </message>
    <message>
        <source>See whether it is the right server and port, then connect again.</source>
        <translation>Prüfen Sie, ob Server und Port stimmen, und verbinden Sie sich dann erneut.</translation>
    </message>
    <message>
        <source>{a} sent more than its consent to TLS.</source>
        <translation>{a} hat mehr als die Zustimmung zu TLS gesendet.</translation>
    </message>
    <message>
        <source>{path} is of root, in a folder that others may write to</source>
        <translation>{path} gehört root und liegt in einem Ordner, in den andere schreiben dürfen</translation>
    </message>
    <message>
        <source>{address} and this machine have no safe SSH algorithm in common: {reason}.</source>
        <translation>{address} und dieser Rechner haben keinen sicheren SSH-Algorithmus gemeinsam: {reason}.</translation>
    </message>
    <message>
        <source>Update OpenSSH on the host (7.2 or later), or let its sshd_config offer what is current.</source>
        <translation>Aktualisieren Sie OpenSSH auf dem Host (7.2 oder neuer), oder lassen Sie seine sshd_config Aktuelles anbieten.</translation>
    </message>
    <message>
        <source>{n:count} of its {all:count} reports print no time: they stand evenly between those that do, and {interval:time} apart behind the last one.</source>
        <translation>{n:count} seiner {all:count} Berichte tragen keine Zeit: Sie stehen gleichmäßig zwischen denen mit einer, und hinter dem letzten im Abstand von {interval:time}.</translation>
    </message>
    <message>
        <source>Nothing in it says when it was read: readings stand in the order of their counters, {interval:time} apart. What was counted between them holds, rates a second do not. Import with --began and --interval, the time of the first reading and the seconds to the next.</source>
        <translation>Nichts darin sagt, wann es gelesen wurde: Die Ablesungen stehen in der Reihenfolge ihrer Zähler, im Abstand von {interval:time}. Was zwischen ihnen gezählt wurde, gilt; Raten je Sekunde gelten nicht. Importieren Sie mit --began und --interval, der Zeit der ersten Ablesung und den Sekunden bis zur nächsten.</translation>
    </message>
    <message>
        <source>Nothing in it says when it was read: its reports stand one behind the other, {interval:time} apart, from the time of the file on. To place them beside a log import with --began and --interval, the time of the first report and the seconds between reports.</source>
        <translation>Nichts darin sagt, wann es gelesen wurde: Seine Berichte stehen hintereinander, im Abstand von {interval:time}, ab der Zeit der Datei. Um sie neben ein Log zu legen, importieren Sie mit --began und --interval, der Zeit des ersten Berichts und den Sekunden zwischen Berichten.</translation>
    </message>
    <message>
        <source>in this window</source>
        <translation>in diesem Fenster</translation>
    </message>
    <message>
        <source>since the server&apos;s start</source>
        <translation>seit dem Start des Servers</translation>
    </message>
    <message>
        <source>One reading: its counters tell of all the time since the server&apos;s start.</source>
        <translation>Eine Ablesung: Ihre Zähler gelten für die ganze Zeit seit dem Start des Servers.</translation>
    </message>
    <message>
        <source>{n:count} entries answered {share:share}: were all asked for alike, there would be about {all:count}, which need {size}. To know, count the entries of the suffix.</source>
        <translation>{n:count} Einträge beantworteten {share:share}: Würde nach allen gleich oft gefragt, wären es etwa {all:count}, und die brauchen {size}. Um es zu wissen, zählen Sie die Einträge des Suffixes.</translation>
    </message>
    <message>
        <source>{n:count} pages/s</source>
        <translation>{n:count} Seiten/s</translation>
    </message>
    <message>
        <source>{n:count} pages</source>
        <translation>{n:count} Seiten</translation>
    </message>
    <message>
        <source>The script prints microseconds under a label of nanoseconds; read as microseconds.</source>
        <translation>Das Skript druckt Mikrosekunden unter der Überschrift Nanosekunden; gelesen als Mikrosekunden.</translation>
    </message>
    <message>
        <source>Its label says nanoseconds. The script of 389-ds-base of that name counts microseconds, and its numbers could be either: read as nanoseconds.</source>
        <translation>Die Überschrift sagt Nanosekunden. Das Skript dieses Namens von 389-ds-base zählt Mikrosekunden, und die Zahlen könnten beides sein: gelesen als Nanosekunden.</translation>
    </message>
    <message>
        <source>Its label of nanoseconds holds: as microseconds its {n:count} calls would have taken {minutes:count} minutes together.</source>
        <translation>Die Überschrift Nanosekunden stimmt: Als Mikrosekunden hätten die {n:count} Aufrufe zusammen {minutes:count} Minuten gedauert.</translation>
    </message>
    <message>
        <source>{n:count} fewer calls in the bucket from {bound:number} {unit}: {a:count} with {few:count}, {b:count} with {many:count} threads.</source>
        <translation>{n:count} Aufrufe weniger in der Klasse ab {bound:number} {unit}: {a:count} mit {few:count}, {b:count} mit {many:count} Threads.</translation>
    </message>
    <message>
        <source>A call took {a:number} {unit} on average with {few:count}, {b:number} {same} with {many:count} threads.</source>
        <translation>Ein Aufruf dauerte im Mittel {a:number} {unit} mit {few:count}, {b:number} {same} mit {many:count} Threads.</translation>
    </message>
    <message>
        <source>Beyond {bound:number} {unit}: {a:share} with {few:count}, {b:share} with {many:count} threads; the difference is {low} to {high} percentage points (95 %).</source>
        <translation>Jenseits von {bound:number} {unit}: {a:share} mit {few:count}, {b:share} mit {many:count} Threads; der Unterschied beträgt {low} bis {high} Prozentpunkte (95 %).</translation>
    </message>
    <message>
        <source>{n:count} of {all:count} ({share:share})</source>
        <translation>{n:count} von {all:count} ({share:share})</translation>
    </message>
    <message>
        <source>, {service:number} ms of them in the disk</source>
        <translation>, davon {service:number} ms in der Platte</translation>
    </message>
    <message>
        <source>{wait:number} ms a request, {service:number} ms of them in the disk.</source>
        <translation>{wait:number} ms je Anforderung, davon {service:number} ms in der Platte.</translation>
    </message>
    <message>
        <source> On now: {features}.</source>
        <translation> Jetzt an: {features}.</translation>
    </message>
    <message>
        <source>ldclt made {n:count} operations, {rate:number} a second.</source>
        <translation>ldclt machte {n:count} Operationen, {rate:number} je Sekunde.</translation>
    </message>
    <message>
        <source>Import iostat -xn of the same time: it has the time of a request.</source>
        <translation>Importieren Sie iostat -xn derselben Zeit: Es hat die Zeit einer Anforderung.</translation>
    </message>
    <message>
        <source>Import iostat -xn of the same time.</source>
        <translation>Importieren Sie iostat -xn derselben Zeit.</translation>
    </message>
    <message>
        <source>Import iostat -x of the same time.</source>
        <translation>Importieren Sie iostat -x derselben Zeit.</translation>
    </message>
    <message>
        <source>Import vmstat of the same time.</source>
        <translation>Importieren Sie vmstat derselben Zeit.</translation>
    </message>
    <message>
        <source>Import vmstat of the same time, and pstack of the server for its threads.</source>
        <translation>Importieren Sie vmstat derselben Zeit, und pstack des Servers für seine Threads.</translation>
    </message>
    <message>
        <source>Import the access log of the directory server behind the proxy.</source>
        <translation>Importieren Sie das Zugriffslog des Verzeichnisservers hinter dem Proxy.</translation>
    </message>
    <message>
        <source>summary of logconv</source>
        <translation>Zusammenfassung von logconv</translation>
    </message>
    <message>
        <source>keys of an index, as dbscan prints them</source>
        <translation>Schlüssel eines Index, wie dbscan sie ausgibt</translation>
    </message>
    <message>
        <source>I/O scheduler of a Linux disk</source>
        <translation>I/O-Scheduler einer Platte unter Linux</translation>
    </message>
    <message>
        <source>CPU scheduler features of Linux</source>
        <translation>Eigenschaften des CPU-Schedulers von Linux</translation>
    </message>
    <message>
        <source>sysctl of Linux</source>
        <translation>sysctl von Linux</translation>
    </message>
    <message>
        <source>logconv and this window count the same: {same}.</source>
        <translation>logconv und dieses Fenster zählen gleich viel: {same}.</translation>
    </message>
    <message>
        <source>logconv: {theirs}; this window: {ours:count}.</source>
        <translation>logconv: {theirs}; dieses Fenster: {ours:count}.</translation>
    </message>
    <message>
        <source>logconv counted {listed}.</source>
        <translation>logconv hat gezählt: {listed}.</translation>
    </message>
    <message>
        <source>logconv: longest etime {longest:number} s; this window: {ours:number} s.</source>
        <translation>logconv: längste etime {longest:number} s; dieses Fenster: {ours:number} s.</translation>
    </message>
    <message>
        <source>Both count operations of the server itself: {n:count} here.</source>
        <translation>Beide zählen Operationen des Servers selbst mit: hier {n:count}.</translation>
    </message>
    <message>
        <source>The summary does not say what time it covers.</source>
        <translation>Die Zusammenfassung sagt nicht, welche Zeit sie umfasst.</translation>
    </message>
    <message>
        <source>The summary covers another time than this window, so counts may differ: {begin} to {end}.</source>
        <translation>Die Zusammenfassung umfasst eine andere Zeit als dieses Fenster, daher können sich die Zahlen unterscheiden: {begin} bis {end}.</translation>
    </message>
    <message>
        <source>logconv counts requests, a window those with a result: {n:count} without one.</source>
        <translation>logconv zählt Anfragen, ein Fenster die mit Ergebnis: {n:count} ohne.</translation>
    </message>
    <message>
        <source>{n:count} search</source>
        <translation>{n:count} Suche</translation>
    </message>
    <message>
        <source>{n:count} search without index</source>
        <translation>{n:count} Suche ohne Index</translation>
    </message>
    <message>
        <source>{n:count} searches without index</source>
        <translation>{n:count} Suchen ohne Index</translation>
    </message>
    <message>
        <source>{n:count} search partly without index</source>
        <translation>{n:count} Suche teilweise ohne Index</translation>
    </message>
    <message>
        <source>{n:count} searches partly without index</source>
        <translation>{n:count} Suchen teilweise ohne Index</translation>
    </message>
    <message>
        <source>{n:count} connection</source>
        <translation>{n:count} Verbindung</translation>
    </message>
    <message>
        <source>A summary alone, without its access log: totals, and no latency of any operation. Import the access log it was made from.</source>
        <translation>Eine Zusammenfassung allein, ohne ihr Zugriffsprotokoll: Summen, und von keiner Operation die Latenz. Importieren Sie das Zugriffsprotokoll, aus dem sie stammt.</translation>
    </message>
    <message>
        <source>Print the entries as well (dbscan -r), or ask the server which entries many others name: findings FILE --references PROFILE.</source>
        <translation>Auch die Einträge ausgeben (dbscan -r), oder den Server fragen, welche Einträge viele andere nennen: findings FILE --references PROFILE.</translation>
    </message>
    <message>
        <source>keys of an index with their entries (dbscan -r)</source>
        <translation>Schlüssel eines Index mit ihren Einträgen (dbscan -r)</translation>
    </message>
    <message>
        <source>It holds no key that is a DN.</source>
        <translation>Sie enthält keinen Schlüssel, der ein DN ist.</translation>
    </message>
    <message>
        <source>key that is no DN</source>
        <translation>Schlüssel, der kein DN ist</translation>
    </message>
    <message>
        <source>It holds no figure.</source>
        <translation>Sie enthält keine Zahl.</translation>
    </message>
    <message>
        <source>list that the access log tells better</source>
        <translation>Liste, die das Zugriffsprotokoll besser erzählt</translation>
    </message>
    <message>
        <source>{n:count} bind</source>
        <translation>{n:count} Bind</translation>
    </message>
    <message>
        <source>{n:count} binds</source>
        <translation>{n:count} Binds</translation>
    </message>
    <message>
        <source>{n:count} modification</source>
        <translation>{n:count} Änderung</translation>
    </message>
    <message>
        <source>{n:count} modifications</source>
        <translation>{n:count} Änderungen</translation>
    </message>
    <message>
        <source>{n:count} add</source>
        <translation>{n:count} Add</translation>
    </message>
    <message>
        <source>{n:count} adds</source>
        <translation>{n:count} Adds</translation>
    </message>
    <message>
        <source>{n:count} delete</source>
        <translation>{n:count} Löschung</translation>
    </message>
    <message>
        <source>{n:count} deletes</source>
        <translation>{n:count} Löschungen</translation>
    </message>
    <message>
        <source>{n:count} rename</source>
        <translation>{n:count} Umbenennung</translation>
    </message>
    <message>
        <source>{n:count} renames</source>
        <translation>{n:count} Umbenennungen</translation>
    </message>
    <message>
        <source>{n:count} compare</source>
        <translation>{n:count} Vergleich</translation>
    </message>
    <message>
        <source>{n:count} compares</source>
        <translation>{n:count} Vergleiche</translation>
    </message>
    <message>
        <source>{n:count} connections</source>
        <translation>{n:count} Verbindungen</translation>
    </message>
    <message>
        <source>{n:count} result with err={code:count}</source>
        <translation>{n:count} Ergebnis mit err={code:count}</translation>
    </message>
    <message>
        <source>{n:count} results with err={code:count}</source>
        <translation>{n:count} Ergebnisse mit err={code:count}</translation>
    </message>
    <message>
        <source>Rate of ldclt</source>
        <translation>Rate von ldclt</translation>
    </message>
    <message>
        <source>Size of a read</source>
        <translation>Größe eines Lesens</translation>
    </message>
    <message>
        <source>Size of a write</source>
        <translation>Größe eines Schreibens</translation>
    </message>
    <message>
        <source>Time of a request</source>
        <translation>Zeit einer Anforderung</translation>
    </message>
    <message>
        <source>Busy time</source>
        <translation>Beschäftigt</translation>
    </message>
    <message>
        <source>Idle processors</source>
        <translation>Untätige Prozessoren</translation>
    </message>
    <message>
        <source>Page scanner</source>
        <translation>Seitensucher</translation>
    </message>
    <message>
        <source>Swapped out</source>
        <translation>Ausgelagert</translation>
    </message>
    <message>
        <source>Run queue</source>
        <translation>Warteschlange der Prozessoren</translation>
    </message>
    <message>
        <source>Hits of the entry cache ({backend})</source>
        <translation>Treffer des Eintragscaches ({backend})</translation>
    </message>
    <message>
        <source>Hits of the database cache</source>
        <translation>Treffer des Datenbankcaches</translation>
    </message>
    <message>
        <source>Calls beyond {bound:number} {unit}</source>
        <translation>Aufrufe jenseits von {bound:number} {unit}</translation>
    </message>
    <message>
        <source>within what either side varies</source>
        <translation>innerhalb dessen, was jede Seite schwankt</translation>
    </message>
    <message>
        <source>{a} is not a session of the LDAP Tuning Workbench: {b}.</source>
        <translation>{a} ist keine Sitzung der LDAP Tuning Workbench: {b}.</translation>
    </message>
    <message>
        <source>it has the {a} {b}</source>
        <translation>sie enthält {a} {b}</translation>
    </message>
    <message>
        <source>it has no table {a}</source>
        <translation>ihr fehlt die Tabelle {a}</translation>
    </message>
    <message>
        <source>the columns of its table {a} are {b}</source>
        <translation>die Spalten ihrer Tabelle {a} sind {b}</translation>
    </message>
    <message>
        <source>its table &apos;{a}&apos; has {b} rows, more than {c}</source>
        <translation>ihre Tabelle „{a}“ hat {b} Zeilen, mehr als {c}</translation>
    </message>
    <message>
        <source>its table &apos;{a}&apos; has rows without a value</source>
        <translation>ihre Tabelle „{a}“ hat Zeilen ohne Wert</translation>
    </message>
    <message>
        <source>its table &apos;{a}&apos; has a text of {b} bytes, more than {c}</source>
        <translation>ihre Tabelle „{a}“ hat einen Text von {b} Bytes, mehr als {c}</translation>
    </message>
    <message>
        <source>Nothing of it was read or run, and the file was not changed.</source>
        <translation>Nichts daraus wurde gelesen oder ausgeführt, und die Datei wurde nicht verändert.</translation>
    </message>
    <message>
        <source>Ask whoever sent it for the file as the workbench wrote it.</source>
        <translation>Den Absender um die Datei bitten, wie die Workbench sie geschrieben hat.</translation>
    </message>
    <message>
        <source>{a} says it has schema version {b}; there is {c}.</source>
        <translation>{a} nennt die Schemaversion {b}; es gibt {c}.</translation>
    </message>
    <message>
        <source>It may be cut short or damaged: copy it again from where it was made.</source>
        <translation>Sie ist vielleicht abgeschnitten oder beschädigt: von ihrem Ursprung neu kopieren.</translation>
    </message>
    <message>
        <source>{a} is damaged: {b}.</source>
        <translation>{a} ist beschädigt: {b}.</translation>
    </message>
    <message>
        <source>{a} needs more memory than a session may take here.</source>
        <translation>{a} braucht mehr Speicher, als eine Sitzung hier belegen darf.</translation>
    </message>
    <message>
        <source>Open it on a machine with more memory; one of a stranger may be made to do so.</source>
        <translation>Auf einem Rechner mit mehr Speicher öffnen; eine fremde kann auch dafür gemacht sein.</translation>
    </message>
    <message>
        <source>{a} is no regular file, and would be read with the session.</source>
        <translation>{a} ist keine gewöhnliche Datei und würde mit der Sitzung gelesen.</translation>
    </message>
    <message>
        <source>Nothing was opened.</source>
        <translation>Nichts wurde geöffnet.</translation>
    </message>
    <message>
        <source>Remove it, or copy the session file alone to another folder.</source>
        <translation>Sie entfernen oder die Sitzungsdatei allein in einen anderen Ordner kopieren.</translation>
    </message>
    <message>
        <source>{a} is {b}, not a session.</source>
        <translation>{a} ist {b}, keine Sitzung.</translation>
    </message>
    <message>
        <source>{a} is not a session.</source>
        <translation>{a} ist keine Sitzung.</translation>
    </message>
    <message>
        <source>a folder</source>
        <translation>ein Ordner</translation>
    </message>
    <message>
        <source>no regular file</source>
        <translation>keine gewöhnliche Datei</translation>
    </message>
    <message>
        <source>an empty file</source>
        <translation>eine leere Datei</translation>
    </message>
    <message>
        <source>an SQLite database</source>
        <translation>eine SQLite-Datenbank</translation>
    </message>
    <message>
        <source>a Parquet file</source>
        <translation>eine Parquet-Datei</translation>
    </message>
    <message>
        <source>a zip archive</source>
        <translation>ein Zip-Archiv</translation>
    </message>
    <message>
        <source>a gzip file</source>
        <translation>eine Gzip-Datei</translation>
    </message>
    <message>
        <source>a zstd file</source>
        <translation>eine Zstd-Datei</translation>
    </message>
    <message>
        <source>a PDF document</source>
        <translation>ein PDF-Dokument</translation>
    </message>
    <message>
        <source>Name a session file (*.ldapwb).</source>
        <translation>Eine Sitzungsdatei (*.ldapwb) nennen.</translation>
    </message>
    <message>
        <source>{a} cannot be opened: {b}.</source>
        <translation>{a} lässt sich nicht öffnen: {b}.</translation>
    </message>
    <message>
        <source>Check the name, and the permissions of the file and its folders.</source>
        <translation>Den Namen prüfen und die Rechte der Datei und ihrer Ordner.</translation>
    </message>
    <message>
        <source>{a} is open in {b}.</source>
        <translation>{a} ist in {b} geöffnet.</translation>
    </message>
    <message>
        <source>Close it there, then try again.</source>
        <translation>Dort schließen, dann erneut versuchen.</translation>
    </message>
    <message>
        <source>{a} is being written by {b}.</source>
        <translation>{a} wird gerade von {b} geschrieben.</translation>
    </message>
    <message>
        <source>this workbench</source>
        <translation>dieser Workbench</translation>
    </message>
    <message>
        <source>another workbench</source>
        <translation>einer anderen Workbench</translation>
    </message>
    <message>
        <source>What was written before stays readable; changes of a server are in the journal.</source>
        <translation>Was vorher geschrieben wurde, bleibt lesbar; Änderungen am Server stehen im Journal.</translation>
    </message>
    <message>
        <source>The server is as it was before.</source>
        <translation>Der Server ist wie zuvor.</translation>
    </message>
    <message>
        <source>The server is as it was before; the journal could not be told and goes on listing the change as open.</source>
        <translation>Der Server ist wie zuvor; dem Journal konnte es nicht mitgeteilt werden, es führt die Änderung weiter als offen.</translation>
    </message>
    <message>
        <source>{treatment} was kept and is in force.</source>
        <translation>{treatment} wurde behalten und ist in Kraft.</translation>
    </message>
    <message>
        <source>Whether {treatment} is still in force is not known: the server did not answer for {time:time}.</source>
        <translation>Ob {treatment} noch in Kraft ist, ist nicht bekannt: Der Server hat {time:time} lang nicht geantwortet.</translation>
    </message>
    <message>
        <source>{treatment} may still be in force, for it could not be put back: {why}</source>
        <translation>{treatment} kann noch in Kraft sein, denn es ließ sich nicht zurücksetzen: {why}</translation>
    </message>
    <message>
        <source>{treatment} was put back in the configuration, but the server works with it until it is restarted: {why}</source>
        <translation>{treatment} wurde in der Konfiguration zurückgesetzt, aber der Server arbeitet damit, bis er neu gestartet wird: {why}</translation>
    </message>
    <message>
        <source>Put back as before: {names}.</source>
        <translation>Zurückgesetzt wie zuvor: {names}.</translation>
    </message>
    <message>
        <source>It was put back as before; the journal could not be told: {why}</source>
        <translation>Es wurde zurückgesetzt wie zuvor; dem Journal konnte es nicht mitgeteilt werden: {why}</translation>
    </message>
    <message>
        <source>Whether it is in force is not known, for the server did not answer for {time:time}.</source>
        <translation>Ob es in Kraft ist, ist nicht bekannt, denn der Server hat {time:time} lang nicht geantwortet.</translation>
    </message>
    <message>
        <source>It could not be put back: {why}</source>
        <translation>Es ließ sich nicht zurücksetzen: {why}</translation>
    </message>
    <message>
        <source>It stays open in the journal: revert it when the server answers.</source>
        <translation>Es bleibt im Journal offen: Setzen Sie es zurück, wenn der Server antwortet.</translation>
    </message>
    <message>
        <source>It stays open in the journal: revert it.</source>
        <translation>Es bleibt im Journal offen: Setzen Sie es zurück.</translation>
    </message>
    <message>
        <source>What was measured so far is in the session.</source>
        <translation>Was bisher gemessen wurde, ist in der Sitzung.</translation>
    </message>
    <message>
        <source>The session could not be written to its end; what was written before stays readable.</source>
        <translation>Die Sitzung ließ sich nicht zu Ende schreiben; was vorher geschrieben wurde, bleibt lesbar.</translation>
    </message>
    <message>
        <source>Restart the server.</source>
        <translation>Starten Sie den Server neu.</translation>
    </message>
    <message>
        <source>Run: {command}</source>
        <translation>Führen Sie aus: {command}</translation>
    </message>
    <message>
        <source>Run, when the server answers again: {command}</source>
        <translation>Führen Sie aus, wenn der Server wieder antwortet: {command}</translation>
    </message>
    <message>
        <source>Make room on the disk, then run: {command}</source>
        <translation>Schaffen Sie Platz auf der Platte, dann führen Sie aus: {command}</translation>
    </message>
    <message>
        <source>It only closes the entries.</source>
        <translation>Es schließt nur die Einträge.</translation>
    </message>
    <message>
        <source>Make room on the disk, then try again.</source>
        <translation>Schaffen Sie Platz auf der Platte, dann versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>The file is damaged. Move {file} away with the files beside it, keep it, and see on each server which changes it may have listed as open.</source>
        <translation>Die Datei ist beschädigt. Legen Sie {file} mit den Dateien daneben zur Seite, behalten Sie sie, und sehen Sie auf jedem Server nach, welche Änderungen sie als offen geführt haben kann.</translation>
    </message>
    <message>
        <source>See who may read and write the file and its folder, and that the disk has room.</source>
        <translation>Sehen Sie nach, wer die Datei und ihren Ordner lesen und schreiben darf und ob die Platte Platz hat.</translation>
    </message>
    <message>
        <source>See whether the server and the network are well, then try again.</source>
        <translation>Sehen Sie nach, ob der Server und das Netz in Ordnung sind, dann versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>See whether the server, its host and the network are well, then start again.</source>
        <translation>Sehen Sie nach, ob der Server, sein Host und das Netz in Ordnung sind, dann starten Sie noch einmal.</translation>
    </message>
    <message>
        <source>See the server&apos;s error log for why, or choose another value.</source>
        <translation>Den Grund nennt das Fehlerprotokoll des Servers; oder wählen Sie einen anderen Wert.</translation>
    </message>
    <message>
        <source>Choose a treatment that costs less, or another limit.</source>
        <translation>Wählen Sie eine Änderung, die weniger kostet, oder eine andere Grenze.</translation>
    </message>
    <message>
        <source>Choose another value; or put the server back to what it is to be compared with, then start again.</source>
        <translation>Wählen Sie einen anderen Wert; oder setzen Sie den Server auf das zurück, womit verglichen werden soll, dann starten Sie noch einmal.</translation>
    </message>
    <message>
        <source>Agree with them on a quiet time, then start again.</source>
        <translation>Verabreden Sie mit ihnen eine ruhige Zeit, dann starten Sie noch einmal.</translation>
    </message>
    <message>
        <source>A pair in which the link breaks or somebody else changes the server is measured again, at most {n:count} times in all.</source>
        <translation>Ein Paar, in dem die Verbindung abbricht oder jemand anderes den Server ändert, wird noch einmal gemessen, insgesamt höchstens {n:count} Mal.</translation>
    </message>
    <message>
        <source>A server that does not answer is waited for, {time:time} at most.</source>
        <translation>Auf einen Server, der nicht antwortet, wird gewartet, höchstens {time:time}.</translation>
    </message>
    <message>
        <source>Pair {n:count} is measured again: {why}</source>
        <translation>Paar {n:count} wird noch einmal gemessen: {why}</translation>
    </message>
    <message>
        <source>{n:count} pairs were measured again already.</source>
        <translation>{n:count} Paare wurden schon noch einmal gemessen.</translation>
    </message>
    <message>
        <source>Somebody else changed the server in pair {n:count}: {what}.</source>
        <translation>Jemand anderes hat den Server in Paar {n:count} geändert: {what}.</translation>
    </message>
    <message>
        <source>Somebody else changed the server before pair {n:count}: {what}.</source>
        <translation>Jemand anderes hat den Server vor Paar {n:count} geändert: {what}.</translation>
    </message>
    <message>
        <source>{place}: {before}, now {after}</source>
        <translation>{place}: {before}, jetzt {after}</translation>
    </message>
    <message>
        <source>and {n:count} more</source>
        <translation>und {n:count} weitere</translation>
    </message>
    <message>
        <source>The {source} broke off in window {window:word}: {why}</source>
        <translation>In Fenster {window:word} brach ab: {source}: {why}</translation>
    </message>
    <message>
        <source>The server does not answer; it is tried for {left:time} more</source>
        <translation>Der Server antwortet nicht; es wird noch {left:time} versucht</translation>
    </message>
    <message>
        <source>Another workbench is at work on this server: {who}.</source>
        <translation>Eine andere Workbench arbeitet an diesem Server: {who}.</translation>
    </message>
    <message>
        <source>Let it end, or ask who started it; a mark that is no longer renewed expires within {time:time}.</source>
        <translation>Lassen Sie sie enden, oder fragen Sie, wer sie gestartet hat; eine Marke, die nicht mehr erneuert wird, verfällt nach {time:time}.</translation>
    </message>
    <message>
        <source>The server already has {treatment}: both arms would be the same.</source>
        <translation>Der Server hat {treatment} schon: Beide Arme wären gleich.</translation>
    </message>
    <message>
        <source>The load command cannot be started: there is no program {program}.</source>
        <translation>Der Lastbefehl lässt sich nicht starten: Es gibt kein Programm {program}.</translation>
    </message>
</context>
<context>
    <name>SessionFiles</name>
    <message>
        <source>Reading {name}</source>
        <translation>{name} wird gelesen</translation>
    </message>
    <message>
        <source>Read logs</source>
        <translation>Protokolle lesen</translation>
    </message>
    <message>
        <source>{understood} lines understood, {aside} set aside, {unknown} unknown</source>
        <translation>{understood} Zeilen verstanden, {aside} beiseitegelegt, {unknown} unbekannt</translation>
    </message>
    <message>
        <source>read as {titles}</source>
        <translation>gelesen als {titles}</translation>
    </message>
    <message>
        <source>left out: {names}</source>
        <translation>ausgelassen: {names}</translation>
    </message>
    <message>
        <source>Sessions (*.ldapwb)</source>
        <translation>Sitzungen (*.ldapwb)</translation>
    </message>
    <message>
        <source>Save a copy as</source>
        <translation>Kopie speichern unter</translation>
    </message>
    <message>
        <source>Saving a copy</source>
        <translation>Kopie wird gespeichert</translation>
    </message>
    <message>
        <source>A copy was saved as {path}</source>
        <translation>Eine Kopie wurde gespeichert: {path}</translation>
    </message>
    <message>
        <source>Sessions (*.ldapwb);;All files (*)</source>
        <translation>Sitzungen (*.ldapwb);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Open a session</source>
        <translation>Eine Sitzung öffnen</translation>
    </message>
</context>
<context>
    <name>ShiftChart</name>
    <message>
        <source>there is nothing to compare yet.</source>
        <translation>es ist noch nichts zu vergleichen.</translation>
    </message>
    <message>
        <source>B / A: {told}; known up to p{last}.</source>
        <translation>B / A: {told}; bekannt bis p{last}.</translation>
    </message>
</context>
<context>
    <name>ShortcutsDialog</name>
    <message>
        <source>Shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>In a chart: </source>
        <translation>In einem Diagramm: </translation>
    </message>
    <message>
        <source>In the timeline: select what is shown</source>
        <translation>Im Zeitverlauf: auswählen, was zu sehen ist</translation>
    </message>
    <message>
        <source>In the timeline: move the crosshair</source>
        <translation>Im Zeitverlauf: das Fadenkreuz bewegen</translation>
    </message>
    <message>
        <source>In a table: copy the chosen rows, or all</source>
        <translation>In einer Tabelle: die gewählten Zeilen kopieren, oder alle</translation>
    </message>
    <message>
        <source>In the tails: choose the windows of A</source>
        <translation>In den Ausläufern: die Fenster von A wählen</translation>
    </message>
    <message>
        <source>In the tails: choose the windows of B</source>
        <translation>In den Ausläufern: die Fenster von B wählen</translation>
    </message>
    <message>
        <source>In an experiment: one step back</source>
        <translation>In einem Experiment: einen Schritt zurück</translation>
    </message>
    <message>
        <source>Look at open changes, while they shout</source>
        <translation>Offene Änderungen ansehen, solange sie rufen</translation>
    </message>
    <message>
        <source>Details of an error; Alt+Shift+C copies it</source>
        <translation>Einzelheiten eines Fehlers; Alt+Umschalt+C kopiert ihn</translation>
    </message>
    <message>
        <source>Close a dialog or a message; hide the crosshair</source>
        <translation>Einen Dialog oder eine Meldung schließen; das Fadenkreuz ausblenden</translation>
    </message>
    <message>
        <source>Shift and the mouse</source>
        <translation>Umschalt und die Maus</translation>
    </message>
    <message>
        <source>In the timeline: draw a stretch of time</source>
        <translation>Im Zeitverlauf: einen Zeitabschnitt ziehen</translation>
    </message>
</context>
<context>
    <name>SidePicker</name>
    <message>
        <source>Looking into {name}</source>
        <translation>{name} wird angesehen</translation>
    </message>
</context>
<context>
    <name>SourceLines</name>
    <message>
        <source>{count} operations, {size}</source>
        <translation>{count} Operationen, {size}</translation>
    </message>
    <message>
        <source>{count} samples</source>
        <translation>{count} Proben</translation>
    </message>
    <message>
        <source>nothing yet</source>
        <translation>noch nichts</translation>
    </message>
    <message>
        <source>last {seconds} s ago</source>
        <translation>zuletzt vor {seconds} s</translation>
    </message>
    <message>
        <source>at work</source>
        <translation>bei der Arbeit</translation>
    </message>
    <message>
        <source>complete</source>
        <translation>vollständig</translation>
    </message>
    <message>
        <source>partial</source>
        <translation>teilweise</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>fehlt</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>gescheitert</translation>
    </message>
</context>
<context>
    <name>SourcesModel</name>
    <message>
        <source>{understood} of {all}</source>
        <translation>{understood} von {all}</translation>
    </message>
    <message>
        <source>understood {understood}, set aside {set_aside}, unknown {unknown}</source>
        <translation>verstanden {understood}, beiseite gelegt {set_aside}, unbekannt {unknown}</translation>
    </message>
</context>
<context>
    <name>StartScreen</name>
    <message>
        <source>Measure, change and judge the tuning of a directory server, one change at a time.</source>
        <translation>Messen, ändern und beurteilen Sie die Einstellung eines Verzeichnisservers, eine Änderung nach der anderen.</translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation>Sitzungen</translation>
    </message>
    <message>
        <source>&amp;Open a session …</source>
        <translation>Sitzung &amp;öffnen …</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>Server</translation>
    </message>
    <message>
        <source>&amp;Add a server …</source>
        <translation>Ser&amp;ver hinzufügen …</translation>
    </message>
    <message>
        <source>Practice directory</source>
        <translation>Übungsverzeichnis</translation>
    </message>
    <message>
        <source>A simulated server with real LDAP and real SSH on this machine, twenty times faster than life. All but one have something wrong with them: find it, change it, be sure.</source>
        <translation>Ein nachgebildeter Server mit echtem LDAP und echtem SSH auf diesem Rechner, zwanzigmal schneller als das Leben. Allen bis auf einen fehlt etwas: Finden Sie es, ändern Sie es, seien Sie sicher.</translation>
    </message>
    <message>
        <source>Sessions you open or capture are listed here. Drop a session anywhere in this window to open it, or logs (packed, rotated, whole folders) to read them.</source>
        <translation>Sitzungen, die Sie öffnen oder aufzeichnen, stehen hier. Lassen Sie irgendwo in diesem Fenster eine Sitzung fallen, um sie zu öffnen, oder Protokolle (gepackt, rotiert, ganze Ordner), um sie zu lesen.</translation>
    </message>
    <message>
        <source>A server is reached over LDAP for its counters and settings, and over SSH for its logs and disks. Nothing is installed on it.</source>
        <translation>Ein Server wird über LDAP nach Zählern und Einstellungen gefragt, über SSH nach Protokollen und Platten. Nichts wird auf ihm installiert.</translation>
    </message>
    <message>
        <source>Open {name}</source>
        <translation>{name} öffnen</translation>
    </message>
    <message>
        <source>Unpacking {name}</source>
        <translation>{name} wird entpackt</translation>
    </message>
    <message>
        <source>Practise: {name}</source>
        <translation>Üben: {name}</translation>
    </message>
    <message>
        <source>Read the files of a real case like this one</source>
        <translation>Dateien eines solchen Falls aus der Praxis lesen</translation>
    </message>
    <message>
        <source>Connect to {name}</source>
        <translation>Mit {name} verbinden</translation>
    </message>
    <message>
        <source>Edit {name}</source>
        <translation>{name} bearbeiten</translation>
    </message>
</context>
<context>
    <name>StatusBar</name>
    <message>
        <source>offline</source>
        <translation>nicht verbunden</translation>
    </message>
    <message>
        <source>times: server clock, UTC</source>
        <translation>Zeiten: Uhr des Servers, UTC</translation>
    </message>
    <message>
        <source>All times are the server&apos;s own, shown in UTC; durations carry their unit.</source>
        <translation>Alle Zeiten sind die des Servers, in UTC gezeigt; Dauern tragen ihre Einheit.</translation>
    </message>
    <message>
        <source>connected: {name}</source>
        <translation>verbunden: {name}</translation>
    </message>
    <message>
        <source>read-only</source>
        <translation>nur lesen</translation>
    </message>
    <message>
        <source>may change this server</source>
        <translation>darf diesen Server ändern</translation>
    </message>
</context>
<context>
    <name>StepList</name>
    <message>
        <source>Steps of the connection test</source>
        <translation>Schritte der Verbindungsprüfung</translation>
    </message>
    <message>
        <source>Test tries every step: address, port, encryption, bind, login, logs, disks.</source>
        <translation>„Prüfen“ versucht jeden Schritt: Adresse, Port, Verschlüsselung, Anmeldung, Protokolle, Platten.</translation>
    </message>
</context>
<context>
    <name>StoredExperiment</name>
    <message>
        <source>Reading the tails of the verdict</source>
        <translation>Ausläufer des Urteils werden gelesen</translation>
    </message>
    <message>
        <source>Keeping the change</source>
        <translation>Die Änderung wird behalten</translation>
    </message>
    <message>
        <source>The change was kept. The journal can still take it back.</source>
        <translation>Die Änderung wurde behalten. Das Journal kann sie noch zurücknehmen.</translation>
    </message>
    <message>
        <source>Connect to {server} first.</source>
        <translation>Verbinden Sie sich zuerst mit {server}.</translation>
    </message>
    <message>
        <source>The window is read-only; see the Server menu.</source>
        <translation>Das Programm darf nur lesen; siehe Menü „Server“.</translation>
    </message>
</context>
<context>
    <name>Story</name>
    <message>
        <source>imported files</source>
        <translation>gelesene Dateien</translation>
    </message>
</context>
<context>
    <name>Stretch</name>
    <message>
        <source>{first} to {last} UTC ({seconds} s)</source>
        <translation>{first} bis {last} UTC ({seconds} s)</translation>
    </message>
</context>
<context>
    <name>StretchBar</name>
    <message>
        <source>This tells of whole windows, not of {stretch} alone.</source>
        <translation>Dies handelt von ganzen Fenstern, nicht nur von {stretch}.</translation>
    </message>
    <message>
        <source>Whole win&amp;dows again</source>
        <translation>Wieder ganze &amp;Fenster</translation>
    </message>
    <message>
        <source>In every view (Ctrl+0)</source>
        <translation>In jeder Ansicht (Strg+0)</translation>
    </message>
    <message>
        <source>Only {stretch} is looked at.</source>
        <translation>Nur {stretch} wird betrachtet.</translation>
    </message>
</context>
<context>
    <name>StripChart</name>
    <message>
        <source>latest {value}</source>
        <translation>zuletzt {value}</translation>
    </message>
    <message>
        <source>latest {values}.</source>
        <translation>zuletzt {values}.</translation>
    </message>
    <message>
        <source>nothing has come in yet.</source>
        <translation>es ist noch nichts angekommen.</translation>
    </message>
</context>
<context>
    <name>StripStack</name>
    <message>
        <source>In flight, as the log shows it</source>
        <translation>In Arbeit, wie das Protokoll es zeigt</translation>
    </message>
</context>
<context>
    <name>TableView</name>
    <message>
        <source>&amp;Copy rows</source>
        <translation>Zeilen &amp;kopieren</translation>
    </message>
</context>
<context>
    <name>TailsChart</name>
    <message>
        <source>etime by percentile of {kind} operations</source>
        <translation>etime nach Perzentil, Operationen der Art {kind}</translation>
    </message>
    <message>
        <source>thin: single windows of {arm}</source>
        <translation>dünn: einzelne Fenster von {arm}</translation>
    </message>
    <message>
        <source>single windows</source>
        <translation>einzelne Fenster</translation>
    </message>
    <message>
        <source>95 % band of one window, from counting its operations alone</source>
        <translation>95-%-Band eines Fensters, nur aus der Zahl seiner Operationen</translation>
    </message>
    <message>
        <source>95 % band from how much the windows differ</source>
        <translation>95-%-Band aus dem Unterschied der Fenster</translation>
    </message>
    <message>
        <source>B&apos;s with an edge of dashes</source>
        <translation>das von B mit gestricheltem Rand</translation>
    </message>
    <message>
        <source>there is nothing to show yet.</source>
        <translation>es ist noch nichts zu zeigen.</translation>
    </message>
    <message>
        <source>p{p} is {etime}</source>
        <translation>p{p} ist {etime}</translation>
    </message>
    <message>
        <source>{name} is not known for both.</source>
        <translation>{name} ist nicht für beide bekannt.</translation>
    </message>
    <message>
        <source>{name} stayed at {etime}.</source>
        <translation>{name} blieb bei {etime}.</translation>
    </message>
    <message>
        <source>{name} fell from {before} to {after} ({ratio}).</source>
        <translation>{name} fiel von {before} auf {after} ({ratio}).</translation>
    </message>
    <message>
        <source>{name} rose from {before} to {after} ({ratio}).</source>
        <translation>{name} stieg von {before} auf {after} ({ratio}).</translation>
    </message>
</context>
<context>
    <name>TailsScreen</name>
    <message>
        <source>Operation type</source>
        <translation>Art der Operation</translation>
    </message>
    <message>
        <source>All client operations</source>
        <translation>Clients</translation>
    </message>
    <message>
        <source>&amp;Limit</source>
        <translation>&amp;Grenze</translation>
    </message>
    <message>
        <source>The limit of a good answer: how many operations took longer?</source>
        <translation>Die Grenze einer guten Antwort: Wie viele Operationen dauerten länger?</translation>
    </message>
    <message>
        <source>&amp;Type</source>
        <translation>Ar&amp;t</translation>
    </message>
    <message>
        <source>By &amp;percentile</source>
        <translation>Nach &amp;Perzentil</translation>
    </message>
    <message>
        <source>B / A by q&amp;uantile</source>
        <translation>B / A je Q&amp;uantil</translation>
    </message>
    <message>
        <source>Histo&amp;gram</source>
        <translation>Hist&amp;ogramm</translation>
    </message>
    <message>
        <source>Ho&amp;w many took longer</source>
        <translation>&amp;Wie viele dauerten länger</translation>
    </message>
    <message>
        <source>Verd&amp;ict by metric</source>
        <translation>Urte&amp;il je Messgröße</translation>
    </message>
    <message>
        <source>Stalls of both sides</source>
        <translation>Staus beider Seiten</translation>
    </message>
    <message>
        <source>Stall le&amp;dger</source>
        <translation>Staus im &amp;Einzelnen</translation>
    </message>
    <message>
        <source>There is no session to look at</source>
        <translation>Es gibt keine Sitzung zum Ansehen</translation>
    </message>
    <message>
        <source>Open a session, or capture a window: then the slow end of its operations is here, before and after a change.</source>
        <translation>Öffnen Sie eine Sitzung oder zeichnen Sie ein Fenster auf: Dann steht hier das langsame Ende der Operationen, vor und nach einer Änderung.</translation>
    </message>
    <message>
        <source>C&amp;ompare …</source>
        <translation>Verglei&amp;chen …</translation>
    </message>
    <message>
        <source>Any windows of any two sessions, side by side</source>
        <translation>Beliebige Fenster zweier beliebiger Sitzungen nebeneinander</translation>
    </message>
    <message>
        <source>B / A by &amp;metric</source>
        <translation>B / A je &amp;Messgröße</translation>
    </message>
    <message>
        <source>Pai&amp;r by pair</source>
        <translation>Paa&amp;r für Paar</translation>
    </message>
    <message>
        <source>Pro&amp;bes</source>
        <translation>Mess&amp;punkte</translation>
    </message>
    <message>
        <source>Tables</source>
        <translation>Tabellen</translation>
    </message>
    <message>
        <source>Metrics of the verdict</source>
        <translation>Kennzahlen des Urteils</translation>
    </message>
    <message>
        <source>Tails of each window and operation type</source>
        <translation>Ausläufer jedes Fensters und jeder Art</translation>
    </message>
    <message>
        <source>&amp;Numbers of each window</source>
        <translation>&amp;Zahlen jedes Fensters</translation>
    </message>
    <message>
        <source>What the host shows on both sides</source>
        <translation>Was der Rechner auf beiden Seiten zeigt</translation>
    </message>
    <message>
        <source>Host &amp;activity</source>
        <translation>Rech&amp;ner</translation>
    </message>
    <message>
        <source>Reading the tails</source>
        <translation>Ausläufer werden gelesen</translation>
    </message>
    <message>
        <source>A verdict is about whole windows; this is a part of their time.</source>
        <translation>Ein Urteil gilt für ganze Fenster; dies ist ein Teil ihrer Zeit.</translation>
    </message>
    <message>
        <source>Comparing</source>
        <translation>Wird verglichen</translation>
    </message>
    <message>
        <source>Choose windows for B as well to compare them with A.</source>
        <translation>Wählen Sie auch für B Fenster, um sie mit A zu vergleichen.</translation>
    </message>
    <message>
        <source>{metric} of all operations</source>
        <translation>{metric} aller Operationen</translation>
    </message>
    <message>
        <source>Internal operations</source>
        <translation>Interne</translation>
    </message>
</context>
<context>
    <name>TimeAxis</name>
    <message>
        <source>S, or drawing with Shift, selects a stretch of time. Left and right with Ctrl move the crosshair and tell what is there, with Shift in longer steps; Esc hides it.</source>
        <translation>S, oder Ziehen mit Umschalt, wählt einen Zeitabschnitt. Links und rechts mit Strg bewegen das Fadenkreuz und sagen, was dort ist, mit Umschalt in größeren Schritten; Esc blendet es aus.</translation>
    </message>
</context>
<context>
    <name>TimelineAsker</name>
    <message>
        <source>Reading the timeline</source>
        <translation>Zeitverlauf wird gelesen</translation>
    </message>
    <message>
        <source>Looking for stalls</source>
        <translation>Staus werden gesucht</translation>
    </message>
    <message>
        <source>Looking closer</source>
        <translation>Es wird genauer hingesehen</translation>
    </message>
</context>
<context>
    <name>TimelineScreen</name>
    <message>
        <source>Windows</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Select what is sh&amp;own</source>
        <translation>A&amp;usschnitt wählen</translation>
    </message>
    <message>
        <source>Tails and operations follow. Or draw with Shift over a chart, or press S.</source>
        <translation>Ausläufer und Operationen folgen. Oder mit Umschalt über ein Diagramm ziehen, oder S drücken.</translation>
    </message>
    <message>
        <source>Sources of the windows</source>
        <translation>Quellen der Fenster</translation>
    </message>
    <message>
        <source>There is no session to look at</source>
        <translation>Es gibt keine Sitzung zum Ansehen</translation>
    </message>
    <message>
        <source>Open a session, or capture a window: then this shows when operations were slow, and what the server and its disks did at that moment.</source>
        <translation>Öffnen Sie eine Sitzung oder zeichnen Sie ein Fenster auf: Dann zeigt dies, wann Operationen langsam waren und was Server und Platten in diesem Moment taten.</translation>
    </message>
</context>
<context>
    <name>VerdictBand</name>
    <message>
        <source>B is better</source>
        <translation>B ist besser</translation>
    </message>
    <message>
        <source>B is worse</source>
        <translation>B ist schlechter</translation>
    </message>
    <message>
        <source>Suggests that B is better</source>
        <translation>Deutet an, dass B besser ist</translation>
    </message>
    <message>
        <source>Suggests that B is worse</source>
        <translation>Deutet an, dass B schlechter ist</translation>
    </message>
    <message>
        <source>A difference, too small to matter</source>
        <translation>Ein Unterschied, zu klein, um zu zählen</translation>
    </message>
    <message>
        <source>No material change</source>
        <translation>Keine wesentliche Änderung</translation>
    </message>
    <message>
        <source>Inconclusive</source>
        <translation>Nicht zu entscheiden</translation>
    </message>
    <message>
        <source>Not enough was measured</source>
        <translation>Es wurde nicht genug gemessen</translation>
    </message>
    <message>
        <source>A and B are not comparable</source>
        <translation>A und B sind nicht vergleichbar</translation>
    </message>
    <message>
        <source>No comparison</source>
        <translation>Kein Vergleich</translation>
    </message>
</context>
<context>
    <name>VerdictPage</name>
    <message>
        <source>Metrics of the verdict</source>
        <translation>Kennzahlen des Urteils</translation>
    </message>
    <message>
        <source>Keep {treatment}?</source>
        <translation>{treatment} behalten?</translation>
    </message>
    <message>
        <source>Revert puts the server back exactly as it was before.</source>
        <translation>„Zurücknehmen“ stellt den Server genau so her, wie er war.</translation>
    </message>
    <message>
        <source>The change was kept. The journal can still take it back.</source>
        <translation>Die Änderung wurde behalten. Das Journal kann sie noch zurücknehmen.</translation>
    </message>
    <message>
        <source>The change was reverted: the server is as it was before.</source>
        <translation>Die Änderung wurde zurückgenommen: Der Server ist wie zuvor.</translation>
    </message>
    <message>
        <source>The experiment ended early; the server is as it was before.</source>
        <translation>Das Experiment endete vorzeitig; der Server ist wie zuvor.</translation>
    </message>
    <message>
        <source>The experiment was left before a decision; its change is not open.</source>
        <translation>Das Experiment wurde vor einer Entscheidung verlassen; seine Änderung ist nicht offen.</translation>
    </message>
    <message>
        <source>&amp;Revert</source>
        <translation>&amp;Zurücknehmen</translation>
    </message>
    <message>
        <source>&amp;Keep</source>
        <translation>&amp;Behalten</translation>
    </message>
    <message>
        <source>Run a&amp;gain …</source>
        <translation>&amp;Noch einmal …</translation>
    </message>
    <message>
        <source>Re&amp;port</source>
        <translation>B&amp;ericht</translation>
    </message>
</context>
<context>
    <name>WindowPicker</name>
    <message>
        <source>{count} windows</source>
        <translation>{count} Fenster</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Windows of {side}: {names}</source>
        <translation>Fenster von {side}: {names}</translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Start (server time)</source>
        <translation>Beginn (Serverzeit)</translation>
    </message>
    <message>
        <source>Started (server time)</source>
        <translation>Begonnen (Serverzeit)</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>Länge</translation>
    </message>
    <message>
        <source>Arm</source>
        <translation>Seite</translation>
    </message>
    <message>
        <source>Pair</source>
        <translation>Paar</translation>
    </message>
    <message>
        <source>Pairs</source>
        <translation>Paare</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Vermerke</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>How complete</source>
        <translation>Wie vollständig</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Proben</translation>
    </message>
    <message>
        <source>Lines understood</source>
        <translation>Verstandene Zeilen</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>Operation</source>
        <translation>Operation</translation>
    </message>
    <message>
        <source>Operations</source>
        <translation>Operationen</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>Messgröße</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Urteil</translation>
    </message>
    <message>
        <source>Interval</source>
        <translation>Intervall</translation>
    </message>
    <message>
        <source>To know more</source>
        <translation>Um mehr zu wissen</translation>
    </message>
    <message>
        <source>Entries</source>
        <translation>Einträge</translation>
    </message>
    <message>
        <source>Base</source>
        <translation>Basis</translation>
    </message>
    <message>
        <source>Bind DN</source>
        <translation>Bind-DN</translation>
    </message>
    <message>
        <source>Client</source>
        <translation>Client</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>Gruppe</translation>
    </message>
    <message>
        <source>Share of time</source>
        <translation>Anteil der Zeit</translation>
    </message>
    <message>
        <source>Time in all</source>
        <translation>Zeit insgesamt</translation>
    </message>
    <message>
        <source>Longest</source>
        <translation>Längste</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Unindexed</source>
        <translation>Ohne Index</translation>
    </message>
    <message>
        <source>Knob</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>In force</source>
        <translation>In Kraft</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>Standard</translation>
    </message>
    <message>
        <source>Advised</source>
        <translation>Empfohlen</translation>
    </message>
    <message>
        <source>Takes effect</source>
        <translation>Wirkt</translation>
    </message>
    <message>
        <source>Risk</source>
        <translation>Risiko</translation>
    </message>
    <message>
        <source>What it is</source>
        <translation>Was es ist</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
    <message>
        <source>Now (A)</source>
        <translation>Jetzt (A)</translation>
    </message>
    <message>
        <source>With the change (B)</source>
        <translation>Mit der Änderung (B)</translation>
    </message>
    <message>
        <source>Works</source>
        <translation>Wirkt</translation>
    </message>
    <message>
        <source>Mind</source>
        <translation>Zu beachten</translation>
    </message>
    <message>
        <source>Takes values</source>
        <translation>Nimmt Werte</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>Nr.</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Vorher</translation>
    </message>
    <message>
        <source>Asked</source>
        <translation>Verlangt</translation>
    </message>
    <message>
        <source>Got</source>
        <translation>Erhalten</translation>
    </message>
    <message>
        <source>Changed at</source>
        <translation>Geändert um</translation>
    </message>
    <message>
        <source>Proof</source>
        <translation>Nachweis</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>What was seen</source>
        <translation>Was zu sehen war</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>Was zu tun ist</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>What they do</source>
        <translation>Was sie tun</translation>
    </message>
    <message>
        <source>From the request&apos;s arrival to its result</source>
        <translation>Von der Ankunft der Anfrage bis zum Ergebnis</translation>
    </message>
    <message>
        <source>Of it, waiting in the work queue</source>
        <translation>Davon Warten in der Warteschlange</translation>
    </message>
    <message>
        <source>Of it, at work</source>
        <translation>Davon Arbeit</translation>
    </message>
    <message>
        <source>LDAP result code</source>
        <translation>LDAP-Ergebniscode</translation>
    </message>
    <message>
        <source>U, A: unindexed; P: paged; F: filter</source>
        <translation>U, A: ohne Index; P: seitenweise; F: Filter</translation>
    </message>
    <message>
        <source>Values are left out</source>
        <translation>Werte sind weggelassen</translation>
    </message>
    <message>
        <source>Who asked; empty is anonymous</source>
        <translation>Wer fragte; leer heißt anonym</translation>
    </message>
    <message>
        <source>Of the etimes of all operations found</source>
        <translation>Von den etimes aller gefundenen Operationen</translation>
    </message>
    <message>
        <source>Result codes that tell of a failure</source>
        <translation>Ergebniscodes, die von einem Fehlschlag zeugen</translation>
    </message>
    <message>
        <source>Notes U or A</source>
        <translation>Vermerke U oder A</translation>
    </message>
    <message>
        <source>What other evidence shows</source>
        <translation>Was andere Belege zeigen</translation>
    </message>
    <message>
        <source>What the advice for the open session would set</source>
        <translation>Was der Rat zur offenen Sitzung setzen würde</translation>
    </message>
    <message>
        <source>As it was</source>
        <translation>Wie es war</translation>
    </message>
    <message>
        <source>With the change</source>
        <translation>Mit der Änderung</translation>
    </message>
    <message>
        <source>In a typical pair of windows; below ×1 is better</source>
        <translation>In einem typischen Paar von Fenstern; unter ×1 ist besser</translation>
    </message>
    <message>
        <source>Adjusted for looking at several metrics</source>
        <translation>Bereinigt dafür, dass mehrere Messgrößen betrachtet werden</translation>
    </message>
    <message>
        <source>p50 of the etime, nearest rank</source>
        <translation>p50 der etime, nächster Rang</translation>
    </message>
    <message>
        <source>p90 of the etime, nearest rank</source>
        <translation>p90 der etime, nächster Rang</translation>
    </message>
    <message>
        <source>p95 of the etime, nearest rank</source>
        <translation>p95 der etime, nächster Rang</translation>
    </message>
    <message>
        <source>p99 of the etime, nearest rank</source>
        <translation>p99 der etime, nächster Rang</translation>
    </message>
    <message>
        <source>p99.9 of the etime, nearest rank</source>
        <translation>p99.9 der etime, nächster Rang</translation>
    </message>
    <message>
        <source>max of the etime, nearest rank</source>
        <translation>max der etime, nächster Rang</translation>
    </message>
    <message>
        <source>✓ works</source>
        <translation>✓ geht</translation>
    </message>
    <message>
        <source>absent</source>
        <translation>nicht gesetzt</translation>
    </message>
    <message>
        <source>not seen</source>
        <translation>nicht beobachtet</translation>
    </message>
    <message>
        <source>✗ fails</source>
        <translation>✗ scheitert</translation>
    </message>
    <message>
        <source>access log</source>
        <translation>Zugriffsprotokoll</translation>
    </message>
    <message>
        <source>error log</source>
        <translation>Fehlerprotokoll</translation>
    </message>
    <message>
        <source>audit log</source>
        <translation>Auditprotokoll</translation>
    </message>
    <message>
        <source>monitor</source>
        <translation>Zähler</translation>
    </message>
    <message>
        <source>stacks</source>
        <translation>Stapel</translation>
    </message>
    <message>
        <source>histogram</source>
        <translation>Histogramm</translation>
    </message>
    <message>
        <source>config</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>summary</source>
        <translation>Zusammenfassung</translation>
    </message>
    <message>
        <source>complete</source>
        <translation>vollständig</translation>
    </message>
    <message>
        <source>partial</source>
        <translation>teilweise</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>fehlt</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>gescheitert</translation>
    </message>
    <message>
        <source>A, as it was</source>
        <translation>A, wie es war</translation>
    </message>
    <message>
        <source>B, with the change</source>
        <translation>B, mit der Änderung</translation>
    </message>
    <message>
        <source>share over the limit</source>
        <translation>Anteil über der Grenze</translation>
    </message>
    <message>
        <source>length of a stall</source>
        <translation>Länge eines Staus</translation>
    </message>
    <message>
        <source>time stalled</source>
        <translation>Zeit im Stau</translation>
    </message>
    <message>
        <source>number of stalls</source>
        <translation>Zahl der Staus</translation>
    </message>
    <message>
        <source>better</source>
        <translation>besser</translation>
    </message>
    <message>
        <source>worse</source>
        <translation>schlechter</translation>
    </message>
    <message>
        <source>suggests better</source>
        <translation>deutet auf besser</translation>
    </message>
    <message>
        <source>suggests worse</source>
        <translation>deutet auf schlechter</translation>
    </message>
    <message>
        <source>immaterial</source>
        <translation>unerheblich</translation>
    </message>
    <message>
        <source>no material change</source>
        <translation>keine erhebliche Änderung</translation>
    </message>
    <message>
        <source>inconclusive</source>
        <translation>offen</translation>
    </message>
    <message>
        <source>insufficient</source>
        <translation>zu wenig Daten</translation>
    </message>
    <message>
        <source>not comparable</source>
        <translation>nicht vergleichbar</translation>
    </message>
    <message>
        <source>at once</source>
        <translation>sofort</translation>
    </message>
    <message>
        <source>after a restart</source>
        <translation>nach Neustart</translation>
    </message>
    <message>
        <source>server stopped</source>
        <translation>bei stehendem Server</translation>
    </message>
    <message>
        <source>set with the server stopped</source>
        <translation>gesetzt bei stehendem Server</translation>
    </message>
    <message>
        <source>low</source>
        <translation>gering</translation>
    </message>
    <message>
        <source>medium</source>
        <translation>mittel</translation>
    </message>
    <message>
        <source>high</source>
        <translation>hoch</translation>
    </message>
    <message>
        <source>OPEN: perhaps written</source>
        <translation>OFFEN: vielleicht geschrieben</translation>
    </message>
    <message>
        <source>OPEN: in place</source>
        <translation>OFFEN: gesetzt</translation>
    </message>
    <message>
        <source>OPEN: being reverted</source>
        <translation>OFFEN: wird zurückgenommen</translation>
    </message>
    <message>
        <source>reverted</source>
        <translation>zurückgenommen</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>behalten</translation>
    </message>
    <message>
        <source>refused by the server</source>
        <translation>vom Server abgelehnt</translation>
    </message>
    <message>
        <source>done, nothing to revert</source>
        <translation>erledigt, nichts zurückzunehmen</translation>
    </message>
    <message>
        <source>works at once</source>
        <translation>wirkt sofort</translation>
    </message>
    <message>
        <source>needs a restart</source>
        <translation>braucht einen Neustart</translation>
    </message>
    <message>
        <source>needs the server stopped</source>
        <translation>braucht einen stehenden Server</translation>
    </message>
    <message>
        <source>low risk</source>
        <translation>geringes Risiko</translation>
    </message>
    <message>
        <source>medium risk</source>
        <translation>mittleres Risiko</translation>
    </message>
    <message>
        <source>high risk</source>
        <translation>hohes Risiko</translation>
    </message>
    <message>
        <source>likely the cause</source>
        <translation>wahrscheinlich die Ursache</translation>
    </message>
    <message>
        <source>may matter</source>
        <translation>kann wichtig sein</translation>
    </message>
    <message>
        <source>worth knowing</source>
        <translation>gut zu wissen</translation>
    </message>
    <message>
        <source>etime over time</source>
        <translation>etime im Zeitverlauf</translation>
    </message>
    <message>
        <source>etime by percentile</source>
        <translation>etime nach Perzentil</translation>
    </message>
    <message>
        <source>Pair by pair</source>
        <translation>Paar für Paar</translation>
    </message>
    <message>
        <source>B / A by metric, with interval</source>
        <translation>B / A je Messgröße, mit Intervall</translation>
    </message>
    <message>
        <source>B / A at every percentile, all operations</source>
        <translation>B / A bei jedem Perzentil, alle Operationen</translation>
    </message>
    <message>
        <source>Histogram, powers of two</source>
        <translation>Histogramm, Zweierpotenzen</translation>
    </message>
    <message>
        <source>How many took longer</source>
        <translation>Wie viele dauerten länger</translation>
    </message>
    <message>
        <source>Calls by bucket</source>
        <translation>Aufrufe je Klasse</translation>
    </message>
    <message>
        <source>Beyond each bucket</source>
        <translation>Jenseits jeder Klasse</translation>
    </message>
    <message>
        <source>of a million calls</source>
        <translation>von einer Million Aufrufen</translation>
    </message>
    <message>
        <source>time of a call</source>
        <translation>Zeit eines Aufrufs</translation>
    </message>
    <message>
        <source>value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Quantity</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Of</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Ranges</source>
        <translation>Bereiche</translation>
    </message>
    <message>
        <source>apart</source>
        <translation>getrennt</translation>
    </message>
    <message>
        <source>overlap</source>
        <translation>überlappen</translation>
    </message>
    <message>
        <source>from</source>
        <translation>ab</translation>
    </message>
    <message>
        <source>percentile (the further right, the rarer)</source>
        <translation>Perzentil (je weiter rechts, desto seltener)</translation>
    </message>
    <message>
        <source>percentile (cut where too few stalls tell of it)</source>
        <translation>Perzentil (endet, wo zu wenige Staus davon zeugen)</translation>
    </message>
    <message>
        <source>% of operations</source>
        <translation>% der Operationen</translation>
    </message>
    <message>
        <source>of a million operations</source>
        <translation>von einer Million Operationen</translation>
    </message>
    <message>
        <source>1 operation</source>
        <translation>1 Operation</translation>
    </message>
    <message>
        <source>up to {count} in {seconds} s</source>
        <translation>bis zu {count} in {seconds} s</translation>
    </message>
    <message>
        <source>window of A</source>
        <translation>Fenster von A</translation>
    </message>
    <message>
        <source>window of B</source>
        <translation>Fenster von B</translation>
    </message>
    <message>
        <source>a change, a restart, a mark</source>
        <translation>eine Änderung, ein Neustart, eine Marke</translation>
    </message>
    <message>
        <source>left of ×1: B is better; right: B is worse</source>
        <translation>links von ×1: B ist besser; rechts: B ist schlechter</translation>
    </message>
    <message>
        <source>B better in this pair</source>
        <translation>B besser in diesem Paar</translation>
    </message>
    <message>
        <source>B worse</source>
        <translation>B schlechter</translation>
    </message>
    <message>
        <source>established better</source>
        <translation>erwiesen besser</translation>
    </message>
    <message>
        <source>established worse</source>
        <translation>erwiesen schlechter</translation>
    </message>
    <message>
        <source>not established</source>
        <translation>nicht erwiesen</translation>
    </message>
    <message>
        <source>too small to matter</source>
        <translation>zu klein, um zu zählen</translation>
    </message>
    <message>
        <source>B / A: below ×1, B is quicker</source>
        <translation>B / A: unter ×1 ist B schneller</translation>
    </message>
    <message>
        <source>95 % band at each percentile</source>
        <translation>95-%-Band bei jedem Perzentil</translation>
    </message>
    <message>
        <source>within 10 %</source>
        <translation>innerhalb von 10 %</translation>
    </message>
    <message>
        <source>{arm} ({count} operations)</source>
        <translation>{arm} ({count} Operationen)</translation>
    </message>
    <message>
        <source>Arrows move, + and - zoom, Home shows all, C copies the numbers, D shows them as a table.</source>
        <translation>Pfeile verschieben, + und - ändern den Maßstab, Pos1 zeigt alles, C kopiert die Zahlen, D zeigt sie als Tabelle.</translation>
    </message>
    <message>
        <source>Time (UTC)</source>
        <translation>Zeit (UTC)</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Longest, up to</source>
        <translation>Längste, bis zu</translation>
    </message>
    <message>
        <source>Operations at least that long</source>
        <translation>Operationen, mindestens so lang</translation>
    </message>
    <message>
        <source>Percentile</source>
        <translation>Perzentil</translation>
    </message>
    <message>
        <source>Low</source>
        <translation>Unten</translation>
    </message>
    <message>
        <source>High</source>
        <translation>Oben</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>Reihenfolge</translation>
    </message>
    <message>
        <source>A low</source>
        <translation>A unten</translation>
    </message>
    <message>
        <source>A high</source>
        <translation>A oben</translation>
    </message>
    <message>
        <source>B low</source>
        <translation>B unten</translation>
    </message>
    <message>
        <source>B high</source>
        <translation>B oben</translation>
    </message>
    <message>
        <source>Stalls</source>
        <translation>Staus</translation>
    </message>
    <message>
        <source>An hour</source>
        <translation>Je Stunde</translation>
    </message>
    <message>
        <source>Stalled, or operations</source>
        <translation>Im Stau, oder Operationen</translation>
    </message>
    <message>
        <source>Longest, or length</source>
        <translation>Längster, oder Länge</translation>
    </message>
    <message>
        <source>Worst etime, as the log shows it</source>
        <translation>Schlimmste etime, wie das Protokoll sie zeigt</translation>
    </message>
    <message>
        <source>Operations in flight</source>
        <translation>Operationen in Arbeit</translation>
    </message>
    <message>
        <source>Waiting for a thread</source>
        <translation>Warten auf einen Thread</translation>
    </message>
    <message>
        <source>Entry cache hits</source>
        <translation>Treffer im Eintragscache</translation>
    </message>
    <message>
        <source>Database cache hits</source>
        <translation>Treffer im Datenbankcache</translation>
    </message>
    <message>
        <source>Connections</source>
        <translation>Verbindungen</translation>
    </message>
    <message>
        <source>Disk busy</source>
        <translation>Platte beschäftigt</translation>
    </message>
    <message>
        <source>Disk wait</source>
        <translation>Warten auf die Platte</translation>
    </message>
    <message>
        <source>Size of a read</source>
        <translation>Größe eines Lesens</translation>
    </message>
    <message>
        <source>Log since the checkpoint</source>
        <translation>Log seit dem Checkpoint</translation>
    </message>
    <message>
        <source>Processors idle</source>
        <translation>Prozessoren untätig</translation>
    </message>
    <message>
        <source>reads</source>
        <translation>Lesen</translation>
    </message>
    <message>
        <source>writes</source>
        <translation>Schreiben</translation>
    </message>
    <message>
        <source>Counters of the server, once a second</source>
        <translation>Zähler des Servers, einmal je Sekunde</translation>
    </message>
    <message>
        <source>Access &amp;log</source>
        <translation>&amp;Zugriffsprotokoll</translation>
    </message>
    <message>
        <source>Every operation with its etime</source>
        <translation>Jede Operation mit ihrer etime</translation>
    </message>
    <message>
        <source>Er&amp;ror log</source>
        <translation>&amp;Fehlerprotokoll</translation>
    </message>
    <message>
        <source>What the server complained of</source>
        <translation>Worüber der Server sich beklagte</translation>
    </message>
    <message>
        <source>The disks, once a second; needs sysstat on the host</source>
        <translation>Die Platten, einmal je Sekunde; braucht sysstat auf dem Rechner</translation>
    </message>
    <message>
        <source>Pairs in random order: can establish a difference</source>
        <translation>Paare in zufälliger Reihenfolge: können einen Unterschied erweisen</translation>
    </message>
    <message>
        <source>Balanced order A B B A: for an operator who must know the order</source>
        <translation>Ausgewogene Reihenfolge A B B A: für den, der die Reihenfolge kennen muss</translation>
    </message>
    <message>
        <source>One A, then one B: can only suggest</source>
        <translation>Ein A, dann ein B: kann nur andeuten</translation>
    </message>
    <message>
        <source>Share of operations over the limit</source>
        <translation>Anteil der Operationen über der Grenze</translation>
    </message>
    <message>
        <source>p50 of the etime</source>
        <translation>p50 der etime</translation>
    </message>
    <message>
        <source>p95 of the etime</source>
        <translation>p95 der etime</translation>
    </message>
    <message>
        <source>p99 of the etime</source>
        <translation>p99 der etime</translation>
    </message>
    <message>
        <source>p99.9 of the etime</source>
        <translation>p99.9 der etime</translation>
    </message>
    <message>
        <source>Length of stalls</source>
        <translation>Länge der Staus</translation>
    </message>
    <message>
        <source>Time stalled in all</source>
        <translation>Zeit im Stau insgesamt</translation>
    </message>
    <message>
        <source>Number of stalls</source>
        <translation>Zahl der Staus</translation>
    </message>
    <message>
        <source>Ask me</source>
        <translation>Mich fragen</translation>
    </message>
    <message>
        <source>Keep it if it is better, else revert</source>
        <translation>Behalten, wenn es besser ist, sonst zurücknehmen</translation>
    </message>
    <message>
        <source>Revert it in any case</source>
        <translation>In jedem Fall zurücknehmen</translation>
    </message>
    <message>
        <source>The usual answer (p50)</source>
        <translation>Die übliche Antwort (p50)</translation>
    </message>
    <message>
        <source>One in a hundred (p99)</source>
        <translation>Eine von hundert (p99)</translation>
    </message>
    <message>
        <source>One in a thousand (p99.9)</source>
        <translation>Eine von tausend (p99.9)</translation>
    </message>
    <message>
        <source>Answers over the limit</source>
        <translation>Antworten über der Grenze</translation>
    </message>
    <message>
        <source>Not encrypted</source>
        <translation>Unverschlüsselt</translation>
    </message>
    <message>
        <source>Over SSH</source>
        <translation>Über SSH</translation>
    </message>
    <message>
        <source>The server runs on this machine</source>
        <translation>Der Server läuft auf diesem Rechner</translation>
    </message>
    <message>
        <source>Not at all: LDAP counters only</source>
        <translation>Gar nicht: nur die Zähler über LDAP</translation>
    </message>
    <message>
        <source>Export &amp;Markdown …</source>
        <translation>Als &amp;Markdown ausgeben …</translation>
    </message>
    <message>
        <source>Export &amp;PDF …</source>
        <translation>Als &amp;PDF ausgeben …</translation>
    </message>
    <message>
        <source>E&amp;xport HTML …</source>
        <translation>Als HTM&amp;L ausgeben …</translation>
    </message>
    <message>
        <source>For a ticket or a wiki</source>
        <translation>Für ein Ticket oder ein Wiki</translation>
    </message>
    <message>
        <source>For print</source>
        <translation>Zum Drucken</translation>
    </message>
    <message>
        <source>One self-contained file with its charts</source>
        <translation>Eine Datei, die alles enthält, auch die Diagramme</translation>
    </message>
    <message>
        <source>LDAP address</source>
        <translation>LDAP-Adresse</translation>
    </message>
    <message>
        <source>LDAP port</source>
        <translation>LDAP-Port</translation>
    </message>
    <message>
        <source>LDAP connection</source>
        <translation>LDAP-Verbindung</translation>
    </message>
    <message>
        <source>bind</source>
        <translation>Anmeldung (Bind)</translation>
    </message>
    <message>
        <source>SSH port</source>
        <translation>SSH-Port</translation>
    </message>
    <message>
        <source>SSH host key</source>
        <translation>SSH-Hostschlüssel</translation>
    </message>
    <message>
        <source>host login</source>
        <translation>Anmeldung am Rechner</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>Es beginnt</translation>
    </message>
    <message>
        <source>Checking the plan against the server</source>
        <translation>Der Plan wird am Server geprüft</translation>
    </message>
    <message>
        <source>Applying the change</source>
        <translation>Die Änderung wird angewandt</translation>
    </message>
    <message>
        <source>Taking the change back</source>
        <translation>Die Änderung wird zurückgenommen</translation>
    </message>
    <message>
        <source>Restarting the server</source>
        <translation>Der Server wird neu gestartet</translation>
    </message>
    <message>
        <source>Letting the server settle</source>
        <translation>Der Server beruhigt sich</translation>
    </message>
    <message>
        <source>Measuring</source>
        <translation>Es wird gemessen</translation>
    </message>
    <message>
        <source>Judging</source>
        <translation>Das Urteil wird gefällt</translation>
    </message>
    <message>
        <source>Waiting for your decision</source>
        <translation>Ihre Entscheidung ist gefragt</translation>
    </message>
    <message>
        <source>Done: the change was kept</source>
        <translation>Fertig: Die Änderung wurde behalten</translation>
    </message>
    <message>
        <source>Done: the change was reverted</source>
        <translation>Fertig: Die Änderung wurde zurückgenommen</translation>
    </message>
    <message>
        <source>Ended early</source>
        <translation>Vorzeitig beendet</translation>
    </message>
    <message>
        <source>IDs</source>
        <translation>Nummern</translation>
    </message>
    <message>
        <source>bits</source>
        <translation>Bit</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>Byte</translation>
    </message>
    <message>
        <source>connections</source>
        <translation>Verbindungen</translation>
    </message>
    <message>
        <source>databases</source>
        <translation>Datenbanken</translation>
    </message>
    <message>
        <source>descriptors</source>
        <translation>Deskriptoren</translation>
    </message>
    <message>
        <source>entries</source>
        <translation>Einträge</translation>
    </message>
    <message>
        <source>levels</source>
        <translation>Ebenen</translation>
    </message>
    <message>
        <source>lists</source>
        <translation>Listen</translation>
    </message>
    <message>
        <source>locks</source>
        <translation>Sperren</translation>
    </message>
    <message>
        <source>operations</source>
        <translation>Operationen</translation>
    </message>
    <message>
        <source>queues</source>
        <translation>Warteschlangen</translation>
    </message>
    <message>
        <source>requests</source>
        <translation>Anforderungen</translation>
    </message>
    <message>
        <source>searches</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>slots</source>
        <translation>Plätze</translation>
    </message>
    <message>
        <source>spins</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>transactions</source>
        <translation>Transaktionen</translation>
    </message>
    <message>
        <source>Checkpoint storms</source>
        <translation>Checkpoint-Stürme</translation>
    </message>
    <message>
        <source>Every minute the database writes a checkpoint, and while the pages modified since the last one go out, nearly every operation waits.</source>
        <translation>Jede Minute schreibt die Datenbank einen Checkpoint, und während die seit dem letzten geänderten Seiten hinausgehen, wartet fast jede Operation.</translation>
    </message>
    <message>
        <source>Healthy</source>
        <translation>Gesund</translation>
    </message>
    <message>
        <source>Nothing is wrong with this server.</source>
        <translation>Diesem Server fehlt nichts.</translation>
    </message>
    <message>
        <source>Read-ahead</source>
        <translation>Vorauslesen</translation>
    </message>
    <message>
        <source>The database is far larger than memory, so many requests read the disk, each at a random place.</source>
        <translation>Die Datenbank ist weit größer als der Speicher; darum lesen viele Anfragen von der Platte, jede an einer zufälligen Stelle.</translation>
    </message>
    <message>
        <source>Referint trains</source>
        <translation>Züge der referenziellen Integrität</translation>
    </message>
    <message>
        <source>Referential integrity takes deleted entries out of their groups, and here it does so once in 90 seconds for all deletions since.</source>
        <translation>Die referenzielle Integrität nimmt gelöschte Einträge aus ihren Gruppen, hier einmal in 90 Sekunden für alle Löschungen seither.</translation>
    </message>
    <message>
        <source>Password rehash on bind</source>
        <translation>Passwörter, bei der Anmeldung neu gehasht</translation>
    </message>
    <message>
        <source>The passwords of this directory are old {SSHA512} hashes, cheap to check.</source>
        <translation>Die Passwörter dieses Verzeichnisses sind alte Hashes nach {SSHA512}, billig zu prüfen.</translation>
    </message>
    <message>
        <source>Tiny caches</source>
        <translation>Winzige Caches</translation>
    </message>
    <message>
        <source>The entry cache of this server holds 4 MiB, some 750 entries of 40,000.</source>
        <translation>Der Eintragscache dieses Servers fasst 4 MiB, etwa 750 von 40,000 Einträgen.</translation>
    </message>
    <message>
        <source>Too many threads</source>
        <translation>Zu viele Threads</translation>
    </message>
    <message>
        <source>Somebody gave this server 384 worker threads for 4 cores, so that it would never run out of them.</source>
        <translation>Jemand gab diesem Server 384 Arbeitsthreads für 4 Kerne, damit sie ihm nie ausgehen.</translation>
    </message>
    <message>
        <source>Trap</source>
        <translation>Falle</translation>
    </message>
    <message>
        <source>This server writes a checkpoint every 15 seconds, and each goes on behind the scenes for several seconds more, during which everything is slower.</source>
        <translation>Dieser Server schreibt alle 15 Sekunden einen Checkpoint, und jeder geht hinter den Kulissen noch einige Sekunden weiter, in denen alles langsamer ist.</translation>
    </message>
    <message>
        <source>Sample: 389 DS, password rehash on bind</source>
        <translation>Beispiel: 389 DS, Passwörter bei der Anmeldung neu gehasht</translation>
    </message>
    <message>
        <source>A recording of our own lab, a real 389 DS 2.3: binds with and without the rehash of passwords, in six pairs.</source>
        <translation>Eine Aufzeichnung aus unserem Labor, ein echter 389 DS 2.3: Anmeldungen mit und ohne neues Hashen der Passwörter, in sechs Paaren.</translation>
    </message>
</context>
<context>
    <name>Workbench</name>
    <message>
        <source>Opening {name}</source>
        <translation>{name} wird geöffnet</translation>
    </message>
    <message>
        <source>Connecting to {name}</source>
        <translation>Verbindung mit {name}</translation>
    </message>
    <message>
        <source>Disconnecting</source>
        <translation>Verbindung wird getrennt</translation>
    </message>
    <message>
        <source>Reading the journal</source>
        <translation>Das Journal wird gelesen</translation>
    </message>
    <message>
        <source>Looking for a keyring</source>
        <translation>Ein Schlüsselbund wird gesucht</translation>
    </message>
    <message>
        <source>Getting ready</source>
        <translation>Vorbereitung</translation>
    </message>
    <message>
        <source>Keeping the password</source>
        <translation>Das Passwort wird aufbewahrt</translation>
    </message>
    <message>
        <source>Closing</source>
        <translation>Schließen</translation>
    </message>
</context>
</TS>
