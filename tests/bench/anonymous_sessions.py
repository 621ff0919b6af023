"""Whether copies without names keep tails and findings.

    python -m tests.bench.anonymous_sessions [SESSION ...]

Without a name: the recorded sample. Prints processor seconds; ends with 1 where something differs.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from ldap_workbench.practice.samples import samples
from ldap_workbench.report.anonymous.copy import anonymise
from tests.unit.report.test_anonymous import told


def main(paths: list[Path]) -> int:
    """Anonymise each and compare; returns how many differ."""
    differ = 0
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            copy, began = Path(folder) / "copy.ldapwb", time.process_time()
            anonymise(path, copy)
            spent = time.process_time() - began
            same = told(copy) == told(path)
            differ += not same
            print(f"{path.name}: {'same' if same else 'DIFFERS'}, {spent:.1f} s")
    return differ


if __name__ == "__main__":
    named = [Path(name) for name in sys.argv[1:]]
    sys.exit(main(named or [each.copy() for each in samples()]) > 0)
