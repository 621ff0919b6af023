"""Raw text in frames: whole again when unpacked, and small where the session is small."""

from __future__ import annotations

import numpy as np
import pytest
import zstandard

from ldap_workbench.model.window import Source, SourceKind, SourceState, Window
from ldap_workbench.session.batches import QUICK, RAW_CHUNK, RawPacker
from ldap_workbench.session.writer import SessionWriter
from tests.unit.session.test_session import operations


def log(kinds: int) -> bytes:
    """1.5 MiB of lines, whose phrases come again after so many others."""
    random = np.random.default_rng(kinds)
    phrases = [b" ".join(b"%x" % n for n in random.integers(0, 1 << 20, 12)) for _ in range(kinds)]
    lines = (b"%012d %s\n" % (n, phrases[n % kinds]) for n in range(20_000))
    return b"".join(lines)[: 3 * RAW_CHUNK // 2]


@pytest.mark.parametrize("kinds", [2, 40, 1_500])
def test_frames_of_a_new_source_are_whole_and_no_larger_than_quick_ones(kinds: int) -> None:
    text, packer = log(kinds), RawPacker()
    quick = zstandard.ZstdCompressor(compression_params=QUICK)
    for source in (1, 2):
        for at in range(0, len(text), 100_000):
            packer.add(source, text[at : at + 100_000])
    packer.finish()
    frames = packer.frames(wait=True)
    packer.close()
    for source in (1, 2):
        found = [frame for frame in frames if frame[0] == source]
        assert [(at, size) for _, at, size, _ in found] == [
            (0, RAW_CHUNK),
            (RAW_CHUNK, len(text) - RAW_CHUNK),
        ]
        assert b"".join(zstandard.decompress(body) for *_, body in found) == text
        assert len(found[0][3]) <= len(quick.compress(text[:RAW_CHUNK]))


def test_only_the_begin_of_a_source_is_packed_tightly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ldap_workbench.session.batches.TIGHT_BYTES", RAW_CHUNK)
    chunk, packer = log(1_500)[:RAW_CHUNK], RawPacker()
    packer.add(1, 2 * chunk)
    tight, quick = (body for *_, body in packer.frames(wait=True))
    packer.close()
    assert quick == zstandard.ZstdCompressor(compression_params=QUICK).compress(chunk)
    assert len(tight) < 0.9 * len(quick)


def test_a_session_of_little_is_little(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "little.ldapwb"
    with SessionWriter.create(path) as writer:
        writer.put_window(Window(1, "w", 0, 10**18))
        writer.put_source(Source(1, 1, SourceKind.ACCESS_LOG, "access", SourceState.COMPLETE))
        writer.add_operations(1, operations(3_000, clients=("192.0.2.7",)))
        writer.add_raw(1, log(40)[:1_000_000])
    assert path.stat().st_size < 800_000
