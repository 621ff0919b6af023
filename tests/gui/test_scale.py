"""At 100, 150 and 200 percent, in both languages, on a small screen too: no text is cut."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SEEN = [
    # What is hardest at once: German is the longer one, the screen small, and its scale not one.
    ("2.0", "de", (1024, 700)),
    pytest.param("1.0", "en", (1024, 700), marks=pytest.mark.full),
    pytest.param("1.0", "de", (1024, 700), marks=pytest.mark.full),
    pytest.param("1.5", "de", (1400, 900), marks=pytest.mark.full),
    pytest.param("2.0", "en", (1400, 900), marks=pytest.mark.full),
]


@pytest.mark.slow
@pytest.mark.stall_allowed  # another process is at work
@pytest.mark.parametrize(("scale", "language", "size"), SEEN)
def test_no_text_is_cut(qapp, home, session_file, scale, language, size):
    around = dict(os.environ, QT_SCALE_FACTOR=scale, QT_QPA_PLATFORM="offscreen")
    words = [str(session_file), language, *map(str, size)]
    command = [sys.executable, "-m", "tests.gui.cut", *words]
    done = subprocess.run(
        command, cwd=ROOT, env=around, check=True, capture_output=True, text=True, timeout=120
    )
    *cut, last = done.stdout.splitlines()
    assert cut == []
    _, count, ratio, translators = last.split()
    assert int(count) > 150
    assert float(ratio) == float(scale)
    assert (int(translators) > 0) == (language != "en")
