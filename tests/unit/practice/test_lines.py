"""Many numbers as text at once must read as each one does."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ldap_workbench.practice.model import accesslog
from ldap_workbench.practice.model.engine import stamp


def rows(matrix):
    return [bytes(row[row != 0]).decode() for row in np.asarray(matrix)]


@given(st.lists(st.integers(0, 10**9 - 1), min_size=1, max_size=30))
def test_digits_are_zero_filled(values):
    assert rows(accesslog.digits(np.array(values), 9)) == [f"{value:09d}" for value in values]


@given(st.lists(st.integers(0, 10**8 - 1), min_size=1, max_size=30))
def test_numbers_have_no_leading_zeros(values):
    assert rows(accesslog.number(np.array(values))) == [str(value) for value in values]


@given(st.lists(st.integers(0, 9 * 10**12), min_size=1, max_size=30))
def test_durations_have_nine_decimals(values):
    expected = [f"{value // 10**9}.{value % 10**9:09d}" for value in values]
    assert rows(accesslog.seconds(np.array(values))) == expected


@given(st.lists(st.integers(0, 4 * 10**18), min_size=1, max_size=20))
def test_stamps_are_those_of_single_lines(values):
    assert rows(accesslog.stamps(np.array(values))) == [f"{stamp(value)} " for value in values]


def test_rows_of_several_matrices_keep_their_places():
    text = accesslog.joined(
        [
            (np.array([1]), accesslog.word("two\n", 1)),
            (
                np.array([0, 2]),
                accesslog.words(accesslog.table(["one\n", "three\n"]), np.array([0, 1])),
            ),
        ],
        3,
    )
    assert text == b"one\ntwo\nthree\n"
