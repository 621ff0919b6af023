"""python -m ldap_workbench"""

import sys

from ldap_workbench.cli import main

if __name__ == "__main__":
    sys.exit(main())
