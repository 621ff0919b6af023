import pytest

from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.typed import parse_size
from ldap_workbench.model.units import (
    exact_size,
    format_duration,
    format_latency,
    format_ratio,
    format_size,
)


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ns"),
        (371, "371 ns"),
        (1_250_000, "1.25 ms"),
        (42_039_279_372, "42.0 s"),
        (220_000_000_000, "220 s"),
        (999_999, "1.00 ms"),
        (99_950_000, "100 ms"),
        (-1_500, "-1.50 µs"),
    ],
)
def test_a_duration_has_three_digits_and_a_unit(ns, text):
    assert format_duration(ns) == text


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1.5 GiB", 3 * 2**29),
        ("200M", 200 * 2**20),
        ("10 MB", 10_000_000),
        ("512kib", 2**19),
        ("-1", -1),
    ],
)
def test_a_size_is_read_with_its_unit(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "abc", "1.5 XB", "1,5 GiB"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(UsageError):
        parse_size(text)


def test_whole_sizes_stay_whole():
    assert format_size(4 * 2**30) == "4 GiB"
    assert format_size(10_485_761) == "10.0 MiB"


@pytest.mark.parametrize(
    ("ns", "resolution_ns", "text"),
    [
        (0, 10**9, "0 to 1 s"),
        (10**9, 10**9, "0 to 2 s"),
        (3 * 10**9, 10**9, "2 to 4 s"),
        (99 * 10**9, 10**9, "98 to 100 s"),
        (100 * 10**9, 10**9, "100 s"),
        (0, 10**6, "0 to 1 ms"),
        (3 * 10**6, 10**6, "3 to 4 ms"),
        (37_000, 1000, "37 to 38 µs"),
        (371, 1, "371 ns"),
    ],
)
def test_a_latency_is_no_finer_than_its_log(ns, resolution_ns, text):
    assert format_latency(ns, resolution_ns) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1288699904, "1229 MiB"), (1288699905, "1288699905 B"), (2**40, "1 TiB")],
)
def test_a_size_to_edit_is_never_rounded(size: int, text: str) -> None:
    assert exact_size(size) == text
    assert parse_size(text) == size


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(0.2613, "×0.261"), (185.84, "×186"), (4.58e-7, "<×0.001"), (2_182_010.0, ">×1,000")],
)
def test_a_ratio_beyond_a_thousand_has_no_digits(ratio, text):
    assert format_ratio(ratio) == text
