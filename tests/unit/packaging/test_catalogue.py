"""The catalogues are compiled before every run of tests, also by runs that begin at once."""

import runpy
import subprocess
import sys
from pathlib import Path

CATALOGUE = Path(__file__).parents[3] / "packaging/catalogue.py"
COMPILE = f"""
import runpy, sys
from pathlib import Path
compile_all = runpy.run_path({str(CATALOGUE)!r})["compile_all"]
compile_all.__globals__["TRANSLATIONS"] = Path(sys.argv[1])
compile_all()
"""
GREEK = """
msgid ""
msgstr "Content-Type: text/plain; charset=utf-8"

msgid "word"
msgstr "λέξη"
"""


def test_two_processes_may_compile_a_catalogue_at_the_same_time(tmp_path):
    (tmp_path / "el.po").write_text(GREEK, encoding="utf-8")
    compile_all = runpy.run_path(str(CATALOGUE))["compile_all"]
    names = compile_all.__globals__
    names["TRANSLATIONS"] = tmp_path
    write = names["write_mo"]

    def write_after_another(stream, catalogue):
        subprocess.run([sys.executable, "-c", COMPILE, str(tmp_path)], check=True)
        write(stream, catalogue)

    names["write_mo"] = write_after_another
    compile_all()
    assert "λέξη".encode() in (tmp_path / "el.mo").read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"el.po", "el.mo"}
