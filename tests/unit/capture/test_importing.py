"""Files that lie about become windows, whatever their packing and order, and nothing is hidden."""

import gzip

import pytest

from ldap_workbench.capture import import_logs
from ldap_workbench.model.errors import CancelledError, LogError
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import SourceState
from ldap_workbench.session import Session, SessionWriter

START = 1_795_233_600 * NS_PER_S  # 2026-11-21 04:00 UTC


def lines(first, count):
    """A search and its result each second."""
    text = ""
    for i in range(first, first + count):
        stamp = f"[21/Nov/2026:04:{i // 60:02d}:{i % 60:02d}"
        text += (
            f'{stamp}.000000000 +0000] conn=7 op={i} SRCH base="dc=a" scope=2 '
            f'filter="(uid=u{i})" attrs=ALL\n'
            f"{stamp}.001000000 +0000] conn=7 op={i} RESULT err=0 tag=101 nentries=1 "
            f"wtime=0.000100000 optime=0.000900000 etime=0.001{i:06d}\n"
        )
    return text.encode()


@pytest.fixture
def run(tmp_path):
    def run(*paths, **options):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.ldapwb"
        with SessionWriter.create(path) as writer:
            done = import_logs(paths, writer, **options)
        return done, Session.open(path)

    return run


@pytest.fixture
def logs(tmp_path):
    """A rotated set: the older half packed, the newer one beside it, and the older one again."""
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "access.20261121-040000.gz").write_bytes(gzip.compress(lines(0, 60)))
    (folder / "access").write_bytes(lines(60, 60))
    (folder / "copy-of-old").write_bytes(lines(0, 60))
    (folder / "notes.txt").write_text("remember the milk\n")
    return folder


def test_a_rotated_set_is_one_window_in_its_order(run, logs):
    done, session = run(logs)
    with session:
        (window,) = [w for w in done.windows if w.name == "access"]
        found = session.operations(window)
        assert found.op.tolist() == list(range(120))
        assert found.etime_ns.tolist() == [1_000_000 + i for i in range(120)]
        source = session.operation_source(window)
        assert 'filter="(uid=u5)"' in session.raw_line(source, int(found.request_at[5]))
        assert 'filter="(uid=u99)"' in session.raw_line(source, int(found.request_at[99]))


def test_the_same_text_counts_once_and_every_file_left_out_is_named(run, logs):
    done, session = run(logs)
    session.close()
    why = {path.name: text for path, text in done.left_out.items()}
    assert sum(source.samples for source in done.sources) == 120
    assert "notes.txt" in why
    assert any("same text" in text for text in why.values())


def test_a_span_is_cut_out(run, logs):
    done, session = run(
        logs / "access", start_ns=START + 70 * NS_PER_S, end_ns=START + 80 * NS_PER_S
    )
    with session:
        assert len(session.operations(done.windows[0])) == 10


def test_a_cut_off_archive_gives_what_it_has_and_says_so(run, logs):
    packed = gzip.compress(lines(0, 200))
    (logs / "access.20261121-040000.gz").write_bytes(packed[: len(packed) // 2])
    done, session = run(logs / "access.20261121-040000.gz")
    session.close()
    assert done.sources[0].state is SourceState.PARTIAL
    assert "cut off" in done.sources[0].why


def test_what_is_no_log_is_refused_with_its_name(run, logs):
    with pytest.raises(LogError, match=r"notes\.txt"):
        run(logs / "notes.txt")
    with pytest.raises(LogError, match="does not exist"):
        run(logs / "nothing")


def test_an_import_can_be_cancelled(run, logs):
    cancel = Cancel()
    cancel.set()
    with pytest.raises(CancelledError):
        run(logs, cancel=cancel)
