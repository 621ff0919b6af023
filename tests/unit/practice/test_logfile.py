"""Buffered for 30 s or 512 KiB, rotated by size, the oldest thrown away."""

import pytest

from ldap_workbench.practice.model.engine import LogFile

S = 1_000_000_000
START = 1_750_000_000 * S


@pytest.fixture
def log(tmp_path):
    return LogFile(tmp_path / "access", "\theader\n\n")


def test_lines_wait_in_the_buffer_for_thirty_seconds(log):
    log.write(b"one\n", START, buffering=True)
    log.write(b"two\n", START + 29 * S, buffering=True)
    assert log.path.read_text() == "\theader\n\n"
    log.write(b"three\n", START + 30 * S, buffering=True)
    assert log.path.read_text() == "\theader\n\none\ntwo\nthree\n"


def test_a_full_buffer_goes_out_at_once(log):
    log.write(b"x" * (512 * 1024 - 1), START, buffering=True)
    assert log.path.stat().st_size == len("\theader\n\n")
    log.write(b"\n", START + 1, buffering=True)
    assert log.path.stat().st_size == len("\theader\n\n") + 512 * 1024


def test_without_buffering_every_line_is_there_at_once(log):
    log.write(b"one\n", START, buffering=False)
    assert log.path.read_text().endswith("\none\n")


def rotate(log, now):
    log.rotate(now, megabytes=1, files=3, disk_megabytes=100)


def test_a_full_file_is_renamed_and_another_begun(log):
    log.write(b"x" * (1024 * 1024), START, buffering=False)
    rotate(log, START + 5 * S)
    assert log.rotated == ["access.20250615-150640"]
    assert log.path.read_text() == "\theader\n\n"
    assert "access.20250615-150640" in (log.path.parent / "access.rotationinfo").read_text()


def test_the_oldest_files_go(log):
    for n in range(5):
        log.write(b"x" * (1024 * 1024), START + n * 10 * S, buffering=False)
        rotate(log, START + (n * 10 + 5) * S)
    assert len(log.rotated) == 2
    kept = {path.name for path in log.path.parent.iterdir()}
    assert kept == {"access", "access.rotationinfo", *log.rotated}


def test_the_disk_limit_counts_as_well(log):
    for n in range(4):
        log.write(b"x" * (1024 * 1024), START + n * 10 * S, buffering=False)
        log.rotate(START + (n * 10 + 5) * S, megabytes=1, files=10, disk_megabytes=2)
    assert len(log.rotated) == 1
