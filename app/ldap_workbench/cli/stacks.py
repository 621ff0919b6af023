"""`stacks`: where threads spend their time, and what differs between two arms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ldap_workbench.capture.importing.logs import add_stacks
from ldap_workbench.cli.console import note, print_json, print_table, say, say_text
from ldap_workbench.cli.sessions import Json, chosen_windows
from ldap_workbench.figures.table import Numbers
from ldap_workbench.figures.tails.icicle import (
    Profiles,
    Share,
    Stacks,
    file_profiles,
    profiles_of,
    stacks_of,
)
from ldap_workbench.model.errors import LogError, UsageError
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.window import Window, by_arm
from ldap_workbench.session.opening import is_session
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter


def stacks(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="Folded stacks, dumps of gdb, pstack or eu-stack, or a session."
        ),
    ],
    against: Annotated[
        list[Path] | None,
        typer.Option("--against", help="What to compare with, as B; repeatable."),
    ] = None,
    window: Annotated[
        list[str] | None,
        typer.Option("--window", help="Of a session: id or name; repeatable. Default: all."),
    ] = None,
    find: Annotated[
        str, typer.Option("--find", help="Only functions whose name contains this.")
    ] = "",
    tree: Annotated[
        bool, typer.Option("--tree", help="Frames below their callers instead of functions.")
    ] = False,
    top: Annotated[int, typer.Option("--top", min=1, help="Rows to print.")] = 30,
    keep: Annotated[
        Path | None,
        typer.Option("--into", help="Store the files in this session, with one --window."),
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print all rows as CSV.")] = False,
    json: Json = False,
) -> None:
    """Show where threads spend their time: functions, or frames below their callers.

    Several files are profiles of the same arm, and tell how much profiles differ by themselves. Of
    an experiment's session arm A is compared with arm B.
    """
    if keep is not None:
        _keep(files, keep, window or [])
        return
    samples = _read(files, against or [], window)
    if json:
        print_json(_document(samples, find))
        return
    numbers = _chosen(samples.frame_numbers() if tree else samples.function_numbers(), find)
    if csv:
        from ldap_workbench.report.text import table_csv  # loads a second of libraries

        say_text(table_csv(numbers.texts()).replace("\r\n", "\n"))
        return
    headings, *rows = numbers.texts()
    print_table(headings, rows[:top], numbers=headings[1:])
    if len(rows) > top:
        note(
            count_of("{n} more row: raise --top.", "{n} more rows: raise --top.", n=len(rows) - top)
        )
    if (share := samples.matching(find)) is not None:
        say(_share_of_match(share))
    if samples.compared:
        say(str(samples.caveat()))


def _read(files: list[Path], against: list[Path], names: list[str] | None) -> Stacks:
    sessions = [path for path in (*files, *against) if is_session(path)]
    if not against and len(sessions) == len(files) == 1:
        samples = _of_session(files[0], names)
    else:
        a = [profile for path in files for profile in _profiles(path, names)]
        b = [profile for path in against for profile in _profiles(path, names)]
        samples = stacks_of(a, b if against else None)
    if samples is None:
        raise LogError(
            Message("There are no stacks of threads in it."),
            remedy=Message("Add some: ldap-workbench stacks FILE --into SESSION --window W."),
        )
    return samples


def _of_session(path: Path, names: list[str] | None) -> Stacks | None:
    """Arm A against arm B where both have stacks, else all there are."""
    with Session.open(path) as session:
        windows = chosen_windows(session, names)
        a, b = (list(profiles_of(session, arm)) for arm in by_arm(windows))
        if a and b:
            return stacks_of(a, b)
        return stacks_of(list(profiles_of(session, windows)))


def _profiles(path: Path, names: list[str] | None) -> Profiles:
    if not is_session(path):
        return file_profiles(path)
    with Session.open(path) as session:
        return list(profiles_of(session, chosen_windows(session, names)))


def _keep(files: list[Path], path: Path, names: list[str]) -> None:
    if len(names) != 1:
        raise UsageError(
            Message("Files are kept with one window."),
            safe=Message("The session was not changed."),
            remedy=Message(
                "Name it: --window A1. See: ldap-workbench windows {file}", file=str(path)
            ),
        )
    with Session.open(path) as session:
        (window,) = chosen_windows(session, names)
    with SessionWriter.append(path) as writer:
        for source in add_stacks(files, writer, window):
            say(f"{source.name}: kept with {_named(window)}, {source.samples:,} samples")


def _named(window: Window) -> str:
    arm = f", arm {window.arm}" if window.arm else ""
    return f"window {window.name}{arm}"


def _chosen(numbers: Numbers, find: str) -> Numbers:
    words = find.strip().lower()
    rows = tuple(row for row in numbers.rows if words in str(row[0]).lower())
    return Numbers(numbers.headings, rows)


def _share_of_match(share: Share) -> str:
    if not share.of_b:
        return f"In stacks with such a function: {100 * share.share_a:.3g} % of samples."
    return (
        f"In stacks with such a function: {100 * share.share_a:.3g} % of the samples of A, "
        f"{100 * share.share_b:.3g} % of those of B."
    )


def _document(samples: Stacks, find: str) -> dict[str, Any]:
    words = find.strip().lower()
    return {
        "samples": {"a": samples.of_a, "b": samples.of_b},
        "several_profiles": samples.parts_known,
        "functions": [
            {"function": f.name, "total": _share(f.total), "innermost": _share(f.own)}
            for f in samples.functions
            if words in f.name.lower()
        ],
        "frames": [
            {"frame": f.name, "depth": f.depth, "caller": f.parent} | _share(f.share)
            for f in samples.frames
        ],
        "found": _share(share) if (share := samples.matching(find)) else None,
    }


def _share(share: Share) -> dict[str, Any]:
    document: dict[str, Any] = {"a": share.a, "share_a": share.share_a}
    if share.of_b:
        more = {"b": share.b, "share_b": share.share_b, "difference": share.difference}
        document |= more | {"low": share.low, "high": share.high, "sign": share.sign}
    return document
