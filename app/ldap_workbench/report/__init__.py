"""A session told to people who were not there: HTML, Markdown, and files for other tools.

In comes a session file; out goes a report with what was changed, on which server, when and by what
design, how complete the windows are, tails, verdict, journal and the LDIF to apply and to undo; or
an export as Parquet, CSV or LDIF. Everything read from a log or a server is a stranger's text:
it is shown, never run. `report_model` holds the numbers, `to_html` and `to_markdown` the words,
the charts are SVG written here. Drawing a PDF needs Qt and is handed in by the window.
"""

from ldap_workbench.report.campaign import campaign_html, write_campaign_report
from ldap_workbench.report.export import export
from ldap_workbench.report.html import to_html
from ldap_workbench.report.ldif import ldif_files
from ldap_workbench.report.markdown import to_markdown
from ldap_workbench.report.model import report_model
from ldap_workbench.report.parts import ReportModel
from ldap_workbench.report.write import write_report

__all__ = [
    "ReportModel",
    "campaign_html",
    "export",
    "ldif_files",
    "report_model",
    "to_html",
    "to_markdown",
    "write_campaign_report",
    "write_report",
]
