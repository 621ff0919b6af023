"""Make the archive of shipped LLVM code: python -m ldap_workbench.logs.kernel.ship

To be run after every change of the kernel; a test says when it was forgotten.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any


def _without_wrappers(code: str) -> str:
    """numba's module without what only its own dispatcher calls, and without its machine."""
    kept, skipping = [], False
    for line in code.splitlines():
        skipping |= line.startswith("define") and ("_ZN7cpython" in line or "cfunc." in line)
        if not skipping and not line.startswith(("target ", "source_filename")):
            kept.append(line)
        skipping &= line != "}"
    return "\n".join(kept)


def _code(function: Any, name: str, signature: Any) -> str:
    function.compile(signature)
    code = _without_wrappers(function.inspect_llvm(function.signatures[0]))
    symbol = re.search(rf'^define [^@]*@"?(\w*\d+{name}B[^"(]*)"?\(', code, flags=re.MULTILINE)
    assert symbol is not None, f"{name} is not in its own code"
    return code.replace(symbol[1], f"ldap_workbench_{name}")


def main(path: Path) -> None:
    """Compile with numba, link, write the archive."""
    os.environ["LDAP_WORKBENCH_KERNEL"] = "numba"
    # What numba has in its cache it cannot show as text.
    os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp()
    import llvmlite.binding as llvm  # type: ignore[import-untyped]
    from numba import types

    from ldap_workbench.logs.kernel import objects, scan, tables
    from ldap_workbench.logs.kernel.compiled import digest
    from ldap_workbench.logs.kernel.shipped import ARGUMENTS, CODE, DIGEST

    module = None
    for name, arguments in ARGUMENTS.items():
        function = next(getattr(m, name) for m in (scan, objects, tables) if name in vars(m))
        kinds = [types.boolean if a.__name__ == "c_ubyte" else types.int64 for a in arguments]
        part = llvm.parse_assembly(_code(function, name, tuple(kinds)))
        if module is None:
            module = part
        else:
            module.link_in(part)
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in ((DIGEST, digest()), (CODE, str(module))):
            # A fixed time: the same sources give the same archive.
            info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            archive.writestr(info, text, zipfile.ZIP_LZMA)
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "resources/kernel/kernel.zip"))
