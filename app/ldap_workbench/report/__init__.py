"""A session told to people who were not there: HTML, Markdown, and files for other tools.

In comes a session file; out goes a report with what was changed, on which server, when and by what
design, how complete the windows are, tails, verdict, journal and the LDIF to apply and to undo; or
an export as Parquet, CSV or LDIF. Everything read from a log or a server is a stranger's text:
it is shown, never run. `report_model` holds the numbers, `to_html` and `to_markdown` the words,
the charts are SVG written here. Drawing a PDF needs Qt and is handed in by the window.
"""
