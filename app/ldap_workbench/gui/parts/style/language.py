"""The language of the window: English in the source, others in resources/translations.

One catalogue serves core and window: what `tr` asks Qt for is looked up in the same .mo file as the
template of a message.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from gettext import GNUTranslations, NullTranslations
from html import escape
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator
from PySide6.QtGui import Qt

from ldap_workbench.model.message import ENGLISH, Language, Message
from ldap_workbench.resources import resource

LANGUAGES = (
    ("", Message("As the s&ystem")),
    ("en", Message("&English")),
    ("de", Message("Deu&tsch")),
)
_OWN_CODE = Message("en").template
"""Translated by the code of the language that the window speaks."""
_MARKS = {"de": Language("de", thousands=".", decimal=",")}
"""What stands in a number; babel knows it of every language, this knows it of ours."""


class CatalogueTranslator(QTranslator):
    """Qt's `tr` answered from a gettext catalogue; Qt's contexts are not told apart."""

    def __init__(self, language: Language, parent: QCoreApplication) -> None:
        super().__init__(parent)
        self._known = _texts(language.catalogue)

    def isEmpty(self) -> bool:
        return not self._known

    def translate(
        self, context: str, text: str, disambiguation: str | None = None, n: int = -1
    ) -> str | None:
        """None where it is not ours to answer: another translator is asked then."""
        return self._known.get(text)


def speak(app: QCoreApplication, language: str = "") -> list[QTranslator]:
    """Translate what is made from now on; '' means as the desktop speaks.

    Numbers and dates in fields follow. Gives the translators at work: none in English, or where a
    language is not there.
    """
    code = language or QLocale.system().name().partition("_")[0]
    QLocale.setDefault(QLocale(code if code in _MARKS else ENGLISH.code))
    if code not in _MARKS:
        return []
    folder = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    qt, ours = QTranslator(app), CatalogueTranslator(load_language(code), app)
    translators: list[QTranslator] = (
        [ours, qt] if qt.load(str(folder / f"qtbase_{code}.qm")) else [ours]
    )
    for translator in translators:
        app.installTranslator(translator)
    return translators


@cache
def load_language(code: str) -> Language:
    """A language of ours with its catalogue; English texts where that was never compiled."""
    marks = _MARKS[code]
    try:
        with resource(f"translations/{code}.mo").open("rb") as stream:
            return replace(marks, catalogue=GNUTranslations(stream))
    except FileNotFoundError:
        return marks


def reader() -> Language:
    """The language that the window speaks now."""
    code = QCoreApplication.translate("Language", _OWN_CODE)
    return load_language(code) if code in _MARKS else ENGLISH


def shown(message: Message) -> str:
    """A message in the language of the window."""
    return reader().render(message)


def localised(value: float, kind: str = "count") -> str:
    """A number with the marks of the window's language; `kind` as in model/message.py."""
    return reader().format(value, kind)


def _texts(catalogue: NullTranslations) -> dict[str, str]:
    """Those without a plural."""
    every = getattr(catalogue, "_catalog", {})
    return {text: other for text, other in every.items() if isinstance(text, str) and text}


_AS_IT_STANDS = '<span style="white-space:pre-wrap">{}</span>'


def plain_tip(text: str) -> str:
    """A text that a tip shows as it stands: Qt reads markup in whatever looks like it."""
    return _AS_IT_STANDS.format(escape(text)) if Qt.mightBeRichText(text) else text
