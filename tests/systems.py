"""What differs between the systems that the tests run on."""

import os
import sys

IS_ROOT = sys.platform != "win32" and os.geteuid() == 0
KILLED = 9 if sys.platform == "win32" else -9
"""Return code of a process after `os.kill(its own id, 9)`."""
