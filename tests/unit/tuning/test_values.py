"""Values as people type them: what fits to the last number, and what a refusal says."""

from __future__ import annotations

from typing import Any

import pytest

from ldap_workbench.model.errors import KnobError
from ldap_workbench.model.knob import Effect, Knob, Risk, ValueKind
from ldap_workbench.model.message import Message
from ldap_workbench.tuning.values import numbered, plain, shown


def knob(kind: ValueKind, **fields: Any) -> Knob:
    return Knob("speed", Message("Speed"), kind, Effect.LIVE, Risk.LOW, **fields)


COUNT = knob(ValueKind.INTEGER, minimum=1, maximum=100, choices=("-1",), unit="threads")
SIZE = knob(ValueKind.SIZE, minimum=1024, in_memory=True)


def remedy(of: Knob, text: str, **options: Any) -> str:
    with pytest.raises(KnobError) as caught:
        plain(of, text, **options)
    assert str(caught.value.what) == f"'{text}' does not fit speed (Speed)."
    assert str(caught.value.safe) == "Nothing was changed."
    return str(caught.value.remedy)


@pytest.mark.parametrize("text", ["1", "2", "99", "100", "-1", " 7 ", "7 threads", "007"])
def test_a_number_fits_up_to_both_ends_of_its_range(text: str) -> None:
    assert plain(COUNT, text) == str(int(text.strip().removesuffix(" threads")))


@pytest.mark.parametrize("text", ["0", "101", "-2", "7 s", "7 thread", "seven", "", "1e2"])
def test_a_number_beyond_them_is_refused_with_the_range(text: str) -> None:
    assert remedy(COUNT, text) == "Give a number from 1 to 100, or -1 threads."


@pytest.mark.parametrize(
    ("limits", "text", "expected"),
    [
        ({"minimum": 5}, "4", "Give a number from 5."),
        ({"maximum": 5}, "6", "Give a number to 5."),
        ({"minimum": 5, "maximum": 9}, "10", "Give a number from 5 to 9."),
        ({"minimum": 10_000}, "1", "Give a number from 10000."),
        ({"choices": ("512", "1024")}, "1000", "Give one of 512, 1024."),
        ({"minimum": 5, "trap": Message("Mind the gap.")}, "4", "Give a number from 5. Mind the"),
    ],
)
def test_a_refusal_names_what_is_known_of_the_range(
    limits: dict[str, Any], text: str, expected: str
) -> None:
    assert remedy(knob(ValueKind.INTEGER, **limits), text).startswith(expected)


def test_numbers_of_a_list_are_the_only_ones_where_there_is_no_range() -> None:
    pages = knob(ValueKind.INTEGER, choices=("512", "1024"))
    assert plain(pages, "1024") == "1024"
    with pytest.raises(KnobError):
        plain(pages, "600")
    for beside in ({"minimum": 600}, {"maximum": 600}):
        assert plain(knob(ValueKind.INTEGER, choices=("512",), **beside), "600") == "600"


def test_a_number_without_limits_is_any() -> None:
    assert plain(knob(ValueKind.INTEGER), "0") == "0"
    assert plain(knob(ValueKind.INTEGER), "-5") == "-5"
    longest = "9" * 19
    assert plain(knob(ValueKind.INTEGER), longest) == longest
    with pytest.raises(KnobError):
        plain(knob(ValueKind.INTEGER), longest + "9")


@pytest.mark.parametrize(
    ("text", "stored"),
    [("0", "0"), ("90", "90"), ("90s", "90"), ("2 m", "120"), ("2 min", "120"), ("3h", "10800")],
)
def test_seconds_are_typed_in_any_unit_up_to_days(text: str, stored: str) -> None:
    assert plain(knob(ValueKind.SECONDS), text) == stored
    assert plain(knob(ValueKind.SECONDS), "1d") == "86400"
    assert remedy(knob(ValueKind.SECONDS, unit="s"), "2 weeks") == "Give a number s."


def test_a_size_may_be_all_of_the_memory_and_no_byte_more() -> None:
    assert plain(SIZE, "1 MiB", ram_bytes=1024**2) == "1048576"
    assert remedy(SIZE, "1048577", ram_bytes=1024**2) == (
        "Give at most the server's memory of 1 MiB."
    )
    assert plain(SIZE, "8 TiB") == str(8 * 1024**4), "the memory is not known"
    elsewhere = knob(ValueKind.SIZE, minimum=1024)
    assert plain(elsewhere, "2 MiB", ram_bytes=1024**2) == "2097152", "it takes no memory"


def test_a_size_is_refused_in_its_own_words() -> None:
    said = "Give a size in bytes or with KiB, MiB, GiB from 1024."
    assert remedy(SIZE, "lots") == said
    assert remedy(SIZE, "1023") == said
    assert remedy(knob(ValueKind.SIZE, minimum=1024, unit="bytes"), "1") == said
    assert plain(SIZE, "1 KiB") == "1024"


def test_a_unit_the_server_wants_is_stored() -> None:
    assert plain(knob(ValueKind.SECONDS, stored_unit=" s"), "1 min") == "60 s"


@pytest.mark.parametrize("text", ["on", "ON", "true", "Yes"])
def test_a_switch_is_on_or_off_whatever_the_word(text: str) -> None:
    opposite = {"on": "off", "true": "false", "yes": "no"}[text.lower()]
    assert plain(knob(ValueKind.SWITCH), text) == "on"
    assert plain(knob(ValueKind.SWITCH), opposite.upper()) == "off"
    assert remedy(knob(ValueKind.SWITCH), "maybe") == "Give one of off, on."


def test_a_choice_is_stored_as_it_is_written_and_named_where_it_is_none() -> None:
    choice = knob(ValueKind.CHOICE, choices=("Verify", "no"))
    assert plain(choice, "VERIFY") == "Verify"
    assert remedy(choice, "perhaps") == "Give one of Verify, no."


def test_text_is_one_line_that_says_something() -> None:
    text = knob(ValueKind.TEXT)
    assert plain(text, " /srv/ds and more ") == "/srv/ds and more"
    for odd in ("", "a\tb", "a\x1fb"):
        assert remedy(text, odd) == "Give one line of text."


@pytest.mark.parametrize(
    ("of", "value", "expected"),
    [
        (SIZE, "1023", "1023"),
        (SIZE, "1024", "1024 (1 KiB)"),
        (SIZE, "-1", "-1"),
        (COUNT, "-1", "-1 threads"),
        (COUNT, "16", "16 threads"),
        (COUNT, "auto", "auto"),
        (COUNT, None, "absent"),
        (knob(ValueKind.INTEGER), "16", "16"),
    ],
)
def test_a_stored_value_is_shown_with_its_unit(of: Knob, value: str | None, expected: str) -> None:
    assert str(shown(of, value)) == expected


def test_steps_are_numbered_from_one() -> None:
    assert str(numbered([Message("Stop."), Message("Start.")])) == "1. Stop. 2. Start."
