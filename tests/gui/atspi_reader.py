"""Run by the system's Python, which has AT-SPI: what a screen reader is told of a program.

python3 atspi_reader.py PID: prints a list of {role, name, value} as JSON; a value of numbers only.
"""

import json
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402

MOST = 60
"""Children of one parent that are read: a table has thousands of cells."""


def program(pid):
    """The program on the desktop; it appears there a moment after its window."""
    for _ in range(300):
        desktop = Atspi.get_desktop(0)
        for number in range(desktop.get_child_count()):
            each = desktop.get_child_at_index(number)
            if each and each.get_process_id() == pid:
                return each
        time.sleep(0.1)
    raise SystemExit(f"AT-SPI shows no program {pid}")


def read(each, found):
    if not each.get_state_set().contains(Atspi.StateType.VISIBLE):
        return
    role = each.get_role_name()
    # Every answer is a turn through two processes and their bus: what no test asks for is not read.
    value = each.get_value_iface() if "spin" in role else None
    found.append(
        {
            "role": role,
            "name": each.get_name(),
            "value": Atspi.Value.get_current_value(value) if value else None,
        }
    )
    for number in range(min(each.get_child_count(), MOST)):
        child = each.get_child_at_index(number)
        if child:
            read(child, found)


def main():
    found = []
    top = program(int(sys.argv[1]))
    for number in range(top.get_child_count()):
        read(top.get_child_at_index(number), found)
    json.dump(found, sys.stdout)


main()
