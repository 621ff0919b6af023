"""Fuzz archives and packed files: python -m tests.fuzz.fuzz_archives [SECONDS of processor time]

Whole archives are damaged at random: nothing may be raised but LogError, nothing be written beside
the folder of our own, and memory stay bounded. A failing input is written to `fuzz-failure.bin`.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import random
import resource
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

import zstandard

from ldap_workbench.logs.reading.archives import opened
from ldap_workbench.logs.reading.files import LogFile, gather
from ldap_workbench.model.errors import LogError
from tests.fuzz.fuzz_logs import SEEDS, WORDS

MOST_MEMORY = 1 << 30


def _tar(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    return out.getvalue()


def _zip(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return out.getvalue()


FILES = {f"logs/{number}": seed * 20 for number, seed in enumerate(SEEDS)}
INSIDE = FILES | {"inner.tar": _tar(FILES), "access.gz": gzip.compress(SEEDS[0] * 50)}
ARCHIVES = (
    _tar(INSIDE),
    gzip.compress(_tar(INSIDE)),
    lzma.compress(_tar(INSIDE)),
    bz2.compress(_tar(INSIDE)),
    zstandard.ZstdCompressor().compress(_tar(INSIDE)),
    _zip(INSIDE),
    zstandard.ZstdCompressor().compress(SEEDS[0] * 50),
    lzma.compress(SEEDS[0] * 50),
)


def one_archive(data: bytes) -> None:
    """Read one archive to its end; raises where something is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "upload"
        path.write_bytes(data)
        with contextlib.suppress(LogError), opened([path]) as found:
            gathered = gather(found.paths, skip=found.archives)
            for each in (file for logs in gathered.sets for file in logs.files):
                for piece in LogFile(each.path).pieces():
                    assert piece
        assert [each.name for each in Path(folder).iterdir()] == ["upload"]
    # ru_maxrss is in KiB on Linux.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10 < MOST_MEMORY


def mutated(rng: random.Random) -> bytes:
    """An archive with some places changed, or cut."""
    data = bytearray(rng.choice(ARCHIVES))
    for _ in range(rng.randint(0, 6)):
        place = rng.randrange(len(data) - 1) if len(data) > 1 else 0
        kind = rng.random()
        if kind < 0.5:
            data[place : place + 1] = rng.randbytes(1)
        elif kind < 0.8:
            word = rng.choice(WORDS)
            data[place : place + len(word)] = word
        else:
            del data[place : place + rng.randint(1, 600)]
    return bytes(data[: rng.randint(0, len(data))] if rng.random() < 0.2 else data)


def main(seconds: float, seed: int) -> int:
    """Fuzz for a while; returns how many archives were tried."""
    rng = random.Random(seed)
    until, tried = time.process_time() + seconds, 0
    while time.process_time() < until:
        data = mutated(rng)
        try:
            one_archive(data)
        except BaseException:
            Path("fuzz-failure.bin").write_bytes(data)
            raise
        tried += 1
    return tried


if __name__ == "__main__":
    print(main(float(sys.argv[1]) if len(sys.argv) > 1 else 300, seed=int(time.time())), "archives")
