"""LDAP Tuning Workbench: measure, change and judge a directory server, one change at a time.

For programs and notebooks, see docs/schema.md and docs/notebooks:

    import ldap_workbench as lw

    with lw.open("experiment.ldapwb") as session:
        for tail in lw.tails(session):
            print(tail.window, tail.type, tail.n, tail.p99_ns)
"""

TYPE_CHECKING = False  # as type checkers know it: nothing is loaded before Ctrl-C is caught
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.2.0"
_PUBLIC = ("findings", "import_logs", "open", "tails")


def __getattr__(name: str) -> "Any":
    """The functions of api.py, loaded when asked for: every room imports this package."""
    if name not in _PUBLIC:
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module(f"{__name__}.api"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC])
