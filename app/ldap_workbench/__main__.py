"""python -m ldap_workbench"""

from ldap_workbench.cli import main

if __name__ == "__main__":
    main()
