"""Stacks of threads: read within bounds, as a tree, and compared without mistaking chance."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from ldap_workbench.capture.importing.logs import add_stacks, import_logs
from ldap_workbench.figures.tails.icicle import (
    MOST_FRAMES,
    file_profiles,
    session_stacks,
    stacks_of,
)
from ldap_workbench.inference.significance.exceedance import LEAST, compare_shares
from ldap_workbench.logs.reading.reports import Tally
from ldap_workbench.logs.server.stacks import (
    DEEPEST,
    MOST_STACKS,
    OTHERS,
    bounded,
    fold,
    folded_text,
    profiles_in,
    read_folded,
    read_stacks,
)
from ldap_workbench.model.errors import LogError
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.sessions import build_experiment_session

REAL = Path(__file__).parent / "stacks389"
"""389 DS 2.3.1 under searches, perf record -F 99 for 10 s each: A1 and A2 with an entry cache of
512 kB, B1 and B2 with 200 MiB."""
FOLDED = b"main;work;read 30\nmain;work;send 10\nmain;sleep 60\n"
GDB = """Thread 2 (LWP 11):
#0  0x00007f00 in poll () from /lib64/libc.so.6
#1  0x00007f01 in worker;2 () from /usr/sbin/ns-slapd
Thread 1 (LWP 10):
#0  0x00007f00 in select () from /lib64/libc.so.6
#1  0x000055bc1eddec02
"""


def real(name):
    (profile,) = file_profiles(REAL / f"{name}.folded.gz")
    return profile


def test_samples_are_added_by_stack_and_every_line_is_accounted_for():
    tally = Tally()
    text = FOLDED + b"main;work;read 5\n\nmain;old;new 3 4\nno count\n" + b"a;b " + b"9" * 40
    folded = read_folded(text, tally)
    assert folded[("main", "work", "read")] == 35
    assert sum(folded.values()) == 105
    counts = tally.counts
    assert (counts.understood, counts.set_aside, counts.unknown) == (4, 1, 3)


def test_names_and_numbers_of_stacks_are_bounded():
    deep = ";".join(f"f{n}" for n in range(4000))
    folded = read_folded(f"{deep} 3\n{'x' * 9000};y 2\n".encode())
    assert max(map(len, folded)) == DEEPEST
    assert max(len(name) for stack in folded for name in stack) == 200
    many = bounded(Counter({(f"f{n}",): 2 for n in range(MOST_STACKS + 7)}))
    assert len(many) == MOST_STACKS + 1
    assert many[OTHERS] == 14
    wide = stacks_of([bounded(Counter({(f"f{n}", "g"): 1 for n in range(MOST_STACKS)}))])
    assert len(wide.frames) == MOST_FRAMES


def test_what_is_kept_is_read_back():
    odd = read_folded(b"main;a b (inlined);[0x7f00] 4\n main;;x 2\nworker 3;y 1\n")
    assert ("worker_3", "y") in odd
    again = profiles_in(folded_text(odd) + folded_text(read_folded(FOLDED)))
    assert again == [odd, read_folded(FOLDED)]


def test_a_dump_of_threads_is_a_profile_without_addresses():
    (profile,) = fold(read_stacks(GDB.encode()))
    assert profile == {("worker:2", "poll"): 1, ("[unknown]", "select"): 1}
    assert profiles_in(folded_text(profile)) == [profile]


def test_a_frame_lies_below_its_caller_and_within_its_width():
    stacks = stacks_of([real("A1")], [real("B1")])
    for frame in stacks.frames:
        if frame.parent >= 0:
            caller = stacks.frames[frame.parent]
            assert frame.depth == caller.depth + 1
            assert frame.left >= caller.left - 1e-9
            right = frame.left + frame.share.width
            assert right <= caller.left + caller.share.width + 1e-9
    tops = [f.share.width for f in stacks.frames if f.depth == 0]
    assert sum(tops) == pytest.approx(1.0)


def test_every_one_of_many_dumps_counts():
    stacks = stacks_of([{("main", f"f{n % 2}"): 1} for n in range(201)])
    assert stacks.of_a == 201
    assert {f.name: f.total.a for f in stacks.functions} == {"main": 201, "f0": 101, "f1": 100}


def test_a_function_that_calls_itself_counts_once():
    (function,) = [
        f for f in stacks_of([{("a", "b", "b"): 3, ("a",): 1}]).functions if f.name == "b"
    ]
    assert (function.total.a, function.own.a) == (3, 3)


def test_the_larger_cache_removed_the_parsing_of_entries():
    stacks = stacks_of([real("A1"), real("A2")], [real("B1"), real("B2")])
    assert (stacks.of_a, stacks.of_b) == (1357, 860)
    assert stacks.parts_known
    by_name = {f.name: f.total for f in stacks.functions}
    parsing = by_name["slapi_str2entry_ext"]
    assert (parsing.a, parsing.b, parsing.sign) == (667, 0, -1)
    assert parsing.high < -0.4 < parsing.share_b
    assert by_name["cache_find_id"].sign == 1
    assert stacks.functions[0].name == "id2entry"
    found = stacks.matching("STR2ENTRY")
    assert (found.a, found.b) == (667, 0)


def test_two_profiles_of_the_same_arm_do_not_differ():
    for first, second in (("A1", "A2"), ("B1", "B2")):
        stacks = stacks_of([real(first)], [real(second)])
        every = [*stacks.frames, *(f.total for f in stacks.functions)]
        assert not any(getattr(each, "share", each).sign for each in every)


def test_few_samples_show_no_difference():
    a, b = {("f", "g"): LEAST - 1, ("f",): 981}, {("f",): 1000}
    (g,) = [f for f in stacks_of([a], [b]).functions if f.name == "g"]
    assert (g.total.low, g.total.sign) == (None, 0)


def test_intervals_hold_together_where_nothing_differs():
    """95 % for all columns: of 300 comparisons of like with like, about 15 may show something."""
    rng = np.random.default_rng(5)
    shares = np.array([0.3, 0.2, 0.1] + [0.4 / 40] * 40)
    wrong = 0
    for _ in range(300):
        a, b = (rng.multinomial(1000, shares)[None, :].astype(float) for _ in "AB")
        found = compare_shares((a, b), ([1000], [1000]))
        wrong += bool(((found.low > 0) | (found.high < 0)).any())
    assert wrong <= 25


def test_profiles_that_differ_by_themselves_widen_the_interval():
    """Windows whose shares wander by a tenth: counted as independent, most comparisons err."""
    rng = np.random.default_rng(6)
    wrong = {True: 0, False: 0}
    for _ in range(200):
        share = np.clip(0.5 + 0.1 * rng.standard_normal((2, 4)), 0.05, 0.95)
        hits = rng.binomial(1000, share).astype(float)[:, :, None]
        for parts in (True, False):
            counts = tuple(each if parts else each.sum(axis=0)[None, :] for each in hits)
            totals = [1000] * 4 if parts else [4000]
            found = compare_shares(counts, (totals, totals))
            wrong[parts] += bool(found.low[0] > 0 or found.high[0] < 0)
    assert wrong[False] > 120
    assert wrong[True] < 30


def test_folded_files_without_a_log_have_a_window_each(tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("before", "after"):
        (tmp_path / "in" / f"{name}.folded").write_bytes(FOLDED)
    with SessionWriter.create(tmp_path / "s.ldapwb") as writer:
        import_logs([tmp_path / "in"], writer)
    with Session.open(tmp_path / "s.ldapwb") as session:
        windows = session.windows()
        assert sorted(w.name for w in windows) == ["after.folded", "before.folded"]
        stacks = session_stacks(session, windows[:1], windows[1:])
    assert (stacks.of_a, stacks.of_b) == (100, 100)


def test_stacks_are_kept_with_a_window_of_an_experiment(tmp_path):
    path = build_experiment_session(tmp_path / "e.ldapwb", pairs=2, seconds=5)
    with Session.open(path) as session:
        arms = {arm: [w for w in session.windows() if w.arm == arm] for arm in "AB"}
        assert session_stacks(session, arms["A"], arms["B"]) is None
    with SessionWriter.append(path) as writer:
        for arm, windows in arms.items():
            for number, window in enumerate(windows, 1):
                add_stacks([REAL / f"{arm}{number}.folded.gz"], writer, window)
    with Session.open(path) as session:
        stacks = session_stacks(session, arms["A"], arms["B"])
    assert (stacks.of_a, stacks.of_b, stacks.parts_known) == (1357, 860, True)


def test_what_is_no_stack_is_not_kept(tmp_path):
    path = build_experiment_session(tmp_path / "e.ldapwb", pairs=2, seconds=5)
    (tmp_path / "other.txt").write_text("r/s w/s\n1 2\n")
    with Session.open(path) as session:
        window = session.windows()[0]
    with SessionWriter.append(path) as writer, pytest.raises(LogError, match="No stacks of thr"):
        add_stacks([tmp_path / "other.txt"], writer, window)
    with pytest.raises(LogError, match="holds no stacks"):
        file_profiles(tmp_path / "other.txt")
