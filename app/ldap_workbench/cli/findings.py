"""Commands that look for causes: findings with the advice they back, and stalls."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from ldap_workbench.advice import advise, view_window
from ldap_workbench.advice import findings as find
from ldap_workbench.cli.console import print_json, print_table, say
from ldap_workbench.cli.sessions import File, Json, chosen_windows
from ldap_workbench.model.units import format_duration, format_time
from ldap_workbench.model.window import Window
from ldap_workbench.session import Session

Windows = Annotated[list[str] | None, typer.Option("--window", help="Id or name; several.")]


def findings(
    file: File,
    window: Windows = None,
    tail: Annotated[str, typer.Option(help="The tail that hurts: p50, p99, p99.9, slo.")] = "p99.9",
    json: Json = False,
) -> None:
    """Say what stands out in a session, with its evidence, and what is worth an experiment."""
    with Session.open(file) as session:
        if window:
            found = [f for w in chosen_windows(session, window) for f in find(session, w)]
        else:
            found = find(session)
        advice = advise(found, session.facts, tail=tail)
    if json:
        print_json({"findings": [asdict(f) for f in found], "advice": [asdict(a) for a in advice]})
        return
    if not found:
        say("Nothing stands out in this session.")
    for finding in found:
        say(f"{'!' * finding.severity:<3} {finding.title}")
        say(f"    {finding.sentence}")
        for evidence in finding.evidence[:3]:
            when = f"{format_time(evidence.start_ns)}  " if evidence.start_ns else ""
            say(f"      {when}{evidence.text}")
    for each in advice:
        settings = f"  [{each.treatment}]" if each.treatment.settings else ""
        say(f"\nTry: {each.title}{settings}")
        say(f"    {each.why}")
        for step in each.steps:
            say(f"      - {step}")
        say(f"    Expected: {each.expected}")
        say(f"    Cost: {each.cost} Risk: {each.risk}")


def stalls(file: File, window: Windows = None, json: Json = False) -> None:
    """List the episodes in which many operations waited together."""
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
