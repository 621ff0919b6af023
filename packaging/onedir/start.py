"""Where the frozen program starts.

It stands in for the interpreter, too: our modules start each other as `python -P -m MODULE`
(`connect/children.py`), and of a frozen program `python` is the program itself.
"""

import os
import sys

_PLUGINS = "PySide6/plugins" if sys.platform == "win32" else "PySide6/Qt/plugins"


def main() -> None:
    """Run the module that is asked for, else the command."""
    # A desktop may name the folder of its own, which belong to another Qt.
    os.environ["QT_PLUGIN_PATH"] = os.path.join(sys._MEIPASS, _PLUGINS)
    if sys.argv[1:3] == ["-P", "-m"] and sys.argv[3].startswith("ldap_workbench."):
        import runpy

        del sys.argv[1:3]
        runpy.run_module(sys.argv.pop(1), run_name="__main__")
        return
    from ldap_workbench.cli import process

    process()


if __name__ == "__main__":
    main()
