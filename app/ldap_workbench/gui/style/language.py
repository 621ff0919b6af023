"""The language of the window: English in the source, others in resources/translations."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from ldap_workbench.resources import resource


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:  # noqa: ARG001 - lupdate reads it
    """Mark a text to be translated where it is shown; typed, as PySide's own is not."""
    return text


LANGUAGES = (
    ("", QT_TRANSLATE_NOOP("MainWindow", "As the s&ystem")),
    ("en", QT_TRANSLATE_NOOP("MainWindow", "&English")),
    ("de", QT_TRANSLATE_NOOP("MainWindow", "Deu&tsch")),
)


def speak(app: QCoreApplication, language: str = "") -> list[QTranslator]:
    """Translate what is made from now on; '' means as the desktop speaks.

    Gives the translators at work: none in English, or where a language is not there.
    """
    code = language or QLocale.system().name().partition("_")[0]
    if code not in {name for name, _ in LANGUAGES if name} or code == "en":
        return []
    qt = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)) / f"qtbase_{code}.qm"
    files = (qt, resource(f"translations/{code}.qm"))
    return [made for file in files if (made := _installed(app, file)) is not None]


def _installed(app: QCoreApplication, file: Path) -> QTranslator | None:
    translator = QTranslator(app)
    if not translator.load(str(file)):
        return None
    app.installTranslator(translator)
    return translator
