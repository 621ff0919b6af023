"""Lines of logs, DNs, filters and sentences with pseudonyms in place of names and values.

What stays: structure, names of attributes, the words of `words.py`, and numbers at known places of
a log's grammar. Phone numbers, user numbers and hosts named by digits are names: in quotes, DNs,
filters and free text a number is a value. A text keeps its length in bytes, for rows point into the
text of a log.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from typing import Any

from ldap_workbench.logs.access.dialects import DIALECTS
from ldap_workbench.report.anonymous.pseudonyms import Pseudonyms
from ldap_workbench.resources import resource

_FILES = (
    *("translations/de.mo", "logs/notices389.toml", "logs/tasks389.toml", "strips/389ds.toml"),
    *("servers/configuration.toml", "servers/389ds.toml", "servers/openldap.toml"),
    *("servers/opendj.toml", "servers/unboundid.toml", "knobs/389ds.toml", "knobs/openldap.toml"),
    *("knobs/opendj.toml", "knobs/unboundid.toml", "knobs/host-linux.toml", "advice/389ds.toml"),
    *("knobs/389ds-former.toml", "advice/openldap.toml", "advice/plugins.toml"),
    *("advice/dsee.toml", "advice/timers.toml", "advice/autotune.toml", "advice/defects.toml"),
)
_WORD = re.compile(r"[A-Za-z][\w.'-]*[A-Za-z0-9]|[A-Za-z]")
_RDN = re.compile(r"(?:cn|ou|o|olcdatabase|olcoverlay)=([^,\"'()\[\]{}\\=\n]+)", re.IGNORECASE)
_NUMBER = re.compile(
    r"[+-]?\d[\d.,]*(?:%|ns|us|ms|s|m|h|d|[kKMGT]i?B?|B|[eE][+-]?\d+)?"
    r"|\d{4}-\d\d-\d\d(?:T\d\d)?|[\d.]+Z|B\d{4}(?:\.\d+)+|0x[0-9a-fA-F]+"
    r"|(?=[a-f.]*\d)[0-9a-f]{8}(?:\.[0-9a-f]{5,8}|[0-9a-f]{12})?|[A-Z]\d"
)
_SETTING = re.compile(r"nsslapd-|nsds5|olc[A-Z]|ds-cfg-|(?:vm|kernel|net|fs)\.|[a-z]+-[a-z-]+$")
_DEVICE = re.compile(r"(?:sd|vd|xvd|hd)[a-z]{1,2}\d*|nvme\d+n\d+(?:p\d+)?|(?:dm-|md|sr|eth)\d+|lo")


@cache
def _harmless() -> dict[str, Any]:
    return tomllib.loads(resource("report/harmless.toml").read_text("utf-8"))


@lru_cache(1 << 16)
def is_harmless(word: str) -> bool:
    """Whether a word of a text is a number, a disk, or known to everybody."""
    return word.lower() in _vocabulary() or _NUMBER.fullmatch(word) is not None or is_device(word)


@lru_cache(1 << 16)
def is_number(word: str) -> bool:
    """Whether a word is harmless as a number alone: whether it may stay depends on its place."""
    return _NUMBER.fullmatch(word) is not None and word.lower() not in _vocabulary()


def is_device(word: str) -> bool:
    """Whether it is a disk as kernels name them."""
    return _DEVICE.fullmatch(word) is not None


def is_setting(name: str) -> bool:
    """Whether it is a knob, whose value is a number or a word."""
    return bool(_SETTING.match(name)) and name.lower() in _vocabulary()


def is_common_rdn(value: str) -> bool:
    """Whether an RDN of this value is there on every server: config, monitor, plugins."""
    return value.lower().strip() in _common_rdns()


LOG_KEYS = frozenset(_harmless()["keys"].split()) | {
    key.lower() for dialect in DIALECTS.values() for key in (*dialect.keys, *dialect.words)
}
"""Keys of a log line (the word before '=') that are not attributes of an entry."""


NUMBER_KEYS = LOG_KEYS - frozenset(_harmless()["text_keys"].split())
"""Those of them whose values are numbers of the server's own: connections, results, times."""


@cache
def _texts() -> str:
    return "\n".join(resource(name).read_bytes().decode("utf-8", "replace") for name in _FILES)


@cache
def _vocabulary() -> frozenset[str]:
    words = {word.lower() for word in _WORD.findall(_texts())}
    return frozenset(words | set(_harmless()["words"].split()) | LOG_KEYS)


@cache
def _common_rdns() -> frozenset[str]:
    named = {value.lower().strip() for value in _RDN.findall(_texts())}
    return frozenset(named | set(_harmless()["rdn_values"]))


_KEYS = "|".join(sorted(map(re.escape, LOG_KEYS), key=len, reverse=True))
_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_FOUR = rf"(?<![\w.])(?<!Directory/){_OCTET}(?:\.{_OCTET}){{3}}(?!\w|\.\d)"
_SIX = (
    r"(?<![\w:.])(?:(?:[0-9a-fA-F]{1,4}:){1,6}:(?:[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4}){0,5})?"
    r"|(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}|::(?:[0-9a-fA-F]{1,4}:){0,6}[0-9a-fA-F]{1,4})"
    r"(?![\w:]|\.\d)"
)
_ESCAPE = rf"\\u[0-9a-fA-F]{{4}}|\\(?!{_OCTET}(?:\.{_OCTET}){{3}})[0-9a-fA-F]{{2}}|\\[nrtbf]"
_RUN = r"[^\W_]+"
_PIECE = re.compile(
    rf"(?P<address>{_SIX}|{_FOUR}|::ffff:(?=\d))"
    r'|(?P<attributes>(?<=[ ,"\[])attrs?(?:="[^"\n]*"|=[^\n"]*|": ?\[[^\]\n]*\]|: [^\]\n]*))'
    r"|\((?P<item>[^()=~<>&|!\s\"]{1,200}(?:[~<>]?=))(?P<asked>(?:[^()\\\n]|\\.)*)(?=\))"
    rf"|(?<![\w.;-])(?=[\w.;-]+=)(?!(?i:{_KEYS})=)(?P<type>(?:[A-Za-z][\w.;-]*|\d+(?:\.\d+)+)=)"
    r"(?P<value>(?:\\[^\n]|[^,+()\"\]\\\n;&|<>\t])*)"
    r"|(?P<key>(?<=key\()\w+\)=)(?P<wanted>\S*)"
    rf"|(?P<escape>{_ESCAPE})"
    r"|(?P<word>[^\W_](?:[\w.'-]*[^\W_])?)"
)
_IN_VALUE = re.compile(rf"(?P<address>{_SIX}|{_FOUR})|(?P<escape>{_ESCAPE})|(?P<run>{_RUN})")
_INDEXED = re.compile(r",\s*cn=(?:index|default indexes)\s*,", re.IGNORECASE)
_KINDS = re.compile(r"(?:true|false|\*|\?|none|null|\(null\)|-?1)", re.IGNORECASE)
_FUNCTION = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_\w+)+|lib[\w.+-]+")
_CALLED = re.compile(r"(?: ?\(|[+@;`]| \d+$|$)")
_URL = re.compile(r"((?:[a-z]+://)?)(.*?)((?::\d+)?/?)", re.DOTALL)
_KEY_BEFORE = re.compile(r'([\w-]+)"?[=:] ?"?(?:Internal)?[\d(). :+/TZ-]*$')
_LOOK_BACK = 64
"""Characters in which the key before a number is looked for."""
_STAMP_ENDS = re.compile(r"[ .,]")
_UNIT_FOLLOWS = re.compile(
    r" ?(?:%|bytes?|[kKMG]i?B|[mun]?s|sec(?:onds?)?|entries|pages|operations|connections)\b"
)
_MAY_NAME = re.compile(r"[+-]?\d{5,}|[0-9a-f]{8}")
"""A person or a host may be named so; not by few digits, a fraction or a number with its unit."""
_HARMLESS_NAMES = frozenset(("", "anonymous", "internal", "local", "unknown", "(null)"))


class Texts:
    """Rewrites texts with the pseudonyms of one key; from one thread at a time.

    `of_code`: names of functions stay, as in stacks of threads. `of_numbers`: all numbers stay, as
    in tables of measurements and in what the workbench itself noted.
    """

    def __init__(
        self, pseudonyms: Pseudonyms, *, of_code: bool = False, of_numbers: bool = False
    ) -> None:
        self._pseudonyms = pseudonyms
        self._of_code, self._of_numbers = of_code, of_numbers

    def text(self, text: str) -> str:
        """Any text: what is a name, a value or an unknown word in it becomes a pseudonym."""
        return _PIECE.sub(self._piece, text)

    def name(self, text: str) -> str:
        """What is nothing but a name: of a profile, a host, an instance."""
        if text.lower() in _HARMLESS_NAMES or is_device(text):
            return text
        scheme, host, port = _URL.fullmatch(text).groups()  # type: ignore[union-attr]
        return scheme + self._value(host) + port

    def line(self, line: bytes) -> bytes:
        """A line of raw text, of the same length."""
        text = line.decode("utf-8", "surrogateescape")
        return self.text(text).encode("utf-8", "surrogateescape")

    def _piece(self, match: re.Match[str]) -> str:
        what, text = match.lastgroup, match[0]
        if what == "word":
            return text if self._is_kept(match) else self._value(text)
        if what == "attributes":
            return text
        if what == "value":
            attribute, value = match.group("type", "value")
            return attribute + self._of_attribute(attribute, value, match)
        if what == "asked":
            return f"({match['item']}{self._asked(match['item'], match['asked'])}"
        if what == "wanted":
            return match["key"] + self._value(match["wanted"])
        return self._in_value(match)

    def _is_kept(self, word: re.Match[str]) -> bool:
        if is_number(word[0]):
            return self._of_numbers or _is_of_the_server(word)
        return is_harmless(word[0]) or (self._of_code and _is_function(word))

    def _of_attribute(self, attribute: str, value: str, match: re.Match[str]) -> str:
        if is_common_rdn(value) or (
            attribute.lower() == "cn=" and _INDEXED.match(match.string, match.end())
        ):
            return value
        return self._asked(attribute, value)

    def _asked(self, attribute: str, value: str) -> str:
        """Values of a filter; object classes are kept, as their names identify nobody."""
        if is_setting(attribute.rstrip("=")):
            return value if is_number(value) else self.text(value)
        classes = attribute.lower().startswith("objectclass")
        if _KINDS.fullmatch(value) or (classes and is_harmless(value)):
            return value
        return self._value(value)

    def _value(self, value: str) -> str:
        return _IN_VALUE.sub(self._in_value, value)

    def _in_value(self, match: re.Match[str]) -> str:
        what, text = match.lastgroup, match[0]
        if what == "address":
            return text if text == "::ffff:" else self._pseudonyms.address(text)
        return self._escaped(text) if what == "escape" else self._pseudonyms.word(text)

    def _escaped(self, escape: str) -> str:
        r"""\2C and \n are structure; \C3\BC and ü are letters, of which the first digit stays."""
        code = escape[1:].lstrip("u")
        if len(code) < 2 or (int(code, 16) < 0x80 and not chr(int(code, 16)).isalnum()):
            return escape
        head, last = escape[:-1], escape[-1]
        moved = (int(last, 16) + int(self._pseudonyms.word("0" + code[-1]).encode().hex(), 16)) % 10
        return (
            f"{head}{moved}" if int(code, 16) >= 0x80 else escape[:-2] + f"{6 + moved % 2}{moved}"
        )


def _is_of_the_server(number: re.Match[str]) -> bool:
    """Whether a number is one of the log's own: at a known place, or a quantity in free text."""
    text, start = number.string, number.start()
    before = text[start - 1] if start else ""
    if before == ":" and text[start - 2 : start - 1].isdigit():
        return True  # minutes, or the port of an address
    if before == "=" and text[text.rfind(" ", 0, start) + 1 : start - 1].lower() in NUMBER_KEYS:
        return True  # most numbers of a log: no search is needed for them
    quoted = text.count('"', text.rfind("\n", 0, start) + 1, start) % 2
    is_quantity = _MAY_NAME.fullmatch(number[0]) is None
    if is_quantity and not quoted and before != "=":
        return True
    key = _KEY_BEFORE.search(text, max(0, start - _LOOK_BACK), start)
    if key is not None and key[1].lower() in LOG_KEYS:
        return key[1].lower() in NUMBER_KEYS
    if key is not None and is_setting(key[1]):
        return True
    if quoted:
        return False
    is_stamp = start == 0 and _STAMP_ENDS.match(text, number.end()) is not None
    return is_quantity or is_stamp or _UNIT_FOLLOWS.match(text, number.end()) is not None


def _is_function(match: re.Match[str]) -> bool:
    """Whether a word of a stack is the name of a function or a library, by what is around it."""
    alone = match.start() == 0 or match.string[match.start() - 1] in " ;`@_"
    called = alone and _CALLED.match(match.string, match.end()) is not None
    return called or _FUNCTION.fullmatch(match["word"]) is not None
