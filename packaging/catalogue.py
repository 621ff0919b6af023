"""The catalogue of what people read: found in the source, kept in one .po file a language.

    .venv/bin/python packaging/catalogue.py update    after a text was added or changed
    .venv/bin/python packaging/catalogue.py compile   .po -> .mo; an installation does it by itself
    .venv/bin/python packaging/catalogue.py missing   what is not translated; exit status 1 if any

Babel finds texts where they are marked: Message and count_of in the core, tr in the window, the
fields of TEXT_FIELDS in resources. Who translates edits resources/translations/de.po.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import IO, Any

from babel.messages import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
TRANSLATIONS = ROOT / "resources" / "translations"
KEYWORDS: dict[str, Any] = {
    "Message": (1,),
    "count_of": (1, 2),
    "tr": (1,),
}
TEXT_FIELDS = {
    *("title", "sentence", "why", "expected", "cost", "risk_words", "needs", "steps", "disagree"),
    *(
        "about",
        "trap",
        "lasting",
        "not_absent",
        "labels",
        "one",
        "several",
        "disproof",
        "uncosted",
        "owner",
        "meaning",
        "hints",
        "known_as",
    ),
    "unit",
    "special",
    *("lacks", "empty"),
}
"""What a person reads of a file of resources."""
TEXT_FILES = (
    *("advice/*.toml", "advice/findings/*.toml", "knobs/*.toml"),
    *("logs/*.toml", "strips/*.toml"),
    *("practice/*.toml", "samples/*.toml", "places.toml"),
)


def texts_of_toml(
    fileobj: IO[bytes], *_: Any, **__: Any
) -> Iterator[tuple[int, str, str | tuple[str, str], list[str]]]:
    """Babel's interface of an extractor: (line, function, text, comments)."""
    for text in _texts(tomllib.loads(fileobj.read().decode())):
        yield 1, "Message" if isinstance(text, str) else "count_of", text, []


def _texts(node: Any, *, read: bool = False) -> Iterator[str | tuple[str, str]]:
    if isinstance(node, str) and read and node.strip():
        yield node.strip()
    elif isinstance(node, dict):
        # Parts of a sentence begin with the space that stands before them.
        for part in node.get("parts", {}).values():
            yield from filter(None, (part["text"], part.get("otherwise")))
        says = [node["says"]] if "says" in node else []
        for text in (*node.get("texts", {}).values(), *says):
            yield text if isinstance(text, str) else (text["one"], text["many"])
        for key, value in node.items():
            # A step of some products only is a table with its text.
            if key not in ("parts", "texts", "says"):
                yield from _texts(value, read=key in TEXT_FIELDS or (read and key == "text"))
    elif isinstance(node, list):
        for value in node:
            yield from _texts(value, read=read)


@cache
def found() -> Catalog:
    """Every text of the source, without translations; to look through it all takes seconds."""
    catalogue = Catalog()
    every = (
        *extract_from_dir(ROOT / "app", [("**.py", "python")], keywords=KEYWORDS),
        *extract_from_dir(
            ROOT / "resources", [(name, texts_of_toml) for name in TEXT_FILES], keywords=KEYWORDS
        ),
    )
    for _file, _line, text, _comments, _context in every:
        if text and text != ("", ""):
            catalogue.add(text)
    return catalogue


def languages() -> list[Path]:
    """The .po of each language."""
    return sorted(TRANSLATIONS.glob("*.po"))


def read(file: Path) -> Catalog:
    """A .po with its translations."""
    with file.open("rb") as stream:
        return read_po(stream, locale=file.stem)


def update() -> None:
    """Texts of the source into every .po; translations of texts that are gone leave it."""
    template = found()
    for file in languages():
        catalogue = read(file)
        catalogue.update(template, no_fuzzy_matching=True, update_creation_date=False)
        catalogue.obsolete.clear()
        with file.open("wb") as stream:
            write_po(stream, catalogue, width=100, sort_output=True, omit_header=False)


def compile_all() -> None:
    """Each .po that is newer than its .mo, or has none."""
    for file in languages():
        # A name of its own: several runs of tests may begin at once in a checkout.
        made, new = file.with_suffix(".mo"), file.with_suffix(f".{os.getpid()}.mo")
        if made.is_file() and made.stat().st_mtime_ns > file.stat().st_mtime_ns:
            continue
        with new.open("wb") as stream:
            write_mo(stream, read(file))
        new.replace(made)


def missing() -> list[str]:
    """Each text of the source that a language lacks: `de: the text`."""
    template = found()
    lacking = []
    for file in languages():
        known = read(file)
        for message in template:
            translated = known.get(message.id)
            # What is marked fuzzy is left out of the .mo.
            complete = translated is not None and translated.string and not translated.fuzzy
            if message.id and (not complete or not all(_strings(translated.string))):
                lacking.append(f"{file.stem}: {message.id}")
    return lacking


def _strings(translation: Any) -> tuple[str, ...]:
    return (translation,) if isinstance(translation, str) else tuple(translation)


def main() -> None:
    """Run the command named on the command line."""
    command = sys.argv[1] if len(sys.argv) == 2 else ""
    if command == "update":
        update()
        compile_all()
    elif command == "compile":
        compile_all()
    elif command == "missing":
        lacking = missing()
        print("\n".join(lacking))
        raise SystemExit(bool(lacking))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
