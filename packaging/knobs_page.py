"""docs/knobs.md: every knob of the catalogue, with the versions it was tried on.

.venv/bin/python packaging/knobs_page.py        write the page anew
"""

from __future__ import annotations

from pathlib import Path

from ldap_workbench.model.knob import Knob, ValueKind
from ldap_workbench.tuning.catalogue import HOST, Catalogue, load_catalogue
from ldap_workbench.tuning.versions import lacks

PAGE = Path(__file__).parents[1] / "docs" / "knobs.md"
_PRODUCTS = {"389ds": "389 Directory Server", "openldap": "OpenLDAP", "opendj": "OpenDJ"}
_HEAD = """\
# Knobs

Written from the catalogue (`resources/knobs`) by `packaging/knobs_page.py`. A knob was tried on a
version when the live tests set it there, read it back and put it back exactly; "not tried" is read
in the documentation or the source. What a version is not known to have is not offered there.

Each knob counts for itself: on a version that it does not name, the workbench uses what is known of
it on the nearest version of the same branch, else on the nearest older one, and says which. Where
setting it while the server ran has ended a version, it is left to the operator on every later one,
too, until it was proved on a later one.

The same list with current values: `ldap-workbench knobs PROFILE`. Which tests ran on which server:
[servers.md](servers.md).
"""
_COLUMNS = (
    "knob",
    "what it is",
    "default",
    "takes effect",
    "risk",
    "proof",
    "versions",
    "tried on",
)


def page() -> str:
    """The whole page, as Markdown."""
    parts = [_HEAD]
    for product, name in _PRODUCTS.items():
        if (Path(__file__).parents[1] / "resources" / "knobs" / f"{product}.toml").exists():
            parts.append(_section(name, _own(load_catalogue(product))))
    parts.append(_section("Linux host", [k for k in load_catalogue().knobs if k.on_host], "kernel"))
    return "\n".join(parts)


def _own(catalogue: Catalogue) -> list[Knob]:
    return [knob for knob in catalogue.knobs if not knob.on_host]


def _section(title: str, knobs: list[Knob], tried: str = "") -> str:
    lines = [f"## {title}", ""]
    if tried:
        lines += [f"Tried on is the version of the {tried}. See also `{HOST}.toml`.", ""]
    lines += [_row(_COLUMNS), _row(["---"] * len(_COLUMNS))]
    versions = {version for knob in knobs for version in knob.verified}
    lines += [_row(_cells(knob, versions)) for knob in knobs]
    return "\n".join(lines) + "\n"


_PROOFS = {
    "monitor": "counter",
    "option": "option of the JVM",
    "sysfs": "kernel's file",
    "stored": "read back",
}


def _cells(knob: Knob, tried: set[str]) -> list[str]:
    where = f" ({knob.db_library})" if knob.db_library else ""
    return [
        f"`{knob.name}`{where}",
        str(knob.title),
        _default(knob),
        "by hand" if knob.steps else knob.effect.value,
        knob.risk.value,
        _proof(knob),
        _existence(knob),
        ", ".join(knob.verified) or _not_tried(knob, tried),
    ]


def _not_tried(knob: Knob, tried: set[str]) -> str:
    if tried and all(lacks(version, knob) for version in tried):
        return "no version tried has it"
    return "not tried"


def _proof(knob: Knob) -> str:
    if knob.kind is ValueKind.INDEX:
        return "access log"
    if knob.kind is ValueKind.SORTED_LIST:
        return "counter"
    return _PROOFS[knob.proof.kind]


def _default(knob: Knob) -> str:
    by_version = "; ".join(f"{value} from {first}" for first, value in knob.defaults.items())
    return by_version or knob.default or ""


def _existence(knob: Knob) -> str:
    said = []
    if knob.since:
        said.append(f"{knob.since} and later")
    if knob.until:
        said.append(f"up to {knob.until}")
    if knob.lacking:
        said.append(f"later than {knob.lacking}")
    said += [f"`{name}` up to {last}" for last, name in knob.former.items()]
    if knob.broken:
        said.append(f"does not work in {', '.join(knob.broken)}")
    if knob.crashes:
        said.append(f"ended {', '.join(knob.crashes)} when set while it ran")
    return "; ".join(said) or "all tried"


def _row(cells: list[str] | tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    PAGE.write_text(page())
