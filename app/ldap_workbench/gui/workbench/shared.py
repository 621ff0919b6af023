"""What every window of one program shares: its settings, and the one experiment at work."""

from __future__ import annotations

import sys

from ldap_workbench.gui.workbench.running import Running
from ldap_workbench.gui.workbench.settings import Settings


class Shared:
    """Each workbench takes it and lets go of it; the last one closes it."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.running = Running()
        self._users = 0

    def take(self) -> None:
        """One more workbench uses it."""
        self._users += 1

    def let_go(self) -> None:
        """One workbench fewer uses it."""
        self._users -= 1
        if self._users:
            return
        try:
            self.settings.close()
        except OSError as error:
            # The last window is on its way out: there is no other place to say it.
            sys.stderr.write(f"The settings of the window were not kept: {error}\n")
