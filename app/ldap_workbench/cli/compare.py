"""The command compare, and verdicts as every command prints them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ldap_workbench.cli.console import note, print_columns, print_json, print_table, say
from ldap_workbench.cli.sessions import Json
from ldap_workbench.experiment.judge import judge_arms, judge_chosen
from ldap_workbench.figures import formats
from ldap_workbench.figures.table import by_keys
from ldap_workbench.figures.verdict.changed_groups import GroupChange, change_cells, changed_groups
from ldap_workbench.figures.verdict.host_changes import HostChange, host_cells, host_changes
from ldap_workbench.figures.verdict.view import COLUMNS, metrics_of
from ldap_workbench.inference.design.selection import is_one_shot
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.verdict import Judgement, LedgerArm, Verdict
from ldap_workbench.model.window import Window, by_arm
from ldap_workbench.session.reader import Session

ExitStatus = Annotated[
    bool,
    typer.Option(
        "--exit-status",
        help="Exit with the status of the verdict: 0 better, 10 worse, 11 to 14 other answers, 20 "
        "to 23 none.",
    ),
]

_CHANGES = 20
_KEYS = ("metric", "verdict", "B/A", "interval", "pairs", "p", "data needed")
# A command prints intervals from the left, so that their brackets stand below each other.
_SHOWN = tuple(
    replace(column, number=column.number and column.key != "interval")
    for column in by_keys(COLUMNS, *_KEYS)
)


def compare(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="A session file; with --with, all those of arm A."),
    ],
    with_: Annotated[
        list[Path] | None,
        typer.Option(
            "--with",
            metavar="FILE",
            help="A session of arm B (repeatable), where arms are sessions: each counts once.",
        ),
    ] = None,
    a: Annotated[
        str, typer.Option("--a", help="Windows of arm A: ids or names, with commas.")
    ] = "",
    b: Annotated[
        str, typer.Option("--b", help="Windows of arm B: ids or names, with commas.")
    ] = "",
    primary: Annotated[
        str | None,
        typer.Option(help="Metric the verdict rests on; the plan's by default, or slo."),
    ] = None,
    slo_ms: Annotated[
        float | None,
        typer.Option("--slo-ms", help="Latency target (SLO), ms; the plan's by default, or 100."),
    ] = None,
    exit_status: ExitStatus = False,
    json: Json = False,
) -> None:
    """Judge windows against others: as planned; anything else can only suggest.

    Arms are windows of one session, by --a and --b, or several sessions each, by --with: then their
    windows count together, all of them or those that --a and --b name.
    """
    slo_ns = None if slo_ms is None else round(slo_ms * 1e6)
    if with_:
        verdict = _compare_sessions({"A": (files, a), "B": (with_, b)}, primary, slo_ns, json=json)
    else:
        verdict = _compare_windows(files, {"A": a, "B": b}, primary, slo_ns, json=json)
    if exit_status:
        raise typer.Exit(status_of(verdict))


def _compare_windows(
    files: Sequence[Path],
    sides: Mapping[str, str],
    primary: str | None,
    slo_ns: int | None,
    *,
    json: bool,
) -> Verdict:
    if len(files) > 1 or not all(sides.values()):
        raise UsageError(
            Message("It is not said what is compared."),
            remedy=Message(
                "Name windows of one session by --a and --b, or the sessions of arm B by --with."
            ),
        )
    with Session.open(files[0]) as session:
        chosen = [
            replace(session.window(name.strip()), arm=arm, pair=pair)
            for arm, names in sides.items()
            for pair, name in enumerate(names.split(","))
        ]
        verdict = judge_chosen(session, chosen, primary=primary, slo_ns=slo_ns)
        randomised = not is_one_shot(verdict.design)
        of_a, of_b = by_arm(chosen)
        host = host_changes(session, of_a, of_b)
        changes = changed_groups(of_a, of_b, session.operations)
        timed = any(session.operation_source(window) is not None for window in chosen)
    if json:
        status = {"exit_status": status_of(verdict)}
        beside = {
            "host": [change.to_json() for change in host],
            "groups": [change.to_json() for change in changes],
        }
        print_json(verdict.to_json() | status | beside)
        return verdict
    if timed or not host:
        print_verdict(verdict)
        print_changes(changes)
    if host:
        print_host(host, randomised=randomised)
    return verdict


def _compare_sessions(
    sides: Mapping[str, tuple[Sequence[Path], str]],
    primary: str | None,
    slo_ns: int | None,
    *,
    json: bool,
) -> Verdict:
    every = [path.resolve() for files, _ in sides.values() for path in files]
    if len({*every}) < len(every):
        raise UsageError(
            Message("A session is named twice."), remedy=Message("Name each session once.")
        )
    asked: dict[str, Any] = {"primary": primary, "slo_ns": slo_ns}
    with ExitStack() as stack:
        arms = {
            arm: [_chosen(stack.enter_context(Session.open(path)), names) for path in files]
            for arm, (files, names) in sides.items()
        }
        options = {name: value for name, value in asked.items() if value is not None}
        verdict = judge_arms(arms, **options)
    if json:
        named = {arm: [str(path) for path in files] for arm, (files, _) in sides.items()}
        print_json(verdict.to_json() | {"exit_status": status_of(verdict), "sessions": named})
    else:
        a, b = (tuple(path.name for path in files) for files, _ in sides.values())
        say(str(Message("A: {a:and}. B: {b:and}.", a=a, b=b)))
        print_verdict(verdict)
    return verdict


def _chosen(session: Session, names: str) -> tuple[Session, list[Window]]:
    """A session and the windows of it that are named; without names all, if it has no arms.

    Not those that were cut short: a session's windows count alike.
    """
    if names:
        return session, [session.window(name.strip()) for name in names.split(",")]
    windows = [window for window in session.windows() if not window.cancelled]
    if any(window.arm for window in windows):
        raise UsageError(
            Message("{path} holds an experiment, which has both arms.", path=str(session.path)),
            remedy=Message("Name windows by --a and --b, or compare sessions of captures."),
        )
    return session, windows


def status_of(verdict: Verdict | None) -> int:
    """The exit status of a verdict; where there is none, that of not enough data."""
    return status_of_word(verdict.primary.verdict if verdict else "")


def status_of_word(word: str) -> int:
    """The exit status of a judgement; where there is none, that of not enough data."""
    return (Judgement.known(word) or Judgement.INSUFFICIENT).exit_status


def print_changes(changes: list[GroupChange]) -> None:
    """Kinds, clients, identities and errors that are new, gone or changed: the clearest first."""
    if not changes:
        say(
            "No kind of operation, client, identity or error is new or gone, or changed beyond "
            "what it varies from minute to minute."
        )
        return
    headings = ("by", "which", "change", "A/min", "B/min", "A waiting", "B waiting")
    rows = [list(map(str, change_cells(change))) for change in changes[:_CHANGES]]
    print_table(headings, rows, numbers=headings[3:])
    if len(changes) > _CHANGES:
        note(f"{len(changes) - _CHANGES} more: see --json.")


def print_host(changes: list[HostChange], *, randomised: bool) -> None:
    """What companions of the logs show in both arms: clear changes first."""
    for change in changes:
        if change.is_apart:
            say(f"{change.sentence}.")
    headings = ("on the host", "where", "A", "B", "B/A", "ranges", "intervals")
    rows = [
        [*map(str, host_cells(change)), f"{change.a.intervals}, {change.b.intervals}"]
        for change in changes
    ]
    print_table(headings, rows, numbers=("A", "B", "B/A", "intervals"))
    if not randomised:
        note(
            "These windows were not randomised: indicative only. Differences may have other causes."
        )


def print_verdict(verdict: Verdict) -> None:
    """The sentence, then every metric with its interval."""
    say(str(verdict.sentence))
    print_columns(_SHOWN, metrics_of(verdict))
    if ledger := verdict.details.ledger:
        columns = ("arm", "stalls", "stalls/h", "stalled s/h", "longest")
        print_table(
            columns, [_ledger_row(*arm) for arm in sorted(ledger.arms.items())], numbers=columns[1:]
        )
    for line in (*verdict.dropped, *verdict.warnings):
        note(str(line))


def _ledger_row(arm: str, ledger: LedgerArm) -> list[str]:
    cells = (
        formats.amount(ledger.count),
        formats.amount(ledger.per_hour, ".3g"),
        formats.amount(ledger.stalled_s_per_hour, ".3g"),
        formats.amount(ledger.longest_ns, "duration"),
    )
    return [arm, *map(str, cells)]
