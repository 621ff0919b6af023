"""The words that tell nothing of a site: of our own texts, of servers, logs and their schema.

Every other word becomes a pseudonym: what is not known to be harmless does not leave the house.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from typing import Any

from ldap_workbench.logs.access.dialects import DIALECTS
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
