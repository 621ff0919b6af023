"""Messages: rendered in English and in another language, kept in files, and never a stranger's."""

import ast
from gettext import NullTranslations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ldap_workbench
from ldap_workbench.model.message import (
    NOTHING,
    Language,
    Message,
    as_json,
    count_of,
    from_json,
    sentences,
    verbatim,
)

APP = Path(ldap_workbench.__file__).parent


class Words(NullTranslations):
    """A catalogue of a few texts."""

    def __init__(self, texts: dict[str, str]) -> None:
        super().__init__()
        self.texts = texts

    def gettext(self, message: str) -> str:
        return self.texts.get(message, message)

    def ngettext(self, one: str, many: str, n: int) -> str:
        return self.gettext(one if n == 1 else many)


GERMAN = Language(
    "de",
    thousands=".",
    decimal=",",
    catalogue=Words(
        {
            "{host} took {time:duration}.": "{host} brauchte {time:duration}.",
            "{n} search": "{n} Suche",
            "{n} searches": "{n} Suchen",
            "{first} and {last}": "{first} und {last}",
            "once": "einmal",
            "{name} was read {times}.": "{name} wurde {times} gelesen.",
        }
    ),
)


@pytest.mark.parametrize(
    ("message", "english"),
    [
        (Message("{n} of {of}", n=1_234, of=7), "1,234 of 7"),
        (Message("port {port:plain}", port=10389), "port 10389"),
        (Message("{time:duration}", time=1_250_000), "1.25 ms"),
        (Message("{size:size}", size=4 * 2**30), "4 GiB"),
        (Message("{share:percent}", share=0.0512), "5.1 %"),
        (Message("{load:.1f}", load=1234.56), "1234.6"),
        (Message("{at:time}", at=0), "1970-01-01 00:00:00.000 UTC"),
        (Message("{ratio:ratio}", ratio=0.26), "×0.26"),
        (Message("{types:and}", types=("BIND", "SRCH", "MOD")), "BIND, SRCH and MOD"),
        (Message("{types:or}", types=("BIND",)), "BIND"),
        (Message("{types}", types=("BIND", "SRCH")), "BIND, SRCH"),
        (Message("{nothing}!", nothing=None), "!"),
        (count_of("{n} search", "{n} searches", n=1), "1 search"),
        (count_of("{n} search", "{n} searches", n=0), "0 searches"),
        (sentences(Message("One."), NOTHING, "Two."), "One. Two."),
        (NOTHING, ""),
    ],
)
def test_a_message_is_english(message, english):
    assert str(message) == english


def test_a_language_has_its_words_and_marks():
    took = Message("{host} took {time:duration}.", host="ldap-1.5", time=1_250_000)
    assert GERMAN.render(took) == "ldap-1.5 brauchte 1,25 ms."
    assert GERMAN.render(count_of("{n} search", "{n} searches", n=1)) == "1 Suche"
    assert GERMAN.render(count_of("{n} search", "{n} searches", n=12_345)) == "12.345 Suchen"
    assert GERMAN.render(Message("{each:and}", each=("a", "b"))) == "a und b"
    assert GERMAN.format(0.5, ".2f") == "0,50"


@pytest.mark.parametrize("name", ["once", "Monday and Tuesday", "{times}", "{name}", "12,345.6"])
def test_what_is_the_users_stays_as_it_is(name):
    read = Message("{name} was read {times}.", name=name, times=Message("once"))
    assert GERMAN.render(read) == f"{name} wurde einmal gelesen."
    assert GERMAN.render(verbatim(name)) == name


@pytest.mark.parametrize(
    "template",
    [
        "{x.__class__}",
        "{x[0]}",
        "{x!r}",
        "{x:>1000000000}",
        "{x:.999999999f}",
        "{0}",
        "{",
        "}{",
        "{{x}}"[1:-1] + "{y}",
    ],
)
def test_a_template_of_a_stranger_names_places_and_nothing_else(template):
    shown = from_json({"template": template, "parameters": {"x": 1}})
    assert str(shown) in (template, template.replace("{x}", "1"))


values = st.recursive(
    st.none() | st.text() | st.integers() | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple) | st.builds(lambda x: Message("<{x}>", x=x), inner)
    ),
    max_leaves=6,
)


@given(values)
def test_a_file_gives_back_what_it_was_given(value):
    message = Message("about {x}", x=value)
    assert from_json(as_json(message)) == message
    several = count_of("{n} of {x}", "{n} of {x}s", n=2, x=value)
    assert from_json(as_json(several)) == several


def test_a_message_in_a_dozen_others_is_given_back():
    """The sentence of a verdict on a kind of operation is nine deep."""
    message = Message("searches")
    for _ in range(12):
        message = Message("{part} went down", part=message)
    assert from_json(as_json(message)) == message


@given(
    st.recursive(
        st.none() | st.text() | st.integers(),
        lambda x: (
            st.lists(x)
            | st.dictionaries(st.sampled_from(["template", "parameters", "plural", "n", "x"]), x)
        ),
    )
)
def test_whatever_a_file_holds_is_shown_as_text(kept):
    assert isinstance(str(from_json(kept)), str)


def test_a_text_of_before_is_kept():
    assert from_json("As it was.") == verbatim("As it was.")
    assert from_json("") == NOTHING


def test_no_template_is_put_together():
    """It would be in no catalogue, or translate what is the user's. A name is one of resources."""
    made = [
        f"{file.relative_to(APP)}:{call.lineno}"
        for file in APP.rglob("*.py")
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and getattr(call.func, "id", "") in {"Message", "count_of"}
        and isinstance(call.args[0], ast.JoinedStr | ast.BinOp | ast.Call)
    ]
    assert made == []
