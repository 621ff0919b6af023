"""Make what is shipped of the kernel: python -m ldap_workbench.logs.access.kernel.ship

To be run after every change of the kernel, where llvmlite, numba and ld are; a test says when it
was forgotten. The same sources, LLVM and ld give the same bytes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

_OF_THE_MACHINE = ("target ", "source_filename")
_NAME = re.compile(r".*?kernel\d+[a-z0-9]*?[a-z](?:\d+)(_?[a-z][a-z0-9_]*?)B\d+v.*")


def _without_wrappers(code: str) -> str:
    """numba's module without what only its own dispatcher calls, and without its machine."""
    kept, skipping = [], False
    for line in code.splitlines():
        skipping |= line.startswith("define") and ("_ZN7cpython" in line or "cfunc." in line)
        if not skipping:
            kept.append(line)
        skipping &= line != "}"
    return _without_target("\n".join(kept))


def _without_target(code: str) -> str:
    lines = (line for line in code.splitlines() if not line.startswith(_OF_THE_MACHINE))
    return "\n".join(lines)


def _code(function: Any, name: str, signature: Any) -> str:
    function.compile(signature)
    code = _without_wrappers(function.inspect_llvm(function.signatures[0]))
    symbol = re.search(rf'^define [^@]*@"?(\w*\d+{name}B[^"(]*)"?\(', code, flags=re.MULTILINE)
    assert symbol is not None, f"{name} is not in its own code"
    from ldap_workbench.logs.access.kernel.shipped import PREFIX

    return code.replace(symbol[1], PREFIX + name)


_EVERY_LINE = (
    "_answered", "_connection", "_emit", "_read", "_requested", "_shape", "_value", "act", "body",
    "bracket_line", "bracket_time", "eight_digits", "fields", "find_conn", "find_open", "ids",
    "integer", "judge", "lookup", "number", "quote_end", "remove_open", "text_hash", "word_end",
)  # fmt: skip
"""What is worth a copy wherever it is called. All of them: 15 % faster than without, at a third
more code; with every function, machines would take seven seconds to translate it."""


def _optimised(module: Any) -> str:
    """The text of a linked module, of which LLVM now sees that nobody else calls its insides."""
    import llvmlite.binding as llvm  # type: ignore[import-untyped]

    from ldap_workbench.logs.access.kernel.shipped import PREFIX

    machine = llvm.Target.from_default_triple().create_target_machine(opt=3)
    module.data_layout = str(machine.target_data)
    for function in module.functions:
        if not function.is_declaration and not function.name.startswith(PREFIX):
            function.linkage = "internal"
            if _NAME.sub(r"\1", function.name) in _EVERY_LINE:
                function.add_function_attribute("alwaysinline")
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    passes.getModulePassManager().run(module, passes)
    return _without_target(str(module))


MACHINES = {"linux-x86_64": ("x86_64-unknown-linux-gnu", "x86-64")}
"""Machines that get machine code: LLVM's name for the system, and for the oldest processor. What
newer processors can is no faster here (922 MB/s, 882 and 872 for x86-64-v2 and v3)."""


def _write_library(code: str, machine: str, folder: Path) -> Path:
    """A library of the machine code. It calls nothing, so any system of its kind takes it."""
    import llvmlite.binding as llvm

    from ldap_workbench.logs.access.kernel.shipped import library_name

    triple, processor = MACHINES[machine]
    target = llvm.Target.from_triple(triple).create_target_machine(
        cpu=processor, opt=2, reloc="pic", codemodel="small"
    )
    module = llvm.parse_assembly(code)
    module.triple, module.data_layout = triple, str(target.target_data)
    library = folder / Path(library_name(machine)).name
    with tempfile.NamedTemporaryFile(suffix=".o") as file:
        file.write(target.emit_object(module))
        file.flush()
        linked: list[str] = ["ld", "-shared", "-s", "-z", "defs", "-o", str(library), file.name]
        subprocess.run(linked, check=True)
    library.chmod(0o644)
    return library


def _write_archive(code: str, path: Path) -> None:
    from ldap_workbench.logs.access.kernel.compiled import digest
    from ldap_workbench.logs.access.kernel.shipped import CODE, DIGEST

    with zipfile.ZipFile(path, "w") as archive:
        for name, text in ((DIGEST, digest()), (CODE, code)):
            # A fixed time: the same sources give the same archive.
            info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            archive.writestr(info, text, zipfile.ZIP_LZMA)


def main(folder: Path) -> None:
    """Compile with numba, link, optimise as a whole, write the archive and the libraries."""
    os.environ["LDAP_WORKBENCH_KERNEL"] = "numba"
    # What numba has in its cache it cannot show as text.
    os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp()
    import llvmlite.binding as llvm
    from numba import types

    from ldap_workbench.logs.access.kernel import objects, scan, tables
    from ldap_workbench.logs.access.kernel.shipped import ARCHIVE, ARGUMENTS

    module = None
    for name, arguments in ARGUMENTS.items():
        function = next(getattr(m, name) for m in (scan, objects, tables) if name in vars(m))
        kinds = [types.boolean if a.__name__ == "c_ubyte" else types.int64 for a in arguments]
        part = llvm.parse_assembly(_code(function, name, tuple(kinds)))
        if module is None:
            module = part
        else:
            module.link_in(part)
    code = _optimised(module)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.so"):
        old.unlink()
    _write_archive(code, archive := folder / Path(ARCHIVE).name)
    for path in (archive, *(_write_library(code, machine, folder) for machine in MACHINES)):
        print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "resources/kernel"))
