"""The kernel as shipped: machine code for Linux on x86-64, LLVM code to translate elsewhere."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ldap_workbench.logs.access.kernel.compiled import WAY, cache_folder, digest
from ldap_workbench.resources import resource

ARCHIVE = "kernel/kernel.zip"
CODE, DIGEST = "kernel.ll", "digest"
ARGUMENTS = {
    "scan": (ctypes.c_int64,) * 4 + (ctypes.c_uint8,),
    "flatten": (ctypes.c_int64,) * 3,
    "rehash_strings": (ctypes.c_int64,) * 6,
    "rehash_open": (ctypes.c_int64,) * 4,
    "rehash_conns": (ctypes.c_int64,) * 5,
}
"""The functions that Python calls; each is in the archive as PREFIX + name."""
PREFIX = "ldap_workbench_"
_in_use: list[Callable[[str], int]] = []
"""What holds the machine code, which is gone with the engine that made it."""
_SUM = 32
"""Kept machine code begins with its SHA-256."""


def library_name(machine: str) -> str:
    """The file of machine code for a kind of machine, of these sources and no others."""
    return f"kernel/{machine}-{digest()}.so"


def _library_path() -> Path | None:
    """The machine code that is shipped for this machine, None where there is none."""
    if WAY == "llvm":
        return None
    try:
        return resource(library_name(f"{sys.platform}-{platform.machine()}"))
    except FileNotFoundError:
        return None


def is_kept() -> bool:
    """Whether there is machine code, shipped or of an earlier start: nothing to translate."""
    if _library_path() is not None:
        return True
    try:
        return _path().exists()
    except (OSError, ModuleNotFoundError):  # a folder this user may not look into; no llvmlite
        return False


def load() -> dict[str, Callable[..., int]] | None:
    """The entry functions, or None where the shipped code is not of these sources.

    Calls run without the GIL.
    """
    address_of = _library() or _translated()
    if address_of is None:
        return None
    _in_use.append(address_of)
    return {name: _function(address_of(PREFIX + name), name) for name in ARGUMENTS}


def _library() -> Callable[[str], int] | None:
    """Where the functions of the shipped machine code are."""
    if (path := _library_path()) is None:
        return None
    try:
        library = ctypes.CDLL(str(path))
    except OSError:  # a folder from which nothing may be executed
        return None
    return lambda name: ctypes.cast(library[name], ctypes.c_void_p).value or 0


def _translated() -> Callable[[str], int] | None:
    """Where the functions of the translated code are."""
    try:
        engine = _engine()
    except (RuntimeError, ModuleNotFoundError):  # another LLVM, which does not read this; or none
        return None
    return None if engine is None else lambda name: int(engine.get_function_address(name))


def _engine() -> Any:
    """An engine that holds the machine code: kept from an earlier start, or translated now."""
    import llvmlite.binding as llvm  # type: ignore[import-untyped]

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    processor = llvm.get_host_cpu_name()
    path = _path()
    machine_code = _kept(path)
    text = "" if machine_code is not None else shipped_code()
    if text is None:
        return None
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=processor, features=llvm.get_host_cpu_features().flatten(), opt=2, jit=True
    )
    module = llvm.parse_assembly(text)
    module.triple = llvm.get_default_triple()
    module.data_layout = str(machine.target_data)
    engine = llvm.create_mcjit_compiler(module, machine)
    if machine_code is not None:
        engine.add_object_file(machine_code)
    else:
        engine.set_object_cache(lambda _, made: _keep(path, made), lambda _: None)
    engine.finalize_object()
    return engine


def _path() -> Path:
    """Where the machine code for this processor is kept."""
    import llvmlite.binding as llvm

    return cache_folder() / f"{llvm.get_host_cpu_name()}-{llvm.llvm_version_info[0]}.code"


def shipped_code() -> str | None:
    """The shipped LLVM code, None where it is not of these sources."""
    try:
        with zipfile.ZipFile(resource(ARCHIVE)) as archive:
            if archive.read(DIGEST).decode() != digest():
                return None
            return archive.read(CODE).decode()
    except (OSError, KeyError, zipfile.BadZipFile):
        return None


def _kept(path: Path) -> Any:
    """The machine code of an earlier start, as LLVM holds it; None where there is none."""
    from llvmlite.binding import ObjectFileRef

    try:
        kept = path.read_bytes()
    except OSError:
        return None
    # LLVM dies of half a file, which a power cut may leave.
    whole = kept[:_SUM] == hashlib.sha256(kept[_SUM:]).digest()
    return ObjectFileRef.from_data(kept[_SUM:]) if whole else None


def _keep(path: Path, machine_code: bytes) -> None:
    """Keep machine code for the next start; without a folder for it, that one waits again."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(descriptor, "wb") as file:
            file.write(hashlib.sha256(machine_code).digest() + machine_code)
        os.replace(name, path)
    except OSError:
        return


def _function(address: int, name: str) -> Callable[..., int]:
    """A Python function around one of numba's: (result, exception, arguments...) -> status."""
    kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *ARGUMENTS[name])
    function = kind(address)

    def call(*arguments: int) -> int:
        result, nothing = ctypes.c_int64(), ctypes.c_void_p()
        status = function(ctypes.byref(result), ctypes.byref(nothing), *arguments)
        assert status <= 0, f"{name} ended with {status}"
        return result.value

    return call
