"""What the screens share.

The open session, the connected server, the journal, background jobs, settings, and the base class
of a screen.
"""

from ldap_workbench.gui.workbench.connection import Connection, ServerWork
from ldap_workbench.gui.workbench.open_session import OpenSession
from ldap_workbench.gui.workbench.state import Workbench

__all__ = ["Connection", "OpenSession", "ServerWork", "Workbench"]
