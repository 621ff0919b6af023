"""Commands that look for causes: findings with the advice they back, and stalls.

`settings`: what the configurations in a session said.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from ldap_workbench.advice.evidence.view import settings_now, view_window
from ldap_workbench.advice.rules.advise import advise, conflicts
from ldap_workbench.cli.console import print_json, print_table, say
from ldap_workbench.cli.sessions import File, Json, chosen_windows
from ldap_workbench.experiment.tried_advice import beside_history
from ldap_workbench.figures.overview.account import judged_together
from ldap_workbench.figures.overview.findings import (
    CONFIDENCES,
    FIRST_SHOWN,
    FindingsView,
    cost_of,
    findings_and_times,
    findings_of,
    times_of,
)
from ldap_workbench.model.errors import KnobError, UsageError
from ldap_workbench.model.finding import Advice, Finding, FindingGroup, Link
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import format_duration, format_time
from ldap_workbench.model.window import Window
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.catalogue import Catalogue, load_catalogue

References = Annotated[
    str | None,
    typer.Option(
        metavar="PROFILE",
        help="Also check group references on this server: entries that many others name, circular "
        "groups, memberships without an index. Read only; takes long on a large directory.",
    ),
]
Entries = Annotated[
    Path | None,
    typer.Option(
        metavar="LDIF",
        help="Compute the database page size from the sizes of the entries in this export.",
        exists=True,
        dir_okay=False,
    ),
]
Windows = Annotated[list[str] | None, typer.Option("--window", help="Id or name; repeatable.")]


def findings(
    file: File,
    window: Windows = None,
    tail: Annotated[str, typer.Option(help="Optimise for: p50, p99, p99.9, slo.")] = "p99.9",
    references: References = None,
    entries: Entries = None,
    for_owner: Annotated[
        str | None,
        typer.Option(
            metavar="CLIENT",
            help="Write a mail to the owner of this client (an address or a bind DN) as Markdown: "
            "what was seen, its queries, what to change.",
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All findings, not only the first.")] = False,
    json: Json = False,
) -> None:
    """Say what stands out in a session, highest cost first, and what is worth an experiment."""
    if for_owner and (json or references or entries):
        raise UsageError(
            Message("--for-owner writes a mail, without --json, --references and --entries."),
            remedy=Message("Leave these options out, or run the command once more with them."),
        )
    with Session.open(file) as session:
        if window:
            results, times = findings_and_times(session, chosen_windows(session, window))
        else:
            results, times = list(findings_of(session)), list(times_of(session))
        if for_owner:
            # Reports take tables and charts along, which only this option pays for.
            from ldap_workbench.report.owner import owner_mail

            mail = owner_mail(session, results, for_owner, chosen_windows(session, window))
            say(*mail.splitlines())
            return
        now, facts = settings_now(session), session.facts
        results += _references(references) if references else []
        results += _sizes(entries, now, session) if entries else []
        advice = advise(results, facts, tail=tail, settings=now)
        advice = beside_history(advice, facts)
    judged = judged_together(times)
    view = FindingsView(tuple(results), tuple(advice), tuple(conflicts(advice)), judged)
    if json:
        print_json(view.as_json())
        return
    _print_groups(view.groups, None if every else FIRST_SHOWN)
    say(str(view.judged))
    for advised in advice:
        _print_advice(advised, facts.profile if facts else "")
    if view.conflicts:
        say("")
    for sentence in view.conflicts:
        say(str(sentence))


def _sizes(entries: Path, settings: dict[str, str], session: Session) -> list[Finding]:
    """Whether the database's page fits the entries of an export."""
    # Reading a file takes the reader of logs along, which only this option pays for.
    from ldap_workbench.advice.families.disk import size_findings, sizes_in

    return size_findings(sizes_in(entries), settings, session.facts)


def _references(profile: str) -> list[Finding]:
    """Who names whom, asked of the server: one search for each attribute and suffix."""
    from ldap_workbench.advice.families.references import asked
    from ldap_workbench.cli.link import connected

    with connected(profile) as target:
        return asked(target.directory, target.facts)


def _print_groups(groups: list[FindingGroup], most: int | None) -> None:
    """The first groups whole, of the others the titles."""
    for group in groups[:most]:
        _print_finding(group.lead)
        for other in group.others:
            say(f"    With it: {other.title}. {other.sentence}")
    rest = groups[most:] if most is not None else []
    if rest:
        say(f"{len(rest)} more (--all): {'; '.join(str(group.lead.title) for group in rest)}.")


def _print_finding(finding: Finding) -> None:
    say(f"{'!' * finding.severity:<3} {finding.title}")
    say(f"    {finding.sentence}")
    links = [part for part in finding.evidence if isinstance(part, Link)]
    for link in links:
        when = format_time(link.start_ns) if link.start_ns else "not seen"
        say(f"      {when:<27}  {link.link!s:<16}  {link.text}")
    for evidence in () if links else finding.evidence[:3]:
        when = f"{format_time(evidence.start_ns)}  " if evidence.start_ns else ""
        say(f"      {when}{evidence.text}")
    beside = [cost_of(finding), CONFIDENCES[finding.confidence]]
    if finding.disproof:
        beside.append(Message("What would rule this out: {disproof}", disproof=finding.disproof))
    for sentence in filter(None, beside):
        say(f"    {sentence}")
    for step in finding.owner_steps:
        say(f"      - For the owner of the clients: {step}")


def trial(advice: Advice, profile: str) -> str:
    """The command that tries an advice; PROFILE where the session does not say which it was."""
    settings = [word for s in advice.treatment.settings for word in ("--set", s.argument)]
    metric = ["--primary", advice.primary] if advice.primary else []
    words = ["ldap-workbench", "experiment", profile or "PROFILE", "-o", f"{advice.id}.ldapwb"]
    return shlex.join([*words, *settings, *metric])


def _print_advice(advice: Advice, profile: str) -> None:
    settings = f"  [{advice.treatment}]" if advice.treatment.settings else ""
    say("", f"Try: {advice.title}{settings}")
    for tried in advice.tried:
        say(f"    {tried}")
    say(f"    {advice.why}")
    if advice.treatment.settings:
        say(f"      - {trial(advice, profile)}")
    for step in advice.steps:
        say(f"      - {step}")
    say(f"    Expected: {advice.expected}")
    say(f"    Cost: {advice.cost} Risk: {advice.risk_level}: {advice.risk}")


def stalls(file: File, window: Windows = None, json: Json = False) -> None:
    """List stalls: operations that are usually quick waited and ended together.

    The ledger of a verdict counts stalls per second and may have more.
    """
    with Session.open(file) as session:
        rows = [row for w in chosen_windows(session, window) for row in _stalls(session, w)]
    if json:
        print_json(rows)
        return
    if not rows:
        say("No stall: at no time did many operations wait together.")
        return
    shown = [
        (r["window"], format_time(r["start_ns"]), format_duration(r["length_ns"]), r["operations"])
        for r in rows
    ]
    headings = ("window", "start", "length", "operations")
    print_table(headings, [[str(cell) for cell in row] for row in shown], numbers=headings[2:])


def _stalls(session: Session, window: Window) -> list[dict[str, Any]]:
    return [
        {
            "window": window.name,
            "start_ns": stall.start_ns,
            "length_ns": stall.length_ns,
            "operations": len(stall.rows),
        }
        for stall in view_window(session, window).stalls
    ]


def settings(file: File, window: Windows = None, json: Json = False) -> None:
    """List the settings from an imported configuration or a capture, window by window."""
    with Session.open(file) as session:
        rows = [row for chosen in chosen_windows(session, window) for row in _said(session, chosen)]
    if json:
        print_json(rows)
        return
    if not rows:
        say("No window has a configuration: import dse.ldif, or an LDIF of cn=config, with it.")
        return
    columns = ("window", "setting", "value", "default", "source")
    print_table(columns, [[str(row[name]) for name in columns] for row in rows])


def _said(session: Session, window: Window) -> list[dict[str, Any]]:
    """Every setting of the sources of a window, the first source's where two say one."""
    by_name: dict[str, dict[str, Any]] = {}
    for source in session.sources(window.id):
        for name, value in source.details.get("settings", {}).items():
            row = {"window": window.name, "setting": name, "value": value}
            by_name.setdefault(name, row | {"default": _default(name), "source": source.name})
    return [by_name[name] for name in sorted(by_name)]


def _default(name: str) -> str:
    """What the server would take without it, "-" where that is not known."""
    catalogue: Catalogue = load_catalogue("openldap" if name.startswith("olc") else "389ds")
    try:
        return catalogue.knob(name).default or "-"
    except KnobError:
        return "-"
